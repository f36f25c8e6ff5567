//! Histograms and prefix sums. One person is in one cell, so neighbours differ by one in one entry.

use super::{Member, Supremum, ZooError, exponential, geometric, hiding, noise, odds, one_by_one};
use crate::mechanism::Cell;
use crate::neighbours::{InputAdjacency, Neighbours};

/// Cells of the histogram, and of the sequence of counts.
const CELLS: usize = 4;
const TIMES: usize = 8;

/// Histograms for ε = 1/2, prefix sums for an odds ratio of 2.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let cells = || Neighbours::counts(InputAdjacency::OneEntry, CELLS);
    let times = || Neighbours::counts(InputAdjacency::OneEntry, TIMES);
    let (half, two) = (exponential(1, 2)?, exponential(2, 1)?);
    let (right, inverted) = (hiding(&half, 1)?, hiding(&two, 1)?);
    let (for_all, for_one) = (hiding(&odds(2, 1, 1)?, TIMES as i64)?, geometric(1, 2)?);
    let noisy = |sampler: deniable_core::noise::TwoSidedGeometric| {
        one_by_one(move |input, rng, out| {
            for entry in input {
                out.cell(Cell::Integer(entry + noise(&sampler, rng)));
            }
        })
    };
    let sums = |sampler: deniable_core::noise::TwoSidedGeometric| {
        one_by_one(move |input, rng, out| {
            let mut sum = 0;
            for entry in input {
                sum += entry;
                out.cell(Cell::Integer(sum + noise(&sampler, rng)));
            }
        })
    };
    Ok(vec![
        Member {
            name: "histogram",
            about: "four cells with noise of scale 1/ε each, ε = 1/2",
            claim: half.clone(),
            supremum: Supremum::Exactly(half.clone()),
            broken: false,
            neighbours: cells(),
            build: noisy(right),
        },
        Member {
            name: "histogram-inverted-scale",
            about: "noise of scale ε in place of 1/ε: e^(1/ε)",
            claim: half,
            supremum: Supremum::Exactly(two),
            broken: true,
            neighbours: cells(),
            build: noisy(inverted),
        },
        Member {
            name: "prefix-sums",
            about: "eight running totals with noise for a change of all eight",
            claim: odds(2, 1, 1)?,
            supremum: Supremum::Exactly(odds(2, 1, 1)?),
            broken: false,
            neighbours: times(),
            build: sums(for_all),
        },
        Member {
            name: "prefix-sums-one-change",
            about: "the same with noise for a change of one total only: odds 2^8",
            claim: odds(2, 1, 1)?,
            supremum: Supremum::Exactly(odds(2, 1, 8)?),
            broken: true,
            neighbours: times(),
            build: sums(for_one),
        },
    ])
}
