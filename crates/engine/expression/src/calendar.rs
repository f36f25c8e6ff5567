//! Days and timestamps: parsing, parts and truncation, always within the years 1 to 9999.
//!
//! Beyond these years calendars and patterns disagree or overflow.

use crate::operation::{Part, Unit};
use crate::plain;
use crate::value::{Day, Moment};
use deniable_core::calendar::{DAY_NAMES, EPOCH, MONTH_NAMES, iso_day, iso_moment};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

const HOUR: i64 = 3_600_000_000;
const MINUTE: i64 = 60_000_000;
const SECOND: i64 = 1_000_000;

/// Parses a date by a pattern of `strptime`, or in ISO format without a pattern.
#[must_use]
pub fn parse_day(text: &str, pattern: Option<&str>) -> Option<Day> {
    match pattern {
        Some(pattern) => day_of(Date::strptime(pattern, text).ok()?),
        None => plain::day(text).or_else(|| general_day(text)),
    }
}

pub(crate) fn general_day(text: &str) -> Option<Day> {
    day_of(iso_day(text)?)
}

/// Parses a timestamp by a pattern of `strptime`, or in ISO format without a pattern. Digits beyond microseconds are
/// rounded down.
#[must_use]
pub fn parse_moment(text: &str, pattern: Option<&str>) -> Option<Moment> {
    match pattern {
        Some(pattern) => moment_of(DateTime::strptime(pattern, text).ok()?),
        None => {
            let (day, time) = iso_moment(text)?;
            moment_of(DateTime::from_parts(day, time.unwrap_or(Time::midnight())))
        }
    }
}

/// Parses an ISO timestamp with its offset from UTC, `2024-07-01T01:30:00+02:00` or `...Z`: microseconds in UTC.
#[must_use]
pub fn parse_instant(text: &str) -> Option<i64> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(instant.as_nanosecond().div_euclid(1_000)).ok()
}

/// The same day and month in the year that ends in the same two digits, among the hundred years up to `last`.
#[must_use]
pub fn in_century(day: Day, last: i16) -> Option<Day> {
    let date = civil_day(day);
    let before = last.checked_sub(date.year())?.rem_euclid(100);
    day_of(Date::new(last.checked_sub(before)?, date.month(), date.day()).ok()?)
}

/// A day of the calendar.
#[must_use]
pub(crate) fn civil_day(day: Day) -> Date {
    let since = SignedDuration::from_hours(i64::from(day.get()).saturating_mul(24));
    // Jiff supports all of these years.
    EPOCH.checked_add(since).unwrap_or(EPOCH)
}

/// A timestamp as date and time.
#[must_use]
pub fn civil(moment: Moment) -> DateTime {
    let day = moment.day();
    let since = SignedDuration::from_micros(moment.get().saturating_sub(day.midnight().get()));
    let begin = civil_day(day).at(0, 0, 0, 0);
    begin.checked_add(since).unwrap_or(begin)
}

/// The day of a date, if within the years.
pub(crate) fn day_of(date: Date) -> Option<Day> {
    Day::new(date.duration_since(EPOCH).as_secs().div_euclid(86_400))
}

fn moment_of(time: DateTime) -> Option<Moment> {
    let nanos = time.duration_since(EPOCH.at(0, 0, 0, 0)).as_nanos();
    Moment::new(i64::try_from(nanos.div_euclid(1_000)).ok()?)
}

/// The beginning of the year, month, ... that contains a timestamp.
pub(crate) fn truncate(unit: Unit, moment: Moment) -> Option<Moment> {
    let cut = |unit: i64| {
        let since = moment.get().checked_rem_euclid(unit)?;
        Moment::new(moment.get().checked_sub(since)?)
    };
    let first = |month: i8| {
        let date = civil_day(moment.day());
        day_of(Date::new(date.year(), if month == 0 { date.month() } else { month }, 1).ok()?).map(Day::midnight)
    };
    match unit {
        Unit::Year => first(1),
        Unit::Quarter => first(match civil_day(moment.day()).month() {
            1..=3 => 1,
            4..=6 => 4,
            7..=9 => 7,
            _ => 10,
        }),
        Unit::Month => first(0),
        Unit::Week => {
            let day = i64::from(moment.day().get());
            // 1970-01-01 was a Thursday.
            let since_monday = day.checked_add(3)?.rem_euclid(7);
            Day::new(day.checked_sub(since_monday)?).map(Day::midnight)
        }
        Unit::Day => Some(moment.day().midnight()),
        Unit::Hour => cut(HOUR),
        Unit::Minute => cut(MINUTE),
        Unit::Second => cut(SECOND),
    }
}

impl Unit {
    /// The beginning of the unit that contains a timestamp; `None` before the year 1.
    #[must_use]
    pub fn truncate(self, moment: Moment) -> Option<Moment> {
        truncate(self, moment)
    }

    /// The beginning of the next unit, given the beginning of a unit; `None` after the year 9999.
    #[must_use]
    pub fn next(self, begin: Moment) -> Option<Moment> {
        let after = |micros: i64| Moment::new(begin.get().checked_add(micros)?);
        let months = |months: i64| {
            let span = jiff::Span::new().try_months(months).ok()?;
            moment_of(civil(begin).checked_add(span).ok()?)
        };
        match self {
            Self::Year => months(12),
            Self::Quarter => months(3),
            Self::Month => months(1),
            Self::Week => after(Moment::DAY.checked_mul(7)?),
            Self::Day => after(Moment::DAY),
            Self::Hour => after(HOUR),
            Self::Minute => after(MINUTE),
            Self::Second => after(SECOND),
        }
    }
}

/// A part of a timestamp, as an integer.
pub(crate) fn part(part: Part, moment: Moment) -> Option<i64> {
    let date = || civil_day(moment.day());
    let clock = |unit: i64, of: i64| moment.get().checked_div_euclid(unit)?.checked_rem_euclid(of);
    match part {
        Part::Year => Some(date().year().into()),
        Part::Quarter => Some(match date().month() {
            1..=3 => 1,
            4..=6 => 2,
            7..=9 => 3,
            _ => 4,
        }),
        Part::Month => Some(date().month().into()),
        Part::Week => Some(date().iso_week_date().week().into()),
        Part::Day => Some(date().day().into()),
        Part::DayOfYear => Some(date().day_of_year().into()),
        Part::DayOfWeek => i64::from(moment.day().get()).checked_add(4)?.checked_rem_euclid(7),
        // 1970-01-01 was a Thursday.
        Part::IsoDayOfWeek => i64::from(moment.day().get()).checked_add(3)?.checked_rem_euclid(7)?.checked_add(1),
        Part::Hour => clock(HOUR, 24),
        Part::Minute => clock(MINUTE, 60),
        Part::Second => clock(SECOND, 60),
    }
}

/// The name of the day of the week.
pub(crate) fn day_name(moment: Moment) -> Option<&'static str> {
    numbered(&DAY_NAMES, part(Part::IsoDayOfWeek, moment)?)
}

/// The name of the month.
pub(crate) fn month_name(moment: Moment) -> Option<&'static str> {
    numbered(&MONTH_NAMES, part(Part::Month, moment)?)
}

/// The name with this number, the first being 1.
fn numbered(names: &[&'static str], number: i64) -> Option<&'static str> {
    names.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str, pattern: Option<&str>) -> Option<i32> {
        parse_day(text, pattern).map(Day::get)
    }

    fn micros(text: &str, pattern: Option<&str>) -> Option<i64> {
        parse_moment(text, pattern).map(Moment::get)
    }

    #[test]
    fn dates_are_within_the_years_1_to_9999() {
        assert_eq!(parse_day("0001-01-01", None), Some(Day::FIRST));
        assert_eq!(parse_day("9999-12-31", None), Some(Day::LAST));
        let (before, after) = (i64::from(Day::FIRST.get()) - 1, i64::from(Day::LAST.get()) + 1);
        assert_eq!((Day::new(before), Day::new(after)), (None, None));
        assert_eq!((Day::new(i64::MIN), Day::new(i64::from(i32::MAX)), Day::new(i64::MAX)), (None, None, None));
        assert_eq!((Moment::new(i64::MIN), Moment::new(i64::MAX)), (None, None));
        let (first, last) = (Day::FIRST.midnight().get(), Day::LAST.midnight().get() + Moment::DAY - 1);
        for (micros, value) in [(first - 1, None), (first, Some(first)), (last, Some(last)), (last + 1, None)] {
            assert_eq!(Moment::new(micros).map(Moment::get), value);
        }
        assert_eq!(micros("0001-01-01", None), Some(first));
        assert_eq!(micros("9999-12-31T23:59:59.999999999", None), Some(last));
    }

    #[test]
    fn iso_formats() {
        assert_eq!(days("1970-01-02", None), Some(1));
        for text in ["", "2024", "2024-02-30", "2023-02-29", "24-01-01", "2024-1-01", "+024-01-01", "0000-01-01"] {
            assert_eq!((days(text, None), micros(text, None)), (None, None), "{text}");
        }
        for text in ["2024-01-01T00:00", "2024-01-01 ", " 2024-01-01", "2024-01-01Z", "20240101", "10000-01-01"] {
            assert_eq!(days(text, None), None, "{text}");
        }
        assert_eq!(micros("1970-01-01T00:00:01.5", None), Some(1_500_000));
        assert_eq!(micros("1970-01-01 00:01", None), Some(60_000_000));
        // Before 1970, too, digits beyond microseconds are rounded down.
        assert_eq!(micros("1969-12-31T23:59:59.999999999", None), Some(-1));
    }

    #[test]
    fn patterns() {
        assert_eq!(days("02.01.1970", Some("%d.%m.%Y")), Some(1));
        assert_eq!(days("1970-01-02", Some("%d.%m.%Y")), None);
        assert_eq!(days("31.02.2024", Some("%d.%m.%Y")), None);
        assert_eq!(days("02.01.-0070", Some("%d.%m.%Y")), None);
        assert_eq!(days("Mon, 2 Jan 1970", Some("%a, %d %b %Y")), None, "a Friday");
        assert_eq!(days("02.01.1970 and more", Some("%d.%m.%Y")), None);
        assert_eq!(micros("01.01.1970 00:01", Some("%d.%m.%Y %H:%M")), Some(60_000_000));
        assert_eq!(micros("01.01.1970", Some("%d.%m.%Y %H:%M")), None);
        assert_eq!(micros("1970-01-01T00:00:00.25Z", Some("%Y-%m-%dT%H:%M:%S%.fZ")), Some(250_000));
    }

    #[test]
    fn beginnings_of_units_and_of_the_next() {
        let at = |text: &str| parse_moment(text, None).unwrap();
        let moment = at("2024-08-15T13:45:59.123456");
        for (unit, begin, after) in [
            (Unit::Year, "2024-01-01", "2025-01-01"),
            (Unit::Quarter, "2024-07-01", "2024-10-01"),
            (Unit::Month, "2024-08-01", "2024-09-01"),
            (Unit::Week, "2024-08-12", "2024-08-19"),
            (Unit::Day, "2024-08-15", "2024-08-16"),
            (Unit::Hour, "2024-08-15T13:00", "2024-08-15T14:00"),
            (Unit::Minute, "2024-08-15T13:45", "2024-08-15T13:46"),
            (Unit::Second, "2024-08-15T13:45:59", "2024-08-15T13:46:00"),
        ] {
            assert_eq!(truncate(unit, moment), Some(at(begin)), "{unit:?}");
            assert_eq!(truncate(unit, at(begin)), Some(at(begin)), "{unit:?}");
            assert_eq!(unit.next(at(begin)), Some(at(after)), "{unit:?}");
            // The first and the last timestamps: 0001-01-01 was a Monday.
            assert!(truncate(unit, at("0001-01-01")) == Some(at("0001-01-01")), "{unit:?}");
            let last = truncate(unit, at("9999-12-31T23:59:59.999999")).unwrap();
            assert_eq!(unit.next(last), None, "{unit:?}");
        }
        assert_eq!(truncate(Unit::Second, at("1969-12-31T23:59:59.5")), Some(at("1969-12-31T23:59:59")));
    }

    #[test]
    fn parts_of_moments() {
        let of = |text: &str| Part::ALL.map(|wanted| part(wanted, parse_moment(text, None).unwrap()).unwrap());
        // Year, quarter, month, week, day, day of the year, day of the week, hour, minute, second, ISO day of the week.
        assert_eq!(of("2024-12-31T23:59:58.9"), [2024, 4, 12, 1, 31, 366, 2, 23, 59, 58, 2]);
        assert_eq!(of("1969-12-31T23:59:59.999999"), [1969, 4, 12, 1, 31, 365, 3, 23, 59, 59, 3]);
        assert_eq!(of("0001-01-01"), [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1]);
        assert_eq!(of("9999-12-31T23:59:59.999999"), [9999, 4, 12, 52, 31, 365, 5, 23, 59, 59, 5]);
        assert_eq!(of("2021-01-03"), [2021, 1, 1, 53, 3, 3, 0, 0, 0, 0, 7]);
        let names = |text: &str| {
            let moment = parse_moment(text, None).unwrap();
            (day_name(moment).unwrap(), month_name(moment).unwrap())
        };
        assert_eq!(names("0001-01-01"), ("Monday", "January"));
        assert_eq!(names("1969-12-31T23:59:59.999999"), ("Wednesday", "December"));
        assert_eq!(names("2021-01-03"), ("Sunday", "January"));
        assert_eq!(names("9999-12-31T23:59:59.999999"), ("Friday", "December"));
        for days in (Day::FIRST.get()..=Day::LAST.get()).step_by(97) {
            let day = Day::new(days.into()).unwrap();
            assert_eq!(day_of(civil_day(day)), Some(day));
            assert_eq!(moment_of(civil(day.midnight())), Some(day.midnight()));
            for wanted in Part::ALL {
                let (least, greatest) = wanted.range();
                assert!((least..=greatest).contains(&part(wanted, day.midnight()).unwrap()));
            }
        }
    }
}
