//! Which files are the declared version. Everything here is for the curator: it depends on private rows.

use crate::plan::Plan;
use deniable_ledger::{Ledger, Registered, VersionError};
use deniable_policy::Data;
use deniable_sql::source::check::{Misread, Report};
use deniable_sql::{Source, SourceError, Table};
use std::time::Duration;

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
    /// Most values of columns that are asked about do not read as declared, and nobody has accepted that.
    #[error("most values of {} of `{table}` that the asks use do not read as declared", columns_in_words(.columns))]
    Misread {
        /// The table.
        table: String,
        /// The columns; never empty.
        columns: Vec<Misread>,
    },
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

fn columns_in_words(columns: &[Misread]) -> String {
    if let [_] = columns { "a column".to_owned() } else { format!("{} columns", columns.len()) }
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

/// Scans the data and registers its version: `deniable data check`. Whoever calls it has been told what is odd, and
/// accepts it.
///
/// # Errors
/// When files cannot be read or are broken, or the version is registered with other contents.
pub fn check(
    ledger: &mut Ledger,
    source: &Source,
    version: &str,
    progress: &dyn Fn(u64),
) -> Result<(Report, Registered), DataError> {
    let Scanned { report, fingerprint } = scan(ledger, source, version, progress)?;
    let registered = ledger.register_version(&source.table().name, version, &fingerprint)?;
    Ok((report, registered))
}

/// Makes sure that the files of all tables are the registered versions. The first release of a fresh ledger may
/// register them; not where most values of a column that is `used` do not read as declared, because that release
/// would pay for answers about nothing. That is never looked at again once a version is registered.
///
/// # Errors
/// When a version is not registered (and others are), the files are not those that were, or they should not be
/// registered unseen.
pub fn ensure(
    ledger: &mut Ledger,
    tables: &[&Versioned],
    used: &dyn Fn(&str, &str) -> bool,
    progress: &dyn Fn(u64),
) -> Result<Vec<Registration>, DataError> {
    let fresh = !ledger.has_any_version();
    let looks = tables.iter().map(|table| look(ledger, &table.source, &table.version, fresh, progress));
    let looks: Vec<Option<Scanned>> = looks.collect::<Result<_, _>>()?;
    // All tables are looked at before any is registered: half of a refused release would count as accepted.
    for (table, scanned) in tables.iter().zip(&looks) {
        let name = &table.source.table().name;
        let misread = scanned.iter().flat_map(|scanned| &scanned.report.misread);
        let columns: Vec<Misread> = misread.filter(|misread| used(name, &misread.column)).cloned().collect();
        if !columns.is_empty() {
            return Err(DataError::Misread { table: name.clone(), columns });
        }
    }
    let register = |(table, scanned): (&&Versioned, Option<Scanned>)| {
        let Some(Scanned { report, fingerprint }) = scanned else { return Ok(Registration::Known) };
        ledger.register_version(&table.source.table().name, &table.version, &fingerprint)?;
        Ok(Registration::New(report))
    };
    tables.iter().zip(looks).map(register).collect()
}

/// Whether files were written to after their version was registered, by their time stamps: they may have changed, and
/// only reading them could tell. Says no where nothing can be told.
#[must_use]
pub fn written_since(ledger: &Ledger, table: &Versioned) -> bool {
    let registered = ledger.registered_at(&table.source.table().name, &table.version);
    // The ledger keeps whole seconds, and what was written within that second was most likely what was registered.
    let end = registered.and_then(|at| at.checked_add(Duration::from_secs(1)));
    end.is_some_and(|end| table.source.last_written().is_some_and(|written| written >= end))
}

/// What a scan found, and in which files.
struct Scanned {
    report: Report,
    fingerprint: String,
}

/// Compares files with their registered version (then there is nothing more to do), or scans them for the first time.
fn look(
    ledger: &Ledger,
    source: &Source,
    version: &str,
    fresh: bool,
    progress: &dyn Fn(u64),
) -> Result<Option<Scanned>, DataError> {
    let table = source.table().name.clone();
    match ledger.registered(&table, version) {
        Some(known) if known == fingerprint(ledger, source)? => Ok(None),
        Some(_) => Err(changed(source, version)),
        None if !fresh => Err(DataError::Unregistered { table, version: version.to_owned() }),
        None => scan(ledger, source, version, progress).map(Some),
    }
}

fn scan(ledger: &Ledger, source: &Source, version: &str, progress: &dyn Fn(u64)) -> Result<Scanned, DataError> {
    let before = fingerprint(ledger, source)?;
    let report = source.check(progress)?;
    if !report.is_usable() {
        return Err(DataError::Unusable(report));
    }
    // What was scanned must be what is registered.
    if fingerprint(ledger, source)? != before {
        return Err(changed(source, version));
    }
    Ok(Scanned { report, fingerprint: before })
}

fn changed(source: &Source, version: &str) -> DataError {
    DataError::Changed { table: source.table().name.clone(), version: version.to_owned() }
}

fn fingerprint(ledger: &Ledger, source: &Source) -> Result<String, SourceError> {
    source.fingerprint(&ledger.key().derive(FINGERPRINT))
}
