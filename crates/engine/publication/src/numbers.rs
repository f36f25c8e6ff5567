//! Exact numbers of answers as text, so that no reader turns them into floats.

use deniable_core::budget::{Spend, SpendError, odds_decimal};
use deniable_core::exact::{ParseRationalError, Rational, Rounding, decimal, parse_rational, percent, whole};
use deniable_core::text::printable;
use num_bigint::BigInt;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// The confidence of intervals, from 0 to 1. It is written as a percentage of at most four decimals, and rounded down to these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence(Rational);

/// A bound, rounded up to three decimals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UpperBound(Rational);

/// The odds ratio that an answer may reveal, and if two secrets pay for it, the odds ratio about each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOdds {
    /// The odds ratio about the secret of the first account.
    pub odds: Spend,
    /// The odds ratio about who is a case, if that account pays, too; `odds` is then about who took part.
    pub labels: Option<Spend>,
}

impl Confidence {
    /// A confidence, rounded down.
    #[must_use]
    pub fn new(confidence: &Rational) -> Self {
        let steps = whole(1_000_000);
        Self((confidence * &steps).floor() / steps)
    }

    /// The number.
    #[must_use]
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl UpperBound {
    /// A bound, rounded up.
    #[must_use]
    pub fn new(bound: &Rational) -> Self {
        let steps = whole(1_000);
        Self((bound * &steps).ceil() / steps)
    }

    /// The number.
    #[must_use]
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl Display for Confidence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&percent(&self.0, 4, Rounding::Down))
    }
}

impl Display for UpperBound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&decimal(&self.0, 3, Rounding::Up))
    }
}

impl FromStr for Confidence {
    type Err = ParseRationalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(&parse_rational(text)?))
    }
}

/// Reads a bound of any length: a small part of a promise has large bounds.
impl FromStr for UpperBound {
    type Err = ParseRationalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{decimals:0<3}").parse().ok().filter(|_| decimals.len() <= 3 && !whole.is_empty());
        let steps: BigInt = digits.ok_or_else(|| ParseRationalError::Malformed(printable(text).into_owned()))?;
        Ok(Self(Rational::new(steps, 1_000.into())))
    }
}

const ABOUT_MEMBERSHIP: &str = " about who took part";
const ABOUT_LABELS: &str = " about who is a case";

impl From<Spend> for AnswerOdds {
    fn from(odds: Spend) -> Self {
        Self { odds, labels: None }
    }
}

/// `3^(1/40) (at most 1.0279)`: with a decimal if the odds ratio is not rational.
impl Display for AnswerOdds {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let one = |f: &mut Formatter<'_>, odds: &Spend| match odds.exact_odds() {
            Some(odds) => write!(f, "{odds}"),
            None => write!(f, "{odds} (at most {})", odds_decimal(&odds.odds_at_most())),
        };
        one(f, &self.odds)?;
        let Some(labels) = &self.labels else { return Ok(()) };
        write!(f, "{ABOUT_MEMBERSHIP}, ")?;
        one(f, labels)?;
        f.write_str(ABOUT_LABELS)
    }
}

impl FromStr for AnswerOdds {
    type Err = SpendError;

    fn from_str(text: &str) -> Result<Self, SpendError> {
        let one = |text: &str| text.split_once(" (at most ").map_or(text, |(odds, _)| odds).parse();
        let both = text.strip_suffix(ABOUT_LABELS).and_then(|both| both.split_once(&format!("{ABOUT_MEMBERSHIP}, ")));
        let (odds, labels) = both.map_or((text, None), |(odds, labels)| (odds, Some(labels)));
        Ok(Self { odds: one(odds)?, labels: labels.map(one).transpose()? })
    }
}

/// Exact numbers as text, for fields of type [`Rational`].
pub(crate) mod exact {
    use super::{Deserializer, Rational, Serializer, read};

    pub fn serialize<S: Serializer>(value: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
        read(deserializer)
    }
}

/// Reads a value from its text.
fn read<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

impl Serialize for UpperBound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UpperBound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

impl Serialize for AnswerOdds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AnswerOdds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn numbers_are_rounded_once_and_read_back_as_they_were() {
        for (confidence, text) in
            [(ratio(19, 20), "95%"), (ratio(1, 3), "33.3333%"), (ratio(999_999, 1_000_000), "99.9999%")]
        {
            let shown = Confidence::new(&confidence);
            assert_eq!((shown.to_string().as_str(), text.parse().as_ref()), (text, Ok(&shown)));
            assert!(*shown.value() <= confidence);
        }
        let large = format!("{}.001", "9".repeat(70));
        assert_eq!(large.parse::<UpperBound>().unwrap().to_string(), large);
        for wrong in ["", "1.2345", "x", "1e3"] {
            assert!(wrong.parse::<UpperBound>().is_err(), "{wrong}");
        }
        for (bound, text) in [(whole(385), "385"), (ratio(1, 3), "0.334"), (ratio(581_097, 2_000), "290.549")] {
            let shown = UpperBound::new(&bound);
            assert_eq!((shown.to_string().as_str(), text.parse().as_ref()), (text, Ok(&shown)));
            assert!(*shown.value() >= bound);
        }
    }

    #[test]
    fn odds_of_answers_read_back_exactly() {
        let three = Spend::odds(whole(3)).unwrap();
        let part = |share| three.share(&share).unwrap();
        let e = Spend::epsilon(ratio(1, 10)).unwrap();
        let mixed = part(ratio(1, 40)).and(&e).and(&Spend::odds(ratio(5, 2)).unwrap().share(&ratio(1, 3)).unwrap());
        let fraction = Spend::odds(ratio(3, 2)).unwrap();
        for odds in [Spend::nothing(), three.clone(), part(whole(2)), part(ratio(1, 40)), e.clone(), fraction, mixed] {
            for labels in [None, Some(part(ratio(1, 2))), Some(Spend::odds(whole(9)).unwrap())] {
                let odds = AnswerOdds { odds: odds.clone(), labels };
                let text = odds.to_string();
                assert_eq!(text.parse::<AnswerOdds>().unwrap(), odds, "{text}");
                let json = serde_json::to_string(&odds).unwrap();
                assert_eq!(serde_json::from_str::<AnswerOdds>(&json).unwrap(), odds, "{json}");
            }
        }
        assert_eq!(AnswerOdds::from(part(ratio(1, 40))).to_string(), "3^(1/40) (at most 1.0279)");
        for wrong in ["", "x", "3^", "3^(1/0)", "3 about who took part, x about who is a case", "0.5"] {
            assert!(wrong.parse::<AnswerOdds>().is_err(), "{wrong}");
        }
    }
}
