//! Exact bounds on a probability from a count (Clopper–Pearson), rounded outward.
//!
//! The lower bound after `k` hits in `n` trials is a `p` with `Pr[Bin(n,p) ≥ k] ≤ δ`: if the true probability were
//! smaller, that many hits would occur less often than δ. Any such `p` is a valid bound, so only the check itself must
//! be exact, and it is rounded up: each tail is a sum of binomial probabilities, largest first, closed by a geometric
//! series that is larger than the remainder. A probability is computed by Stirling's series, whose error is below its
//! first omitted term, and the rounding of every step is added to it (the logarithm is musl's, off by less than one
//! unit in the last place; 64 units are allowed for each term). A statistics library would not do: a verdict depends on
//! these bounds, and libraries round to nearest and state no error.

use num_rational::BigRational;
use num_traits::{One, Zero};

/// With more trials, bounds carry no information: the rounding analysis does not cover them.
const MOST_TRIALS: u64 = 1 << 40;
/// Allowed rounding per unit of magnitude: 64 units in the last place.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The sum of a tail stops when the remainder is at most this fraction of it.
const NEGLIGIBLE: f64 = 1e-12;
/// Bounds with a larger δ carry no information; the search for a bound relies on this.
const LARGEST_DELTA: f64 = 0.2;

/// A sum with a bound on its rounding error.
#[derive(Clone, Copy)]
struct Sum {
    value: f64,
    magnitude: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.value += term;
        // Rounding of two factors, of the sum so far, and of the logarithm: all within 64 units.
        self.magnitude += term.abs() + self.value.abs();
    }
}

/// Adds `sign · ln(n!)` to the sum.
fn add_ln_factorial(n: u64, sign: f64, sum: &mut Sum) {
    if n < 2 {
        return;
    }
    if n < 32 {
        // Exact up to 18!, rounded by less than 32 units above.
        let product: f64 = (2..=n).map(|factor| factor as f64).product();
        sum.add(sign * libm::log(product));
        return;
    }
    let x = n as f64;
    sum.add(sign * x * libm::log(x));
    sum.add(-sign * x);
    sum.add(sign * 0.5 * libm::log(2.0 * std::f64::consts::PI * x));
    sum.add(sign / (12.0 * x));
    sum.add(-sign / (360.0 * x * x * x));
    // The first omitted term bounds the remainder.
    sum.magnitude += 1.0 / (1260.0 * x.powi(5)) / ROUNDING;
}

/// A number not below `ln Pr[Bin(n,p) = k]`, for `0 < p < 1`, `k ≤ n`.
fn ln_probability_above(n: u64, k: u64, p: f64) -> f64 {
    let mut sum = Sum { value: 0.0, magnitude: 1.0 };
    add_ln_factorial(n, 1.0, &mut sum);
    add_ln_factorial(k, -1.0, &mut sum);
    add_ln_factorial(n - k, -1.0, &mut sum);
    if k > 0 {
        sum.add(k as f64 * libm::log(p));
    }
    if n > k {
        sum.add((n - k) as f64 * libm::log1p(-p));
    }
    sum.value + ROUNDING * sum.magnitude
}

/// A number not below `Pr[Bin(n,p) ≥ k]`.
#[must_use]
pub fn upper_tail(n: u64, k: u64, p: f64) -> f64 {
    if k == 0 || !(p > 0.0 && p < 1.0) || n > MOST_TRIALS {
        return if k > 0 && p <= 0.0 { 0.0 } else { 1.0 };
    }
    if k > n {
        return 0.0;
    }
    let odds = p / (1.0 - p) * (1.0 + ROUNDING);
    close_sum(ln_probability_above(n, k, p), |step| {
        let at = k + step;
        (n.saturating_sub(at)) as f64 / (at + 1) as f64 * odds
    })
}

/// A number not below `Pr[Bin(n,p) ≤ k]`.
#[must_use]
pub fn lower_tail(n: u64, k: u64, p: f64) -> f64 {
    if k >= n || !(p > 0.0 && p < 1.0) || n > MOST_TRIALS {
        return if k < n && p >= 1.0 { 0.0 } else { 1.0 };
    }
    let odds = (1.0 - p) / p * (1.0 + ROUNDING);
    close_sum(ln_probability_above(n, k, p), |step| {
        let at = k.saturating_sub(step);
        if step > k { 0.0 } else { at as f64 / (n - at + 1) as f64 * odds }
    })
}

/// Sums `first · (1 + r₀ + r₀r₁ + …)`, rounded up. The ratios fall, so the rest after a term is below a geometric
/// series.
fn close_sum(ln_first: f64, ratio: impl Fn(u64) -> f64) -> f64 {
    let (mut sum, mut term) = (1.0_f64, 1.0_f64);
    let mut step = 0;
    loop {
        let next = ratio(step) * (1.0 + ROUNDING);
        if next >= 1.0 {
            return 1.0;
        }
        let rest = term * next / (1.0 - next);
        if rest <= sum * NEGLIGIBLE {
            sum += rest;
            break;
        }
        term *= next;
        sum += term;
        step += 1;
    }
    // Every addition may have rounded down by one unit in the last place.
    let sum = sum * (1.0 + ROUNDING) * (1.0 + step as f64 * f64::EPSILON);
    (libm::exp(ln_first) * sum * (1.0 + ROUNDING)).min(1.0)
}

/// A lower bound on a probability after `hits` in `trials`; wrong with probability at most `delta`.
///
/// Exact as a fraction. 0 if there is no information (no hits, δ above 0.2, more than 2^40 trials).
#[must_use]
pub fn at_least(hits: u64, trials: u64, delta: f64) -> BigRational {
    if hits == 0 || hits > trials || !(delta > 0.0 && delta <= LARGEST_DELTA) {
        return BigRational::zero();
    }
    let p = bisect(0.0, hits as f64 / trials as f64, |p| upper_tail(trials, hits, p) <= delta);
    BigRational::from_float(p).unwrap_or_else(BigRational::zero)
}

/// An upper bound on a probability after `hits` in `trials`; wrong with probability at most `delta`.
///
/// Exact as a fraction, above 0. 1 if there is no information.
#[must_use]
pub fn at_most(hits: u64, trials: u64, delta: f64) -> BigRational {
    if hits >= trials || !(delta > 0.0 && delta <= LARGEST_DELTA) {
        return BigRational::one();
    }
    let p = bisect(1.0, hits as f64 / trials as f64, |p| lower_tail(trials, hits, p) <= delta);
    BigRational::from_float(p).unwrap_or_else(BigRational::one)
}

/// The number nearest to `toward` that passes the check, starting from `safe`, which passes. Returns only numbers that
/// passed.
fn bisect(safe: f64, toward: f64, passes: impl Fn(f64) -> bool) -> f64 {
    let (mut good, mut bad) = (safe, toward);
    for _ in 0..100 {
        let middle = if good == 0.0 && bad > 1e-300 {
            // The lower bound may be orders of magnitude below the share.
            bad / 16.0
        } else {
            f64::midpoint(good, bad)
        };
        if (bad - good).abs() <= 1e-9 * bad.max(good) {
            break;
        }
        if passes(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::ToPrimitive;

    fn choose(n: u64, k: u64) -> BigInt {
        (0..k).fold(BigInt::one(), |product, i| product * BigInt::from(n - i) / BigInt::from(i + 1))
    }

    /// The exact sum of binomial probabilities from `from` to `to`.
    fn exact(n: u64, from: u64, to: u64, p: &BigRational) -> BigRational {
        let q = BigRational::one() - p;
        let term = |k: u64| BigRational::from_integer(choose(n, k)) * p.pow(k as i32) * q.pow((n - k) as i32);
        (from..=to).map(term).sum()
    }

    #[test]
    fn tails_are_never_below_the_exact_sums_and_close_to_them() {
        for n in [1_u64, 2, 5, 12, 40] {
            // Few binary digits keep the exact powers short.
            for p in [0.001_953_125, 0.046_875, 0.3125, 0.5, 0.765_625, 0.992_187_5] {
                let exactly = BigRational::from_float(p).unwrap();
                for k in 0..=n {
                    let upper = exact(n, k, n, &exactly).to_f64().unwrap();
                    let lower = exact(n, 0, k, &exactly).to_f64().unwrap();
                    let (ours, other) = (upper_tail(n, k, p), lower_tail(n, k, p));
                    assert!(ours >= upper * (1.0 - 1e-15) && other >= lower * (1.0 - 1e-15), "{n} {k} {p}");
                    // Small tails are nearly exact; for others, 1 is a valid bound.
                    assert!(upper > 0.3 || ours <= upper * (1.0 + 1e-9), "{n} {k} {p}: {ours} for {upper}");
                    assert!(lower > 0.3 || other <= lower * (1.0 + 1e-9), "{n} {k} {p}: {other} for {lower}");
                }
            }
        }
    }

    #[test]
    fn bounds_keep_the_stated_error_exactly() {
        for n in [1_u64, 3, 10, 20] {
            for k in 0..=n {
                for delta in [0.1, 0.001, 1e-6] {
                    let (low, high) = (at_least(k, n, delta), at_most(k, n, delta));
                    let delta = BigRational::from_float(delta).unwrap();
                    assert!(low.is_zero() || exact(n, k, n, &low) <= delta);
                    assert!(high.is_one() || exact(n, 0, k, &high) <= delta);
                    // The bound is tight: one part in a million further in, it would not be valid.
                    let further = &low * BigRational::new(1_000_001.into(), 1_000_000.into());
                    assert!(k == 0 || exact(n, k, n, &further) > delta, "{k} of {n}");
                }
            }
        }
    }

    #[test]
    fn textbook_values() {
        // No hit in n: the upper bound is 1 − δ^(1/n).
        let none = at_most(0, 1000, 0.001).to_f64().unwrap();
        assert!((none - (1.0 - 0.001_f64.powf(1e-3))).abs() < 1e-9);
        // One hit in n: the lower bound is 1 − (1−δ)^(1/n).
        let one = at_least(1, 1000, 0.001).to_f64().unwrap();
        assert!((one - (1.0 - 0.999_f64.powf(1e-3))).abs() < 1e-12);
        assert!(at_least(0, 10, 0.01).is_zero() && at_most(10, 10, 0.01).is_one());
    }

    #[test]
    fn ten_million_trials_are_close_to_the_normal_approximation() {
        let low = at_least(1_000_000, 10_000_000, 1e-4).to_f64().unwrap();
        // The normal approximation: 0.1 − 3.719·√(0.09/10⁷).
        assert!((low - (0.1 - 3.719 * (0.09_f64 / 1e7).sqrt())).abs() < 1e-6, "{low}");
        let high = at_most(1_000_000, 10_000_000, 1e-4).to_f64().unwrap();
        assert!((high - (0.1 + 3.719 * (0.09_f64 / 1e7).sqrt())).abs() < 1e-6, "{high}");
    }

    /// Over all counts of a binomial distribution, weighted exactly, the lower bound is wrong at most δ of the time.
    #[test]
    fn coverage_is_exact() {
        for (n, numerator) in [(20_u64, 3), (40, 10), (40, 19)] {
            let p = BigRational::new(numerator.into(), 20.into());
            let delta = BigRational::new(1.into(), 20.into());
            let wrong = |fails: &dyn Fn(u64) -> bool| {
                (0..=n).filter(|k| fails(*k)).map(|k| exact(n, k, k, &p)).sum::<BigRational>()
            };
            assert!(wrong(&|k| at_least(k, n, 0.05) > p) <= delta);
            assert!(wrong(&|k| at_most(k, n, 0.05) < p) <= delta);
        }
    }
}
