//! Rows and values that caps and bounds leave out of each query.

use deniable_core::exact::{Rounding, percent, whole};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_execute::Losses;
use deniable_release::UnreadableColumn;
use serde::Serialize;

/// Losses of caps and bounds for a query.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    query: String,
    rows: u64,
    /// The rows among them whose group value is NULL, not declared, or outside bounds.
    rows_in_no_group: u64,
    /// Further rows for which a public table of an inner join has no row.
    rows_without_partner: u64,
    rows_left_out: Option<u64>,
    entities: Option<u64>,
    entities_beyond_caps: u64,
    beyond_bounds: Vec<ClampedReport>,
    /// Columns that it reads with values that cannot be read, which count as NULL.
    unreadable: Vec<UnreadableReport>,
    /// Most rows of one entity in each table that met in a join; `null` without a join.
    rows_in_joins: Option<u32>,
}

#[derive(Debug, Serialize)]
struct UnreadableReport {
    column: String,
    unreadable: u64,
    values: u64,
}

#[derive(Debug, Serialize)]
struct ClampedReport {
    expression: String,
    values: u64,
    outside: u64,
}

impl LeftOut {
    /// Converts the losses of a query.
    pub(super) fn new(query: &str, losses: &Losses, unreadable: &[UnreadableColumn]) -> Self {
        let unreadable = unreadable.iter().map(|found| UnreadableReport {
            column: found.column.clone(),
            unreadable: found.unreadable,
            values: found.values,
        });
        let beyond = losses.beyond.iter().map(|beyond| ClampedReport {
            expression: beyond.expression.clone(),
            values: beyond.values,
            outside: beyond.outside,
        });
        Self {
            query: query.to_owned(),
            rows: losses.rows,
            rows_in_no_group: losses.rows_in_no_group,
            rows_without_partner: losses.rows_without_partner,
            rows_left_out: losses.rows_left_out,
            entities: losses.entities,
            entities_beyond_caps: losses.entities_beyond,
            beyond_bounds: beyond.collect(),
            unreadable: unreadable.collect(),
            rows_in_joins: losses.rows_in_joins,
        }
    }
}

impl LeftOut {
    /// The number of unreadable values in the columns that a query reads.
    pub(super) fn unreadable(queries: &[Self], query: &str) -> u64 {
        let own = queries.iter().filter(|left_out| left_out.query == query);
        own.flat_map(|left_out| &left_out.unreadable).map(|found| found.unreadable).sum()
    }
}

/// Losses of caps and bounds for every query, as a table.
pub(super) fn left_out(queries: &[LeftOut]) -> String {
    // Rows in no group and unreadable values are rare: their columns are shown where there are any.
    let has_others = queries.iter().any(|query| query.rows_in_no_group > 0);
    let has_unreadable = queries.iter().any(|query| !query.unreadable.is_empty());
    let has_alone = queries.iter().any(|query| query.rows_without_partner > 0);
    let mut header = vec!["query", "rows"];
    header.extend(has_alone.then_some("without a row to join"));
    header.extend(has_others.then_some("in no group"));
    header.extend(["left out by caps", "entities", "with rows left out", "values beyond bounds"]);
    header.extend(has_unreadable.then_some("unreadable values"));
    let mut grid = Grid::new(header);
    let part = |part: u64, all: u64| match part {
        0 => "0".to_owned(),
        _ => format!("{part} ({})", percent(&(whole(part) / whole(all.max(1))), 1, Rounding::Nearest)),
    };
    let people = |number: Option<String>| right(number.unwrap_or_else(|| "-".to_owned()));
    for left_out in queries {
        let LeftOut { query, rows, rows_in_no_group, rows_left_out, .. } = left_out;
        let LeftOut { entities, entities_beyond_caps, beyond_bounds, unreadable, .. } = left_out;
        let beyond = beyond_bounds.iter().map(|one| format!("{}: {}", one.expression, part(one.outside, one.values)));
        let unreadable = unreadable.iter().map(|one| format!("{}: {}", one.column, part(one.unreadable, one.values)));
        let alone = left_out.rows_without_partner;
        let mut row = vec![cell(query), right(rows)];
        row.extend(has_alone.then(|| right(part(alone, rows.saturating_add(alone)))));
        row.extend(has_others.then(|| right(part(*rows_in_no_group, *rows))));
        row.extend([
            people(rows_left_out.map(|lost| part(lost, *rows))),
            people(entities.map(|all| all.to_string())),
            people(entities.map(|all| part(*entities_beyond_caps, all))),
            cell(beyond.collect::<Vec<_>>().join(", ")),
        ]);
        row.extend(has_unreadable.then(|| cell(unreadable.collect::<Vec<_>>().join(", "))));
        grid.add_row(row);
    }
    let mut text = format!("what caps and bounds leave out of each query, exactly\n{grid}\n");
    if queries.iter().any(|query| query.rows_in_joins.is_some()) {
        let note =
            "where protected tables are joined, these figures do not include rows that `rows_in_joins` leaves out";
        push_paragraph(&mut text, "  ", note);
    }
    if has_alone {
        let note = "rows without a row to join have a key that the public table does not list: JOIN leaves them out of every \
                    number, and LEFT JOIN keeps them";
        push_paragraph(&mut text, "  ", note);
    }
    if queries.iter().any(|query| query.rows_in_no_group > 0) {
        let note = "rows in no group meet the conditions, but their group value is NULL, not a declared key, or outside \
                    the declared bounds: no number of the query includes them, and the true errors do not either";
        push_paragraph(&mut text, "  ", note);
    }
    let note = "these figures are exact and private: caps and bounds that are chosen by them depend on the data. `deniable suggest` \
                suggests caps and bounds under the promise";
    push_paragraph(&mut text, "  ", note);
    text
}
