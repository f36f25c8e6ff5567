//! Decoding of a value's bytes from the server into columns.
//!
//! Decoding is total: no value stops a copy. A value that is not NULL but not a number or day either, such as an
//! infinity, becomes NaN or a day beyond the calendar: readers of the column treat it as NULL, and the curator's scan
//! can still distinguish it from NULL.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use crate::numeric;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int16Builder, Int32Builder,
    Int64Builder, StringViewBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, StringViewArray};
use arrow_schema::{DataType, TimeUnit};
use std::sync::Arc;

/// Days and microseconds from 1970-01-01, the epoch of columns, to 2000-01-01, the epoch of the server.
const DAYS: i32 = 10_957;
const MICROSECONDS: i64 = 946_684_800_000_000;

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    /// Declared without decimals, and with so few digits that all values fit 64 bits.
    WholeNumeric,
    /// Also `varchar` and enumerated types.
    Text,
    /// `char(n)`, without its padding of spaces, which SQL ignores, too.
    Padded,
    Uuid,
    Date,
    Timestamp,
    /// `timestamptz`: a count of microseconds from midnight UTC, independent of the session's zone.
    Moment,
}

impl Kind {
    /// The kind of a built-in type, or of the base type of a domain. `modifier` is the type modifier of the column.
    pub(crate) fn of(oid: u32, modifier: i32) -> Option<Self> {
        Some(match oid {
            16 => Self::Boolean,
            20 => Self::Int8,
            21 => Self::Int2,
            23 => Self::Int4,
            25 | 1043 => Self::Text,
            700 => Self::Float4,
            701 => Self::Float8,
            1042 => Self::Padded,
            1082 => Self::Date,
            1114 => Self::Timestamp,
            1184 => Self::Moment,
            1700 if is_whole(modifier) => Self::WholeNumeric,
            1700 => Self::Numeric,
            2950 => Self::Uuid,
            _ => return None,
        })
    }

    /// The type of the values in memory.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int2 => DataType::Int16,
            Self::Int4 => DataType::Int32,
            Self::Int8 | Self::WholeNumeric => DataType::Int64,
            Self::Float4 => DataType::Float32,
            Self::Float8 | Self::Numeric => DataType::Float64,
            Self::Text | Self::Padded | Self::Uuid => DataType::Utf8View,
            Self::Date => DataType::Date32,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Moment => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        }
    }

    pub(crate) fn values(self, rows: usize) -> Values {
        match self {
            Self::Boolean => Values::Boolean(BooleanBuilder::with_capacity(rows)),
            Self::Int2 => Values::Int2(Int16Builder::with_capacity(rows)),
            Self::Int4 => Values::Int4(Int32Builder::with_capacity(rows)),
            Self::Int8 => Values::Int8(Int64Builder::with_capacity(rows)),
            Self::WholeNumeric => Values::Whole(Int64Builder::with_capacity(rows)),
            Self::Float4 => Values::Float4(Float32Builder::with_capacity(rows)),
            Self::Float8 => Values::Float8(Float64Builder::with_capacity(rows)),
            Self::Numeric => Values::Numeric(Float64Builder::with_capacity(rows)),
            Self::Text => Values::Text(StringViewBuilder::with_capacity(rows)),
            Self::Padded => Values::Padded(StringViewBuilder::with_capacity(rows)),
            Self::Uuid => Values::Uuid(StringViewBuilder::with_capacity(rows)),
            Self::Date => Values::Date(Date32Builder::with_capacity(rows)),
            Self::Timestamp | Self::Moment => {
                let builder = TimestampMicrosecondBuilder::with_capacity(rows);
                Values::Timestamp(builder.with_data_type(self.data_type()))
            }
        }
    }
}

/// Whether `numeric(p, s)` contains only whole numbers of at most 18 digits, which fit 64 bits.
fn is_whole(modifier: i32) -> bool {
    let Some(packed) = modifier.checked_sub(4).filter(|packed| *packed >= 0) else { return false };
    let (precision, scale) = ((packed >> 16) & 0xffff, packed & 0x7ff);
    scale == 0 && precision <= 18
}

/// A builder for the values of a column.
pub(crate) enum Values {
    Boolean(BooleanBuilder),
    Int2(Int16Builder),
    Int4(Int32Builder),
    Int8(Int64Builder),
    Whole(Int64Builder),
    Float4(Float32Builder),
    Float8(Float64Builder),
    Numeric(Float64Builder),
    Text(StringViewBuilder),
    Padded(StringViewBuilder),
    Uuid(StringViewBuilder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder),
}

impl Values {
    /// Appends a value; `None` is NULL.
    pub(crate) fn add(&mut self, bytes: Option<&[u8]>) {
        match self {
            Self::Boolean(values) => values.append_option(bytes.and_then(boolean)),
            Self::Int2(values) => values.append_option(fixed(bytes).map(i16::from_be_bytes)),
            Self::Int4(values) => values.append_option(fixed(bytes).map(i32::from_be_bytes)),
            Self::Int8(values) => values.append_option(fixed(bytes).map(i64::from_be_bytes)),
            Self::Whole(values) => values.append_option(bytes.and_then(numeric::whole)),
            Self::Float4(values) => values.append_option(fixed(bytes).map(f32::from_be_bytes)),
            Self::Float8(values) => values.append_option(fixed(bytes).map(f64::from_be_bytes)),
            Self::Numeric(values) => {
                values.append_option(bytes.map(|bytes| numeric::nearest(bytes).unwrap_or(f64::NAN)))
            }
            Self::Text(values) => values.append_option(bytes.and_then(text)),
            Self::Padded(values) => values.append_option(bytes.and_then(text).map(|text| text.trim_end_matches(' '))),
            Self::Uuid(values) => match fixed(bytes) {
                Some(bytes) => values.append_value(uuid(&bytes)),
                None => values.append_null(),
            },
            Self::Date(values) => values.append_option(fixed(bytes).map(i32::from_be_bytes).map(day)),
            Self::Timestamp(values) => values.append_option(fixed(bytes).map(i64::from_be_bytes).map(moment)),
        }
    }

    /// Returns the values so far, and clears the builder.
    pub(crate) fn take(&mut self) -> ArrayRef {
        match self {
            Self::Boolean(values) => ArrayBuilder::finish(values),
            Self::Int2(values) => ArrayBuilder::finish(values),
            Self::Int4(values) => ArrayBuilder::finish(values),
            Self::Int8(values) | Self::Whole(values) => ArrayBuilder::finish(values),
            Self::Float4(values) => ArrayBuilder::finish(values),
            Self::Float8(values) | Self::Numeric(values) => ArrayBuilder::finish(values),
            Self::Text(values) | Self::Padded(values) | Self::Uuid(values) => {
                let values: StringViewArray = values.finish();
                Arc::new(values)
            }
            Self::Date(values) => ArrayBuilder::finish(values),
            Self::Timestamp(values) => ArrayBuilder::finish(values),
        }
    }
}

/// The bytes, if they have exactly this length.
fn fixed<const N: usize>(bytes: Option<&[u8]>) -> Option<[u8; N]> {
    bytes?.try_into().ok()
}

fn boolean(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The text format of the server: `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`.
fn uuid(bytes: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(half.into(), 16));
        }
    }
    text
}

/// The smallest and largest numbers represent the infinities.
fn day(count: i32) -> i32 {
    if count == i32::MIN { count } else { count.saturating_add(DAYS) }
}

fn moment(count: i64) -> i64 {
    if count == i64::MIN { count } else { count.saturating_add(MICROSECONDS) }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Date32Type, TimestampMicrosecondType};
    use proptest::prelude::*;

    const ALL: [Kind; 13] = [
        Kind::Boolean,
        Kind::Int2,
        Kind::Int4,
        Kind::Int8,
        Kind::Float4,
        Kind::Float8,
        Kind::Numeric,
        Kind::WholeNumeric,
        Kind::Text,
        Kind::Padded,
        Kind::Uuid,
        Kind::Date,
        Kind::Timestamp,
    ];

    fn read(kind: Kind, values: &[Option<&[u8]>]) -> ArrayRef {
        let mut all = kind.values(values.len());
        values.iter().for_each(|value| all.add(*value));
        all.take()
    }

    #[test]
    fn infinities_are_beyond_the_calendar() {
        let days = [0_i32, -1, i32::MAX, i32::MIN, i32::MAX - 1].map(i32::to_be_bytes);
        let days = read(Kind::Date, &days.each_ref().map(|day| Some(day.as_slice())));
        let days: Vec<_> = days.as_primitive::<Date32Type>().iter().collect();
        assert_eq!(days, [Some(10_957), Some(10_956), Some(i32::MAX), Some(i32::MIN), Some(i32::MAX)]);
        let moments = [0_i64, i64::MAX, i64::MIN].map(i64::to_be_bytes);
        let moments = read(Kind::Timestamp, &moments.each_ref().map(|moment| Some(moment.as_slice())));
        let moments: Vec<_> = moments.as_primitive::<TimestampMicrosecondType>().iter().collect();
        assert_eq!(moments, [Some(946_684_800_000_000), Some(i64::MAX), Some(i64::MIN)]);
    }

    #[test]
    fn texts_are_unchanged_except_for_padding_of_char() {
        let values: [Option<&[u8]>; 5] = [Some(b"a "), Some(b""), Some("ä\u{308} ".as_bytes()), Some(b"\xff"), None];
        let shown = |kind| -> Vec<Option<String>> {
            read(kind, &values).as_string_view().iter().map(|text| text.map(str::to_owned)).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(shown(Kind::Text), [some("a "), some(""), some("ä\u{308} "), None, None]);
        assert_eq!(shown(Kind::Padded), [some("a"), some(""), some("ä\u{308}"), None, None]);
        let id: Vec<u8> = (0..16).collect();
        let ids = read(Kind::Uuid, &[Some(&id), Some(&id[1..])]);
        assert_eq!(
            ids.as_string_view().iter().collect::<Vec<_>>(),
            [Some("00010203-0405-0607-0809-0a0b0c0d0e0f"), None]
        );
    }

    #[test]
    fn whole_numerics_by_their_declaration() {
        let modifier = |precision: i32, scale: i32| ((precision << 16) | (scale & 0x7ff)) + 4;
        for (modifier, kind) in [
            (modifier(18, 0), Kind::WholeNumeric),
            (modifier(19, 0), Kind::Numeric),
            (modifier(10, 2), Kind::Numeric),
            (modifier(10, -2), Kind::Numeric),
            (-1, Kind::Numeric),
        ] {
            assert_eq!(Kind::of(1700, modifier), Some(kind));
        }
    }

    proptest! {
        /// Any bytes give a value or NULL, in an array of the declared type.
        #[test]
        fn any_bytes_are_a_value_or_null(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            for kind in ALL {
                let array = read(kind, &[Some(&bytes), None]);
                prop_assert_eq!(array.data_type(), &kind.data_type());
                prop_assert_eq!(array.len(), 2);
                prop_assert!(array.is_null(1));
            }
        }
    }
}
