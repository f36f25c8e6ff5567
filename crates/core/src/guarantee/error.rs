//! Errors of guarantees.

use crate::promise::PromiseError;

/// A guarantee that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuaranteeError {
    /// No promise is stated.
    #[error("no promise is stated")]
    Nothing,
    /// A promise that cannot be kept against this adversary, or that cannot be compared with another.
    #[error(transparent)]
    Promise(#[from] PromiseError),
}

/// A name that is empty or cannot be printed on one line, with the thing that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name of the {0} is empty, or has characters that cannot be printed on one line")]
pub struct NotPlain(pub(super) &'static str);
