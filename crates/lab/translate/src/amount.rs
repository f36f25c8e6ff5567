//! Odds ratios: exact if possible, otherwise enclosed between two fractions.

use deniable_core::budget::{Base, Spend};
use deniable_core::exact::{Rational, whole};
use num_traits::One;
use std::cmp::Ordering;

/// An odds ratio of 1 or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// Exactly this: a fraction, a power of one, or a power of e.
    Exact(Spend),
    /// A number between these two.
    Between {
        /// A lower bound.
        low: Rational,
        /// An upper bound.
        high: Rational,
    },
}

/// A fraction as an odds ratio; fractions below 1 become 1, where nothing is learned.
fn spend(odds: Rational) -> Spend {
    Spend::odds(odds).unwrap_or_else(|_| Spend::nothing())
}

/// The same amount with all integer powers of fractions multiplied out: 2 × 3 becomes 6.
#[must_use]
pub fn plain(spend: &Spend) -> Spend {
    let (mut fraction, mut rest) = (Spend::nothing(), Spend::nothing());
    for (base, share) in spend.terms() {
        let power = match base {
            Base::E => Spend::epsilon(share.clone()),
            Base::Odds(odds) => Spend::odds(odds.clone()).and_then(|odds| odds.share(share)),
        };
        // Bases and shares of a valid amount are valid amounts themselves.
        let Ok(power) = power else { return spend.clone() };
        match power.exact_odds() {
            Some(_) => fraction = fraction.and(&power),
            None => rest = rest.and(&power),
        }
    }
    match fraction.exact_odds() {
        Some(odds) => self::spend(odds).and(&rest),
        None => spend.clone(),
    }
}

impl Amount {
    /// A fraction, raised to at least 1.
    #[must_use]
    pub fn of(odds: Rational) -> Self {
        Self::Exact(spend(odds))
    }

    /// A lower and an upper bound; equal if it is a fraction itself.
    #[must_use]
    pub fn ends(&self) -> (Rational, Rational) {
        match self {
            Self::Exact(spend) => (spend.odds_at_least(), spend.odds_at_most()),
            Self::Between { low, high } => (low.clone(), high.clone()),
        }
    }

    /// An increasing function of it whose values are at least 1.
    #[must_use]
    pub fn map(&self, increasing: impl Fn(&Rational) -> Rational) -> Self {
        let (low, high) = self.ends();
        if low == high {
            return Self::of(increasing(&low));
        }
        Self::Between { low: increasing(&low), high: increasing(&high) }
    }

    /// A positive power, which need not be an integer.
    #[must_use]
    pub fn power(&self, exponent: &Rational) -> Self {
        let of = |spend: &Spend| spend.share(exponent).unwrap_or_else(|_| Spend::nothing());
        match self {
            // Roots may have become integers: the result is then printed as one number.
            Self::Exact(exact) => Self::Exact(plain(&of(exact))),
            Self::Between { low, high } => Self::Between {
                low: of(&spend(low.clone())).odds_at_least(),
                high: of(&spend(high.clone())).odds_at_most(),
            },
        }
    }

    /// The product of both (C-1).
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if let (Self::Exact(left), Self::Exact(right)) = (self, other) {
            return Self::Exact(left.and(right));
        }
        let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
        Self::Between { low: low * other_low, high: high * other_high }
    }

    /// The order of two amounts, if it is certain.
    #[must_use]
    pub fn certainly_cmp(&self, other: &Self) -> Option<Ordering> {
        if let (Self::Exact(left), Self::Exact(right)) = (self, other) {
            return left.compare(right).ok();
        }
        let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
        if high < other_low {
            Some(Ordering::Less)
        } else if low > other_high {
            Some(Ordering::Greater)
        } else {
            None
        }
    }

    /// Whether it is exactly 1, where nothing is learned.
    #[must_use]
    pub fn is_one(&self) -> bool {
        matches!(self, Self::Exact(spend) if spend.is_nothing()) || self.ends().1.is_one()
    }

    /// The larger of this and a fraction.
    #[must_use]
    pub fn at_least(&self, floor: &Rational) -> Self {
        match self.certainly_cmp(&Self::of(floor.clone())) {
            Some(Ordering::Greater | Ordering::Equal) => self.clone(),
            Some(Ordering::Less) => Self::of(floor.clone()),
            None => {
                let (low, high) = self.ends();
                Self::Between { low: low.max(floor.clone()), high: high.max(floor.clone()) }
            }
        }
    }
}

impl From<Spend> for Amount {
    fn from(spend: Spend) -> Self {
        Self::Exact(spend)
    }
}

/// One, which no share of an odds ratio exceeds.
#[must_use]
pub fn one_over(whole_number: u32) -> Rational {
    whole(whole_number).recip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn fractions_stay_exact_and_others_are_enclosed() {
        let four = Amount::of(whole(4));
        assert_eq!(four.power(&ratio(1, 2)), Amount::of(whole(2)));
        assert_eq!(four.map(|odds| odds + whole(1)), Amount::of(whole(5)));
        let e = Amount::Exact(Spend::epsilon(whole(1)).unwrap());
        let Amount::Between { low, high } = e.map(|odds| odds + whole(1)) else { panic!("e + 1 is not a fraction") };
        assert!(ratio(37182, 10000) < low && low < high && high < ratio(37183, 10000));
        assert_eq!(e.power(&whole(2)).certainly_cmp(&four), Some(Ordering::Greater));
        assert_eq!(e.and(&four).and(&e).power(&ratio(1, 2)), e.and(&Amount::of(whole(2))));
        assert!(Amount::of(ratio(1, 3)).is_one());
        let six = |one: i64, other: i64| Spend::odds(whole(one)).unwrap().and(&Spend::odds(whole(other)).unwrap());
        assert_eq!(plain(&six(2, 3)), Spend::odds(whole(6)).unwrap());
        let with_e = six(2, 3).and(&Spend::epsilon(whole(1)).unwrap());
        assert_eq!(plain(&with_e).to_string(), "e × 6");
        let roots = e.and(&Amount::of(whole(2)).power(&ratio(1, 3))).and(&Amount::of(whole(3)));
        assert_eq!(roots.power(&whole(3)), e.power(&whole(3)).and(&Amount::of(whole(54))));
    }
}
