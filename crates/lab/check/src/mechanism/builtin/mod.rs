//! Mechanisms by name: the textbook ones, with exact probabilities.
//!
//! Entities are named `1`, `2`, ... . Every entry of [`LIST`] describes its parameters for command lines and web pages.
//! Parameters are texts: fractions (`3/2`), decimals, whole numbers, words.

mod disclosure;
mod error;
mod exponential;
mod geometric;
mod k_anonymity;
mod kmax;
mod noisy_max;
mod parameters;
mod plain;
mod response;
mod rows;
mod sampling;
mod shuffle;

pub use error::BuiltinError;
pub(crate) use geometric::Noise;
pub use parameters::{Builtin, Parameter};

use crate::mechanism::model::Mechanism;
use deniable_core::text::did_you_mean;
use parameters::BuiltinArguments;
use std::collections::BTreeMap;

/// All mechanisms, by name.
pub static LIST: &[&Builtin] = &[
    &disclosure::AND,
    &plain::CONSTANT,
    &exponential::EXPONENTIAL,
    &geometric::GEOMETRIC,
    &plain::IDENTITY,
    &k_anonymity::K_ANONYMITY,
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

/// Builds the mechanism `name`; missing parameters have their defaults. `n` is short for `entities`.
///
/// # Errors
/// When the name or a parameter is unknown, a value is out of range, or the table would be too large.
pub fn build(name: &str, parameters: &BTreeMap<String, String>) -> Result<Mechanism, BuiltinError> {
    let Some(builtin) = LIST.iter().find(|builtin| builtin.name == name) else {
        let hint = did_you_mean(name, LIST.iter().map(|builtin| builtin.name));
        return Err(BuiltinError::Unknown { name: name.to_owned(), hint });
    };
    (builtin.build)(BuiltinArguments::new(builtin, parameters)?)
}

#[cfg(test)]
mod tests;
