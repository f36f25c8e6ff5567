//! The declared grid of a numeric column: its clamping bounds and its step.

use crate::exact::Rational;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// Largest magnitude of a bound, in grid units, so that sums of very many rows still fit 128 bits.
const MOST_UNITS: u64 = 1 << 52;

/// Declared bounds and step of a column, in the column's own measure. `low < high`, and `step` divides the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    low: Rational,
    high: Rational,
    step: Rational,
    unit: Rational,
    units: (i64, i64),
}

/// Bounds and a step that form no grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoundsError {
    /// `low ≥ high`.
    #[error("the lower bound {low} is not below the upper bound {high}")]
    Inverted {
        /// The lower bound.
        low: Rational,
        /// The upper bound.
        high: Rational,
    },
    /// A step of 0 or less.
    #[error("a step of {0} is not positive")]
    StepNotPositive(Rational),
    /// The range is not a whole number of steps.
    #[error("a step of {step} does not divide the range from {low} to {high}")]
    StepDoesNotDivide {
        /// The step.
        step: Rational,
        /// The lower bound.
        low: Rational,
        /// The upper bound.
        high: Rational,
    },
    /// A bound of more than 2⁵² grid units.
    #[error("a bound of {bound} is more than 2^52 times the grid unit {unit}")]
    TooFine {
        /// The bound.
        bound: Rational,
        /// The unit: the greatest common divisor of lower bound and step.
        unit: Rational,
    },
}

impl Bounds {
    /// The grid from `low` to `high` in steps of `step`.
    ///
    /// # Errors
    /// Unless `low < high`, `step > 0` divides `high − low` exactly, and both bounds are at most 2⁵² units.
    ///
    /// ```
    /// use deniable_core::exact::{ratio, whole};
    /// use deniable_core::schema::Bounds;
    /// let bounds = Bounds::new(ratio(1, 2), ratio(19, 2), whole(3))?;
    /// assert_eq!(*bounds.unit(), ratio(1, 2)); // 1/2, 7/2, 13/2 and 19/2 are all multiples of it
    /// # Ok::<(), deniable_core::schema::BoundsError>(())
    /// ```
    pub fn new(low: Rational, high: Rational, step: Rational) -> Result<Self, BoundsError> {
        if low >= high {
            return Err(BoundsError::Inverted { low, high });
        }
        if !step.is_positive() {
            return Err(BoundsError::StepNotPositive(step));
        }
        if !((&high - &low) / &step).is_integer() {
            return Err(BoundsError::StepDoesNotDivide { step, low, high });
        }
        let unit = common_unit(&low, &step);
        let units = (in_units(&low, &unit)?, in_units(&high, &unit)?);
        Ok(Self { low, high, step, unit, units })
    }

    /// The lower bound.
    #[must_use]
    pub fn low(&self) -> &Rational {
        &self.low
    }

    /// The upper bound.
    #[must_use]
    pub fn high(&self) -> &Rational {
        &self.high
    }

    /// The step between neighbouring values.
    #[must_use]
    pub fn step(&self) -> &Rational {
        &self.step
    }

    /// The largest number of which every value of the grid is a whole multiple: the unit of sums.
    #[must_use]
    pub fn unit(&self) -> &Rational {
        &self.unit
    }

    /// Lower and upper bound in units of [`Self::unit`]: exact, and at most 2⁵² in magnitude.
    #[must_use]
    pub fn in_units(&self) -> (i64, i64) {
        self.units
    }
}

/// A bound in units; a whole number, because the unit divides it.
fn in_units(bound: &Rational, unit: &Rational) -> Result<i64, BoundsError> {
    (bound / unit)
        .to_integer()
        .to_i64()
        .filter(|units| units.unsigned_abs() <= MOST_UNITS)
        .ok_or_else(|| BoundsError::TooFine { bound: bound.clone(), unit: unit.clone() })
}

/// Greatest common divisor of two rationals, `step > 0`: every `low + k·step` is a whole multiple of it.
fn common_unit(low: &Rational, step: &Rational) -> Rational {
    if low.is_zero() {
        return step.clone();
    }
    let over_one_denominator = (low.numer() * step.denom()).gcd(&(step.numer() * low.denom()));
    Rational::new(over_one_denominator, low.denom() * step.denom())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{ratio, whole};
    use proptest::prelude::*;

    #[test]
    fn grids_are_checked() {
        let make = |low, high, step| Bounds::new(low, high, step);
        assert!(matches!(make(whole(3), whole(3), whole(1)), Err(BoundsError::Inverted { .. })));
        assert!(matches!(make(whole(0), whole(3), whole(0)), Err(BoundsError::StepNotPositive(_))));
        assert!(matches!(make(whole(0), whole(10), whole(3)), Err(BoundsError::StepDoesNotDivide { .. })));
        assert!(make(whole(0), whole(9), whole(3)).is_ok());
        // The largest magnitude is accepted and one more is rejected, on either side.
        let most = whole(4_503_599_627_370_496_i64);
        assert!(make(-most.clone(), most.clone(), whole(1)).is_ok());
        assert!(matches!(make(whole(0), &most + whole(1), whole(1)), Err(BoundsError::TooFine { .. })));
        assert!(matches!(make(-most - whole(1), whole(0), whole(1)), Err(BoundsError::TooFine { .. })));
    }

    #[test]
    fn a_decimal_grid_is_exact() {
        // 0.3 / 0.1 is not 3 in floats.
        let bounds = Bounds::new(whole(0), ratio(3, 10), ratio(1, 10)).unwrap();
        assert_eq!(*bounds.unit(), ratio(1, 10));
        assert_eq!(bounds.in_units(), (0, 3));
    }

    fn to_i64(end: &Rational, bounds: &Bounds) -> i64 {
        (end / bounds.unit()).to_integer().to_i64().unwrap()
    }

    proptest! {
        /// The unit divides low, high and step, and no larger number does.
        #[test]
        fn the_unit_is_the_greatest_common_divisor(a in -99_i64..99, b in 1_i64..20, c in 1_i64..99, d in 1_i64..20, steps in 1_i64..99) {
            let (low, step) = (ratio(a, b), ratio(c, d));
            let high = &low + &step * whole(steps);
            let bounds = Bounds::new(low.clone(), high.clone(), step.clone()).unwrap();
            prop_assert_eq!(bounds.in_units(), (to_i64(&low, &bounds), to_i64(&high, &bounds)));
            let units = [low, high, step].map(|value| value / bounds.unit());
            prop_assert!(units.iter().all(Rational::is_integer));
            let shared = units[0].to_integer().gcd(&units[2].to_integer());
            prop_assert_eq!(shared, 1.into());
        }
    }
}
