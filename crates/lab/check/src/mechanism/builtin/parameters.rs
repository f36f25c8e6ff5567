//! The descriptions of built-in mechanisms and their parameters, and the parsing of arguments.

use super::error::BuiltinError;
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::text::did_you_mean;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// A built-in mechanism.
#[derive(Debug)]
pub struct Builtin {
    /// The name.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The entry of `docs/theorems`, or an empty string.
    pub theorem: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    pub(super) build: fn(BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError>,
}

/// A parameter of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The meaning, in one line.
    pub about: &'static str,
    /// The allowed values.
    pub range: &'static str,
    /// The value if the parameter is not given; `None` if it has no default.
    pub default: Option<&'static str>,
}

/// The number of entities, for all mechanisms with such a parameter.
pub(super) const ENTITIES: Parameter =
    Parameter { name: "entities", about: "size of the universe", range: "1 to 24", default: Some("3") };
/// The short name of [`ENTITIES`].
const SHORT: &str = "n";
/// The odds ratio that the mechanism guarantees.
pub(super) const ODDS: Parameter = Parameter {
    name: "odds",
    about: "likelihood ratio R = e^ε that the mechanism guarantees",
    range: "at least 1",
    default: Some("2"),
};

/// The arguments of one built-in mechanism: texts by parameter name.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuiltinArguments<'a> {
    builtin: &'static Builtin,
    texts: &'a BTreeMap<String, String>,
}

impl<'a> BuiltinArguments<'a> {
    /// Fails on parameters that the mechanism does not have.
    pub(super) fn new(builtin: &'static Builtin, texts: &'a BTreeMap<String, String>) -> Result<Self, BuiltinError> {
        let known = || builtin.parameters.iter().map(|parameter| parameter.name);
        if texts.contains_key(SHORT) && texts.contains_key(ENTITIES.name) {
            let conflict = format!("`{SHORT}` is short for `{}`; leave one of them out", ENTITIES.name);
            return Err(BuiltinError::Conflict(conflict));
        }
        let long = |name: &str| if name == SHORT { ENTITIES.name } else { name }.to_owned();
        match texts.keys().find(|name| known().all(|known| known != long(name))) {
            None => Ok(Self { builtin, texts }),
            Some(name) => Err(BuiltinError::UnknownParameter {
                mechanism: builtin.name,
                parameter: name.clone(),
                hint: if builtin.parameters.is_empty() {
                    "it has none".to_owned()
                } else {
                    did_you_mean(name, known())
                },
            }),
        }
    }

    /// The text of a parameter, or its default; `None` if it has neither.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let default = || self.builtin.parameters.iter().find(|parameter| parameter.name == name)?.default;
        self.given(name).map(|text| text.trim()).or_else(default)
    }

    fn given(&self, name: &str) -> Option<&'a String> {
        let short = || self.texts.get(SHORT).filter(|_| name == ENTITIES.name);
        self.texts.get(name).or_else(short)
    }

    /// Whether the user gave the parameter.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    fn wrong(&self, name: &'static str, range: String) -> BuiltinError {
        BuiltinError::OutOfRange { parameter: name, range, value: self.text(name).unwrap_or_default().to_owned() }
    }

    /// A whole number in a range.
    pub(super) fn count(&self, name: &'static str, low: usize, high: usize) -> Result<usize, BuiltinError> {
        let number = self.text(name).and_then(|text| text.parse().ok());
        let fits = number.filter(|number| (low..=high).contains(number));
        fits.ok_or_else(|| self.wrong(name, format!("a whole number from {low} to {high}")))
    }

    /// A fraction that satisfies `fits`.
    fn fraction(
        &self,
        name: &'static str,
        range: &str,
        fits: impl Fn(&Rational) -> bool,
    ) -> Result<Rational, BuiltinError> {
        let number = self.text(name).and_then(|text| parse_rational(text).ok());
        number.filter(fits).ok_or_else(|| self.wrong(name, range.to_owned()))
    }

    /// An odds ratio of at least 1.
    pub(super) fn odds(&self, name: &'static str) -> Result<Rational, BuiltinError> {
        self.fraction(name, "a number of at least 1", |odds| *odds >= whole(1))
    }

    pub(super) fn chance(&self, name: &'static str) -> Result<Rational, BuiltinError> {
        self.fraction(name, "a number from 0 to 1", |chance| !chance.is_negative() && *chance <= whole(1))
    }

    /// The ratio of the probabilities of successive noise values, below 1.
    pub(super) fn noise_ratio(&self) -> Result<Rational, BuiltinError> {
        if !self.has("ratio") {
            let odds = self.odds("odds")?;
            if odds.is_one() {
                return Err(self.wrong("odds", "more than 1: with odds of 1 the noise has no distribution".to_owned()));
            }
            return Ok(odds.recip());
        }
        if self.has("odds") {
            return Err(BuiltinError::Conflict("give `odds` or `ratio`, not both: ratio is 1/odds".to_owned()));
        }
        self.fraction("ratio", "a number from 0 to 1, both excluded", |ratio| {
            ratio.is_positive() && !ratio.is_zero() && *ratio < whole(1)
        })
    }

    /// One of a few words.
    pub(super) fn word(&self, name: &'static str, words: &[&'static str]) -> Result<&'static str, BuiltinError> {
        let text = self.text(name).unwrap_or_default();
        let found = words.iter().find(|word| **word == text);
        found.copied().ok_or_else(|| self.wrong(name, format!("one of {}", words.join(", "))))
    }

    /// Whole numbers with commas between them.
    pub(super) fn list(&self, name: &'static str, low: i64, high: i64) -> Result<Vec<i64>, BuiltinError> {
        let text = self.text(name).unwrap_or_default();
        let number = |text: &str| text.trim().parse().ok().filter(|number| (low..=high).contains(number));
        let numbers: Option<Vec<i64>> = text.split(',').map(number).collect();
        numbers.ok_or_else(|| self.wrong(name, format!("whole numbers from {low} to {high}, with commas between them")))
    }
}
