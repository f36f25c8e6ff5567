//! Questions that cannot be decided for a mechanism.

use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::Rational;

/// A question that does not fit the mechanism, or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The notion is about all datasets.
    #[error("{count} datasets have no row, the first of them {first}; this notion needs them all")]
    Missing {
        /// A dataset without a row.
        first: String,
        /// The number of datasets without a row.
        count: usize,
    },
    /// An empty list of priors. Other families without an observer promise nothing, and are decided: vacuous.
    #[error("the family of priors is empty: {why}")]
    NoPrior {
        /// The reason.
        why: String,
    },
    /// A parameter outside its range.
    #[error("`{name}` = {value} must be {range}")]
    OutOfRange {
        /// The parameter, as the notion's form names it.
        name: &'static str,
        /// The value, outside the range.
        value: Rational,
        /// The allowed range, in words.
        range: &'static str,
    },
    /// A notion with different parameters for presence and absence.
    #[error("`{notion}` has one value for presence and another for absence; choose one of them")]
    OneSide {
        /// The notion.
        notion: &'static str,
    },
    /// The number of ranges of belief differs from the number of entities.
    #[error("{found} ranges of belief are given for {expected} entities; give one for each")]
    Ranges {
        /// The number of ranges.
        found: usize,
        /// The number of entities.
        expected: usize,
    },
    /// A prior that is not a distribution over the datasets of the mechanism.
    #[error("prior number {number} is invalid: {why}")]
    NotAPrior {
        /// Its place in the list, from 1.
        number: usize,
        /// The reason.
        why: String,
    },
    /// A dataset with entities beyond the mechanism's universe.
    #[error("dataset {data:#b} has entities beyond the {entities} of the mechanism")]
    Outside {
        /// The dataset, with entities that the mechanism does not have.
        data: Dataset,
        /// The number of entities of the mechanism.
        entities: usize,
    },
    /// A simulator whose cone program is too large.
    #[error(
        "the program of the best simulator has {numbers} numbers, more than the limit of {most}; \
         take fewer entities or rows"
    )]
    Program {
        /// The size of the program.
        numbers: usize,
        /// The largest size allowed.
        most: usize,
    },
    /// The solver failed. No bracket is returned, as it may be far from tight.
    #[error("the solver found no simulator for this mechanism")]
    Unsolved,
    /// No procedure decides this notion on this kind of mechanism.
    #[error("{what} is not decided yet")]
    NotYet {
        /// The notion or family, in words.
        what: &'static str,
    },
}

/// Fails unless every dataset has a row.
pub(crate) fn complete(mechanism: &Mechanism) -> Result<(), CheckError> {
    if mechanism.is_complete() {
        return Ok(());
    }
    let all = 0..1_u32 << mechanism.size();
    let missing = all.clone().filter(|data| !mechanism.gives(*data));
    let first = missing.clone().next().map(|data| mechanism.members(data)).unwrap_or_default();
    Err(CheckError::Missing { first, count: missing.count() })
}
