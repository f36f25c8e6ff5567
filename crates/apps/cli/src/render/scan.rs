//! What a scan of the data found, column by column: for the curator, because it depends on private rows.

use super::true_errors::QueryErrors;
use deniable::ScanReport;
use deniable_core::exact::{Rounding, percent, whole};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_execute::Losses;
use serde::Serialize;

/// All that was found, for programs.
#[derive(Debug, Serialize)]
pub struct DataReport {
    /// Table by table.
    pub tables: Vec<ScanReport>,
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
    let mut grid =
        Grid::new(["query", "rows", "left out by caps", "entities", "that lose anything", "values beyond bounds"]);
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
            "where protected tables are joined, rows that `rows_in_joins` leaves out are in none of these figures";
        push_paragraph(&mut text, "  ", note);
    }
    let note = "these figures are exact and private: caps and bounds that are chosen by them depend on the data. `deniable suggest` \
                gives advice that is paid for";
    push_paragraph(&mut text, "  ", note);
    text
}
