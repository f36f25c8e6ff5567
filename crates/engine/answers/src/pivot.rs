//! Intervals from the distribution of the noise (pivots), for sums, differences, ratios, averages and variances.
//!
//! Whatever the exact numbers are, some weighted sum of the noisy ones does not depend on them: for a ratio `θ = A/B`
//! of sums that is `a − θ·b = (A − θB) + noise = noise`, whose distribution is public ([`deniable_core::interval`]).
//! The interval consists of every `θ` for which that noise would not be unusually large. It covers with at least the
//! stated confidence, since at the true `θ` the value is the noise itself (M-PIV). `tests/it/widths.rs` compares its
//! width with that of the shortest interval for known totals.
//!
//! | number | quantity without an exact part |
//! |---|---|
//! | `a + b`, `2·a − b` | the number minus its exact value |
//! | `θ = A/B`, also where both share a count | `a − θ·b` |
//! | a sum of several `w·A/B` | see [`super::ratios`] |
//! | the variance `v` at the mean `μ`: `N·v = Q − 2μS + μ²N` | `q − 2μ·s + (μ² − v)·n`, for every `μ` in its interval |
//!
//! Parts of a range are excluded as a whole: over a part every weight takes its largest value and the number its value
//! nearest to zero. The result may therefore be a little too wide and never too narrow, whatever the shape of the set
//! of possible values.

use crate::exact;
use crate::form::{At, Form, Linear};
use deniable_core::exact::{Rational, whole};
use deniable_core::interval::{Law, Noises, reach_with_normal};
use num_traits::{Signed, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};

/// Rounding error of a few operations on floats, relative to the largest number among them.
pub(crate) const ROUNDING: f64 = 1e-13;
/// Most steps towards the end of the interval of a ratio.
const MOST_STEPS: u32 = 50;
/// The ends of an interval are found to this fraction of their distance from the released value.
const PRECISION: f64 = 1e-3;
/// For a variance, the number of parts into which the interval of the mean is divided.
const PARTS: u32 = 6;

/// The two ends of an interval; `None` if unbounded.
pub(crate) type Ends = (Option<f64>, Option<f64>);

/// The inputs of intervals.
pub(crate) struct Cell<'a> {
    /// The distribution of every measure's noise, in units.
    pub(crate) laws: &'a [Law],
    pub(crate) value: &'a dyn Fn(At) -> i128,
    /// The standard deviation of the normal error that the numerator of a ratio has in addition to its noise; 0 for
    /// none.
    pub(crate) normal: f64,
    /// The error probability of an interval.
    pub(crate) outside: f64,
}

/// A weighted sum as floats: its noisy value, the magnitude of its terms, and its weights.
#[derive(Clone)]
pub(crate) struct Sum {
    pub(crate) value: f64,
    pub(crate) size: f64,
    pub(crate) weights: BTreeMap<At, f64>,
}

impl Cell<'_> {
    /// The interval of a number within these bounds, if there are any. A noisy value beyond the bounds is replaced by
    /// the nearest bound: between the bounds its noise is at least as unusual as that of the bound, so the interval
    /// around the bound contains that of the noisy value, and it never shrinks to a point, which would suggest
    /// certainty.
    pub(crate) fn interval(&self, form: &Form, (low, high): Ends) -> Ends {
        match form {
            Form::Linear(sum) => {
                let sum = self.sum(sum);
                let value = sum.value.max(low.unwrap_or(f64::NEG_INFINITY)).min(high.unwrap_or(f64::INFINITY));
                let reach = self.reach(sum.weights.iter().map(|(at, weight)| (*at, *weight)), 0.0, self.outside);
                let reach = reach + ROUNDING * sum.size;
                (Some(value - reach), Some(value + reach))
            }
            Form::Ratio { over, under } => {
                let (mut over, under) = (self.sum(over), self.sum(under));
                if under.value > 0.0 {
                    let nearest = |end: Option<f64>, otherwise: f64| end.map_or(otherwise, |end| end * under.value);
                    over.value = over.value.max(nearest(low, over.value)).min(nearest(high, f64::INFINITY));
                }
                self.ratio(&over, &under, self.outside)
            }
            Form::Ratios { parts, rest } => self.ratios(parts, rest, (low, high)),
        }
    }

    /// The interval of a variance of at most `most`, from the measures of a count, a sum and a sum of squares, the last
    /// two centred, with their units; of a sample variance if `sample`.
    pub(crate) fn variance(&self, [count, sum, squares]: [(At, f64); 3], sample: bool, most: f64) -> Ends {
        let of = |(at, unit): (At, f64)| (self.value)(at) as f64 * unit;
        let (n, s, q) = (of(count), of(sum), of(squares));
        if n <= 0.0 {
            return (Some(0.0), Some(most));
        }
        // As for other numbers, an impossible noisy variance is replaced by the nearest possible one.
        let estimate = (q / n - (s / n) * (s / n)).clamp(0.0, most);
        let q = (estimate + (s / n) * (s / n)) * n;
        // Most of the error probability is for the variance itself; mean and count matter only to second order.
        let (own, mean, rows) = (self.outside * 0.9, self.outside * 0.06, self.outside * 0.04);
        let one = |(at, unit): (At, f64)| Sum {
            value: of((at, unit)),
            size: of((at, unit)).abs(),
            weights: [(at, unit)].into(),
        };
        let (Some(least), Some(greatest)) = self.ratio(&one(sum), &one(count), mean) else {
            return (Some(0.0), Some(most));
        };
        let step = (greatest - least) / f64::from(PARTS);
        let parts: Vec<(f64, f64)> =
            (0..PARTS).map(|part| (least + f64::from(part) * step, least + f64::from(part + 1) * step)).collect();
        let fewest_most = self.reach([(count.0, count.1)].into_iter(), 0.0, rows);
        let correction = |rows: f64| if sample { rows / (rows - 1.0) } else { 1.0 };
        let excluded = |from: f64, to: f64| {
            parts.iter().all(|(low, high)| {
                let at = |mean: f64| q - 2.0 * mean * s + mean * mean * n;
                let mut ends = [at(*low), at(*high), at(*low)];
                if (*low..=*high).contains(&(s / n)) {
                    ends[2] = at(s / n);
                }
                let [least, greatest] = [f64::min, f64::max].map(|which| ends.into_iter().reduce(which).unwrap_or(0.0));
                let corners = [least - from * n, least - to * n, greatest - from * n, greatest - to * n];
                let far = nearest_to_zero(&corners);
                let largest = low.abs().max(high.abs());
                let square = if low.is_sign_negative() && high.is_sign_positive() {
                    0.0
                } else {
                    low.abs().min(high.abs()).powi(2)
                };
                let counted = [largest * largest - from, square - to].map(f64::abs).into_iter().fold(0.0, f64::max);
                let weights = [(squares.0, squares.1), (sum.0, 2.0 * largest * sum.1), (count.0, counted * count.1)];
                let size = q.abs() + 2.0 * largest * s.abs() + (largest * largest + to) * n.abs();
                far > self.reach(weights.into_iter(), 0.0, own) + ROUNDING * size
            })
        };
        let (mean, square) = (s / n, estimate);
        let weights =
            [(squares.0, squares.1), (sum.0, 2.0 * mean * sum.1), (count.0, (mean * mean - square) * count.1)];
        let near = self.reach(weights.into_iter(), 0.0, own) / n;
        let population = (inwards(0.0, estimate, near, &excluded), inwards(most, estimate, near, &excluded));
        if !sample {
            return (Some(population.0), Some(population.1));
        }
        let fewest = n - fewest_most;
        if fewest < 2.0 {
            return (Some(population.0.min(most)), Some(most));
        }
        (Some(population.0 * correction(n + fewest_most)), Some((population.1 * correction(fewest)).min(most)))
    }

    pub(crate) fn sum(&self, sum: &Linear) -> Sum {
        let noisy = |at: At| whole((self.value)(at));
        let (mut exact, mut size) = (sum.constant_part().clone(), sum.constant_part().abs());
        for (at, weight) in sum.terms() {
            let part = exact::product(weight, &noisy(at));
            exact = exact::sum(&exact, &part);
            size = exact::sum(&size, &part.abs());
        }
        let float = |value: &Rational| value.to_f64().unwrap_or(f64::MAX);
        let weights = sum.terms().map(|(at, weight)| (at, float(weight))).collect();
        Sum { value: float(&exact), size: float(&size), weights }
    }

    /// The margin of one measure's noise, in its units.
    pub(crate) fn reach_of(&self, measure: At) -> f64 {
        self.reach([(measure, 1.0)].into_iter(), 0.0, self.outside)
    }

    /// The margin of weighted noises together, with this error probability.
    pub(crate) fn reach_of_all(&self, weights: &BTreeMap<At, f64>, outside: f64) -> f64 {
        self.reach(weights.iter().map(|(at, weight)| (*at, *weight)), 0.0, outside)
    }

    fn reach(&self, weights: impl Iterator<Item = (At, f64)>, normal: f64, outside: f64) -> f64 {
        let weights = grouped(weights.map(|(at, weight)| (at, [weight])));
        let noises = weights.into_iter().map(|(measure, [weight], count)| self.noises(measure, weight, count));
        reach_with_normal(&noises.collect::<Vec<_>>(), normal, outside)
    }

    fn noises(&self, measure: usize, weight: f64, count: u64) -> Noises {
        Noises { weight: weight * (1.0 + ROUNDING), law: self.laws[measure], count }
    }

    /// The largest margin of the noise of `a − θ·b` for `θ` between both ends. Each group of noisy numbers has a weight
    /// in `a` and one in `b`.
    fn reach_between(&self, weights: &[(usize, [f64; 2], u64)], ends: [f64; 2], normal: f64, outside: f64) -> f64 {
        let largest = |(measure, [a, b], count): &(usize, [f64; 2], u64)| {
            let at_end = |theta: f64| (a - theta * b).abs() + ROUNDING * (a.abs() + (theta * b).abs());
            self.noises(*measure, at_end(ends[0]).max(at_end(ends[1])), *count)
        };
        let noises: Vec<Noises> = weights.iter().map(largest).collect();
        reach_with_normal(&noises, normal, outside)
    }

    pub(crate) fn ratio(&self, over: &Sum, under: &Sum, outside: f64) -> Ends {
        // If the divisor may be zero, arbitrarily large values are possible.
        let alone = self.reach(under.weights.iter().map(|(at, weight)| (*at, *weight)), 0.0, outside);
        if under.value.abs() <= alone {
            return (None, None);
        }
        let estimate = over.value / under.value;
        let keys: BTreeSet<At> = over.weights.keys().chain(under.weights.keys()).copied().collect();
        let weight = |sum: &Sum, at: &At| sum.weights.get(at).copied().unwrap_or_default();
        let weights = grouped(keys.into_iter().map(|at| (at, [weight(over, &at), weight(under, &at)])));
        let turned: Vec<_> = weights.iter().map(|(measure, [a, b], count)| (*measure, [*b, *a], *count)).collect();
        let near = self.reach_between(&weights, [estimate; 2], self.normal, outside) / under.value.abs();
        if !near.is_finite() {
            return (None, None);
        }
        // Twice the rounding: once for the numbers, and once for the steps below.
        let reach = |from: f64, to: f64| {
            let size = over.size + from.abs().max(to.abs()) * under.size;
            self.reach_between(&weights, [from, to], self.normal, outside) + 2.0 * ROUNDING * size
        };
        // Beyond this point on one side no value is possible: for large `θ` the noise is that of `under`, and a little
        // of `over`.
        let outer = |side: f64| {
            let mut far = estimate.abs() + 10.0 * near + f64::MIN_POSITIVE;
            (0..12).find_map(|_| {
                // After division by θ: the weights of `under`, and at most `1/far` of those of `over`.
                let reach = self.reach_between(&turned, [0.0, side / far], self.normal / far, outside);
                let rest = under.value.abs() - over.value.abs() / far;
                let found = (rest > reach + ROUNDING * (under.size + over.size / far)).then_some(side * far);
                far *= 8.0;
                found
            })
        };
        // The noise of every number between `guess` and `end` is at most `reach`: numbers there that are further from the
        // estimate are excluded.
        let end = |side: f64| {
            let at = |reach: f64| estimate + side * reach / under.value.abs();
            let mut end = outer(side)?;
            for _ in 0..MOST_STEPS {
                let alone = reach(end, end);
                let guess = at(alone);
                let is_largest_at_end =
                    weights.iter().all(|(_, [a, b], _)| (a - guess * b).abs() <= (a - end * b).abs());
                let next = at(if is_largest_at_end { alone } else { reach(guess, end) });
                let (gained, left) = ((end - next) * side, (next - estimate) * side);
                if gained.is_nan() || gained <= 0.0 {
                    break;
                }
                end = next;
                if gained <= PRECISION * left {
                    break;
                }
            }
            Some(end)
        };
        (end(-1.0), end(1.0))
    }
}

/// Groups noisy numbers with the same measure and weights: measure, weights and their number. A share of a total has as
/// many noises as the total has cells, but only two kinds.
fn grouped<const N: usize>(weights: impl Iterator<Item = (At, [f64; N])>) -> Vec<(usize, [f64; N], u64)> {
    let mut groups: BTreeMap<(usize, [u64; N]), ([f64; N], u64)> = BTreeMap::new();
    for (at, weights) in weights {
        groups.entry((at.0, weights.map(f64::to_bits))).or_insert((weights, 0)).1 += 1;
    }
    groups.into_iter().map(|((measure, _), (weights, count))| (measure, weights, count)).collect()
}

/// The distance of a range of numbers from zero, from its corners.
pub(crate) fn nearest_to_zero(corners: &[f64]) -> f64 {
    let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) }
}

/// The distance from the released value beyond which everything up to `outer` is excluded, part by part. The search
/// starts at `near`, the approximate result.
pub(crate) fn inwards(outer: f64, estimate: f64, near: f64, excluded: &dyn Fn(f64, f64) -> bool) -> f64 {
    let excludes = |from: f64, to: f64| excluded(from.min(to), from.max(to));
    let mut end = outer;
    for about in [1.02, 1.1, 1.5] {
        let guess = estimate + about * near * (outer - estimate).signum();
        if (guess - estimate).abs() < (end - estimate).abs() && excludes(guess, end) {
            end = guess;
            break;
        }
    }
    let mut step = (estimate - end) / 2.0;
    // An excluded part moves the end inwards; any other part halves the next one.
    for _ in 0..200 {
        let left = (estimate - end).abs();
        if left == 0.0 || step.abs() <= PRECISION * left {
            break;
        }
        if excludes(end, end + step) {
            end += step;
            step = if step.abs() > (estimate - end).abs() { estimate - end } else { step };
        } else {
            step /= 2.0;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use deniable_core::noise::Decay;

    /// Beyond the ends of the interval of an average every number is excluded by its noise, and just within them none.
    #[test]
    fn the_ends_of_a_ratio_are_where_its_noise_reaches() {
        let mut tried = 0;
        for (sum_decay, count_decay) in [((99, 100), (9, 10)), ((9, 10), (99, 100)), ((999, 1000), (1, 2))] {
            let law = |(part, of)| Law::of(&Decay::exactly(ratio(part, of)).unwrap());
            let laws = [law(sum_decay), law(count_decay)];
            for (total, rows, centre) in
                [(300, 100, 30.0), (-900, 150, 30.0), (5, 400, 0.0), (40_000, 800, -7.5), (2_000, 5_000, 1e3)]
            {
                let value = |(measure, _): At| [total, rows][measure];
                let cell = Cell { laws: &laws, value: &value, normal: 0.0, outside: 0.05 };
                let sum = |value: f64, weights: [f64; 2]| Sum {
                    value,
                    size: value.abs(),
                    weights: [((0, 0), weights[0]), ((1, 0), weights[1])].into(),
                };
                let under = sum(rows as f64, [0.0, 1.0]);
                let over = sum(total as f64 + centre * rows as f64, [1.0, centre]);
                let (Some(low), Some(high)) = cell.ratio(&over, &under, 0.05) else { continue };
                let estimate = over.value / under.value;
                let far = |theta: f64| (over.value - theta * under.value).abs();
                let noise = |theta: f64| cell.reach_of_all(&[((0, 0), 1.0), ((1, 0), centre - theta)].into(), 0.05);
                for end in [low, high] {
                    for times in [1.0, 1.01, 1.2, 3.0, 30.0] {
                        let beyond = estimate + times * (end - estimate);
                        assert!(far(beyond) >= noise(beyond) * (1.0 - 2e-4), "{total} {rows} {centre} {times}");
                    }
                    let within = estimate + 0.99 * (end - estimate);
                    assert!(far(within) < noise(within), "{total} {rows} {centre}: too wide");
                }
                tried += 1;
            }
        }
        assert!(tried > 10, "{tried}");
    }
}
