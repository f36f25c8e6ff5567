//! Data that cannot be read.
//!
//! Nothing here quotes a value of the data: what failed is reduced to what a curator needs in order to look for themselves.

use crate::text::Quirk;
use std::path::PathBuf;

/// Data that cannot be read. For the curator only: it may name files, lines and columns, never values.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No file matches.
    #[error("no {extension} file at {path}")]
    NoFile {
        /// The path as declared.
        path: PathBuf,
        /// What was looked for.
        extension: &'static str,
    },
    /// A file or folder could not be opened or read.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// The path is a URL: rows are read from files of this machine.
    #[error("{url} is a URL, and files are read from this machine only")]
    Url {
        /// The URL; of one that may hold credentials, its scheme only.
        url: String,
        /// What to do.
        help: &'static str,
    },
    /// A file is something else by its first bytes.
    #[error("{path} is {found}, and not {wanted}")]
    NotTable {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// What to do.
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
        /// The quirk that makes it one, which a curator may accept.
        quirk: Option<Quirk>,
    },
    /// A file's first line cannot be the names of its columns. Nothing of it is quoted.
    #[error("{path} does not begin with the names of its columns: {problem}")]
    NoNames {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A database or a store of objects cannot be read. Their own words may quote rows or credentials and are left out.
    #[error("{problem}")]
    Remote {
        /// What is wrong.
        problem: String,
        /// What to do.
        help: &'static str,
    },
    /// The rows are not those that were registered. Only the curator may know: that somebody's rows changed just now is private.
    #[error("the rows of {table} are not those that were registered as this version")]
    Changed {
        /// The table.
        table: String,
    },
    /// An engine answered something that no rows add up to, or more than the caps allow. Only the curator may know.
    #[error("the engine that holds {table} does not do as it is told: {what}")]
    Lied {
        /// The table.
        table: String,
        /// What is wrong with its answer.
        what: String,
    },
    /// A kind of data that this build reads none of.
    #[error("the rows of {table} are in {place}, which this build does not read")]
    NotBuilt {
        /// The table.
        table: String,
        /// Where they are.
        place: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// Rows of a file, where those of a database are wanted.
    #[error("the rows of {table} are in files already")]
    NoDatabase {
        /// The table.
        table: String,
    },
    /// A file that rows are kept in could not be written.
    #[error("{path} cannot be written: {reason}")]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// The path is not a usable pattern.
    #[error("`{pattern}` is not a usable file pattern: {reason}")]
    Pattern {
        /// The pattern as declared.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A declared column is not in the file.
    #[error("{path} has no column `{column}`; it has {found}")]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The declared column.
        column: String,
        /// The columns that are there.
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
    /// A column is there twice.
    #[error("{path} has two columns named `{column}`")]
    TwoColumns {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
    },
    /// A Parquet column of a kind that cannot be read as declared.
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
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A public table that is no function of its key. It is public, and so its rows may be named.
    #[error("the key `{column}` of the public table `{table}` {problem}")]
    Key {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong with it, with the rows, counted from 1 over all files.
        problem: String,
    },
    /// A public table from which no keys can be taken. It is public, and so its rows may be named and quoted.
    #[error("{path}: the keys in `{column}` of the public table `{table}` {problem}")]
    PublicKeys {
        /// The first of its files.
        path: PathBuf,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong with them, with the row, counted from 1 over all files.
        problem: String,
    },
    /// More had to be held in memory at once than is allowed.
    #[error("the rows of {table} do not fit into the memory that is allowed")]
    Memory {
        /// The table.
        table: String,
    },
    /// Temporary files could not be written: most often the disk is full.
    #[error("{table} does not fit into memory, and temporary files could not be written or read back: {reason}")]
    Spill {
        /// The table.
        table: String,
        /// The operating system's words.
        reason: String,
    },
    /// The engine failed while reading rows. The engine's own words may quote rows and are left out.
    #[error("the rows of {table} could not be read to the end")]
    Rows {
        /// The table.
        table: String,
    },
}

/// A database, an engine or a store of objects cannot be read. For the curator; it quotes no row and no credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct RemoteError {
    /// What is wrong.
    pub problem: String,
    /// How to correct it.
    pub help: &'static str,
}

/// Why the local time of a column is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZoneProblem {
    /// Moments are stored, and no zone is stated in whose local time they count.
    #[error("stores moments with the zone {0}, and the policy does not state in which zone's local time they count")]
    Unstated(String),
    /// A zone is stated for a column that stores local times.
    #[error("stores local times without a zone, and the policy states the zone {0}")]
    Misplaced(&'static str),
}

impl ZoneProblem {
    /// Suggests a correction.
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
    /// Another program that cannot be read.
    #[must_use]
    pub fn remote(RemoteError { problem, help }: RemoteError) -> Self {
        Self::Remote { problem, help }
    }

    /// Rows of an engine, where rows are read.
    #[must_use]
    pub fn in_engine(table: &str) -> Self {
        Self::Remote {
            problem: format!("the rows of {table} stay in the engine that holds them, and are read nowhere else"),
            help: "let the engine write them as Parquet, and name these files",
        }
    }
}
