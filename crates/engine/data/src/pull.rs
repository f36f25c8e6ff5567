//! Copies rows of a database to a Parquet file.

use crate::error::SourceError;
use crate::meter::Meter;
use crate::scan::{ScanError, WantedColumn};
use crate::{Source, watch};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::NamedTempFile;

impl Source {
    /// Writes the declared columns of a database's table to a file, atomically and readable only by its owner. Values
    /// are stored as the server sends them, so a check of the file has the same findings as a check of the table.
    /// `progress` is called with the number of rows so far.
    ///
    /// # Errors
    /// When the rows are not in a database, or cannot be read completely; and when the file cannot be written.
    pub fn pull(&self, file: &Path, threads: usize, progress: &dyn Fn(u64)) -> Result<u64, SourceError> {
        let Some(stored) = self.rows.stored_types() else {
            return Err(SourceError::NoDatabase { table: self.table().name.clone() });
        };
        let unwritten = |reason: String| SourceError::Unwritten { path: file.to_owned(), reason };
        let io = |error: std::io::Error| unwritten(error.to_string());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let columns = &self.table().columns;
        let fields = columns.iter().zip(stored);
        let fields: Vec<Field> = fields.map(|(column, stored)| Field::new(&column.name, stored, true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let written = NamedTempFile::new_in(folder).map_err(io)?;
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = ArrowWriter::try_new(written.as_file(), schema.clone(), Some(properties));
        let writer = Mutex::new(writer.map_err(|error| unwritten(error.to_string()))?);

        let wanted: Vec<WantedColumn> = (0..columns.len()).map(WantedColumn::typed).collect();
        let meter = Meter::new();
        let scan = self.scan(&wanted, &meter)?;
        let add = |rows: &mut u64, count: usize, columns: &[ArrayRef]| {
            let options = RecordBatchOptions::new().with_row_count(Some(count));
            let batch = RecordBatch::try_new_with_options(schema.clone(), columns.to_vec(), &options);
            let batch = batch.map_err(|error| error.to_string())?;
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.write(&batch).map_err(|error| error.to_string())?;
            *rows += count as u64;
            Ok(())
        };
        let rows = watch(&meter, None, &|told| progress(told.rows), || scan.stored(threads, || 0, add));
        let rows = rows.map_err(|error: ScanError<String>| match error {
            ScanError::Source(error) => error,
            ScanError::Work(reason) => unwritten(reason),
        })?;
        writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .close()
            .map_err(|error| unwritten(error.to_string()))?;
        written.as_file().sync_all().map_err(io)?;
        written.persist(file).map_err(|error| io(error.error))?;
        Ok(rows.into_iter().sum())
    }
}
