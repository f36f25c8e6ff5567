//! Public tables: functions from a key to a row, read and checked before the charge.

use super::{inputs_of, used_inputs};
use arrow_array::{Array, UInt32Array};
use arrow_select::concat::concat;
use deniable_data::SourceError;
use deniable_data::{Batch, Memory, Meter, Reservation, Source, WantedColumn};
use deniable_expression::{Column, Value};
use deniable_query::Query;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The rows of a public table by their key, with the columns that a query uses.
pub(super) struct Lookup {
    rows: Keys,
    /// The position of each column among the program's inputs.
    columns: Vec<(usize, Column)>,
    _reservation: Reservation,
}

/// The row number of each key.
enum Keys {
    Integers(HashMap<i64, u32>),
    Others(HashMap<Value, u32>),
}

/// Approximate number of bytes of a key in a map, besides its text.
const BYTES_OF_A_KEY: usize = 64;

impl Lookup {
    /// Reads a public table.
    ///
    /// # Errors
    /// When it cannot be read, a key is missing, invalid or a duplicate, or it does not fit in memory.
    pub(super) fn read(
        source: &Source,
        query: &Query,
        table: usize,
        meter: &Arc<Meter>,
        memory: &Memory,
    ) -> Result<Self, SourceError> {
        let declared = &query.rows().tables[table];
        let name = || declared.name.clone();
        let start = inputs_of(query, table).start;
        let used = used_inputs(query, table);
        let key = declared.public_key.as_deref().and_then(|key| declared.position(key));
        let key = key.ok_or_else(|| SourceError::Rows { table: name() })?;
        let wanted = std::iter::once(key).chain(used.iter().map(|input| input - start)).map(WantedColumn::typed);
        let scan = source.scan(&wanted.collect::<Vec<_>>(), meter)?;
        let take = |batches: &mut Vec<Batch>, batch| {
            batches.push(batch);
            Ok::<(), std::convert::Infallible>(())
        };
        let batches = scan.run(1, Vec::new, take).map_err(|_| SourceError::Rows { table: name() })?;
        let batches: Vec<Batch> = batches.into_iter().flatten().collect();
        let mut reservation = memory.reserve();
        let mut found: HashMap<Value, u32> = HashMap::new();
        let mut row = 0_u32;
        for batch in &batches {
            let bytes: usize = batch.columns.iter().map(|column| column.to_array().get_array_memory_size()).sum();
            // Memory of the map, which contains the keys again.
            if !reservation.try_grow(bytes.saturating_mul(2).saturating_add(batch.rows * BYTES_OF_A_KEY)) {
                return Err(SourceError::Memory { table: name() });
            }
            let keys = batch.columns.first().and_then(|column| column.typed());
            for at in 0..batch.rows {
                let wrong = |problem: String| SourceError::Key {
                    table: name(),
                    column: declared.public_key.clone().unwrap_or_default(),
                    problem,
                };
                let Some(value) = keys.and_then(|keys| keys.value(at)) else {
                    return Err(wrong(format!(
                        "is missing, or cannot be read as its type, in row {}",
                        u64::from(row) + 1
                    )));
                };
                match found.entry(value) {
                    Entry::Vacant(free) => {
                        free.insert(row);
                    }
                    Entry::Occupied(taken) => {
                        let (first, second) = (u64::from(*taken.get()) + 1, u64::from(row) + 1);
                        return Err(wrong(format!("is the same in rows {first} and {second}")));
                    }
                }
                row = row.checked_add(1).ok_or_else(|| SourceError::Memory { table: name() })?;
            }
        }
        let kinds = used.iter().map(|input| (*input, query.rows().program.columns()[*input].kind));
        let columns = kinds.enumerate().map(|(at, (input, kind))| {
            let parts: Vec<_> = batches.iter().filter_map(|batch| batch.columns.get(at + 1)).collect();
            let arrays: Vec<_> = parts.iter().map(|part| part.to_array()).collect();
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            let whole = if arrays.is_empty() { None } else { concat(&arrays).ok() };
            let column = whole.and_then(|whole| Column::from_array(&whole));
            (input, column.unwrap_or_else(|| Column::nulls(kind, row as usize)))
        });
        let columns = columns.collect();
        Ok(Self { rows: Keys::of(found), columns, _reservation: reservation })
    }

    /// The columns, with their positions among the program's inputs.
    pub(super) fn columns(&self) -> &[(usize, Column)] {
        &self.columns
    }

    /// The row number of each key; NULL for unknown keys.
    pub(super) fn positions(&self, keys: &Column) -> UInt32Array {
        match (&self.rows, keys) {
            (Keys::Integers(rows), Column::Integer(keys)) => {
                keys.iter().map(|key| key.and_then(|key| rows.get(&key).copied())).collect()
            }
            (Keys::Others(rows), keys) => {
                (0..keys.len()).map(|row| keys.value(row).and_then(|key| rows.get(&key).copied())).collect()
            }
            // Both sides of a join have the same type.
            (Keys::Integers(_), keys) => UInt32Array::new_null(keys.len()),
        }
    }
}

impl Keys {
    fn of(found: HashMap<Value, u32>) -> Self {
        let number = |value: &Value| if let Value::Integer(number) = value { Some(*number) } else { None };
        let integers: Option<HashMap<i64, u32>> =
            found.iter().map(|(value, row)| Some((number(value)?, *row))).collect();
        match integers {
            Some(integers) if !integers.is_empty() => Self::Integers(integers),
            _ => Self::Others(found),
        }
    }
}
