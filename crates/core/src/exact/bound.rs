//! Ratios of probabilities that may be zero or infinite.

use super::{Rational, Rounding, decimal, power, whole};
use num_traits::Zero;

/// A ratio that is zero or more, or infinite, in numerical order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// A fraction, at least 0.
    Finite(Rational),
    /// Larger than any number.
    Infinite,
}

impl Bound {
    /// One: the ratio of an answer that reveals nothing.
    #[must_use]
    pub fn one() -> Self {
        Self::Finite(whole(1))
    }

    /// `top/bottom`, both non-negative; `None` if both are zero, because such an answer has probability zero.
    #[must_use]
    pub fn of(top: &Rational, bottom: &Rational) -> Option<Self> {
        match (top.is_zero(), bottom.is_zero()) {
            (true, true) => None,
            (false, true) => Some(Self::Infinite),
            (_, false) => Some(Self::Finite(top / bottom)),
        }
    }

    /// The larger of two over the smaller; `None` if both are zero.
    #[must_use]
    pub fn apart(one: &Rational, other: &Rational) -> Option<Self> {
        if one >= other { Self::of(one, other) } else { Self::of(other, one) }
    }

    /// The fraction, if it is finite.
    #[must_use]
    pub fn finite(&self) -> Option<&Rational> {
        match self {
            Self::Finite(value) => Some(value),
            Self::Infinite => None,
        }
    }

    /// The reciprocal: infinite for 0, and 0 for infinity.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self {
            Self::Finite(value) if value.is_zero() => Self::Infinite,
            Self::Finite(value) => Self::Finite(value.recip()),
            Self::Infinite => Self::Finite(whole(0)),
        }
    }

    /// Applies a function to the fraction; `beyond` is its limit at infinity.
    #[must_use]
    pub fn map(&self, function: impl Fn(&Rational) -> Rational, limit: Self) -> Self {
        match self {
            Self::Finite(value) => Self::Finite(function(value)),
            Self::Infinite => limit,
        }
    }

    /// The bound to a whole power; infinity stays infinite.
    #[must_use]
    pub fn power(&self, exponent: u32) -> Self {
        self.map(|value| power(value, exponent), Self::Infinite)
    }

    /// A decimal with at most this many places, rounded to the nearest; `∞` if infinite.
    #[must_use]
    pub fn decimal(&self, places: u32) -> String {
        self.rounded(places, Rounding::Nearest)
    }

    /// A decimal with at most this many places, rounded as named; `∞` if infinite.
    #[must_use]
    pub fn rounded(&self, places: u32, rounding: Rounding) -> String {
        match self {
            Self::Finite(value) => decimal(value, places, rounding),
            Self::Infinite => "∞".to_owned(),
        }
    }
}

/// The fraction in lowest terms, or `∞`.
impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finite(value) => write!(f, "{value}"),
            Self::Infinite => f.write_str("∞"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ratio;
    use super::*;

    #[test]
    fn ratios_of_probabilities() {
        assert_eq!(Bound::of(&ratio(1, 2), &ratio(1, 3)), Some(Bound::Finite(ratio(3, 2))));
        assert_eq!(Bound::of(&ratio(1, 2), &whole(0)), Some(Bound::Infinite));
        assert_eq!(Bound::of(&whole(0), &whole(0)), None);
        assert!(Bound::Finite(whole(1_000_000)) < Bound::Infinite);
        for (bound, inverse) in
            [(Bound::Infinite, Bound::Finite(whole(0))), (Bound::Finite(ratio(2, 3)), Bound::Finite(ratio(3, 2)))]
        {
            assert_eq!((bound.inverse(), inverse.inverse()), (inverse, bound));
        }
        assert_eq!(Bound::Finite(ratio(1, 3)).rounded(2, Rounding::Up), "0.34");
        assert_eq!((Bound::Infinite.decimal(3), Bound::one().to_string()), ("∞".to_owned(), "1".to_owned()));
    }
}
