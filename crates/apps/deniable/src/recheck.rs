//! Certificates of [`check`](crate::check), verified by code that shares nothing with it (`docs/how-to/check.md`).
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

/// A certificate that proves nothing.
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
    /// It is not right.
    #[error("{}: {error}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: RecheckError,
    },
}

/// Verifies the certificate in a file. An upper bound that takes longer than half a minute or so is left out, as the report has it.
///
/// # Errors
/// When the file cannot be read, or anything in it is not so.
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
