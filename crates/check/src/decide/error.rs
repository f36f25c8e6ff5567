//! Questions that cannot be decided.

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
    /// Not decided yet.
    #[error("{what} is not decided yet")]
    NotYet {
        /// A notion or family.
        what: &'static str,
    },
}
