//! What is wrong with a certificate, and by how much.

/// A certificate that does not show what it claims.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecheckError {
    /// No certificate.
    #[error("this is no certificate: {0}")]
    Syntax(String),
    /// Another version.
    #[error("format {found} is not known; this program reads format {}", crate::format::FORMAT)]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// A damaged file.
    #[error("the file was altered: its checksum is {found}, its content has {expected}")]
    Checksum {
        /// In the file.
        found: String,
        /// Of the content.
        expected: String,
    },
    /// A table that is no mechanism.
    #[error("the table is no mechanism: {0}")]
    Table(String),
    /// Parameters that mean nothing.
    #[error("{0}")]
    Question(String),
    /// A witness that says something else than the table.
    #[error("{what} is {table} in the table, {witness} in the witness")]
    Differs {
        /// A probability.
        what: String,
        /// By the table.
        table: String,
        /// By the witness.
        witness: String,
    },
    /// A witness that the notion is not about.
    #[error("the witness does not fit: {0}")]
    Unfit(String),
    /// A witness that shows another value.
    #[error("the claim is {claim}, and the witness shows {shows}")]
    Falls {
        /// The claim.
        claim: String,
        /// What it shows.
        shows: String,
    },
    /// Something to compare where there is said to be nothing.
    #[error("the claim is that there is nothing to compare, and there is {0}")]
    NotVacuous(String),
    /// An upper bound that does not hold.
    #[error("the claim is at most {claim}, and {place} gives {found}")]
    Exceeded {
        /// The bound.
        claim: String,
        /// Where.
        place: String,
        /// The value there.
        found: String,
    },
}
