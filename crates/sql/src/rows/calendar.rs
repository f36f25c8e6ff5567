//! Functions of dates and timestamps that never fail: NULL for years that the calendar does not have.
//!
//! Times carry no zone; they are whole microseconds since 1970-01-01, dates whole days.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use datafusion::arrow::array::{ArrayRef, Int64Array, TimestampMicrosecondArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::cast::as_timestamp_microsecond_array;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// The one type of timestamps.
pub(crate) const TIMESTAMP: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

/// What is done with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// Back to the beginning of its year, month, ...
    Truncate(Unit),
    /// A part of it, as a whole number.
    Part(Part),
    /// The days from one to another.
    DaysBetween,
}

/// What a timestamp can be cut to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

/// What can be taken out of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Year,
    Quarter,
    Month,
    /// The week of the ISO year.
    Week,
    Day,
    DayOfYear,
    /// Sunday is 0.
    DayOfWeek,
    Hour,
    Minute,
    Second,
}

impl Unit {
    /// By its name in SQL.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "year" => Self::Year,
            "quarter" => Self::Quarter,
            "month" => Self::Month,
            "week" => Self::Week,
            "day" => Self::Day,
            "hour" => Self::Hour,
            "minute" => Self::Minute,
            "second" => Self::Second,
            _ => return None,
        })
    }

    /// The beginning of the unit that a time lies in.
    pub(crate) fn truncate(self, time: NaiveDateTime) -> Option<NaiveDateTime> {
        let date = time.date();
        let on = |date: Option<NaiveDate>| date.map(|date| date.and_time(NaiveTime::MIN));
        match self {
            Self::Year => on(date.with_ordinal(1)),
            Self::Quarter => on(date.with_day(1).and_then(|first| first.with_month(date.month0() / 3 * 3 + 1))),
            Self::Month => on(date.with_day(1)),
            Self::Week => on(date.checked_sub_days(Days::new(date.weekday().num_days_from_monday().into()))),
            Self::Day => on(Some(date)),
            Self::Hour => date.and_hms_opt(time.hour(), 0, 0),
            Self::Minute => date.and_hms_opt(time.hour(), time.minute(), 0),
            Self::Second => date.and_hms_opt(time.hour(), time.minute(), time.second()),
        }
    }

    /// The beginning of the next unit.
    pub(crate) fn next(self, begin: NaiveDateTime) -> Option<NaiveDateTime> {
        let seconds = |seconds| begin.checked_add_signed(chrono::TimeDelta::seconds(seconds));
        match self {
            Self::Year => begin.checked_add_months(Months::new(12)),
            Self::Quarter => begin.checked_add_months(Months::new(3)),
            Self::Month => begin.checked_add_months(Months::new(1)),
            Self::Week => begin.checked_add_days(Days::new(7)),
            Self::Day => begin.checked_add_days(Days::new(1)),
            Self::Hour => seconds(3600),
            Self::Minute => seconds(60),
            Self::Second => seconds(1),
        }
    }
}

impl Part {
    /// By its name in SQL.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "year" => Self::Year,
            "quarter" => Self::Quarter,
            "month" => Self::Month,
            "week" => Self::Week,
            "day" => Self::Day,
            "doy" => Self::DayOfYear,
            "dow" => Self::DayOfWeek,
            "hour" => Self::Hour,
            "minute" => Self::Minute,
            "second" => Self::Second,
            _ => return None,
        })
    }

    /// Every value that it can have, whatever the date; years depend on the dates.
    pub(crate) fn range(self) -> Option<(i64, i64)> {
        Some(match self {
            Self::Year => return None,
            Self::Quarter => (1, 4),
            Self::Month => (1, 12),
            Self::Week => (1, 53),
            Self::Day => (1, 31),
            Self::DayOfYear => (1, 366),
            Self::DayOfWeek => (0, 6),
            Self::Hour => (0, 23),
            Self::Minute | Self::Second => (0, 59),
        })
    }

    fn of(self, time: NaiveDateTime) -> i64 {
        match self {
            Self::Year => time.year().into(),
            Self::Quarter => (time.month0() / 3 + 1).into(),
            Self::Month => time.month().into(),
            Self::Week => time.iso_week().week().into(),
            Self::Day => time.day().into(),
            Self::DayOfYear => time.ordinal().into(),
            Self::DayOfWeek => time.weekday().num_days_from_sunday().into(),
            Self::Hour => time.hour().into(),
            Self::Minute => time.minute().into(),
            Self::Second => time.second().into(),
        }
    }
}

/// The call of an operation on timestamps.
pub(crate) fn call(operation: Operation, args: Vec<Expr>) -> Expr {
    let signature = Signature::any(args.len(), Volatility::Immutable);
    let func = Arc::new(ScalarUDF::from(Calendar { name: format!("total_{operation:?}"), operation, signature }));
    Expr::ScalarFunction(ScalarFunction { func, args })
}

/// `DATE_DIFF('day', a, b)`, as questions write it; [`call`] takes its place.
pub(crate) fn date_diff() -> Arc<ScalarUDF> {
    let types = vec![DataType::Utf8, DataType::Date32, DataType::Date32];
    let signature = Signature::exact(types, Volatility::Immutable);
    Arc::new(ScalarUDF::from(Calendar { name: "date_diff".to_owned(), operation: Operation::DaysBetween, signature }))
}

/// The operation that a call of [`call`] stands for.
pub(crate) fn operation_of(func: &ScalarUDF) -> Option<Operation> {
    let implementation: &dyn std::any::Any = func.inner().as_ref();
    implementation.downcast_ref::<Calendar>().map(|calendar| calendar.operation)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Calendar {
    name: String,
    operation: Operation,
    signature: Signature,
}

impl ScalarUDFImpl for Calendar {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.operation {
            Operation::Truncate(_) => TIMESTAMP,
            Operation::Part(_) | Operation::DaysBetween => DataType::Int64,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let times = arrays.iter().map(|array| cast(array, &TIMESTAMP)).collect::<Result<Vec<ArrayRef>, _>>()?;
        let times = times.iter().map(|times| as_timestamp_microsecond_array(times)).collect::<Result<Vec<_>>>()?;
        let result: ArrayRef = match (self.operation, times.as_slice()) {
            (Operation::Truncate(unit), [times]) => {
                let begin = |time| Some(unit.truncate(civil(time)?)?.and_utc().timestamp_micros());
                Arc::new(times.iter().map(|time| begin(time?)).collect::<TimestampMicrosecondArray>())
            }
            (Operation::Part(part), [times]) => {
                Arc::new(times.iter().map(|time| Some(part.of(civil(time?)?))).collect::<Int64Array>())
            }
            (Operation::DaysBetween, [from, to]) => {
                let days = |from, to| Some((civil(to)?.date() - civil(from)?.date()).num_days());
                Arc::new(from.iter().zip(to.iter()).map(|(from, to)| days(from?, to?)).collect::<Int64Array>())
            }
            _ => return plan_err!("a calendar function of {} values", times.len()),
        };
        if all_constant && result.len() == 1 {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

/// Date and time of day; `None` beyond the calendar.
pub(crate) fn civil(micros: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp_micros(micros).map(|time| time.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn units_begin_where_they_should() {
        let time = at("2024-02-29T13:14:15.5");
        for (unit, begin) in [
            (Unit::Year, "2024-01-01T00:00:00"),
            (Unit::Quarter, "2024-01-01T00:00:00"),
            (Unit::Month, "2024-02-01T00:00:00"),
            (Unit::Week, "2024-02-26T00:00:00"),
            (Unit::Day, "2024-02-29T00:00:00"),
            (Unit::Hour, "2024-02-29T13:00:00"),
            (Unit::Minute, "2024-02-29T13:14:00"),
            (Unit::Second, "2024-02-29T13:14:15"),
        ] {
            assert_eq!(unit.truncate(time), Some(at(begin)), "{unit:?}");
            let next = unit.next(at(begin)).unwrap();
            assert!(next > time && unit.truncate(next) == Some(next), "{unit:?}");
        }
        assert_eq!(Unit::Quarter.truncate(at("2024-12-31T23:59:59")), Some(at("2024-10-01T00:00:00")));
    }

    #[test]
    fn parts_lie_in_their_ranges() {
        let parts = [Part::Quarter, Part::Month, Part::Week, Part::Day, Part::DayOfYear, Part::DayOfWeek, Part::Hour];
        for day in 0..800 {
            let time = at("2023-12-31T23:30:00") + chrono::TimeDelta::days(day);
            for part in parts {
                let (low, high) = part.range().unwrap();
                assert!((low..=high).contains(&part.of(time)), "{part:?} of {time}");
            }
        }
        assert_eq!(Part::DayOfWeek.of(at("2024-06-02T00:00:00")), 0, "a Sunday");
        assert_eq!(Part::Week.of(at("2024-12-30T00:00:00")), 1, "of the next ISO year");
        assert_eq!(civil(i64::MIN), None);
        assert_eq!(civil(i64::MAX), None);
    }
}
