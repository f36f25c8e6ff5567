//! What the fast code must do, as plainly as it can be said: row by row, in maps, with a rank for everything.

use super::identity::{Identities, Identity};
use crate::plan::{Argument, Group, MeasureKind, Query};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use deniable_core::sensitivity::Caps;
use deniable_policy::Key;
use std::collections::BTreeMap;

type Values = Vec<Option<i64>>;

/// A row that counts: whose, in which cell, with which values.
pub(super) type Row = (Identity, u32, Values);

/// A kept row: its cell, its values. And, apart from it, the marks of a cell, since any of its rows may carry it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) rows: Vec<(u32, Values)>,
    pub(super) marks: Vec<(u32, u64)>,
}

/// The key in a row of a column; `None` is NULL.
fn key(column: &ArrayRef, row: usize) -> Key {
    match column.data_type() {
        _ if column.is_null(row) => Key::Null,
        DataType::Int64 => Key::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Boolean => Key::Boolean(column.as_boolean().value(row)),
        _ => Key::Text(cast(&column.slice(row, 1), &DataType::Utf8).unwrap().as_string::<i32>().value(0).to_owned()),
    }
}

fn value(argument: &Argument, column: &ArrayRef, row: usize) -> Option<i64> {
    if column.logical_nulls().is_some_and(|nulls| nulls.is_null(row)) {
        return None;
    }
    match (&argument.grid, column.data_type()) {
        (None, _) => Some(0),
        (Some(grid), DataType::Int64) => Some(grid.of_integer(column.as_primitive::<Int64Type>().value(row))),
        (Some(grid), _) => grid.of_float(column.as_primitive::<Float64Type>().value(row)),
    }
}

/// The rows of a batch that count. `identities` are given when the first column is an entity key.
pub(super) fn rows(
    batch: &RecordBatch,
    groups: &[Group],
    arguments: &[Argument],
    identities: Option<&Identities>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for row in 0..batch.num_rows() {
        let mut columns = batch.columns().iter();
        let mut identity = Some(Identity::default());
        if let Some(identities) = identities {
            identity = match key(columns.next().unwrap(), row) {
                Key::Integer(value) => Some(identities.of_integer(value)),
                Key::Text(text) => Some(identities.of_text(&text)),
                Key::Null | Key::Boolean(_) => None,
            };
        }
        let mut cell = Some(0);
        for group in groups {
            let found = key(columns.next().unwrap(), row);
            let position = group.keys.iter().position(|key| *key == found);
            cell = cell.zip(position).map(|(cell, position)| cell * group.keys.len() + position);
        }
        let values = arguments.iter().map(|argument| value(argument, columns.next().unwrap(), row)).collect();
        if let (Some(identity), Some(cell)) = (identity, cell) {
            rows.push((identity, u32::try_from(cell).unwrap(), values));
        }
    }
    rows
}

/// What is kept of rows: the cells of lowest rank of each entity, and in each the rows of lowest rank.
pub(super) fn keep(rows: &[Row], arguments: &[Argument], presence: &[usize], caps: Caps, by: &Identities) -> Kept {
    let mut entities: BTreeMap<Identity, BTreeMap<u32, Vec<Values>>> = BTreeMap::new();
    for (identity, cell, values) in rows {
        entities.entry(*identity).or_default().entry(*cell).or_default().push(values.clone());
    }
    let mut kept = Kept::default();
    for (identity, cells) in entities {
        let mut cells: Vec<_> =
            cells.into_iter().map(|(cell, rows)| (by.of_cell(identity, cell), cell, rows)).collect();
        cells.sort();
        for (_, cell, rows) in cells.into_iter().take(caps.groups as usize) {
            let present = |argument: &usize| rows.iter().any(|values| values[*argument].is_some());
            let bits = presence.iter().enumerate().map(|(bit, argument)| u64::from(present(argument)) << (1 + bit));
            kept.marks.push((cell, 1 + bits.sum::<u64>()));
            let mut ranked: Vec<_> = rows
                .into_iter()
                .map(|values| (by.of_row(identity, &words(cell, &values, arguments), &mut Vec::new()), values))
                .collect();
            ranked.sort();
            let lowest = ranked.into_iter().take(caps.rows_per_group as usize);
            kept.rows.extend(lowest.map(|(_, values)| (cell, values)));
        }
    }
    kept.rows.sort();
    kept.marks.sort_unstable();
    kept
}

/// What a row is ranked by: the cell, a bit for each of up to 32 values, the values of arguments with a grid.
fn words(cell: u32, values: &[Option<i64>], arguments: &[Argument]) -> Vec<u64> {
    assert!(values.len() <= 32);
    let bits = values.iter().enumerate().map(|(bit, value)| u64::from(value.is_some()) << (32 + bit));
    let mut words = vec![u64::from(cell) + bits.sum::<u64>()];
    let gridded = values.iter().zip(arguments).filter(|(_, argument)| argument.grid.is_some());
    words.extend(gridded.map(|(value, _)| value.unwrap_or(0) as u64));
    words
}

/// The totals of what is kept; without an entity key every row is kept and marked.
pub(super) fn totals(query: &Query, kept: &Kept) -> Vec<Vec<i128>> {
    let totals = query.measures().iter().map(|measure| {
        let mut totals = vec![0_i128; query.cells()];
        for (cell, values) in &kept.rows {
            totals[*cell as usize] += match &measure.kind {
                MeasureKind::Rows => 1,
                MeasureKind::NotNull { argument } => i128::from(values[*argument].is_some()),
                MeasureKind::Entities => 0,
                MeasureKind::Sum { argument, centre, range: _ } => {
                    values[*argument].map_or(0, |units| i128::from(units) - i128::from(*centre))
                }
            };
        }
        if measure.kind == MeasureKind::Entities {
            kept.marks.iter().for_each(|(cell, _)| totals[*cell as usize] += 1);
        }
        totals
    });
    totals.collect()
}
