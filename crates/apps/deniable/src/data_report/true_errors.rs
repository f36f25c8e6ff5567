//! Exact errors of each query from caps and bounds.

use super::losses::LeftOut;
use deniable_answers::{TrueError, Worst};
use deniable_core::exact::{Rational, Rounding, percent};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_release::forecast::about;
use serde::Serialize;
use std::collections::BTreeSet;

/// The true errors of one query.
#[derive(Debug, Serialize)]
pub(super) struct QueryErrors {
    query: String,
    /// `null` where protected tables are joined, or results are grouped by noisy numbers.
    columns: Option<Vec<ColumnError>>,
    /// The part that `typical_left_out` states; `null` if no class of its numbers rests on it.
    typical_left_out: Option<String>,
    /// Whether no public statement bounds the loss of some of its numbers.
    is_unbounded: bool,
}

#[derive(Debug, Serialize)]
struct ColumnError {
    column: String,
    cells: usize,
    worst: Option<WorstCell>,
}

#[derive(Debug, Serialize)]
struct WorstCell {
    cell: String,
    /// The number to which noise is added.
    answer: String,
    truth: String,
    /// The error over the true value, in percent; `null` if the true value is zero.
    relative: Option<String>,
}

impl QueryErrors {
    /// Converts the errors of a query's columns.
    pub(super) fn new(
        query: &str,
        errors: Option<&[TrueError]>,
        stated: Option<&Rational>,
        is_unbounded: bool,
    ) -> Self {
        let worst = |worst: &Worst| WorstCell {
            cell: worst.cell.clone(),
            answer: about(&worst.answer),
            truth: about(&worst.truth),
            relative: worst.relative().map(|error| percent(&error, 1, Rounding::Nearest)),
        };
        let column = |error: &TrueError| ColumnError {
            column: error.column.clone(),
            cells: error.cells,
            worst: error.worst.as_ref().map(worst),
        };
        let columns = errors.map(|errors| errors.iter().map(column).collect());
        let typical_left_out = stated.map(|stated| percent(stated, 1, Rounding::Nearest));
        Self { query: query.to_owned(), columns, typical_left_out, is_unbounded }
    }
}

/// The true errors of every query as a table.
///
/// Unreadable values are in no sum, so an error beside them is not the whole one.
pub(super) fn true_errors(queries: &[QueryErrors], left_out: &[LeftOut]) -> String {
    let mut grid = Grid::new(["query", "number", "cells", "largest error", "of", "in"]);
    for QueryErrors { query, columns, .. } in queries {
        let Some(columns) = columns else {
            grid.add_row(vec![cell(query), cell(""), right(""), cell("not computed"), right(""), cell("")]);
            continue;
        };
        let more = match LeftOut::unreadable(left_out, query) {
            0 => String::new(),
            values => format!(" + {values} unreadable"),
        };
        for (at, ColumnError { column, cells, worst }) in columns.iter().enumerate() {
            let name = if at == 0 { query.as_str() } else { "" };
            let row = match worst {
                None => [right(format!("0{more}")), right(""), cell("")],
                Some(WorstCell { cell: place, answer, truth, relative }) => [
                    right(format!("{}{more}", relative.as_ref().unwrap_or(answer))),
                    right(format!("{answer} for {truth}")),
                    cell(place),
                ],
            };
            grid.add_row([cell(name), cell(column), right(cells)].into_iter().chain(row).collect::<Vec<_>>());
        }
    }
    let mut text = format!("true error of each query before noise: the exact effect of caps and bounds\n{grid}\n");
    let mut note =
        "these figures are exact and private: a `typical_left_out` that is chosen by them depends on the data"
            .to_owned();
    if queries.iter().any(|query| LeftOut::unreadable(left_out, &query.query) > 0) {
        note.push_str(". Unreadable values count as NULL, and the effect of that is not in these errors");
    }
    if queries.iter().any(|query| query.is_unbounded) {
        note.push_str(". Where no public statement bounds the loss, the class of quality stays \"bias unknown\"");
    }
    let stated: BTreeSet<&str> = queries.iter().filter_map(|query| query.typical_left_out.as_deref()).collect();
    if !stated.is_empty() {
        let stated: Vec<&str> = stated.into_iter().collect();
        note.push_str(&format!(". Classes rest on `typical_left_out` = {}", stated.join(" and ")));
    }
    push_paragraph(&mut text, "  ", &note);
    text
}
