//! Registration of versions: each declared version has fixed contents.

use crate::by_version::VersionName;
use crate::disjoint::DisjointFault;
use crate::entry::{Event, RowEntities, VersionRegistered};
use crate::ledger::Ledger;
use crate::store::StoreError;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// The state of a version.
#[derive(Debug, Clone)]
pub(crate) struct Registration {
    /// The number of the first entry about it.
    pub(crate) first: u64,
    /// The contents, shared by all readings.
    pub(crate) fingerprint: String,
    /// The last entry about it.
    pub(crate) at: Timestamp,
    /// The accepted columns of each reading.
    pub(crate) readings: BTreeMap<String, BTreeSet<String>>,
}

impl Registration {
    /// Whether an entry adds another reading of the same contents, or further accepted columns.
    pub(crate) fn grows_by(&self, new: &VersionRegistered) -> bool {
        let is_new = self.readings.get(&new.reading).is_none_or(|accepted| !new.accepted.is_subset(accepted));
        is_new && new.fingerprint == self.fingerprint
    }
}

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
    /// The entities in its rows.
    pub entities: ComparedEntities<'a>,
}

/// The entities in the rows of a version, with what was done to know it.
#[derive(Debug, Clone, Copy)]
pub enum ComparedEntities<'a> {
    /// Any entity.
    Any,
    /// Only entities that are in none of these versions, which must be [`Ledger::disjoint_versions`].
    New(&'a BTreeSet<VersionName>),
    /// No entity.
    None,
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
    /// The table's versions share no entity by some registrations, and not by others.
    #[error(transparent)]
    Disjoint(#[from] DisjointFault),
    /// A version was registered while the entities were compared.
    #[error("{0} was registered meanwhile, and the entities were not compared with it; run the same command again")]
    Meanwhile(VersionName),
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
        let Contents { source, version, fingerprint, reading, entities } = *contents;
        let new = VersionRegistered {
            source: source.to_owned(),
            version: version.to_owned(),
            fingerprint: fingerprint.to_owned(),
            reading: reading.to_owned(),
            accepted: accepted.clone(),
            entities: match entities {
                ComparedEntities::Any => RowEntities::Any,
                ComparedEntities::New(_) => RowEntities::New,
                ComparedEntities::None => RowEntities::None,
            },
        };
        let act = self.book.begin()?;
        act.state.check_disjoint(&new)?;
        let registered = match act.state.fingerprint(&new.source, &new.version) {
            None => RegistrationOutcome::New,
            Some(known) if known != new.fingerprint => {
                return Err(VersionError::VersionDiffers { source_name: new.source, version: new.version });
            }
            Some(_) if act.state.says_more(&new) => RegistrationOutcome::Again,
            Some(_) => return Ok(RegistrationOutcome::Same),
        };
        if let ComparedEntities::New(compared) = entities
            && let Some(missed) = act.state.disjoint_versions(version).find(|other| !compared.contains(other))
        {
            return Err(VersionError::Meanwhile(missed));
        }
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

    /// Whether a version is registered under this reading, and under no other one.
    #[must_use]
    pub fn is_only_reading(&self, source: &str, version: &str, reading: &str) -> bool {
        self.book.state.is_only_reading(source, version, reading)
    }

    /// The first version of a table whose fingerprint matches. Fingerprints are for comparison only: they must not be
    /// printed.
    pub fn version_with(&self, source: &str, is_same: impl Fn(&str) -> bool) -> Option<&str> {
        self.book.state.fingerprints(source).find(|(_, fingerprint)| is_same(fingerprint)).map(|(version, _)| version)
    }

    /// The time of the last registration of a version, in whole seconds.
    #[must_use]
    pub fn registered_at(&self, source: &str, version: &str) -> Option<SystemTime> {
        self.book.state.registered_at(source, version).map(SystemTime::from)
    }
}
