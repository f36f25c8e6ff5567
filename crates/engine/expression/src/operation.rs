//! Operations on values, with the types of their arguments and results.

use crate::format::TimePattern;
use crate::like::Pattern;
use crate::lookup::Lookup;
use crate::period::Period;
use crate::value::Type;

/// An operation. All operations are total: NULL where the result does not exist or is invalid for its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Compares two values of one type.
    Compare(Comparison),
    /// AND, in three-valued logic.
    And,
    /// OR, in three-valued logic.
    Or,
    /// NOT; NULL for NULL.
    Not,
    /// Whether the value is NULL. Never NULL.
    IsNull,
    /// Whether the value is true; false for NULL.
    IsTrue,
    /// Whether the first argument equals any of the others, in three-valued logic.
    In,
    /// `when, then, when, then, ..., otherwise`: the value after the first condition that is true.
    Case,
    /// The first value that is not NULL.
    Coalesce,
    /// The first argument, NULL where both are equal.
    NullIf,
    /// The largest value that is not NULL.
    Greatest,
    /// The smallest value that is not NULL.
    Least,
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient; for integers without its fraction.
    Divide,
    /// The remainder of a division, with the sign of the first argument.
    Remainder,
    /// The number with the opposite sign.
    Negate,
    /// The absolute value.
    Absolute,
    /// Rounds to this number of digits after the point, -15 to 15; ties away from zero.
    Round(i8),
    /// The largest integer that is not above.
    Floor,
    /// The smallest integer that is not below.
    Ceil,
    /// The natural logarithm; NULL for zero and below.
    Ln,
    /// e to this power.
    Exp,
    /// The square root; NULL below zero.
    Sqrt,
    /// The first argument to the power of the second; NULL where that is not a finite number.
    Power,
    /// The value converted to another type.
    Cast(Type),
    /// In lower case.
    Lower,
    /// In upper case.
    Upper,
    /// Removes these characters at both ends.
    Trim(Box<str>),
    /// The characters of a text after the first `skipped`, at most `length` of them.
    Substring {
        /// Number of characters before the part.
        skipped: u32,
        /// Most characters of the part; `None` for all that follow.
        length: Option<u32>,
    },
    /// Whether a text matches a pattern.
    Like(Box<Pattern>),
    /// The text that a fixed list has for a text or an integer; NULL if it is not in the list.
    Lookup(Box<Lookup>),
    /// The beginning of the year, month, ...
    Truncate(Unit),
    /// A part of a timestamp, as an integer.
    Part(Part),
    /// A date or timestamp a period later.
    Shift(Period),
    /// The days from one date to another.
    DaysBetween,
    /// The English name of a timestamp's day of the week.
    DayName,
    /// The English name of a timestamp's month.
    MonthName,
    /// Formats a timestamp by a pattern.
    Format(Box<TimePattern>),
}

/// A comparison. Texts are compared by their bytes; false is below true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `IS DISTINCT FROM`: NULL is an ordinary value.
    Distinct,
    /// `IS NOT DISTINCT FROM`.
    NotDistinct,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Self; 8] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Distinct,
        Self::NotDistinct,
    ];

    /// The operator in SQL.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Distinct => "IS DISTINCT FROM",
            Self::NotDistinct => "IS NOT DISTINCT FROM",
        }
    }
}

/// A unit to which a timestamp can be truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// 1 January.
    Year,
    /// The first day of January, April, July or October.
    Quarter,
    /// The first day of the month.
    Month,
    /// Monday.
    Week,
    /// Midnight.
    Day,
    /// The full hour.
    Hour,
    /// The full minute.
    Minute,
    /// The full second.
    Second,
}

impl Unit {
    /// All units, the largest first.
    pub const ALL: [Self; 8] =
        [Self::Year, Self::Quarter, Self::Month, Self::Week, Self::Day, Self::Hour, Self::Minute, Self::Second];

    /// The name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
        }
    }

    /// The unit with this name in SQL, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(name))
    }
}

/// A part of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// 1 to 9999.
    Year,
    /// 1 to 4.
    Quarter,
    /// 1 to 12.
    Month,
    /// The week of the ISO year, 1 to 53.
    Week,
    /// 1 to 31.
    Day,
    /// 1 to 366.
    DayOfYear,
    /// 0 to 6, Sunday is 0.
    DayOfWeek,
    /// 0 to 23.
    Hour,
    /// 0 to 59.
    Minute,
    /// 0 to 59, without a fraction.
    Second,
    /// 1 to 7, Monday is 1.
    IsoDayOfWeek,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 11] = [
        Self::Year,
        Self::Quarter,
        Self::Month,
        Self::Week,
        Self::Day,
        Self::DayOfYear,
        Self::DayOfWeek,
        Self::Hour,
        Self::Minute,
        Self::Second,
        Self::IsoDayOfWeek,
    ];

    /// The name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::DayOfYear => "doy",
            Self::DayOfWeek => "dow",
            Self::IsoDayOfWeek => "isodow",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
        }
    }

    /// The part with this name in SQL, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name().eq_ignore_ascii_case(name))
    }

    /// The least and greatest value of the part, over all timestamps.
    #[must_use]
    pub fn range(self) -> (i64, i64) {
        match self {
            Self::Year => (1, 9999),
            Self::Quarter => (1, 4),
            Self::Month => (1, 12),
            Self::Week => (1, 53),
            Self::Day => (1, 31),
            Self::DayOfYear => (1, 366),
            Self::DayOfWeek => (0, 6),
            Self::IsoDayOfWeek => (1, 7),
            Self::Hour => (0, 23),
            Self::Minute | Self::Second => (0, 59),
        }
    }
}

impl Operation {
    /// The name in SQL.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compare(comparison) => comparison.sign(),
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
            Self::IsNull => "IS NULL",
            Self::IsTrue => "IS TRUE",
            Self::In => "IN",
            Self::Case => "CASE",
            Self::Coalesce => "coalesce",
            Self::NullIf => "nullif",
            Self::Greatest => "greatest",
            Self::Least => "least",
            Self::Add => "+",
            Self::Subtract | Self::Negate => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Absolute => "abs",
            Self::Round(_) => "round",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Ln => "ln",
            Self::Exp => "exp",
            Self::Sqrt => "sqrt",
            Self::Power => "power",
            Self::Cast(_) => "CAST",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Trim(_) => "btrim",
            Self::Substring { .. } => "substr",
            Self::Like(pattern) => {
                if pattern.ignores_case() {
                    "ILIKE"
                } else {
                    "LIKE"
                }
            }
            // The result has the name of a column, which [`crate::words`] displays.
            Self::Lookup(_) => "lookup",
            Self::Truncate(_) => "date_trunc",
            Self::Part(_) => "date_part",
            Self::Shift(_) => "interval",
            Self::DaysBetween => "date_diff",
            Self::DayName => "dayname",
            Self::MonthName => "monthname",
            Self::Format(_) => "to_char",
        }
    }

    /// The type of the result for arguments of these types; `None` if the operation does not accept them.
    #[must_use]
    pub fn result(&self, arguments: &[Type]) -> Option<Type> {
        use Type::{Boolean, Date, Decimal, Integer, Text, Timestamp};
        match (self, arguments) {
            (Self::Compare(_), [left, right]) if left == right => Some(Boolean),
            (Self::And | Self::Or, [Boolean, Boolean]) | (Self::Not | Self::IsTrue, [Boolean]) => Some(Boolean),
            (Self::IsNull, [_]) => Some(Boolean),
            (Self::In, [first, others @ ..]) if !others.is_empty() && all(others, *first) => Some(Boolean),
            (Self::Case, arguments) => case(arguments),
            (Self::Coalesce | Self::Greatest | Self::Least, [first, others @ ..]) if all(others, *first) => {
                Some(*first)
            }
            (Self::NullIf, [left, right]) if left == right => Some(*left),
            (
                Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Remainder,
                [left @ (Integer | Decimal), right],
            ) if left == right => Some(*left),
            (
                Self::Negate | Self::Absolute | Self::Round(-15..=15) | Self::Floor | Self::Ceil,
                [number @ (Integer | Decimal)],
            ) => Some(*number),
            (Self::Ln | Self::Exp | Self::Sqrt, [Decimal]) | (Self::Power, [Decimal, Decimal]) => Some(Decimal),
            (Self::Cast(to), [from]) if castable(*from, *to) => Some(*to),
            (Self::Lower | Self::Upper | Self::Trim(_) | Self::Substring { .. }, [Text]) => Some(Text),
            (Self::Like(_), [Text]) => Some(Boolean),
            (Self::Lookup(lookup), [kind]) if *kind == lookup.entries.kind() => Some(Text),
            (Self::Truncate(_), [Timestamp]) => Some(Timestamp),
            (Self::Part(_), [Timestamp]) => Some(Integer),
            (Self::Shift(period), [Date]) if period.has_whole_days() => Some(Date),
            (Self::Shift(_), [Timestamp]) => Some(Timestamp),
            (Self::DaysBetween, [Date, Date]) => Some(Integer),
            (Self::DayName | Self::MonthName | Self::Format(_), [Timestamp]) => Some(Text),
            _ => None,
        }
    }
}

fn all(types: &[Type], same: Type) -> bool {
    types.iter().all(|found| *found == same)
}

/// The type of the result of `when, then, ..., otherwise`.
fn case(arguments: &[Type]) -> Option<Type> {
    let (otherwise, pairs) = arguments.split_last()?;
    let (pairs, rest) = pairs.as_chunks::<2>();
    let fits = |[when, then]: &[Type; 2]| *when == Type::Boolean && then == otherwise;
    (!pairs.is_empty() && rest.is_empty() && pairs.iter().all(fits)).then_some(*otherwise)
}

/// Whether there is a cast between two types. Programs contain no cast to the same type.
fn castable(from: Type, to: Type) -> bool {
    use Type::{Boolean, Date, Decimal, Integer, Text, Timestamp};
    match (from, to) {
        (Boolean, Integer | Decimal | Text)
        | (Integer, Boolean | Decimal | Text | Date | Timestamp)
        | (Decimal, Boolean | Integer | Text)
        | (Text, Boolean | Integer | Decimal | Date | Timestamp)
        | (Date, Integer | Text | Timestamp)
        | (Timestamp, Integer | Text | Date) => true,
        (Boolean, Boolean | Date | Timestamp)
        | (Integer, Integer)
        | (Decimal, Decimal | Date | Timestamp)
        | (Text, Text)
        | (Date, Boolean | Decimal | Date)
        | (Timestamp, Boolean | Decimal | Timestamp) => false,
    }
}
