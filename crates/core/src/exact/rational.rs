//! Parsing and printing rationals.

use crate::text::printable;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Pow, Signed, Zero};

/// An exact fraction of unbounded size, always in lowest terms.
pub type Rational = num_rational::BigRational;

/// Most digits of a number, so that a typing error cannot request gigabytes.
const MOST_DIGITS: usize = 60;
/// Largest absolute exponent in scientific notation.
const LARGEST_EXPONENT: i32 = 60;

/// A text that is not an exact number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseRationalError {
    /// Not of the form `3/4`, `0.75`, `75%`, `3` or `1e-3`.
    #[error("`{0}` is not a number; write a fraction (3/4), a decimal (0.75), a percentage (75%) or a whole number")]
    Malformed(String),
    /// A fraction with denominator zero.
    #[error("`{0}` divides by zero")]
    ZeroDenominator(String),
    /// More digits than `MOST_DIGITS`, or an exponent beyond `LARGEST_EXPONENT`.
    #[error("`{0}` has too many digits (at most {MOST_DIGITS}, exponents up to {LARGEST_EXPONENT})")]
    TooLong(String),
}

/// The fraction `numerator/denominator`. A denominator of zero is a programming error.
#[must_use]
pub fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

/// A whole number as a rational.
#[must_use]
pub fn whole(value: impl Into<BigInt>) -> Rational {
    Rational::from_integer(value.into())
}

/// A rational to a whole power.
#[must_use]
pub fn power(value: &Rational, exponent: u32) -> Rational {
    Pow::pow(value, exponent)
}

/// Parses a fraction (`3/4`), decimal (`0.75`, `1e-3`), percentage (`75%`) or whole number, exactly.
///
/// # Errors
/// When the text has another form, divides by zero or is too long.
pub fn parse_rational(text: &str) -> Result<Rational, ParseRationalError> {
    let trimmed = text.trim();
    if let Some(value) = short(trimmed) {
        return Ok(value);
    }
    if trimmed.len() > 2 * MOST_DIGITS {
        let start: String = trimmed.chars().take(20).collect();
        return Err(ParseRationalError::TooLong(format!("{}...", printable(&start))));
    }
    if let Some((numerator, denominator)) = trimmed.split_once('/') {
        let numerator = parse_decimal(numerator.trim(), trimmed)?;
        let denominator = parse_decimal(denominator.trim(), trimmed)?;
        if denominator.is_zero() {
            return Err(ParseRationalError::ZeroDenominator(printable(trimmed).into_owned()));
        }
        return Ok(numerator / denominator);
    }
    if let Some(value) = trimmed.strip_suffix('%') {
        return Ok(parse_decimal(value.trim(), trimmed)? / whole(100));
    }
    parse_decimal(trimmed, trimmed)
}

/// A fast path for short numbers and fractions, which most cells of a long table are; same result as below.
fn short(text: &str) -> Option<Rational> {
    let digits = |part: &str| -> Option<u64> {
        let few = (1..=18).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        if few { part.parse().ok() } else { None }
    };
    match text.split_once('/') {
        None => digits(text).map(|value| Rational::from_integer(value.into())),
        Some((top, bottom)) => {
            let (top, bottom) = (digits(top)?, digits(bottom)?);
            let common = top.gcd(&bottom);
            (bottom != 0).then(|| Rational::new_raw((top / common).into(), (bottom / common).into()))
        }
    }
}

fn parse_decimal(text: &str, shown: &str) -> Result<Rational, ParseRationalError> {
    let malformed = || ParseRationalError::Malformed(printable(shown).into_owned());
    let too_long = || ParseRationalError::TooLong(printable(shown).into_owned());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| malformed())?),
        None => (text, 0),
    };
    let (negative, unsigned) = match mantissa.as_bytes().first() {
        Some(b'-') => (true, &mantissa[1..]),
        Some(b'+') => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (before, after) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    // TOML allows 1_000; an underscore must be between digits.
    let clean = |part: &str| -> Option<String> {
        let outside = part.starts_with('_') || part.ends_with('_') || part.contains("__");
        let digits: String = part.chars().filter(|c| *c != '_').collect();
        (!outside && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
    };
    let before = clean(before).ok_or_else(malformed)?;
    let after = clean(after).ok_or_else(malformed)?;
    let digits = format!("{before}{after}");
    if digits.is_empty() {
        return Err(malformed());
    }
    if digits.len() > MOST_DIGITS || exponent.abs() > LARGEST_EXPONENT {
        return Err(too_long());
    }
    let value: BigInt = digits.parse().map_err(|_| malformed())?;
    let places = i32::try_from(after.len()).map_err(|_| too_long())? - exponent;
    let scale = BigInt::from(10).pow(places.unsigned_abs());
    let value = if places >= 0 { Rational::new(value, scale) } else { whole(value * scale) };
    Ok(if negative { -value } else { value })
}

/// Rounding direction of a printed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Towards minus infinity: a lower bound.
    Down,
    /// Towards plus infinity: an upper bound.
    Up,
    /// To the nearest, ties away from zero: for display only.
    Nearest,
}

/// `3/4`, or `3` when whole.
#[must_use]
pub fn fraction(value: &Rational) -> String {
    value.to_string()
}

/// The decimal with at most `places` digits after the point, rounded as named, without trailing zeros.
#[must_use]
pub fn decimal(value: &Rational, places: u32, rounding: Rounding) -> String {
    let scale = BigInt::from(10).pow(places);
    // Not reduced to lowest terms: the greatest common divisor would take most of the time.
    let (scaled, divisor) = (value.numer() * &scale, value.denom());
    let units = match rounding {
        Rounding::Down => scaled.div_floor(divisor),
        Rounding::Up => scaled.div_ceil(divisor),
        // Integer division truncates, so adding half rounds ties away from zero.
        Rounding::Nearest => (&scaled + &scaled + scaled.signum() * divisor) / (divisor + divisor),
    };
    let (quotient, remainder) = units.abs().div_rem(&scale);
    let sign = if units.is_negative() { "-" } else { "" };
    if places == 0 || remainder.is_zero() {
        return format!("{sign}{quotient}");
    }
    let digits = format!("{remainder:0>width$}", remainder = remainder.to_string(), width = places as usize);
    format!("{sign}{quotient}.{}", digits.trim_end_matches('0'))
}

/// A probability as a percentage with at most three decimals if that is exact, otherwise as a fraction. Never rounded.
#[must_use]
pub fn percent_exactly(value: &Rational) -> String {
    const PLACES: u32 = 3;
    let in_last_place = value * whole(100) * whole(10_u32.pow(PLACES));
    if in_last_place.is_integer() { percent(value, PLACES, Rounding::Nearest) } else { fraction(value) }
}

/// A probability as a percentage with at most `places` decimals, rounded as named.
#[must_use]
pub fn percent(value: &Rational, places: u32, rounding: Rounding) -> String {
    format!("{}%", decimal(&(value * whole(100)), places, rounding))
}

/// The `q` of a text `ln(q)` or `ln q`: the only irrational numbers that can be stated exactly.
#[must_use]
pub fn inside_ln(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("ln")?;
    let bare = inside.trim();
    match bare.strip_prefix('(').and_then(|open| open.strip_suffix(')')) {
        Some(inside) => Some(inside.trim()),
        None => inside.starts_with(char::is_whitespace).then_some(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form_exactly() {
        for (text, numerator, denominator) in [
            ("3/4", 3, 4),
            ("0.75", 3, 4),
            ("75%", 3, 4),
            (".75", 3, 4),
            ("75e-2", 3, 4),
            (" 6 / 8 ", 3, 4),
            ("1_000", 1000, 1),
            ("-0.1", -1, 10),
            ("1e3", 1000, 1),
            ("0.1", 1, 10),
        ] {
            assert_eq!(parse_rational(text), Ok(ratio(numerator, denominator)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        for text in ["", "x", "1/0", "1//2", "0x10", "1.2.3", "nan", "inf", "1e999", "--1", "_1", "1__0", "½", "1/ "] {
            assert!(parse_rational(text).is_err(), "{text} must be refused");
        }
        assert!(matches!(parse_rational(&"9".repeat(500)), Err(ParseRationalError::TooLong(_))));
        assert!(matches!(parse_rational("1/0"), Err(ParseRationalError::ZeroDenominator(_))));
        assert_eq!(parse_rational("1\u{1b}[2J"), Err(ParseRationalError::Malformed("1\\u{1b}[2J".to_owned())));
    }

    #[test]
    fn prints_on_the_named_side() {
        let third = ratio(1, 3);
        assert_eq!(decimal(&third, 3, Rounding::Down), "0.333");
        assert_eq!(decimal(&third, 3, Rounding::Up), "0.334");
        assert_eq!(decimal(&-third, 3, Rounding::Down), "-0.334");
        assert_eq!(decimal(&ratio(1, 2), 0, Rounding::Nearest), "1");
        assert_eq!(decimal(&ratio(5, 100), 3, Rounding::Nearest), "0.05");
        assert_eq!(percent(&ratio(3, 7), 0, Rounding::Up), "43%");
        assert_eq!(percent(&ratio(1, 13), 0, Rounding::Down), "7%");
    }
}
