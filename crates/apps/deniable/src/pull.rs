//! Copies of the tables of a database as Parquet files.

use crate::sources::install_sources;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::schema::{DeclaredTable, Format, TableSchema};
use deniable_data::{Connections, Source, SourceError};
use deniable_policy::Policy;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// Tables that were copied. For the curator: numbers of rows are private.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The policy, with the copies in place of the tables.
    pub policy: Policy,
    /// The copies, in the policy's order.
    pub tables: Vec<PulledTable>,
}

/// A copy of a table. `Display` prints sentences for the curator, one on each line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PulledTable {
    /// The table.
    pub table: String,
    /// The number of copied rows.
    pub rows: u64,
    /// The Parquet file.
    pub file: PathBuf,
    /// The section of the policy that declares the table.
    pub section: String,
}

impl Display for PulledTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { table, rows, file, section } = self;
        let path = file.display();
        write!(
            f,
            "pulled {rows} rows of `{table}` into {path}\nto answer from this file, write `path = \"{path}\"` under \
             [{section}] in place of format, relation and connect"
        )
    }
}

/// Tables that were not copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PullError {
    /// No table of the policy is in a database.
    #[error("no table of this policy is in a database")]
    NoDatabase,
    /// A file of this name exists.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The folder cannot be created.
    #[error("the folder {} cannot be created: {error}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A table cannot be read, or its copy cannot be written.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A copy has a name that is not that of a Parquet file.
    #[error("{} is not Parquet", .0.display())]
    NotParquet(PathBuf),
}

impl Diagnose for PullError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Source(error) => return error.diagnostics(surface),
            Self::NoDatabase => format!(
                "use {} for files; a table of a database has `format = \"postgres\"`; rows of an engine are exported to \
                 Parquet with the engine's own tools",
                surface.check_data()
            ),
            Self::Exists(_) => format!(
                "name another folder with {}: the file may belong to a registered version",
                surface.option("to")
            ),
            Self::Folder { .. } => "name a folder that you may write to".to_owned(),
            Self::NotParquet(_) => "name another folder".to_owned(),
        };
        vec![Diagnostic::new(Code::Other, self).with_help(help)]
    }
}

/// Copies every table of the policy that is in a database into a folder, as `TABLE.parquet`, from one snapshot of the
/// database. `progress` receives the table and its number of rows so far.
///
/// # Errors
/// When no table is in a database, a file exists, the folder cannot be created, or a table cannot be read.
pub fn pull(policy: Policy, to: &Path, threads: usize, progress: &dyn Fn(&str, u64)) -> Result<Pulled, PullError> {
    install_sources();
    let tables = policy.tables();
    let is_stored = |table: &&DeclaredTable| matches!(table.data.format, Format::Postgres { .. });
    let stored: Vec<&DeclaredTable> = tables.iter().filter(is_stored).collect();
    if stored.is_empty() {
        return Err(PullError::NoDatabase);
    }
    let files: Vec<PathBuf> = stored.iter().map(|table| to.join(format!("{}.parquet", table.data.table))).collect();
    if let Some(file) = files.iter().find(|file| file.exists()) {
        return Err(PullError::Exists(file.clone()));
    }
    std::fs::create_dir_all(to).map_err(|error| PullError::Folder { folder: to.to_owned(), error })?;
    let mut connections = Connections::default();
    let mut sources = Vec::new();
    // All tables are located before the first is pulled, and all reads share one snapshot.
    for table in &stored {
        let schema = TableSchema::protected(&table.data.table, table.columns.clone(), None);
        sources.push(Source::locate_with(schema, &table.data, policy.folder(), &mut connections)?);
    }
    let mut pulled = Pulled { policy: policy.clone(), tables: Vec::new() };
    for ((table, source), file) in stored.iter().zip(sources).zip(files) {
        let name = table.data.table.clone();
        let rows = source.pull(&file, threads, &|rows| progress(&name, rows))?;
        // A path that ends in `.parquet` is accepted for a table of a database.
        let path = file.to_string_lossy().into_owned();
        let next = pulled.policy.with_table_at(&name, path);
        pulled.policy = next.map_err(|_| PullError::NotParquet(file.clone()))?;
        let section = if name == policy.data().table { "data".to_owned() } else { format!("tables.{name}") };
        pulled.tables.push(PulledTable { table: name, rows, file, section });
    }
    Ok(pulled)
}
