//! The sources of rows that this build contains.

use arrow_array::RecordBatch;
use deniable_core::schema::{Column, ColumnType, DeclaredTable, Format, TableSchema, url_scheme};
use deniable_data::reading::ColumnReader;
use deniable_data::{Source, SourceError, Sources};
use deniable_policy::Policy;
use std::path::{Path, PathBuf};

/// Installs the sources of rows that this build contains: tables of engines, and by feature tables of PostgreSQL and
/// objects in stores. Sessions and [`with_public_keys`] do so themselves; a program that calls
/// [`Plan::new`](crate::Plan::new) directly must do it first, for policies with public tables in such a place.
pub fn install_sources() {
    let sources = Sources { engines: Some(deniable_engines::open), ..Sources::default() };
    #[cfg(feature = "postgres")]
    let sources = Sources { databases: Some(deniable_postgres::DATABASES), ..sources };
    #[cfg(feature = "objects")]
    let sources = Sources { objects: Some(deniable_objects::find), ..sources };
    sources.install();
}

/// The policy with keys from public tables: see [`deniable_release::with_public_keys`].
///
/// # Errors
/// When such a table cannot be read, or its keys are invalid.
pub fn with_public_keys(policy: Policy) -> Result<Policy, SourceError> {
    install_sources();
    deniable_release::with_public_keys(policy)
}

/// The input files of a policy, which no output may replace: its tables as far as they are found on this machine, the
/// policy and the ledger.
#[must_use]
pub fn own_files(policy: &Policy) -> Vec<PathBuf> {
    let folder = policy.folder();
    let files = |DeclaredTable { data, columns, .. }: DeclaredTable| {
        let is_local = matches!(data.format, Format::Csv(_) | Format::Parquet) && url_scheme(&data.path).is_none();
        if !is_local {
            return Vec::new();
        }
        let table = TableSchema::protected(&data.table, columns, None);
        let found = Source::locate(table, &data, folder).map(|source| source.files());
        // A path that is not found as a table may still be a file.
        found.unwrap_or_else(|_| vec![folder.join(&data.path)])
    };
    let tables = policy.tables().into_iter().flat_map(files);
    tables.chain([policy.file().to_owned(), policy.ledger().to_owned()]).collect()
}

/// A column in memory that cannot be read as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    /// Its name.
    pub column: String,
    /// The declared type.
    pub declared: ColumnType,
    /// The fault of its stored type.
    pub reason: String,
}

/// The declared columns that rows in memory store in a type that cannot be read as declared. Columns without rows, and
/// missing columns, are not reported.
#[must_use]
pub fn misfits(columns: &[Column], rows: &[RecordBatch]) -> Vec<Misfit> {
    let Some(schema) = rows.first().map(RecordBatch::schema) else { return Vec::new() };
    let misfit = |column: &Column| {
        let stored = schema.field_with_name(&column.name).ok()?.data_type();
        let reason = match ColumnReader::from_stored(column, stored, Path::new("rows in memory")).err()? {
            SourceError::ColumnType { stored, declared, .. } => {
                format!("is stored as {stored}, which cannot be read as {declared}")
            }
            other => other.to_string(),
        };
        Some(Misfit { column: column.name.clone(), declared: column.kind, reason })
    };
    columns.iter().filter_map(misfit).collect()
}
