//! Texts that somebody wrote, made fit for messages: safe for a terminal, and what was meant by them.

use crate::exact::{Rational, whole};

/// The text with everything escaped that would move a terminal's cursor.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        if c.is_control() { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    safe
}

/// The same, and short enough to stand in a message: its first 60 characters.
#[must_use]
pub fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if text.chars().nth(60).is_some() { "..." } else { "" };
    printable(&short) + more
}

/// The candidate that is a slip of the fingers away from `word`, where there is one.
///
/// Candidates must be public: declared names, and names of our own.
#[must_use]
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let slips = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let near = known.iter().copied().min_by_key(|candidate| slips(candidate))?;
    (slips(near) <= (near.chars().count() / 3).max(1)).then_some(near)
}

/// The percentage that was most likely meant by a number that should be a probability: `75%` for 75.
#[must_use]
pub fn meant_as_percentage(value: &Rational) -> Option<String> {
    (*value >= whole(2) && *value < whole(100)).then(|| format!("{value}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    #[test]
    fn percentages_without_their_sign() {
        assert_eq!(meant_as_percentage(&whole(75)).as_deref(), Some("75%"));
        assert_eq!([ratio(3, 4), whole(1), whole(100)].map(|value| meant_as_percentage(&value)), [None, None, None]);
    }

    #[test]
    fn messages_are_safe_and_short() {
        assert_eq!(shown("1\u{1b}[2J"), "1\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(61)), format!("{}...", "é".repeat(60)));
    }

    #[test]
    fn one_slip_in_three_letters() {
        assert_eq!(nearest("aeg", &["sex", "age"]), Some("age"));
        assert_eq!(nearest("tickets", &["Ticket"]), Some("Ticket"));
        assert_eq!(nearest("weekday", &["sex", "age"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
