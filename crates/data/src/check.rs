//! The curator's look at the data before anything is released from it.
//!
//! Reads every row and says where files are broken and where values do not fit the declarations. All of this
//! depends on private rows: it is for the curator's eyes, and no release ever runs it.

pub use crate::oddities::{BAD_PERCENT, ColumnReport, Found};

use crate::error::SourceError;
use crate::kind::expect_no_other;
use crate::meter::Meter;
use crate::oddities::{Oddities, Values};
use crate::scan::{Seen, Wanted};
use crate::{Rows, Source};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use deniable_core::schema::Format;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

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
}

impl Source {
    /// Reads all rows and reports what does not fit. `progress` is told the rows read so far.
    ///
    /// # Errors
    /// When files are missing, unreadable, empty, or lack declared columns.
    pub fn check(&self, progress: &dyn Fn(u64)) -> Result<Report, SourceError> {
        let oddities = self.table().columns.iter().map(|_| Oddities::default()).collect();
        let (report, rows_of, place_of) = (Report::default(), HashMap::new(), HashMap::new());
        let mut scan = Scan { source: self, report, oddities, rows_of, place_of };
        // Only here: the first bytes of a file are rows, too, and no release may depend on them.
        if let Rows::Files { files, format: Format::Csv(options), .. } = &self.rows {
            files.iter().try_for_each(|path| expect_no_other(path, options))?;
        }
        let wanted: Vec<Wanted> = (0..self.table().columns.len()).map(Wanted::typed).collect();
        self.scan(&wanted, &Meter::new())?.in_order(&mut |seen| {
            match seen {
                Seen::Broken { path, line, what } => {
                    scan.report.rows += 1;
                    scan.problem(path, line, what);
                }
                Seen::Rows { path, lines, columns } => {
                    for (position, column) in columns.iter().enumerate() {
                        scan.take(position, path, lines, &column.present, &column.values.to_array())?;
                    }
                    scan.report.rows += lines.len() as u64;
                    progress(scan.report.rows);
                }
            }
            Ok(())
        })?;
        Ok(scan.finish())
    }
}

impl Scan<'_> {
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
        present: &BooleanArray,
        typed: &ArrayRef,
    ) -> Result<(), SourceError> {
        let table = self.source.table();
        let unreadable = || SourceError::Rows { table: table.name.clone() };
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
                "{count} of {rows} rows have no entity key, or one that does not read: they belong to nobody and never count \
                 (first at {first})"
            ));
        }
        if table.entity.is_some() {
            self.report.entities = Some(self.rows_of.len() as u64);
        }
        if self.report.rows == 0 {
            notes.push("there are no rows: every answer will be noise around zero".to_owned());
        }
        self.report.notes = notes;
        self.report
    }
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
