//! The tight parameter, or a bracket around it.

use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, Rounding, decimal, power, whole};

/// Limit on the decimals used to distinguish the ends of a bracket.
const MOST_PLACES: u32 = 30;

/// The least value of the parameter that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// This value, and some observer attains it.
    Attained(Bound),
    /// This value; observers come arbitrarily close.
    Approached(Bound),
    /// A value from `low` to `high`.
    Between {
        /// Some observer attains at least this.
        low: Bound,
        /// An upper bound for all observers.
        high: Bound,
        /// The entry of `docs/theorems` that proves the upper bound.
        theorem: &'static str,
    },
    /// The table has no pair of datasets, and the family no uncertain observer, to which the notion applies: it
    /// promises nothing, and every parameter holds. This is the least.
    Vacuous(Bound),
}

impl Value {
    /// The least parameter that certainly holds.
    #[must_use]
    pub fn high(&self) -> &Bound {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => value,
            Self::Between { high, .. } => high,
        }
    }

    /// The parameter below which the notion certainly does not hold.
    #[must_use]
    pub fn low(&self) -> &Bound {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => value,
            Self::Between { low, .. } => low,
        }
    }

    /// Whether the notion applies to no observer and no pair of datasets.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        matches!(self, Self::Vacuous(_))
    }

    /// The kind of the value: `attained`, `approached`, `between` or `vacuous`.
    #[must_use]
    pub fn reached(&self) -> &'static str {
        match self {
            Self::Attained(_) => "attained",
            Self::Approached(_) => "approached",
            Self::Between { .. } => "between",
            Self::Vacuous(_) => "vacuous",
        }
    }

    /// Whether a claimed parameter holds; `None` if it is inside the bracket.
    #[must_use]
    pub fn keeps(&self, claim: &Rational) -> Option<bool> {
        let claim = Bound::Finite(claim.clone());
        if *self.high() <= claim {
            Some(true)
        } else if *self.low() > claim {
            Some(false)
        } else {
            None
        }
    }
}

impl Value {
    /// The value with `places` decimals. The two ends of a bracket have as many as distinguish them, and are rounded
    /// away from each other.
    #[must_use]
    pub fn decimal(&self, places: u32) -> String {
        let Self::Between { low, high, .. } = self else { return self.high().decimal(places) };
        let (Bound::Finite(low), Bound::Finite(high)) = (low, high) else {
            return format!("{} .. {}", low.decimal(places), high.decimal(places));
        };
        let ends = |places| (decimal(low, places, Rounding::Down), decimal(high, places, Rounding::Up));
        let unit = whole(2) / power(&whole(10), places);
        let width = high - low;
        let apart = |more: &u32| &width * power(&whole(10), *more - places) >= unit;
        let (low, high) = ends((places..=MOST_PLACES).find(apart).unwrap_or(MOST_PLACES));
        format!("{low} .. {high}")
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => write!(f, "{value}"),
            Self::Between { low, high, .. } => write!(f, "{low} .. {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn between(low: Rational, high: Rational) -> Value {
        Value::Between { low: Bound::Finite(low), high: Bound::Finite(high), theorem: "X-COUNT" }
    }

    #[test]
    fn the_ends_of_a_bracket_are_distinguishable() {
        let third = ratio(1, 3);
        let near = &third + ratio(1, 1_000_000_000_000);
        assert_eq!(between(third.clone(), near).decimal(6), "0.3333333333333 .. 0.3333333333344");
        assert_eq!(between(third, ratio(1, 2)).decimal(6), "0.333333 .. 0.5");
        assert_eq!(between(whole(9), whole(10)).decimal(6), "9 .. 10");
        assert_eq!(Value::Attained(Bound::Finite(ratio(2, 3))).decimal(6), "0.666667");
    }
}
