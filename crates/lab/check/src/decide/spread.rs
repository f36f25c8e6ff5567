//! How unevenly those of a public size can be believed in at most (F-DB[a,b]), which bounds what is learned where some answers are
//! impossible.
//!
//! Of independent entities with factors `λ`, given that `k` of them are in, a set `K` has a weight in proportion to the product
//! of its factors. Of two of them, factors are no farther apart than the odds of the beliefs are (Newton's inequality for
//! elementary symmetric sums: `λ_i/λ_s ≤ odds_i/odds_s` where `λ_i ≥ λ_s`), so by at most `O = b(1−a)/(a(1−b))`. So a set `K` of
//! the others has, given that the entity is in or that it is out, at least the weight `1/W` with
//! `W = Σ_i C(k,i)·C(m−k,i)·O^i`, the sum over all sets of `k` among `m` others by how many members differ.

use super::numbers::one;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, power, whole};
use num_traits::{One, Zero};

/// Most entities among whom all who may be uncertain are looked at.
const MOST: usize = 7;

/// No observer of F-DB[a,b] has a larger likelihood ratio; infinite where one has, or where the bound reaches no further.
pub(super) fn most_odds(mechanism: &Mechanism, range: &PriorRange, direction: Direction) -> Bound {
    let n = mechanism.size();
    if range.low().is_zero() || range.high().is_one() || n > MOST {
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

/// For an entity, all who are uncertain beside it, those certainly in, and how many of the uncertain are in.
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

/// `W`.
fn weight(count: u32, others: u32, apart: &Rational) -> Rational {
    let choose = |of: u32, part: u32| (0..part).fold(one(), |all, k| all * whole(of - k) / whole(k + 1));
    let swapped = 0..=count.min(others - count);
    swapped.map(|k| choose(count, k) * choose(others - count, k) * power(apart, k)).sum()
}

/// All subsets of a set, the empty one among them.
fn subsets(set: Dataset) -> impl Iterator<Item = Dataset> {
    std::iter::successors(Some(set), move |part| (*part != 0).then(|| (part - 1) & set))
}
