//! Rows written to files that the same declaration reads back.

use crate::error::SourceError;
use crate::partitions::folder_name;
use crate::scan::{ReadColumn, ScanError};
use crate::{Batch, Meter, Source, WantedColumn, arrow_type};
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use deniable_core::schema::{Column, ColumnType, Compression, CsvOptions, Format};
use deniable_expression::{Moment, Value, civil};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use parquet::arrow::ArrowWriter;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::NamedTempFile;

impl Source {
    /// Writes the rows to a file with the columns and the format of a declaration, whole or not at all; with partitions,
    /// to files in a new folder. Returns their number. Rows of a database or an engine are written as Parquet.
    ///
    /// # Errors
    /// When the rows cannot be read, or the file cannot be written, such as a text that the encoding does not have. An
    /// existing file is an error unless `overwrite`, an existing folder always.
    pub fn write(
        &self,
        columns: &[Column],
        format: &Format,
        partitions: &[String],
        path: &Path,
        overwrite: bool,
    ) -> Result<u64, SourceError> {
        let batches = self.read_batches()?;
        let rows = batches.iter().map(|batch| batch.rows as u64).sum();
        let failed = |reason: String| SourceError::Unwritten { path: path.to_owned(), reason };
        let done = match format {
            Format::Csv(options) => save(path, overwrite, |file| csv(columns, options, &batches, file)),
            _ if partitions.is_empty() => {
                rows_as_stored(columns, &batches).and_then(|rows| save(path, overwrite, |file| parquet(&rows, file)))
            }
            _ => rows_as_stored(columns, &batches)
                .and_then(|rows| partitioned(columns, &rows, partitions, &Typed(&batches), path)),
        };
        done.map(|()| rows).map_err(failed)
    }

    /// All rows as typed columns, in the order of the files.
    fn read_batches(&self) -> Result<Vec<Batch>, SourceError> {
        let wanted: Vec<WantedColumn> = (0..self.table().columns.len()).map(WantedColumn::typed).collect();
        let take = |batches: &mut Vec<Batch>, batch: Batch| {
            batches.push(batch);
            Ok::<(), std::convert::Infallible>(())
        };
        let read = self.scan(&wanted, &Meter::new())?.run(1, Vec::new, take);
        let batches = read.map_err(|error| match error {
            ScanError::Source(error) => error,
            ScanError::Work(never) => match never {},
        })?;
        Ok(batches.into_iter().flatten().collect())
    }
}

/// A result, or a fault of writing in words.
type WriteResult<T> = Result<T, String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Writes a file beside its place, and moves it there.
fn save(path: &Path, overwrite: bool, write: impl FnOnce(&mut NamedTempFile) -> WriteResult<()>) -> WriteResult<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder).map_err(text)?;
    write(&mut file)?;
    file.as_file().sync_all().map_err(text)?;
    let saved = if overwrite { file.persist(path) } else { file.persist_noclobber(path) };
    saved.map(drop).map_err(|error| text(error.error))
}

/// Delimited text.
fn csv(columns: &[Column], options: &CsvOptions, batches: &[Batch], file: &mut NamedTempFile) -> WriteResult<()> {
    match options.compression {
        Compression::None => write_csv(columns, options, batches, file),
        Compression::Gzip => {
            let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
            write_csv(columns, options, batches, &mut packed)?;
            packed.finish().map(drop).map_err(text)
        }
        Compression::Zstd => {
            let mut packed = zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(text)?;
            write_csv(columns, options, batches, &mut packed)?;
            packed.finish().map(drop).map_err(text)
        }
    }
}

fn write_csv(columns: &[Column], options: &CsvOptions, batches: &[Batch], to: &mut dyn Write) -> WriteResult<()> {
    // The position of each field's column; a file without a header may have columns that are not declared.
    let fields: Vec<Option<usize>> = match &options.columns {
        None => (0..columns.len()).map(Some).collect(),
        Some(names) => names.iter().map(|name| columns.iter().position(|column| column.name == *name)).collect(),
    };
    if options.columns.is_none() {
        let names = columns.iter().map(|column| Some(column.name.clone()));
        to.write_all(&records(std::iter::once(names.collect()), options)?).map_err(text)?;
    }
    for batch in batches {
        let row = |row: usize| {
            let field = |position: &Option<usize>| {
                let Some((position, column)) = position.and_then(|at| Some((at, columns.get(at)?))) else {
                    return Some(String::new());
                };
                let value = batch.columns.get(position)?.typed()?.value(row)?;
                written(column, &value, options.decimal_comma)
            };
            fields.iter().map(field).collect::<Vec<Option<String>>>()
        };
        to.write_all(&records((0..batch.rows).map(row), options)?).map_err(text)?;
    }
    to.flush().map_err(text)
}

/// Records in the bytes of the encoding.
fn records(rows: impl Iterator<Item = Vec<Option<String>>>, options: &CsvOptions) -> WriteResult<Vec<u8>> {
    let style = if options.quote.is_some() { csv::QuoteStyle::Necessary } else { csv::QuoteStyle::Never };
    let mut writer = csv::WriterBuilder::new()
        .delimiter(options.delimiter)
        .quote(options.quote.unwrap_or(b'"'))
        .quote_style(style)
        .from_writer(Vec::new());
    let null = options.nulls.first().map_or("", String::as_str);
    let delimiter = char::from(options.delimiter);
    for row in rows {
        let fields: Vec<&str> = row.iter().map(|field| field.as_deref().unwrap_or(null)).collect();
        let parts = |field: &&&str| field.contains([delimiter, '\n', '\r']);
        if let Some(field) = fields.iter().find(parts).filter(|_| options.quote.is_none()) {
            return Err(format!("`{field}` contains a delimiter, and the file is declared as written without quotes"));
        }
        writer.write_record(fields).map_err(text)?;
    }
    let bytes = writer.into_inner().map_err(|error| text(error.error()))?;
    let plain = String::from_utf8(bytes).map_err(text)?;
    let encoding = Encoding::for_label(options.encoding.as_bytes()).unwrap_or(UTF_8);
    // The standard encodes no text as UTF-16.
    if encoding == UTF_16LE {
        return Ok(plain.encode_utf16().flat_map(u16::to_le_bytes).collect());
    }
    if encoding == UTF_16BE {
        return Ok(plain.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
    match encoding.encode(&plain) {
        (_, _, true) => Err(format!("a key or a name has a character that {} does not have", encoding.name())),
        (bytes, _, false) => Ok(bytes.into_owned()),
    }
}

/// A value in the declared form; `None` for a time that the declared zone skips.
fn written(column: &Column, value: &Value, decimal_comma: bool) -> Option<String> {
    let moment = |moment: Moment, is_day: bool| {
        let clock = civil(moment);
        match &column.format {
            Some(pattern) => {
                let mut text = String::new();
                write!(text, "{}", clock.strftime(pattern)).ok()?;
                Some(text)
            }
            None if is_day => Some(clock.date().to_string()),
            None => Some(clock.to_string()),
        }
    };
    match value {
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Decimal(number) if decimal_comma => Some(number.get().to_string().replace('.', ",")),
        Value::Decimal(number) => Some(number.get().to_string()),
        Value::Text(text) => Some(text.to_string()),
        Value::Date(day) => moment(day.midnight(), true),
        Value::Timestamp(time) => match column.zone {
            Some(zone) => Some(format!("{}Z", civil(Moment::new(zone.instant(time.get())?)?))),
            None => moment(*time, false),
        },
    }
}

/// All rows as one batch in the stored types: times of a column with a zone are moments in UTC.
fn rows_as_stored(columns: &[Column], batches: &[Batch]) -> WriteResult<RecordBatch> {
    let kind = |column: &Column| match column.zone {
        Some(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        // Readers of other programs know plain text.
        None if column.kind == ColumnType::Text => DataType::Utf8,
        None => arrow_type(column.kind),
    };
    let fields: Vec<Field> = columns.iter().map(|column| Field::new(&column.name, kind(column), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let stored = |(column, read): (&Column, &ReadColumn)| -> WriteResult<ArrayRef> {
        let array = read.to_array();
        match (column.zone, array.as_primitive_opt::<TimestampMicrosecondType>()) {
            (Some(zone), Some(times)) => {
                let moments = times.unary_opt::<_, TimestampMicrosecondType>(|time| zone.instant(time));
                Ok(Arc::new(moments.with_timezone("UTC")))
            }
            _ => arrow_cast::cast(&array, &kind(column)).map_err(text),
        }
    };
    let batch = |batch: &Batch| {
        let arrays = columns.iter().zip(&batch.columns).map(stored).collect::<WriteResult<Vec<ArrayRef>>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(schema.clone(), arrays, &rows).map_err(text)
    };
    let batches = batches.iter().map(batch).collect::<WriteResult<Vec<RecordBatch>>>()?;
    concat_batches(&schema, &batches).map_err(text)
}

fn parquet(rows: &RecordBatch, file: &mut NamedTempFile) -> WriteResult<()> {
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).map_err(text)?;
    writer.write(rows).map_err(text)?;
    writer.close().map(drop).map_err(text)
}

/// Typed batches, for the values of single rows.
struct Typed<'a>(&'a [Batch]);

impl Typed<'_> {
    /// The value of a row, counted over all batches.
    fn value(&self, column: usize, mut row: usize) -> Option<Value> {
        for batch in self.0 {
            if row < batch.rows {
                return batch.columns.get(column)?.typed()?.value(row);
            }
            row -= batch.rows;
        }
        None
    }
}

/// A file for each combination of values of the partition columns, which are in the names of its folders only.
fn partitioned(
    columns: &[Column],
    rows: &RecordBatch,
    partitions: &[String],
    values: &Typed<'_>,
    folder: &Path,
) -> WriteResult<()> {
    let at: Vec<(usize, &Column)> = partitions
        .iter()
        .filter_map(|name| columns.iter().enumerate().find(|(_, column)| column.name == *name))
        .collect();
    let mut parts: BTreeMap<PathBuf, Vec<u64>> = BTreeMap::new();
    for row in 0..rows.num_rows() {
        let name = |(position, column): &(usize, &Column)| {
            let value = values.value(*position, row).and_then(|value| written(column, &value, false));
            folder_name(&column.name, value.as_deref())
        };
        parts.entry(at.iter().map(name).collect()).or_default().push(row as u64);
    }
    let kept: Vec<usize> = (0..columns.len()).filter(|column| at.iter().all(|(other, _)| other != column)).collect();
    let rows = rows.project(&kept).map_err(text)?;
    std::fs::create_dir(folder).map_err(text)?;
    for (part, at) in parts {
        let part = folder.join(part);
        std::fs::create_dir_all(&part).map_err(text)?;
        let chosen = take_record_batch(&rows, &UInt64Array::from(at)).map_err(text)?;
        save(&part.join("rows.parquet"), false, |file| parquet(&chosen, file))?;
    }
    Ok(())
}
