//! What can go wrong about a release.

use crate::cohort::NameError;
use crate::payment::PaymentError;
use deniable_core::budget::SpendError;
use deniable_core::guarantee::NotPlain;
use deniable_core::noise::DecayError;
use deniable_genome::FileError;
use deniable_genome::chi2::ThresholdError;
use deniable_genome::distance::TooManyPeople;
use deniable_genome::noisy::NoisyError;
use deniable_genome::select::SelectError;
use deniable_ledger::VersionError;
use deniable_protocol::ProtocolError;

/// A release that did not come about. For the curator: some of these depend on private files.
#[derive(Debug, thiserror::Error)]
pub enum GwasError {
    /// The files cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The files are not those of the version.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The version was not registered as it is read, and is now. Nothing was asked of it yet.
    #[error("the cohort had not been registered as these flags read it; now it is, and nothing was released yet")]
    OnlyRegistered,
    /// A release failed after it was charged. The same release resumes at no cost.
    #[error("{release} is paid for but not answered: {error}")]
    Unanswered {
        /// Which release.
        release: String,
        /// Why.
        error: Box<GwasError>,
    },
    /// No account may pay.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The ledger does not allow it, or could not record it.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// What was computed cannot be written down.
    #[error("the answer of {0} cannot be written down")]
    Unwritable(String),
    /// A name that leads to no SNP.
    #[error(transparent)]
    Name(#[from] NameError),
    /// More SNPs than there are.
    #[error("{wanted} SNPs are asked for, and there are {of}")]
    TooMany {
        /// How many are asked for.
        wanted: usize,
        /// How many there are.
        of: usize,
    },
    /// No threshold.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// Too large a cohort.
    #[error(transparent)]
    People(#[from] TooManyPeople),
    /// SNPs cannot be picked so.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Numbers cannot be released so.
    #[error(transparent)]
    Noisy(#[from] NoisyError),
    /// No sensible noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
    /// People that cannot be named so.
    #[error(transparent)]
    Subject(#[from] NotPlain),
    /// Amounts of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
}
