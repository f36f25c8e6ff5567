//! Built-in mechanisms that cannot be built.

use crate::mechanism::error::MechanismError;
use deniable_core::text::shown;

/// A name or a parameter that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// No mechanism of this name.
    #[error("there is no mechanism `{}`; {hint}", shown(name))]
    Unknown {
        /// The name.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// The mechanism has no such parameter.
    #[error("`{mechanism}` has no parameter `{}`; {hint}", shown(parameter))]
    UnknownParameter {
        /// The mechanism.
        mechanism: &'static str,
        /// The parameter.
        parameter: String,
        /// What may have been meant.
        hint: String,
    },
    /// A value outside the parameter's range, or none.
    #[error("`{parameter}` must be {range}, not `{}`", shown(value))]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// What it may be.
        range: String,
        /// What it is.
        value: String,
    },
    /// Parameters that do not go together.
    #[error("{0}")]
    Conflict(String),
    /// Too large for a table.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}
