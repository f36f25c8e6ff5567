//! Dates and timestamps: bounds in whole days or microseconds, and the patterns of dates in files.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, all, shown};
use crate::tree::Shape;
use deniable_core::calendar::{EPOCH, iso_moment};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::ColumnType;
use deniable_core::schema::{Bounds, BoundsError};
use jiff::civil::{Date, DateTime, Time, date};
use jiff::fmt::strtime;

/// Years of valid dates. Before the year 1 calendars disagree, after 2100 no value is plausible.
const DATES: std::ops::RangeInclusive<i16> = 1..=2100;
/// Microseconds outside these years are more than 2⁵² from 1970, which is the limit of bounds.
const TIMESTAMPS: std::ops::RangeInclusive<i16> = 1828..=2100;

/// One end of bounds: a day, or a moment of it.
#[derive(Debug, Clone, Copy)]
struct End {
    day: Date,
    time: Option<Time>,
}

/// Reads `bounds` of a date or timestamp column.
pub(crate) fn read_bounds(field: &Field<'_>, kind: ColumnType) -> ReadResult<Bounds> {
    const EXPECTED: &str = "a list of two dates";
    let ends = all(field.list(EXPECTED)?.iter().map(|entry| read_end(entry, kind)))?;
    let [low, high] = ends[..] else {
        return Err(field.wrong_type(EXPECTED, "write `bounds = [\"2020-01-01\", \"2024-12-31\"]`"));
    };
    let (lowest, highest) = (count(low, kind, Time::midnight()), count(high, kind, LAST));
    Bounds::new(whole(lowest), whole(highest), whole(1)).map_err(|error| match error {
        BoundsError::Inverted { .. } => {
            let (low, high) = (shown_end(low), shown_end(high));
            let help = if low == high {
                "the bounds must leave room between them".to_owned()
            } else {
                format!("write `bounds = [\"{high}\", \"{low}\"]`")
            };
            field.fail(PolicyErrorKind::DatesInverted { low, high }, help)
        }
        // The accepted years cause no other error.
        other => field.fail(other, "use narrower bounds"),
    })
}

/// A day or timestamp in the unit of bounds.
pub(crate) fn read_moment(field: &Field<'_>, kind: ColumnType) -> ReadResult<Rational> {
    Ok(whole(count(read_end(field, kind)?, kind, Time::midnight())))
}

/// The last microsecond of a day.
const LAST: Time = Time::constant(23, 59, 59, 999_999_000);

/// Days since 1970, or microseconds; a timestamp's bound that is only a day begins, or ends, with that day.
fn count(end: End, kind: ColumnType, otherwise: Time) -> i64 {
    const SECONDS_A_DAY: i64 = 86_400;
    if kind == ColumnType::Timestamp {
        let since = DateTime::from_parts(end.day, end.time.unwrap_or(otherwise))
            .duration_since(DateTime::from_parts(EPOCH, Time::midnight()));
        since.as_secs() * 1_000_000 + i64::from(since.subsec_micros())
    } else {
        end.day.duration_since(EPOCH).as_secs() / SECONDS_A_DAY
    }
}

fn shown_end(end: End) -> String {
    match end.time {
        Some(time) => DateTime::from_parts(end.day, time).to_string(),
        None => end.day.to_string(),
    }
}

fn read_end(entry: &Field<'_>, kind: ColumnType) -> ReadResult<End> {
    entry.decided()?;
    let (Shape::Text(text) | Shape::Date(text)) = &entry.node.shape else {
        return Err(entry.wrong_type("a date", "write a date such as \"2024-12-31\""));
    };
    let Some(end) = parse(text) else {
        let problem = format!("= \"{}\" is not a date of the calendar", shown(text));
        let help = if kind == ColumnType::Timestamp {
            "write \"2024-12-31\" or \"2024-12-31T23:59:59\", without a time zone"
        } else {
            "write year, month and day, as in \"2024-12-31\""
        };
        return Err(entry.bad_text(problem, help));
    };
    let (years, timestamp) = if kind == ColumnType::Timestamp { (TIMESTAMPS, true) } else { (DATES, false) };
    if !years.contains(&end.day.year()) {
        let problem = format!("= \"{}\" is outside the years {:04} to {}", shown(text), years.start(), years.end());
        let help = if timestamp { "for earlier days declare the column as `type = \"date\"`" } else { "" };
        return Err(entry.bad_text(problem, help));
    }
    if !timestamp && end.time.is_some() {
        let help = format!("write \"{}\", or declare the column as `type = \"timestamp\"`", end.day);
        return Err(entry.bad_text(format!("= \"{}\" has a time of day", shown(text)), help));
    }
    Ok(end)
}

/// A day, or a timestamp with at most microseconds.
fn parse(text: &str) -> Option<End> {
    let (day, time) = iso_moment(text)?;
    let end = End { day, time };
    (end.time.is_none_or(|time| time.subsec_nanosecond() % 1_000 == 0)).then_some(end)
}

/// Reads `format`: a pattern that distinguishes all dates, tested by writing some and reading them back.
pub(crate) fn read_format(field: &Field<'_>, kind: ColumnType) -> ReadResult<String> {
    let pattern = field.text()?;
    let (works, help) = if kind == ColumnType::Timestamp {
        let help = "write a pattern such as \"%d.%m.%Y %H:%M\": it must hold year, month, day, hour and minute (%M; %m is the \
                    month), and no time zone";
        (tells_timestamps(pattern), help)
    } else {
        let help = "write a pattern such as \"%d.%m.%Y\" or \"%b %d, %Y\": it must hold year, month and day; for a column with \
                    a time of day use `type = \"timestamp\"`";
        (tells_dates(pattern), help)
    };
    if works {
        return Ok(pattern.to_owned());
    }
    let problem = format!("= \"{}\" cannot write a date and read it back", shown(pattern));
    Err(field.bad_text(problem, help))
}

/// Days that a pattern must distinguish; a day above 12, and one that needs filling up.
const DAYS: [Date; 2] = [date(2024, 11, 29), date(2003, 2, 1)];

fn tells_dates(pattern: &str) -> bool {
    DAYS.iter().all(|day| {
        strtime::format(pattern, *day).and_then(|text| Date::strptime(pattern, text)).is_ok_and(|read| read == *day)
    })
}

/// Whether a pattern distinguishes timestamps to the minute, and more finely if it writes seconds or their parts.
fn tells_timestamps(pattern: &str) -> bool {
    let write = |moment: DateTime| strtime::format(pattern, moment).ok();
    let returns = |moment: DateTime| {
        write(moment).and_then(|text| DateTime::strptime(pattern, text).ok()).is_some_and(|read| read == moment)
    };
    let to_the_minute =
        DAYS.iter().zip([(13, 45), (0, 7)]).all(|(day, (hour, minute))| returns(day.at(hour, minute, 0, 0)));
    let finer = [DAYS[0].at(13, 45, 0, 0), DAYS[0].at(13, 45, 56, 0), DAYS[0].at(13, 45, 56, 123_456_000)];
    to_the_minute && finer.windows(2).all(|pair| write(pair[0]) == write(pair[1]) || returns(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str) -> i64 {
        count(parse(text).unwrap(), ColumnType::Date, LAST)
    }

    fn micros(text: &str) -> i64 {
        count(parse(text).unwrap(), ColumnType::Timestamp, Time::midnight())
    }

    #[test]
    fn days_and_microseconds_since_1970() {
        assert_eq!((days("1970-01-01"), days("1970-01-02"), days("1969-12-31")), (0, 1, -1));
        // 30 years with 7 leap days, and one leap day more that a century year has only every 400 years.
        assert_eq!((days("2000-01-01"), days("2000-03-01")), (30 * 365 + 7, 30 * 365 + 7 + 31 + 29));
        assert_eq!((days("0001-01-01"), days("2100-12-31")), (-719_162, 47_846));
        assert_eq!(micros("1970-01-02T00:00:01.5"), 86_401_500_000);
        assert_eq!(micros("1969-12-31 23:59:59.999999"), -1);
        assert_eq!(count(parse("1970-01-01").unwrap(), ColumnType::Timestamp, LAST), 86_400_000_000 - 1);
    }

    /// The accepted years are within the limit of bounds.
    #[test]
    fn timestamps_fit_the_bounds() {
        let most = 1_i64 << 52;
        assert!(micros("1828-01-01").abs() <= most && micros("2100-12-31T23:59:59.999999") <= most);
        assert!(micros("1827-01-01").abs() > most);
    }

    #[test]
    fn only_plain_dates_are_read() {
        // Other invalid dates are covered by the tests of the calendar library.
        for text in ["", "2024-1-01", "2024-01-01Z", "2024-01-01T10:00:00.1234567", "2024-01-01T10:00:00.000000001"] {
            assert!(parse(text).is_none(), "{text}");
        }
        for text in ["2024-02-29", "2024-02-29T10:00", "2024-02-29t10:00:59", "2024-02-29 10:00:59.000001"] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn patterns_that_lose_something_are_found() {
        for pattern in ["%d.%m.%Y", "%Y%m%d", "%b %e, %Y", "%d/%m/%y", "%-d.%-m.%Y", "%Y-%j", "%A, %d %B %Y", "%F"] {
            assert!(tells_dates(pattern), "{pattern}");
        }
        for pattern in
            ["", "%Y", "%Y-%d", "%d.%M.%Y", "%d.%m.%Y %H:%M", "%d.%m", "31.12.2024", "%Q", "%", "%Y-%m-%d %Z"]
        {
            assert!(!tells_dates(pattern), "{pattern}");
        }
        for pattern in ["%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%S", "%F %T%.f", "%m/%d/%Y %I:%M %p", "%Y%m%d%H%M%S"] {
            assert!(tells_timestamps(pattern), "{pattern}");
        }
        for pattern in
            ["%d.%m.%Y", "%d.%m.%Y %H:%m", "%d.%m.%Y %I:%M", "%d.%m.%Y %H", "%F %T %z", "%s", "%F %H:%S", "%F %M:%S"]
        {
            assert!(!tells_timestamps(pattern), "{pattern}");
        }
    }
}
