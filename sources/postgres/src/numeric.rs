//! `numeric` as the nearest double, or as a whole number.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use std::fmt::Write;

const NEGATIVE: u16 = 0x4000;
const POSITIVE: u16 = 0;
/// Whole numbers up to this one, and powers of ten up to the 22nd, are exact doubles: one operation on two of them
/// rounds once.
const EXACT: u64 = 1 << 53;

/// A number in the server's format: digits of base 10,000, the first of which counts 10,000^weight.
struct Numeric<'a> {
    is_negative: bool,
    weight: i16,
    /// Two bytes each, below 10,000.
    digits: &'a [u8],
}

impl<'a> Numeric<'a> {
    /// `None` for NaN, infinities, and malformed bytes.
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (head, digits) = bytes.split_first_chunk::<8>()?;
        let [c0, c1, w0, w1, s0, s1, _, _] = *head;
        let is_negative = match u16::from_be_bytes([s0, s1]) {
            NEGATIVE => true,
            POSITIVE => false,
            _ => return None,
        };
        let count = usize::from(u16::from_be_bytes([c0, c1]));
        let (pairs, rest) = digits.as_chunks::<2>();
        let fits = |pair: &[u8; 2]| u16::from_be_bytes(*pair) < 10_000;
        let is_known = rest.is_empty() && pairs.len() == count && pairs.iter().all(fits);
        is_known.then_some(Self { is_negative, weight: i16::from_be_bytes([w0, w1]), digits })
    }

    fn digits(&self) -> impl ExactSizeIterator<Item = u16> {
        self.digits.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair))
    }

    /// The power of ten of the last digit.
    fn exponent(&self) -> i32 {
        let after = i32::try_from(self.digits().len()).unwrap_or(i32::MAX).saturating_sub(1);
        i32::from(self.weight).saturating_sub(after).saturating_mul(4)
    }

    /// All digits as one number, if it has at most 16 decimal digits.
    fn units(&self) -> Option<u64> {
        (self.digits().len() <= 4)
            .then(|| self.digits().fold(0, |all: u64, digit| all.wrapping_mul(10_000).wrapping_add(digit.into())))
    }
}

/// The double nearest to a `numeric`; `None` for NaN, infinities, and values beyond the range of doubles.
pub(crate) fn nearest(bytes: &[u8]) -> Option<f64> {
    let number = Numeric::parse(bytes)?;
    let exponent = number.exponent();
    let signed = |magnitude: f64| if number.is_negative { -magnitude } else { magnitude };
    if let Some(units) = number.units().filter(|units| *units <= EXACT)
        && (-22..=22).contains(&exponent)
    {
        let (units, power) = (units as f64, 10_f64.powi(exponent.wrapping_abs()));
        return Some(signed(if exponent < 0 { units / power } else { units * power }))
            .filter(|number| number.is_finite());
    }
    // Parsed from its decimal digits, which is exact.
    let mut text = String::with_capacity(number.digits.len().saturating_mul(2).saturating_add(8));
    for digit in number.digits() {
        write!(text, "{digit:04}").ok()?;
    }
    if text.is_empty() {
        return Some(0.0);
    }
    write!(text, "e{exponent}").ok()?;
    text.parse().ok().map(signed).filter(|number: &f64| number.is_finite())
}

/// The value as a whole number; `None` if it has a fraction, or does not fit.
pub(crate) fn whole(bytes: &[u8]) -> Option<i64> {
    let number = Numeric::parse(bytes)?;
    let mut value = 0_i64;
    // Digits after the last one sent are zeros.
    let places = usize::try_from(i32::from(number.weight).saturating_add(1)).unwrap_or(0);
    let mut digits = number.digits();
    for _ in 0..places {
        let digit = i64::from(digits.next().unwrap_or(0));
        value = value.checked_mul(10_000)?.checked_sub(digit)?;
    }
    if digits.any(|digit| digit != 0) {
        return None;
    }
    if number.is_negative { Some(value) } else { value.checked_neg() }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A decimal text in the server's binary format.
    fn sent(text: &str) -> Vec<u8> {
        let (sign, text) = text.strip_prefix('-').map_or((POSITIVE, text), |rest| (NEGATIVE, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = format!("{}{whole}", "0".repeat((4 - whole.len() % 4) % 4));
        let part = format!("{fraction}{}", "0".repeat((4 - fraction.len() % 4) % 4));
        let group = |digits: &[u8]| std::str::from_utf8(digits).unwrap().parse::<u16>().unwrap();
        let mut digits: Vec<u16> = whole.as_bytes().chunks(4).chain(part.as_bytes().chunks(4)).map(group).collect();
        let mut weight = i16::try_from(whole.len() / 4).unwrap() - 1;
        while digits.first() == Some(&0) {
            digits.remove(0);
            weight -= 1;
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let weight = if digits.is_empty() { 0 } else { weight };
        let mut bytes = Vec::new();
        bytes.extend(u16::try_from(digits.len()).unwrap().to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend(sign.to_be_bytes());
        bytes.extend(u16::try_from(fraction.len()).unwrap().to_be_bytes());
        digits.iter().for_each(|digit| bytes.extend(digit.to_be_bytes()));
        bytes
    }

    #[test]
    fn numbers_are_the_nearest_doubles() {
        for text in [
            "0",
            "1",
            "-1",
            "0.1",
            "3.5",
            "1.15",
            "9007199254740993",
            "123456789012345678901234567890.5",
            "0.00000000000000000000001",
        ] {
            assert_eq!(nearest(&sent(text)), text.parse().ok(), "{text}");
        }
        let long = |zeros: usize| format!("1{}", "0".repeat(zeros));
        assert_eq!(nearest(&sent(&long(308))), Some(1e308));
        assert_eq!(nearest(&sent(&long(309))), None, "larger than all doubles");
        assert_eq!(nearest(&sent(&format!("0.{}1", "0".repeat(399)))), Some(0.0));
    }

    #[test]
    fn malformed_numbers_have_no_value() {
        for sign in [0xC000_u16, 0xD000, 0xF000, 1] {
            let mut bytes = vec![0, 0, 0, 0];
            bytes.extend(sign.to_be_bytes());
            bytes.extend([0, 0]);
            assert_eq!((nearest(&bytes), whole(&bytes)), (None, None));
        }
        let good = sent("12.5");
        for bytes in [&good[..good.len() - 1], &good[..7], &[], &[0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10]] {
            assert_eq!((nearest(bytes), whole(bytes)), (None, None));
        }
    }

    #[test]
    fn whole_numbers() {
        for number in [0, 1, -1, 10_000, -10_000, 123_456_789, i64::MAX, i64::MIN] {
            assert_eq!(whole(&sent(&number.to_string())), Some(number));
        }
        for text in ["9223372036854775808", "-9223372036854775809", "0.5", "10000.0001"] {
            assert_eq!(whole(&sent(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_number_is_read_like_its_text(digits in "-?[0-9]{1,40}(\\.[0-9]{1,40})?") {
            prop_assert_eq!(nearest(&sent(&digits)), digits.parse::<f64>().ok());
        }

        #[test]
        fn any_whole_number(number in any::<i64>()) {
            prop_assert_eq!(whole(&sent(&number.to_string())), Some(number));
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = (nearest(&bytes), whole(&bytes));
        }
    }
}
