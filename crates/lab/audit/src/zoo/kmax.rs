//! k-Max (M-KMAX) for its observer: every other entity is in with probability one half (F-DN).
//!
//! The input is an entity and whether it is in. The promise is positive membership privacy alone, γ = (2^k−1)/(2^k−2),
//! which at the prior 1/2 means odds of `2γ−1 = 2^(k−1)/(2^(k−1)−1)` for presence (B-2): 2 for k = 2. Absence may
//! become certain, so the pairs are one-sided.

use super::{Member, Supremum, ZooError, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{Neighbours, Pair};
use rand_core::Rng;

/// Number of entities; the value of an entity is its number.
const ENTITIES: i64 = 4;
/// Number of ranks that the output is drawn from.
const K: i64 = 2;

/// The original, in which the empty dataset has its own output (E-1), and the corrected one.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let neighbours = || {
        let pair = |entity| Pair { left: vec![entity, 1], right: vec![entity, 0], one_sided: true };
        Neighbours::listed((1..=ENTITIES).map(pair).collect())
    };
    let two = odds(2, 1, 1)?;
    let member = |name, about, supremum, broken| Member {
        name,
        about,
        claim: two.clone(),
        supremum,
        broken,
        neighbours: neighbours(),
        build: one_by_one(move |input, rng, out| {
            let bits = rng.next_u64();
            let is_in = |entity: i64| match input {
                [who, inside] if *who == entity => *inside == 1,
                _ => bits >> entity & 1 == 1,
            };
            match (1..=ENTITIES).rev().find(|entity| is_in(*entity)) {
                None if broken => out.word("nobody"),
                largest => {
                    let lowest = largest.unwrap_or(1).min(ENTITIES + 1 - K);
                    // K is a power of two.
                    out.cell(Cell::Integer(lowest + (bits >> 32).cast_signed() % K));
                }
            }
        }),
    };
    Ok(vec![
        member("k-max", "the empty dataset counts as rank 1: odds 2", Supremum::Exactly(two.clone()), false),
        member(
            "k-max-original",
            "the empty dataset has its own output, so rank 1 reveals entity 1",
            Supremum::Unbounded,
            true,
        ),
    ])
}
