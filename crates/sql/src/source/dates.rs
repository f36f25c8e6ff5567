//! Days and moments from text and from stored numbers, each within the years 1 to 9999 or none at all.
//!
//! Beyond these years calendars, patterns and the engine's own arithmetic disagree or overflow.

use datafusion::arrow::datatypes::TimeUnit;
use jiff::civil::{Date, DateTime, Time, date};

/// 0001-01-01 and 9999-12-31, in days since 1970-01-01.
const DAYS: std::ops::RangeInclusive<i64> = -719_162..=2_932_896;
/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;
const EPOCH: Date = date(1970, 1, 1);

/// Days since 1970.
pub(super) fn day(days: i64) -> Option<i32> {
    if DAYS.contains(&days) { i32::try_from(days).ok() } else { None }
}

/// Days since 1970, of milliseconds since then.
pub(super) fn day_of_millis(millis: i64) -> Option<i32> {
    day(millis.div_euclid(86_400_000))
}

/// Microseconds since 1970, of so many units since then; finer ones are cut off.
pub(super) fn moment(count: i64, unit: TimeUnit) -> Option<i64> {
    let micros = match unit {
        TimeUnit::Second => count.checked_mul(1_000_000)?,
        TimeUnit::Millisecond => count.checked_mul(1_000)?,
        TimeUnit::Microsecond => count,
        TimeUnit::Nanosecond => count.div_euclid(1_000),
    };
    DAYS.contains(&micros.div_euclid(DAY)).then_some(micros)
}

/// The first moment of a day.
pub(super) fn midnight(days: i64) -> Option<i64> {
    day(days).map(|days| i64::from(days) * DAY)
}

/// A day as a pattern, or else ISO, has it.
pub(super) fn parse_day(text: &str, pattern: Option<&str>) -> Option<i32> {
    let read = match pattern {
        Some(pattern) => Date::strptime(pattern, text).ok()?,
        None => iso_day(text)?,
    };
    day(read.duration_since(EPOCH).as_secs().div_euclid(86_400))
}

/// A moment as a pattern, or else ISO, has it.
pub(super) fn parse_moment(text: &str, pattern: Option<&str>) -> Option<i64> {
    let read = match pattern {
        Some(pattern) => DateTime::strptime(pattern, text).ok()?,
        None => iso_moment(text)?,
    };
    let nanos = read.duration_since(EPOCH.at(0, 0, 0, 0)).as_nanos();
    moment(i64::try_from(nanos.div_euclid(1_000)).ok()?, TimeUnit::Microsecond)
}

/// `2024-12-31` and nothing else.
fn iso_day(text: &str) -> Option<Date> {
    let [year, month, day] = parts(text, '-', [4, 2, 2])?;
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// A day, and a time of it after `T` or a space: `23:59`, with seconds, with up to nine decimals. Never a time zone, which
/// could only be read over.
fn iso_moment(text: &str) -> Option<DateTime> {
    let (day, rest) = text.split_at_checked(10)?;
    let day = iso_day(day)?;
    if rest.is_empty() {
        return Some(day.at(0, 0, 0, 0));
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, nanos) = match clock.split_once('.') {
        Some((clock, fraction)) if clock.len() == 8 && (1..=9).contains(&fraction.len()) => {
            (clock, number(&format!("{fraction:0<9}"))?)
        }
        Some(_) => return None,
        None => (clock, 0),
    };
    let [hour, minute, second] =
        parts(clock, ':', [2, 2, 2]).or_else(|| parts(clock, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0]))?;
    let two_digits = |number: u32| i8::try_from(number).ok();
    let time =
        Time::new(two_digits(hour)?, two_digits(minute)?, two_digits(second)?, i32::try_from(nanos).ok()?).ok()?;
    Some(DateTime::from_parts(day, time))
}

/// Numbers of exactly so many digits, between separators.
fn parts<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (place, digits) in found.iter_mut().zip(digits) {
        *place = parts.next().filter(|part| part.len() == digits).and_then(number)?;
    }
    if parts.next().is_none() { Some(found) } else { None }
}

fn number(text: &str) -> Option<u32> {
    // `parse` alone would take a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_years_1_to_9999_are_all_there_is() {
        assert_eq!(parse_day("0001-01-01", None).map(i64::from), Some(*DAYS.start()));
        assert_eq!(parse_day("9999-12-31", None).map(i64::from), Some(*DAYS.end()));
        assert_eq!((day(*DAYS.start() - 1), day(*DAYS.end() + 1)), (None, None));
        assert_eq!((day(i64::MIN), day(i64::from(i32::MAX)), day(i64::MAX)), (None, None, None));
        for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond] {
            assert_eq!((moment(i64::MIN, unit), moment(i64::MAX, unit)), (None, None), "{unit:?}");
        }
        // Nanoseconds reach from 1677 to 2262 only.
        assert_eq!(moment(i64::MAX, TimeUnit::Nanosecond), Some(i64::MAX / 1000));
        assert_eq!(moment(i64::MIN, TimeUnit::Nanosecond), Some(i64::MIN / 1000 - 1));
        let (first, last) = (*DAYS.start() * DAY, (*DAYS.end() + 1) * DAY - 1);
        for (micros, value) in [(first - 1, None), (first, Some(first)), (last, Some(last)), (last + 1, None)] {
            assert_eq!(moment(micros, TimeUnit::Microsecond), value);
        }
        assert_eq!(parse_moment("0001-01-01", None), Some(first));
        assert_eq!(parse_moment("9999-12-31T23:59:59.999999999", None), Some(last));
        assert_eq!(midnight(*DAYS.start()), Some(first));
        assert_eq!((midnight(i64::MAX), day_of_millis(i64::MAX), day_of_millis(i64::MIN)), (None, None, None));
        assert_eq!((day_of_millis(-1), day_of_millis(0), day_of_millis(86_400_000)), (Some(-1), Some(0), Some(1)));
    }

    #[test]
    fn iso_means_iso() {
        assert_eq!(parse_day("1970-01-02", None), Some(1));
        for text in ["", "2024", "2024-02-30", "2023-02-29", "24-01-01", "2024-1-01", "+024-01-01", "0000-01-01"] {
            assert_eq!((parse_day(text, None), parse_moment(text, None)), (None, None), "{text}");
        }
        for text in ["2024-01-01T00:00", "2024-01-01 ", " 2024-01-01", "2024-01-01Z", "20240101", "10000-01-01"] {
            assert_eq!(parse_day(text, None), None, "{text}");
        }
        assert_eq!(parse_moment("1970-01-01T00:00:01.5", None), Some(1_500_000));
        assert_eq!(parse_moment("1970-01-01 00:01", None), Some(60_000_000));
        // Earlier than 1970, too, what is too fine is cut off towards the past.
        assert_eq!(parse_moment("1969-12-31T23:59:59.999999999", None), Some(-1));
        for text in [
            "2024-01-01T",
            "2024-01-01T10",
            "2024-01-01T24:00",
            "2024-01-01T10:60",
            "2024-01-01T10:00:60",
            "2024-01-01T10:00Z",
            "2024-01-01T10:00:00+02:00",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00:00.1234567890",
            "2024-01-01T10:00.5",
            "2024-01-01X10:00",
            "é024-01-01",
            "2024-01-0é",
            "2024-01-01é10:00",
        ] {
            assert_eq!(parse_moment(text, None), None, "{text}");
        }
    }

    #[test]
    fn patterns() {
        assert_eq!(parse_day("02.01.1970", Some("%d.%m.%Y")), Some(1));
        assert_eq!(parse_day("1970-01-02", Some("%d.%m.%Y")), None);
        assert_eq!(parse_day("31.02.2024", Some("%d.%m.%Y")), None);
        assert_eq!(parse_day("02.01.-0070", Some("%d.%m.%Y")), None);
        assert_eq!(parse_day("Mon, 2 Jan 1970", Some("%a, %d %b %Y")), None, "a Friday");
        assert_eq!(parse_day("02.01.1970 and more", Some("%d.%m.%Y")), None);
        assert_eq!(parse_moment("01.01.1970 00:01", Some("%d.%m.%Y %H:%M")), Some(60_000_000));
        assert_eq!(parse_moment("01.01.1970", Some("%d.%m.%Y %H:%M")), None);
        assert_eq!(parse_moment("1970-01-01T00:00:00.25Z", Some("%Y-%m-%dT%H:%M:%S%.fZ")), Some(250_000));
    }
}
