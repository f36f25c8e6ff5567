//! Questions that cannot be decided.

use crate::mechanism::Dataset;

/// A question that does not fit the mechanism.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The notion is about all datasets.
    #[error("{count} datasets have no row, the first of them {first}; this notion needs them all")]
    Missing {
        /// A dataset without a row.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// A dataset with entities that the universe has not.
    #[error("dataset {data:#b} has entities beyond the {entities} of the mechanism")]
    Outside {
        /// The dataset.
        data: Dataset,
        /// How many entities there are.
        entities: usize,
    },
    /// A simulator that sees too many different things.
    #[error(
        "the best simulator is a program of {numbers} numbers, and {most} are the most; take fewer entities or rows"
    )]
    Program {
        /// How many numbers it has.
        numbers: usize,
        /// How many fit.
        most: usize,
    },
    /// The solver gave up; what is known is not returned, as it may be far from tight.
    #[error("the solver found no simulator for this mechanism")]
    Unsolved,
    /// Not decided yet.
    #[error("{what} is not decided yet")]
    NotYet {
        /// A notion or family.
        what: &'static str,
    },
}
