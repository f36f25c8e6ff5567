//! Stored form of exact numbers.

use super::{Rational, parse_rational};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An exact number, stored as `3/4` or `3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction(pub Rational);

impl From<Rational> for Fraction {
    fn from(value: Rational) -> Self {
        Self(value)
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let value = parse_rational(&text).map_err(D::Error::custom)?;
        // Only the canonical form is accepted, so that writing a parsed number gives the same text.
        if value.to_string() == text {
            Ok(Self(value))
        } else {
            Err(D::Error::custom("not a fraction in lowest terms"))
        }
    }
}
