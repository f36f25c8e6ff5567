//! Questions that cannot be decided.

use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::Rational;

/// A question that does not fit the mechanism.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The notion is about all datasets.
    #[error("{count} datasets have no row, the first of them {first}; this notion needs them all")]
    Missing {
        /// A dataset without a row.
        first: String,
        /// How many datasets have no row.
        count: usize,
    },
    /// A list of priors that holds none. Other families without an observer promise nothing, and are decided: vacuous.
    #[error("no observer is of this family: {why}")]
    NoPrior {
        /// What rules them all out.
        why: String,
    },
    /// A parameter outside its range.
    #[error("`{name}` = {value} must be {range}")]
    OutOfRange {
        /// The parameter, as the notion's form names it.
        name: &'static str,
        /// What was given, outside the range.
        value: Rational,
        /// What is allowed, in words.
        range: &'static str,
    },
    /// A notion with one number for each side.
    #[error("`{notion}` is one number for presence and another for absence; ask for one of them")]
    OneSide {
        /// The notion.
        notion: &'static str,
    },
    /// Not one range of beliefs for each entity.
    #[error("there are ranges of belief for {found} entities, and {expected} entities")]
    Ranges {
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A prior that is no distribution over the datasets of the mechanism.
    #[error("prior number {number} is none: {why}")]
    NotAPrior {
        /// Its place in the list, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// A dataset with entities that the universe has not.
    #[error("dataset {data:#b} has entities beyond the {entities} of the mechanism")]
    Outside {
        /// The dataset, with entities that the mechanism does not have.
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
    /// No procedure decides this notion on this kind of mechanism.
    #[error("{what} is not decided yet")]
    NotYet {
        /// The notion or family, in words.
        what: &'static str,
    },
}

/// That every dataset has a row.
pub(crate) fn complete(mechanism: &Mechanism) -> Result<(), CheckError> {
    if mechanism.is_complete() {
        return Ok(());
    }
    let all = 0..1_u32 << mechanism.size();
    let missing = all.clone().filter(|data| !mechanism.gives(*data));
    let first = missing.clone().next().map(|data| mechanism.members(data)).unwrap_or_default();
    Err(CheckError::Missing { first, count: missing.count() })
}
