//! Columns: their types, and the public facts about their values.

use super::Bounds;
use crate::calendar::EPOCH;
use crate::exact::{Rational, Rounding, decimal};
use crate::zone::Zone;
use std::collections::BTreeMap;

/// A column and the public facts about it. Nothing here is read from the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name, exactly as in the data; not empty.
    pub name: String,
    /// The declared type.
    pub kind: ColumnType,
    /// Where values are clamped; only on numbers, dates and timestamps. Whole numbers when `kind` is
    /// [`ColumnType::Integer`]; whole days since 1970-01-01 when it is [`ColumnType::Date`], whole microseconds since
    /// then when it is [`ColumnType::Timestamp`], each in steps of 1.
    pub bounds: Option<Bounds>,
    /// The groups that exist, each once, [`Key::Null`] and [`Key::Other`] last; never on decimals, dates and timestamps, never
    /// empty.
    pub keys: Option<Vec<Key>>,
    /// Where the keys are listed, if that is a public table; they are unknown until it is read.
    pub keys_from: Option<KeysFrom>,
    /// What is shown in place of keys that have a label. For display alone: no part of what a query is.
    pub labels: BTreeMap<Key, String>,
    /// The coarser columns that follow from the keys, such as the county of a municipality. Queries name them like columns.
    pub parents: Vec<Parents>,
    /// What all values are multiples of, where they are known to be though they have no bounds: numbers of rows, sums.
    pub step: Option<Rational>,
    /// What no value is below, where that is known though they have no bounds.
    pub least: Option<i64>,
    /// The strptime pattern of dates or timestamps in CSV; `None` for the ISO form.
    pub format: Option<String>,
    /// For dates and timestamps whose pattern has two-digit years: the last year of the hundred that these years
    /// denote.
    pub pivot: Option<i16>,
    /// For timestamps that are stored as moments: the zone whose local time counts. `None` for timestamps that are
    /// stored as local times.
    pub zone: Option<Zone>,
}

impl Column {
    /// A column of which nothing more is known.
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

    /// The same with the groups that exist.
    #[must_use]
    pub fn with_keys(self, keys: Vec<Key>) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// Whether values that are none of the keys are a group of their own.
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

/// A coarser column that follows from a column's keys: each key lies within exactly one of its texts. Values that are no listed key
/// have none, which is NULL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parents {
    /// The name of the coarser column; no other column of the table has it.
    pub name: String,
    /// What each listed key lies within. Where that is a public table, it is empty until that is read.
    pub of: BTreeMap<Key, String>,
}

/// Keys that stand in a public table, each in a row of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysFrom {
    /// The public table.
    pub table: String,
    /// Its column that has the keys, of the same type.
    pub column: String,
    /// Its text column that has their labels.
    pub label: Option<String>,
    /// Which of [`Key::Null`] and [`Key::Other`] are groups behind them, in this order.
    pub further: Vec<Key>,
    /// For each of the column's [`Parents`], in their order, the text column that tells in which of them a key lies.
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

    /// A value of bounds as it is written: days and times as ISO has them, to the microsecond.
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

/// What stands in place of a key where a row is about all of them: no label may say the same.
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
    /// A decimal that an expression has, such as a band's lower end; never declared.
    Decimal(Rational),
    /// A day, counted from 1970-01-01; never declared.
    Date(i32),
    /// A time, in microseconds from 1970-01-01; never declared.
    Timestamp(i64),
    /// Rows with a value that is none of the declared keys.
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
