//! Mechanisms by name: the textbook ones, with exact probabilities.
//!
//! Entities are named `1`, `2`, ... . Every entry of [`LIST`] says what its parameters are, so that a command line or a page can
//! print it. Parameters are texts: fractions (`3/2`), decimals, whole numbers, words.

mod disclosure;
mod error;
mod exponential;
mod geometric;
mod kmax;
mod noisy_max;
mod parameters;
mod plain;
mod response;
mod sampling;
mod shuffle;

pub use error::BuiltinError;
pub(crate) use geometric::Noise;

use crate::mechanism::hint::did_you_mean;
use crate::mechanism::{Dataset, MOST_ENTITIES, MOST_FRACTIONS, MOST_PROBABILITIES, Mechanism, fits_with};
use deniable_core::exact::Rational;
use parameters::Given;
use std::collections::BTreeMap;

/// A mechanism that has a name.
#[derive(Debug)]
pub struct Builtin {
    /// The name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The entry of `docs/theorems`; empty where it has none.
    pub theorem: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(Given<'_>) -> Result<Mechanism, BuiltinError>,
}

/// A parameter of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What it may be.
    pub range: &'static str,
    /// What it is where it is not given.
    pub default: Option<&'static str>,
}

/// All mechanisms, by name.
pub static LIST: &[&Builtin] = &[
    &disclosure::AND,
    &plain::CONSTANT,
    &exponential::EXPONENTIAL,
    &geometric::GEOMETRIC,
    &plain::IDENTITY,
    &kmax::KMAX,
    &noisy_max::NOISY_MAX,
    &disclosure::OR,
    &exponential::PERMUTE_AND_FLIP,
    &response::RANDOMIZED_RESPONSE,
    &sampling::SAMPLING,
    &shuffle::SHUFFLE,
    &plain::SIZE,
    &geometric::TRUNCATED_GEOMETRIC,
];

/// How many entities there are, for all mechanisms that have such a parameter.
const ENTITIES: Parameter =
    Parameter { name: "entities", about: "size of the universe", range: "1 to 24", default: Some("3") };
/// The odds ratio that a mechanism is made for.
const ODDS: Parameter = Parameter {
    name: "odds",
    about: "likelihood ratio R = e^ε that the mechanism is made for",
    range: "at least 1",
    default: Some("2"),
};

/// Builds the mechanism of this name with these parameters; others have their defaults.
///
/// # Errors
/// When the name or a parameter is unknown, a value is out of range, or the table would be too large.
pub fn build(name: &str, parameters: &BTreeMap<String, String>) -> Result<Mechanism, BuiltinError> {
    let Some(builtin) = LIST.iter().find(|builtin| builtin.name == name) else {
        let hint = did_you_mean(name, LIST.iter().map(|builtin| builtin.name));
        return Err(BuiltinError::Unknown { name: name.to_owned(), hint });
    };
    (builtin.build)(Given::new(builtin, parameters)?)
}

/// A mechanism over entities `1` to `n` whose rows are worked out dataset by dataset, and kept as fractions meanwhile.
fn by_rows(
    entities: usize,
    outputs: Vec<String>,
    row: impl Fn(Dataset) -> Vec<Rational>,
) -> Result<Mechanism, BuiltinError> {
    fits_with(entities, |_| outputs.len(), MOST_FRACTIONS)?;
    let names = (1..=entities).map(|number| number.to_string()).collect();
    let rows = (0..1_u32 << entities).map(|data| Some(row(data))).collect();
    Ok(Mechanism::partial(names, outputs, rows)?)
}

/// A mechanism of which many datasets have the same row: the one at `which(T)`.
fn by_kind(
    entities: usize,
    outputs: Vec<String>,
    rows: &[Vec<Rational>],
    which: impl Fn(Dataset) -> usize,
) -> Result<Mechanism, BuiltinError> {
    let names = (1..=entities).map(|number| number.to_string()).collect();
    Ok(Mechanism::shared(names, outputs, rows, which)?)
}

/// A mechanism that depends on how many members there are alone: `rows[s]` is the row of `s` members.
fn by_size(outputs: Vec<String>, rows: &[Vec<Rational>]) -> Result<Mechanism, BuiltinError> {
    by_kind(rows.len().saturating_sub(1), outputs, rows, |data| data.count_ones() as usize)
}

/// How many entities, with room for `outputs(n)` outputs of datasets that share rows: checked before anything is worked out.
fn entities(given: Given<'_>, outputs: impl Fn(usize) -> usize) -> Result<usize, BuiltinError> {
    let n = given.count("entities", 1, MOST_ENTITIES)?;
    fits_with(n, outputs, MOST_PROBABILITIES)?;
    Ok(n)
}

/// The same where every dataset has a row of its own.
fn entities_apart(given: Given<'_>, outputs: impl Fn(usize) -> usize) -> Result<usize, BuiltinError> {
    let n = given.count("entities", 1, MOST_ENTITIES)?;
    fits_with(n, outputs, MOST_FRACTIONS)?;
    Ok(n)
}

/// The members of a dataset by their numbers, as an output: `{1 3}`.
fn numbers(data: Dataset) -> String {
    let members = (0..Dataset::BITS).filter(|t| data >> t & 1 == 1).map(|t| (t + 1).to_string());
    format!("{{{}}}", members.collect::<Vec<_>>().join(" "))
}

/// The names of counts from 0 to `n`.
fn counts(n: usize) -> Vec<String> {
    (0..=n).map(|count| count.to_string()).collect()
}

#[cfg(test)]
mod tests;
