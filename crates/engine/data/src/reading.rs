//! Conversion of stored values to declared types: total functions, which return NULL for unreadable values.
//!
//! The law of expressions applies here, too: reading an array equals reading its rows one at a time. Only types are
//! refused, before any row is read.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use crate::error::{SourceError, ZoneProblem};
use crate::frequent::shortened;
use crate::text::Fields;
use arrow_array::builder::{BooleanBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, PrimitiveArray, StringViewArray,
    TimestampMicrosecondArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use deniable_core::schema::{Column as DeclaredColumn, CsvOptions};
use deniable_core::zone::Zone;
use deniable_expression::{Column, Day, Decimal, LONGEST_TEXT, Moment, Type};
use deniable_expression::{
    in_century, parse_boolean, parse_day, parse_decimal, parse_instant, parse_integer, parse_moment,
};
use num_traits::ToPrimitive;
use std::path::Path;
use std::sync::Arc;

/// Reads the values of one column.
#[derive(Debug, Clone)]
pub struct ColumnReader {
    kind: Type,
    from: From,
    /// The zone whose local time is used, if moments are stored.
    zone: Option<Zone>,
}

#[derive(Debug, Clone)]
enum From {
    Text(TextFormat),
    /// An array of this type.
    Stored(DataType),
}

/// The format of values in texts.
#[derive(Debug, Clone)]
struct TextFormat {
    /// Whether to trim spaces. Only spaces: other white space is part of a value.
    trim: bool,
    nulls: Vec<String>,
    decimal_comma: bool,
    /// The pattern of dates and times, if it is not the ISO form.
    pattern: Option<String>,
    /// The last year that two digits may denote.
    pivot: Option<i16>,
    /// The zone whose local time is used, for texts with an offset from UTC.
    zone: Option<Zone>,
}

impl ColumnReader {
    /// For fields of delimited text.
    #[must_use]
    pub fn from_text(column: &DeclaredColumn, options: &CsvOptions) -> Self {
        let writing = TextFormat {
            trim: options.trim,
            nulls: options.nulls.clone(),
            decimal_comma: options.decimal_comma,
            pattern: column.format.clone(),
            pivot: column.pivot,
            zone: column.zone,
        };
        Self { kind: Type::from(column.kind), from: From::Text(writing), zone: None }
    }

    /// For values in folder names.
    #[must_use]
    pub fn from_folder(column: &DeclaredColumn) -> Self {
        let pattern = column.format.clone();
        let (pivot, zone) = (column.pivot, column.zone);
        let writing = TextFormat { trim: false, nulls: Vec::new(), decimal_comma: false, pattern, pivot, zone };
        Self { kind: Type::from(column.kind), from: From::Text(writing), zone: None }
    }

    /// For arrays of a type; `path` is used in errors.
    ///
    /// # Errors
    /// When the type cannot be read as the declared one.
    pub fn from_stored(column: &DeclaredColumn, stored: &DataType, path: &Path) -> Result<Self, SourceError> {
        let kind = Type::from(column.kind);
        let values = match stored {
            DataType::Dictionary(_, values) => values,
            stored => stored,
        };
        let fits = match kind {
            Type::Integer | Type::Decimal => values.is_numeric(),
            Type::Text => is_text(values),
            Type::Boolean => matches!(values, DataType::Boolean),
            Type::Date => matches!(values, DataType::Date32 | DataType::Date64),
            Type::Timestamp => matches!(values, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64),
        };
        if !fits && *values != DataType::Null {
            return Err(SourceError::ColumnType {
                path: path.to_owned(),
                column: column.name.clone(),
                stored: values.to_string(),
                declared: column.kind.name(),
            });
        }
        let problem = match (values, column.zone) {
            (DataType::Timestamp(_, Some(stored)), None) => Some(ZoneProblem::Unstated(stored.to_string())),
            (DataType::Timestamp(_, None) | DataType::Date32 | DataType::Date64, Some(zone)) => {
                Some(ZoneProblem::Misplaced(zone.name()))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let (path, column) = (path.to_owned(), column.name.clone());
            return Err(SourceError::Zone { path, column, problem });
        }
        Ok(Self { kind, from: From::Stored(stored.clone()), zone: column.zone })
    }

    /// The type of the values.
    #[must_use]
    pub fn kind(&self) -> Type {
        self.kind
    }

    /// The values; all NULL if the array has another type than the reader was made for.
    #[must_use]
    pub fn read(&self, stored: &ArrayRef) -> Column {
        let column = match &self.from {
            From::Text(writing) => texts(stored).map(|texts| writing.read(self.kind, texts.iter())),
            From::Stored(kind) if stored.data_type() == kind => read_stored(self.kind, stored, self.zone),
            From::Stored(_) => None,
        };
        column.unwrap_or_else(|| Column::nulls(self.kind, stored.len()))
    }

    /// The values of fields of delimited text; all NULL if the reader was made for arrays.
    #[must_use]
    pub(crate) fn read_fields(&self, fields: Fields<'_>) -> Column {
        match &self.from {
            From::Text(writing) => writing.read(self.kind, fields.iter()),
            From::Stored(_) => Column::nulls(self.kind, fields.len()),
        }
    }

    /// Whether each field of delimited text contains a value, readable or not; `values` are those read from the fields.
    #[must_use]
    pub(crate) fn present_fields(&self, fields: Fields<'_>, values: &Column) -> BooleanArray {
        let present = match (&self.from, values.to_array().logical_nulls()) {
            // A field with a value is present, so only the other fields are parsed again.
            (From::Text(writing), Some(nulls)) => {
                fields.iter().zip(nulls.iter()).map(|(text, is_value)| is_value || writing.stands(text)).collect()
            }
            (From::Text(_), None) | (From::Stored(_), _) => BooleanBuffer::new_set(fields.len()),
        };
        BooleanArray::new(present, None)
    }

    /// The texts of present fields that are not read as values, shortened.
    pub(crate) fn unread(&self, fields: Fields<'_>, present: &BooleanArray, values: &Column) -> Vec<String> {
        let Some(nulls) = values.to_array().logical_nulls() else { return Vec::new() };
        let rows = fields.iter().zip(present.values().iter().zip(nulls.iter()));
        let unread = rows.filter(|(_, (is_present, is_value))| *is_present && !is_value);
        unread.filter_map(|(text, _)| Some(shortened(text?).to_owned())).collect()
    }

    /// Whether each row contains a value, readable or not. A present value that is read as NULL is unreadable.
    #[must_use]
    pub fn present(&self, stored: &ArrayRef) -> BooleanArray {
        let present = match &self.from {
            From::Text(writing) => match texts(stored) {
                Some(texts) => texts.iter().map(|text| writing.stands(text)).collect(),
                None => BooleanBuffer::new_set(stored.len()),
            },
            From::Stored(_) => match stored.logical_nulls() {
                Some(nulls) => nulls.into_inner(),
                None => BooleanBuffer::new_set(stored.len()),
            },
        };
        BooleanArray::new(present, None)
    }

    /// The values for users that only compare and display them: texts may remain in a dictionary, without a copy. Texts
    /// are returned as `Utf8View`, or as a dictionary of any text type without entries that are NULL or too long: rows
    /// of such entries have no key.
    #[must_use]
    pub fn stored(&self, stored: &ArrayRef) -> ArrayRef {
        let fits = matches!(&self.from, From::Stored(kind) if stored.data_type() == kind);
        let values = stored.as_any_dictionary_opt().and_then(|dictionary| texts(dictionary.values()));
        match values {
            Some(values)
                if fits
                    && self.kind == Type::Text
                    && values.null_count() == 0
                    && values.views().iter().all(is_short) =>
            {
                stored.clone()
            }
            _ => self.read(stored).to_array(),
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Texts as views.
fn texts(stored: &ArrayRef) -> Option<StringViewArray> {
    match stored.data_type() {
        DataType::Utf8View => stored.as_string_view_opt().cloned(),
        DataType::Utf8 => stored.as_string_opt::<i32>().map(StringViewArray::from),
        DataType::LargeUtf8 => stored.as_string_opt::<i64>().map(StringViewArray::from),
        DataType::Null => Some(StringViewArray::new_null(stored.len())),
        _ => None,
    }
}

/// Whether a text is short enough for a value. The lower half of a view contains its length, so no text is read.
fn is_short(view: &u128) -> bool {
    (*view & u128::from(u32::MAX)) <= LONGEST_TEXT as u128
}

/// Texts, with NULL for those that are too long for values.
fn short(texts: StringViewArray) -> StringViewArray {
    if texts.views().iter().all(is_short) {
        return texts;
    }
    let short: BooleanBuffer = texts.views().iter().map(is_short).collect();
    let nulls = NullBuffer::union(texts.nulls(), Some(&NullBuffer::new(short)));
    let (views, buffers, _) = texts.into_parts();
    let len = views.len();
    StringViewArray::try_new(views, buffers, nulls).unwrap_or_else(|_| StringViewArray::new_null(len))
}

impl TextFormat {
    /// A text without surrounding spaces.
    fn trimmed<'a>(&self, text: &'a str) -> &'a str {
        if self.trim { text.trim_matches(' ') } else { text }
    }

    fn is_null(&self, text: &str) -> bool {
        // A text that is too long for a value does not denote NULL either.
        text.len() <= LONGEST_TEXT && self.nulls.iter().any(|null| null == self.trimmed(text))
    }

    /// The trimmed text of a value; `None` if it is missing or denotes NULL.
    fn value<'a>(&self, text: Option<&'a str>) -> Option<&'a str> {
        let text = self.trimmed(text.filter(|text| text.len() <= LONGEST_TEXT)?);
        (!self.nulls.iter().any(|null| null == text)).then_some(text)
    }

    /// Whether a value is present; a field that is not valid text counts as present.
    fn stands(&self, text: Option<&str>) -> bool {
        !text.is_some_and(|text| self.is_null(text))
    }

    /// Parses an integer, including one with a fraction of zeros, as pandas writes integers of a column with missing
    /// values. Each text is parsed independently of other rows.
    fn whole(&self, text: &str) -> Option<i64> {
        parse_integer(text).or_else(|| {
            let mark = if self.decimal_comma { ',' } else { '.' };
            let (whole, fraction) = text.trim_ascii().split_once(mark)?;
            let is_zero = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
            let ends_in_digit = whole.ends_with(|c: char| c.is_ascii_digit());
            if is_zero && ends_in_digit { parse_integer(whole) } else { None }
        })
    }

    fn day(&self, text: &str) -> Option<i32> {
        let day = parse_day(text, self.pattern.as_deref())?;
        let day = self.pivot.map_or(Some(day), |last| in_century(day, last))?;
        Some(day.get())
    }

    fn moment(&self, text: &str) -> Option<i64> {
        if let Some(zone) = self.zone {
            return Moment::new(zone.local(parse_instant(text)?)?).map(Moment::get);
        }
        let moment = parse_moment(text, self.pattern.as_deref())?;
        let Some(last) = self.pivot else { return Some(moment.get()) };
        let day = moment.day();
        let clock = moment.get().checked_sub(day.midnight().get())?;
        in_century(day, last)?.midnight().get().checked_add(clock)
    }

    fn read<'a>(&self, kind: Type, texts: impl Iterator<Item = Option<&'a str>>) -> Column {
        let values = texts.map(|text| self.value(text));
        match kind {
            Type::Text => {
                let mut kept = StringViewBuilder::with_capacity(values.size_hint().0);
                values.for_each(|text| kept.append_option(text));
                Column::Text(kept.finish())
            }
            Type::Boolean => {
                let mut truths = BooleanBuilder::with_capacity(values.size_hint().0);
                values.for_each(|text| truths.append_option(text.and_then(parse_boolean)));
                Column::Boolean(truths.finish())
            }
            Type::Integer => Column::Integer(values.map(|text| self.whole(text?)).collect()),
            Type::Decimal if self.decimal_comma => {
                Column::Decimal(values.map(|text| parse_with_comma(text?)).collect())
            }
            Type::Decimal => Column::Decimal(values.map(|text| parse_decimal(text?).map(Decimal::get)).collect()),
            Type::Date => Column::Date(values.map(|text| self.day(text?)).collect()),
            Type::Timestamp => Column::Timestamp(values.map(|text| self.moment(text?)).collect()),
        }
    }
}

/// A number with a decimal comma and no decimal point.
fn parse_with_comma(text: &str) -> Option<f64> {
    if text.contains('.') {
        return None;
    }
    parse_decimal(&text.replace(',', ".")).map(Decimal::get)
}

fn finite(number: f64) -> Option<f64> {
    Decimal::new(number).map(Decimal::get)
}

fn read_stored(kind: Type, stored: &ArrayRef, zone: Option<Zone>) -> Option<Column> {
    if let Some(dictionary) = stored.as_any_dictionary_opt() {
        let values = read_plain(kind, dictionary.values(), zone)?;
        let keys = arrow_cast::cast(dictionary.keys(), &DataType::UInt32).ok()?;
        let keys: &UInt32Array = keys.as_primitive_opt()?;
        return Some(values.take(keys));
    }
    read_plain(kind, stored, zone)
}

fn read_plain(kind: Type, stored: &ArrayRef, zone: Option<Zone>) -> Option<Column> {
    if *stored.data_type() == DataType::Null {
        return Some(Column::nulls(kind, stored.len()));
    }
    Some(match kind {
        Type::Text => Column::Text(short(texts(stored)?)),
        Type::Boolean => Column::Boolean(stored.as_boolean_opt()?.clone()),
        Type::Integer => Column::Integer(integers(stored)?),
        Type::Decimal => Column::Decimal(decimals(stored)?),
        Type::Date => Column::Date(days(stored)?),
        Type::Timestamp => {
            let moments = moments(stored)?;
            let local = |zone: Zone, micros| Moment::new(zone.local(micros)?).map(Moment::get);
            Column::Timestamp(match zone {
                Some(zone) => moments.unary_opt(|micros| local(zone, micros)),
                None => moments,
            })
        }
    })
}

fn each<A: ArrowPrimitiveType, B: ArrowPrimitiveType>(
    stored: &ArrayRef,
    read: impl Fn(A::Native) -> Option<B::Native>,
) -> Option<PrimitiveArray<B>> {
    Some(stored.as_primitive_opt::<A>()?.unary_opt(read))
}

/// Converts every value; the conversion must not lose any.
fn every<A: ArrowPrimitiveType, B: ArrowPrimitiveType>(
    stored: &ArrayRef,
    read: impl Fn(A::Native) -> B::Native,
) -> Option<PrimitiveArray<B>> {
    Some(stored.as_primitive_opt::<A>()?.unary(read))
}

fn integers(stored: &ArrayRef) -> Option<Int64Array> {
    match stored.data_type() {
        DataType::Int64 => stored.as_primitive_opt::<Int64Type>().cloned(),
        DataType::Int32 => every::<Int32Type, _>(stored, i64::from),
        DataType::Int16 => every::<Int16Type, _>(stored, i64::from),
        DataType::Int8 => every::<Int8Type, _>(stored, i64::from),
        DataType::UInt64 => each::<UInt64Type, _>(stored, |number| i64::try_from(number).ok()),
        DataType::UInt32 => every::<UInt32Type, _>(stored, i64::from),
        DataType::UInt16 => every::<UInt16Type, _>(stored, i64::from),
        DataType::UInt8 => every::<UInt8Type, _>(stored, i64::from),
        // pandas stores integers of a column with missing values as doubles.
        DataType::Float64 => each::<Float64Type, _>(stored, |number| whole(number, 53)),
        DataType::Float32 => each::<Float32Type, _>(stored, |number| whole(number.into(), 24)),
        DataType::Float16 => each::<Float16Type, _>(stored, |number| whole(number.into(), 11)),
        DataType::Decimal32(_, scale) => each::<Decimal32Type, _>(stored, |units| whole_units(units.into(), *scale)),
        DataType::Decimal64(_, scale) => each::<Decimal64Type, _>(stored, |units| whole_units(units.into(), *scale)),
        DataType::Decimal128(_, scale) => each::<Decimal128Type, _>(stored, |units| whole_units(units, *scale)),
        DataType::Decimal256(_, scale) => {
            each::<Decimal256Type, _>(stored, |units| whole_units(units.to_i128()?, *scale))
        }
        _ => None,
    }
}

/// A float as an integer, if it is one, within the range in which floats with this many bits represent every integer.
fn whole(number: f64, bits: i32) -> Option<i64> {
    if number.fract() == 0.0 && number.abs() <= 2_f64.powi(bits) { number.to_i64() } else { None }
}

/// `units` times 10^-scale as an integer, if it is one.
fn whole_units(units: i128, scale: i8) -> Option<i64> {
    let power = 10_i128.checked_pow(scale.unsigned_abs().into());
    let number = match (scale > 0, power) {
        (true, Some(power)) => units.checked_rem(power)?.eq(&0).then(|| units.checked_div(power))??,
        (false, Some(power)) => units.checked_mul(power)?,
        // The power exceeds all digits of the units.
        (_, None) => (units == 0).then_some(0)?,
    };
    i64::try_from(number).ok()
}

fn decimals(stored: &ArrayRef) -> Option<Float64Array> {
    match stored.data_type() {
        DataType::Float64 => floats(stored.as_primitive_opt::<Float64Type>()?.clone()),
        DataType::Float32 => floats(every::<Float32Type, _>(stored, f64::from)?),
        DataType::Float16 => floats(every::<Float16Type, _>(stored, f64::from)?),
        DataType::Decimal32(_, scale) => each::<Decimal32Type, _>(stored, |units| nearest(i128::from(units), *scale)),
        DataType::Decimal64(_, scale) => each::<Decimal64Type, _>(stored, |units| nearest(i128::from(units), *scale)),
        DataType::Decimal128(_, scale) => each::<Decimal128Type, _>(stored, |units| nearest(units, *scale)),
        DataType::Decimal256(_, scale) => each::<Decimal256Type, _>(stored, |units| match units.to_i128() {
            Some(units) => nearest(units, *scale),
            None => spelt(&units, *scale),
        }),
        // Rounded to the nearest, if an integer has more digits than a double.
        DataType::UInt64 => every::<UInt64Type, _>(stored, |number| number as f64),
        _ => Some(integers(stored)?.unary(|number| number as f64)),
    }
}

/// Floats without infinities and NaN, and with zero unsigned.
fn floats(numbers: Float64Array) -> Option<Float64Array> {
    let is_plain = |number: &f64| number.is_finite() && (*number != 0.0 || number.is_sign_positive());
    if numbers.values().iter().all(is_plain) {
        return Some(numbers);
    }
    Some(numbers.unary_opt(finite))
}

/// The double nearest to `units` times 10^-scale.
fn nearest(units: i128, scale: i8) -> Option<f64> {
    /// Integers up to this one, and powers of ten up to the 22nd, are exact doubles: one operation on two of them
    /// rounds once.
    const EXACT: u128 = 1 << 53;
    let digits = i32::from(scale);
    if units.unsigned_abs() <= EXACT && (-22..=22).contains(&digits) {
        let (units, power) = (units as f64, 10_f64.powi(digits.wrapping_abs()));
        return finite(if digits < 0 { units * power } else { units / power });
    }
    spelt(&units, scale)
}

/// The same, parsed from its decimal digits, which is exact.
fn spelt(units: &dyn std::fmt::Display, scale: i8) -> Option<f64> {
    finite(format!("{units}e{}", i32::from(scale).wrapping_neg()).parse().ok()?)
}

fn days(stored: &ArrayRef) -> Option<Date32Array> {
    match stored.data_type() {
        DataType::Date32 => {
            let days = stored.as_primitive_opt::<Date32Type>()?;
            let is_day = |day: &i32| (Day::FIRST.get()..=Day::LAST.get()).contains(day);
            if days.values().iter().all(is_day) {
                return Some(days.clone());
            }
            each::<Date32Type, _>(stored, |day| Day::new(day.into()).map(Day::get))
        }
        DataType::Date64 => {
            each::<Date64Type, _>(stored, |millis| Day::new(millis.div_euclid(86_400_000)).map(Day::get))
        }
        _ => None,
    }
}

/// Stored counts as moments, in UTC if the column has a zone, truncated to microseconds.
fn moments(stored: &ArrayRef) -> Option<TimestampMicrosecondArray> {
    let moment = |micros: i64| Moment::new(micros).map(Moment::get);
    match stored.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            each::<TimestampSecondType, _>(stored, |count| moment(count.checked_mul(1_000_000)?))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each::<TimestampMillisecondType, _>(stored, |count| moment(count.checked_mul(1_000)?))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let counts = stored.as_primitive_opt::<TimestampMicrosecondType>()?;
            let range = Day::FIRST.midnight().get()..Day::LAST.midnight().get().saturating_add(Moment::DAY);
            if counts.values().iter().all(|count| range.contains(count)) {
                return Some(counts.clone().with_timezone_opt(None::<Arc<str>>));
            }
            each::<TimestampMicrosecondType, _>(stored, moment)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each::<TimestampNanosecondType, _>(stored, |count| moment(count.div_euclid(1_000)))
        }
        DataType::Date64 => each::<Date64Type, _>(stored, |millis| moment(millis.checked_mul(1_000)?)),
        DataType::Date32 => each::<Date32Type, _>(stored, |day| Day::new(day.into()).map(|day| day.midnight().get())),
        _ => None,
    }
}
