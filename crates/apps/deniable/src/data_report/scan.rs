//! The report on a scan of a table, for the curator.

use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::printable;
use deniable_data::check::{ColumnReport, Occurrences, Report};
use deniable_release::TableVersion;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The findings of a scan of one table, column by column. It depends on private rows: for the curator.
///
/// `Display` prints a table, `Serialize` an entry of `tables` of `deniable data check --format json`.
#[derive(Debug, Serialize)]
pub struct ScanReport {
    table: String,
    version: String,
    rows: u64,
    entities: Option<u64>,
    rows_without_entity: Option<FoundAt>,
    broken: Vec<String>,
    /// The quirks of quotes and line ends, by the names that accept them.
    quirks: Vec<QuirkAt>,
    columns: Vec<Column>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct QuirkAt {
    quirk: &'static str,
    count: u64,
    first: Option<String>,
}

#[derive(Debug, Serialize)]
struct Column {
    column: String,
    r#type: &'static str,
    /// The reason why it reads badly; `null` if it reads well.
    bad: Option<String>,
    values: u64,
    missing: Option<FoundAt>,
    unreadable: Option<FoundAt>,
    /// Unreadable dates that can be read with day and month exchanged; omitted if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    day_and_month_exchanged: u64,
    /// The most frequent texts that cannot be read.
    unreadable_texts: Vec<SeenText>,
    /// Also `null` if no keys are declared.
    undeclared_keys: Option<FoundAt>,
    /// The most frequent values that are not declared keys.
    undeclared_values: Vec<SeenText>,
    outside_bounds: Option<FoundAt>,
    /// Dates and times whose year is probably wrong.
    odd_years: Option<FoundAt>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A private value, and the number of rows with it.
#[derive(Debug, Serialize)]
struct SeenText {
    text: String,
    rows: u64,
}

#[derive(Debug, Serialize)]
struct FoundAt {
    count: u64,
    /// `null` if rows have no places.
    first: Option<String>,
}

impl ScanReport {
    /// The report of a scan of this version.
    #[must_use]
    pub fn new(table: &TableVersion, report: &Report) -> Self {
        let at = |found: &Option<Occurrences>| {
            let Occurrences { count, first } = found.as_ref()?;
            Some(FoundAt { count: *count, first: first.clone() })
        };
        let seen = |all: &[(String, u64)]| {
            all.iter().map(|(text, rows)| SeenText { text: text.clone(), rows: *rows }).collect()
        };
        let column = |found: &ColumnReport| Column {
            column: found.column.clone(),
            r#type: found.kind.name(),
            bad: found.is_bad().then(|| found.in_words()),
            values: found.present,
            missing: at(&found.missing),
            unreadable: at(&found.unreadable),
            day_and_month_exchanged: found.exchanged,
            unreadable_texts: seen(&found.unreadable_texts),
            undeclared_keys: at(&found.undeclared),
            undeclared_values: seen(&found.undeclared_values),
            outside_bounds: at(&found.outside),
            odd_years: at(&found.odd_years),
        };
        Self {
            table: table.source.table().name.clone(),
            version: table.version.clone(),
            rows: report.rows,
            entities: report.entities,
            rows_without_entity: at(&report.ownerless),
            broken: report.problems.iter().map(ToString::to_string).collect(),
            quirks: report
                .quirks
                .iter()
                .map(|(quirk, found)| QuirkAt { quirk: quirk.name(), count: found.count, first: found.first.clone() })
                .collect(),
            columns: report.columns.iter().map(column).collect(),
            notes: report.notes.clone(),
        }
    }
}

impl ScanReport {
    /// The most frequent values that cannot be read, or that are not declared keys, as sentences; empty without any. They
    /// are private values: for the curator alone, and not for logs.
    #[must_use]
    pub fn private_values(&self) -> Vec<String> {
        let listed = |all: &[SeenText]| {
            all.iter().map(|seen| format!("`{}` {}", printable(&seen.text), seen.rows)).collect::<Vec<_>>().join(", ")
        };
        let of = |column: &Column| {
            let name = printable(&column.column);
            let undeclared = (!column.undeclared_values.is_empty()).then(|| {
                format!(
                    "{name}: values that are not declared keys, with their rows: {}",
                    listed(&column.undeclared_values)
                )
            });
            let unreadable = (!column.unreadable_texts.is_empty()).then(|| {
                format!(
                    "{name}: texts that cannot be read, with their rows: {}; add those that mean no value to `nulls` under [data.csv], or correct the `format` if others cannot be read",
                    listed(&column.unreadable_texts)
                )
            });
            [undeclared, unreadable].into_iter().flatten()
        };
        self.columns.iter().flat_map(of).collect()
    }
}

impl Display for ScanReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let entities = self.entities.map_or_else(String::new, |entities| format!(" of {entities} entities"));
        writeln!(f, "{}: {} rows{entities} checked", self.table, self.rows)?;
        let header = ["column", "type", "values", "missing", "unreadable", "undeclared", "out of bounds", ""];
        let mut grid = Grid::new(header);
        let count =
            |found: &Option<FoundAt>| right(found.as_ref().map_or_else(String::new, |found| found.count.to_string()));
        for column in &self.columns {
            let Column { missing, unreadable, undeclared_keys, outside_bounds, .. } = column;
            let mut row = vec![cell(&column.column), cell(column.r#type), right(column.values)];
            row.extend([missing, unreadable, undeclared_keys, outside_bounds].map(count));
            row.push(cell(if column.bad.is_some() { "reads badly" } else { "" }));
            grid.add_row(row);
        }
        if !self.columns.is_empty() {
            writeln!(f, "{grid}")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}
