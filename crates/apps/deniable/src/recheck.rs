//! Certificates of [`check`](crate::check), verified by code that is independent of it (`docs/how-to/check.md`).
//!
//! ```
//! use deniable::check::{Options, Source, check};
//! use deniable::recheck::recheck;
//!
//! # let folder = tempfile::tempdir()?;
//! let proof = folder.path().join("proof.json");
//! let options = Options { notion: Some("dp".into()), certificate: Some(proof.clone()), ..Options::default() };
//! check(&Source::named("randomized-response", [("n", "2"), ("odds", "3")]), &options)?;
//! assert!(recheck(&proof)?.is_complete());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use deniable_recheck::{RecheckError, Report, UpperCheck};

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_recheck::LIMIT;
use std::path::{Path, PathBuf};

/// A certificate that is not valid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Its file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// It is malformed or wrong.
    #[error("{}: {error}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The fault.
        error: RecheckError,
    },
}

/// Verifies the certificate in a file. An upper bound that would take longer than about half a minute is skipped, which
/// the report states.
///
/// # Errors
/// When the file cannot be read, or a part of it is wrong.
pub fn recheck(certificate: &Path) -> Result<Report, Error> {
    let path = || certificate.to_owned();
    let text = std::fs::read_to_string(certificate).map_err(|source| Error::Unread { path: path(), source })?;
    deniable_recheck::recheck(&text, LIMIT).map_err(|error| Error::Wrong { path: path(), error })
}

impl Diagnose for Error {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Unread { .. } => "`deniable check ... --certificate FILE` writes one",
            Self::Wrong { .. } => "the certificate proves nothing",
        };
        vec![Diagnostic::new(Code::Other, self).with_help(help)]
    }
}
