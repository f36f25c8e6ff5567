//! Report noisy max in its four textbook variants: two-sided or one-sided noise, the winner or the winner's noisy count.
//!
//! With noise of ratio `r = R^(−1/2)` for each count, whose changes may be opposite, returning the winner has odds at
//! most `R`: given all other noise, the winner needs noise above some limit, which a neighbour moves by at most 2.
//! Returning the largest noisy count has larger odds: with all counts one higher, every noise must be one lower, for
//! odds of `r^(−n)` on `n` counts. With one-sided noise the result is never below the largest count.

use super::{Member, Supremum, ZooError, geometric, noise, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{InputAdjacency, Neighbours};
use deniable_core::noise::TwoSidedGeometric;
use rand_chacha::ChaCha20Rng;

const COUNTS: usize = 5;

/// For an odds ratio of (3/2)^4, so that r = 4/9.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let claim = odds(3, 2, 4)?;
    let neighbours = || Neighbours::queries(InputAdjacency::EachByOne, COUNTS);
    let two_sided = geometric(4, 9)?;
    let member = |name, about, supremum, broken, one_sided: bool, value: bool| {
        let sampler = two_sided.clone();
        Member {
            name,
            about,
            claim: claim.clone(),
            supremum,
            broken,
            neighbours: neighbours(),
            build: one_by_one(move |input, rng, out| {
                let (winner, largest) = winner(input, &sampler, one_sided, rng);
                out.cell(Cell::Integer(if value { largest } else { winner }));
            }),
        }
    };
    let kept = Supremum::AtMost(claim.clone());
    Ok(vec![
        member("noisy-max", "names the count that is largest with two-sided noise", kept.clone(), false, false, false),
        member("noisy-max-one-sided", "the same with one-sided noise (exponential)", kept, false, true, false),
        member(
            "noisy-max-value",
            "returns the largest noisy count: odds (9/4)^5",
            Supremum::Exactly(odds(9, 4, 5)?),
            true,
            false,
            true,
        ),
        member(
            "noisy-max-one-sided-value",
            "returns the largest count with one-sided noise, which is never below the exact one",
            Supremum::Unbounded,
            true,
            true,
            true,
        ),
    ])
}

/// The first of the largest noisy counts, and that count.
fn winner(input: &[i64], sampler: &TwoSidedGeometric, one_sided: bool, rng: &mut ChaCha20Rng) -> (i64, i64) {
    let mut best = (0, i64::MIN);
    for (at, count) in input.iter().enumerate() {
        let drawn = if one_sided { above(sampler, rng) } else { noise(sampler, rng) };
        if count + drawn > best.1 {
            best = (at as i64, count + drawn);
        }
    }
    best
}

/// `Pr[k] ∝ r^k` for `k ≥ 0`: a two-sided draw conditioned on being non-negative.
fn above(sampler: &TwoSidedGeometric, rng: &mut ChaCha20Rng) -> i64 {
    loop {
        let drawn = noise(sampler, rng);
        if drawn >= 0 {
            return drawn;
        }
    }
}
