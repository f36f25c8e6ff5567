//! RAPPOR: the Bloom filter of a value, with every bit randomised. Any two values are neighbours.
//!
//! Each of four values sets two bits of its own out of eight, so that two values differ in four bits. A bit kept with
//! probability 5/8 gives odds of 5/3, four of them `(5/3)^4`: the ε of the permanent response, `2h·ln((1−f/2)/(f/2))` with
//! h = 2 and f = 3/4. The instantaneous response reports a bit of it as 1 with probability 3/4 if it is 1 and 1/2 if not:
//! q* = 21/32 and p* = 19/32 overall, and odds of `(q*(1−p*)/(p*(1−q*)))^h = (273/209)^2`.

use super::{Member, Supremum, ZooError, coin, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{Neighbours, Pair};

const BITS: i64 = 8;
/// Number of bits that a value sets.
const HASHES: i64 = 2;

/// One-time RAPPOR, RAPPOR, and a claim that ignores that values set two bits and clear two.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let neighbours = || {
        let values = BITS / HASHES;
        let pairs = (0..values).flat_map(|one| (one + 1..values).map(move |other| Pair::new(vec![one], vec![other])));
        Neighbours::listed(pairs.collect())
    };
    let member = |name, about, claim: deniable_core::budget::Spend, supremum, broken, twice: bool| Member {
        name,
        about,
        claim,
        supremum: Supremum::Exactly(supremum),
        broken,
        neighbours: neighbours(),
        build: one_by_one(move |input, rng, out| {
            let value = input.first().copied().unwrap_or(0);
            for bit in 0..BITS {
                let kept = coin(40, rng);
                let mut reported = (bit / HASHES == value) == kept;
                if twice {
                    reported = coin(if reported { 48 } else { 32 }, rng);
                }
                out.cell(Cell::Integer(i64::from(reported)));
            }
        }),
    };
    let (one_time, always) = (odds(5, 3, 4)?, odds(273, 209, 2)?);
    Ok(vec![
        member(
            "rappor-one-time",
            "permanent response only: odds (5/3)^4",
            one_time.clone(),
            one_time.clone(),
            false,
            false,
        ),
        member("rappor", "one instantaneous response: odds (273/209)^2", always.clone(), always, false, true),
        member(
            "rappor-bits-forgotten",
            "the permanent response under a claim for two differing bits in place of four",
            odds(5, 3, 2)?,
            one_time,
            true,
            false,
        ),
    ])
}
