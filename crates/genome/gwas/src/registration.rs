//! Which files are the declared version, and whether the curator has seen what is in them. Everything here is for the curator:
//! it depends on private genotypes.
//!
//! A version stands for the bytes of its files; a registration also says which phenotype was looked at, since that decides who
//! is a case. Once it is there, nothing that is asked looks at what was found.

use crate::cohort::Cohort;
use crate::error::GwasError;
use crate::release::{Event, Means};
use crate::request::Query;
use deniable_genome::{FileError, Fingerprint, Log};
use deniable_ledger::versions::Contents;
use deniable_ledger::{Ledger, RegistrationOutcome, VersionError};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// What fingerprints of files are keyed for.
const FINGERPRINT: &str = "deniable 2026-11 fingerprint of genotypes";
/// What digests of readings are derived for.
const READING: &str = "deniable 2026-12 reading of genotypes";

/// What the files are declared to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredCohort<'a> {
    /// What the ledger calls the cohort.
    pub source: &'a str,
    /// Its version: other contents need another.
    pub version: &'a str,
    /// Which phenotype of a file with several.
    pub phenotype: Option<&'a str>,
}

impl Query {
    /// What the files of this request are declared to be.
    #[must_use]
    pub fn declared(&self) -> DeclaredCohort<'_> {
        DeclaredCohort { source: &self.source, version: &self.version, phenotype: self.phenotype.as_deref() }
    }
}

impl DeclaredCohort<'_> {
    /// What stands in the ledger for how the files are read.
    fn reading(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key(READING);
        // Nothing and an empty name are two things.
        hasher.update(&[u8::from(self.phenotype.is_some())]).update(self.phenotype.unwrap_or_default().as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    fn register(&self, ledger: &mut Ledger, fingerprint: &str) -> Result<RegistrationOutcome, VersionError> {
        let Self { source, version, .. } = *self;
        let contents = Contents { source, version, fingerprint, reading: &self.reading() };
        ledger.register_contents(&contents, &BTreeSet::new())
    }
}

fn key(ledger: &Ledger) -> [u8; 32] {
    ledger.key().derive(FINGERPRINT)
}

/// Reads a cohort once and registers its version: `deniable gwas check`. Returns what the files contain, and whether the ledger
/// registered it.
///
/// # Errors
/// When the files cannot be used.
pub fn check(
    means: &Means<'_>,
    declared: DeclaredCohort<'_>,
    ledger: &mut Ledger,
) -> Result<(Log, Result<RegistrationOutcome, VersionError>), FileError> {
    /// SNPs between two words about progress.
    const OFTEN: u64 = 4096;
    let mut fingerprint = Fingerprint::new(key(ledger));
    let mut read = 0_u64;
    let log = means.files.open()?.scan(&mut fingerprint, means.threads, &mut |_| {
        read += 1;
        if read.is_multiple_of(OFTEN) {
            (means.tell)(Event::Reading(read));
        }
    })?;
    let registered = declared.register(ledger, &fingerprint.hex());
    Ok((log, registered))
}

/// The cohort of a request, once its files are known to be those of the registered version. One that is not registered as it is
/// read is registered, and the run ends there unless it may go on.
///
/// # Errors
/// When the files cannot be used, or are not those of the version; and when they are registered by this and the run ends.
pub(crate) fn cohort(means: &Means<'_>, request: &Query, ledger: &mut Ledger) -> Result<Cohort, GwasError> {
    let declared = request.declared();
    let DeclaredCohort { source, version, .. } = declared;
    let tell = |snps| (means.tell)(Event::Reading(snps));
    let cohort = Cohort::read(means.files.open()?, request.fill, key(ledger), means.threads, &tell)?;
    (means.tell)(Event::Read(&cohort.log));
    if ledger.accepted(source, version, &declared.reading()).is_none() {
        declared.register(ledger, &cohort.fingerprint)?;
        (means.tell)(Event::Registered(declared));
        return if means.register { Ok(cohort) } else { Err(GwasError::OnlyRegistered) };
    }
    if ledger.registered(source, version) != Some(cohort.fingerprint.as_str()) {
        let (source_name, version) = (source.to_owned(), version.to_owned());
        return Err(VersionError::VersionDiffers { source_name, version }.into());
    }
    Ok(cohort)
}

/// Whether files were written to after their version was registered, by their time stamps: they may have changed, and only
/// reading them could tell. Says no where nothing can be told.
pub(crate) fn written_since(means: &Means<'_>, request: &Query, ledger: &Ledger) -> bool {
    let registered = ledger.registered_at(&request.source, &request.version);
    // The ledger keeps whole seconds, and what was written within that second was most likely what was registered.
    let Some(end) = registered.and_then(|at| at.checked_add(Duration::from_secs(1))) else { return false };
    let written = |file: &std::path::PathBuf| -> Option<SystemTime> { file.metadata().ok()?.modified().ok() };
    means.files.files().all().iter().filter_map(written).any(|written| written >= end)
}
