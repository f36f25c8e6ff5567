//! The sparse vector technique: reports which queries are above a threshold. Neighbouring answers differ by at most
//! one, in either direction.
//!
//! The variants are those that Lyu, Su and Li (2017) compare, all with a total budget of ε = 4·ln(3/2) and the
//! threshold 0.

use super::{Member, Supremum, ZooError, geometric, hiding, noise, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{InputAdjacency, Neighbours};
use deniable_core::noise::TwoSidedGeometric;

const QUERIES: usize = 8;

#[derive(Clone)]
struct Variant {
    /// Noise of the threshold, if any.
    threshold: Option<TwoSidedGeometric>,
    query: Option<TwoSidedGeometric>,
    /// Stops after this many queries above.
    cut_off: usize,
    /// Draws new noise for the threshold after each query above.
    resets: bool,
    /// Returns the noisy answer of a query above.
    tells: bool,
}

/// For an odds ratio of (3/2)^4: ε/4 is ln(3/2), which decays by 2/3.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let claim = odds(3, 2, 4)?;
    let (quarter, half, three_quarters) = (geometric(2, 3)?, geometric(4, 9)?, geometric(8, 27)?);
    let eighth = hiding(&odds(3, 2, 1)?, 2)?;
    let usual = Variant {
        threshold: Some(half.clone()),
        query: Some(quarter.clone()),
        cut_off: 1,
        resets: false,
        tells: false,
    };
    let member = |name, about, supremum, broken, variant: Variant| Member {
        name,
        about,
        claim: claim.clone(),
        supremum,
        broken,
        neighbours: Neighbours::queries(InputAdjacency::EachByOne, QUERIES),
        build: one_by_one(move |input, rng, out| {
            let draw = |sampler: &Option<TwoSidedGeometric>, rng: &mut _| {
                sampler.as_ref().map_or(0, |sampler| noise(sampler, rng))
            };
            let mut threshold = draw(&variant.threshold, rng);
            let mut above = 0;
            for answer in input {
                let noisy = answer + draw(&variant.query, rng);
                if noisy < threshold {
                    out.word("below");
                    continue;
                }
                if variant.tells {
                    out.cell(Cell::Integer(noisy));
                } else {
                    out.word("above");
                }
                above += 1;
                if above == variant.cut_off {
                    break;
                }
                if variant.resets {
                    threshold = draw(&variant.threshold, rng);
                }
            }
        }),
    };
    Ok(vec![
        member(
            "sparse-vector",
            "stops at the first query above; half the budget for the threshold, half for that query",
            Supremum::AtMost(claim.clone()),
            false,
            usual.clone(),
        ),
        member(
            "sparse-vector-reset",
            "stops at the second, with new noise on the threshold after the first",
            Supremum::AtMost(claim.clone()),
            false,
            Variant {
                threshold: Some(quarter.clone()),
                query: Some(eighth),
                cut_off: 2,
                resets: true,
                ..usual.clone()
            },
        ),
        member(
            "sparse-vector-bare-threshold",
            "no noise on the threshold: each of the eight queries gives odds 3/2",
            Supremum::Exactly(odds(3, 2, 8)?),
            true,
            Variant { threshold: None, ..usual.clone() },
        ),
        member(
            "sparse-vector-no-reset",
            "stops at the fourth query above with noise for one, and never renews the threshold's noise: at most ε/2 + 4·ε/2",
            Supremum::AtMost(odds(3, 2, 10)?),
            true,
            Variant { cut_off: 4, ..usual.clone() },
        ),
        member(
            "sparse-vector-tells-answer",
            "returns the noisy answer above, which reveals the noisy threshold",
            Supremum::Grows,
            true,
            Variant { threshold: Some(half.clone()), query: Some(half.clone()), tells: true, ..usual.clone() },
        ),
        member(
            "sparse-vector-wrong-split",
            "a quarter for the threshold, three quarters for all queries above as if there were one: (1+6c)/4·ε, c = 2",
            Supremum::AtMost(odds(3, 2, 13)?),
            true,
            Variant { threshold: Some(quarter), query: Some(three_quarters), cut_off: 2, ..usual.clone() },
        ),
        member(
            "sparse-vector-bare-queries",
            "no noise on queries: of two opposite orders one is impossible",
            Supremum::Unbounded,
            true,
            Variant { query: None, cut_off: QUERIES, ..usual.clone() },
        ),
        member(
            "sparse-vector-no-cut-off",
            "never stops: no query above is charged",
            Supremum::Grows,
            true,
            Variant { query: Some(half), cut_off: QUERIES, ..usual },
        ),
    ])
}
