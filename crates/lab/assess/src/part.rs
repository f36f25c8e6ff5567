//! The pieces of a written assessment: numbers, beliefs, and how they are put together.

use deniable_core::exact::{Bound, Rational, Rounding, decimal};
use serde::Serialize;

pub(crate) const PLACES: u32 = 6;
/// Longer fractions are left out: nobody reads them, and averages over many class sizes have thousands of digits.
const LONGEST: usize = 120;

/// A number, exactly and as a decimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Number {
    /// In lowest terms, `3/4` or `∞`; missing where it is longer than 120 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Rounded to the nearest of six places.
    pub decimal: String,
}

impl Number {
    pub(crate) fn of(value: &Bound) -> Self {
        let exact = value.to_string();
        Self { exact: (exact.len() <= LONGEST).then_some(exact), decimal: value.rounded(PLACES, Rounding::Nearest) }
    }

    pub(crate) fn rational(value: &Rational) -> Self {
        let exact = value.to_string();
        let decimal = decimal(value, PLACES, Rounding::Nearest);
        Self { exact: (exact.len() <= LONGEST).then_some(exact), decimal }
    }
}

/// A number and the class where it is attained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassValue<T> {
    /// The number that the class attains.
    pub value: T,
    /// The class: `age=30-39, zip=*`.
    pub class: String,
}

/// A belief in a sensitive value, before and after the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Belief {
    /// The class by its cells: `age=30-39, zip=*`.
    pub class: String,
    /// The raw values of the person, where priors differ between people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The sensitive value that is believed.
    pub value: String,
    /// `α`: the belief before the table, from 0 to 1.
    pub before: Number,
    /// `β`: the belief after the table, from 0 to 1.
    pub after: Number,
    /// How far it moved, in the measure of the part that holds it.
    pub by: Number,
}

/// The beliefs that moved farthest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FarthestBeliefs {
    /// How far: `∞` where some belief moves infinitely.
    pub value: Number,
    /// A belief that moved infinitely far, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infinite: Option<Belief>,
    /// The farthest of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finite: Option<Belief>,
}

/// Any of the parts below, as JSON wants it.
pub type Json = std::collections::BTreeMap<&'static str, Part>;

/// A value of an assessment in its written form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Part {
    /// A count of people, classes, cells.
    Count(u64),
    /// A text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(Number),
    /// A count with its class.
    CountAt(ClassValue<u64>),
    /// A number with its class.
    NumberAt(ClassValue<Number>),
    /// A text with its class.
    TextAt(ClassValue<String>),
    /// Beliefs.
    Farthest(Box<FarthestBeliefs>),
    /// Parts by name.
    Parts(Json),
    /// Parts in order.
    List(Vec<Part>),
}
