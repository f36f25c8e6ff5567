//! Permute-and-flip over counts (M-PF), and two incorrect variants.
//!
//! Counts are visited in random order, and one that is `d` below the largest is accepted with probability `r^d`; the
//! first accepted one is returned. Counts may change in opposite directions, so `r = R^(−1/2)` has odds at most `R`,
//! and `r = R^(−1)` has `R²`: if one of several equal counts falls 2 below the others, its probability is multiplied by
//! `r²`. Returning the number of visits reveals that all earlier counts were rejected, which never happens to a count
//! that ties for the largest.

use super::{Member, Supremum, ZooError, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{InputAdjacency, Neighbours};
use deniable_core::exact::{Rational, ratio};
use deniable_core::noise::coin::Coin;
use deniable_core::noise::{Decay, Segment, permute_and_flip};
use rand_chacha::ChaCha20Rng;
use rand_core::Rng;

const COUNTS: usize = 5;

/// For an odds ratio of (3/2)^4, so that r = 4/9.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let claim = odds(3, 2, 4)?;
    let neighbours = || Neighbours::queries(InputAdjacency::EachByOne, COUNTS);
    let decay = |r: Rational| Decay::exactly(r.clone()).ok_or(ZooError::Ratio(r));
    let flipping = |name, about, decay: Decay, supremum, broken| Member {
        name,
        about,
        claim: claim.clone(),
        supremum,
        broken,
        neighbours: neighbours(),
        build: one_by_one(move |input, rng, out| out.cell(Cell::Integer(named(input, &decay, rng)))),
    };
    let coin = Coin::fraction(ratio(4, 9));
    Ok(vec![
        flipping(
            "permute-and-flip",
            "names one of five counts, the engine's own sampler, r = 4/9",
            decay(ratio(4, 9))?,
            Supremum::Exactly(claim.clone()),
            false,
        ),
        flipping(
            "permute-and-flip-half-noise",
            "the same without the 2 in the exponent, r = 16/81: odds (3/2)^8",
            decay(ratio(16, 81))?,
            Supremum::Exactly(odds(3, 2, 8)?),
            true,
        ),
        Member {
            name: "permute-and-flip-visits",
            about: "also returns the number of visits: a count that ties for the largest is never rejected",
            claim,
            supremum: Supremum::Unbounded,
            broken: true,
            neighbours: neighbours(),
            build: one_by_one(move |input, rng, out| {
                let (found, visits) = visited(input, &coin, rng);
                out.cell(Cell::Integer(found));
                out.cell(Cell::Integer(visits));
            }),
        },
    ])
}

/// The distance of each count from the largest.
fn behind(counts: &[i64]) -> impl Iterator<Item = u64> {
    let largest = counts.iter().max().copied().unwrap_or(0);
    counts.iter().map(move |count| largest.abs_diff(*count))
}

/// The returned count.
fn named(counts: &[i64], decay: &Decay, rng: &mut ChaCha20Rng) -> i64 {
    let each: Vec<Segment> = behind(counts).map(|distance| Segment { size: 1, distance }).collect();
    permute_and_flip(&each, decay, rng).map_or(0, |(at, _)| at as i64)
}

/// The returned count, and the number of visits, in a random order.
fn visited(counts: &[i64], coin: &Coin, rng: &mut ChaCha20Rng) -> (i64, i64) {
    let mut left: Vec<(usize, u64)> = behind(counts).enumerate().collect();
    for visit in 1..=counts.len() {
        let (at, distance) = left.swap_remove(below(left.len() as u64, rng));
        if (0..distance).all(|_| coin.toss(rng)) {
            return (at as i64, visit as i64);
        }
    }
    (0, 0)
}

/// A uniform number below `limit`, by rejection.
fn below(limit: u64, rng: &mut ChaCha20Rng) -> usize {
    let even = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = rng.next_u64();
        if drawn < even {
            return (drawn % limit) as usize;
        }
    }
}
