//! Which files are the declared version. Everything here is for the curator: it depends on private rows.

use deniable_ledger::{Ledger, Registered, VersionError};
use deniable_sql::source::check::Report;
use deniable_sql::{Source, SourceError};

/// What the fingerprint's key is derived for.
const FINGERPRINT: &str = "deniable 2026-11 fingerprint of data files";

/// Data that must not be used. Only the curator sees why.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// Files are missing, unreadable or lack columns.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The scan found broken rows.
    #[error("the data is not fit for a release; broken places listed: {}", .0.problems.len())]
    Unusable(Report),
    /// Nobody has looked at this version yet.
    #[error("version \"{version}\" of `{table}` is not registered")]
    Unregistered {
        /// The table.
        table: String,
        /// The declared version.
        version: String,
    },
    /// The files are not those that were registered.
    #[error("the files of `{table}` have changed since version \"{version}\" was registered")]
    Changed {
        /// The table.
        table: String,
        /// The declared version.
        version: String,
    },
    /// The ledger could not register or look up the version.
    #[error(transparent)]
    Ledger(#[from] VersionError),
}

/// How a version stands after a look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// It was known, and the files are the same.
    Known,
    /// It was registered now, after a scan.
    New(Report),
}

/// Scans the data and registers its version: `deniable data check`.
///
/// # Errors
/// When files cannot be read or are broken, or the version is registered with other contents.
pub fn check(
    ledger: &mut Ledger,
    source: &Source,
    version: &str,
    progress: &dyn Fn(u64),
) -> Result<(Report, Registered), DataError> {
    let before = fingerprint(ledger, source)?;
    let report = source.check(progress)?;
    if !report.is_usable() {
        return Err(DataError::Unusable(report));
    }
    // What was scanned must be what is registered.
    if fingerprint(ledger, source)? != before {
        return Err(changed(source, version));
    }
    let registered = ledger.register_version(&source.table().name, version, &before)?;
    Ok((report, registered))
}

/// Makes sure that the files are the registered version. The first release of a fresh ledger may register it.
///
/// # Errors
/// When the version is not registered (and others are), or the files are not those that were.
pub fn ensure(
    ledger: &mut Ledger,
    source: &Source,
    version: &str,
    progress: &dyn Fn(u64),
) -> Result<Registration, DataError> {
    let table = source.table().name.clone();
    match ledger.registered(&table, version).map(str::to_owned) {
        Some(known) if known == fingerprint(ledger, source)? => Ok(Registration::Known),
        Some(_) => Err(changed(source, version)),
        None if ledger.has_any_version() => Err(DataError::Unregistered { table, version: version.to_owned() }),
        None => check(ledger, source, version, progress).map(|(report, _)| Registration::New(report)),
    }
}

fn changed(source: &Source, version: &str) -> DataError {
    DataError::Changed { table: source.table().name.clone(), version: version.to_owned() }
}

fn fingerprint(ledger: &Ledger, source: &Source) -> Result<String, SourceError> {
    source.fingerprint(&ledger.key().derive(FINGERPRINT))
}
