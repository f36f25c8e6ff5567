//! Registration of versions: each declared version has fixed contents.

use crate::entry::{Event, VersionRegistered};
use crate::ledger::Ledger;
use crate::store::StoreError;
use std::collections::BTreeSet;
use std::time::SystemTime;

/// The outcome of registering a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationOutcome {
    /// The version was unknown.
    New,
    /// The contents were known, and are now registered under another reading, or with more accepted columns.
    Again,
    /// Contents, reading and accepted columns were known.
    Same,
}

/// A version's contents, and how the policy reads them.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    /// The table.
    pub source: &'a str,
    /// Its version, as declared.
    pub version: &'a str,
    /// The contents, hashed under the curator's key.
    pub fingerprint: &'a str,
    /// A digest of how they are read.
    pub reading: &'a str,
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
    /// Fixes the contents of a version together with their reading, and records the columns that the curator accepts
    /// despite any values that cannot be read. Columns accepted earlier for the same reading remain accepted.
    ///
    /// # Errors
    /// When the version has other contents already.
    pub fn register_contents(
        &mut self,
        contents: &Contents<'_>,
        accepted: &BTreeSet<String>,
    ) -> Result<RegistrationOutcome, VersionError> {
        let Contents { source, version, fingerprint, reading } = *contents;
        let new = VersionRegistered {
            source: source.to_owned(),
            version: version.to_owned(),
            fingerprint: fingerprint.to_owned(),
            reading: reading.to_owned(),
            accepted: accepted.clone(),
        };
        let act = self.book.begin()?;
        let registered = match act.state.fingerprint(&new.source, &new.version) {
            None => RegistrationOutcome::New,
            Some(known) if known != new.fingerprint => {
                return Err(VersionError::VersionDiffers { source_name: new.source, version: new.version });
            }
            Some(_) if act.state.says_more(&new) => RegistrationOutcome::Again,
            Some(_) => return Ok(RegistrationOutcome::Same),
        };
        act.append(Event::VersionRegistered(new))?;
        Ok(registered)
    }

    /// The accepted columns of a version under this reading; `None` if it was never registered under it.
    #[must_use]
    pub fn accepted(&self, source: &str, version: &str, reading: &str) -> Option<&BTreeSet<String>> {
        self.book.state.accepted(source, version, reading)
    }

    /// The fingerprint of a registered version. For comparison only: it must not be printed.
    #[must_use]
    pub fn registered(&self, source: &str, version: &str) -> Option<&str> {
        self.book.state.fingerprint(source, version)
    }

    /// The time of the last registration of a version, in whole seconds.
    #[must_use]
    pub fn registered_at(&self, source: &str, version: &str) -> Option<SystemTime> {
        self.book.state.registered_at(source, version).map(SystemTime::from)
    }
}
