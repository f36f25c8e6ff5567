//! Confidence of counts of people: exact binomial intervals (Clopper and Pearson), and quantiles of the normal
//! distribution.
//!
//! These accompany the results of an attack: no promise and no verdict depends on them, so a general library computes
//! them. If one does, bounds are rounded outward and computed by this project (`deniable_audit::bound`,
//! `deniable_core::exact`).

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::checked_beta_reg;

/// A count out of a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proportion {
    /// The count.
    pub hits: u64,
    /// The total.
    pub of: u64,
}

impl Proportion {
    /// The share, in `[0, 1]`; `None` if the total is 0.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| float(self.hits) / float(self.of))
    }

    /// The exact interval of Clopper and Pearson at a confidence in `(0, 1)`.
    #[must_use]
    pub fn interval(self, confidence: f64) -> (f64, f64) {
        clopper_pearson(self, confidence)
    }
}

/// `3 of 7`.
impl std::fmt::Display for Proportion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.hits, self.of)
    }
}

/// The exact interval of Clopper and Pearson: it covers the true probability with at least the stated confidence, a
/// number in `(0, 1)`. For a total of 0 it is `[0, 1]`.
///
/// The ends are quantiles of the beta distribution, computed to nine digits or more.
#[must_use]
pub fn clopper_pearson(share: Proportion, confidence: f64) -> (f64, f64) {
    let Proportion { hits, of } = share;
    if of == 0 {
        return (0.0, 1.0);
    }
    let hits = hits.min(of);
    let tail = (1.0 - confidence).clamp(0.0, 1.0) / 2.0;
    let (k, n) = (float(hits), float(of));
    // At the low end, `hits` or more have the probability of the tail; at the high end, `hits` or fewer.
    let low = if hits == 0 { 0.0 } else { crossing(|p| incomplete_beta(k, n - k + 1.0, p) >= tail).0 };
    let high = if hits == of { 1.0 } else { crossing(|p| incomplete_beta(k + 1.0, n - k, p) >= 1.0 - tail).1 };
    (low, high)
}

/// The quantile of the standard normal distribution, for a probability in `(0, 1)`, to some twelve digits.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability.clamp(0.0, 1.0))
}

/// The last point in `[0, 1]` where a condition is false, and the first where it is true.
fn crossing(holds: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

/// The regularised incomplete beta function `I_x(a, b)`, for `a, b > 0`. (Its inverse in the same library does not
/// always terminate, so ends are found by bisection.)
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    // Defined for all `a, b > 0`.
    checked_beta_reg(a, b, x).unwrap_or(f64::NAN)
}

/// A count as a float: exact below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "people are fewer than 2^53")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binomial_tail(n: u32, from: u32, p: f64) -> f64 {
        let choose = |k: u32| (0..k).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1));
        (from..=n).map(|k| choose(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)).sum()
    }

    /// At the ends, the tails of the binomial distribution equal the stated ones.
    #[test]
    fn ends_are_those_of_the_binomial_distribution() {
        for n in [1_u32, 2, 7, 40] {
            for k in 0..=n {
                let (low, high) = clopper_pearson(Proportion { hits: k.into(), of: n.into() }, 0.95);
                assert!(low <= f64::from(k) / f64::from(n) && f64::from(k) / f64::from(n) <= high);
                if k > 0 {
                    assert!((binomial_tail(n, k, low) - 0.025).abs() < 1e-10, "{n} {k} {low}");
                }
                if k < n {
                    assert!((1.0 - binomial_tail(n, k + 1, high) - 0.025).abs() < 1e-10, "{n} {k} {high}");
                }
            }
        }
        assert_eq!(clopper_pearson(Proportion { hits: 0, of: 0 }, 0.95), (0.0, 1.0));
    }

    /// For no hits in n, the high end has a closed form, also for large n.
    #[test]
    fn no_hits_of_many() {
        for n in [1_u64, 99, 1_000_000] {
            let (low, high) = clopper_pearson(Proportion { hits: 0, of: n }, 0.95);
            let expected = -libm::expm1(0.025_f64.ln() / float(n));
            assert!(low == 0.0 && (high / expected - 1.0).abs() < 1e-9, "{n} {high} {expected}");
        }
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-11);
        assert!((normal_quantile(0.01) + 2.326_347_874_040_841).abs() < 1e-11);
        assert!(normal_quantile(0.5).abs() < 1e-11);
    }
}
