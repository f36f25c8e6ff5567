//! Long lists of constants, sorted: `x IN (...)` in a few steps for each row.

use crate::column::Column;
use crate::value::{Type, Value};
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};

/// The values of a list, and whether NULL is among them.
#[derive(Debug, Clone)]
pub(crate) struct List {
    values: Values,
    null: bool,
}

#[derive(Debug, Clone)]
enum Values {
    /// Integers, dates, timestamps, and decimals by their bits.
    Numbers(Vec<i64>),
    Texts(Vec<Box<str>>),
}

impl List {
    /// A list of the first rows of these columns; `None` for Booleans, which have two values only.
    pub(crate) fn new(kind: Type, columns: &[&Column]) -> Option<Self> {
        let values = columns.iter().map(|column| column.value(0)).collect::<Vec<Option<Value>>>();
        let null = values.iter().any(Option::is_none);
        let values = match kind {
            Type::Boolean => return None,
            Type::Text => {
                let text = |value: Option<Value>| match value {
                    Some(Value::Text(text)) => Some(Box::from(&*text)),
                    _ => None,
                };
                let mut texts: Vec<Box<str>> = values.into_iter().filter_map(text).collect();
                texts.sort_unstable();
                Values::Texts(texts)
            }
            Type::Integer | Type::Decimal | Type::Date | Type::Timestamp => {
                let number = |value: Option<Value>| match value {
                    Some(Value::Integer(number)) => Some(number),
                    Some(Value::Decimal(number)) => Some(bits(number.get())),
                    Some(Value::Date(day)) => Some(day.get().into()),
                    Some(Value::Timestamp(moment)) => Some(moment.get()),
                    _ => None,
                };
                let mut numbers: Vec<i64> = values.into_iter().filter_map(number).collect();
                numbers.sort_unstable();
                Values::Numbers(numbers)
            }
        };
        Some(Self { values, null })
    }

    /// Whether the list contains each value, in three-valued logic.
    pub(crate) fn holds(&self, column: &Column) -> BooleanArray {
        let found: BooleanBuffer = match (&self.values, column) {
            (Values::Numbers(list), Column::Integer(array)) => among(list, array, |value| value),
            (Values::Numbers(list), Column::Decimal(array)) => among(list, array, bits),
            (Values::Numbers(list), Column::Date(array)) => among(list, array, i64::from),
            (Values::Numbers(list), Column::Timestamp(array)) => among(list, array, |value| value),
            (Values::Texts(list), Column::Text(array)) => {
                let one = |text: &str| list.binary_search_by(|other| (**other).cmp(text)).is_ok();
                array.iter().map(|text| text.is_some_and(one)).collect()
            }
            _ => return BooleanArray::new_null(column.len()),
        };
        let valid = column.valid();
        // A value that is not found may equal the NULL in the list.
        let valid = if self.null { &valid & &found } else { valid };
        crate::column::booleans(found, Some(NullBuffer::new(valid)))
    }
}

fn bits(number: f64) -> i64 {
    number.to_bits().cast_signed()
}

fn among<T: ArrowPrimitiveType>(
    list: &[i64],
    array: &PrimitiveArray<T>,
    number: impl Fn(T::Native) -> i64,
) -> BooleanBuffer {
    array.values().iter().map(|value| list.binary_search(&number(*value)).is_ok()).collect()
}
