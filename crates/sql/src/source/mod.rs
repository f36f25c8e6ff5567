//! Where the rows are: files of CSV or Parquet, or batches in memory.
//!
//! A source knows the declared types and reads nothing but declared columns. Values that are not of their
//! declared type become NULL; that files have the right shape at all is checked beforehand, for the curator
//! alone, by [`check`].

mod cause;
pub mod check;
mod columns;
mod dates;
mod drive;
mod exact;
mod files;
pub mod groups;
mod header;
#[cfg(test)]
mod hostile;
pub mod kind;
mod meter;
pub mod names;
mod oddities;
mod parquet;
mod partitions;
pub(crate) mod reading;
mod scan;
pub mod synthetic;
mod text;
mod texts;

pub use exact::{Progress, Resources, exact};
pub use synthetic::{Simulation, synthetic};
pub use texts::texts;

use crate::error::SourceError;
use crate::plan::{Table, session_state};
use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::{DataFrame, SessionContext};
use deniable_policy::{Data, Format};
use partitions::Partitions;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The rows of one table.
#[derive(Debug, Clone)]
pub struct Source {
    table: Table,
    rows: Rows,
}

#[derive(Debug, Clone)]
enum Rows {
    Files { files: Vec<PathBuf>, format: Format, partitions: Partitions },
    Memory(Vec<RecordBatch>),
}

impl Source {
    /// Finds the files that a policy declares. `folder` is what a relative path is relative to.
    ///
    /// # Errors
    /// When there are none, a folder cannot be read, or a file lies in no folder of a declared partition.
    pub fn locate(table: Table, data: &Data, folder: &Path) -> Result<Self, SourceError> {
        let files = files::locate(&data.path, &data.format, folder)?;
        let partitions = Partitions::of(&files, &data.partitions, folder)?;
        Ok(Self { table, rows: Rows::Files { files, format: data.format.clone(), partitions } })
    }

    /// Rows that are in memory already, in the declared types and the declared order of columns.
    #[must_use]
    pub fn memory(table: Table, batches: Vec<RecordBatch>) -> Self {
        Self { table, rows: Rows::Memory(batches) }
    }

    /// The same rows, read into memory, in their declared types.
    ///
    /// # Errors
    /// When files cannot be read to the end, or lack declared columns.
    pub fn into_memory(self) -> Result<Self, SourceError> {
        let unreadable = || SourceError::Rows { table: self.table.name.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|_| unreadable())?;
        let batches = runtime.block_on(async {
            let context = SessionContext::new_with_state(session_state());
            self.typed(&context).await?.collect().await.map_err(|_| unreadable())
        })?;
        Ok(Self { rows: Rows::Memory(batches), ..self })
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The files, in order; none for rows in memory.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        match &self.rows {
            Rows::Files { files, .. } => files,
            Rows::Memory(_) => &[],
        }
    }

    /// When any of the files was last written to, as the file system tells; `None` where it does not. No file is read.
    #[must_use]
    pub fn last_written(&self) -> Option<SystemTime> {
        self.files().iter().filter_map(|file| std::fs::metadata(file).and_then(|about| about.modified()).ok()).max()
    }

    /// A keyed hash of the contents of all files, whatever their names and order. It is worth nothing without the
    /// key, and must not be published all the same.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn fingerprint(&self, key: &[u8; 32]) -> Result<String, SourceError> {
        files::fingerprint(self.files(), key)
    }

    /// The declared columns, named with their table.
    async fn named(&self, context: &SessionContext) -> Result<DataFrame, SourceError> {
        let frame = self.typed(context).await?;
        frame.alias(&self.table.name).map_err(|_| SourceError::Rows { table: self.table.name.clone() })
    }
}
