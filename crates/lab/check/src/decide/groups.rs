//! Groups of entities that may depend on each other (F-NIk).

use super::error::CheckError;
use super::gain::approached;
use super::largest_ratio::LargestRatio;
use super::pairs::WitnessedRatio;
use super::part::{NearFraction, Part};
use super::two_datasets::Pair;
use crate::mechanism::{Column, Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::Verdict;
use deniable_core::exact::whole;

/// Membership privacy over F-NIk with any priors: the gain is the largest likelihood ratio, which lopsided priors
/// approach (B-2).
pub(super) fn decide(
    mechanism: &Mechanism,
    size: usize,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Ok(approached(worst(mechanism, size, direction)?, theorems))
}

/// The largest likelihood ratio of any observer of F-NIk: the largest ratio between datasets at most `k` entities
/// apart, of which only the first has the entity in question (or only the second, for absence).
///
/// It is an upper bound: entities outside the group of `t` have the same distribution with and without `t`, and inside
/// the group `Pr[o|·]` is a mean over datasets with `t`, and without. It is attained: an observer who considers only
/// the two datasets possible has the entities that differ as one group, and is certain of all others.
///
/// F-NIk bounds it by `R^k` for the add/remove ratio `R`, which is attained by some mechanisms and often far off.
pub(super) fn worst(
    mechanism: &Mechanism,
    size: usize,
    direction: Direction,
) -> Result<Option<WitnessedRatio>, CheckError> {
    if size == 0 {
        return Err(CheckError::OutOfRange { name: "k", value: whole(0), range: "at least 1" });
    }
    let found = (0..mechanism.outputs().len()).filter_map(|output| {
        let worst = match mechanism.table().column(output) {
            Column::Parts { parts, .. } => of_column(mechanism, output, parts, size, direction).found(),
            Column::Fractions(values) => {
                of_column(mechanism, output, &NearFraction::all(values), size, direction).found()
            }
        };
        let (ratio, place) = worst?;
        let pair = Pair { output, more: place.more, less: place.less };
        Some(WitnessedRatio { ratio, witness: pair.datasets(mechanism) })
    });
    Ok(found.reduce(|best, next| if next.ratio > best.ratio { next } else { best }))
}

/// For every entity: the largest value near every dataset of the other kind, found by as many rounds of looking at
/// neighbours as there may be other differences. Values are ranked once, so that the rounds compare whole numbers.
fn of_column<P: Part>(
    mechanism: &Mechanism,
    output: usize,
    values: &[P],
    size: usize,
    direction: Direction,
) -> LargestRatio<P> {
    let n = mechanism.size();
    let mut order: Vec<Dataset> = (0..1_u32 << n).collect();
    order.sort_by(|left, right| {
        let (left, right) = (&values[*left as usize], &values[*right as usize]);
        match (left.nothing(), right.nothing()) {
            (false, false) => P::compare(left, right, left, left),
            (zero, other) => other.cmp(&zero),
        }
    });
    let mut ranks = vec![0_u32; order.len()];
    for (rank, data) in order.iter().enumerate() {
        ranks[*data as usize] = rank as u32;
    }
    let mut worst = LargestRatio::new();
    for t in 0..n {
        let bit = 1 << t;
        // Datasets with t (or without it) are on top; `near` is the best of them within the steps so far.
        let (top, bottom) = if direction == Direction::Presence { (bit, 0) } else { (0, bit) };
        let mut near = ranks.clone();
        for _ in 1..size.min(n) {
            let before = near.clone();
            for other in (0..n).filter(|other| *other != t) {
                for (data, best) in near.iter_mut().enumerate() {
                    *best = (*best).max(before[data ^ 1 << other]);
                }
            }
        }
        for data in mechanism.datasets().filter(|data| data & bit == bottom) {
            let best = order[near[(data & !bit | top) as usize] as usize];
            worst.offer(&values[best as usize], &values[data as usize], output, best, data);
        }
    }
    worst
}
