//! Limits on ratios: a number, or a power of e.

use crate::belief::NEAR;
use crate::error::AssessError;
use deniable_core::exact::{Bound, Enclosure, Rational, Rounding, decimal, whole};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

const LAST_BITS: u32 = 4096;

/// The largest ratio allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// This ratio itself, an exact number.
    Ratio(Rational),
    /// `e^x` for this `x`, 0 or more.
    Epsilon(Rational),
}

impl Limit {
    /// Whether a ratio is above the limit, exactly. `e^x` of a rational `x ≠ 0` is irrational, so enough bits always
    /// decide.
    ///
    /// # Errors
    /// [`AssessError::Undecided`] if some 4,000 bits are not enough.
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

/// A limit for many ratios: floats decide ratios far from it, and exact numbers those near it.
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

    /// Whether a ratio is above the limit; `about` is its float value, within [`NEAR`].
    ///
    /// # Errors
    /// As [`Limit::is_below`].
    pub fn is_below(&self, about: f64, exact: impl FnOnce() -> Bound) -> Result<bool, AssessError> {
        let ratio = about / self.about;
        if (ratio - 1.0).abs() > NEAR { Ok(ratio > 1.0) } else { self.limit.is_below(&exact()) }
    }
}

/// `ln` of a ratio, as a decimal rounded up; `∞` for an infinite ratio.
#[must_use]
pub fn epsilon(ratio: &Bound, places: u32) -> String {
    match ratio.finite() {
        None => "∞".to_owned(),
        Some(ratio) if !ratio.is_positive() => "-∞".to_owned(),
        Some(ratio) if *ratio == whole(1) => "0".to_owned(),
        Some(ratio) => decimal(&Enclosure::ln(ratio, 192).high(), places, Rounding::Up),
    }
}
