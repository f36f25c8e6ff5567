//! Findings of a scan of the data, by column: for the curator alone, because they depend on private rows.

use super::true_errors::QueryErrors;
use deniable::ScanReport;
use deniable_core::exact::{Rounding, percent, whole};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_execute::Losses;
use serde::Serialize;

/// All findings, for JSON.
#[derive(Debug, Serialize)]
pub struct DataReport {
    /// Findings of each table.
    pub tables: Vec<ScanReport>,
    /// Losses of caps and bounds for each query; empty if the data cannot be read as declared.
    pub queries: Vec<LeftOut>,
    /// Errors of each query from caps and bounds; empty if the data cannot be read as declared.
    pub true_errors: Vec<QueryErrors>,
}

/// Losses of caps and bounds for a query, for JSON.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    query: String,
    rows: u64,
    rows_left_out: Option<u64>,
    entities: Option<u64>,
    entities_beyond_caps: u64,
    beyond_bounds: Vec<ClampedReport>,
    /// Most rows of one entity in each table that met in a join; `null` without a join.
    rows_in_joins: Option<u32>,
}

#[derive(Debug, Serialize)]
struct ClampedReport {
    expression: String,
    values: u64,
    outside: u64,
}

impl LeftOut {
    /// Converts the losses of a query.
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

/// Losses of caps and bounds for every query, as a table.
pub fn left_out(queries: &[LeftOut]) -> String {
    let mut grid =
        Grid::new(["query", "rows", "left out by caps", "entities", "with rows left out", "values beyond bounds"]);
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
        grid.add_row([
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
            "where protected tables are joined, these figures do not include rows that `rows_in_joins` leaves out";
        push_paragraph(&mut text, "  ", note);
    }
    let note = "these figures are exact and private: caps and bounds that are chosen by them depend on the data. `deniable suggest` \
                suggests caps and bounds under the promise";
    push_paragraph(&mut text, "  ", note);
    text
}
