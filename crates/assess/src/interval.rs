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

/// A range of numbers; without an end it goes on for ever.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The lower end; `None` where nothing bounds it below.
    pub low: Option<End>,
    /// The upper end; `None` where nothing bounds it above.
    pub high: Option<End>,
}

/// A plain number with a sign or none, as it stands in a table: `30`, `-1.5`, `1e3`.
#[must_use]
pub fn number(text: &str) -> Option<Rational> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    // An `e` alone is no number, and neither is a lone sign: the reader of numbers decides.
    if plain && text.bytes().any(|byte| byte.is_ascii_digit()) { parse_rational(text).ok() } else { None }
}

/// Digits with at most one point among them, and no sign.
fn unsigned(text: &str) -> Option<Rational> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') { number(text) } else { None }
}

impl Interval {
    /// Reads `30-39`, `30–39`, `30..39`, `[30,39]`, `[30-39]`, `[30, 40)`, `[30, 40[`, `]30,40]`, `(30,40]`, `<30`, `<=30`, `≤30`,
    /// `>60`, `>=60`, `≥60` and `60+`. `None` for anything else, and for a range that no number is in.
    ///
    /// Without brackets both ends belong to a range, and neither has a sign, so that a date is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::half(text).or_else(|| Self::bracketed(text)).or_else(|| {
            let (low, high) = ends(text)?;
            Self::of(unsigned(low)?, true, unsigned(high)?, true)
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
            return Self::of(number(low)?, low_closed, number(high)?, high_closed);
        }
        let (low, high) = ends(inside)?;
        Self::of(unsigned(low)?, low_closed, unsigned(high)?, high_closed)
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

    /// Whether a number is in it.
    #[must_use]
    pub fn holds(&self, value: &Rational) -> bool {
        let above = self.low.as_ref().is_none_or(|end| end.value < *value || (end.closed && end.value == *value));
        above && self.high.as_ref().is_none_or(|end| *value < end.value || (end.closed && end.value == *value))
    }

    /// Whether some number is in both.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        !self.is_below(other) && !other.is_below(self)
    }

    /// Whether every number in it is below every number in the other.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        match (&self.high, &other.low) {
            (Some(high), Some(low)) => {
                high.value < low.value || (high.value == low.value && !(high.closed && low.closed))
            }
            _ => false,
        }
    }

    /// The order of lower ends: what has none is first.
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

/// Both sides of the one `-`, `–` or `..` of a text.
fn ends(text: &str) -> Option<(&str, &str)> {
    ["..", "-", "–"].into_iter().find_map(|mark| {
        let (low, high) = text.split_once(mark)?;
        (!low.trim().is_empty() && !high.contains(mark)).then_some((low, high))
    })
}
