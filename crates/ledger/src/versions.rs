//! Which contents a declared version stands for.

use crate::entry::{Event, VersionRegistered};
use crate::ledger::Ledger;
use crate::store::StoreError;
use std::time::SystemTime;

/// What registering a version came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// It was not known before.
    New,
    /// It was known, with these very contents.
    Same,
}

/// A version that was not registered. Fingerprints are never part of the message.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The contents changed under the same name.
    #[error(
        "version `{version}` of `{source_name}` was registered with other contents; restore those, or declare a \
         new version"
    )]
    VersionDiffers {
        /// The table.
        source_name: String,
        /// The version.
        version: String,
    },
}

impl Ledger {
    /// Fixes the contents that a version stands for.
    ///
    /// # Errors
    /// When it stands for other contents already.
    pub fn register_version(
        &mut self,
        source: &str,
        version: &str,
        fingerprint: &str,
    ) -> Result<Registered, VersionError> {
        let act = self.book.begin()?;
        match act.state.fingerprint(source, version) {
            Some(known) if known == fingerprint => Ok(Registered::Same),
            Some(_) => {
                Err(VersionError::VersionDiffers { source_name: source.to_owned(), version: version.to_owned() })
            }
            None => {
                act.append(Event::VersionRegistered(VersionRegistered {
                    source: source.to_owned(),
                    version: version.to_owned(),
                    fingerprint: fingerprint.to_owned(),
                }))?;
                Ok(Registered::New)
            }
        }
    }

    /// The fingerprint of a registered version. For comparison only: it is never printed.
    #[must_use]
    pub fn registered(&self, source: &str, version: &str) -> Option<&str> {
        self.book.state.fingerprint(source, version)
    }

    /// When a version was registered, in whole seconds.
    #[must_use]
    pub fn registered_at(&self, source: &str, version: &str) -> Option<SystemTime> {
        self.book.state.registered_at(source, version).map(SystemTime::from)
    }

    /// Whether any version of anything was registered.
    #[must_use]
    pub fn has_any_version(&self) -> bool {
        self.book.state.has_any_version()
    }
}
