//! A reference implementation of the fast code, as simple as possible: row by row, in maps, with a rank for everything.

use super::CapRules;
use super::Identity;
use super::identity::Identities;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use deniable_core::schema::Key;
use deniable_query::{Argument, Group, MeasureKind, Query, presence};
use std::collections::BTreeMap;

type Values = Vec<Option<i64>>;

/// A row that counts: its entity, its combination of keys, its values.
pub(super) type Row = (Identity, u32, Values);

/// A level and one of its cells.
pub(super) type Cell = (usize, u32);

/// The kept rows, each with its cell and its values, and the marks of cells, which may be on any row of a cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReferenceRows {
    pub(super) rows: Vec<(Cell, Values)>,
    pub(super) marks: Vec<(Cell, u64)>,
}

/// The cell of a combination at a level: the keys are separated, and those of the level combined.
pub(super) fn cell(combination: u32, groups: &[Group], level: &[usize]) -> u32 {
    let mut keys = Vec::new();
    let mut rest = combination;
    for group in groups.iter().rev() {
        keys.insert(0, rest % group.keys.len() as u32);
        rest /= group.keys.len() as u32;
    }
    level.iter().fold(0, |cell, group| cell * groups[*group].keys.len() as u32 + keys[*group])
}

/// The key in a row of a column; `None` is NULL.
fn key(column: &ArrayRef, row: usize) -> Key {
    match column.data_type() {
        _ if column.is_null(row) => Key::Null,
        DataType::Int64 => Key::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Boolean => Key::Boolean(column.as_boolean().value(row)),
        DataType::Date32 => Key::Date(column.as_primitive::<Date32Type>().value(row)),
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

/// The rows of a batch that count. `identities` is present when the first column is an entity key.
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
                _ => None,
            };
        }
        let mut combination = Some(0);
        for group in groups {
            let found = key(columns.next().unwrap(), row);
            let place = |wanted: &Key| group.keys.iter().position(|key| key == wanted);
            let position = place(&found).or_else(|| if found == Key::Null { None } else { place(&Key::Other) });
            combination = combination.zip(position).map(|(cell, position)| cell * group.keys.len() + position);
        }
        let values = arguments.iter().map(|argument| value(argument, columns.next().unwrap(), row)).collect();
        if let (Some(identity), Some(combination)) = (identity, combination) {
            rows.push((identity, u32::try_from(combination).unwrap(), values));
        }
    }
    rows
}

/// The kept rows at each level: the cells of lowest rank of each entity, and in each evenly spaced rows.
pub(super) fn keep(rows: &[Row], capping: &CapRules<'_>, by: &Identities) -> ReferenceRows {
    let mut kept = ReferenceRows::default();
    for (at, level) in capping.levels.iter().enumerate() {
        let mut entities: BTreeMap<Identity, BTreeMap<u32, Vec<(u32, Values)>>> = BTreeMap::new();
        for (identity, combination, values) in rows {
            let cell = cell(*combination, capping.groups, level);
            entities.entry(*identity).or_default().entry(cell).or_default().push((*combination, values.clone()));
        }
        for (identity, cells) in entities {
            let mut cells: Vec<_> =
                cells.into_iter().map(|(cell, rows)| (by.seed(identity).rank(cell), cell, rows)).collect();
            cells.sort();
            for (_, cell, rows) in cells.into_iter().take(capping.caps.groups as usize) {
                let present = |argument: &usize| rows.iter().any(|(_, values)| values[*argument].is_some());
                let presence = capping.presence.iter().enumerate();
                let bits = presence.map(|(bit, argument)| u64::from(present(argument)) << (1 + bit));
                kept.marks.push(((at, cell), 1 + bits.sum::<u64>()));
                let most = capping.caps.rows_per_group as usize;
                let mut sorted: Vec<_> =
                    rows.into_iter().map(|row| (words(row.0, &row.1, capping.arguments), row.1)).collect();
                sorted.sort();
                let (start, count) = (by.draw(identity, cell) as usize % sorted.len(), sorted.len());
                // Every (count / most)-th row from a start between the rows.
                let is_kept = |at: usize| (0..most).any(|number| (start + number * count) / most == at);
                let chosen = sorted.into_iter().enumerate().filter(|(at, _)| count <= most || is_kept(*at));
                kept.rows.extend(chosen.map(|(_, (_, values))| ((at, cell), values)));
            }
        }
    }
    kept.rows.sort();
    kept.marks.sort_unstable();
    kept
}

/// Keeps every row as a separate entity, which counts at each level.
pub(super) fn keep_all(rows: &[Row], query: &Query) -> ReferenceRows {
    let mut kept = ReferenceRows::default();
    for (at, level) in query.levels().iter().enumerate() {
        let cell = |combination: u32| (at, cell(combination, query.groups(), level));
        kept.rows.extend(rows.iter().map(|(_, combination, values)| (cell(*combination), values.clone())));
    }
    kept
}

/// What rows of an entity are sorted by: the bits and keys, then the values of arguments with a grid.
fn words(combination: u32, values: &[Option<i64>], arguments: &[Argument]) -> (u64, Vec<i64>) {
    assert!(values.len() <= 32);
    let bits = values.iter().enumerate().map(|(bit, value)| u64::from(value.is_some()) << (32 + bit));
    let gridded = values.iter().zip(arguments).filter(|(_, argument)| argument.grid.is_some());
    (u64::from(combination) + bits.sum::<u64>(), gridded.map(|(value, _)| value.unwrap_or(0)).collect())
}

/// The cells of each measure over the kept rows, in the form of [`super::Exact::reveal`].
pub(super) fn totals(query: &Query, kept: &ReferenceRows) -> Vec<Vec<Vec<i128>>> {
    let presence = presence(query.measures());
    let totals = query.measures().iter().map(|measure| {
        let cells = query.cells(measure.level);
        let mut sums = vec![vec![0_i128]; cells];
        let mut piles = vec![Vec::new(); cells];
        for ((_, cell), values) in kept.rows.iter().filter(|((level, _), _)| *level == measure.level) {
            let sum = &mut sums[*cell as usize][0];
            match &measure.kind {
                MeasureKind::Rows => *sum += 1,
                MeasureKind::NotNull { argument } => *sum += i128::from(values[*argument].is_some()),
                MeasureKind::Entities { .. } => {}
                MeasureKind::Sum { of, range: _ } => *sum += values[of.argument].map_or(0, |units| of.of(units)),
                MeasureKind::Product { of: [one, other], range: _ } => {
                    let both = values[one.argument].zip(values[other.argument]);
                    *sum += both.map_or(0, |(left, right)| one.of(left) * other.of(right));
                }
                MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => {
                    piles[*cell as usize].extend(values[*argument].map(i128::from));
                }
            }
        }
        match &measure.kind {
            MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => {
                piles.iter_mut().for_each(|pile| pile.sort_unstable());
                return piles;
            }
            MeasureKind::Entities { present } => {
                let bit = present.map_or(0, |argument| 1 + presence.iter().position(|at| *at == argument).unwrap());
                for ((_, cell), mark) in kept.marks.iter().filter(|((level, _), _)| *level == measure.level) {
                    sums[*cell as usize][0] += i128::from(mark >> bit & 1);
                }
            }
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Sum { .. } | MeasureKind::Product { .. } => {
            }
        }
        sums
    });
    totals.collect()
}
