//! The trait of sources: the rows of one table, wherever they are stored.
//!
//! This crate implements it for files and rows in memory; the crates in `sources` implement it for tables of databases
//! and engines. [`crate::Sources`] lists the sources of a program.

use crate::engine::EngineTable;
use crate::error::SourceError;
use crate::reading::ColumnReader;
use crate::scan::{ScanInput, WantedColumn};
use crate::{KnownVersion, Source};
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use deniable_core::schema::TableSchema;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rows of one table. The default methods are for rows that are neither in files nor in a database.
pub trait Rows: std::fmt::Debug + Send + Sync {
    /// Opens a scan of these columns, after all checks that do not read rows. A scan of a database or an engine
    /// compares the rows with `version` at its end.
    ///
    /// # Errors
    /// When rows cannot be read, or a declared column is missing or has an unsuitable type.
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError>;

    /// A keyed hash of the rows' contents: see [`Source::fingerprint`]. `source` is the table of these rows.
    ///
    /// # Errors
    /// When the rows cannot be read.
    fn fingerprint(&self, source: &Source, key: &[u8; 32]) -> Result<String, SourceError>;

    /// The part of the fingerprint that is known without reading rows: see [`Source::marks`].
    fn marks(&self, _key: &[u8; 32]) -> Option<String> {
        None
    }

    /// Whether two fingerprints are of the same rows.
    fn has_contents(&self, registered: &str, found: &str) -> bool {
        registered == found
    }

    /// The files in order, or the URLs of objects.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The size of all files in bytes, if rows are in files and it is known.
    fn size(&self) -> Option<u64> {
        None
    }

    /// The name of a file or table in messages, by its index among those of the rows.
    fn path(&self, _file: usize) -> Option<&Path> {
        None
    }

    /// The text by which a database finds a row again, if it is not `path:line`.
    fn place(&self, _file: usize, _line: u64) -> Option<String> {
        None
    }

    /// The types in which a database sends the declared columns; `None` for rows that are not in a database.
    fn stored_types(&self) -> Option<Vec<DataType>> {
        None
    }

    /// The engine's table, if an engine holds the rows and returns totals instead of them.
    fn engine(&self) -> Option<&Arc<EngineTable>> {
        None
    }

    /// Whether the rows are delimited text, whose records may be broken or have quirks.
    fn is_delimited(&self) -> bool {
        false
    }

    /// Checks the declared format of files by their first bytes, for the curator alone: these bytes are rows, too.
    ///
    /// # Errors
    /// When a file has another format.
    fn check_kind(&self) -> Result<(), SourceError> {
        Ok(())
    }
}

/// A scan of rows that another program sends as arrays, several parts at the same time.
pub trait RemoteScan: std::fmt::Debug + Send + Sync {
    /// The readers that convert the arrays of the wanted columns.
    fn readers(&self) -> &[ColumnReader];

    /// Receives parts, each on one thread only, until none remain or `take` returns false. `take` is called with at
    /// most `most_rows` rows at a time, and with their places if `with_places` is set.
    ///
    /// # Errors
    /// When the rows cannot be read completely.
    fn receive(
        &self,
        with_places: bool,
        most_rows: usize,
        take: &mut dyn FnMut(&RemoteRows<'_>) -> bool,
    ) -> Result<(), SourceError>;

    /// Compares all rows, which must have been received completely, with the registered ones.
    ///
    /// # Errors
    /// When they differ.
    fn finish(self: Box<Self>) -> Result<(), SourceError>;
}

/// A batch of rows of a [`RemoteScan`].
#[derive(Debug)]
pub struct RemoteRows<'a> {
    /// The number of rows.
    pub rows: usize,
    /// Bytes received for them.
    pub bytes: u64,
    /// Their table, by its index among those of [`Rows::path`].
    pub file: usize,
    /// The wanted columns.
    pub columns: &'a [ArrayRef],
    /// The place of each row, if rows have places.
    pub places: &'a [u64],
}
