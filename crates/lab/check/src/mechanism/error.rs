//! Errors in a table of probabilities.

use deniable_core::exact::{Rational, fraction, whole};
use num_traits::Signed;

/// A table that is not a mechanism.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MechanismError {
    /// Two entities, outputs or groups have the same name.
    #[error("{what} `{name}` is named twice")]
    Repeated {
        /// `entity` or `output`.
        what: &'static str,
        /// The repeated name.
        name: String,
    },
    /// More entities than fit in memory.
    #[error(
        "{entities} entities with {outputs} outputs are too many for a table; {most} entities fit. Where the output depends \
         on counts alone, give it by counts"
    )]
    TooLarge {
        /// The number of entities.
        entities: usize,
        /// The number of outputs of each row.
        outputs: usize,
        /// The largest number of entities that fits with these outputs.
        most: usize,
    },
    /// More combinations of counts than fit in memory.
    #[error(
        "with {outputs} outputs, a table by counts holds at most {most} combinations of counts, and this one has more"
    )]
    Counts {
        /// The number of outputs.
        outputs: usize,
        /// The largest number of combinations that fits with these outputs.
        most: usize,
    },
    /// The number of rows is not the number of datasets.
    #[error("there are {found} rows, but {expected} datasets")]
    Rows {
        /// The number of rows.
        found: usize,
        /// The number of datasets.
        expected: usize,
    },
    /// There is no dataset, or no output.
    #[error("a mechanism needs at least one dataset and one output")]
    Empty,
    /// A row with more or fewer probabilities than there are outputs.
    #[error("dataset {data} has {found} probabilities, but there are {expected} outputs")]
    Width {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The number of probabilities.
        found: usize,
        /// The number of outputs.
        expected: usize,
    },
    /// A probability below zero.
    #[error("the probability of output `{output}` at dataset {data} is {value}, below 0")]
    Negative {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The output, by its name.
        output: String,
        /// The value, below 0.
        value: Rational,
    },
    /// A row that is not a distribution.
    #[error("the probabilities of dataset {data} sum to {}, which is {}", fraction(sum), off(sum))]
    Sum {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The sum of the row.
        sum: Rational,
    },
}

fn off(sum: &Rational) -> String {
    let gap = sum - whole(1);
    let side = if gap.is_positive() { "more than 1" } else { "short of 1" };
    format!("{} {side}", fraction(&gap.abs()))
}

/// An error in a row, before its dataset is known.
pub(crate) enum RowFault {
    Width { found: usize, expected: usize },
    Negative { output: String, value: Rational },
    Sum(Rational),
}

impl RowFault {
    pub(crate) fn at(self, data: String) -> MechanismError {
        match self {
            Self::Width { found, expected } => MechanismError::Width { data, found, expected },
            Self::Negative { output, value } => MechanismError::Negative { data, output, value },
            Self::Sum(sum) => MechanismError::Sum { data, sum },
        }
    }
}
