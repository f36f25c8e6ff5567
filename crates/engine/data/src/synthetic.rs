//! Made-up rows of the declared shape, which show how answers might look before any data is read.
//!
//! Nothing here depends on private data: values are drawn from the declared keys, bounds and types alone, with a fixed
//! seed. The first declared key is the most frequent, and each next one is rarer; numbers and times concentrate around
//! the middle of their bounds.

use crate::Source;
use crate::error::SourceError;
use crate::memory_schema;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringViewArray,
    TimestampMicrosecondArray,
};
use deniable_core::exact::Rational;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, Key};
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// Number of distinct values of a column with nothing but a declared type.
const DISTINCT_VALUES: u64 = 50;
/// Rows of one entity, if its caps allow as many.
const ROWS_EACH: u64 = 3;
/// The seed, the same for all users.
const SEED: u64 = 1;

/// A made-up value: its number, if it has one, and its index among the declared keys, if any.
enum Value {
    Null,
    Number(f64),
    Key(Key),
}

/// Rows for every table: `rows` in each protected one, and one for each key in the public ones. They belong to
/// `entities` entities if given, and otherwise to a number of entities with a few rows each.
///
/// # Errors
/// When the columns form no valid table; never for those of a policy.
pub fn synthetic(tables: &[TableSchema], rows: u64, entities: Option<u64>) -> Result<Vec<Source>, SourceError> {
    let batches = tables.iter().map(|table| batch(table, rows, entities).map(|batch| (table, batch)));
    batches.map(|made| made.map(|(table, batch)| Source::of_local_times(table.clone(), vec![batch]))).collect()
}

fn batch(table: &TableSchema, rows: u64, entities: Option<u64>) -> Result<RecordBatch, SourceError> {
    let unreadable = |_| SourceError::Rows { table: table.name.clone() };
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let rows = match &table.public_key {
        None => rows,
        Some(key) => table.columns.iter().find(|column| column.name == *key).map_or(DISTINCT_VALUES, distinct),
    };
    let arrays = table.columns.iter().map(|column| {
        let values: Vec<Value> = (0..rows).map(|row| value(table, column, (row, entities), &mut rng)).collect();
        array(column, &values)
    });
    let count = RecordBatchOptions::new().with_row_count(usize::try_from(rows).ok());
    RecordBatch::try_new_with_options(Arc::new(memory_schema(table)), arrays.collect(), &count).map_err(unreadable)
}

/// The declared keys that are values or NULL: without the last one, if it represents all other values.
fn listed(column: &Column) -> Option<&[Key]> {
    let keys = column.keys.as_deref()?;
    Some(keys.strip_suffix(&[Key::Other]).unwrap_or(keys))
}

/// The number of distinct values of a column with unique values.
fn distinct(column: &Column) -> u64 {
    match (listed(column), &column.bounds) {
        (Some(keys), _) => keys.len() as u64,
        (None, Some(bounds)) => {
            let (low, high) = bounds.in_units();
            high.abs_diff(low).saturating_add(1).min(10_000)
        }
        (None, None) => DISTINCT_VALUES,
    }
}

fn value(table: &TableSchema, column: &Column, (row, entities): (u64, Option<u64>), rng: &mut ChaCha20Rng) -> Value {
    if table.public_key.as_deref() == Some(&column.name) {
        return nth(column, row);
    }
    if let Some(entity) = table.entity.as_ref().filter(|entity| entity.key == column.name) {
        let each = ROWS_EACH.min(u64::from(entity.caps.rows_per_group) * u64::from(entity.caps.groups)).max(1);
        let entity = entities.map_or(row / each, |entities| row % entities.max(1));
        return nth(&Column { keys: None, bounds: None, ..column.clone() }, entity);
    }
    match (listed(column), column.kind) {
        (Some(keys), _) => {
            // Weights 1/2, 1/3, 1/4, ...: large and small groups, as in most tables.
            let weights: Vec<f64> = (0..keys.len()).map(|at| 1.0 / (at as f64 + 2.0)).collect();
            let mut left = uniform(rng) * weights.iter().sum::<f64>();
            let found = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            found.and_then(|at| keys.get(at)).or(keys.first()).map_or(Value::Null, |key| Value::Key(key.clone()))
        }
        (None, ColumnType::Boolean) => Value::Key(Key::Boolean(uniform(rng) < 0.3)),
        (None, ColumnType::Text) => nth(column, below(rng, DISTINCT_VALUES)),
        (None, _) => match &column.bounds {
            None => Value::Number(below(rng, DISTINCT_VALUES) as f64),
            Some(bounds) => {
                let number = |end: &Rational| end.to_f64().unwrap_or(0.0);
                let (low, high, step) = (number(bounds.low()), number(bounds.high()), number(bounds.step()));
                let middle = (uniform(rng) + uniform(rng) + uniform(rng)) / 3.0;
                Value::Number((low + ((high - low) * middle / step).round() * step).clamp(low, high))
            }
        },
    }
}

/// The value with this index; different indices have different values.
fn nth(column: &Column, place: u64) -> Value {
    match (listed(column), column.kind, &column.bounds) {
        (Some(keys), _, _) => {
            usize::try_from(place).ok().and_then(|at| keys.get(at)).cloned().map_or(Value::Null, Value::Key)
        }
        (None, ColumnType::Text, _) => Value::Key(Key::Text(format!("{} {place}", column.name))),
        (None, _, Some(bounds)) => {
            let number = |end: &Rational| end.to_f64().unwrap_or(0.0);
            Value::Number(number(bounds.low()) + place as f64 * number(bounds.step()))
        }
        (None, _, None) => Value::Number(place as f64),
    }
}

/// A uniform number between 0 and 1.
fn uniform(rng: &mut ChaCha20Rng) -> f64 {
    f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

fn below(rng: &mut ChaCha20Rng, end: u64) -> u64 {
    (u64::from(rng.next_u32()) * end) >> 32
}

/// Values in the column's type in SQL; NULL for a value of another type.
fn array(column: &Column, values: &[Value]) -> ArrayRef {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Key(Key::Integer(number)) => Some(*number as f64),
        Value::Key(_) | Value::Null => None,
    };
    let whole = |value: &Value| number(value).map(|number| number as i64);
    match column.kind {
        ColumnType::Integer => Arc::new(values.iter().map(whole).collect::<Int64Array>()),
        ColumnType::Decimal => Arc::new(values.iter().map(number).collect::<Float64Array>()),
        ColumnType::Text => Arc::new(
            values
                .iter()
                .map(|value| match value {
                    Value::Key(Key::Text(text)) => Some(text.as_str()),
                    _ => None,
                })
                .collect::<StringViewArray>(),
        ),
        ColumnType::Boolean => Arc::new(
            values
                .iter()
                .map(|value| match value {
                    Value::Key(Key::Boolean(truth)) => Some(*truth),
                    _ => None,
                })
                .collect::<BooleanArray>(),
        ),
        ColumnType::Date => Arc::new(
            values.iter().map(|value| whole(value).and_then(|day| day.try_into().ok())).collect::<Date32Array>(),
        ),
        ColumnType::Timestamp => Arc::new(values.iter().map(whole).collect::<TimestampMicrosecondArray>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};
    use deniable_core::schema::Bounds;

    fn column(name: &str, kind: ColumnType) -> Column {
        Column::new(name, kind)
    }

    /// Every type yields values within the declaration, and the same ones in each run.
    #[test]
    fn rows_are_of_the_declared_shape() {
        let keys = ["F", "M"].map(|key| Key::Text(key.to_owned())).to_vec();
        let columns = vec![
            Column { keys: Some([keys, vec![Key::Null]].concat()), ..column("sex", ColumnType::Text) },
            Column { bounds: Bounds::new(whole(0), whole(110), whole(1)).ok(), ..column("age", ColumnType::Integer) },
            Column {
                bounds: Bounds::new(whole(0), whole(2), ratio(1, 20)).ok(),
                ..column("cost", ColumnType::Decimal)
            },
            Column { bounds: Bounds::new(whole(0), whole(365), whole(1)).ok(), ..column("day", ColumnType::Date) },
            column("at", ColumnType::Timestamp),
            column("smoker", ColumnType::Boolean),
            column("note", ColumnType::Text),
        ];
        let table = TableSchema::protected("t", columns, None);
        let rows = batch(&table, 1000, None).unwrap();
        assert_eq!((rows.num_rows(), rows.num_columns()), (1000, 7));
        let nulls: Vec<usize> = rows.columns().iter().map(|column| column.null_count()).collect();
        assert!(nulls[0] > 0 && nulls[1..].iter().all(|nulls| *nulls == 0), "{nulls:?}");
        assert_eq!(rows, batch(&table, 1000, None).unwrap());
    }
}
