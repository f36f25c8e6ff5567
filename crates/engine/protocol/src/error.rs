//! Errors about the ledger, for every kind of release.

use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, whole};
use deniable_ledger::numbers::MOST_NUMBERS;
use deniable_ledger::{AccountError, AnswerError, ChargeError, DrawError, FixError, OverChance, VersionName};

/// A release that the ledger refuses, or could not record.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The account of the ledger does not admit this promise.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The releases of this run exceed a limit together, though some would fit alone.
    #[error(
        "the queries not yet answered cost an odds ratio of {} together, but {}",
        .cost.in_words(), left(.which, .spent, .limit)
    )]
    OverBudget {
        /// The cost of these releases together.
        cost: Spend,
        /// The odds already spent under the limit.
        spent: Spend,
        /// The limit.
        limit: Spend,
        /// The name of the limit, in words.
        which: String,
        /// The share of the promise that all of them together may still use; `None` if no share fits.
        fits: Option<Rational>,
        /// The share of the promise that is left if only the policy's own spend is exceeded; `None` otherwise.
        beyond_spend: Option<Rational>,
    },
    /// The releases of this run exceed what a version of the data may use together.
    #[error(
        "the queries not yet answered cost an odds ratio of {} together, but {}",
        .cost.in_words(), left(&format!("what {version} may use (per_version = {share})"), .spent, .limit)
    )]
    OverVersion {
        /// The version.
        version: Box<VersionName>,
        /// The share of the promise, or of the part that pays, that charges on a version may use together.
        share: Rational,
        /// The cost of these releases that read the version, together.
        cost: Spend,
        /// The odds already spent on the version.
        spent: Spend,
        /// The limit.
        limit: Spend,
        /// The share of the promise that all of them together may still use; `None` if no share fits.
        fits: Option<Rational>,
    },
    /// The releases of this run together could give more than the promise but for a chance allows.
    #[error("{0}; nothing was charged")]
    OverChance(#[from] OverChance),
    /// The sizes of the releases could not be fixed.
    #[error("{0}; nothing was charged")]
    Fix(#[from] FixError),
    /// The budget does not allow a charge, or it could not be written.
    #[error("query \"{release}\": {error}")]
    Charge {
        /// The name of the release.
        release: String,
        /// The error of the charge.
        error: ChargeError,
    },
    /// The answer could not be stored, so it is not shown. Its numbers are, and the same release shows them at no cost.
    #[error("query \"{release}\" is paid for; its answer could not be stored and is not shown: {error}")]
    Answer {
        /// The name of the release.
        release: String,
        /// The error of storing it.
        error: AnswerError,
    },
    /// More numbers than an answer can hold. Nothing was charged.
    #[error(
        "query \"{release}\" has {numbers} numbers, and an answer holds at most {MOST_NUMBERS}; ask for fewer groups or measures"
    )]
    TooManyNumbers {
        /// The name of the release.
        release: String,
        /// The number of its numbers.
        numbers: usize,
    },
    /// Numbers could not be drawn, or not be stored.
    #[error(
        "query \"{release}\" is paid for, and its numbers could not be stored: {error}; where the draw had begun, the same query \
         is charged anew"
    )]
    Draw {
        /// The name of the release.
        release: String,
        /// The error of the draw.
        error: DrawError,
    },
    /// The answer could not be computed from the stored numbers.
    #[error(
        "query \"{release}\" is answered, and its answer cannot be shown: {reason}; the same query shows it at no cost"
    )]
    Finish {
        /// The name of the release.
        release: String,
        /// The reason.
        reason: String,
    },
    /// A stored answer does not fit its release.
    #[error("the stored answer of query \"{release}\" cannot be read: {reason}")]
    Stored {
        /// The name of the release.
        release: String,
        /// The reason.
        reason: String,
    },
    /// Amounts could not be compared.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

fn left(which: &str, spent: &Spend, limit: &Spend) -> String {
    match spent.exact_part_of(limit) {
        Some(part) if part >= whole(1) => format!("{which} is used up (an odds ratio of {})", limit.in_words()),
        Some(part) => {
            let rest = limit.share(&(whole(1) - part)).map_or_else(|_| "nothing".to_owned(), |rest| rest.in_words());
            format!("only {rest} of {which} is left")
        }
        None => format!("{} of {which} is spent and {} allowed", spent.in_words(), limit.in_words()),
    }
}
