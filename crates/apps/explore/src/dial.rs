//! The promises to choose from, and the steps of the control for each.

use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, Rounding, decimal, percent, ratio, whole};
use deniable_core::notion::key;
use deniable_core::promise::Promise;
use deniable_policy::Policy;
use deniable_release::whatif::{KEYS, promise, with_promise};
use num_traits::Zero;

/// A promise with the values that its control can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dial {
    /// The promise's key in a policy.
    pub key: &'static str,
    /// The values, ascending; each can be kept.
    pub values: Vec<Rational>,
}

/// The label of a promise on the page.
#[must_use]
pub fn name(key: &str) -> &'static str {
    match key {
        key::POSTERIOR_AT_MOST => "no observer becomes surer than",
        key::POSTERIOR_AT_LEAST => "no observer becomes less sure than",
        key::GAIN => "belief grows at most by a factor of",
        key::NEGATIVE_GAIN => "disbelief grows at most by a factor of",
        key::RHO => "none of the equally likely people becomes likelier than",
        key::ALPHA => "belief in the true world falls at most by",
        key::BETA => "belief in the true world rises at most by",
        _ => "differential privacy with an ε of",
    }
}

/// The label of an axis of the promise's values, and the factor from a value to the axis.
pub(crate) fn axis(key: &str) -> (&'static str, f64) {
    match key {
        key::POSTERIOR_AT_MOST | key::RHO => ("highest belief, %", 100.0),
        key::POSTERIOR_AT_LEAST => ("lowest belief, %", 100.0),
        key::GAIN => ("factor of belief", 1.0),
        key::NEGATIVE_GAIN => ("factor of disbelief", 1.0),
        key::ALPHA => ("fall of belief", 1.0),
        key::BETA => ("rise of belief", 1.0),
        _ => ("ε", 1.0),
    }
}

/// A promise in words, with its numbers as the control has them.
pub(crate) fn words(promise: &Promise) -> String {
    match promise {
        Promise::PosteriorAtMost(value)
        | Promise::PosteriorAtLeast(value)
        | Promise::Gain(value)
        | Promise::NegativeGain(value)
        | Promise::Epsilon(value) => format!("{} {}", name(promise.name()), shown(promise.name(), value)),
        Promise::Odds(_) | Promise::Rho { .. } | Promise::AlphaBeta { .. } => promise.to_string(),
    }
}

/// A value for the page: beliefs in percent.
#[must_use]
pub fn shown(key: &str, value: &Rational) -> String {
    match key {
        key::POSTERIOR_AT_MOST | key::POSTERIOR_AT_LEAST | key::RHO => percent(value, 2, Rounding::Nearest),
        _ => decimal(value, 4, Rounding::Nearest),
    }
}

/// The key of the promise that decides a policy's noise.
#[must_use]
pub fn current(policy: &Policy) -> (&'static str, Rational) {
    match policy.guarantee().binding() {
        Promise::PosteriorAtMost(value) => (key::POSTERIOR_AT_MOST, value.clone()),
        Promise::PosteriorAtLeast(value) => (key::POSTERIOR_AT_LEAST, value.clone()),
        Promise::Gain(value) => (key::GAIN, value.clone()),
        Promise::NegativeGain(value) => (key::NEGATIVE_GAIN, value.clone()),
        Promise::Rho { rho, .. } => (key::RHO, rho.clone()),
        Promise::AlphaBeta { beta, .. } => (key::BETA, beta.clone()),
        Promise::Epsilon(value) => (key::EPSILON, value.clone()),
        // A control moves over fractions: the nearest one below promises at least as much.
        Promise::Odds(_) => (key::EPSILON, below(&policy.guarantee().limit().ln(128).low())),
    }
}

/// A number rounded down to a decimal of a few places.
fn below(value: &Rational) -> Rational {
    let scale = whole(1_000_000);
    (value * &scale).floor() / scale
}

/// The candidate steps of a control, before those that cannot be kept are removed.
fn steps(key: &str) -> Vec<Rational> {
    let range = |from: i64, to: i64, step: i64, of: i64| -> Vec<Rational> {
        (0..=(to - from) / step).map(|at| ratio(from + at * step, of)).collect()
    };
    match key {
        key::POSTERIOR_AT_MOST | key::POSTERIOR_AT_LEAST | key::RHO => range(1, 99, 1, 100),
        key::GAIN | key::NEGATIVE_GAIN => [range(105, 200, 5, 100), range(21, 40, 1, 10), range(9, 20, 1, 2)].concat(),
        key::ALPHA => range(1, 99, 2, 100),
        key::BETA => [range(1, 100, 3, 100), range(11, 50, 1, 10)].concat(),
        _ => [range(1, 9, 1, 100), range(1, 20, 1, 10), range(9, 20, 1, 4)].concat(),
    }
}

/// The controls for a policy, its own promise first, for observers with these priors.
#[must_use]
pub fn dials(policy: &Policy, priors: &PriorRange) -> Vec<Dial> {
    let (own, value) = current(policy);
    let kept = |key: &'static str, value: &Rational| {
        let promise = promise(policy, key, value.clone()).ok()?;
        with_promise(policy, promise, Some(priors.clone())).ok()
    };
    let dial = |key: &'static str| {
        let mut values = steps(key);
        if key == own {
            values.push(value.clone());
        }
        values.retain(|value| *value > Rational::zero() && kept(key, value).is_some());
        values.sort();
        values.dedup();
        (!values.is_empty()).then_some(Dial { key, values })
    };
    let mut all: Vec<Dial> = KEYS.into_iter().filter_map(dial).collect();
    all.sort_by_key(|dial| dial.key != own);
    all
}

/// The interval of priors from whole percents; the ends 0 and 100 are open.
///
/// # Errors
/// When the ends are inverted or beyond 100.
pub fn priors(low: u32, high: u32) -> Result<PriorRange, String> {
    let end = |percent: u32, open: u32| (percent != open).then(|| whole(percent) / whole(100));
    PriorRange::new(end(low, 0), end(high, 100)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_interval_are_open() {
        assert_eq!(priors(0, 100), Ok(PriorRange::any()));
        assert_eq!(priors(20, 50).unwrap().low(), &ratio(1, 5));
        assert!(priors(60, 50).is_err() && priors(0, 150).is_err());
    }

    #[test]
    fn steps_ascend_and_are_few() {
        for key in KEYS {
            let steps = steps(key);
            assert!(steps.windows(2).all(|pair| pair[0] < pair[1]) && (20..=120).contains(&steps.len()), "{key}");
        }
    }
}
