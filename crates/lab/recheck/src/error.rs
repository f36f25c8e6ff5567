//! Errors in a certificate, with the place and the values.

/// A certificate that does not prove its claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecheckError {
    /// The text is not a certificate.
    #[error("this is not a certificate: {0}")]
    Syntax(String),
    /// An unknown version of the format.
    #[error("format {found} is not known; this program reads format {}", crate::format::FORMAT)]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The checksum is wrong.
    #[error("the file was altered: its checksum is {found}, its content has {expected}")]
    Checksum {
        /// The checksum in the file.
        found: String,
        /// The checksum of the content.
        expected: String,
    },
    /// The table is not a mechanism.
    #[error("the table is not a mechanism: {0}")]
    Table(String),
    /// Invalid parameters.
    #[error("{0}")]
    Question(String),
    /// The witness has other numbers than the table.
    #[error("{what} is {table} in the table, {witness} in the witness")]
    Differs {
        /// The name of the probability.
        what: String,
        /// Its value by the table.
        table: String,
        /// Its value by the witness.
        witness: String,
    },
    /// The witness does not fit the notion or the table.
    #[error("the witness does not fit: {0}")]
    Unfit(String),
    /// The witness has another value.
    #[error("the claim is {claim}, but the witness shows {shows}")]
    Falls {
        /// The claim.
        claim: String,
        /// The value of the witness.
        shows: String,
    },
    /// The claim is vacuous, but the table has a pair or observer.
    #[error("the claim is that there is nothing to compare, but there is {0}")]
    NotVacuous(String),
    /// The upper bound does not hold.
    #[error("the claim is at most {claim}, but {place} gives {found}")]
    Exceeded {
        /// The claimed bound.
        claim: String,
        /// The observation.
        place: String,
        /// The value there.
        found: String,
    },
}
