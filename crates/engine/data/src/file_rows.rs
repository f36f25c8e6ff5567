//! Files of CSV or Parquet, and objects of stores, as the rows of a table.

use crate::connections::Sources;
use crate::error::SourceError;
use crate::files::{DataFile, locate};
use crate::kind::expect_no_other;
use crate::partitions::Partitions;
use crate::reading::ColumnReader;
use crate::rows::Rows;
use crate::scan::{ScanInput, WantedColumn};
use crate::text::Layout;
use crate::{KnownVersion, Source, fingerprint, parquet};
use deniable_core::schema::{Data, Format, TableSchema};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of one table.
#[derive(Debug)]
pub(crate) struct FileRows {
    files: Vec<DataFile>,
    format: Format,
    partitions: Partitions,
}

impl FileRows {
    /// When there are no files, a folder cannot be read, or a file is not in a folder of a declared partition.
    /// When there are none, a folder cannot be read, or a file is in no folder of a declared partition.
    pub(crate) fn locate(data: &Data, folder: &Path, sources: &Sources) -> Result<Self, SourceError> {
        let files = locate(&data.path, &data.format, folder, sources)?;
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
        let partitions = Partitions::of(&paths, &data.partitions, folder)?;
        Ok(Self { files, format: data.format.clone(), partitions })
    }
}

impl Rows for FileRows {
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        _version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        let declared = &table.columns;
        Ok(match &self.format {
            Format::Csv(options) => {
                let layout = Layout::of(&self.files, options, declared)?;
                let layout = Arc::new(layout.project(wanted.iter().map(|wanted| wanted.column)));
                let columns = wanted.iter().filter_map(|wanted| declared.get(wanted.column));
                let readers = columns.map(|column| ColumnReader::from_text(column, options)).collect();
                ScanInput::text(self.files.clone(), layout, readers)
            }
            Format::Parquet | Format::Postgres { .. } | Format::Engine { .. } => {
                ScanInput::parquet(parquet::units(&self.files, declared, &self.partitions, wanted)?)
            }
        })
    }

    fn fingerprint(&self, _source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
        let contents = fingerprint::of_files(&self.files, key)?;
        Ok(self.marks(key).map_or(contents.clone(), |marks| format!("{marks}.{contents}")))
    }

    fn marks(&self, key: &[u8; 32]) -> Option<String> {
        fingerprint::marks_of(&self.files, key)
    }

    /// Files may be moved to an object store and back, so only their contents are compared.
    fn has_contents(&self, registered: &str, found: &str) -> bool {
        registered.rsplit('.').next() == found.rsplit('.').next()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path().to_owned()).collect()
    }

    fn size(&self) -> Option<u64> {
        self.files.iter().map(DataFile::size).sum()
    }

    fn path(&self, file: usize) -> Option<&Path> {
        self.files.get(file).map(DataFile::path)
    }

    fn is_delimited(&self) -> bool {
        matches!(self.format, Format::Csv(_))
    }

    fn check_kind(&self) -> Result<(), SourceError> {
        match &self.format {
            Format::Csv(options) => self.files.iter().try_for_each(|file| expect_no_other(file, options)),
            Format::Parquet | Format::Postgres { .. } | Format::Engine { .. } => Ok(()),
        }
    }
}
