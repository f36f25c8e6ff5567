//! The six types of values, each with NULL.

use deniable_core::schema::ColumnType;
use std::sync::Arc;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Boolean values.
    Boolean,
    /// Integers of 64 bits.
    Integer,
    /// Finite binary floating-point numbers of 64 bits; zero has no sign.
    Decimal,
    /// Texts of at most [`crate::LONGEST_TEXT`] bytes of UTF-8.
    Text,
    /// Dates of the years 1 to 9999.
    Date,
    /// Microseconds of the years 1 to 9999, without a time zone.
    Timestamp,
}

/// The type of a declared column's values.
impl From<ColumnType> for Type {
    fn from(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Integer => Self::Integer,
            ColumnType::Decimal => Self::Decimal,
            ColumnType::Text => Self::Text,
            ColumnType::Boolean => Self::Boolean,
            ColumnType::Date => Self::Date,
            ColumnType::Timestamp => Self::Timestamp,
        }
    }
}

impl Type {
    /// All types.
    pub const ALL: [Self; 6] = [Self::Boolean, Self::Integer, Self::Decimal, Self::Text, Self::Date, Self::Timestamp];

    /// The name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::Integer => "BIGINT",
            Self::Decimal => "DOUBLE",
            Self::Text => "VARCHAR",
            Self::Date => "DATE",
            Self::Timestamp => "TIMESTAMP",
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A finite number whose zero has no sign, so that equal numbers have equal bits.
#[derive(Debug, Clone, Copy)]
pub struct Decimal(f64);

impl Decimal {
    /// `None` for infinities and NaN.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        // Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
        number.is_finite().then_some(Self(number + 0.0))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Decimal {}

impl std::hash::Hash for Decimal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A date of the years 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

impl Day {
    /// 0001-01-01.
    pub const FIRST: Self = Self(-719_162);
    /// 9999-12-31.
    pub const LAST: Self = Self(2_932_896);

    /// The date this many days after 1970-01-01, if within the years.
    #[must_use]
    pub fn new(days: i64) -> Option<Self> {
        let days = i32::try_from(days).ok()?;
        (Self::FIRST.0..=Self::LAST.0).contains(&days).then_some(Self(days))
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub fn get(self) -> i32 {
        self.0
    }

    /// The first moment of the day.
    #[must_use]
    pub fn midnight(self) -> Moment {
        // At most 3·10^6 days of 8.64·10^10 microseconds: far below 2^63.
        Moment(i64::from(self.0).saturating_mul(Moment::DAY))
    }

    /// The last moment of the day.
    #[must_use]
    pub fn last_moment(self) -> Moment {
        Moment(self.midnight().0.saturating_add(Moment::DAY).saturating_sub(1))
    }
}

/// A timestamp of the years 1 to 9999, in whole microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

impl Moment {
    /// Microseconds of a day.
    pub const DAY: i64 = 86_400_000_000;

    /// The timestamp this many microseconds after 1970-01-01, if within the years.
    #[must_use]
    pub fn new(micros: i64) -> Option<Self> {
        Day::new(micros.div_euclid(Self::DAY)).map(|_| Self(micros))
    }

    /// Microseconds since 1970-01-01.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }

    /// The day that contains the timestamp.
    #[must_use]
    pub fn day(self) -> Day {
        // Within the years by construction; the default is never used.
        Day::new(self.0.div_euclid(Self::DAY)).unwrap_or(Day::FIRST)
    }
}

/// A value that is not NULL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A Boolean value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A decimal.
    Decimal(Decimal),
    /// A text of at most [`crate::LONGEST_TEXT`] bytes.
    Text(Arc<str>),
    /// A date.
    Date(Day),
    /// A timestamp.
    Timestamp(Moment),
}

impl Value {
    /// The type of the value.
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

    /// A text, unless it is too long.
    #[must_use]
    pub fn text(text: &str) -> Option<Self> {
        (text.len() <= crate::LONGEST_TEXT).then(|| Self::Text(text.into()))
    }
}
