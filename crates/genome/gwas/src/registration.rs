//! Registration of the declared version of the files, and of the curator's check. All of this is for the curator: it
//! depends on private genotypes.
//!
//! A version identifies the bytes of its files; a registration also includes the phenotype used, since that determines
//! the labels. Later releases do not depend on what the check reported.

use crate::cohort::Cohort;
use crate::error::GwasError;
use crate::release::{Event, Means};
use crate::request::Query;
use deniable_genome::{FileError, Fingerprint, Log};
use deniable_ledger::versions::{ComparedEntities, Contents};
use deniable_ledger::{Ledger, RegistrationOutcome, VersionError};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// The key derivation context of fingerprints.
const FINGERPRINT: &str = "deniable 2026-11 fingerprint of genotypes";
/// The key derivation context of digests of readings.
const READING: &str = "deniable 2026-12 reading of genotypes";

/// The declaration of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredCohort<'a> {
    /// The name of the cohort in the ledger.
    pub source: &'a str,
    /// Its version: other contents need another version.
    pub version: &'a str,
    /// The phenotype, for files with several.
    pub phenotype: Option<&'a str>,
}

impl Query {
    /// The declaration of the files of this request.
    #[must_use]
    pub fn declared(&self) -> DeclaredCohort<'_> {
        DeclaredCohort { source: &self.source, version: &self.version, phenotype: self.phenotype.as_deref() }
    }
}

impl DeclaredCohort<'_> {
    /// The digest, in the ledger, of the options for reading the files.
    fn reading(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key(READING);
        // No name and an empty name must differ.
        hasher.update(&[u8::from(self.phenotype.is_some())]).update(self.phenotype.unwrap_or_default().as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    fn register(&self, ledger: &mut Ledger, fingerprint: &str) -> Result<RegistrationOutcome, VersionError> {
        let Self { source, version, .. } = *self;
        let contents =
            Contents { source, version, fingerprint, reading: &self.reading(), entities: ComparedEntities::Any };
        ledger.register_contents(&contents, &BTreeSet::new())
    }
}

fn key(ledger: &Ledger) -> [u8; 32] {
    ledger.key().derive(FINGERPRINT)
}

/// Reads a cohort once and registers its version: `deniable gwas check`. Returns the contents of the files, and whether
/// the ledger registered them.
///
/// # Errors
/// If the files are invalid.
pub fn check(
    means: &Means<'_>,
    declared: DeclaredCohort<'_>,
    ledger: &mut Ledger,
) -> Result<(Log, Result<RegistrationOutcome, VersionError>), FileError> {
    /// SNPs between two reports of progress.
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

/// The cohort of a request, after checking that its files are those of the registered version. A version that is not
/// registered for these options is registered, and the run ends there unless it may go on.
///
/// # Errors
/// If the files are invalid, or not those of the version; and if they are registered by this call and the run ends.
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

/// Whether the files were modified after their version was registered, by their time stamps: they may have changed,
/// which only reading them would decide. False if it is unknown.
pub(crate) fn written_since(means: &Means<'_>, request: &Query, ledger: &Ledger) -> bool {
    let registered = ledger.registered_at(&request.source, &request.version);
    // The ledger stores whole seconds; a write within that second was most likely the registered state.
    let Some(end) = registered.and_then(|at| at.checked_add(Duration::from_secs(1))) else { return false };
    let written = |file: &std::path::PathBuf| -> Option<SystemTime> { file.metadata().ok()?.modified().ok() };
    means.files.files().all().iter().filter_map(written).any(|written| written >= end)
}
