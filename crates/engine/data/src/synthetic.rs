//! Made-up rows of the declared shape, which show how answers might look before any data is read.
//!
//! Nothing here depends on private data: values are drawn from the declared keys, bounds and types alone, with a fixed
//! seed. The first declared key is the most frequent, and each next one is rarer; numbers and times concentrate around
//! the middle of their bounds. The same entities have rows in every protected table, and a column that refers to a
//! public table has its keys, so that joins find partners.

use crate::error::SourceError;
use crate::public::first_rows;
use crate::{Source, memory_schema};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringViewArray,
    TimestampMicrosecondArray,
};
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_expression::{Day, Moment, Value as Stored, in_century};
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of distinct values of a column with nothing but a declared type.
const DISTINCT_VALUES: u64 = 50;
/// Most rows of a public table.
const MOST_PUBLIC_ROWS: u64 = 10_000;
/// Rows of one entity, if its caps allow as many.
const ROWS_EACH: u64 = 3;
/// One in this many values is missing in columns without declared keys.
const ONE_MISSING_IN: u64 = 50;
/// Days and times without bounds are in the year from 2020-01-01 on.
const FIRST_DAY: i32 = 18_262;
const DAYS: u64 = 365;
const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;
/// The seed, the same for all users.
const SEED: u64 = 1;

/// A value of a column's type; days and moments are whole numbers.
#[derive(Debug, Clone)]
enum Value {
    Null,
    Whole(i64),
    Decimal(f64),
    Text(String),
    Boolean(bool),
}

/// The columns in which made-up values are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nulls {
    /// Those with NULL among their keys.
    #[default]
    Declared,
    /// Those, and every column without declared keys: files seldom have all values.
    Possible,
    /// None: the files have no text for a missing value.
    Never,
}

/// The rows to make up for a protected table.
#[derive(Debug, Clone, Default)]
pub struct MadeUp {
    /// The number of rows.
    pub rows: u64,
    /// The number of entities; `None` for a number with a few rows each.
    pub entities: Option<u64>,
    /// The columns in which values are missing.
    pub nulls: Nulls,
    /// The values of columns without declared keys, by name: those of a public table that they refer to, for example.
    pub references: BTreeMap<String, Vec<Key>>,
}

/// Rows for every table: `rows` in each protected one, and one for each key in the public ones. They belong to
/// `entities` entities if given, and otherwise to a number of entities with a few rows each.
///
/// # Errors
/// When the columns form no valid table; never for those of a policy.
pub fn synthetic(tables: &[TableSchema], rows: u64, entities: Option<u64>) -> Result<Vec<Source>, SourceError> {
    let shape = MadeUp { rows, entities, ..MadeUp::default() };
    tables.iter().map(|table| made_up(table, &shape)).collect()
}

/// Rows of one table. A public table has one row for each key, whatever the shape.
///
/// # Errors
/// As of [`synthetic`].
pub fn made_up(table: &TableSchema, shape: &MadeUp) -> Result<Source, SourceError> {
    batch(table, shape).map(|batch| Source::of_local_times(table.clone(), vec![batch]))
}

/// The keys of a public table, in the order of its rows: those of the column that joins name. At most 10,000.
///
/// # Errors
/// When the table cannot be read.
pub fn public_keys(source: &Source) -> Result<Vec<Key>, SourceError> {
    let table = source.table();
    let position = table.public_key.as_ref().and_then(|key| table.position(key));
    let Some(position) = position else { return Ok(Vec::new()) };
    let key = |row: Vec<Option<Stored>>| match row.into_iter().next()?? {
        Stored::Integer(number) => Some(Key::Integer(number)),
        Stored::Text(text) => Some(Key::Text(text.to_string())),
        _ => None,
    };
    Ok(first_rows(source, &[position])?.into_iter().filter_map(key).collect())
}

fn batch(table: &TableSchema, shape: &MadeUp) -> Result<RecordBatch, SourceError> {
    let unreadable = |_| SourceError::Rows { table: table.name.clone() };
    let with_keys = |column: &Column| Column {
        keys: column.keys.clone().or_else(|| shape.references.get(&column.name).cloned()),
        ..column.clone()
    };
    let columns: Vec<Column> = table.columns.iter().map(with_keys).collect();
    let rows = match &table.public_key {
        None => shape.rows,
        Some(key) => {
            let key = columns.iter().find(|column| column.name == *key);
            key.map_or(DISTINCT_VALUES, distinct).min(MOST_PUBLIC_ROWS)
        }
    };
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let arrays = columns.iter().map(|column| {
        let values: Vec<Value> = match (&table.public_key, &table.entity) {
            (Some(key), _) if *key == column.name => (0..rows).map(|row| nth(column, row)).collect(),
            (Some(_), _) => (0..rows).map(|row| spread(column, row, rows)).collect(),
            (None, Some(entity)) if entity.key == column.name => {
                let caps = entity.caps;
                let each = ROWS_EACH.min(u64::from(caps.rows_per_group) * u64::from(caps.groups)).max(1);
                let entities = shape.entities.unwrap_or_else(|| rows.div_ceil(each)).max(1);
                // Every entity has a row, as far as the rows suffice.
                let number = |row| if row < entities { row } else { below(&mut rng, entities) };
                (0..rows).map(number).map(|entity| nth_entity(column, entity, entities)).collect()
            }
            (None, _) => {
                let law = Law::of(column, shape.nulls);
                (0..rows).map(|_| law.draw(&mut rng)).collect()
            }
        };
        array(column, values)
    });
    let arrays: Vec<ArrayRef> = arrays.collect();
    let count = RecordBatchOptions::new().with_row_count(usize::try_from(rows).ok());
    RecordBatch::try_new_with_options(Arc::new(memory_schema(table)), arrays, &count).map_err(unreadable)
}

/// The distribution of the values of one column.
enum Law<'a> {
    /// Values with weights 1/2, 1/3, 1/4, ...: large and small groups, as in most tables. The weights are added up.
    Keys { keys: Vec<&'a Key>, sums: Vec<f64> },
    /// Values within bounds.
    Bounded { column: &'a Column, bounds: &'a Bounds, has_nulls: bool },
    /// Any values of the type.
    Free { column: &'a Column, has_nulls: bool },
}

impl<'a> Law<'a> {
    fn of(column: &'a Column, nulls: Nulls) -> Self {
        let has_nulls = nulls == Nulls::Possible;
        match (&column.keys, &column.bounds) {
            (Some(keys), _) => {
                let keys: Vec<&Key> = keys.iter().filter(|key| nulls != Nulls::Never || **key != Key::Null).collect();
                let mut sum = 0.0;
                let weights = (0..keys.len()).map(|at| 1.0 / (at as f64 + 2.0));
                let sums = weights.map(|weight| {
                    sum += weight;
                    sum
                });
                Self::Keys { keys, sums: sums.collect() }
            }
            (None, Some(bounds)) => Self::Bounded { column, bounds, has_nulls },
            (None, None) => Self::Free { column, has_nulls },
        }
    }

    fn draw(&self, rng: &mut ChaCha20Rng) -> Value {
        match self {
            Self::Keys { keys, sums } => {
                let place = uniform(rng) * sums.last().unwrap_or(&0.0);
                match keys.get(sums.partition_point(|sum| *sum <= place)) {
                    Some(Key::Other) => another(keys, below(rng, DISTINCT_VALUES)),
                    Some(key) => of_key(key),
                    None => Value::Null,
                }
            }
            Self::Bounded { has_nulls: true, .. } | Self::Free { has_nulls: true, .. }
                if below(rng, ONE_MISSING_IN) == 0 =>
            {
                Value::Null
            }
            Self::Bounded { column, bounds, .. } => {
                let middle = (uniform(rng) + uniform(rng) + uniform(rng)) / 3.0;
                step_of(column, bounds, (middle * steps(bounds) as f64).round() as u64)
            }
            Self::Free { column, .. } => match column.kind {
                ColumnType::Boolean => Value::Boolean(uniform(rng) < 0.3),
                ColumnType::Timestamp => free(column, below(rng, DAYS * 24 * 60)),
                ColumnType::Date => free(column, below(rng, DAYS)),
                ColumnType::Integer | ColumnType::Decimal | ColumnType::Text => {
                    free(column, below(rng, DISTINCT_VALUES))
                }
            },
        }
    }
}

/// The declared keys that are values: without NULL, and without the one that represents all other values.
fn listed(column: &Column) -> Option<impl Iterator<Item = &Key>> {
    column.keys.as_ref().map(|keys| keys.iter().filter(|key| !matches!(key, Key::Null | Key::Other)))
}

/// The number of distinct values of a column with unique values.
fn distinct(column: &Column) -> u64 {
    match (listed(column), &column.bounds) {
        (Some(keys), _) => keys.count() as u64,
        (None, Some(bounds)) => steps(bounds).saturating_add(1),
        (None, None) => DISTINCT_VALUES,
    }
}

/// The value with this index; different indices below [`distinct`] have different values.
fn nth(column: &Column, place: u64) -> Value {
    match (listed(column), &column.bounds) {
        (Some(mut keys), _) => usize::try_from(place).ok().and_then(|at| keys.nth(at)).map_or(Value::Null, of_key),
        (None, Some(bounds)) => step_of(column, bounds, place),
        (None, None) => free(column, place),
    }
}

/// The value of a public table's row: the values of a column are spread over those it may have.
fn spread(column: &Column, row: u64, rows: u64) -> Value {
    let values = match column.bounds {
        Some(_) if column.keys.is_none() => distinct(column),
        _ => distinct(column).min(rows),
    };
    let place = u128::from(row) * u128::from(values.max(1)) / u128::from(rows.max(1));
    nth(column, place as u64)
}

/// The key of an entity, the same in all tables.
fn nth_entity(column: &Column, entity: u64, entities: u64) -> Value {
    if (column.keys.is_some() || column.bounds.is_some()) && distinct(column) >= entities {
        return nth(column, entity);
    }
    match column.kind {
        ColumnType::Text => Value::Text(format!("person {}", entity + 1)),
        _ => whole(entity + 1),
    }
}

fn of_key(key: &Key) -> Value {
    match key {
        Key::Text(text) => Value::Text(text.clone()),
        Key::Integer(number) => Value::Whole(*number),
        Key::Boolean(truth) => Value::Boolean(*truth),
        // Never declared.
        Key::Null | Key::Other | Key::Decimal(_) | Key::Date(_) | Key::Timestamp(_) => Value::Null,
    }
}

/// A value that is not among the keys.
fn another(keys: &[&Key], place: u64) -> Value {
    let number = |key: &&Key| if let Key::Integer(number) = key { Some(*number) } else { None };
    let most = keys.iter().filter_map(number).max();
    if let Some(most) = most {
        return Value::Whole(most.saturating_add(1 + place as i64));
    }
    let text = format!("other {}", place + 1);
    if keys.contains(&&Key::Text(text.clone())) { Value::Null } else { Value::Text(text) }
}

/// The number of steps between the bounds.
fn steps(bounds: &Bounds) -> u64 {
    ((bounds.high() - bounds.low()) / bounds.step()).to_integer().to_u64().unwrap_or(0)
}

/// The value this many steps above the lower bound, at most the upper one.
fn step_of(column: &Column, bounds: &Bounds, place: u64) -> Value {
    let (low, high) = bounds.in_units();
    let step = (bounds.step() / bounds.unit()).to_integer().to_i128().unwrap_or(1);
    let units = (i128::from(low) + i128::from(place) * step).clamp(low.into(), high.into());
    let (above, below) = (bounds.unit().numer().to_i128().unwrap_or(1), bounds.unit().denom().to_i128().unwrap_or(1));
    let Some(above) = units.checked_mul(above) else { return Value::Null };
    match column.kind {
        // One division rounds to the nearest float, which is written with as few decimals as the bound.
        ColumnType::Decimal => Value::Decimal(above as f64 / below as f64),
        ColumnType::Timestamp if i128::from(high) - i128::from(low) >= i128::from(HOUR) => {
            let minute = units - units.rem_euclid(MINUTE.into());
            Value::Whole(i64::try_from(minute.max(low.into())).unwrap_or(low))
        }
        _ => i64::try_from(above / below).map_or(Value::Null, Value::Whole),
    }
}

/// A value of a column with nothing but a type; different places have different values.
fn free(column: &Column, place: u64) -> Value {
    match column.kind {
        ColumnType::Text => Value::Text(format!("{} {}", column.name, place + 1)),
        ColumnType::Integer => whole(place),
        ColumnType::Decimal => Value::Decimal(place as f64 / 2.0),
        ColumnType::Boolean => Value::Boolean(place % 2 == 1),
        ColumnType::Date => day(column, place).map_or(Value::Null, |day| Value::Whole(day.get().into())),
        ColumnType::Timestamp => {
            let midnight = day(column, place / (24 * 60)).map(|day| day.midnight().get());
            let clock = i64::try_from(place % (24 * 60)).unwrap_or(0) * MINUTE;
            let moment = midnight.and_then(|midnight| Moment::new(midnight.checked_add(clock)?));
            moment.map_or(Value::Null, |moment| Value::Whole(moment.get()))
        }
    }
}

/// A day within the years that the column's pattern can write.
fn day(column: &Column, place: u64) -> Option<Day> {
    let day = Day::new(i64::from(FIRST_DAY).checked_add(place.try_into().ok()?)?)?;
    column.pivot.map_or(Some(day), |last| in_century(day, last))
}

fn whole(number: u64) -> Value {
    i64::try_from(number).map_or(Value::Null, Value::Whole)
}

/// A uniform number between 0 and 1.
fn uniform(rng: &mut ChaCha20Rng) -> f64 {
    f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

fn below(rng: &mut ChaCha20Rng, end: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(end)) >> 64) as u64
}

/// Values in the column's type in SQL; NULL for a value of another type.
fn array(column: &Column, values: Vec<Value>) -> ArrayRef {
    let whole = |value: &Value| if let Value::Whole(number) = value { Some(*number) } else { None };
    let values = values.into_iter();
    match column.kind {
        ColumnType::Integer => Arc::new(values.map(|value| whole(&value)).collect::<Int64Array>()),
        ColumnType::Decimal => Arc::new(
            values
                .map(|value| if let Value::Decimal(number) = value { Some(number) } else { None })
                .collect::<Float64Array>(),
        ),
        ColumnType::Text => Arc::new(
            values
                .map(|value| if let Value::Text(text) = value { Some(text) } else { None })
                .collect::<StringViewArray>(),
        ),
        ColumnType::Boolean => Arc::new(
            values
                .map(|value| if let Value::Boolean(truth) = value { Some(truth) } else { None })
                .collect::<BooleanArray>(),
        ),
        ColumnType::Date => {
            Arc::new(values.map(|value| whole(&value).and_then(|day| day.try_into().ok())).collect::<Date32Array>())
        }
        ColumnType::Timestamp => Arc::new(values.map(|value| whole(&value)).collect::<TimestampMicrosecondArray>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use deniable_core::exact::{ratio, whole};
    use deniable_core::schema::Entity;
    use deniable_core::sensitivity::Caps;
    use std::collections::BTreeSet;

    fn column(name: &str, kind: ColumnType) -> Column {
        Column::new(name, kind)
    }

    fn texts(names: &[&str]) -> Vec<Key> {
        names.iter().map(|name| Key::Text((*name).to_owned())).collect()
    }

    fn shape(rows: u64, entities: Option<u64>) -> MadeUp {
        MadeUp { rows, entities, ..MadeUp::default() }
    }

    /// Every type yields values within the declaration, and the same ones in each run.
    #[test]
    fn rows_are_of_the_declared_shape() {
        let columns = vec![
            column("sex", ColumnType::Text).with_keys([texts(&["F", "M"]), vec![Key::Null]].concat()),
            column("age", ColumnType::Integer).within(Bounds::new(whole(0), whole(110), whole(1)).unwrap()),
            column("cost", ColumnType::Decimal).within(Bounds::new(whole(0), whole(2), ratio(1, 20)).unwrap()),
            column("day", ColumnType::Date).within(Bounds::new(whole(0), whole(365), whole(1)).unwrap()),
            column("at", ColumnType::Timestamp),
            column("smoker", ColumnType::Boolean),
            column("note", ColumnType::Text),
        ];
        let table = TableSchema::protected("t", columns, None);
        let rows = batch(&table, &shape(1000, None)).unwrap();
        assert_eq!((rows.num_rows(), rows.num_columns()), (1000, 7));
        let nulls: Vec<usize> = rows.columns().iter().map(|column| column.null_count()).collect();
        assert!(nulls[0] > 0 && nulls[1..].iter().all(|nulls| *nulls == 0), "{nulls:?}");
        assert_eq!(rows, batch(&table, &shape(1000, None)).unwrap());
        let costs = rows.column(2).as_primitive::<Float64Type>();
        assert!(costs.values().iter().all(|cost| cost.to_string().len() <= 4), "at most two decimals: {costs:?}");
        let some = batch(&table, &MadeUp { nulls: Nulls::Possible, ..shape(1000, None) }).unwrap();
        assert!(some.columns().iter().all(|column| (1..500).contains(&column.null_count())), "{some:?}");
    }

    #[test]
    fn undeclared_values_occur_where_they_are_a_group() {
        let keys = [texts(&["north"]), vec![Key::Other]].concat();
        let codes = vec![Key::Integer(7), Key::Integer(3), Key::Other];
        let columns = vec![
            column("region", ColumnType::Text).with_keys(keys),
            column("code", ColumnType::Integer).with_keys(codes),
        ];
        let rows = batch(&TableSchema::protected("t", columns, None), &shape(500, None)).unwrap();
        let regions: BTreeSet<&str> = rows.column(0).as_string_view().iter().flatten().collect();
        assert!(
            regions.contains("north") && regions.contains("other 1") && !regions.contains("(other)"),
            "{regions:?}"
        );
        let codes: BTreeSet<i64> = rows.column(1).as_primitive::<Int64Type>().iter().flatten().collect();
        assert!(codes.contains(&3) && codes.contains(&7) && codes.contains(&8), "{codes:?}");
    }

    #[test]
    fn the_same_entities_have_rows_in_all_tables() {
        let table = |name: &str, key: &str| {
            let entity = Entity::new(key, Caps { rows_per_group: 3, groups: 2 });
            TableSchema::protected(name, vec![column(key, ColumnType::Text)], Some(entity))
        };
        let people = |table: &TableSchema, shape: &MadeUp| -> BTreeSet<String> {
            let rows = batch(table, shape).unwrap();
            rows.column(0).as_string_view().iter().flatten().map(str::to_owned).collect()
        };
        let visits = people(&table("visits", "patient"), &shape(300, Some(80)));
        assert_eq!(visits.len(), 80);
        assert_eq!(visits, people(&table("drugs", "taken_by"), &shape(300, Some(80))));
        assert_eq!(people(&table("visits", "patient"), &shape(300, None)).len(), 100);
    }

    #[test]
    fn columns_that_refer_to_a_public_table_have_its_keys() {
        let towns = TableSchema {
            public_key: Some("code".to_owned()),
            ..TableSchema::protected(
                "towns",
                vec![column("code", ColumnType::Integer), column("name", ColumnType::Text)],
                None,
            )
        };
        let public = made_up(&towns, &MadeUp::default()).unwrap();
        let keys = public_keys(&public).unwrap();
        assert_eq!((keys.len(), keys.iter().collect::<BTreeSet<_>>().len()), (50, 50));
        let references = BTreeMap::from([("home".to_owned(), keys.clone())]);
        let visits = TableSchema::protected("visits", vec![column("home", ColumnType::Integer)], None);
        let rows = batch(&visits, &MadeUp { references, ..shape(400, None) }).unwrap();
        let homes: Vec<i64> = rows.column(0).as_primitive::<Int64Type>().iter().flatten().collect();
        assert!(homes.iter().all(|home| keys.contains(&Key::Integer(*home))), "{homes:?}");
    }

    #[test]
    fn days_fit_the_pattern_of_two_digits() {
        let born = Column { pivot: Some(1999), ..column("born", ColumnType::Date) };
        let rows = batch(&TableSchema::protected("t", vec![born], None), &shape(50, None)).unwrap();
        let days = rows.column(0).as_primitive::<arrow_array::types::Date32Type>();
        // From 1900-01-01 to 1999-12-31.
        assert!(days.values().iter().all(|day| (-25_567..10_957).contains(day)), "{days:?}");
    }
}
