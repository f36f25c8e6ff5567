//! A bound on how uneven the beliefs of an observer of a public size can be (F-DB[a,b]), and so on the likelihood ratio
//! where some answers are impossible.
//!
//! For independent entities with factors `λ`, given that `k` of them are in, the weight of a set `K` is proportional to
//! the product of its factors. The ratio of two factors is at most the ratio of the odds of the beliefs (Newton's
//! inequality for elementary symmetric sums: `λ_i/λ_s ≤ odds_i/odds_s` where `λ_i ≥ λ_s`), so at most
//! `O = b(1−a)/(a(1−b))`. So a set `K` of the others has, given that the entity is in or that it is out, at least the
//! weight `1/W` with `W = Σ_i C(k,i)·C(m−k,i)·O^i`: the sum over all sets of `k` among `m` others, by the number of
//! members that differ.

use super::numbers::one;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, power, whole};
use num_traits::{One, Zero};

/// Limit on the entities for which all sets of uncertain entities are tried.
const MAX_ENTITIES: usize = 7;

/// An upper bound of the likelihood ratio over all observers of F-DB[a,b]; infinite where some ratio is, or where the
/// bound does not apply.
pub(super) fn most_odds(mechanism: &Mechanism, range: &PriorRange, direction: Direction) -> Bound {
    let n = mechanism.size();
    if range.low().is_zero() || range.high().is_one() || n > MAX_ENTITIES {
        return Bound::Infinite;
    }
    let odds = |belief: &Rational| belief / (one() - belief);
    let apart = odds(range.high()) / odds(range.low());
    let everybody = (1 << n) - 1;
    let mut worst = Bound::one();
    for entity in (0..n).map(|t| 1 << t) {
        for open in subsets(everybody & !entity).filter(|open| *open != 0) {
            for sure in subsets(everybody & !entity & !open) {
                for size in 1..=open.count_ones() {
                    let people = whole(open.count_ones() + 1);
                    let fits = &people * range.low() <= whole(size) && whole(size) <= people * range.high();
                    if fits {
                        worst = worst.max(of(mechanism, direction, &apart, (entity, open, sure), size));
                    }
                }
            }
        }
    }
    worst
}

/// The bound for an entity, with the other uncertain entities, those certainly in, and the number of uncertain ones
/// that are in.
fn of(
    mechanism: &Mechanism,
    direction: Direction,
    apart: &Rational,
    (entity, open, sure): (Dataset, Dataset, Dataset),
    size: u32,
) -> Bound {
    let side = |fixed: Dataset, count: u32| -> Vec<Dataset> {
        let parts = subsets(open).filter(|part| part.count_ones() == count);
        parts.map(|part| sure | fixed | part).collect()
    };
    let (with, without) = (side(entity, size - 1), side(0, size));
    if with.iter().chain(&without).any(|data| !mechanism.gives(*data)) {
        return Bound::one();
    }
    let others = open.count_ones();
    let (top, bottom, count) =
        if direction == Direction::Presence { (with, without, size) } else { (without, with, size - 1) };
    let all = weight(count, others, apart);
    let most = |sets: &[Dataset], output: usize| sets.iter().map(|data| mechanism.probability(output, *data)).max();
    let each = (0..mechanism.outputs().len()).filter_map(|output| {
        let (top, bottom) = (most(&top, output)?, most(&bottom, output)?);
        Bound::of(&(top * &all), &bottom)
    });
    each.max().unwrap_or_else(Bound::one)
}

/// `W` of the module documentation.
fn weight(count: u32, others: u32, apart: &Rational) -> Rational {
    let choose = |of: u32, part: u32| (0..part).fold(one(), |all, k| all * whole(of - k) / whole(k + 1));
    let swapped = 0..=count.min(others - count);
    swapped.map(|k| choose(count, k) * choose(others - count, k) * power(apart, k)).sum()
}

/// All subsets of a set, including the empty one.
fn subsets(set: Dataset) -> impl Iterator<Item = Dataset> {
    std::iter::successors(Some(set), move |part| (*part != 0).then(|| (part - 1) & set))
}
