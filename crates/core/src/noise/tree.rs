//! Several quantiles from one tree of noisy counts (M-GEO on the intervals of a tree).
//!
//! The grid's values are the leaves; every inner node represents the interval of the leaves below it. One row is
//! counted in one node of each level, so adding it changes the vector of all counts by the height of the tree. A
//! quantile is found by descending from the top: at every node the noisy counts of the children determine the child
//! that contains the target rank. The noise is the same for any number of quantiles. Only counts that are used are
//! drawn, each once: unused draws would change nothing.

use super::sum::weighted_margin;
use super::{Decay, TwoSidedGeometric};
use crate::exact::{Rational, whole};
use num_bigint::BigInt;
use rand_core::Rng;
use std::collections::HashMap;

const WIDEST: u64 = 1024;

/// Branching and height of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Children of a node, at least 2.
    pub branching: u64,
    /// Levels of counts, at least 1: the number of counts that one row is in.
    pub height: u32,
}

impl Shape {
    /// The shape with the smallest error for a grid of this many values, at least 1.
    #[must_use]
    pub fn for_size(size: u64) -> Self {
        let of = |branching: u64| {
            let mut height = 1;
            let mut leaves = u128::from(branching);
            while leaves < u128::from(size) {
                leaves *= u128::from(branching);
                height += 1;
            }
            Self { branching, height }
        };
        (2..=WIDEST.min(size.max(2))).map(of).min_by_key(Self::cost).unwrap_or(Self { branching: 2, height: 64 })
    }

    /// The variance of a sum along a path, up to a factor: `h²` for the noise of a count, `h·(b−1)` for the number of
    /// counts.
    #[must_use]
    pub fn cost(&self) -> u128 {
        u128::from(self.height).pow(3) * u128::from(self.branching - 1)
    }
}

/// A quantile with its interval, in grid units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// The estimate, within its interval.
    pub value: i64,
    /// The true quantile is not below this, with the stated confidence.
    pub low: i64,
    /// The true quantile is not above this, with the stated confidence.
    pub high: i64,
}

/// The values of one cell, with the noisy counts drawn so far.
struct Tree<'a, R> {
    values: &'a [(i64, u64)],
    /// The number of values below each entry of `values`.
    below: Vec<u64>,
    low: i64,
    size: u64,
    shape: Shape,
    sampler: TwoSidedGeometric,
    drawn: HashMap<(u32, u64), i128>,
    rng: &'a mut R,
}

/// Quantiles of values on the grid `low..=high`, each with an interval that covers it with the confidence of [`reach`].
///
/// `values` are distinct, ascending and within the grid, with their multiplicities; `shares` are fractions in `[0, 1]`
/// as numerator and denominator, ascending, and `reaches` are their reaches. The quantile of a share q is the least
/// value with at least q·n values at or below it. `decay` is that of each count; the sensitivity of all counts together
/// is `height` for one row. Without values, the noise alone decides.
pub fn quantiles<R: Rng>(
    values: &[(i64, u64)],
    (low, high): (i64, i64),
    shares: &[(u64, u64)],
    decay: &Decay,
    reaches: &[i128],
    rng: &mut R,
) -> Vec<Estimate> {
    let size = high.abs_diff(low) + 1;
    let shape = Shape::for_size(size);
    let mut below = Vec::with_capacity(values.len() + 1);
    let mut sum = 0;
    for (_, count) in values {
        below.push(sum);
        sum += count;
    }
    below.push(sum);
    let sampler = TwoSidedGeometric::new(decay.clone());
    let mut tree = Tree { values, below, low, size, shape, sampler, drawn: HashMap::new(), rng };
    let total: i128 = (0..shape.branching).map(|child| tree.count(1, child)).sum();
    let estimate = |(share, reach): (&(u64, u64), &i128)| {
        let (part, all) = (i128::from(share.0), i128::from(share.1));
        let target = part * total;
        // With a negative total, larger shares would have smaller targets. The interval's proof uses the total as
        // drawn.
        let value = tree.walk(target.max(0), all);
        Estimate {
            value,
            low: tree.walk(target - all * reach, all),
            high: tree.walk((target + all * reach).max(0), all),
        }
    };
    shares.iter().zip(reaches).map(estimate).collect()
}

/// A bound, in rows, on the error of a sum of counts along a path, so that every comparison on the path of the true
/// quantile `q` holds with `confidence`. It is the same for all cells, because it must not depend on the data.
///
/// Let `b` be the branching and `h` the height. A comparison sets a sum of noisy counts `s` against `q·n`, where `n` is
/// the sum of all counts of the topmost level; what matters is the error of `s − q·n`. The bound is the sum of the
/// probabilities of these events, each one-sided, because a comparison fails on one side only:
/// - on the topmost level, one of `b − 1` comparisons: draws with weights `1 − q` in `s` and `−q` beside it;
/// - below it, a sum that ends before the path's own node and comes out too large: these are partial sums of one walk
///   of independent symmetric steps, so the largest of them exceeds a bound at most twice as often as the last one
///   does (Lévy's inequality);
/// - below it, on each of `h − 1` levels, the sum that ends with the path's own node and comes out too small.
#[must_use]
pub fn reach(size: u64, share: (u64, u64), decay: &Decay, confidence: &Rational) -> BigInt {
    let Shape { branching, height } = Shape::for_size(size);
    let part = whole(share.0) / whole(share.1);
    let (miss, others) = (whole(1) - confidence, whole(branching - 1));
    let rest = whole(1) - &part;
    let (more, less) = if part > rest { (part, rest) } else { (rest, part) };
    let (more, less) = (&more * &more, &less * &less);
    // The confidence at which both sides together miss with twice the one-sided probability.
    let margin = |draws: u64, squares: &Rational, miss: Rational| {
        weighted_margin(decay, draws, squares, &(whole(1) - (whole(2) * miss).min(whole(1))))
    };
    // In the first event at least one draw has either weight.
    let top = &others * &more + less;
    if height == 1 {
        return margin(branching, &top, miss / others);
    }
    let levels = u64::from(height - 1);
    let below = whole(branching) * more + &others * whole(levels);
    let half = miss / whole(2);
    let first = margin(branching, &top, &half / others);
    first.max(margin(branching + (branching - 1) * levels, &below, half / whole(levels + 2)))
}

impl<R: Rng> Tree<'_, R> {
    /// The least value at or below which the noisy counts reach `target / scale`.
    fn walk(&mut self, target: i128, scale: i128) -> i64 {
        let mut sum: i128 = 0;
        let mut node: u64 = 0;
        for level in 1..=self.shape.height {
            let width = self.width(level);
            // The last child that contains values of the grid.
            let last = ((self.size - 1) / width).min(node * self.shape.branching + self.shape.branching - 1);
            let first = node * self.shape.branching;
            node = last;
            for child in first..last {
                let count = self.count(level, child);
                if scale * (sum + count) >= target {
                    node = child;
                    break;
                }
                sum += count;
            }
        }
        self.low + node as i64
    }

    /// The number of leaves below a node of this level.
    fn width(&self, level: u32) -> u64 {
        self.shape.branching.saturating_pow(self.shape.height - level)
    }

    /// The noisy count of a node, drawn at its first use.
    fn count(&mut self, level: u32, node: u64) -> i128 {
        if let Some(known) = self.drawn.get(&(level, node)) {
            return *known;
        }
        let width = self.width(level);
        let from = i128::from(self.low) + i128::from(node) * i128::from(width);
        let to = from + i128::from(width);
        let rank = |end: i128| self.below[self.values.partition_point(|(value, _)| i128::from(*value) < end)];
        let noisy = i128::from(rank(to) - rank(from)) + self.sampler.sample(self.rng);
        self.drawn.insert((level, node), noisy);
        noisy
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank::counted;
    use super::*;
    use crate::exact::ratio;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    fn reaches((low, high): (i64, i64), shares: &[(u64, u64)], decay: &Decay, percent: i64) -> Vec<i128> {
        let of = |share: &(u64, u64)| reach(high.abs_diff(low) + 1, *share, decay, &ratio(percent, 100));
        shares.iter().map(|share| of(share).try_into().unwrap()).collect()
    }

    fn truth(values: &[(i64, u64)], (part, all): (u64, u64)) -> i64 {
        let n: u64 = values.iter().map(|(_, count)| count).sum();
        let mut sum = 0;
        for (value, count) in values {
            sum += count;
            if u128::from(sum) * u128::from(all) >= u128::from(part) * u128::from(n) {
                return *value;
            }
        }
        values.last().unwrap().0
    }

    #[test]
    fn shapes_hold_their_grids() {
        for size in [1, 2, 3, 10, 94, 1_000, 1 << 20, 1 << 40, 1 << 53] {
            let shape = Shape::for_size(size);
            assert!(u128::from(shape.branching).pow(shape.height) >= u128::from(size), "{size}: {shape:?}");
        }
        assert_eq!(Shape::for_size(94), Shape { branching: 10, height: 2 });
    }

    /// With negligible noise the answers are the true quantiles, for any grid.
    #[test]
    fn without_noise_quantiles_are_exact() {
        let decay = Decay::exactly(Rational::new(1.into(), BigInt::from(10).pow(60))).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(1));
        let shares = [(0, 1), (1, 10), (1, 4), (1, 2), (3, 4), (9, 10), (1, 1)];
        for (low, high) in [(-5, 5), (0, 93), (-1_000, 1_000_000), (0, 1 << 52)] {
            for n in [1_i64, 2, 7, 100] {
                let values = counted((0..n).map(|i| low + (i * i * 7919) % (high - low + 1)).collect());
                let reaches = reaches((low, high), &shares, &decay, 95);
                let found = quantiles(&values, (low, high), &shares, &decay, &reaches, &mut rng);
                for (share, estimate) in shares.iter().zip(found) {
                    if share.0 > 0 {
                        assert_eq!(estimate.value, truth(&values, *share), "{share:?} of {values:?}");
                    }
                    assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
                }
            }
        }
    }

    /// Intervals cover in at least the stated share of runs (they are wider than necessary), and answers ascend.
    #[test]
    fn intervals_cover_the_truth() {
        let decay = Decay::exactly(ratio(19, 20)).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let values = counted((0..3_000_i64).map(|i| 20 + (i * 31 % 47) + (i * 17 % 23)).collect());
        let shares = [(1, 10), (1, 4), (1, 2), (3, 4), (9, 10)];
        let reaches = reaches((0, 110), &shares, &decay, 90);
        let (mut covered, mut all) = (0, 0);
        for _ in 0..400 {
            let found = quantiles(&values, (0, 110), &shares, &decay, &reaches, &mut rng);
            assert!(found.windows(2).all(|pair| pair[0].value <= pair[1].value));
            for (share, estimate) in shares.iter().zip(found) {
                let truth = truth(&values, *share);
                covered += i32::from((estimate.low..=estimate.high).contains(&truth));
                all += 1;
            }
        }
        // Expected at least 1,800 of 2,000. The five answers of a run depend on each other, so the bound is not an
        // error rate, and the seed is fixed.
        assert!(covered >= 1_750, "{covered} of {all}");
    }

    #[test]
    fn nothing_overflows_without_values() {
        let decay = Decay::exactly(whole(1) - Rational::new(1.into(), (1_i64 << 40).into())).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(3));
        let (grid, shares) = ((0, 1 << 52), [(1, 2), (1, 1)]);
        let found = quantiles(&[], grid, &shares, &decay, &reaches(grid, &shares, &decay, 95), &mut rng);
        assert!(found.iter().all(|estimate| (0..=1 << 52).contains(&estimate.value)));
    }
}
