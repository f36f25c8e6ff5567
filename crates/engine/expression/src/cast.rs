//! Conversion of values to another type.

use crate::calendar::{civil, civil_day, parse_day, parse_moment};
use crate::column::{Column, booleans, numbers};
use crate::plain;
use crate::value::{Day, Decimal, Moment, Type};
use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, BooleanArray, PrimitiveArray, StringViewArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use std::fmt::Write;

/// Below 2^-1000 or beyond 2^1000 whatever the digits, in texts of at most [`crate::LONGEST_TEXT`] bytes.
const GREAT_EXPONENT: u64 = 200_000;

/// Converts a column to another type; all NULL if there is no such cast.
pub(crate) fn cast(column: &Column, to: Type) -> Column {
    let len = column.len();
    match (column, to) {
        (Column::Boolean(array), Type::Integer) => Column::Integer(from_boolean(array, i64::from)),
        (Column::Boolean(array), Type::Decimal) => Column::Decimal(from_boolean(array, f64::from)),
        (Column::Boolean(array), Type::Text) => written(array.iter(), len, |value, text| {
            text.push_str(if value { "true" } else { "false" });
            true
        }),
        (Column::Integer(array), Type::Boolean) => {
            Column::Boolean(booleans(array.values().iter().map(|value| *value != 0).collect(), array.nulls().cloned()))
        }
        (Column::Decimal(array), Type::Boolean) => Column::Boolean(booleans(
            array.values().iter().map(|value| *value != 0.0).collect(),
            array.nulls().cloned(),
        )),
        (Column::Integer(array), Type::Decimal) => Column::Decimal(map::<_, Float64Type>(array, |v| Some(nearest(v)))),
        (Column::Decimal(array), Type::Integer) => Column::Integer(map::<_, Int64Type>(array, whole)),
        (Column::Integer(array), Type::Text) => {
            written(array.iter(), len, |value, text| write!(text, "{value}").is_ok())
        }
        (Column::Decimal(array), Type::Text) => written(array.iter(), len, |value, text| {
            // The `Debug` format of the standard library: "1.0", "1e16", "1.5e-7".
            value.is_finite() && write!(text, "{:?}", value + 0.0).is_ok()
        }),
        (Column::Text(array), Type::Boolean) => {
            Column::Boolean(array.iter().map(|text| text.and_then(parse_boolean)).collect())
        }
        (Column::Text(array), Type::Integer) => Column::Integer(read(array, parse_integer)),
        (Column::Text(array), Type::Decimal) => {
            Column::Decimal(read(array, |text| parse_decimal(text).map(Decimal::get)))
        }
        (Column::Text(array), Type::Date) => Column::Date(read(array, |text| parse_day(text, None).map(Day::get))),
        (Column::Text(array), Type::Timestamp) => {
            Column::Timestamp(read(array, |text| parse_moment(text, None).map(Moment::get)))
        }
        (Column::Date(array), Type::Text) => {
            written(array.iter(), len, |days, text| Day::new(days.into()).is_some_and(|day| write_day(day, text)))
        }
        (Column::Timestamp(array), Type::Text) => written(array.iter(), len, |micros, text| {
            Moment::new(micros).is_some_and(|moment| write_moment(moment, text))
        }),
        (Column::Integer(array), Type::Date) => {
            Column::Date(map::<_, Date32Type>(array, |v| Day::new(v).map(Day::get)))
        }
        (Column::Integer(array), Type::Timestamp) => {
            Column::Timestamp(map::<_, TimestampMicrosecondType>(array, |v| Moment::new(v).map(Moment::get)))
        }
        (Column::Date(array), Type::Integer) => Column::Integer(map::<_, Int64Type>(array, |v| Some(v.into()))),
        (Column::Timestamp(array), Type::Integer) => Column::Integer(map::<_, Int64Type>(array, Some)),
        (Column::Date(array), Type::Timestamp) => Column::Timestamp(map::<_, TimestampMicrosecondType>(array, |v| {
            Day::new(v.into()).map(|day| day.midnight().get())
        })),
        (Column::Timestamp(array), Type::Date) => {
            Column::Date(map::<_, Date32Type>(array, |v| Moment::new(v).map(|moment| moment.day().get())))
        }
        _ => Column::nulls(to, len),
    }
}

/// White space that may surround a number or a Boolean.
const SPACE: [char; 6] = ['\t', '\n', '\u{b}', '\u{c}', '\r', ' '];

/// Parses `t`, `yes`, `on`, `1`, ... and `f`, `no`, `off`, `0`, ... in any case, surrounded by ASCII white space.
#[must_use]
pub fn parse_boolean(text: &str) -> Option<bool> {
    const TRUE: [&str; 9] = ["t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"];
    const FALSE: [&str; 10] = ["f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"];
    let word = text.trim_matches(SPACE);
    let one_of = |words: &[&str]| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    if one_of(&TRUE) {
        Some(true)
    } else if one_of(&FALSE) {
        Some(false)
    } else {
        None
    }
}

/// Parses `[+-]?[0-9]+` within 64 bits, surrounded by white space.
#[must_use]
pub fn parse_integer(text: &str) -> Option<i64> {
    plain::integer(text).or_else(|| general_integer(text))
}

pub(crate) fn general_integer(text: &str) -> Option<i64> {
    text.trim_matches(SPACE).parse().ok()
}

/// Parses `[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?`, surrounded by white space: the nearest decimal, if
/// that is finite.
#[must_use]
pub fn parse_decimal(text: &str) -> Option<Decimal> {
    match plain::decimal(text) {
        Some(number) => Decimal::new(number),
        None => general_decimal(text),
    }
}

pub(crate) fn general_decimal(text: &str) -> Option<Decimal> {
    let text = text.trim_matches(SPACE);
    // Excludes words such as "inf".
    let plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    if text.len() > crate::LONGEST_TEXT || !text.bytes().all(plain) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // The standard library truncates exponents of six digits and more, which many digits before them could compensate.
    if let Some((digits, exponent)) = text.split_once(['e', 'E']) {
        let size = exponent.trim_start_matches(['+', '-']).trim_start_matches('0');
        if size.len() > 6 || size.parse().is_ok_and(|size: u64| size > GREAT_EXPONENT) {
            let zero = !digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
            return if zero || exponent.starts_with('-') { Decimal::new(0.0) } else { None };
        }
    }
    Decimal::new(number)
}

/// The nearest decimal, ties to even.
#[allow(clippy::cast_precision_loss, reason = "the cast rounds")]
fn nearest(number: i64) -> f64 {
    number as f64
}

#[allow(clippy::cast_possible_truncation, reason = "within the bounds only the fraction is lost")]
fn whole(number: f64) -> Option<i64> {
    const LEAST_INTEGER: f64 = -9_223_372_036_854_775_808.0;
    (LEAST_INTEGER..-LEAST_INTEGER).contains(&number).then_some(number as i64)
}

pub(crate) fn write_day(day: Day, text: &mut String) -> bool {
    let date = civil_day(day);
    write!(text, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day()).is_ok()
}

pub(crate) fn write_moment(moment: Moment, text: &mut String) -> bool {
    let time = civil(moment);
    let fraction = moment.get().rem_euclid(1_000_000);
    let clock = |text: &mut String| write!(text, "T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
    let day_and_clock = write_day(moment.day(), text) && clock(text).is_ok();
    day_and_clock && (fraction == 0 || write!(text, ".{fraction:06}").is_ok())
}

/// Maps each value; `None` becomes NULL.
pub(crate) fn map<A: ArrowPrimitiveType, B: ArrowPrimitiveType>(
    array: &PrimitiveArray<A>,
    image: impl Fn(A::Native) -> Option<B::Native>,
) -> PrimitiveArray<B> {
    let mut all = true;
    let one = |value: &A::Native| {
        let image = image(*value);
        all &= image.is_some();
        image.unwrap_or_default()
    };
    let values = array.values().iter().map(one).collect();
    if all {
        return numbers(values, array.nulls().cloned());
    }
    let valid: BooleanBuffer = array.values().iter().map(|value| image(*value).is_some()).collect();
    numbers(values, crate::column::both(array.nulls(), Some(&NullBuffer::new(valid))))
}

fn read<T: ArrowPrimitiveType>(array: &StringViewArray, read: impl Fn(&str) -> Option<T::Native>) -> PrimitiveArray<T> {
    let mut valid = Vec::with_capacity(array.len());
    let values = array
        .iter()
        .map(|text| {
            let value = text.and_then(&read);
            valid.push(value.is_some());
            value.unwrap_or_default()
        })
        .collect();
    numbers(values, Some(NullBuffer::from(valid)))
}

fn from_boolean<T: ArrowPrimitiveType>(array: &BooleanArray, image: impl Fn(bool) -> T::Native) -> PrimitiveArray<T> {
    numbers(array.values().iter().map(image).collect(), array.nulls().cloned())
}

/// Texts; NULL where `write` returns false.
fn written<V: Copy>(
    values: impl Iterator<Item = Option<V>>,
    len: usize,
    write: impl Fn(V, &mut String) -> bool,
) -> Column {
    let mut texts = StringViewBuilder::with_capacity(len);
    let mut text = String::new();
    for value in values {
        text.clear();
        match value {
            Some(value) if write(value, &mut text) => texts.append_value(&text),
            _ => texts.append_null(),
        }
    }
    Column::Text(texts.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn booleans_in_words() {
        for (text, value) in [
            ("t", Some(true)),
            (" YES\t", Some(true)),
            ("\n1\r", Some(true)),
            ("of", Some(false)),
            ("FALSE", Some(false)),
            ("", None),
            ("o", None),
            ("truee", None),
            ("\u{a0}true", None),
            ("2", None),
        ] {
            assert_eq!(parse_boolean(text), value, "{text:?}");
        }
    }

    #[test]
    fn numbers_in_digits() {
        for (text, value) in [
            ("0", Some(0)),
            ("+7", Some(7)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("", None),
            ("+", None),
            ("--1", None),
            ("1.0", None),
            (" 1\t", Some(1)),
            ("1 1", None),
            ("\u{a0}1", None),
            ("٣", None),
        ] {
            assert_eq!(parse_integer(text), value, "{text:?}");
        }
        for (text, value) in [
            ("0", Some(0.0)),
            ("-0", Some(0.0)),
            ("-0e5", Some(0.0)),
            ("1.", Some(1.0)),
            (".5", Some(0.5)),
            ("+1.5E+3", Some(1500.0)),
            ("1e308", Some(1e308)),
            ("1e309", None),
            ("1e-400", Some(0.0)),
            ("-1e-400", Some(0.0)),
            ("4.9e-324", Some(5e-324)),
            ("", None),
            (".", None),
            ("e5", None),
            ("1e", None),
            ("1e+", None),
            ("inf", None),
            ("NaN", None),
            ("infinity", None),
            ("0x10", None),
            ("1 ", Some(1.0)),
            ("1_000", None),
            ("0e99999999999999999999999", Some(0.0)),
            ("1e99999999999999999999999", None),
            ("1e-99999999999999999999999", Some(0.0)),
        ] {
            assert_eq!(parse_decimal(text).map(Decimal::get), value, "{text:?}");
        }
        // An exponent is not truncated; the standard library alone would give 1e35.
        let digits = format!("0.{}1", "0".repeat(65_500));
        assert_eq!(parse_decimal(&format!("{digits}e655360")), None);
        assert_eq!(parse_decimal(&format!("{digits}e65501")), Decimal::new(1.0));
        assert_eq!(parse_decimal(&format!("1{}e-65000", "0".repeat(65_000))), Decimal::new(1.0));
    }

    #[test]
    fn numbers_become_texts() {
        let text = |value: f64| {
            let column = Column::from_values(Type::Decimal, std::iter::once(Decimal::new(value).map(Value::Decimal)));
            match cast(&column, Type::Text).value(0) {
                Some(Value::Text(text)) => text.to_string(),
                other => panic!("{other:?}"),
            }
        };
        for (value, expected) in [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (-0.1, "-0.1"),
            (0.0001, "0.0001"),
            (0.00009, "9e-5"),
            (1.5e-7, "1.5e-7"),
            (1e15, "1000000000000000.0"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e16, "1e16"),
            (1.2345e300, "1.2345e300"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(text(value), expected);
        }
        assert_eq!((whole(9_223_372_036_854_775_808.0), whole(-9_223_372_036_854_775_808.0)), (None, Some(i64::MIN)));
        assert_eq!((whole(-1.9), whole(f64::NAN), whole(f64::INFINITY)), (Some(-1), None, None));
        assert!(nearest((1 << 53) + 1).to_bits() == nearest(1 << 53).to_bits());
    }

    #[test]
    fn times_become_texts() {
        let moments = ["0001-01-01T00:00:00", "1969-12-31T23:59:59.000001", "9999-12-31T23:59:59.999999"];
        for written in moments {
            let mut text = String::new();
            assert!(write_moment(parse_moment(written, None).unwrap(), &mut text));
            assert_eq!(text, written);
        }
    }
}
