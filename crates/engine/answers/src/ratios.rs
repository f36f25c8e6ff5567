//! The interval of a sum of ratios, `Σ A/B` and a sum besides: differences of averages, standardised rates.
//!
//! With `a = A + x` and `b = B + y`, for noises `x` and `y`, and `θ = A/B`, exactly
//!
//! ```text
//! a/b − θ = (x − θy)/b = (x − θy)/B − (a/b − θ)·y/B
//! ```
//!
//! The first part is noise with fixed weights. They are unknown but bounded, by an interval for each `θ` and a lower
//! end for each `B`, which share a small part of the error probability; and the margin of the noise is largest if each
//! weight takes its largest value, since the noises are independent, symmetric and unimodal. The second part is small,
//! and bounded by the same ends (M-PIV (d)).

use crate::form::{At, Linear};
use crate::pivot::{Cell, Ends, ROUNDING};
use std::collections::BTreeMap;

/// The part of the error probability for the noise itself.
const OWN: f64 = 0.9;

impl Cell<'_> {
    /// The interval of a sum of ratios and another sum; unbounded if a divisor may be zero.
    pub(crate) fn ratios(&self, parts: &[(Linear, Linear)], rest: &Linear, (low, high): Ends) -> Ends {
        // Each ratio gets an interval, and each divisor a lower end.
        let each = self.outside * (1.0 - OWN) / (2.0 * parts.len() as f64);
        let rest = self.sum(rest);
        let (mut value, mut size, mut beyond) = (rest.value, rest.size, 0.0);
        let mut weights: BTreeMap<At, f64> = rest.weights.iter().map(|(at, weight)| (*at, weight.abs())).collect();
        for (over, under) in parts {
            let (over, mut under) = (self.sum(over), self.sum(under));
            let sign = under.value.signum();
            under.value *= sign;
            let reach = self.reach_of_all(&under.weights, each) + ROUNDING * under.size;
            let least = under.value - reach;
            let theta = over.value / under.value;
            under.weights.values_mut().for_each(|weight| *weight *= sign);
            let (Some(from), Some(to)) = self.ratio(&over, &under, each) else { return (None, None) };
            if least <= 0.0 {
                return (None, None);
            }
            for at in over.weights.keys().chain(under.weights.keys().filter(|at| !over.weights.contains_key(at))) {
                let weight = |all: &BTreeMap<At, f64>| all.get(at).copied().unwrap_or_default();
                let (a, b) = (weight(&over.weights), weight(&under.weights));
                let largest = (a - from * b).abs().max((a - to * b).abs());
                let rounding = ROUNDING * (a.abs() + from.abs().max(to.abs()) * b.abs());
                *weights.entry(*at).or_default() += (largest + rounding) / least;
            }
            beyond += (theta - from).max(to - theta) * reach / least;
            value += theta * sign;
            size += (over.size + theta.abs() * under.size) / least;
        }
        let value = value.max(low.unwrap_or(f64::NEG_INFINITY)).min(high.unwrap_or(f64::INFINITY));
        let reach = self.reach_of_all(&weights, self.outside * OWN) + beyond + ROUNDING * size;
        if reach.is_finite() { (Some(value - reach), Some(value + reach)) } else { (None, None) }
    }
}
