//! Numbers in the notation of the page.

use deniable_core::exact::{Rational, Rounding, decimal};
use num_traits::{Signed, ToPrimitive};

/// A float with three significant digits, as a plain decimal unless it is very small.
pub(crate) fn three(value: f64) -> String {
    if value != 0.0 && value.abs() < 5e-6 { format!("{value:.2e}") } else { significant(value, 3) }
}

/// A float with this many significant digits, as a plain decimal with commas between thousands.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // Scientific notation is rounded first, so that 0.9996 has the magnitude of 1.00.
    let scientific = format!("{value:.*e}", usize::try_from(digits - 1).unwrap_or(0));
    let magnitude = scientific.split_once('e').and_then(|(_, power)| power.parse::<i32>().ok()).unwrap_or(0);
    let places = usize::try_from(digits - 1 - magnitude).unwrap_or(0);
    let rounded: f64 = scientific.parse().unwrap_or(value);
    grouped(&format!("{rounded:.places$}"))
}

pub(crate) fn grouped(number: &str) -> String {
    let (sign, unsigned) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (before, after) = unsigned.split_once('.').map_or((unsigned, None), |(before, after)| (before, Some(after)));
    let mut written = String::from(sign);
    for (at, digit) in before.char_indices() {
        if at > 0 && (before.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    after.map_or(written.clone(), |after| format!("{written}.{after}"))
}

/// An exact number: whole if possible, otherwise with at most four decimals, or more if it is small.
pub(crate) fn exact(value: &Rational) -> String {
    if value.is_integer() {
        return grouped(&value.to_string());
    }
    let small = value.abs().to_f64().is_some_and(|size| size < 0.1);
    grouped(&decimal(value, if small { 6 } else { 4 }, Rounding::Nearest))
}

/// An exact number, rounded up.
pub(crate) fn at_most(value: &Rational, places: u32) -> String {
    decimal(value, places, Rounding::Up)
}

/// A part of a whole, in percent without decimals unless they are needed.
pub(crate) fn share(part: usize, whole: usize) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    if part == 0 || part == whole { format!("{percent:.0}%") } else { format!("{percent:.1}%") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};

    #[test]
    fn numbers_are_short_and_plain() {
        assert_eq!(
            [0.009_341, 1.438_6, 0.999_6, 1234.4, 98_765.0].map(three),
            ["0.00934", "1.44", "1.00", "1,230", "98,800"]
        );
        assert_eq!(three(9.537e-7), "9.54e-7");
        assert_eq!(significant(1_234_567.0, 4), "1,235,000");
        assert_eq!(
            [whole(1_316_684), ratio(1, 8), ratio(73, 32_561)].map(|n| exact(&n)),
            ["1,316,684", "0.125", "0.002242"]
        );
        assert_eq!(["-1234.5", "12", "123456"].map(grouped), ["-1,234.5", "12", "123,456"]);
        assert_eq!((share(0, 7), share(7, 7), share(1, 3)), ("0%".to_owned(), "100%".to_owned(), "33.3%".to_owned()));
        assert_eq!(at_most(&ratio(1, 3), 3), "0.334");
    }
}
