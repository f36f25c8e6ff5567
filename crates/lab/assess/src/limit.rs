//! Limits on ratios: a number, or a power of e.

use crate::belief::NEAR;
use crate::error::AssessError;
use deniable_core::exact::{Bound, Enclosure, Rational, Rounding, decimal, whole};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

const LAST_BITS: u32 = 4096;

/// What a ratio may not be above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// This ratio itself, an exact number.
    Ratio(Rational),
    /// `e^x` for this `x`, 0 or more.
    Epsilon(Rational),
}

impl Limit {
    /// Whether a ratio is above it, exactly. `e^x` of a rational `x ≠ 0` is irrational, so more bits decide in the end.
    ///
    /// # Errors
    /// [`AssessError::Undecided`] when some 4,000 bits do not.
    pub fn is_below(&self, ratio: &Bound) -> Result<bool, AssessError> {
        let Some(ratio) = ratio.finite() else { return Ok(true) };
        let epsilon = match self {
            Self::Ratio(limit) => return Ok(ratio > limit),
            Self::Epsilon(epsilon) if epsilon.is_zero() => return Ok(*ratio > whole(1)),
            Self::Epsilon(epsilon) => epsilon,
        };
        if !ratio.is_positive() {
            return Ok(false);
        }
        let mut bits = 64;
        while bits <= LAST_BITS {
            if let Some(order) = Enclosure::ln(ratio, bits).certainly_cmp(&Enclosure::of(epsilon, bits)) {
                return Ok(order == Ordering::Greater);
            }
            bits *= 2;
        }
        Err(AssessError::Undecided { what: format!("ln({ratio}) at most {epsilon}"), bits: LAST_BITS })
    }
}

/// A limit for many ratios: floats decide about what is far from it, and exact numbers about what is near.
pub(crate) struct Screen {
    limit: Limit,
    about: f64,
}

impl Screen {
    pub fn new(limit: Limit) -> Self {
        let about = match &limit {
            Limit::Ratio(limit) => limit.to_f64().unwrap_or(f64::INFINITY),
            Limit::Epsilon(epsilon) => epsilon.to_f64().unwrap_or(f64::INFINITY).exp(),
        };
        Self { limit, about }
    }

    /// Whether a ratio that is `about` so much, within [`NEAR`], is above the limit.
    ///
    /// # Errors
    /// As [`Limit::is_below`].
    pub fn is_below(&self, about: f64, exact: impl FnOnce() -> Bound) -> Result<bool, AssessError> {
        let ratio = about / self.about;
        if (ratio - 1.0).abs() > NEAR { Ok(ratio > 1.0) } else { self.limit.is_below(&exact()) }
    }
}

/// `ln` of a ratio, as a decimal that is not below it; `∞` for what is infinite.
#[must_use]
pub fn epsilon(ratio: &Bound, places: u32) -> String {
    match ratio.finite() {
        None => "∞".to_owned(),
        Some(ratio) if !ratio.is_positive() => "-∞".to_owned(),
        Some(ratio) if *ratio == whole(1) => "0".to_owned(),
        Some(ratio) => decimal(&Enclosure::ln(ratio, 192).high(), places, Rounding::Up),
    }
}
