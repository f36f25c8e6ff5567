//! The keys of a group: declared for a column, derived from public facts for an expression.
//!
//! An expression over columns with few possible values is simply evaluated on all of them. Otherwise its form
//! tells: the constants of a CASE, the truth values of a condition, the months of a range of dates, the bands of a
//! range of numbers. What cannot be derived is refused; nothing is ever discovered in the data.

use super::calendar::{Operation, Unit, civil, operation_of};
use super::range::Range;
use crate::error::QueryError;
use crate::plan::Table;
use crate::plan::table::declared;
use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, new_null_array,
};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::cast::{
    as_boolean_array, as_date32_array, as_float64_array, as_int64_array, as_string_array,
    as_timestamp_microsecond_array,
};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Case, Expr, ExprSchemable, TryCast};
use datafusion::physical_expr::create_physical_expr;
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, whole};
use deniable_policy::{Column, ColumnType, Key};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most combinations of values on which an expression is evaluated.
const MOST_COMBINATIONS: usize = 100_000;
/// Most keys that are derived for one group.
const MOST_KEYS: usize = 20_000;

/// The keys of an expression that [`super::make_total`] has passed, in their natural order.
pub(crate) fn keys(expr: &Expr, tables: &[Table], schema: &DFSchema) -> Result<Vec<Key>, QueryError> {
    if let Expr::Column(column) = expr {
        let facts = declared(tables, column);
        return facts.and_then(column_keys).ok_or_else(|| no_keys(facts, &column.name));
    }
    let derived = match evaluated(expr, tables, schema)? {
        Some(keys) => keys,
        None => by_form(expr, tables, schema)?,
    };
    let mut seen = BTreeSet::new();
    let mut keys: Vec<Key> = derived.into_iter().filter(|key| seen.insert(key.clone())).collect();
    // NULL goes last, as where it is declared.
    keys.sort_by_key(|key| *key == Key::Null);
    if keys.len() > MOST_KEYS {
        let help = format!("group more coarsely; at most {MOST_KEYS} groups are derived");
        return Err(QueryError::refused("GROUP BY an expression with this many values", help));
    }
    Ok(keys)
}

/// The keys that a column has by itself: declared, or every value of a short declared range.
fn column_keys(column: &Column) -> Option<Vec<Key>> {
    match column.kind {
        ColumnType::Decimal | ColumnType::Timestamp => None,
        ColumnType::Integer | ColumnType::Date | ColumnType::Boolean | ColumnType::Text => {
            domain(column).filter(|keys| keys.len() <= MOST_KEYS)
        }
    }
}

fn no_keys(declared: Option<&Column>, name: &str) -> QueryError {
    let help = match declared.map(|declared| declared.kind) {
        Some(ColumnType::Decimal) => {
            "group by bands: FLOOR(x / 10) * 10, or CASE; decimals themselves are no groups".to_owned()
        }
        Some(ColumnType::Date | ColumnType::Timestamp) => format!(
            "group by DATE_TRUNC('month', {name}) or EXTRACT(year FROM {name}), and declare bounds in [columns.{name}]"
        ),
        Some(ColumnType::Integer | ColumnType::Text | ColumnType::Boolean) | None => {
            format!("declare its groups, from public knowledge: keys = [...] in [columns.{name}]")
        }
    };
    QueryError::refused(format!("GROUP BY `{name}`, which has no declared keys,"), help)
}

/// Every value that public facts allow for a column, when they are few enough to list.
fn domain(column: &Column) -> Option<Vec<Key>> {
    if let Some(keys) = &column.keys {
        return Some(keys.clone());
    }
    let steps = || {
        let bounds = column.bounds.as_ref()?;
        let count = ((bounds.high() - bounds.low()) / bounds.step()).to_integer().to_usize()?;
        (count < MOST_COMBINATIONS).then(|| (0..=count).map(move |at| bounds.low() + bounds.step() * whole(at)))
    };
    match column.kind {
        ColumnType::Boolean => Some(vec![Key::Boolean(false), Key::Boolean(true)]),
        ColumnType::Integer => steps()?.map(|value| value.to_integer().to_i64().map(Key::Integer)).collect(),
        ColumnType::Decimal => Some(steps()?.map(Key::Decimal).collect()),
        ColumnType::Date => steps()?.map(|value| value.to_integer().to_i32().map(Key::Date)).collect(),
        ColumnType::Text | ColumnType::Timestamp => None,
    }
}

/// The values of an expression over all combinations of its columns' values; `None` when these are too many.
fn evaluated(expr: &Expr, tables: &[Table], schema: &DFSchema) -> Result<Option<Vec<Key>>, QueryError> {
    let used: BTreeSet<_> = expr.column_refs().into_iter().collect();
    let mut domains: Vec<(usize, &Column, Vec<Key>)> = Vec::new();
    let mut rows: usize = 1;
    for column in used {
        let facts = declared(tables, column);
        let place = schema.index_of_column(column).ok();
        let (Some(facts), Some(place)) = (facts, place) else { return Ok(None) };
        let Some(values) = domain(facts) else { return Ok(None) };
        rows = rows.saturating_mul(values.len());
        domains.push((place, facts, values));
    }
    if rows > MOST_COMBINATIONS {
        return Ok(None);
    }
    domains.sort_by_key(|(place, ..)| *place);
    // The first column varies slowest, so results appear in its order.
    let mut repeat = rows;
    let arrays: Vec<(usize, ArrayRef)> = domains
        .iter()
        .map(|(place, column, values)| {
            repeat /= values.len();
            let pick = |row: usize| &values[row / repeat % values.len()];
            (*place, array(column.kind, (0..rows).map(pick)))
        })
        .collect();
    let columns = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let found = arrays.iter().find(|(place, _)| *place == at);
            found.map_or_else(|| new_null_array(field.data_type(), rows), |(_, array)| array.clone())
        })
        .collect();
    let failed = || QueryError::refused("GROUP BY this expression", "write the bands as a CASE with constants");
    let batch = RecordBatch::try_new(schema.inner().clone(), columns).map_err(|_| failed())?;
    let physical = create_physical_expr(expr, schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())
        .map_err(|_| failed())?;
    let values = physical.evaluate(&batch).and_then(|value| value.into_array(rows)).map_err(|_| failed())?;
    key_values(&values).map(Some).ok_or_else(failed)
}

fn array<'a>(kind: ColumnType, keys: impl Iterator<Item = &'a Key>) -> ArrayRef {
    match kind {
        ColumnType::Integer => {
            let value = |key: &Key| if let Key::Integer(value) = key { Some(*value) } else { None };
            Arc::new(keys.map(value).collect::<Int64Array>())
        }
        ColumnType::Decimal => Arc::new(keys.map(decimal_key).collect::<Float64Array>()),
        ColumnType::Text => {
            let value = |key: &'a Key| if let Key::Text(value) = key { Some(value.as_str()) } else { None };
            Arc::new(keys.map(value).collect::<StringArray>())
        }
        ColumnType::Boolean => {
            let value = |key: &Key| if let Key::Boolean(value) = key { Some(*value) } else { None };
            Arc::new(keys.map(value).collect::<BooleanArray>())
        }
        // Timestamps have no short domain.
        ColumnType::Date | ColumnType::Timestamp => {
            let value = |key: &Key| if let Key::Date(value) = key { Some(*value) } else { None };
            Arc::new(keys.map(value).collect::<Date32Array>())
        }
    }
}

/// The float that a decimal key is in the data: the one nearest to it.
pub(crate) fn decimal_key(key: &Key) -> Option<f64> {
    let Key::Decimal(value) = key else { return None };
    decimal(value, 330, Rounding::Nearest).parse().ok()
}

/// The values of an evaluated expression as keys.
fn key_values(values: &ArrayRef) -> Option<Vec<Key>> {
    let or_null = |key: Option<Key>| key.unwrap_or(Key::Null);
    Some(match values.data_type() {
        DataType::Int64 => as_int64_array(values).ok()?.iter().map(|v| or_null(v.map(Key::Integer))).collect(),
        DataType::Boolean => as_boolean_array(values).ok()?.iter().map(|v| or_null(v.map(Key::Boolean))).collect(),
        DataType::Date32 => as_date32_array(values).ok()?.iter().map(|v| or_null(v.map(Key::Date))).collect(),
        DataType::Timestamp(..) => {
            as_timestamp_microsecond_array(values).ok()?.iter().map(|v| or_null(v.map(Key::Timestamp))).collect()
        }
        DataType::Utf8 => {
            as_string_array(values).ok()?.iter().map(|v| or_null(v.map(|text| Key::Text(text.to_owned())))).collect()
        }
        DataType::Float64 => {
            let key = |value: Option<f64>| match value {
                // -0.0 and 0.0 are one group.
                Some(value) => parse_rational(&format!("{}", value + 0.0)).ok().map(Key::Decimal),
                None => Some(Key::Null),
            };
            as_float64_array(values).ok()?.iter().map(key).collect::<Option<Vec<Key>>>()?
        }
        DataType::Null => vec![Key::Null],
        _ => return None,
    })
}

/// The keys that an expression's form allows, whatever its columns hold.
fn by_form(expr: &Expr, tables: &[Table], schema: &DFSchema) -> Result<Vec<Key>, QueryError> {
    let again = |inner: &Expr| keys(inner, tables, schema);
    match expr {
        Expr::Literal(value, _) => literal(value).map(|key| vec![key]).ok_or_else(|| underived(expr)),
        Expr::Case(Case { when_then_expr, else_expr, .. }) => {
            let mut all = Vec::new();
            for (_, then) in when_then_expr {
                all.extend(again(then)?);
            }
            match else_expr {
                Some(otherwise) => all.extend(again(otherwise)?),
                None => all.push(Key::Null),
            }
            Ok(all)
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => match (operation_of(func), func.name(), args.as_slice())
        {
            (Some(Operation::Truncate(unit)), _, [time]) => truncated(unit, time, tables).ok_or_else(|| undated(time)),
            (Some(Operation::Part(part)), _, [time]) => {
                let (low, high) = match part.range() {
                    Some(range) => range,
                    None => years(time, tables).ok_or_else(|| undated(time))?,
                };
                Ok((low..=high).map(Key::Integer).collect())
            }
            (None, "coalesce", all) => {
                let mut keys: Vec<Key> = Vec::new();
                for arg in all {
                    keys.retain(|key| *key != Key::Null);
                    keys.extend(again(arg)?);
                }
                Ok(keys)
            }
            _ => bands(expr, tables, schema),
        },
        _ if expr.get_type(schema).is_ok_and(|found| found == DataType::Boolean) => {
            Ok(vec![Key::Boolean(false), Key::Boolean(true)])
        }
        _ => bands(expr, tables, schema),
    }
}

fn literal(value: &ScalarValue) -> Option<Key> {
    key_values(&value.to_array().ok()?)?.into_iter().next()
}

/// Every multiple of the unit between the bounds of an arithmetic expression.
fn bands(expr: &Expr, tables: &[Table], schema: &DFSchema) -> Result<Vec<Key>, QueryError> {
    let kind = expr.get_type(schema).map_err(|_| underived(expr))?;
    let facts = |column: &datafusion::common::Column| declared(tables, column);
    let grid = Range::of(expr, &facts).grid().map_err(|_| underived(expr))?;
    if grid.high - grid.low >= MOST_KEYS as i64 {
        return Err(underived(expr));
    }
    let value = |units: i64| whole(units) * &grid.unit;
    let key = |value: Rational| match kind {
        DataType::Int64 => value.is_integer().then(|| value.to_integer().to_i64().map(Key::Integer)).flatten(),
        DataType::Float64 => Some(Key::Decimal(value)),
        _ => None,
    };
    (grid.low..=grid.high).map(|units| key(value(units))).collect::<Option<_>>().ok_or_else(|| underived(expr))
}

/// The declared range of a date or timestamp column, as microseconds.
fn dated(time: &Expr, tables: &[Table]) -> Option<(i64, i64)> {
    match time {
        Expr::TryCast(TryCast { expr, field }) if field.data_type().is_temporal() => dated(expr, tables),
        Expr::Column(column) => {
            let facts = declared(tables, column)?;
            let (low, high) = facts.bounds.as_ref()?.in_units();
            match facts.kind {
                ColumnType::Date => Some((low.checked_mul(86_400_000_000)?, high.checked_mul(86_400_000_000)?)),
                ColumnType::Timestamp => Some((low, high)),
                ColumnType::Integer | ColumnType::Decimal | ColumnType::Text | ColumnType::Boolean => None,
            }
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => match (operation_of(func), args.as_slice()) {
            (Some(Operation::Truncate(unit)), [inner]) => {
                let (low, high) = dated(inner, tables)?;
                Some((unit.truncate(civil(low)?)?.and_utc().timestamp_micros(), high))
            }
            _ => None,
        },
        _ => None,
    }
}

fn truncated(unit: Unit, time: &Expr, tables: &[Table]) -> Option<Vec<Key>> {
    let (low, high) = dated(time, tables)?;
    let (mut begin, last) = (unit.truncate(civil(low)?)?, civil(high)?);
    let mut keys = Vec::new();
    while begin <= last && keys.len() <= MOST_KEYS {
        keys.push(Key::Timestamp(begin.and_utc().timestamp_micros()));
        begin = unit.next(begin)?;
    }
    Some(keys)
}

fn years(time: &Expr, tables: &[Table]) -> Option<(i64, i64)> {
    use chrono::Datelike;
    let (low, high) = dated(time, tables)?;
    Some((civil(low)?.year().into(), civil(high)?.year().into()))
}

fn undated(time: &Expr) -> QueryError {
    let help = "declare bounds = [\"2020-01-01\", \"2024-12-31\"] for the date column, from public knowledge";
    QueryError::refused(
        format!("GROUP BY parts of {}, whose range of dates is not declared,", super::in_words(time)),
        help,
    )
}

fn underived(expr: &Expr) -> QueryError {
    let help = "write bands as CASE WHEN x < 18 THEN 'child' ELSE 'adult' END or FLOOR(x / 10) * 10, over columns with \
                declared bounds or keys";
    QueryError::refused(
        format!("GROUP BY {}, whose groups do not follow from declared facts,", super::in_words(expr)),
        help,
    )
}
