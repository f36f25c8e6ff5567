//! Chances of failure, strictly between 0 and 1.

use crate::exact::{Rational, whole};
use num_traits::Signed;

/// A chance δ with `0 < δ < 1`, exact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chance(Rational);

/// A number that is not a chance of failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a chance of {0} is not between 0 and 1; for certainty, leave the chance out")]
pub struct ChanceError(pub Rational);

impl Chance {
    /// The chance of this value.
    ///
    /// # Errors
    /// Unless the value is strictly between 0 and 1.
    pub fn new(value: Rational) -> Result<Self, ChanceError> {
        if value.is_positive() && value < whole(1) { Ok(Self(value)) } else { Err(ChanceError(value)) }
    }

    /// Its value, strictly between 0 and 1.
    #[must_use]
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl std::fmt::Display for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    #[test]
    fn certainty_is_refused() {
        for value in [whole(0), whole(1), ratio(-1, 2), ratio(3, 2)] {
            assert_eq!(Chance::new(value.clone()), Err(ChanceError(value)));
        }
        assert_eq!(Chance::new(ratio(1, 2)).unwrap().to_string(), "1/2");
    }
}
