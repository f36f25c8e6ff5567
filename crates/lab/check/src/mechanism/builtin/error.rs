//! Built-in mechanisms that cannot be built.

use crate::mechanism::error::MechanismError;
use deniable_core::text::shown;

/// An unknown name, or a parameter that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// No mechanism of this name.
    #[error("there is no mechanism `{}`; {hint}", shown(name))]
    Unknown {
        /// The name.
        name: String,
        /// A similar name, or where the names are listed.
        hint: String,
    },
    /// The mechanism has no such parameter.
    #[error("`{mechanism}` has no parameter `{}`; {hint}", shown(parameter))]
    UnknownParameter {
        /// The mechanism.
        mechanism: &'static str,
        /// The parameter.
        parameter: String,
        /// A similar name, or the list of parameters.
        hint: String,
    },
    /// A missing value, or one outside the parameter's range.
    #[error("`{parameter}` must be {range}, not `{}`", shown(value))]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// The allowed values.
        range: String,
        /// The given value.
        value: String,
    },
    /// Parameters that exclude each other.
    #[error("{0}")]
    Conflict(String),
    /// Too large for a table.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}
