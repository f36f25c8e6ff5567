//! The curator's look at the data before anything is released from it.
//!
//! Reads every row and says where files are broken and where values do not fit the declarations. All of this
//! depends on private rows: it is for the curator's eyes, and no release ever runs it.

use super::header::Header;
use super::{Rows, Source};
use crate::error::SourceError;
use crate::plan::session_state;
use crate::plan::table::arrow_type;
use datafusion::arrow::array::{Array, ArrayRef, Float64Array, StringArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::cast::{as_boolean_array, as_float64_array, as_int64_array, as_string_array};
use datafusion::prelude::SessionContext;
use deniable_policy::{Bounds, Column, CsvOptions, Format, Key};
use futures::StreamExt;
use num_traits::ToPrimitive;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows read between two looks at their values.
const CHUNK: usize = 8_192;
/// Most problems listed.
const MOST_PROBLEMS: usize = 20;

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Rows read.
    pub rows: u64,
    /// Entities found, where the policy names an entity key.
    pub entities: Option<u64>,
    /// What makes the data unfit for a release, in the order found, at most twenty.
    pub problems: Vec<Problem>,
    /// What a release bears with, but a curator should know.
    pub notes: Vec<String>,
}

/// A broken place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {what}", path.display())]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line (CSV) or row (Parquet), counted from 1.
    pub line: u64,
    /// What is wrong there, without the value.
    pub what: String,
}

/// Counts of one column's oddities, with the first place of each.
#[derive(Default)]
struct Oddities {
    values: u64,
    unreadable: Option<(u64, String)>,
    outside: Option<(u64, String)>,
    undeclared: Option<(u64, String)>,
}

fn count(oddity: &mut Option<(u64, String)>, place: impl FnOnce() -> String) {
    match oddity {
        Some((count, _)) => *count += 1,
        None => *oddity = Some((1, place())),
    }
}

struct Scan<'a> {
    source: &'a Source,
    report: Report,
    oddities: Vec<Oddities>,
    rows_of: HashMap<String, u64>,
    progress: &'a dyn Fn(u64),
}

impl Source {
    /// Reads all rows and reports what does not fit. `progress` is told the rows read so far.
    ///
    /// # Errors
    /// When files are missing, unreadable, empty, or lack declared columns.
    pub fn check(&self, progress: &dyn Fn(u64)) -> Result<Report, SourceError> {
        let oddities = self.table().columns.iter().map(|_| Oddities::default()).collect();
        let mut scan = Scan { source: self, report: Report::default(), oddities, rows_of: HashMap::new(), progress };
        match &self.rows {
            Rows::Files { files, format: Format::Csv(options) } => scan.csv(files, options)?,
            Rows::Files { files, format: Format::Parquet } => scan.parquet(files)?,
            Rows::Memory(_) => {}
        }
        Ok(scan.finish())
    }
}

impl Scan<'_> {
    fn problem(&mut self, path: &Path, line: u64, what: impl Into<String>) {
        if self.report.problems.len() < MOST_PROBLEMS {
            self.report.problems.push(Problem { path: path.to_owned(), line, what: what.into() });
        }
    }

    fn csv(&mut self, files: &[PathBuf], options: &CsvOptions) -> Result<(), SourceError> {
        let header = Header::of(files, options)?;
        let columns = self.source.table().columns.iter();
        let positions =
            columns.map(|column| header.position(&column.name, &files[0])).collect::<Result<Vec<_>, _>>()?;
        for path in files {
            let unreadable =
                |error: csv::Error| SourceError::Unreadable { path: path.clone(), reason: error.to_string() };
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(options.columns.is_none())
                .delimiter(options.delimiter)
                .flexible(true)
                .from_path(path)
                .map_err(unreadable)?;
            let mut record = csv::ByteRecord::new();
            let mut lines = Vec::with_capacity(CHUNK);
            let mut fields: Vec<Vec<Option<String>>> = vec![Vec::with_capacity(CHUNK); positions.len()];
            loop {
                let more = reader.read_byte_record(&mut record).map_err(unreadable)?;
                if more {
                    let line = record.position().map_or(0, csv::Position::line);
                    self.report.rows += 1;
                    if self.take_record(path, line, &record, &header, &positions, options, &mut fields) {
                        lines.push(line);
                    }
                }
                if lines.len() == CHUNK || (!more && !lines.is_empty()) {
                    self.take_texts(path, &lines, &fields);
                    lines.clear();
                    fields.iter_mut().for_each(Vec::clear);
                    (self.progress)(self.report.rows);
                }
                if !more {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Checks the shape of one record and takes its declared fields; false when it is unusable.
    #[expect(clippy::too_many_arguments, reason = "one record and everything that says what it should be")]
    fn take_record(
        &mut self,
        path: &Path,
        line: u64,
        record: &csv::ByteRecord,
        header: &Header,
        positions: &[usize],
        options: &CsvOptions,
        fields: &mut [Vec<Option<String>>],
    ) -> bool {
        if record.len() != header.len() {
            let expected = header.len();
            self.problem(path, line, format!("{} fields where {expected} are expected", record.len()));
            return false;
        }
        if let Some(position) = record.iter().position(|field| std::str::from_utf8(field).is_err()) {
            self.problem(path, line, format!("field {} is not UTF-8", position + 1));
            return false;
        }
        for (field, position) in fields.iter_mut().zip(positions) {
            let text = String::from_utf8_lossy(&record[*position]);
            // SQL's trim takes spaces; the release does the same.
            let text = if options.trim { text.trim_matches(' ') } else { &text };
            field.push((!options.nulls.iter().any(|null| null == text)).then(|| text.to_owned()));
        }
        true
    }

    fn take_texts(&mut self, path: &Path, lines: &[u64], fields: &[Vec<Option<String>>]) {
        let source = self.source;
        for (position, column) in source.table().columns.iter().enumerate() {
            let texts: ArrayRef = Arc::new(StringArray::from(fields[position].clone()));
            // The same lenient cast as in a release; it cannot fail between these types.
            let options = CastOptions { safe: true, ..CastOptions::default() };
            let Ok(typed) = cast_with_options(&texts, &arrow_type(column.kind), &options) else { continue };
            // Nor are infinities and "not a number" values in a release.
            let typed = match as_float64_array(&typed) {
                Ok(values) => {
                    Arc::new(values.iter().map(|value| value.filter(|v| v.is_finite())).collect::<Float64Array>())
                }
                Err(_) => typed,
            };
            self.take_column(position, column, path, lines, &texts, &typed);
        }
    }

    fn parquet(&mut self, files: &[PathBuf]) -> Result<(), SourceError> {
        let source = self.source;
        let unreadable = || SourceError::Rows { table: source.table().name.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|_| unreadable())?;
        for path in files {
            let one = Source {
                table: source.table.clone(),
                rows: Rows::Files { files: vec![path.clone()], format: Format::Parquet },
            };
            runtime.block_on(async {
                let context = SessionContext::new_with_state(session_state());
                let frame = one.typed(&context).await?;
                let mut stream = frame.execute_stream().await.map_err(|_| unreadable())?;
                let mut row = 0_u64;
                while let Some(batch) = stream.next().await {
                    let batch = batch.map_err(|_| unreadable())?;
                    let lines: Vec<u64> = (row + 1..=row + batch.num_rows() as u64).collect();
                    for (position, column) in source.table().columns.iter().enumerate() {
                        let typed = batch.column(position);
                        self.take_column(position, column, path, &lines, typed, typed);
                    }
                    row += batch.num_rows() as u64;
                    self.report.rows += batch.num_rows() as u64;
                    (self.progress)(self.report.rows);
                }
                Ok::<(), SourceError>(())
            })?;
        }
        Ok(())
    }

    /// Looks at the values of one column: `stored` as they stand, `typed` as they are read.
    fn take_column(
        &mut self,
        position: usize,
        column: &Column,
        path: &Path,
        lines: &[u64],
        stored: &ArrayRef,
        typed: &ArrayRef,
    ) {
        let is_key = self.source.table().entity.as_ref().is_some_and(|entity| entity.key == column.name);
        let place = |row: usize| format!("{}:{}", path.display(), lines[row]);
        let oddities = &mut self.oddities[position];
        for row in 0..typed.len() {
            if stored.is_valid(row) {
                oddities.values += 1;
                if typed.is_null(row) {
                    count(&mut oddities.unreadable, || place(row));
                }
            }
        }
        if let Some(bounds) = &column.bounds {
            let outside = outside(typed, bounds);
            (0..typed.len()).filter(|row| outside(*row)).for_each(|row| count(&mut oddities.outside, || place(row)));
        }
        if let Some(keys) = &column.keys {
            let declared = declared(typed, keys);
            (0..typed.len())
                .filter(|row| !declared(*row))
                .for_each(|row| count(&mut oddities.undeclared, || place(row)));
        }
        if is_key {
            let formatter = ArrayFormatter::try_new(typed, &FormatOptions::default());
            for (row, line) in lines.iter().enumerate() {
                if typed.is_null(row) {
                    self.problem(path, *line, format!("the entity key `{}` is missing", column.name));
                } else if let Ok(formatter) = &formatter {
                    *self.rows_of.entry(formatter.value(row).to_string()).or_insert(0) += 1;
                }
            }
        }
    }

    fn finish(mut self) -> Report {
        let table = self.source.table();
        let mut notes = Vec::new();
        for (column, oddities) in table.columns.iter().zip(&self.oddities) {
            let name = &column.name;
            let mut note = |oddity: &Option<(u64, String)>, what: &str| {
                if let Some((count, first)) = oddity {
                    notes.push(format!("{name}: {count} {what} (first at {first})"));
                }
            };
            let kind = column.kind.name();
            note(
                &oddities.unreadable,
                &format!("of {} values do not read as {kind} and count as NULL", oddities.values),
            );
            note(&oddities.outside, "values lie outside the declared bounds and are clamped");
            note(
                &oddities.undeclared,
                "rows have a key that is not declared (or NULL, without null_key) and are left out where it is grouped by",
            );
        }
        if let Some(entity) = &table.entity {
            let caps = entity.caps;
            let in_one = u64::from(caps.rows_per_group);
            for (most, asks) in [(in_one, "without GROUP BY"), (in_one * u64::from(caps.groups), "with GROUP BY")] {
                let beyond = self.rows_of.values().filter(|rows| **rows > most);
                let (people, rows) =
                    beyond.fold((0_u64, 0_u64), |(people, lost), rows| (people + 1, lost + rows - most));
                if people > 0 {
                    notes.push(format!(
                        "{people} of {} entities have more than {most} rows: in asks {asks} at least {rows} of {} rows never count",
                        self.rows_of.len(), self.report.rows
                    ));
                }
            }
            self.report.entities = Some(self.rows_of.len() as u64);
        }
        if self.report.rows == 0 {
            notes.push("there are no rows: every answer will be noise around zero".to_owned());
        }
        self.report.notes = notes;
        self.report
    }
}

/// Whether the number in a row lies outside the bounds; NULL does not.
fn outside<'a>(typed: &'a ArrayRef, bounds: &Bounds) -> Box<dyn Fn(usize) -> bool + 'a> {
    let low = bounds.low().to_f64().unwrap_or(f64::NEG_INFINITY);
    let high = bounds.high().to_f64().unwrap_or(f64::INFINITY);
    if let Ok(values) = as_int64_array(typed) {
        return Box::new(move |row| {
            let value = values.value(row) as f64;
            values.is_valid(row) && (value < low || value > high)
        });
    }
    if let Ok(values) = as_float64_array(typed) {
        return Box::new(move |row| values.is_valid(row) && (values.value(row) < low || values.value(row) > high));
    }
    Box::new(|_| false)
}

/// Whether the key in a row is declared.
fn declared<'a>(typed: &'a ArrayRef, keys: &'a [Key]) -> Box<dyn Fn(usize) -> bool + 'a> {
    let null = keys.contains(&Key::Null);
    let known: std::collections::HashSet<&Key> = keys.iter().collect();
    let key = move |row: usize| -> Option<Key> {
        if typed.is_null(row) {
            return None;
        }
        if let Ok(values) = as_string_array(typed) {
            return Some(Key::Text(values.value(row).to_owned()));
        }
        if let Ok(values) = as_int64_array(typed) {
            return Some(Key::Integer(values.value(row)));
        }
        as_boolean_array(typed).ok().map(|values| Key::Boolean(values.value(row)))
    };
    Box::new(move |row| key(row).map_or(null, |key| known.contains(&key)))
}

impl Report {
    /// Whether the data can be registered.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.problems.is_empty()
    }
}
