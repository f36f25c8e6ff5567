//! What a scan of the data found, column by column: for the curator, because it depends on private rows.

use super::table::{cell, grid, right, wrapped};
use super::true_errors::QueryErrors;
use deniable_core::exact::{Rounding, percent, whole};
use deniable_data::check::{ColumnReport, Occurrences as Place, Report};
use deniable_execute::Losses;
use deniable_release::TableVersion;
use serde::Serialize;
use std::fmt::Write;

/// All that was found, for programs.
#[derive(Debug, Serialize)]
pub struct DataReport {
    /// Table by table.
    pub tables: Vec<Scan>,
    /// What caps and bounds leave out, query by query; none where nothing was registered.
    pub queries: Vec<LeftOut>,
    /// How far caps and bounds move the numbers of each query; none where nothing was registered.
    pub true_errors: Vec<QueryErrors>,
}

/// What caps and bounds leave out of a query, for programs.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    query: String,
    rows: u64,
    rows_left_out: Option<u64>,
    entities: Option<u64>,
    entities_beyond_caps: u64,
    beyond_bounds: Vec<ClampedReport>,
    /// Most rows of one entity, of each table, that met in a join; `null` where none are joined.
    rows_in_joins: Option<u32>,
}

#[derive(Debug, Serialize)]
struct ClampedReport {
    expression: String,
    values: u64,
    outside: u64,
}

impl LeftOut {
    /// Brings what was found of a query into this form.
    pub fn new(query: &str, losses: &Losses) -> Self {
        let beyond = losses.beyond.iter().map(|beyond| ClampedReport {
            expression: beyond.expression.clone(),
            values: beyond.values,
            outside: beyond.outside,
        });
        Self {
            query: query.to_owned(),
            rows: losses.rows,
            rows_left_out: losses.rows_left_out,
            entities: losses.entities,
            entities_beyond_caps: losses.entities_beyond,
            beyond_bounds: beyond.collect(),
            rows_in_joins: losses.rows_in_joins,
        }
    }
}

/// What caps and bounds leave out of every query, for reading.
pub fn left_out(queries: &[LeftOut]) -> String {
    let mut grid = grid();
    grid.set_header(
        ["query", "rows", "left out by caps", "entities", "that lose anything", "values beyond bounds"].map(cell),
    );
    let part = |part: u64, all: u64| match part {
        0 => "0".to_owned(),
        _ => format!("{part} ({})", percent(&(whole(part) / whole(all.max(1))), 1, Rounding::Nearest)),
    };
    for LeftOut { query, rows, rows_left_out, entities, entities_beyond_caps, beyond_bounds, rows_in_joins: _ } in
        queries
    {
        let beyond: Vec<String> = beyond_bounds
            .iter()
            .map(|beyond| format!("{}: {}", beyond.expression, part(beyond.outside, beyond.values)))
            .collect();
        let people = |number: Option<String>| right(number.unwrap_or_else(|| "-".to_owned()));
        grid.add_row(vec![
            cell(query),
            right(rows),
            people(rows_left_out.map(|lost| part(lost, *rows))),
            people(entities.map(|all| all.to_string())),
            people(entities.map(|all| part(*entities_beyond_caps, all))),
            cell(beyond.join(", ")),
        ]);
    }
    let mut text = format!("what caps and bounds leave out of each query, exactly\n{grid}\n");
    if queries.iter().any(|query| query.rows_in_joins.is_some()) {
        let note =
            "where protected tables are joined, rows that `rows_in_joins` leaves out are in none of these figures";
        wrapped(&mut text, "  ", note);
    }
    let note = "these figures are exact and private: caps and bounds that are chosen by them depend on the data. `deniable suggest` \
                gives advice that is paid for";
    wrapped(&mut text, "  ", note);
    text
}

/// What was found in one table, for programs.
#[derive(Debug, Serialize)]
pub struct Scan {
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
    /// What makes it bad, in words; `null` where it reads well.
    bad: Option<String>,
    values: u64,
    missing: Option<FoundAt>,
    unreadable: Option<FoundAt>,
    /// `null` as well where no keys are declared.
    undeclared_keys: Option<FoundAt>,
    outside_bounds: Option<FoundAt>,
    /// Dates and times whose year is most likely another one.
    odd_years: Option<FoundAt>,
}

#[derive(Debug, Serialize)]
struct FoundAt {
    count: u64,
    /// `null` where rows have no places.
    first: Option<String>,
}

impl Scan {
    /// Brings a report into this form.
    pub fn new(table: &TableVersion, report: &Report) -> Self {
        let at = |found: &Option<Place>| {
            let Place { count, first } = found.as_ref()?;
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

/// What was found in one table, for reading.
pub fn table(table: &TableVersion, report: &Report) -> String {
    let entities = report.entities.map_or_else(String::new, |entities| format!(" of {entities} entities"));
    let mut text = format!("{}: {} rows{entities} checked\n", table.source.table().name, report.rows);
    let mut grid = grid();
    grid.set_header(vec!["column", "type", "values", "missing", "unreadable", "undeclared", "out of bounds", ""]);
    let count = |found: &Option<Place>| right(found.as_ref().map_or_else(String::new, |found| found.count.to_string()));
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
