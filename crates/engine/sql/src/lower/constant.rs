//! Constants of a query: their values, and their conversion to the type of a comparison.

use super::{row_type, unlisted, wrong_type};
use datafusion_common::ScalarValue;
use datafusion_common::arrow::datatypes::{DataType, TimeUnit};
use datafusion_expr::{Cast, Expr, TryCast};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_expression::{
    Day, Decimal, Moment, Period, Type, Value, parse_boolean, parse_day, parse_decimal, parse_integer, parse_moment,
};
use deniable_query::QueryError;

/// The value of a constant; `None` is NULL.
pub(super) fn literal(value: &ScalarValue) -> Result<Option<Value>, QueryError> {
    if value.is_null() {
        return Ok(None);
    }
    let kind = row_type(&value.data_type()).ok_or_else(|| wrong_type(&value.data_type()))?;
    let value = value.cast_to(&arrow_type(kind)).ok().and_then(|value| plain(&value));
    value.map(Some).ok_or_else(|| unlisted("this constant"))
}

/// The type of a NULL; Boolean where the query gives no type.
pub(super) fn null_type(value: &ScalarValue) -> Type {
    row_type(&value.data_type()).unwrap_or(Type::Boolean)
}

fn plain(value: &ScalarValue) -> Option<Value> {
    match value {
        ScalarValue::Boolean(Some(truth)) => Some(Value::Boolean(*truth)),
        ScalarValue::Int64(Some(number)) => Some(Value::Integer(*number)),
        ScalarValue::Float64(Some(number)) => Decimal::new(*number).map(Value::Decimal),
        ScalarValue::Utf8(Some(text)) => Value::text(text),
        ScalarValue::Date32(Some(days)) => Day::new((*days).into()).map(Value::Date),
        ScalarValue::TimestampMicrosecond(Some(micros), None) => Moment::new(*micros).map(Value::Timestamp),
        _ => None,
    }
}

fn arrow_type(kind: Type) -> DataType {
    match kind {
        Type::Boolean => DataType::Boolean,
        Type::Integer => DataType::Int64,
        Type::Decimal => DataType::Float64,
        Type::Text => DataType::Utf8,
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}

/// Converts a constant to another type. A text that cannot be converted is an error: it would be NULL in every row, so
/// that the comparison would never be true and its answer useless. `None` where the operation itself checks the type.
pub(super) fn read_constant(value: &Value, kind: Type) -> Result<Option<Value>, QueryError> {
    let text = match (value, kind) {
        // Beyond 2^53, every row is compared with the nearest decimal.
        #[expect(clippy::cast_precision_loss, reason = "documented in docs/reference/expressions.md")]
        (Value::Integer(number), Type::Decimal) => return Ok(Decimal::new(*number as f64).map(Value::Decimal)),
        (Value::Date(day), Type::Timestamp) => return Ok(Some(Value::Timestamp(day.midnight()))),
        (Value::Text(text), _) => text,
        _ => return Ok(None),
    };
    let numbers = "compare numbers with numbers, as in";
    let texts = "declare a column as text to compare it with texts";
    let (read, what, help) = match kind {
        Type::Integer => {
            (parse_integer(text).map(Value::Integer), "a whole number", format!("{numbers} age > 30; {texts}"))
        }
        Type::Decimal => {
            (parse_decimal(text).map(Value::Decimal), "a number", format!("{numbers} cost > 9.5; {texts}"))
        }
        Type::Boolean => (
            parse_boolean(text).map(Value::Boolean),
            "true or false",
            format!("write TRUE or FALSE, or the column alone; {texts}"),
        ),
        Type::Date => (parse_day(text, None).map(Value::Date), "a date", dates()),
        Type::Timestamp => (parse_moment(text, None).map(Value::Timestamp), "a date", dates()),
        Type::Text => return Ok(None),
    };
    match read {
        Some(read) => Ok(Some(read)),
        None => Err(QueryError::refused(format!("'{text}' as {what}"), help).about_text(text.to_string())),
    }
}

fn dates() -> String {
    "write DATE '2024-01-31' or TIMESTAMP '2024-01-31 12:00:00'".to_owned()
}

/// The value of a text constant, without the casts that the analyser adds.
pub(crate) fn text_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Utf8) {
            Ok(ScalarValue::Utf8(text)) => text,
            _ => None,
        },
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => text_of(expr),
        Expr::Alias(alias) => text_of(&alias.expr),
        _ => None,
    }
}

/// The value of an integer literal, without the casts that the analyser adds.
pub(crate) fn constant_integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Int64) {
            Ok(ScalarValue::Int64(number)) => number,
            _ => None,
        },
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => constant_integer(expr),
        Expr::Alias(alias) => constant_integer(&alias.expr),
        Expr::Negative(inner) => constant_integer(inner)?.checked_neg(),
        _ => None,
    }
}

/// The value of an INTERVAL literal.
pub(crate) fn constant_period(expr: &Expr) -> Option<Period> {
    match expr {
        Expr::Literal(ScalarValue::IntervalMonthDayNano(Some(period)), _) => {
            let micros = period.nanoseconds.checked_div(1_000).filter(|micros| micros * 1_000 == period.nanoseconds)?;
            Period::new(period.months, period.days, micros)
        }
        Expr::Alias(alias) => constant_period(&alias.expr),
        _ => None,
    }
}

/// The exact value of a decimal literal, without the casts that the analyser adds.
pub(crate) fn constant_decimal(expr: &Expr) -> Option<Rational> {
    match expr {
        Expr::Literal(ScalarValue::Float64(Some(number)), _) => parse_rational(&format!("{number}")).ok(),
        Expr::Literal(ScalarValue::Int64(Some(number)), _) => Some(whole(*number)),
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => constant_decimal(expr),
        Expr::Alias(alias) => constant_decimal(&alias.expr),
        _ => None,
    }
}
