//! Made-up rows, which depend on the declarations and a query alone: values on which engines differ, values next to
//! each declared key and bound, and the constants of the query.

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringViewArray,
    TimestampMicrosecondArray,
};
use deniable_core::exact::Rational;
use deniable_core::schema::{Column, ColumnType, Key};
use deniable_data::memory_schema;
use deniable_expression::{Node, Value};
use deniable_query::Query;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// Number of rows.
const ROWS: usize = 300;
/// Number of people with these rows: so few that some exceed every cap.
const PEOPLE: usize = 12;
const TEXTS: [&str; 15] =
    ["", "a", "A", "a ", " a", "\u{e4}", "a\u{308}", "\u{130}", "i", "\u{df}", "ss", "'", "\"", "\\", "NULL"];
const INTEGERS: [i64; 10] = [0, 1, -1, 2, -7, 50, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 53];
const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    0.15,
    1.005,
    0.499_999_999_999_999_94,
    1e308,
    -1e308,
    1e-308,
    f64::MAX,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];
/// Years 1, 1582, 1969, 1970, 2020 and 9999.
const DAYS: [i32; 7] = [-719_162, -141_427, -1, 0, 1, 18_262, 2_932_896];

/// The constants of a query, each with the adjacent values.
#[derive(Default)]
struct Constants {
    texts: Vec<String>,
    integers: Vec<i64>,
    doubles: Vec<f64>,
    days: Vec<i32>,
}

impl Constants {
    fn of(query: &Query) -> Self {
        let mut all = Self::default();
        for node in query.rows().program.nodes() {
            let Node::Constant(_, Some(value)) = node else { continue };
            match value {
                Value::Text(text) => all.texts.push(text.to_string()),
                Value::Integer(number) => {
                    let near = [number.saturating_sub(1), *number, number.saturating_add(1)];
                    all.integers.extend(near);
                    all.doubles.push(*number as f64);
                }
                Value::Decimal(number) => {
                    let number = number.get();
                    all.doubles.extend([number.next_down(), number, number.next_up()]);
                    all.integers.extend([number.floor() as i64, number.ceil() as i64]);
                }
                Value::Date(day) => all.days.extend([day.get() - 1, day.get(), day.get() + 1]),
                Value::Boolean(_) | Value::Timestamp(_) => {}
            }
        }
        all
    }
}

/// Made-up rows, equal for equal declarations and queries. Each row has a value or NULL in each column; one in eight is
/// NULL.
pub(super) fn made_up(query: &Query) -> Option<RecordBatch> {
    let (table, constants) = (query.main_table(), Constants::of(query));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut below = |bound: usize| random.next_u32() as usize % bound.max(1);
    let entity = table.entity.as_ref().map(|entity| entity.key.clone());
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for column in &table.columns {
        let most = if Some(&column.name) == entity.as_ref() { PEOPLE } else { usize::MAX };
        let mut places = |all: usize| -> Vec<Option<usize>> {
            (0..ROWS).map(|_| (below(8) > 0).then(|| below(all.min(most)))).collect()
        };
        arrays.push(match column.kind {
            ColumnType::Text => {
                let all: Vec<String> = constants.texts.iter().cloned().chain(texts(column)).collect();
                Arc::new(StringViewArray::from_iter(
                    places(all.len()).into_iter().map(|at| at.map(|at| all[at].as_str())),
                ))
            }
            ColumnType::Integer => {
                let all: Vec<i64> = constants.integers.iter().copied().chain(integers(column)).collect();
                Arc::new(Int64Array::from_iter(places(all.len()).into_iter().map(|at| at.map(|at| all[at]))))
            }
            ColumnType::Decimal => {
                let all: Vec<f64> = constants.doubles.iter().copied().chain(doubles(column)).collect();
                Arc::new(Float64Array::from_iter(places(all.len()).into_iter().map(|at| at.map(|at| all[at]))))
            }
            ColumnType::Boolean => {
                Arc::new(BooleanArray::from_iter(places(2).into_iter().map(|at| at.map(|at| at == 1))))
            }
            ColumnType::Date => {
                let own = constants.days.iter().copied().filter(is_day);
                let all: Vec<i32> = own.chain(days(column)).collect();
                Arc::new(Date32Array::from_iter(places(all.len()).into_iter().map(|at| at.map(|at| all[at]))))
            }
            ColumnType::Timestamp => Arc::new(TimestampMicrosecondArray::new_null(ROWS)),
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(ROWS));
    RecordBatch::try_new_with_options(Arc::new(memory_schema(table)), arrays, &options).ok()
}

fn keys(column: &Column) -> &[Key] {
    column.keys.as_deref().unwrap_or_default()
}

fn texts(column: &Column) -> Vec<String> {
    let keys = keys(column).iter().filter_map(|key| if let Key::Text(text) = key { Some(text.clone()) } else { None });
    keys.chain(TEXTS.map(str::to_owned)).collect()
}

/// The bounds, and values half a step around them and beyond.
fn near_bounds(column: &Column) -> Vec<Rational> {
    let Some(bounds) = &column.bounds else { return Vec::new() };
    let half = bounds.unit() / Rational::from_integer(2.into());
    let around = |end: &Rational| [end.clone(), end - &half, end + &half, end + bounds.unit(), end - bounds.unit()];
    around(bounds.low()).into_iter().chain(around(bounds.high())).collect()
}

fn integers(column: &Column) -> Vec<i64> {
    let keys = keys(column).iter().filter_map(|key| if let Key::Integer(number) = key { Some(*number) } else { None });
    keys.chain(near_bounds(column).iter().filter_map(|end| end.floor().to_integer().to_i64())).chain(INTEGERS).collect()
}

fn doubles(column: &Column) -> Vec<f64> {
    near_bounds(column).iter().filter_map(ToPrimitive::to_f64).chain(DOUBLES).collect()
}

/// Whether a day is within the supported years.
fn is_day(day: &i32) -> bool {
    (DAYS[0]..=DAYS[6]).contains(day)
}

fn days(column: &Column) -> Vec<i32> {
    let keys = keys(column).iter().filter_map(|key| if let Key::Date(day) = key { Some(*day) } else { None });
    keys.chain(near_bounds(column).iter().filter_map(|end| end.floor().to_integer().to_i32()).filter(is_day))
        .chain(DAYS)
        .collect()
}
