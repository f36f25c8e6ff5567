//! Columns: their types, and the public facts about their values.

use super::Bounds;
use crate::calendar::EPOCH;
use crate::exact::{Rational, Rounding, decimal};
use crate::zone::Zone;
use std::collections::BTreeMap;

/// A column and the public facts about it. None of them is read from the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name, exactly as in the data; not empty.
    pub name: String,
    /// The declared type.
    pub kind: ColumnType,
    /// Clamping bounds; only for numbers, dates and timestamps. Whole numbers when `kind` is [`ColumnType::Integer`];
    /// whole days since 1970-01-01 when it is [`ColumnType::Date`], whole microseconds since then when it is
    /// [`ColumnType::Timestamp`], each in steps of 1.
    pub bounds: Option<Bounds>,
    /// The declared groups, each once, [`Key::Null`] and [`Key::Other`] last; never for decimals, dates and timestamps,
    /// never empty.
    pub keys: Option<Vec<Key>>,
    /// The public table that lists the keys, if any; the keys are unknown until it is read.
    pub keys_from: Option<KeysFrom>,
    /// Display labels of keys. They are not part of a query's identity.
    pub labels: BTreeMap<Key, String>,
    /// The coarser columns that follow from the keys, such as the county of a municipality. Queries name them like columns.
    pub parents: Vec<Parents>,
    /// The number of which all values are multiples, if known without bounds: counts of rows, sums.
    pub step: Option<Rational>,
    /// The smallest possible value, if known without bounds.
    pub least: Option<i64>,
    /// The strptime pattern of dates or timestamps in CSV; `None` for the ISO form.
    pub format: Option<String>,
    /// For dates and timestamps whose pattern has two-digit years: the last year of the hundred that these years
    /// denote.
    pub pivot: Option<i16>,
    /// For timestamps that are stored as moments: the zone of the local time. `None` for timestamps that are stored as
    /// local times.
    pub zone: Option<Zone>,
}

impl Column {
    /// A column without further facts.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ColumnType) -> Self {
        Self {
            name: name.into(),
            kind,
            bounds: None,
            keys: None,
            keys_from: None,
            labels: BTreeMap::new(),
            parents: Vec::new(),
            step: None,
            least: None,
            format: None,
            pivot: None,
            zone: None,
        }
    }

    /// The same with bounds.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds: Some(bounds), ..self }
    }

    /// The same with declared groups.
    #[must_use]
    pub fn with_keys(self, keys: Vec<Key>) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// Whether undeclared values form a group.
    #[must_use]
    pub fn takes_others(&self) -> bool {
        self.keys.as_ref().is_some_and(|keys| keys.contains(&Key::Other))
    }
}

/// Whether a strptime pattern has years of two digits: `%y`, also with a flag or width, or `%D`.
#[must_use]
pub fn has_short_year(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while letters.any(|letter| letter == '%') {
        let mut rest = letters.by_ref().skip_while(|letter| matches!(letter, '-' | '_' | '^' | '#' | '0'..='9'));
        if matches!(rest.next(), Some('y' | 'D')) {
            return true;
        }
    }
    false
}

/// A coarser column that is determined by a column's keys: each key is within exactly one of its texts. Other values
/// are within none, which is NULL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The name of the coarser column; no other column of the table has it.
    pub name: String,
    /// The text that each listed key is within; empty until the public table with the keys is read.
    pub of: BTreeMap<Key, String>,
}

/// Keys that a public table lists, each in its own row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysFrom {
    /// The public table.
    pub table: String,
    /// Its column with the keys, of the same type.
    pub column: String,
    /// Its text column with the labels.
    pub label: Option<String>,
    /// The groups after the listed keys: [`Key::Null`], [`Key::Other`], or both in this order.
    pub further: Vec<Key>,
    /// For each of the column's [`Parents`], in their order, the text column with the parent of each key.
    pub parents: Vec<String>,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers of 64 bits.
    Integer,
    /// Numbers with a fraction.
    Decimal,
    /// Text.
    Text,
    /// True or false.
    Boolean,
    /// A day of the calendar.
    Date,
    /// A day and a time of it, without a time zone.
    Timestamp,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [Self; 6] = [Self::Integer, Self::Decimal, Self::Text, Self::Boolean, Self::Date, Self::Timestamp];

    /// The name used in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
        }
    }

    /// Whether values are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        match self {
            Self::Integer | Self::Decimal => true,
            Self::Text | Self::Boolean | Self::Date | Self::Timestamp => false,
        }
    }

    /// A value of bounds in text: days and times in ISO form, to the microsecond.
    #[must_use]
    pub fn written(self, value: &Rational) -> String {
        let count = value.to_integer();
        match self {
            Self::Date => i32::try_from(&count).map_or_else(|_| count.to_string(), |days| Key::Date(days).to_string()),
            Self::Timestamp => {
                i64::try_from(&count).map_or_else(|_| count.to_string(), |micros| Key::Timestamp(micros).to_string())
            }
            Self::Integer | Self::Decimal | Self::Text | Self::Boolean => value.to_string(),
        }
    }

    /// Whether values are points in time.
    #[must_use]
    pub fn is_time(self) -> bool {
        match self {
            Self::Date | Self::Timestamp => true,
            Self::Integer | Self::Decimal | Self::Text | Self::Boolean => false,
        }
    }
}

/// Placeholder for a key in rows about all keys; no label may equal it.
pub const ALL: &str = "(all)";

/// A declared group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Rows without a value.
    Null,
    /// Of a text column.
    Text(String),
    /// Of an integer column.
    Integer(i64),
    /// Of a boolean column.
    Boolean(bool),
    /// A decimal value of an expression, such as the lower bound of a band; never declared.
    Decimal(Rational),
    /// A day, counted from 1970-01-01; never declared.
    Date(i32),
    /// A time, in microseconds from 1970-01-01; never declared.
    Timestamp(i64),
    /// Rows with an undeclared value.
    Other,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Other => f.write_str("(other)"),
            Self::Text(text) => f.write_str(text),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Decimal(value) => f.write_str(&decimal(value, 15, Rounding::Nearest)),
            Self::Date(days) => match jiff::Span::new().try_days(*days).and_then(|span| EPOCH.checked_add(span)) {
                Ok(date) => write!(f, "{date}"),
                Err(_) => write!(f, "day {days}"),
            },
            Self::Timestamp(micros) => {
                let midnight = EPOCH.at(0, 0, 0, 0);
                match jiff::Span::new().try_microseconds(*micros).and_then(|span| midnight.checked_add(span)) {
                    Ok(time) => write!(f, "{time}"),
                    Err(_) => write!(f, "microsecond {micros}"),
                }
            }
        }
    }
}
