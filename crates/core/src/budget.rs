//! Odds ratios that multiply (C-1), stored symbolically so that sums of shares are exact.
//!
//! Splitting a total odds ratio `R` over several releases gives `R^share`, irrational in general. A [`Spend`] therefore
//! stores base and exponent separately; shares of one base add exactly, and a budget can be used up exactly. Different
//! bases are compared by outward interval arithmetic, and an undecided comparison is an error.

mod words;

pub use words::odds_decimal;

use crate::exact::{Enclosure, ParseRationalError, Rational, Rounding, decimal, parse_rational, whole};
use crate::text::printable;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Precisions, in bits, tried in turn when two different bases are compared.
const PRECISIONS: [u32; 3] = [128, 512, 2048];

/// Base of a share: a rational odds ratio, or e for promises stated as an ε.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// Euler's number: shares are values of ε.
    E,
    /// An odds ratio above 1.
    Odds(Rational),
}

impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::E => f.write_str("e"),
            Self::Odds(value) => write!(f, "{value}"),
        }
    }
}

/// A value that is not an amount of odds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpendError {
    /// An odds ratio of 1 or less, of which no share can be spent.
    #[error("an odds ratio of {0} leaves nothing to spend; it must be above 1")]
    NotAboveOne(Rational),
    /// A share of 0 or less.
    #[error("a share of {0} is not positive")]
    ShareNotPositive(Rational),
    /// A malformed stored base or share.
    #[error("not an amount of odds: {0}")]
    Malformed(#[from] ParseRationalError),
    /// Two amounts over different bases that differ by less than 2,000 bits can show.
    #[error("{left} and {right} are too close to compare with certainty; use one kind of promise for both")]
    Undecided {
        /// The left amount, as displayed.
        left: String,
        /// The right amount, as displayed.
        right: String,
    },
}

/// An odds ratio `Π base^share`: the cost of a release, the sum of all charges, or the limit of a promise.
///
/// ```
/// use deniable_core::budget::Spend;
/// use deniable_core::exact::{ratio, whole};
/// let promise = Spend::odds(whole(3))?;
/// let tenth = promise.share(&ratio(1, 10))?;
/// let spent = (0..10).fold(Spend::nothing(), |sum, _| sum.and(&tenth));
/// assert!(spent.fits(&promise)?);              // used up exactly
/// assert!(!spent.and(&tenth).fits(&promise)?); // and not one bit more
/// # Ok::<(), deniable_core::budget::SpendError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spend {
    /// Positive shares by primitive base.
    shares: BTreeMap<Base, Rational>,
}

impl Spend {
    /// An odds ratio of 1.
    #[must_use]
    pub fn nothing() -> Self {
        Self { shares: BTreeMap::new() }
    }

    /// A rational odds ratio.
    ///
    /// # Errors
    /// Unless it is above 1.
    pub fn odds(value: Rational) -> Result<Self, SpendError> {
        if value <= whole(1) {
            return Err(SpendError::NotAboveOne(value));
        }
        Ok(Self::single(Base::Odds(value), whole(1)))
    }

    /// `e^ε`.
    ///
    /// # Errors
    /// Unless ε is positive.
    pub fn epsilon(value: Rational) -> Result<Self, SpendError> {
        if !value.is_positive() {
            return Err(SpendError::ShareNotPositive(value));
        }
        Ok(Self::single(Base::E, value))
    }

    /// One base raised to a positive share, as stored in a ledger.
    ///
    /// # Errors
    /// When base or share is malformed or out of range.
    pub fn parse(base: &str, share: &str) -> Result<Self, SpendError> {
        let whole_base = if base == "e" { Self::epsilon(whole(1))? } else { Self::odds(parse_rational(base)?)? };
        whole_base.share(&parse_rational(share)?)
    }

    fn single(base: Base, share: Rational) -> Self {
        let (base, share) = match base {
            Base::E => (Base::E, share),
            Base::Odds(value) => {
                let (root, power) = primitive(&value);
                (Base::Odds(root), share * whole(power))
            }
        };
        Self { shares: BTreeMap::from([(base, share)]) }
    }

    /// The base-and-share pairs whose product this is, for printing and storing.
    pub fn terms(&self) -> impl Iterator<Item = (&Base, &Rational)> {
        self.shares.iter()
    }

    /// Whether this is an odds ratio of 1.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.shares.is_empty()
    }

    /// The product of both odds ratios (C-1).
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut shares = self.shares.clone();
        for (base, share) in &other.shares {
            *shares.entry(base.clone()).or_insert_with(Rational::zero) += share;
        }
        Self { shares }
    }

    /// This odds ratio raised to a positive power.
    ///
    /// # Errors
    /// Unless `part` is positive.
    pub fn share(&self, part: &Rational) -> Result<Self, SpendError> {
        if !part.is_positive() {
            return Err(SpendError::ShareNotPositive(part.clone()));
        }
        Ok(Self { shares: self.shares.iter().map(|(base, share)| (base.clone(), share * part)).collect() })
    }

    /// Encloses the natural logarithm of the odds ratio, at `bits` fractional bits.
    #[must_use]
    pub fn ln(&self, bits: u32) -> Enclosure {
        self.shares.iter().fold(Enclosure::of(&Rational::zero(), bits), |sum, (base, share)| {
            let term = match base {
                Base::E => Enclosure::of(share, bits),
                Base::Odds(value) => Enclosure::ln(value, bits).times(share),
            };
            sum.plus(&term)
        })
    }

    /// Compares two odds ratios with certainty.
    ///
    /// # Errors
    /// When amounts over different bases are too close to be decided.
    pub fn compare(&self, other: &Self) -> Result<Ordering, SpendError> {
        // Equal shares of a base cancel, and do not affect the result.
        let mut left = BTreeMap::new();
        let mut right = BTreeMap::new();
        for base in self.shares.keys().chain(other.shares.keys()) {
            let zero = Rational::zero();
            let difference = self.shares.get(base).unwrap_or(&zero) - other.shares.get(base).unwrap_or(&zero);
            match difference.cmp(&zero) {
                Ordering::Greater => drop(left.insert(base.clone(), difference)),
                Ordering::Less => drop(right.insert(base.clone(), -difference)),
                Ordering::Equal => {}
            }
        }
        match (left.is_empty(), right.is_empty()) {
            (true, true) => return Ok(Ordering::Equal),
            (false, true) => return Ok(Ordering::Greater),
            (true, false) => return Ok(Ordering::Less),
            (false, false) => {}
        }
        let (left, right) = (Self { shares: left }, Self { shares: right });
        PRECISIONS
            .iter()
            .find_map(|bits| left.ln(*bits).certainly_cmp(&right.ln(*bits)))
            .ok_or_else(|| SpendError::Undecided { left: self.to_string(), right: other.to_string() })
    }

    /// Whether this odds ratio is at most `limit`.
    ///
    /// # Errors
    /// When the comparison cannot be decided; callers must then refuse.
    pub fn fits(&self, limit: &Self) -> Result<bool, SpendError> {
        Ok(self.compare(limit)? != Ordering::Greater)
    }

    /// An odds ratio that is certainly at least each of both, even where they cannot be compared: the larger share of
    /// each base.
    #[must_use]
    pub fn upper_bound(&self, other: &Self) -> Self {
        let mut shares = self.shares.clone();
        for (base, share) in &other.shares {
            let larger = shares.entry(base.clone()).or_insert_with(Rational::zero);
            if *share > *larger {
                larger.clone_from(share);
            }
        }
        Self { shares }
    }

    /// The odds ratio as a rational; `None` if it is irrational.
    #[must_use]
    pub fn exact_odds(&self) -> Option<Rational> {
        self.shares.iter().try_fold(whole(1), |product, (base, share)| match base {
            Base::E => None,
            Base::Odds(value) if share.is_integer() => {
                share.to_integer().to_i32().filter(|power| power.abs() < 4096).map(|power| product * value.pow(power))
            }
            Base::Odds(_) => None,
        })
    }

    /// A rational odds ratio certainly not below this one: exact where possible.
    #[must_use]
    pub fn odds_at_most(&self) -> Rational {
        self.exact_odds().unwrap_or_else(|| self.ln(128).exp().high())
    }

    /// A rational odds ratio certainly not above this one, and at least 1: exact where possible.
    #[must_use]
    pub fn odds_at_least(&self) -> Rational {
        self.exact_odds().unwrap_or_else(|| self.ln(128).exp().low()).max(whole(1))
    }

    /// The part of `total` that this is (ln over ln); `None` if the bases differ.
    #[must_use]
    pub fn exact_part_of(&self, total: &Self) -> Option<Rational> {
        if self.is_nothing() {
            return Some(Rational::zero());
        }
        match (self.shares.iter().next(), total.shares.iter().next()) {
            (Some((base, share)), Some((total_base, total_share)))
                if self.shares.len() == 1 && total.shares.len() == 1 && base == total_base =>
            {
                Some(share / total_share)
            }
            _ => None,
        }
    }

    /// ε = ln of the odds ratio as a decimal, rounded up. An ε that was stated is rounded directly, without an
    /// enclosure.
    #[must_use]
    pub fn epsilon_decimal(&self, places: u32) -> String {
        self.epsilon_rounded(places, Rounding::Up)
    }

    /// The same with another rounding: remainders are rounded down.
    #[must_use]
    pub fn epsilon_rounded(&self, places: u32, rounding: Rounding) -> String {
        let stated = self.shares.get(&Base::E).filter(|_| self.shares.len() == 1);
        let bound = |ln: Enclosure| if rounding == Rounding::Down { ln.low() } else { ln.high() };
        decimal(&stated.cloned().unwrap_or_else(|| bound(self.ln(128))), places, rounding)
    }
}

impl std::fmt::Display for Spend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(odds) = self.exact_odds() {
            return write!(f, "{odds}");
        }
        for (position, (base, share)) in self.shares.iter().enumerate() {
            if position > 0 {
                f.write_str(" × ")?;
            }
            match (base, share.is_one()) {
                (_, true) => write!(f, "{base}")?,
                (Base::Odds(value), false) if !value.is_integer() => write!(f, "({base})^({share})")?,
                (_, false) if share.is_integer() => write!(f, "{base}^{share}")?,
                (_, false) => write!(f, "{base}^({share})")?,
            }
        }
        Ok(())
    }
}

/// Parses the output of [`Display`](std::fmt::Display): `3^(1/40)`, `e^(1/10) × (3/2)^(1/4)`, `1`.
impl std::str::FromStr for Spend {
    type Err = SpendError;

    fn from_str(text: &str) -> Result<Self, SpendError> {
        if text == "1" {
            return Ok(Self::nothing());
        }
        // Of any length, because rational powers of bases are written in full.
        let number = |text: &str| -> Result<Rational, SpendError> {
            let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
            inside.parse().map_err(|_| ParseRationalError::Malformed(printable(text).into_owned()).into())
        };
        text.split(" × ").try_fold(Self::nothing(), |product, term| {
            let (base, share) = term.split_once('^').unwrap_or((term, "1"));
            let base = if base == "e" { Self::epsilon(whole(1))? } else { Self::odds(number(base)?)? };
            Ok(product.and(&base.share(&number(share)?)?))
        })
    }
}

/// A list of bases and shares, `[{"base":"3","share":"1/8"}]`.
impl Serialize for Spend {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.terms().map(|(base, share)| Term { base: base.to_string(), share: share.to_string() }))
    }
}

impl<'de> Deserialize<'de> for Spend {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let terms = Vec::<Term>::deserialize(deserializer)?;
        terms.iter().try_fold(Self::nothing(), |product, term| {
            Ok(product.and(&Self::parse(&term.base, &term.share).map_err(D::Error::custom)?))
        })
    }
}

/// Stored form of a base and its share.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Term {
    base: String,
    share: String,
}

/// The smallest rational of which `value > 1` is a whole power, and that power: 27/8 is (3/2)³.
fn primitive(value: &Rational) -> (Rational, u32) {
    let longest = u32::try_from(value.numer().bits()).unwrap_or(1);
    for power in (2..=longest).rev() {
        if let Some(root) = exact_root(value, power) {
            return (root, power);
        }
    }
    (value.clone(), 1)
}

/// The exact `degree`-th root of a positive rational, where it is rational.
#[must_use]
pub fn exact_root(value: &Rational, degree: u32) -> Option<Rational> {
    let root = |n: &BigInt| {
        let candidate = num_integer::Roots::nth_root(n, degree);
        (Pow::pow(&candidate, degree) == *n).then_some(candidate)
    };
    debug_assert!(value.denom().gcd(value.numer()).is_one());
    Some(Rational::new(root(value.numer())?, root(value.denom())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use proptest::prelude::*;

    #[test]
    fn a_budget_is_used_up_exactly() {
        let total = Spend::odds(whole(3)).unwrap();
        for parts in [3, 7, 10, 49] {
            let part = total.share(&ratio(1, parts)).unwrap();
            let spent = (0..parts).fold(Spend::nothing(), |sum, _| sum.and(&part));
            assert_eq!(spent.compare(&total), Ok(Ordering::Equal));
            assert_eq!(spent.exact_odds(), Some(whole(3)));
        }
    }

    #[test]
    fn powers_of_one_number_share_a_base() {
        let nine = Spend::odds(whole(9)).unwrap();
        assert_eq!(nine.share(&ratio(1, 2)).unwrap(), Spend::odds(whole(3)).unwrap());
        let cube = Spend::odds(ratio(27, 8)).unwrap();
        assert_eq!(cube.share(&ratio(1, 3)).unwrap(), Spend::odds(ratio(3, 2)).unwrap());
        assert_eq!(nine.to_string(), "9");
    }

    #[test]
    fn different_bases_are_compared_by_proof() {
        let three = Spend::odds(whole(3)).unwrap();
        // ln 3 = 1.0986...
        assert_eq!(Spend::epsilon(ratio(1098, 1000)).unwrap().compare(&three), Ok(Ordering::Less));
        assert_eq!(Spend::epsilon(ratio(1099, 1000)).unwrap().compare(&three), Ok(Ordering::Greater));
        // 2 × 3 = 6 over different primitive bases can never be decided by intervals: refused, not guessed.
        let six = Spend::odds(whole(2)).unwrap().and(&three);
        assert!(matches!(six.compare(&Spend::odds(whole(6)).unwrap()), Err(SpendError::Undecided { .. })));
    }

    #[test]
    fn printing() {
        assert_eq!(Spend::parse("3", "1/8").unwrap().to_string(), "3^(1/8)");
        assert_eq!(Spend::parse("3/2", "1/8").unwrap().to_string(), "(3/2)^(1/8)");
        assert_eq!(Spend::parse("e", "1/2").unwrap().to_string(), "e^(1/2)");
        assert_eq!(Spend::parse("e", "2").unwrap().to_string(), "e^2");
        assert_eq!(Spend::nothing().to_string(), "1");
        assert!(Spend::parse("1", "1/2").is_err() && Spend::parse("3", "0").is_err());
    }

    #[test]
    fn enclosures_are_on_the_safe_side() {
        let root = Spend::parse("2", "1/2").unwrap();
        assert!(root.odds_at_most().pow(2) > whole(2) && root.odds_at_least().pow(2) < whole(2));
    }

    proptest! {
        #[test]
        fn products_follow_exponents(n in 2_i64..50, d in 1_i64..50, a in 1_i64..12, b in 1_i64..12) {
            prop_assume!(n > d);
            let odds = Spend::odds(ratio(n, d)).unwrap();
            let (left, right) = (odds.share(&ratio(a, 12)).unwrap(), odds.share(&ratio(b, 12)).unwrap());
            prop_assert_eq!(left.and(&right), odds.share(&ratio(a + b, 12)).unwrap());
            prop_assert_eq!(left.compare(&right), Ok(a.cmp(&b)));
        }
    }
}
