//! What can go wrong about the ledger, whatever is released.

use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, whole};
use deniable_ledger::numbers::MOST_NUMBERS;
use deniable_ledger::{AccountError, AnswerError, ChargeError, DrawError};

/// A release that the ledger does not allow, or could not record.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The account of the ledger does not admit this promise.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The releases of this run do not fit together, though some of them would alone.
    #[error("the queries not yet answered cost an odds ratio of {} together; of {which} {left}", .cost.in_words(), left = left(.spent, .limit))]
    OverBudget {
        /// What they cost.
        cost: Spend,
        /// What is spent.
        spent: Spend,
        /// What is allowed.
        limit: Spend,
        /// Whose limit it is, in words.
        which: String,
        /// The share of the promise that all of them together may still take; `None` where that is nothing.
        fits: Option<Rational>,
        /// The share of the promise that is left where the policy's own spend alone is exceeded; `None` otherwise.
        beyond_spend: Option<Rational>,
    },
    /// The budget does not allow a charge, or it could not be written.
    #[error("query \"{release}\": {error}")]
    Charge {
        /// Which release.
        release: String,
        /// Why.
        error: ChargeError,
    },
    /// The answer could not be stored, so it is not shown. Its numbers are, and the same release shows them at no cost.
    #[error("query \"{release}\" is paid for; its answer could not be stored and is not shown: {error}")]
    Answer {
        /// Which release.
        release: String,
        /// Why.
        error: AnswerError,
    },
    /// More numbers than an answer can hold. Nothing was charged.
    #[error(
        "query \"{release}\" has {numbers} numbers, and an answer holds at most {MOST_NUMBERS}; ask for fewer groups or measures"
    )]
    TooManyNumbers {
        /// Which release.
        release: String,
        /// How many numbers it has.
        numbers: usize,
    },
    /// Numbers could not be drawn, or not be stored.
    #[error(
        "query \"{release}\" is paid for, and its numbers could not be stored: {error}; where the draw had begun, the same query \
         is charged anew"
    )]
    Draw {
        /// Which release.
        release: String,
        /// Why.
        error: DrawError,
    },
    /// The answer could not be computed from the stored numbers.
    #[error(
        "query \"{release}\" is answered, and its answer cannot be shown: {reason}; the same query shows it at no cost"
    )]
    Finish {
        /// Which release.
        release: String,
        /// Why.
        reason: String,
    },
    /// A stored answer is none of its release.
    #[error("the stored answer of query \"{release}\" cannot be read: {reason}")]
    Stored {
        /// Which release.
        release: String,
        /// What is wrong.
        reason: String,
    },
    /// Amounts could not be compared.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

fn left(spent: &Spend, limit: &Spend) -> String {
    match spent.exact_part_of(limit) {
        Some(part) if part >= whole(1) => format!("nothing of {} is left", limit.in_words()),
        Some(part) => {
            let rest = limit.share(&(whole(1) - part)).map_or_else(|_| "nothing".to_owned(), |rest| rest.in_words());
            format!("only {rest} is left")
        }
        None => format!("{} is spent and {} allowed", spent.in_words(), limit.in_words()),
    }
}
