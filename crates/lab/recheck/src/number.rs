//! Exact numbers as certificates write them, each in one canonical form.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// A fraction.
pub type Q = BigRational;

/// A sum of fractions: terms with the same denominator are added as integers, the others pairwise, and the result is
/// reduced once.
pub(crate) fn sum<'a>(values: impl Iterator<Item = std::borrow::Cow<'a, Q>>) -> Q {
    let mut parts: BTreeMap<BigInt, BigInt> = BTreeMap::new();
    for value in values {
        match parts.get_mut(value.denom()) {
            Some(part) => *part += value.numer(),
            None => drop(parts.insert(value.denom().clone(), value.numer().clone())),
        }
    }
    let mut level: Vec<(BigInt, BigInt)> = parts.into_iter().map(|(of, part)| (part, of)).collect();
    while level.len() > 1 {
        let pairs = level.chunks(2).map(|pair| match pair {
            [(a, b), (c, d)] => (a * d + c * b, b * d),
            rest => rest[0].clone(),
        });
        level = pairs.collect();
    }
    level.pop().map_or_else(Q::zero, |(top, bottom)| Q::new(top, bottom))
}

/// A fraction in a certificate: `3/4`, or `2` where the denominator is 1; always in lowest terms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(pub Q);

impl Fraction {
    /// Parses a fraction in canonical form; other forms of the same number are rejected.
    ///
    /// # Errors
    /// With the reason.
    pub fn read(text: &str) -> Result<Self, String> {
        let whole = |part: &str| part.parse::<BigInt>().map_err(|_| format!("`{text}` is not a fraction"));
        let value = match text.split_once('/') {
            None => Q::from_integer(whole(text)?),
            Some((top, bottom)) => {
                let bottom = whole(bottom)?;
                if bottom.is_zero() {
                    return Err(format!("`{text}` divides by zero"));
                }
                Q::new(whole(top)?, bottom)
            }
        };
        let canonical = value.to_string();
        if canonical == text { Ok(Self(value)) } else { Err(format!("`{text}` must be written `{canonical}`")) }
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A number or infinity; ordered as numbers are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExtendedNumber {
    /// A number.
    Finite(Q),
    /// Above all numbers.
    Infinite,
}

impl ExtendedNumber {
    /// `top/bottom` of numbers that are not negative; `None` where both are zero.
    #[must_use]
    pub fn ratio(top: &Q, bottom: &Q) -> Option<Self> {
        if !bottom.is_zero() {
            Some(Self::Finite(top / bottom))
        } else if top.is_positive() {
            Some(Self::Infinite)
        } else {
            None
        }
    }

    /// One.
    #[must_use]
    pub fn one() -> Self {
        Self::Finite(Q::one())
    }
}

impl std::fmt::Display for ExtendedNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finite(value) => write!(f, "{value}"),
            Self::Infinite => f.write_str("infinite"),
        }
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Serialize for ExtendedNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ExtendedNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "infinite" {
            return Ok(Self::Infinite);
        }
        Fraction::read(&text).map(|value| Self::Finite(value.0)).map_err(serde::de::Error::custom)
    }
}
