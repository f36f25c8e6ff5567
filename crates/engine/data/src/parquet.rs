//! Parquet files: their schemas, and their row groups one by one.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use crate::error::SourceError;
use crate::files::DataFile;
use crate::kind::{expect_parquet, expect_parquet_ends};
use crate::meter::Meter;
use crate::object::{self, Ranges};
use crate::partitions::Partitions;
use crate::reading::ColumnReader;
use crate::scan::{BATCH_ROWS, Form, WantedColumn};
use arrow_array::{ArrayRef, RecordBatch, StringViewArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bytes::Bytes;
use deniable_core::parallel::each;
use deniable_core::schema::Column;
use deniable_expression::Column as Values;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Number of footers read concurrently, since those of a store have latency.
const DESCRIBING: usize = 16;
/// Maximum number of footers read ahead of the first file.
const MOST_AHEAD: usize = 64;
/// Bytes of footers kept between planning and reading; others are read again.
const MOST_METADATA: usize = 128 << 20;

/// A Parquet file whose columns fit the declared ones.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    pub(crate) file: DataFile,
    /// Its index among the table's files.
    number: usize,
    columns: Arc<[Place]>,
    /// The positions of the columns to read, in the file's order.
    roots: Arc<[usize]>,
    metadata: Option<ArrowReaderMetadata>,
}

/// The source of a wanted column's values.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// A value from a folder name, the same in every row, and whether it is present.
    Folder { value: Values, is_present: bool },
    /// A column of those read from the file.
    File { position: usize, reader: ColumnReader, form: Form },
}

/// The unit that one thread reads at a time: a row group, or a whole file whose footer was not kept.
#[derive(Debug)]
pub(crate) struct Unit {
    file: Arc<ParquetFile>,
    group: Option<usize>,
    /// Number of the file's rows before it.
    before: u64,
}

/// Splits files into units, after a check of their schemas.
///
/// # Errors
/// When a file is not Parquet, or lacks a wanted column in a suitable type.
pub(crate) fn units(
    files: &[DataFile],
    columns: &[Column],
    partitions: &Partitions,
    wanted: &[WantedColumn],
) -> Result<Vec<Unit>, SourceError> {
    let mut units = Vec::new();
    let mut kept = 0_usize;
    for (ahead, first) in files.chunks(MOST_AHEAD).zip((0..).step_by(MOST_AHEAD)) {
        let described = each(DESCRIBING, ahead, |stored| describe(stored, columns))?;
        for ((stored, metadata), number) in ahead.iter().zip(described).zip(first..) {
            let (places, roots) = places(metadata.schema(), columns, partitions, number, stored.path(), wanted)?;
            let bytes = metadata.metadata().memory_size();
            let sizes: Vec<u64> = metadata.metadata().row_groups().iter().map(rows_of).collect();
            kept = kept.saturating_add(bytes);
            let is_kept = kept <= MOST_METADATA;
            let metadata = is_kept.then_some(metadata);
            let (columns, roots) = (places.into(), roots.into());
            let file = Arc::new(ParquetFile { file: stored.clone(), number, columns, roots, metadata });
            if is_kept {
                let mut before = 0_u64;
                for (group, rows) in sizes.into_iter().enumerate() {
                    units.push(Unit { file: file.clone(), group: Some(group), before });
                    before = before.saturating_add(rows);
                }
            } else {
                units.push(Unit { file, group: None, before: 0 });
            }
        }
    }
    Ok(units)
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

fn unreadable(path: &Path, reason: impl Into<String>) -> SourceError {
    SourceError::Unreadable { path: path.to_owned(), reason: reason.into() }
}

/// Random access to the bytes of a file.
enum Chunks {
    Local(File),
    Object(Ranges),
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Self::Local(file) => file.len(),
            Self::Object(ranges) => ranges.len(),
        }
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(match self {
            Self::Local(file) => Box::new(file.get_read(start)?),
            Self::Object(ranges) => ranges.get_read(start)?,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        match self {
            Self::Local(file) => file.get_bytes(start, length),
            Self::Object(ranges) => ranges.get_bytes(start, length),
        }
    }
}

/// The schema of a Parquet file.
///
/// # Errors
/// When it is not Parquet, or cannot be read.
pub(crate) fn schema_of(stored: &DataFile) -> Result<Arc<Schema>, SourceError> {
    Ok(described(stored)?.schema().clone())
}

/// The footer of a Parquet file, with the types in which its columns are best read. No rows are read.
fn describe(stored: &DataFile, columns: &[Column]) -> Result<ArrowReaderMetadata, SourceError> {
    let found = described(stored)?;
    let metadata = found.metadata().clone();
    let Some(schema) = as_read(found.schema(), &metadata, columns) else { return Ok(found) };
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(metadata, options).map_err(|_| not_parquet(stored.path()))
}

fn not_parquet(path: &Path) -> SourceError {
    unreadable(path, "it is not a Parquet file, or damaged")
}

fn described(stored: &DataFile) -> Result<ArrowReaderMetadata, SourceError> {
    let path = stored.path();
    let chunks = match stored.object() {
        Some(object) => {
            let ends = Ranges::ends(object)?;
            let last = ends.get_bytes(object.size().saturating_sub(4), 4).unwrap_or_default();
            let first = ends.get_bytes(0, usize::try_from(object.size().min(4)).unwrap_or(4)).unwrap_or_default();
            expect_parquet_ends(path, &first, if object.size() >= 8 { &last } else { &[] })?;
            Chunks::Object(ends)
        }
        None => {
            expect_parquet(path)?;
            Chunks::Local(File::open(path).map_err(|error| unreadable(path, error.to_string()))?)
        }
    };
    ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new()).map_err(|error| match error {
        // The store was queried again, because the footer was longer than most.
        ParquetError::External(error) => object::cause(error.as_ref()).unwrap_or_else(|| not_parquet(path)),
        _ => not_parquet(path),
    })
}

/// The schema to read a file with, if it differs from its own.
///
/// Whether decoding succeeds must not depend on the contents of rows. Texts are read as views, since their bytes need
/// not fit the offsets of one array; dictionaries as their values, since a batch may have more values than the key type
/// allows; and 96-bit times in microseconds, since they include years that do not fit nanoseconds.
fn as_read(schema: &Schema, metadata: &ParquetMetaData, columns: &[Column]) -> Option<Schema> {
    let roots = metadata.file_metadata().schema_descr().root_schema().get_fields();
    let is_old_time = |position: usize, name: &str| {
        let root = roots.get(position).filter(|root| root.name() == name);
        root.is_some_and(|root| root.is_primitive() && root.get_physical_type() == Physical::INT96)
    };
    let kind = |position: usize, field: &Field| {
        if !columns.iter().any(|column| column.name == *field.name()) {
            return None;
        }
        let plain = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            plain => plain,
        };
        match plain {
            DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
            _ if is_old_time(position, field.name()) => Some(DataType::Timestamp(TimeUnit::Microsecond, None)),
            plain => (plain != field.data_type()).then(|| plain.clone()),
        }
    };
    let mut is_other = false;
    let fields: Vec<Arc<Field>> = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(position, field)| match kind(position, field) {
            Some(kind) => {
                is_other = true;
                Arc::new(field.as_ref().clone().with_data_type(kind))
            }
            None => field.clone(),
        })
        .collect();
    is_other.then(|| Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The sources of the wanted columns, in a file and in its folder names.
fn places(
    schema: &Schema,
    columns: &[Column],
    partitions: &Partitions,
    number: usize,
    path: &Path,
    wanted: &[WantedColumn],
) -> Result<(Vec<Place>, Vec<usize>), SourceError> {
    let twice = partitions.names().iter().find(|name| schema.field_with_name(name).is_ok());
    if let Some(name) = twice {
        let problem = "is a column of the file itself, too";
        return Err(SourceError::Partition { path: path.to_owned(), column: name.clone(), problem });
    }
    // Every declared column is checked, whether it is wanted or not: refusals do not depend on the query.
    for column in columns.iter().filter(|column| !partitions.holds(&column.name)) {
        let found = find(schema, column, path)?;
        ColumnReader::from_stored(column, schema.field(found).data_type(), path)?;
    }
    let known: Vec<&Column> = wanted.iter().filter_map(|wanted| columns.get(wanted.column)).collect();
    let mut roots = Vec::new();
    for column in &known {
        if !partitions.holds(&column.name) {
            roots.push(find(schema, column, path)?);
        }
    }
    roots.sort_unstable();
    roots.dedup();
    let place = |(column, wanted): (&&Column, &WantedColumn)| {
        if let Some(value) = partitions.value(number, &column.name) {
            let reader = ColumnReader::from_folder(column);
            let stored: ArrayRef = Arc::new(StringViewArray::from_iter([value]));
            return Ok(Place::Folder { value: reader.read(&stored), is_present: value.is_some() });
        }
        let root = find(schema, column, path)?;
        let reader = ColumnReader::from_stored(column, schema.field(root).data_type(), path)?;
        let position = roots.iter().position(|known| *known == root).unwrap_or(usize::MAX);
        Ok(Place::File { position, reader, form: wanted.form })
    };
    let places = known.iter().zip(wanted).map(place).collect::<Result<Vec<_>, _>>()?;
    Ok((places, roots))
}

/// The position of a column in a file.
pub(crate) fn find(schema: &Schema, column: &Column, path: &Path) -> Result<usize, SourceError> {
    let mut same = schema.fields().iter().enumerate().filter(|(_, field)| *field.name() == column.name);
    match (same.next(), same.next()) {
        (Some((position, _)), None) => Ok(position),
        (Some(_), Some(_)) => Err(SourceError::TwoColumns { path: path.to_owned(), column: column.name.clone() }),
        (None, _) => {
            let mut found: Vec<String> =
                schema.fields().iter().take(12).map(|field| format!("`{}`", field.name())).collect();
            if let Some(more @ 1..) = schema.fields().len().checked_sub(found.len()) {
                found.push(format!("and {more} more"));
            }
            let (path, column) = (path.to_owned(), column.name.clone());
            Err(SourceError::NoColumn { path, column, found: found.join(", ") })
        }
    }
}

/// Reads the rows of a unit.
pub(crate) struct UnitReader {
    /// `None` if no column of the file is wanted: then only the number of rows is needed.
    batches: Option<ParquetRecordBatchReader>,
    /// Remaining rows.
    left: u64,
    rows: u64,
    /// Bytes of the wanted columns in the file.
    bytes: u64,
    told: u64,
    meter: Arc<Meter>,
}

impl Unit {
    pub(crate) fn path(&self) -> &Path {
        self.file.file.path()
    }

    /// The index of its file, and the number of the file's rows before it.
    pub(crate) fn begin(&self) -> (usize, u64) {
        (self.file.number, self.before)
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.file.columns
    }

    /// Opens the file for reading.
    ///
    /// # Errors
    /// When the file has changed; with the error of the object store, if that is the cause.
    pub(crate) fn open(&self, columns: &[Column], meter: &Arc<Meter>) -> Result<UnitReader, Option<SourceError>> {
        let metadata = match &self.file.metadata {
            Some(metadata) => metadata.clone(),
            None => describe(&self.file.file, columns).map_err(|_| None)?,
        };
        let about = metadata.metadata().clone();
        let groups: Vec<usize> = match self.group {
            Some(group) => vec![group],
            None => (0..about.num_row_groups()).collect(),
        };
        let mask = ProjectionMask::roots(about.file_metadata().schema_descr(), self.file.roots.iter().copied());
        let (mut rows, mut bytes) = (0_u64, 0_u64);
        let mut ranges = Vec::new();
        for group in groups.iter().filter_map(|group| about.row_groups().get(*group)) {
            rows = rows.saturating_add(rows_of(group));
            let read = group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
            for (start, length) in read.map(|(_, column)| column.byte_range()) {
                bytes = bytes.saturating_add(length);
                ranges.push(start..start.saturating_add(length));
            }
        }
        let batches = if self.file.roots.is_empty() {
            None
        } else {
            let chunks = match self.file.file.object() {
                // All pages of the wanted columns at once, instead of one by one.
                Some(object) => Chunks::Object(Ranges::fetch(object, &ranges).map_err(Some)?),
                None => Chunks::Local(File::open(self.path()).map_err(|_| None)?),
            };
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata);
            let builder = builder.with_projection(mask).with_row_groups(groups).with_batch_size(BATCH_ROWS);
            Some(builder.build().map_err(|_| None)?)
        };
        Ok(UnitReader { batches, left: rows, rows, bytes, told: 0, meter: meter.clone() })
    }
}

impl UnitReader {
    /// The next rows: their number, and the columns read from the file, in its order. `Some(None)` after the last,
    /// `None` if the file is damaged.
    pub(crate) fn next(&mut self) -> Option<Option<(usize, Vec<ArrayRef>)>> {
        let batch = match &mut self.batches {
            Some(batches) => match batches.next() {
                Some(batch) => {
                    let batch: RecordBatch = batch.ok()?;
                    (batch.num_rows(), batch.columns().to_vec())
                }
                // Fewer rows than the footer states.
                None if self.left > 0 => return None,
                None => return Some(None),
            },
            None if self.left == 0 => return Some(None),
            None => (usize::try_from(self.left.min(BATCH_ROWS as u64)).ok()?, Vec::new()),
        };
        self.left = self.left.checked_sub(batch.0 as u64)?;
        self.meter.add_rows(batch.0);
        let done = u128::from(self.rows.saturating_sub(self.left));
        let told = u128::from(self.bytes).saturating_mul(done).checked_div(self.rows.into()).unwrap_or(0);
        let told = u64::try_from(told).unwrap_or(self.bytes);
        self.meter.add_bytes(told.saturating_sub(self.told));
        self.told = told;
        Some(Some(batch))
    }
}
