//! The trait of sources: the rows of one table, wherever they are.
//!
//! Files and rows in memory implement it in this crate; the crates in `sources` implement it for tables of databases and
//! engines. What a program can open is listed in [`crate::Sources`].

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

/// The rows of one table. The defaults are those of rows that are in no files and no database.
pub trait Rows: std::fmt::Debug + Send + Sync {
    /// Opens a scan of these columns, after everything that can be refused is refused. A scan of a database or an engine
    /// compares the rows with `version` at its end.
    ///
    /// # Errors
    /// When rows cannot be read, or lack the declared columns in types that can be read as theirs.
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError>;

    /// A keyed hash of what the rows hold: see [`Source::fingerprint`]. `source` is the table that these rows are of.
    ///
    /// # Errors
    /// When the rows cannot be read.
    fn fingerprint(&self, source: &Source, key: &[u8; 32]) -> Result<String, SourceError>;

    /// The beginning of the fingerprint, which is known without reading rows: see [`Source::marks`].
    fn marks(&self, _key: &[u8; 32]) -> Option<String> {
        None
    }

    /// Whether two fingerprints are of the same rows.
    fn has_contents(&self, registered: &str, found: &str) -> bool {
        registered == found
    }

    /// The files, in order, or the URLs of objects.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Bytes of all files together, where rows are in files and their size is known.
    fn size(&self) -> Option<u64> {
        None
    }

    /// The name of a file or table in messages, by its place among those of the rows.
    fn path(&self, _file: usize) -> Option<&Path> {
        None
    }

    /// How a database finds a row again, where that is not `path:line`.
    fn place(&self, _file: usize, _line: u64) -> Option<String> {
        None
    }

    /// The types in which a database sends the declared columns. `None` for rows that are in no database.
    fn stored_types(&self) -> Option<Vec<DataType>> {
        None
    }

    /// The table of the engine that holds the rows, and that is asked for totals in place of rows.
    fn engine(&self) -> Option<&Arc<EngineTable>> {
        None
    }

    /// Whether the rows are delimited text, whose records may be broken or have quirks.
    fn is_delimited(&self) -> bool {
        false
    }

    /// Checks that files are of their declared kind by their first bytes, for the curator alone: these bytes are rows, too.
    ///
    /// # Errors
    /// When a file is of another kind.
    fn check_kind(&self) -> Result<(), SourceError> {
        Ok(())
    }
}

/// A scan of rows that another program sends as arrays, several parts at the same time.
pub trait RemoteScan: std::fmt::Debug + Send + Sync {
    /// How the arrays of each wanted column become values.
    fn readers(&self) -> &[ColumnReader];

    /// Receives parts that no other thread receives until there are none, or `take` returns false. `take` is given at most
    /// `most_rows` rows at a time, with their places where `with_places` asks for them.
    ///
    /// # Errors
    /// When the rows cannot be read to their end.
    fn receive(
        &self,
        with_places: bool,
        most_rows: usize,
        take: &mut dyn FnMut(&RemoteRows<'_>) -> bool,
    ) -> Result<(), SourceError>;

    /// Compares all rows, which were received to their end, with those that were registered.
    ///
    /// # Errors
    /// When they are others.
    fn finish(self: Box<Self>) -> Result<(), SourceError>;
}

/// Some rows of a [`RemoteScan`].
#[derive(Debug)]
pub struct RemoteRows<'a> {
    /// How many.
    pub rows: usize,
    /// Bytes that were received for them.
    pub bytes: u64,
    /// The table that they are of, by its place among those of [`Rows::path`].
    pub file: usize,
    /// The wanted columns.
    pub columns: &'a [ArrayRef],
    /// The place of each row, if rows have places.
    pub places: &'a [u64],
}
