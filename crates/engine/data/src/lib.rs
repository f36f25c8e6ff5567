//! Sources of rows: files of CSV or Parquet, objects in stores, tables of PostgreSQL or engines, or batches in memory,
//! as columns of the six types.
//!
//! | question | module |
//! |---|---|
//! | which facts about a table are public? | [`deniable_core::schema`] |
//! | which files are read, and have they changed? | [`Source`], `files`, `partitions`, `fingerprint` |
//! | what does every source of rows offer? | [`Rows`], which `file_rows`, `in_memory` and the crates in `sources`
//!   implement |
//! | which sources is a program compiled with? | [`Sources`], [`Connections`] |
//! | which tables remain in an engine that computes totals? | [`EngineTable`] |
//! | how are rows of a database copied to a file? | [`Source::pull`] |
//! | how does delimited text become fields? | `text`, `header` |
//! | how do stored values become values of declared types? | [`reading`]: total functions, NULL for what they cannot
//!   read |
//! | how are all rows read? | [`scan`]: batches for several threads, or in order with their places |
//! | how is memory limited? | [`memory`] |
//! | how is progress measured? | [`meter`], [`watch`] |
//! | what must a curator know before a release? | [`check`], `oddities`, `entities`, `entity_hashes`, [`names`] |
//! | which bits identify an entity? | [`identity`] |
//! | how often does each distinct row occur in a table? | [`groups`] |
//! | how might answers look before any data is read? | [`mod@synthetic`] |
//! | how are rows written as a policy declares them? | [`Source::write`] |
//!
//! A source knows the declared types and reads nothing but declared columns. Values that are not of their declared type
//! become NULL. Whether files have the right shape is checked beforehand, for the curator alone, by [`check`].

pub mod check;
mod connections;
mod date_forms;
mod diagnose;
mod drive;
mod engine;
mod entities;
mod entity_hashes;
pub mod error;
mod file_rows;
mod files;
mod fingerprint;
mod frequent;
pub mod groups;
mod header;
pub mod identity;
mod in_memory;
mod kept;
pub mod keys;
pub mod kind;
pub mod memory;
pub mod meter;
pub mod names;
mod number_forms;
mod object;
mod oddities;
mod parquet;
mod partitions;
pub mod public;
mod pull;
pub mod reading;
mod rows;
pub mod scan;
pub mod synthetic;
mod text;
mod texts;
mod types;
mod write;

pub use connections::{Connections, Databases, FindObjects, OpenTable, Sources, StoredTypes};
pub use diagnose::NO_NAMES;
pub use drive::watch;
pub use entity_hashes::{EntityHash, EntityHashes};
pub use error::{RemoteError, SourceError};
pub use memory::{Memory, Reservation, temporary_file};
pub use meter::{Meter, Progress};
pub use object::Object;
pub use rows::{RemoteRows, RemoteScan, Rows};
pub use scan::{Batch, Form, ReadColumn, Scan, ScanError, ScanInput, WantedColumn};
pub use synthetic::{MadeUp, Nulls, made_up, public_keys, synthetic};
pub use text::{Quirk, broken_quotes};
pub use texts::texts;
pub use types::{arrow_type, memory_schema};

pub use engine::{AskEngine, EngineColumn, EngineConnection, EngineTable, StorageType};
pub use files::is_part_of;
pub use in_memory::InMemory;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use deniable_core::schema::{Data, Format, TableSchema};
use file_rows::FileRows;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The resources that a computation may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// The number of threads.
    pub threads: usize,
    /// Bytes of memory for rows, totals and intermediate results; `None` is unlimited. Buffers for reading files are
    /// not included: some ten megabytes per thread.
    pub memory: Option<usize>,
    /// The folder for rows that do not fit; `None` is the system's folder for temporary files.
    pub spill: Option<PathBuf>,
}

impl Default for Resources {
    /// All threads, 4 GiB, the system's folder.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, memory: Some(4 << 30), spill: None }
    }
}

impl Resources {
    /// The smallest accepted memory limit in bytes.
    pub const LEAST_MEMORY: usize = 1_000_000;
}

/// The rows of one table.
#[derive(Debug, Clone)]
pub struct Source {
    table: TableSchema,
    rows: Arc<dyn Rows>,
    version: Option<KnownVersion>,
}

/// The version that rows of a database or an engine must have, or whose fingerprint a scan computes.
#[derive(Clone)]
pub struct KnownVersion {
    /// The key of fingerprints.
    pub key: [u8; 32],
    /// The expected fingerprint, if the rows are registered.
    pub registered: Option<String>,
}

/// Does not show the key.
impl std::fmt::Debug for KnownVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownVersion")
    }
}

impl Source {
    /// Finds the rows that a policy declares, with the installed sources, for a table that is read alone. A relative
    /// path starts at `folder`.
    ///
    /// # Errors
    /// When there are no files, the path is a URL, a folder cannot be read, or a file is not in a folder of a declared
    /// partition; and when a database or an engine cannot be reached or lacks the table.
    pub fn locate(table: TableSchema, data: &Data, folder: &Path) -> Result<Self, SourceError> {
        Self::locate_with(table, data, folder, &mut Connections::default())
    }

    /// As [`Self::locate`], for one of several tables: tables in one database share a snapshot.
    ///
    /// # Errors
    /// As of [`Self::locate`].
    pub fn locate_with(
        table: TableSchema,
        data: &Data,
        folder: &Path,
        connections: &mut Connections,
    ) -> Result<Self, SourceError> {
        let rows = match &data.format {
            Format::Postgres { .. } => connections.database(&table, data)?,
            Format::Engine { .. } => connections.engine(&table, data)?,
            Format::Csv(_) | Format::Parquet => Arc::new(FileRows::locate(data, folder, connections.sources())?),
        };
        Ok(Self { table, rows, version: None })
    }

    /// The same rows, which every scan compares with the registered ones at its end, if they are in a database or an
    /// engine, since only reading them shows whether they changed. Without a registered fingerprint, a scan of all
    /// columns computes it. Files are compared before they are read ([`Self::fingerprint`]), and are not affected.
    #[must_use]
    pub fn of_version(self, key: [u8; 32], registered: Option<&str>) -> Self {
        Self { version: Some(KnownVersion { key, registered: registered.map(str::to_owned) }), ..self }
    }

    /// Rows in memory: columns with their declared names, in types that can be read as the declared ones.
    #[must_use]
    pub fn memory(table: TableSchema, rows: impl Into<InMemory>) -> Self {
        Self { table, rows: Arc::new(rows.into()), version: None }
    }

    /// Rows in memory of the declared types: times are local times, for any zone of the policy.
    pub(crate) fn of_local_times(mut table: TableSchema, rows: Vec<RecordBatch>) -> Self {
        table.columns.iter_mut().for_each(|column| column.zone = None);
        Self::memory(table, rows)
    }

    /// The same rows, read into memory in their declared types and the order of the files.
    ///
    /// # Errors
    /// When files cannot be read completely, or lack declared columns.
    pub fn into_memory(self) -> Result<Self, SourceError> {
        let wanted: Vec<WantedColumn> = (0..self.table.columns.len()).map(WantedColumn::typed).collect();
        let schema = Arc::new(memory_schema(&self.table));
        let take = |batches: &mut Vec<RecordBatch>, batch: Batch| {
            let columns: Vec<ArrayRef> = batch.columns.iter().map(ReadColumn::to_array).collect();
            let rows = RecordBatchOptions::new().with_row_count(Some(batch.rows));
            let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &rows);
            batch.map(|batch| batches.push(batch)).map_err(|_| ())
        };
        let batches = self.scan(&wanted, &Meter::new())?.run(1, Vec::new, take).map_err(|error| match error {
            ScanError::Source(error) => error,
            ScanError::Work(()) => SourceError::Rows { table: self.table.name.clone() },
        })?;
        let batches: Vec<RecordBatch> = batches.into_iter().flatten().collect();
        Ok(Self { version: self.version, ..Self::of_local_times(self.table, batches) })
    }

    /// The public description of the table.
    #[must_use]
    pub fn table(&self) -> &TableSchema {
        &self.table
    }

    /// Whether the rows are in a database.
    #[must_use]
    pub fn is_in_database(&self) -> bool {
        self.rows.stored_types().is_some()
    }

    /// The table of an engine, if an engine holds the rows.
    #[must_use]
    pub fn engine(&self) -> Option<&Arc<EngineTable>> {
        self.rows.engine()
    }

    /// The fingerprint of an engine's rows, from their number and sums of their hashes, and whether it matches the
    /// registered one; `None` if the rows are not in an engine, or no version was set ([`Self::of_version`]).
    #[must_use]
    pub fn known_again(&self, rows: i128, sums: &[i128]) -> Option<(String, bool)> {
        let (table, KnownVersion { key, registered }) = (self.engine()?, self.version.as_ref()?);
        let found = table.fingerprint(key, rows, sums);
        let is_registered = registered.as_ref().is_none_or(|registered| *registered == found);
        Some((found, is_registered))
    }

    /// The files in order, or the URLs of objects; empty for rows in memory, a database or an engine.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.rows.files()
    }

    /// The size of all files in bytes; `None` for rows that are not in files, or if the file system does not report it.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.rows.size()
    }

    /// The time of the last write to any of the files, if the file system reports it. No file is read.
    #[must_use]
    pub fn last_written(&self) -> Option<SystemTime> {
        self.files().iter().filter_map(|file| std::fs::metadata(file).and_then(|about| about.modified()).ok()).max()
    }
}

// `tests/it` is part of the unit tests' program, to link one program per crate. The alias lets it name items of this
// crate by an external path.
#[cfg(test)]
extern crate self as deniable_data;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
