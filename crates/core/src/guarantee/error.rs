//! Errors of guarantees.

use crate::budget::Spend;
use crate::promise::PromiseError;

/// A guarantee that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuaranteeError {
    /// No promise is stated.
    #[error("no promise is stated")]
    Nothing,
    /// No promise is stated that holds but for the chance.
    #[error("no promise is stated that holds but for the chance")]
    NothingButFor,
    /// A chance where people may be known to move together.
    #[error("a chance cannot be promised where people may be known to move together")]
    GroupsButFor,
    /// A promise about worlds and not about one person.
    #[error("`{0}` is a promise about worlds and cannot hold but for a chance")]
    WorldsButFor(&'static str),
    /// The promises but for a chance follow from those that hold for certain.
    #[error(
        "the odds ratio of {} that holds for certain keeps the promises but for a chance, which allow {}",
        .surely.in_words(), .but_for.in_words()
    )]
    SurelyAlready {
        /// The largest odds ratio that keeps the promises that hold for certain.
        surely: Spend,
        /// The largest odds ratio that keeps the promises but for a chance.
        but_for: Spend,
    },
    /// A promise that cannot be kept against this adversary, or that cannot be compared with another.
    #[error(transparent)]
    Promise(#[from] PromiseError),
}

/// A name that is empty or cannot be printed on one line, with the thing that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name of the {0} is empty, or has characters that cannot be printed on one line")]
pub struct NotPlain(pub(super) &'static str);
