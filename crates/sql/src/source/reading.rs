//! The one step from what a file holds to a value that the engine's own casts do not take, or not safely: total
//! functions, which give NULL for whatever they cannot read.

use super::dates;
use crate::rows::calendar::TIMESTAMP;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, StringArray, TimestampMicrosecondArray, new_null_array,
};
use datafusion::arrow::compute::{cast, nullif};
use datafusion::arrow::datatypes::{DataType, Date32Type, Date64Type, Int64Type, TimeUnit};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// Bytes of the longest text that is a value. A batch of longer ones might not fit the engine's 32-bit offsets, and
/// whether a scan succeeds must not depend on what fields hold.
pub(super) const LONGEST_TEXT: usize = 64 << 10;

/// What is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Reading {
    /// A text, in the one type of texts.
    Text,
    /// A text, in whatever type it is stored: without a copy where nothing but keys are compared.
    Stored,
    /// A text with a decimal comma, as a text with a decimal point.
    Comma,
    /// A day, from a text in this pattern or else in the ISO form, or from what is stored.
    Day(Option<String>),
    /// A moment, likewise. With a time zone, the clock of UTC at that moment.
    Moment(Option<String>),
}

/// The call that reads a column's values.
pub(super) fn read(reading: Reading, value: Expr) -> Expr {
    // Expressions are told apart by their names, too.
    let name = match &reading {
        Reading::Text => "read_text".to_owned(),
        Reading::Stored => "read_stored".to_owned(),
        Reading::Comma => "read_comma".to_owned(),
        Reading::Day(pattern) => format!("read_day_{}", pattern.as_deref().unwrap_or("iso")),
        Reading::Moment(pattern) => format!("read_moment_{}", pattern.as_deref().unwrap_or("iso")),
    };
    let signature = Signature::any(1, Volatility::Immutable);
    let func = Arc::new(ScalarUDF::from(Reader { name, reading, signature }));
    Expr::ScalarFunction(ScalarFunction { func, args: vec![value] })
}

/// The same call, without a copy, where a column of texts is read for its keys alone; `None` for anything else.
pub(super) fn as_stored(expr: &Expr) -> Option<Expr> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else { return None };
    let implementation: &dyn std::any::Any = func.inner().as_ref();
    match (implementation.downcast_ref::<Reader>(), args.as_slice()) {
        (Some(Reader { reading: Reading::Text, .. }), [column @ Expr::Column(_)]) => {
            Some(read(Reading::Stored, column.clone()))
        }
        _ => None,
    }
}

/// Whether a function is one of these.
pub(crate) fn is_reading(func: &ScalarUDF) -> bool {
    let implementation: &dyn std::any::Any = func.inner().as_ref();
    implementation.is::<Reader>()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Reader {
    name: String,
    reading: Reading,
    signature: Signature,
}

impl ScalarUDFImpl for Reader {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match self.reading {
            Reading::Stored => types.first().cloned().unwrap_or(DataType::Null),
            Reading::Text | Reading::Comma => DataType::Utf8,
            Reading::Day(_) => DataType::Date32,
            Reading::Moment(_) => TIMESTAMP,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [stored] = arrays.as_slice() else { return plan_err!("reading {} values as one", arrays.len()) };
        let result = match self.reading {
            Reading::Stored => without_long(stored)?,
            _ => self.reading.of(&plain(stored)?)?,
        };
        if all_constant && result.len() == 1 {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

/// The values of a dictionary in their places.
fn plain(stored: &ArrayRef) -> Result<ArrayRef> {
    let DataType::Dictionary(_, values) = stored.data_type() else { return Ok(stored.clone()) };
    Ok(match **values {
        // Views point into the dictionary; copies of a long text for every row might not fit an array.
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => cast(stored, &DataType::Utf8View)?,
        _ => cast(stored, values)?,
    })
}

/// Texts as they are stored, but for those that are too long to be values.
fn without_long(stored: &ArrayRef) -> Result<ArrayRef> {
    let is_long = |text: Option<&str>| text.is_some_and(|text| text.len() > LONGEST_TEXT);
    // Views tell lengths without a look at the texts.
    if let Some(views) = stored.as_string_view_opt()
        && views.views().iter().all(|view| *view as u32 as usize <= LONGEST_TEXT)
    {
        return Ok(stored.clone());
    }
    if stored.data_type().is_string() {
        let long: BooleanArray = texts(stored)?.map(|text| Some(is_long(text))).collect();
        return Ok(if long.true_count() == 0 { stored.clone() } else { nullif(stored, &long)? });
    }
    let Some(dictionary) = stored.as_any_dictionary_opt() else { return Ok(stored.clone()) };
    let long: Vec<bool> = texts(dictionary.values())?.map(is_long).collect();
    if !long.contains(&true) {
        return Ok(stored.clone());
    }
    let is_long = |key: usize| Some(long.get(key) == Some(&true));
    let long: BooleanArray = dictionary.normalized_keys().into_iter().map(is_long).collect();
    Ok(nullif(stored, &long)?)
}

impl Reading {
    fn of(&self, stored: &ArrayRef) -> Result<ArrayRef> {
        Ok(match self {
            Self::Text | Self::Stored => {
                let fits = |text: &&str| text.len() <= LONGEST_TEXT;
                if *stored.data_type() == DataType::Utf8 && texts(stored)?.flatten().all(|text| fits(&text)) {
                    return Ok(stored.clone());
                }
                Arc::new(texts(stored)?.map(|text| text.filter(fits)).collect::<StringArray>())
            }
            Self::Comma => {
                let point = |text: &str| (!text.contains('.')).then(|| text.replace(',', "."));
                Arc::new(texts(stored)?.map(|text| point(text?)).collect::<StringArray>())
            }
            Self::Day(pattern) => match stored.data_type() {
                DataType::Null => new_null_array(&DataType::Date32, stored.len()),
                DataType::Date32 => {
                    let days = stored.as_primitive::<Date32Type>().iter();
                    Arc::new(days.map(|days| dates::day(days?.into())).collect::<Date32Array>())
                }
                DataType::Date64 => {
                    let millis = stored.as_primitive::<Date64Type>().iter();
                    Arc::new(millis.map(|millis| dates::day_of_millis(millis?)).collect::<Date32Array>())
                }
                _ => {
                    let read = |text: &str| dates::parse_day(text, pattern.as_deref());
                    Arc::new(texts(stored)?.map(|text| read(text?)).collect::<Date32Array>())
                }
            },
            Self::Moment(pattern) => Arc::new(match stored.data_type() {
                DataType::Timestamp(unit, _) => moments(stored, *unit)?,
                DataType::Date64 => moments(stored, TimeUnit::Millisecond)?,
                DataType::Date32 => {
                    let days = stored.as_primitive::<Date32Type>().iter();
                    days.map(|days| dates::midnight(days?.into())).collect()
                }
                DataType::Null => TimestampMicrosecondArray::new_null(stored.len()),
                _ => {
                    let read = |text: &str| dates::parse_moment(text, pattern.as_deref());
                    texts(stored)?.map(|text| read(text?)).collect::<TimestampMicrosecondArray>()
                }
            }),
        })
    }
}

/// Moments of stored counts, whose zone changes how they are shown and not what they count.
fn moments(stored: &ArrayRef, unit: TimeUnit) -> Result<TimestampMicrosecondArray> {
    let counts = cast(stored, &DataType::Int64)?;
    Ok(counts.as_primitive::<Int64Type>().iter().map(|count| dates::moment(count?, unit)).collect())
}

fn texts(stored: &ArrayRef) -> Result<Box<dyn Iterator<Item = Option<&str>> + '_>> {
    Ok(match stored.data_type() {
        DataType::Utf8 => Box::new(stored.as_string::<i32>().iter()),
        DataType::LargeUtf8 => Box::new(stored.as_string::<i64>().iter()),
        DataType::Utf8View => Box::new(stored.as_string_view().iter()),
        DataType::Null => Box::new(std::iter::repeat_n(None, stored.len())),
        other => return plan_err!("reading a text from {other}"),
    })
}
