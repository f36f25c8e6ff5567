//! What a scan of the data found, column by column: for the curator, because it depends on private rows.

use super::table::{cell, grid, right};
use deniable_release::Versioned;
use deniable_sql::source::check::{ColumnReport, Found, Report};
use serde::Serialize;
use std::fmt::Write;

/// What was found in one table, for programs.
#[derive(Debug, Serialize)]
pub struct Scan {
    table: String,
    version: String,
    rows: u64,
    entities: Option<u64>,
    rows_without_entity: Option<FoundAt>,
    broken: Vec<String>,
    columns: Vec<Column>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Column {
    column: String,
    r#type: &'static str,
    /// What makes it bad, in words; `null` where it reads well.
    bad: Option<String>,
    values: u64,
    missing: Option<FoundAt>,
    unreadable: Option<FoundAt>,
    /// `null` as well where no keys are declared.
    undeclared_keys: Option<FoundAt>,
    outside_bounds: Option<FoundAt>,
}

#[derive(Debug, Serialize)]
struct FoundAt {
    count: u64,
    first: String,
}

impl Scan {
    /// Brings a report into this form.
    pub fn new(table: &Versioned, report: &Report) -> Self {
        let at = |found: &Option<Found>| {
            let Found { count, first } = found.as_ref()?;
            Some(FoundAt { count: *count, first: first.clone() })
        };
        let column = |found: &ColumnReport| Column {
            column: found.column.clone(),
            r#type: found.kind.name(),
            bad: found.is_bad().then(|| found.in_words()),
            values: found.present,
            missing: at(&found.missing),
            unreadable: at(&found.unreadable),
            undeclared_keys: at(&found.undeclared),
            outside_bounds: at(&found.outside),
        };
        Self {
            table: table.source.table().name.clone(),
            version: table.version.clone(),
            rows: report.rows,
            entities: report.entities,
            rows_without_entity: at(&report.ownerless),
            broken: report.problems.iter().map(ToString::to_string).collect(),
            columns: report.columns.iter().map(column).collect(),
            notes: report.notes.clone(),
        }
    }
}

/// What was found in one table, for reading.
pub fn table(table: &Versioned, report: &Report) -> String {
    let entities = report.entities.map_or_else(String::new, |entities| format!(" of {entities} entities"));
    let mut text = format!("{}: {} rows{entities} checked\n", table.source.table().name, report.rows);
    let mut grid = grid();
    grid.set_header(vec!["column", "type", "values", "missing", "unreadable", "undeclared", "out of bounds", ""]);
    let count = |found: &Option<Found>| right(found.as_ref().map_or_else(String::new, |found| found.count.to_string()));
    for column in &report.columns {
        let ColumnReport { present, missing, unreadable, undeclared, outside, .. } = column;
        let mut row = vec![cell(&column.column), cell(column.kind.name()), right(present)];
        row.extend([missing, unreadable, undeclared, outside].map(count));
        row.push(cell(if column.is_bad() { "reads badly" } else { "" }));
        grid.add_row(row);
    }
    if !report.columns.is_empty() {
        let _ = writeln!(text, "{grid}");
    }
    for note in &report.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}
