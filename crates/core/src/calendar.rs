//! ISO 8601 days and times: the one parser for policies, queries and files; and the names of days and months.

use jiff::civil::{Date, Time, date};

/// The day from which days and microseconds are counted: 1970-01-01.
pub const EPOCH: Date = date(1970, 1, 1);

/// The names of the days, Monday first.
pub const DAY_NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// The names of the months.
pub const MONTH_NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Parses `2024-12-31`, and no other form.
#[must_use]
pub fn iso_day(text: &str) -> Option<Date> {
    let [year, month, day] = parts(text, '-', [4, 2, 2])?;
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Parses a day with an optional time after `T` or a space: `23:59`, with seconds, with up to nine decimals. Time zones
/// are rejected: ignoring one would shift every value.
#[must_use]
pub fn iso_moment(text: &str) -> Option<(Date, Option<Time>)> {
    let (day, rest) = text.split_at_checked(10)?;
    let day = iso_day(day)?;
    if rest.is_empty() {
        return Some((day, None));
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
    Some((day, Some(time)))
}

/// Parses separated numbers with exactly these numbers of digits.
fn parts<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (place, digits) in found.iter_mut().zip(digits) {
        *place = parts.next().filter(|part| part.len() == digits).and_then(number)?;
    }
    if parts.next().is_none() { Some(found) } else { None }
}

fn number(text: &str) -> Option<u32> {
    // `parse` alone would accept a sign.
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_iso_is_read() {
        for text in ["", "2024", "2024-1-01", "2024-02-30", "2023-02-29", "+024-01-01", "24-01-01", "2024-W01-1"] {
            assert_eq!((iso_day(text), iso_moment(text)), (None, None), "{text}");
        }
        for text in ["2024-01-01T00:00", "2024-01-01 ", " 2024-01-01", "2024-01-01Z", "20240101", "10000-01-01"] {
            assert_eq!(iso_day(text), None, "{text}");
        }
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
            assert_eq!(iso_moment(text), None, "{text}");
        }
    }

    #[test]
    fn days_and_times() {
        let leap = date(2024, 2, 29);
        assert_eq!(iso_day("2024-02-29"), Some(leap));
        assert_eq!(iso_moment("2024-02-29"), Some((leap, None)));
        let at = |hour, minute, second, nanos| Some((leap, Time::new(hour, minute, second, nanos).ok()));
        assert_eq!(iso_moment("2024-02-29T10:00"), at(10, 0, 0, 0));
        assert_eq!(iso_moment("2024-02-29t10:00:59"), at(10, 0, 59, 0));
        assert_eq!(iso_moment("2024-02-29 10:00:59.000001"), at(10, 0, 59, 1_000));
        assert_eq!(iso_moment("2024-02-29 23:59:59.999999999"), at(23, 59, 59, 999_999_999));
    }
}
