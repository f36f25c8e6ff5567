//! Errors on reading data.
//!
//! No message quotes a value of the data: messages contain only what a curator needs to find the fault.

use crate::text::Quirk;
use std::path::PathBuf;

/// An error on reading data. For the curator only: it may name files, lines and columns, but never values.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No file matches.
    #[error("no {extension} file at {path}")]
    NoFile {
        /// The path as declared.
        path: PathBuf,
        /// The expected extension.
        extension: &'static str,
    },
    /// A file or folder could not be opened or read.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's message.
        reason: String,
    },
    /// The path is a URL, but files are read from this machine only.
    #[error("{url} is a URL, and files are read from this machine only")]
    Url {
        /// The URL; only its scheme if it may contain credentials.
        url: String,
        /// The remedy.
        help: &'static str,
    },
    /// The first bytes of a file show another format.
    #[error("{path} is {found}, and not {wanted}")]
    NotTable {
        /// The file.
        path: PathBuf,
        /// The format found.
        found: &'static str,
        /// The expected format.
        wanted: &'static str,
        /// The remedy.
        help: &'static str,
    },
    /// A record of delimited text that is not a row, in a table without a policy, such as one that `assess` reads. The
    /// message does not quote it.
    #[error("{path}:{line}: {what}")]
    NoRow {
        /// The file.
        path: PathBuf,
        /// The line on which the record begins, counted from 1.
        line: u64,
        /// The fault of the record, without its text.
        what: String,
        /// The quirk that breaks the record, which a curator may accept.
        quirk: Option<Quirk>,
    },
    /// A file's first line cannot be the names of its columns. The message does not quote it.
    #[error("{path} does not begin with the names of its columns: {problem}")]
    NoNames {
        /// The file.
        path: PathBuf,
        /// The fault of the line.
        problem: &'static str,
    },
    /// A database or an object store cannot be read. Its own messages may quote rows or credentials, and are left out.
    #[error("{problem}")]
    Remote {
        /// The cause.
        problem: String,
        /// The remedy.
        help: &'static str,
    },
    /// The rows differ from the registered ones. For the curator only: that rows have just changed is private.
    #[error("the rows of {table} are not those that were registered as this version")]
    Changed {
        /// The table.
        table: String,
    },
    /// The result of an engine is inconsistent with any rows, or exceeds the caps. For the curator only.
    #[error("the engine that holds {table} returned an invalid result: {what}")]
    Lied {
        /// The table.
        table: String,
        /// The fault of the result.
        what: String,
    },
    /// A kind of source that this build does not support.
    #[error("the rows of {table} are in {place}, which this build does not read")]
    NotBuilt {
        /// The table.
        table: String,
        /// The kind of place of its rows.
        place: &'static str,
        /// The remedy.
        help: &'static str,
    },
    /// The rows are in files, but rows of a database are expected.
    #[error("the rows of {table} are in files already")]
    NoDatabase {
        /// The table.
        table: String,
    },
    /// An output file could not be written.
    #[error("{path} cannot be written: {reason}")]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The operating system's message.
        reason: String,
    },
    /// The path is not a valid pattern.
    #[error("`{pattern}` is not a usable file pattern: {reason}")]
    Pattern {
        /// The pattern as declared.
        pattern: String,
        /// The fault of the pattern.
        reason: String,
    },
    /// A declared column is missing in the file.
    #[error("{path} has no column `{column}`; it has {found}")]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The declared column.
        column: String,
        /// The columns of the file.
        found: String,
    },
    /// A file has no header, or an empty one.
    #[error("{path} is empty; it should start with a line of column names")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Files of one table disagree about their columns.
    #[error("{path} does not have the same columns as {first}")]
    ColumnsDiffer {
        /// The first file.
        first: PathBuf,
        /// The other file.
        path: PathBuf,
    },
    /// A column occurs twice.
    #[error("{path} has two columns named `{column}`")]
    TwoColumns {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
    },
    /// The stored type of a Parquet column cannot be read as the declared type.
    #[error("{path}: column `{column}` is stored as {stored}, which cannot be read as {declared}")]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type in the file.
        stored: String,
        /// Its declared type.
        declared: &'static str,
    },
    /// Stored moments whose zone the policy does not state, or a stated zone for a column without moments.
    #[error("{path}: column `{column}` {problem}")]
    Zone {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The fault of the zone.
        problem: ZoneProblem,
    },
    /// A file without a usable value for a partition.
    #[error("{path}: the partition `{column}` {problem}")]
    Partition {
        /// The file.
        path: PathBuf,
        /// The partition column.
        column: String,
        /// The fault of the partition.
        problem: &'static str,
    },
    /// A public table whose key is not unique or not complete. The table is public, so the message may name its rows.
    #[error("the key `{column}` of the public table `{table}` {problem}")]
    Key {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The fault of the key, with the rows, counted from 1 over all files.
        problem: String,
    },
    /// A public table whose keys cannot be used. The table is public, so the message may name and quote its rows.
    #[error("{path}: the keys in `{column}` of the public table `{table}` {problem}")]
    PublicKeys {
        /// The first of its files.
        path: PathBuf,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The fault of the keys, with the row, counted from 1 over all files.
        problem: String,
    },
    /// The computation needs more memory than allowed.
    #[error("the rows of {table} do not fit into the memory that is allowed")]
    Memory {
        /// The table.
        table: String,
    },
    /// Temporary files could not be written or read back, most often because the disk is full.
    #[error("{table} does not fit into memory, and temporary files could not be written or read back: {reason}")]
    Spill {
        /// The table.
        table: String,
        /// The operating system's message.
        reason: String,
    },
    /// The rows could not be read completely. The underlying messages may quote rows, and are left out.
    #[error("the rows of {table} could not be read to the end")]
    Rows {
        /// The table.
        table: String,
    },
}

/// An error of a database, an engine or an object store. For the curator; it quotes no row and no credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct RemoteError {
    /// The cause.
    pub problem: String,
    /// The remedy.
    pub help: &'static str,
}

/// The fault of a column's time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZoneProblem {
    /// The column stores moments, but the policy states no zone for their local time.
    #[error("stores moments with the zone {0}, and the policy states no zone for their local time")]
    Unstated(String),
    /// A zone is stated for a column that stores local times.
    #[error("stores local times without a zone, and the policy states the zone {0}")]
    Misplaced(&'static str),
}

impl ZoneProblem {
    /// The remedy.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unstated(_) => {
                "state it in the column's section: `zone = \"Europe/Berlin\"`, or `zone = \"UTC\"`. In it 2024-06-30T23:30Z is a time of July 1, \
                 or of June 30"
            }
            Self::Misplaced(_) => "remove `zone`: the times count as they are stored",
        }
    }
}

impl SourceError {
    /// The error of another program that cannot be read.
    #[must_use]
    pub fn remote(RemoteError { problem, help }: RemoteError) -> Self {
        Self::Remote { problem, help }
    }

    /// The error for reading rows of a table that an engine holds.
    #[must_use]
    pub fn in_engine(table: &str) -> Self {
        Self::Remote {
            problem: format!("the rows of {table} are in an engine, and cannot be read from it"),
            help: "export them as Parquet, and use these files",
        }
    }
}
