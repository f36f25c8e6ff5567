//! Fast parsers for the usual forms of numbers and dates, which take most of the time of reading a file.
//!
//! `None` means that a text does not have the usual form, not that it has no value: the general parsers decide. A
//! returned value equals that of the general parser.

use crate::value::Day;

/// Numbers with this many digits are below 2^53, and so are the powers of ten: both are exact as doubles.
const MOST_DIGITS: usize = 15;
const POWERS: [f64; MOST_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// For a year that is not a leap year: the days of each month, and those before it.
const MONTHS: [(i32, i32); 12] = [
    (31, 0),
    (28, 31),
    (31, 59),
    (30, 90),
    (31, 120),
    (30, 151),
    (31, 181),
    (31, 212),
    (30, 243),
    (31, 273),
    (30, 304),
    (31, 334),
];

/// The sign, true if negative, and the bytes after it.
fn signed(text: &str) -> (bool, &[u8]) {
    match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    }
}

fn digit(byte: u8) -> Option<u8> {
    Some(byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
}

/// `[+-]?[0-9]{1,18}`
pub(crate) fn integer(text: &str) -> Option<i64> {
    let (is_negative, digits) = signed(text);
    if !(1..=18).contains(&digits.len()) {
        return None;
    }
    let mut number = 0_i64;
    for byte in digits {
        // Below 10^18, so there is no overflow.
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit(*byte)?));
    }
    Some(if is_negative { number.wrapping_neg() } else { number })
}

/// `[+-]?[0-9]*(\.[0-9]*)?` of 1 to 15 digits.
#[allow(clippy::cast_precision_loss, reason = "a number of at most 15 digits is a double")]
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let (is_negative, bytes) = signed(text);
    if bytes.len() > MOST_DIGITS.saturating_add(1) {
        return None;
    }
    let (mut number, mut digits, mut point) = (0_u64, 0_usize, None);
    for byte in bytes {
        match digit(*byte) {
            Some(digit) => {
                number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
                digits = digits.wrapping_add(1);
            }
            None if *byte == b'.' && point.is_none() => point = Some(digits),
            None => return None,
        }
    }
    if !(1..=MOST_DIGITS).contains(&digits) {
        return None;
    }
    let power = POWERS.get(digits.saturating_sub(point.unwrap_or(digits)))?;
    // One operation on two exact doubles is rounded once, to the nearest double.
    let number = number as f64 / power;
    Some(if is_negative { -number } else { number })
}

/// `YYYY-MM-DD`
pub(crate) fn day(text: &str) -> Option<Day> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return None };
    let number = |bytes: &[u8]| {
        let append = |number: i32, byte: &u8| Some(number.wrapping_mul(10).wrapping_add(i32::from(digit(*byte)?)));
        bytes.iter().try_fold(0, append)
    };
    let (year, month, day) = (number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?);
    let (length, before) = *MONTHS.get(usize::try_from(month.wrapping_sub(1)).ok()?)?;
    let divides = |number: i32| year.rem_euclid(number) == 0;
    let is_leap = divides(4) && (!divides(100) || divides(400));
    let length = length.wrapping_add(i32::from(is_leap && month == 2));
    if year < 1 || !(1..=length).contains(&day) {
        return None;
    }
    let years = year.wrapping_sub(1);
    let leaps = years.div_euclid(4).wrapping_sub(years.div_euclid(100)).wrapping_add(years.div_euclid(400));
    let of_year = before.wrapping_add(i32::from(is_leap && month > 2)).wrapping_add(day).wrapping_sub(1);
    // At most 9999 years of days, so there is no overflow.
    let since = years.wrapping_mul(365).wrapping_add(leaps).wrapping_add(of_year);
    Day::new(i64::from(Day::FIRST.get()).wrapping_add(since.into()))
}

#[cfg(test)]
mod tests {
    use crate::calendar::{civil_day, general_day};
    use crate::cast::{general_decimal, general_integer};
    use crate::value::{Day, Decimal};
    use proptest::prelude::*;

    /// Every valid date, and invalid ones.
    #[test]
    fn dates_match_the_calendar() {
        for number in Day::FIRST.get()..=Day::LAST.get() {
            let day = Day::new(number.into()).unwrap();
            let date = civil_day(day);
            let text = format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day());
            assert_eq!(super::day(&text), Some(day), "{text}");
        }
        for year in [0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999] {
            for (month, day) in (0..100).flat_map(|month| (0..100).map(move |day| (month, day))) {
                let text = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(super::day(&text), general_day(&text), "{text}");
            }
        }
    }

    /// The usual forms must be parsed here, or this module would be useless.
    #[test]
    fn usual_forms_are_parsed_here() {
        for (text, value) in [("0", 0), ("-7", -7), ("+7", 7), ("999999999999999999", 999_999_999_999_999_999)] {
            assert_eq!(super::integer(text), Some(value));
        }
        for (text, value) in
            [("0.1", 0.1), ("-12.50", -12.5), ("5.", 5.0), (".5", 0.5), ("123456789.012345", 123456789.012345)]
        {
            assert_eq!(super::decimal(text), Some(value));
        }
        for text in ["", "+", "-", ".", "-.", "1e5", "1.2.3", "1 ", "1234567890123456", "0.123456789012345"] {
            assert_eq!(super::decimal(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn results_match_the_general_parsers(
            text in prop_oneof![
                "[+-]?[0-9]{0,20}",
                "[+-]?[0-9]{0,9}\\.?[0-9]{0,9}",
                "[+-]?[0-9]{0,3}(\\.[0-9]{0,17})?([eE][+-]?[0-9]{0,3})?",
                "[0-9+\\-. ]{0,12}",
                "[0-9]{3,5}-[0-9]{1,2}-[0-9]{1,2}",
                "\\PC{0,12}",
            ],
        ) {
            let bits = |number: Decimal| number.get().to_bits();
            prop_assert_eq!(crate::parse_integer(&text), general_integer(&text));
            prop_assert_eq!(crate::parse_decimal(&text).map(bits), general_decimal(&text).map(bits));
            prop_assert_eq!(crate::parse_day(&text, None), general_day(&text));
            if let Some(number) = super::integer(&text) {
                prop_assert_eq!(Some(number), general_integer(&text));
            }
        }
    }
}
