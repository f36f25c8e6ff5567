//! Examples of every operation, from which the tests of canonical bytes, the random expressions and the fuzzer draw.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::format::TimePattern;
use crate::like::Pattern;
use crate::lookup::{Entries, Lookup};
use crate::operation::{Comparison, Operation, Part, Unit};
use crate::period::Period;
use crate::value::Type;

/// Defines `Operation::examples` from a table whose patterns form a match without a wildcard, so that an operation
/// without examples does not compile.
macro_rules! examples {
    ($($operation:pat => $examples:expr,)*) => {
        impl Operation {
            /// Examples of each operation, with parameters of every kind.
            #[must_use]
            pub fn examples() -> Vec<Vec<Self>> {
                let _ = |operation: &Self| match operation { $($operation => (),)* };
                vec![$({
                    let examples = Vec::from($examples);
                    assert!(!examples.is_empty() && examples.iter().all(|example| matches!(example, $operation)));
                    examples
                },)*]
            }
        }
    };
}

examples! {
    Operation::Compare(_) => Comparison::ALL.map(Operation::Compare),
    Operation::And => [Operation::And],
    Operation::Or => [Operation::Or],
    Operation::Not => [Operation::Not],
    Operation::IsNull => [Operation::IsNull],
    Operation::IsTrue => [Operation::IsTrue],
    Operation::In => [Operation::In],
    Operation::Case => [Operation::Case],
    Operation::Coalesce => [Operation::Coalesce],
    Operation::NullIf => [Operation::NullIf],
    Operation::Greatest => [Operation::Greatest],
    Operation::Least => [Operation::Least],
    Operation::Add => [Operation::Add],
    Operation::Subtract => [Operation::Subtract],
    Operation::Multiply => [Operation::Multiply],
    Operation::Divide => [Operation::Divide],
    Operation::Remainder => [Operation::Remainder],
    Operation::Negate => [Operation::Negate],
    Operation::Absolute => [Operation::Absolute],
    Operation::Ln => [Operation::Ln],
    Operation::Exp => [Operation::Exp],
    Operation::Sqrt => [Operation::Sqrt],
    Operation::Power => [Operation::Power],
    Operation::Round(_) => (-15..=15).map(Operation::Round).collect::<Vec<_>>(),
    Operation::Floor => [Operation::Floor],
    Operation::Ceil => [Operation::Ceil],
    Operation::Cast(_) => Type::ALL.map(Operation::Cast),
    Operation::Lower => [Operation::Lower],
    Operation::Upper => [Operation::Upper],
    Operation::Trim(_) => [Operation::Trim("ä".into())],
    Operation::Substring { .. } => [
        Operation::Substring { skipped: 0, length: None },
        Operation::Substring { skipped: 7, length: Some(u32::MAX) },
    ],
    Operation::Like(_) => [
        Operation::Like(Box::new(Pattern::new("", None, false).unwrap())),
        Operation::Like(Box::new(Pattern::new("x%", Some('!'), true).unwrap())),
    ],
    Operation::Lookup(_) => [
        lookup(Entries::Texts([("".into(), "0".into()), ("a".into(), "".into()), ("ß".into(), "1".into())].into())),
        lookup(Entries::Integers([(-1, "01".into()), (0, "".into()), (301, "03".into())].into())),
    ],
    Operation::Truncate(_) => Unit::ALL.map(Operation::Truncate),
    Operation::Part(_) => Part::ALL.map(Operation::Part),
    Operation::Shift(_) => [
        shift(1, 0, 0),
        shift(-13, 45, 0),
        shift(0, -30, 0),
        shift(2, -1, -3_600_000_001),
        shift(i32::MAX, i32::MAX, i64::MAX),
    ],
    Operation::DaysBetween => [Operation::DaysBetween],
    Operation::DayName => [Operation::DayName],
    Operation::MonthName => [Operation::MonthName],
    Operation::Format(_) => [
        format("YYYY-MM-DD"),
        format("FMMonth Day, HH24:MI:SS"),
        format("IYYY-\"W\"IW FMDDD"),
        format("dy DD mon yy"),
        format("MONTH q.ID"),
    ],
}

fn shift(months: i32, days: i32, micros: i64) -> Operation {
    Operation::Shift(Period::new(months, days, micros).unwrap())
}

fn format(pattern: &str) -> Operation {
    Operation::Format(Box::new(TimePattern::new(pattern).unwrap()))
}

fn lookup(entries: Entries) -> Operation {
    Operation::Lookup(Box::new(Lookup { name: "county".into(), entries }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `ALL` of a type contains these variants. A variant that is missing here does not compile.
    macro_rules! assert_all {
        ($kind:ident: $($variant:ident),*) => {
            let _ = |value: $kind| match value { $($kind::$variant => (),)* };
            assert_eq!($kind::ALL, [$($kind::$variant),*]);
        };
    }

    #[test]
    fn every_parameter_of_an_operation_is_listed() {
        assert_all!(Type: Boolean, Integer, Decimal, Text, Date, Timestamp);
        assert_all!(
            Comparison: Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, Distinct, NotDistinct
        );
        assert_all!(Unit: Year, Quarter, Month, Week, Day, Hour, Minute, Second);
        assert_all!(
            Part: Year, Quarter, Month, Week, Day, DayOfYear, DayOfWeek, Hour, Minute, Second, IsoDayOfWeek
        );
    }
}
