//! Errors of a release.

use crate::cohort::NameError;
use crate::payment::PaymentError;
use deniable_core::budget::SpendError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::guarantee::NotPlain;
use deniable_core::noise::DecayError;
use deniable_genome::FileError;
use deniable_genome::chi2::ThresholdError;
use deniable_genome::distance::TooManyPeople;
use deniable_genome::noisy::NoisyError;
use deniable_genome::select::SelectError;
use deniable_ledger::VersionError;
use deniable_protocol::ProtocolError;

/// A failed release. For the curator: some of these errors depend on private files.
#[derive(Debug, thiserror::Error)]
pub enum GwasError {
    /// Invalid files.
    #[error(transparent)]
    File(#[from] FileError),
    /// Files that are not those of the registered version.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The version was not registered for these options, and is registered now. No release has used it yet.
    #[error("the cohort had not been registered as these options read it; now it is, and nothing was released yet")]
    OnlyRegistered,
    /// A release failed after it was charged. The same release resumes at no cost.
    #[error("{release} is paid for but not answered: {error}")]
    Unanswered {
        /// The name of the release.
        release: String,
        /// The cause.
        error: Box<GwasError>,
    },
    /// No account can pay.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The ledger does not allow the release, or cannot record it.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// An answer that cannot be serialized.
    #[error("the answer of {0} cannot be written as JSON")]
    Unwritable(String),
    /// A name that does not identify one SNP.
    #[error(transparent)]
    Name(#[from] NameError),
    /// More SNPs than there are.
    #[error("{wanted} SNPs are requested, but there are only {of}")]
    TooMany {
        /// Number of SNPs requested.
        wanted: usize,
        /// Number of SNPs.
        of: usize,
    },
    /// An invalid threshold.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// A cohort that is too large.
    #[error(transparent)]
    People(#[from] TooManyPeople),
    /// An impossible selection of SNPs.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Numbers that cannot be released.
    #[error(transparent)]
    Noisy(#[from] NoisyError),
    /// Invalid noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
    /// An invalid name of people.
    #[error(transparent)]
    Subject(#[from] NotPlain),
    /// An invalid amount of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

impl Diagnose for GwasError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let option = |name| surface.option(name);
        let (code, help) = match self {
            Self::File(error) => return error.diagnostics(surface),
            Self::Payment(error) => return error.diagnostics(surface),
            Self::Protocol(ProtocolError::OverBudget { fits, beyond_spend, .. })
                if fits.is_some() || beyond_spend.is_none() =>
            {
                let fits = match fits {
                    Some(share) => format!("{} fits, at most", surface.set("spend", share)),
                    None => "the budget is exhausted".to_owned(),
                };
                let help = format!(
                    "{fits}; stored answers are free if requested with the same {} as before. `deniable ledger show` lists them; \
                     nothing was charged",
                    options(surface)
                );
                (Code::Budget, help)
            }
            Self::Protocol(error) => return error.diagnostics(surface),
            Self::Version(_) => {
                let version = surface.set(version(surface), 2);
                let help = format!(
                    "restore the registered files, or register these as another version with {version}; nothing was charged"
                );
                (Code::Data, help)
            }
            Self::OnlyRegistered => {
                let help = format!(
                    "nothing was charged. Check the numbers above; if they are as expected, the same {} now releases. \
                     {} does both in one run",
                    call(surface),
                    surface.switch("register")
                );
                (Code::Data, help)
            }
            Self::Unanswered { .. } => (
                Code::Other,
                format!(
                    "repeat the {}: it is free if no noise was drawn yet, and charged again otherwise",
                    call(surface)
                ),
            ),
            Self::Name(_) => {
                let help = "names are those of the second column of .bim, or the third of VCF, among SNPs on chromosomes 1 to 22 and XY";
                (Code::Data, help.to_owned())
            }
            Self::TooMany { .. } => (Code::Other, format!("request fewer with {}", option("top"))),
            Self::Threshold(_) => {
                let ways = [surface.set("threshold", "29.7"), surface.set("p-value", "0.05")];
                (Code::Other, format!("write {}", ways.join(" or ")))
            }
            Self::Select(_) | Self::Noisy(_) | Self::Decay(_) => {
                let [threshold, p_value, top, grid] = ["threshold", "p-value", "top", "grid"].map(option);
                let help = format!(
                    "nothing was charged; try another {threshold} or {p_value}, fewer SNPs with {top}, or a coarser {grid}"
                );
                (Code::Other, help)
            }
            Self::Unwritable(_) | Self::Subject(_) | Self::People(_) | Self::Spend(_) => (Code::Other, String::new()),
        };
        vec![Diagnostic::new(code, self).with_help(help)]
    }
}

/// The option that declares the version of the files.
pub(crate) fn version(surface: Surface) -> &'static str {
    if surface == Surface::Command { "data-version" } else { "version" }
}

fn options(surface: Surface) -> &'static str {
    if surface == Surface::Command { "flags" } else { "options" }
}

fn call(surface: Surface) -> &'static str {
    if surface == Surface::Command { "command" } else { "call" }
}
