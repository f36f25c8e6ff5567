//! Columns of values: one array of each type.

use crate::value::{Day, Decimal, Moment, Type, Value};
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, PrimitiveArray, StringViewArray,
    TimestampMicrosecondArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use std::sync::Arc;

/// Values of one type, or NULL.
///
/// The caller ensures that the values are valid for the type ([`Column::checked`] does).
#[derive(Debug, Clone)]
pub enum Column {
    /// Boolean values.
    Boolean(BooleanArray),
    /// Integers.
    Integer(Int64Array),
    /// Decimals: finite, without -0.
    Decimal(Float64Array),
    /// Texts of at most [`crate::LONGEST_TEXT`] bytes.
    Text(StringViewArray),
    /// Dates of the years 1 to 9999.
    Date(Date32Array),
    /// Timestamps of the years 1 to 9999.
    Timestamp(TimestampMicrosecondArray),
}

/// Applies an expression to the array of any type, and makes a column of the result.
macro_rules! each {
    ($column:expr, $array:ident => $body:expr) => {
        match $column {
            Column::Boolean($array) => Column::Boolean($body),
            Column::Integer($array) => Column::Integer($body),
            Column::Decimal($array) => Column::Decimal($body),
            Column::Text($array) => Column::Text($body),
            Column::Date($array) => Column::Date($body),
            Column::Timestamp($array) => Column::Timestamp($body),
        }
    };
}

/// Applies an expression to the array of any type.
macro_rules! any {
    ($column:expr, $array:ident => $body:expr) => {
        match $column {
            Column::Boolean($array) => $body,
            Column::Integer($array) => $body,
            Column::Decimal($array) => $body,
            Column::Text($array) => $body,
            Column::Date($array) => $body,
            Column::Timestamp($array) => $body,
        }
    };
}

impl Column {
    /// The type of its values.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::Boolean(_) => Type::Boolean,
            Self::Integer(_) => Type::Integer,
            Self::Decimal(_) => Type::Decimal,
            Self::Text(_) => Type::Text,
            Self::Date(_) => Type::Date,
            Self::Timestamp(_) => Type::Timestamp,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        any!(self, array => array.len())
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the row has a value; false for NULL and beyond the last row.
    #[must_use]
    pub fn is_valid(&self, row: usize) -> bool {
        row < self.len() && self.nulls_of().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// The value of a row; `None` for NULL, beyond the last row and for values that are invalid for the type.
    #[must_use]
    pub fn value(&self, row: usize) -> Option<Value> {
        if !self.is_valid(row) {
            return None;
        }
        match self {
            Self::Boolean(array) => Some(Value::Boolean(array.value(row))),
            Self::Integer(array) => Some(Value::Integer(array.value(row))),
            Self::Decimal(array) => Decimal::new(array.value(row)).map(Value::Decimal),
            Self::Text(array) => Value::text(array.value(row)),
            Self::Date(array) => Day::new(array.value(row).into()).map(Value::Date),
            Self::Timestamp(array) => Moment::new(array.value(row)).map(Value::Timestamp),
        }
    }

    /// A column of `len` NULLs.
    #[must_use]
    pub fn nulls(kind: Type, len: usize) -> Self {
        match kind {
            Type::Boolean => Self::Boolean(BooleanArray::new_null(len)),
            Type::Integer => Self::Integer(Int64Array::new_null(len)),
            Type::Decimal => Self::Decimal(Float64Array::new_null(len)),
            Type::Text => Self::Text(StringViewArray::new_null(len)),
            Type::Date => Self::Date(Date32Array::new_null(len)),
            Type::Timestamp => Self::Timestamp(TimestampMicrosecondArray::new_null(len)),
        }
    }

    /// A column with the same value in every row; NULL if the value has another type.
    #[must_use]
    pub fn repeat(kind: Type, value: Option<&Value>, len: usize) -> Self {
        match (kind, value) {
            (Type::Boolean, Some(Value::Boolean(value))) => Self::Boolean(BooleanArray::new(
                if *value { BooleanBuffer::new_set(len) } else { BooleanBuffer::new_unset(len) },
                None,
            )),
            (Type::Integer, Some(Value::Integer(value))) => Self::Integer(Int64Array::from_value(*value, len)),
            (Type::Decimal, Some(Value::Decimal(value))) => Self::Decimal(Float64Array::from_value(value.get(), len)),
            (Type::Text, Some(Value::Text(_))) => {
                Self::from_values(kind, std::iter::once(value.cloned())).repeated(len)
            }
            (Type::Date, Some(Value::Date(value))) => Self::Date(Date32Array::from_value(value.get(), len)),
            (Type::Timestamp, Some(Value::Timestamp(value))) => {
                Self::Timestamp(TimestampMicrosecondArray::from_value(value.get(), len))
            }
            _ => Self::nulls(kind, len),
        }
    }

    /// Repeats the first row. The bytes of a text are stored once, with a view for each row.
    pub(crate) fn repeated(&self, len: usize) -> Self {
        self.take(&UInt32Array::from_value(0, len))
    }

    /// Concatenates columns; parts of another type are left out.
    #[must_use]
    pub fn concat(kind: Type, parts: &[Self]) -> Self {
        let parts: Vec<ArrayRef> = parts.iter().filter(|part| part.kind() == kind).map(Self::to_array).collect();
        let len = parts.iter().fold(0_usize, |len, part| len.saturating_add(part.len()));
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        let whole = arrow_select::concat::concat(&parts).ok().and_then(|array| Self::from_array(&array));
        whole.unwrap_or_else(|| Self::nulls(kind, len))
    }

    /// A column of these values; those of another type are NULL.
    #[must_use]
    pub fn from_values(kind: Type, values: impl Iterator<Item = Option<Value>>) -> Self {
        match kind {
            Type::Boolean => Self::Boolean(
                values
                    .map(|value| match value {
                        Some(Value::Boolean(value)) => Some(value),
                        _ => None,
                    })
                    .collect(),
            ),
            Type::Integer => Self::Integer(
                values
                    .map(|value| match value {
                        Some(Value::Integer(value)) => Some(value),
                        _ => None,
                    })
                    .collect(),
            ),
            Type::Decimal => Self::Decimal(
                values
                    .map(|value| match value {
                        Some(Value::Decimal(value)) => Some(value.get()),
                        _ => None,
                    })
                    .collect(),
            ),
            Type::Text => {
                let mut texts = StringViewBuilder::new();
                for value in values {
                    match value {
                        Some(Value::Text(text)) if text.len() <= crate::LONGEST_TEXT => texts.append_value(&text),
                        _ => texts.append_null(),
                    }
                }
                Self::Text(texts.finish())
            }
            Type::Date => Self::Date(
                values
                    .map(|value| match value {
                        Some(Value::Date(value)) => Some(value.get()),
                        _ => None,
                    })
                    .collect(),
            ),
            Type::Timestamp => Self::Timestamp(
                values
                    .map(|value| match value {
                        Some(Value::Timestamp(value)) => Some(value.get()),
                        _ => None,
                    })
                    .collect(),
            ),
        }
    }

    /// Converts to an array of Arrow: Boolean, Int64, Float64, Utf8View, Date32, Timestamp(Microsecond) without a zone.
    #[must_use]
    pub fn to_array(&self) -> ArrayRef {
        any!(self, array => Arc::new(array.clone()))
    }

    /// The inverse of [`Column::to_array`]; `None` for any other type.
    #[must_use]
    pub fn from_array(array: &dyn Array) -> Option<Self> {
        use arrow_schema::{DataType, TimeUnit};
        Some(match array.data_type() {
            DataType::Boolean => Self::Boolean(array.as_boolean_opt()?.clone()),
            DataType::Int64 => Self::Integer(array.as_primitive_opt::<Int64Type>()?.clone()),
            DataType::Float64 => Self::Decimal(array.as_primitive_opt::<Float64Type>()?.clone()),
            DataType::Utf8View => Self::Text(array.as_string_view_opt()?.clone()),
            DataType::Date32 => Self::Date(array.as_primitive_opt::<Date32Type>()?.clone()),
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                Self::Timestamp(array.as_primitive_opt::<TimestampMicrosecondType>()?.clone())
            }
            _ => return None,
        })
    }

    /// The rows for which `keep` is true, in their order. Empty if the lengths differ.
    #[must_use]
    pub fn filter(&self, keep: &BooleanArray) -> Self {
        if keep.len() != self.len() {
            return Self::nulls(self.kind(), 0);
        }
        let found = any!(self, array => arrow_select::filter::filter(array, keep));
        let kept = || truth(keep).count_set_bits();
        found.ok().and_then(|array| Self::from_array(&array)).unwrap_or_else(|| Self::nulls(self.kind(), kept()))
    }

    /// The rows at these positions; NULL where the position is NULL or out of range.
    #[must_use]
    pub fn take(&self, positions: &UInt32Array) -> Self {
        let len = self.len();
        let within = |position: u32| usize::try_from(position).is_ok_and(|position| position < len);
        let all = positions.values().iter().all(|position| within(*position));
        let found = if all {
            any!(self, array => arrow_select::take::take(array, positions, None))
        } else {
            let positions: UInt32Array =
                positions.iter().map(|position| position.filter(|position| within(*position))).collect();
            any!(self, array => arrow_select::take::take(array, &positions, None))
        };
        let found = found.ok().and_then(|array| Self::from_array(&array));
        found.unwrap_or_else(|| Self::nulls(self.kind(), positions.len()))
    }

    /// `len` rows from `offset` on, or fewer if the column ends before.
    #[must_use]
    pub fn slice(&self, offset: usize, len: usize) -> Self {
        let offset = offset.min(self.len());
        let len = len.min(self.len().saturating_sub(offset));
        each!(self, array => array.slice(offset, len))
    }

    /// Whether both columns have the same values, bit for bit, in the same rows.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        fn same<T: ArrowPrimitiveType>(
            left: &PrimitiveArray<T>,
            right: &PrimitiveArray<T>,
            equal: impl Fn(T::Native, T::Native) -> bool,
        ) -> bool {
            left.len() == right.len()
                && left.iter().zip(right.iter()).all(|pair| match pair {
                    (Some(left), Some(right)) => equal(left, right),
                    (None, None) => true,
                    _ => false,
                })
        }
        match (self, other) {
            (Self::Boolean(left), Self::Boolean(right)) => left.len() == right.len() && left.iter().eq(right.iter()),
            (Self::Integer(left), Self::Integer(right)) => same(left, right, |left, right| left == right),
            (Self::Decimal(left), Self::Decimal(right)) => {
                same(left, right, |left, right| left.to_bits() == right.to_bits())
            }
            (Self::Text(left), Self::Text(right)) => left.len() == right.len() && left.iter().eq(right.iter()),
            (Self::Date(left), Self::Date(right)) => same(left, right, |left, right| left == right),
            (Self::Timestamp(left), Self::Timestamp(right)) => same(left, right, |left, right| left == right),
            _ => false,
        }
    }

    /// Replaces values that are invalid for the type by NULL: infinities, NaN, texts that are too long, times outside
    /// the years 1 to 9999. -0 becomes 0.
    #[must_use]
    pub fn checked(self) -> Self {
        let valid: Option<BooleanBuffer> = match &self {
            Self::Boolean(_) | Self::Integer(_) => None,
            Self::Decimal(array) => {
                let fits = |number: &f64| number.is_finite();
                (!array.values().iter().all(fits)).then(|| array.values().iter().map(fits).collect())
            }
            Self::Text(array) => {
                let fits = |length: u32| usize::try_from(length).is_ok_and(|length| length <= crate::LONGEST_TEXT);
                (!array.lengths().all(fits)).then(|| array.lengths().map(fits).collect())
            }
            Self::Date(array) => {
                let fits = |days: &i32| Day::new((*days).into()).is_some();
                (!array.values().iter().all(fits)).then(|| array.values().iter().map(fits).collect())
            }
            Self::Timestamp(array) => {
                let fits = |micros: &i64| Moment::new(*micros).is_some();
                (!array.values().iter().all(fits)).then(|| array.values().iter().map(fits).collect())
            }
        };
        let column = match self {
            Self::Decimal(array) if array.values().iter().any(|number| *number == 0.0 && number.is_sign_negative()) => {
                let values: ScalarBuffer<f64> = array.values().iter().map(|number| number + 0.0).collect();
                Self::Decimal(numbers(values, array.nulls().cloned()))
            }
            other => other,
        };
        match valid {
            Some(valid) => column.only(&valid),
            None => column,
        }
    }

    /// Replaces rows where `keep` is not set by NULL.
    pub(crate) fn only(&self, keep: &BooleanBuffer) -> Self {
        if keep.len() != self.len() {
            return Self::nulls(self.kind(), self.len());
        }
        let nulls = both(self.nulls_of(), Some(&NullBuffer::new(keep.clone())));
        match self {
            Self::Boolean(array) => Self::Boolean(booleans(array.values().clone(), nulls)),
            Self::Integer(array) => Self::Integer(numbers(array.values().clone(), nulls)),
            Self::Decimal(array) => Self::Decimal(numbers(array.values().clone(), nulls)),
            Self::Text(array) => Self::Text(texts(array, nulls)),
            Self::Date(array) => Self::Date(numbers(array.values().clone(), nulls)),
            Self::Timestamp(array) => Self::Timestamp(numbers(array.values().clone(), nulls)),
        }
    }

    /// The validity of rows, if there are NULLs.
    pub(crate) fn nulls_of(&self) -> Option<&NullBuffer> {
        any!(self, array => array.nulls())
    }

    pub(crate) fn valid(&self) -> BooleanBuffer {
        match self.nulls_of() {
            Some(nulls) => nulls.inner().clone(),
            None => BooleanBuffer::new_set(self.len()),
        }
    }
}

/// The rows where the array is true, excluding NULL.
pub(crate) fn truth(array: &BooleanArray) -> BooleanBuffer {
    match array.nulls() {
        Some(nulls) => array.values() & nulls.inner(),
        None => array.values().clone(),
    }
}

/// The rows where both are valid.
pub(crate) fn both(left: Option<&NullBuffer>, right: Option<&NullBuffer>) -> Option<NullBuffer> {
    match (left, right) {
        // Buffers of different lengths cannot be combined; they do not occur.
        (Some(left), Some(right)) if left.len() != right.len() => Some(NullBuffer::new_null(left.len())),
        _ => NullBuffer::union(left, right),
    }
}

/// An array of numbers; all NULL if the lengths differ.
pub(crate) fn numbers<T: ArrowPrimitiveType>(
    values: ScalarBuffer<T::Native>,
    nulls: Option<NullBuffer>,
) -> PrimitiveArray<T> {
    let len = values.len();
    PrimitiveArray::try_new(values, nulls).unwrap_or_else(|_| PrimitiveArray::new_null(len))
}

/// An array of Booleans; all NULL if the lengths differ.
pub(crate) fn booleans(values: BooleanBuffer, nulls: Option<NullBuffer>) -> BooleanArray {
    match nulls {
        Some(nulls) if nulls.len() != values.len() => BooleanArray::new_null(values.len()),
        nulls => BooleanArray::new(values, nulls),
    }
}

/// The same texts with other NULLs.
fn texts(array: &StringViewArray, nulls: Option<NullBuffer>) -> StringViewArray {
    let len = array.len();
    let positions = match nulls {
        None => return array.clone(),
        Some(nulls) => match u32::try_from(len) {
            Ok(end) => numbers::<arrow_array::types::UInt32Type>((0..end).collect(), Some(nulls)),
            Err(_) => return StringViewArray::new_null(len),
        },
    };
    let found = arrow_select::take::take(array, &positions, None).ok();
    found
        .as_ref()
        .and_then(|found| found.as_string_view_opt())
        .cloned()
        .unwrap_or_else(|| StringViewArray::new_null(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts_of(values: &[Option<&str>]) -> Column {
        Column::from_values(Type::Text, values.iter().map(|value| value.and_then(Value::text)))
    }

    #[test]
    fn invalid_values_become_null() {
        let decimals = Column::Decimal(Float64Array::from(vec![f64::NAN, f64::INFINITY, -0.0, 1.5])).checked();
        let expected = [None, None, Decimal::new(0.0), Decimal::new(1.5)].map(|value| value.map(Value::Decimal));
        assert!(decimals.same_as(&Column::from_values(Type::Decimal, expected.into_iter())));
        let long = "x".repeat(crate::LONGEST_TEXT + 1);
        let array = StringViewArray::from(vec![Some(long.as_str()), Some(&long[1..]), None]);
        let checked = Column::Text(array).checked();
        assert_eq!([checked.is_valid(0), checked.is_valid(1), checked.is_valid(2)], [false, true, false]);
        let dates = Column::Date(Date32Array::from(vec![i32::MIN, Day::FIRST.get(), Day::LAST.get(), i32::MAX]));
        let dates = dates.checked();
        assert_eq!([0, 1, 2, 3].map(|row| dates.is_valid(row)), [false, true, true, false]);
        let times = Column::Timestamp(TimestampMicrosecondArray::from(vec![i64::MIN, 0, i64::MAX])).checked();
        assert_eq!([0, 1, 2, 3].map(|row| times.is_valid(row)), [false, true, false, false]);
    }

    #[test]
    fn rows_are_taken_filtered_and_cut() {
        let column = texts_of(&[Some("a"), None, Some("a longer text than a view holds"), Some("")]);
        let taken = column.take(&UInt32Array::from(vec![Some(2), None, Some(9), Some(0)]));
        assert!(taken.same_as(&texts_of(&[Some("a longer text than a view holds"), None, None, Some("a")])));
        let kept = column.filter(&BooleanArray::from(vec![Some(true), Some(true), None, Some(true)]));
        assert!(kept.same_as(&texts_of(&[Some("a"), None, Some("")])));
        assert!(column.slice(3, 9).same_as(&texts_of(&[Some("")])));
        assert!(column.slice(9, 1).is_empty());
        assert!(!column.same_as(&Column::nulls(Type::Text, 4)) && !column.same_as(&Column::nulls(Type::Date, 4)));
        assert_eq!(column.filter(&BooleanArray::from(vec![true])).len(), 0);
        for kind in Type::ALL {
            let nulls = Column::nulls(kind, 3);
            assert_eq!((nulls.kind(), nulls.len(), nulls.value(0), nulls.value(7)), (kind, 3, None, None));
            assert!(nulls.same_as(&Column::repeat(kind, None, 3)));
            assert!(Column::from_array(&nulls.to_array()).is_some_and(|column| column.same_as(&nulls)));
        }
    }
}
