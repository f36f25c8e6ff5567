//! The curator's look at the data before anything is released from it.
//!
//! Reads every row and says where files are broken and where values do not fit the declarations. All of this
//! depends on private rows: it is for the curator's eyes, and no release ever runs it.

use super::columns::Typed;
pub use super::oddities::{BAD_PERCENT, ColumnReport, Found};
use super::oddities::{Oddities, Values};
use super::partitions::Partitions;
use super::reading::LONGEST_TEXT;
use super::scan::from_texts;
use super::text::{Layout, Records};
use super::{Rows, Source, parquet};
use crate::error::SourceError;
use crate::plan::session_state;
use csv::ByteRecord;
use datafusion::arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::DFSchema;
use datafusion::common::cast::as_boolean_array;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::prelude::SessionContext;
use deniable_policy::{CsvOptions, Format};
use futures::StreamExt;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most problems listed.
const MOST_PROBLEMS: usize = 20;
/// What decoders put in the place of bytes that are no text.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

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
    /// What was found in each declared column, in the order of the policy.
    pub columns: Vec<ColumnReport>,
    /// Rows without an entity key, where the policy names one: missing, or not readable as its type. They belong to nobody
    /// and never count.
    pub ownerless: Option<Found>,
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

struct Scan<'a> {
    source: &'a Source,
    report: Report,
    oddities: Vec<Oddities>,
    /// Of a protected table: how many rows each entity has.
    rows_of: HashMap<String, u64>,
    /// Of a public table: where each key stands.
    place_of: HashMap<String, (PathBuf, u64)>,
    progress: &'a dyn Fn(u64),
}

impl Source {
    /// Reads all rows and reports what does not fit. `progress` is told the rows read so far.
    ///
    /// # Errors
    /// When files are missing, unreadable, empty, or lack declared columns.
    pub fn check(&self, progress: &dyn Fn(u64)) -> Result<Report, SourceError> {
        let oddities = self.table().columns.iter().map(|_| Oddities::default()).collect();
        let (report, rows_of, place_of) = (Report::default(), HashMap::new(), HashMap::new());
        let mut scan = Scan { source: self, report, oddities, rows_of, place_of, progress };
        match &self.rows {
            Rows::Files { files, format: Format::Csv(options), .. } => scan.csv(files, options)?,
            Rows::Files { files, format: Format::Parquet, partitions } => scan.parquet(files, partitions)?,
            Rows::Memory(_) => {}
        }
        Ok(scan.finish())
    }
}

impl Scan<'_> {
    fn csv(&mut self, files: &[PathBuf], options: &CsvOptions) -> Result<(), SourceError> {
        let source = self.source;
        let unreadable = || SourceError::Rows { table: source.table().name.clone() };
        let layout = Arc::new(Layout::of(files, options, &source.table().columns)?);
        let schema = DFSchema::try_from(layout.schema().clone()).map_err(|_| unreadable())?;
        // The very expressions of a release.
        let context = SessionContext::new_with_state(session_state());
        let expressions = from_texts(&source.table().columns, options).into_iter().map(|Typed { value, present }| {
            let present = context.create_physical_expr(present, &schema)?;
            Ok((present, context.create_physical_expr(value, &schema)?))
        });
        let expressions: Vec<(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)> =
            expressions.collect::<datafusion::common::Result<_>>().map_err(|_| unreadable())?;
        for path in files {
            let mut records = Records::open(path, layout.clone(), LONGEST_TEXT, Arc::default())?;
            let next = |scan: &mut Self, records: &mut Records| {
                let mut keep = |line: u64, record: &ByteRecord| {
                    scan.report.rows += 1;
                    let broken = broken(record, layout.width(), options);
                    let is_whole = broken.is_none();
                    broken.into_iter().for_each(|what| scan.problem(path, line, what));
                    Ok(is_whole)
                };
                records.next(&mut keep)
            };
            while let Some(chunk) = next(self, &mut records)? {
                let rows = chunk.texts.num_rows();
                let evaluate = |expression: &Arc<dyn PhysicalExpr>| {
                    expression.evaluate(&chunk.texts).and_then(|value| value.into_array(rows)).map_err(|_| unreadable())
                };
                for (position, (present, value)) in expressions.iter().enumerate() {
                    self.take(position, path, &chunk.lines, &evaluate(present)?, &evaluate(value)?)?;
                }
                (self.progress)(self.report.rows);
            }
        }
        Ok(())
    }

    fn parquet(&mut self, files: &[PathBuf], partitions: &Partitions) -> Result<(), SourceError> {
        let table = self.source.table();
        let mut state = session_state();
        // Rows are counted in the order of the file, so no two parts of one may be read at the same time.
        state.config_mut().options_mut().execution.target_partitions = 1;
        let context = SessionContext::new_with_state(state);
        let unreadable = |_| SourceError::Rows { table: table.name.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|_| SourceError::Rows { table: table.name.clone() })?;
        for (number, path) in files.iter().enumerate() {
            let broken = |_| {
                let reason = "its rows cannot be read to the end".to_owned();
                SourceError::Unreadable { path: path.clone(), reason }
            };
            runtime.block_on(async {
                // The order of the columns is what counts; no declared name has a line break in it, so none clash.
                let both = |typed: &Typed| {
                    let name = typed.value.schema_name().to_string();
                    vec![typed.present.clone().alias(format!("present\n{name}")), typed.value.clone()]
                };
                let partitions = partitions.only(number);
                let frame = parquet::frame(&context, table, std::slice::from_ref(path), &partitions, &both).await?;
                let mut stream = frame.execute_stream().await.map_err(unreadable)?;
                let mut row = 0_u64;
                while let Some(batch) = stream.next().await {
                    let batch = batch.map_err(broken)?;
                    let lines: Vec<u64> = (row + 1..=row + batch.num_rows() as u64).collect();
                    for (position, both) in batch.columns().chunks_exact(2).enumerate() {
                        self.take(position, path, &lines, &both[0], &both[1])?;
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

    fn problem(&mut self, path: &Path, line: u64, what: impl Into<String>) {
        if self.report.problems.len() < MOST_PROBLEMS {
            self.report.problems.push(Problem { path: path.to_owned(), line, what: what.into() });
        }
    }

    /// Looks at some rows of the column in a position.
    fn take(
        &mut self,
        position: usize,
        path: &Path,
        lines: &[u64],
        present: &ArrayRef,
        typed: &ArrayRef,
    ) -> Result<(), SourceError> {
        let table = self.source.table();
        let unreadable = || SourceError::Rows { table: table.name.clone() };
        let present: &BooleanArray = as_boolean_array(present).map_err(|_| unreadable())?;
        let values = Values { present, typed };
        let (Some(column), Some(oddities)) = (table.columns.get(position), self.oddities.get_mut(position)) else {
            return Err(unreadable());
        };
        let place = |row: usize| format!("{}:{}", path.display(), lines[row]);
        oddities.take(column, &values, &place);
        if table.public_key.as_ref() == Some(&column.name) {
            return self.take_public_key(&column.name, path, lines, &values);
        }
        if table.entity.as_ref().is_some_and(|entity| entity.key == column.name) {
            let formatter = ArrayFormatter::try_new(typed, &FormatOptions::default()).map_err(|_| unreadable())?;
            for (row, line) in lines.iter().enumerate() {
                if typed.is_null(row) {
                    // It belongs to nobody; a release drops it.
                    match &mut self.report.ownerless {
                        Some(found) => found.count += 1,
                        none => *none = Some(Found { count: 1, first: format!("{}:{line}", path.display()) }),
                    }
                } else {
                    *self.rows_of.entry(formatter.value(row).to_string()).or_insert(0) += 1;
                }
            }
        }
        Ok(())
    }

    /// Every row of a public table needs a key of its own: joins find one row for a key, or none.
    fn take_public_key(
        &mut self,
        name: &str,
        path: &Path,
        lines: &[u64],
        values: &Values<'_>,
    ) -> Result<(), SourceError> {
        let table = self.source.table();
        let formatter = ArrayFormatter::try_new(values.typed, &FormatOptions::default())
            .map_err(|_| SourceError::Rows { table: table.name.clone() })?;
        for (row, line) in lines.iter().enumerate() {
            if values.is_unreadable(row) {
                self.problem(path, *line, format!("the key `{name}` cannot be read as its type"));
            } else if values.typed.is_null(row) {
                self.problem(path, *line, format!("the key `{name}` is missing"));
            } else {
                match self.place_of.entry(formatter.value(row).to_string()) {
                    Entry::Vacant(free) => {
                        free.insert((path.to_owned(), *line));
                    }
                    Entry::Occupied(taken) => {
                        let (first, first_line) = taken.get();
                        let what = format!("the key `{name}` is the same as at {}:{first_line}", first.display());
                        self.problem(path, *line, what);
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Report {
        let table = self.source.table();
        let oddities = std::mem::take(&mut self.oddities);
        let columns = table.columns.iter().zip(oddities).map(|(column, oddities)| oddities.report(column));
        self.report.columns = columns.collect();
        let mut notes: Vec<String> = self.report.columns.iter().flat_map(ColumnReport::notes).collect();
        if let Some(Found { count, first }) = &self.report.ownerless {
            let rows = self.report.rows;
            notes.push(format!(
                "{count} of {rows} rows have no entity key, belong to nobody and never count (first at {first})"
            ));
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

/// What is wrong with a record as such.
fn broken(record: &ByteRecord, width: usize, options: &CsvOptions) -> Option<String> {
    if record.len() != width {
        return Some(format!("{} fields where {width} are expected", record.len()));
    }
    let is_utf_8 = options.encoding == encoding_rs::UTF_8.name();
    let not_text = |field: &[u8]| match std::str::from_utf8(field) {
        Err(_) => true,
        Ok(_) => !is_utf_8 && field.windows(REPLACEMENT.len()).any(|part| part == REPLACEMENT),
    };
    let position = record.iter().position(not_text)?;
    Some(format!("field {} is not {}", position + 1, options.encoding))
}

impl Report {
    /// Whether nothing is broken. Columns that read badly are for the curator to judge.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.problems.is_empty()
    }

    /// The columns that read badly.
    pub fn bad_columns(&self) -> impl Iterator<Item = &ColumnReport> {
        self.columns.iter().filter(|column| column.is_bad())
    }
}
