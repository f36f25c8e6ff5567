//! Ranges of numbers, in the spellings that tables use.

use deniable_core::exact::{Rational, parse_rational};
use std::cmp::Ordering;

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The number at the end, exactly.
    pub value: Rational,
    /// Whether the number itself belongs to the range.
    pub closed: bool,
}

/// A range of numbers; unbounded on a side without an end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The lower end; `None` if unbounded below.
    pub low: Option<End>,
    /// The upper end; `None` if unbounded above.
    pub high: Option<End>,
}

/// A plain number with an optional sign, as tables write it: `30`, `-1.5`, `1e3`.
#[must_use]
pub fn number(text: &str) -> Option<Rational> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    // An `e` alone or a lone sign is not a number: the number parser decides.
    if plain && text.bytes().any(|byte| byte.is_ascii_digit()) { parse_rational(text).ok() } else { None }
}

/// Removes the trailing zeros of a fraction: `5`, `5.0` and `5.00` are the same number, written differently by
/// different programs. Codes with leading zeros, exponents and all other texts are returned unchanged.
#[must_use]
pub fn plain(text: &str) -> &str {
    let Some((whole, fraction)) = text.split_once('.') else { return text };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = digits.len() > 1 && digits.starts_with('0');
    if digits.is_empty() || is_code || !are_digits(digits) || !are_digits(fraction) {
        return text;
    }
    match fraction.trim_end_matches('0').len() {
        0 if whole == "-0" => "0",
        0 => whole,
        kept => text.get(..whole.len() + 1 + kept).unwrap_or(text),
    }
}

/// Digits with at most one point, and no sign.
fn unsigned(text: &str) -> Option<Rational> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') { number(text) } else { None }
}

impl Interval {
    /// Parses `30-39`, `30–39`, `30..39`, `30:39`, `30 to 39`, `-5..-1`, `-5--1`, `[30,39]`, `[30-39]`, `[30, 40)`,
    /// `[30, 40[`, `]30,40]`, `(30,40]`, `(60, inf]`, `[60,)`, `(-Inf,30]`, `<30`, `<=30`, `≤30`, `under 30`,
    /// `30 and under`, `>60`, `>=60`, `≥60`, `over 60`, `60 and over` and `60+`. `None` for any other text, and for a
    /// range that contains no number.
    ///
    /// Without brackets both ends belong to the range. A date is not a range, and `08:15` is a time of day.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::half(text).or_else(|| Self::in_words(text)).or_else(|| Self::bracketed(text)).or_else(|| {
            let (low, high) = ends(text)?;
            Self::of(low, true, high, true)
        })
    }

    /// Parses a range with one end, written in words.
    fn in_words(text: &str) -> Option<Self> {
        /// Words before the number, the words behind it, and whether it is the upper end and belongs to the range.
        const FORMS: [(&[&str], &[&str], bool, bool); 6] = [
            (&["under", "below", "less than", "younger than", "fewer than"], &[], true, false),
            (
                &["at most", "up to"],
                &["and under", "or under", "and below", "or below", "or less", "or fewer", "or younger", "and younger"],
                true,
                true,
            ),
            (&["over", "above", "more than", "older than", "greater than"], &[], false, false),
            (
                &["at least", "from"],
                &[
                    "and over",
                    "or over",
                    "and above",
                    "or above",
                    "or more",
                    "and more",
                    "or older",
                    "and older",
                    "plus",
                ],
                false,
                true,
            ),
            (&[], &["or lower", "and lower"], true, true),
            (&[], &["or higher", "and higher", "and up"], false, true),
        ];
        let lower = text.to_lowercase();
        FORMS.into_iter().find_map(|(before, behind, is_high, closed)| {
            let mut rests = before.iter().filter_map(|words| lower.strip_prefix(words)?.strip_prefix(' '));
            let mut begins = behind.iter().filter_map(|words| lower.strip_suffix(words)?.strip_suffix(' '));
            let value = rests.find_map(number).or_else(|| begins.find_map(number))?;
            let end = Some(End { value, closed });
            Some(if is_high { Self { low: None, high: end } } else { Self { low: end, high: None } })
        })
    }

    fn half(text: &str) -> Option<Self> {
        let end = |value: &str, closed| Some(End { value: number(value)?, closed });
        for (sign, closed) in [("<=", true), ("≤", true), ("<", false)] {
            if let Some(value) = text.strip_prefix(sign) {
                return Some(Self { low: None, high: Some(end(value, closed)?) });
            }
        }
        for (sign, closed) in [(">=", true), ("≥", true), (">", false)] {
            if let Some(value) = text.strip_prefix(sign) {
                return Some(Self { low: Some(end(value, closed)?), high: None });
            }
        }
        let value = unsigned(text.strip_suffix('+')?)?;
        Some(Self { low: Some(End { value, closed: true }), high: None })
    }

    fn bracketed(text: &str) -> Option<Self> {
        let (open, rest) = text.split_at_checked(1)?;
        let (inside, close) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
        let low_closed = match open {
            "[" => true,
            "(" | "]" => false,
            _ => return None,
        };
        let high_closed = match close {
            "]" => true,
            ")" | "[" => false,
            _ => return None,
        };
        let parted = |mark| inside.split_once(mark).filter(|(_, rest)| !rest.contains(mark));
        if let Some((low, high)) = parted(',').or_else(|| parted(';')) {
            return match (number(low), number(high)) {
                (Some(low), Some(high)) => Self::of(low, low_closed, high, high_closed),
                (Some(value), None) if is_endless(high, "+") => {
                    Some(Self { low: Some(End { value, closed: low_closed }), high: None })
                }
                (None, Some(value)) if is_endless(low, "-") => {
                    Some(Self { low: None, high: Some(End { value, closed: high_closed }) })
                }
                _ => None,
            };
        }
        let (low, high) = ends(inside)?;
        Self::of(low, low_closed, high, high_closed)
    }

    fn of(low: Rational, low_closed: bool, high: Rational, high_closed: bool) -> Option<Self> {
        let is_some = match low.cmp(&high) {
            Ordering::Less => true,
            Ordering::Equal => low_closed && high_closed,
            Ordering::Greater => false,
        };
        let end = |value, closed| Some(End { value, closed });
        is_some.then(|| Self { low: end(low, low_closed), high: end(high, high_closed) })
    }

    /// Whether the range contains a number.
    #[must_use]
    pub fn holds(&self, value: &Rational) -> bool {
        let above = self.low.as_ref().is_none_or(|end| end.value < *value || (end.closed && end.value == *value));
        above && self.high.as_ref().is_none_or(|end| *value < end.value || (end.closed && end.value == *value))
    }

    /// Whether the ranges have a number in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        !self.is_below(other) && !other.is_below(self)
    }

    /// Whether every number of the range is below every number of the other.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        match (&self.high, &other.low) {
            (Some(high), Some(low)) => {
                high.value < low.value || (high.value == low.value && !(high.closed && low.closed))
            }
            _ => false,
        }
    }

    /// The order of lower ends: ranges that are unbounded below come first.
    #[must_use]
    pub fn by_low(&self, other: &Self) -> Ordering {
        match (&self.low, &other.low) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(two)) => one.value.cmp(&two.value).then(two.closed.cmp(&one.closed)),
        }
    }
}

/// Whether a side of brackets is unbounded: it is empty, or infinity with this sign. The upper side needs no sign.
fn is_endless(side: &str, sign: &str) -> bool {
    let side = side.trim().to_lowercase();
    let word = side.strip_prefix(sign).unwrap_or(if sign == "+" { side.as_str() } else { "" });
    side.is_empty() || matches!(word, "inf" | "infinity" | "∞")
}

/// Both ends of a range without brackets: numbers with optional signs, around `-`, `–`, `..`, `:` or `to`.
fn ends(text: &str) -> Option<(Rational, Rational)> {
    let sign = usize::from(text.starts_with('-'));
    ["..", " to ", ":", "-", "–"].into_iter().find_map(|mark| {
        // The sign of the first number is not a separator.
        let at = text.get(sign..)?.find(mark)? + sign;
        let (low, high) = (text.get(..at)?.trim(), text.get(at + mark.len()..)?.trim());
        let signed = |text: &str| match text.strip_prefix('-') {
            Some(rest) => unsigned(rest).map(|value| -value),
            None => unsigned(text),
        };
        // `08:15` is a time of day.
        let is_code = |text: &str| text.len() > 1 && text.starts_with('0') && mark == ":";
        if is_code(low) || is_code(high) {
            return None;
        }
        Some((signed(low)?, signed(high)?))
    })
}
