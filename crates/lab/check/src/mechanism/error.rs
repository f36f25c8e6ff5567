//! What can be wrong with a table of probabilities.

use deniable_core::exact::{Rational, fraction, whole};
use num_traits::Signed;

/// A table that is no mechanism, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MechanismError {
    /// Two entities, outputs or groups have one name.
    #[error("{what} `{name}` is named twice")]
    Repeated {
        /// `entity` or `output`.
        what: &'static str,
        /// The name that stands twice.
        name: String,
    },
    /// More than fits.
    #[error(
        "{entities} entities with {outputs} outputs are too many for a table; {most} entities fit. Where the output depends \
         on counts alone, give it by counts"
    )]
    TooLarge {
        /// How many entities were given.
        entities: usize,
        /// How many outputs each row would have.
        outputs: usize,
        /// The largest number of entities that fits with these outputs.
        most: usize,
    },
    /// More counts than fit.
    #[error(
        "with {outputs} outputs, a table by counts holds at most {most} combinations of counts, and these are more"
    )]
    Counts {
        /// How many outputs there are.
        outputs: usize,
        /// The largest number of combinations that fits with these outputs.
        most: usize,
    },
    /// Not one row for each dataset.
    #[error("there are {found} rows, and {expected} datasets")]
    Rows {
        /// How many were given.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// No dataset, or no output.
    #[error("a mechanism needs at least one dataset and one output")]
    Empty,
    /// A row with more or fewer probabilities than there are outputs.
    #[error("dataset {data} has {found} probabilities, and there are {expected} outputs")]
    Width {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// How many were given.
        found: usize,
        /// How many there must be.
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
    /// A row that is no distribution.
    #[error("the probabilities of dataset {data} sum to {}, which is {}", fraction(sum), off(sum))]
    Sum {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// What the probabilities of the row sum to.
        sum: Rational,
    },
}

fn off(sum: &Rational) -> String {
    let gap = sum - whole(1);
    let side = if gap.is_positive() { "more than 1" } else { "short of 1" };
    format!("{} {side}", fraction(&gap.abs()))
}

/// A row's fault, before the row has a name.
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
