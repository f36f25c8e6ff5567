//! Which files are the declared version. Everything here is for the curator: it depends on private rows.

use crate::plan::Plan;
use deniable_ledger::{Ledger, Registered, VersionError};
use deniable_policy::Data;
use deniable_sql::source::check::Report;
use deniable_sql::{Source, SourceError, Table};

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

/// The rows of one table, and the version that they are declared to be.
#[derive(Debug, Clone)]
pub struct Versioned {
    /// The rows.
    pub source: Source,
    /// The declared version.
    pub version: String,
}

impl Versioned {
    /// Finds the files of every table of a plan, in its order.
    ///
    /// # Errors
    /// When a table has none, or a folder cannot be read.
    pub fn locate_all(plan: &Plan) -> Result<Vec<Self>, SourceError> {
        let folder = plan.policy.folder();
        let locate = |(table, data): (Table, Data)| {
            Ok(Self { source: Source::locate(table, &data, folder)?, version: data.version })
        };
        plan.tables().into_iter().map(locate).collect()
    }
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

/// Makes sure that the files of all tables are the registered versions. The first release of a fresh ledger may
/// register them.
///
/// # Errors
/// When a version is not registered (and others are), or the files are not those that were.
pub fn ensure(
    ledger: &mut Ledger,
    tables: &[&Versioned],
    progress: &dyn Fn(u64),
) -> Result<Vec<Registration>, DataError> {
    let fresh = !ledger.has_any_version();
    tables.iter().map(|table| ensure_one(ledger, &table.source, &table.version, fresh, progress)).collect()
}

fn ensure_one(
    ledger: &mut Ledger,
    source: &Source,
    version: &str,
    fresh: bool,
    progress: &dyn Fn(u64),
) -> Result<Registration, DataError> {
    let table = source.table().name.clone();
    match ledger.registered(&table, version).map(str::to_owned) {
        Some(known) if known == fingerprint(ledger, source)? => Ok(Registration::Known),
        Some(_) => Err(changed(source, version)),
        None if !fresh => Err(DataError::Unregistered { table, version: version.to_owned() }),
        None => check(ledger, source, version, progress).map(|(report, _)| Registration::New(report)),
    }
}

fn changed(source: &Source, version: &str) -> DataError {
    DataError::Changed { table: source.table().name.clone(), version: version.to_owned() }
}

fn fingerprint(ledger: &Ledger, source: &Source) -> Result<String, SourceError> {
    source.fingerprint(&ledger.key().derive(FINGERPRINT))
}
