//! How results look.

pub mod about_priors;
pub mod csv;
pub mod ledger;
pub mod scan;
pub mod sweep;
pub mod table;
pub mod true_errors;
pub mod verdict;

use crate::error::Failure;
use deniable_core::text::printable_json;
use serde::Serialize;

/// Pretty JSON with a final newline, in which whatever is not seen is escaped, and numbers that floats do not hold are
/// text.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    let for_people = |text: String| printable_json(&with_text_for_long_numbers(&text)).into_owned() + "\n";
    serde_json::to_string_pretty(value).map(for_people).map_err(|error| {
        Failure::refused(format!("the answers cannot be written as JSON: {error}"), "choose another --format")
    })
}

/// The same JSON with quotes around the numbers that readers with floats alone, such as JavaScript and jq, would
/// change.
fn with_text_for_long_numbers(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| matches!(c, '"' | '-' | '0'..='9')) {
        let (before, from) = rest.split_at(start);
        let is_text = from.starts_with('"');
        let end = if is_text { text_end(from) } else { from.find(|c| !is_of_number(c)).unwrap_or(from.len()) };
        let (token, after) = from.split_at(end);
        let quote = if is_text || is_held_by_floats(token) { "" } else { "\"" };
        written.extend([before, quote, token, quote]);
        rest = after;
    }
    written.push_str(rest);
    written
}

fn is_of_number(c: char) -> bool {
    matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')
}

/// The length of the text that JSON begins with, its quotes included.
fn text_end(json: &str) -> usize {
    let mut is_escaped = false;
    let closing = json.char_indices().skip(1).find(|(_, c)| {
        let is_closing = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_closing
    });
    closing.map_or(json.len(), |(at, _)| at + 1)
}

/// Whether reading a number into a float and writing it again leaves it as it is, and it is within ±2^53.
fn is_held_by_floats(number: &str) -> bool {
    const MOST: f64 = 9_007_199_254_740_992.0;
    // An exponent is written of floats alone.
    if number.contains(['e', 'E']) {
        return true;
    }
    let plain = |text: &str| match text.split_once('.') {
        Some((whole, part)) => format!("{whole}.{}", part.trim_end_matches('0')).trim_end_matches('.').to_owned(),
        None => text.to_owned(),
    };
    number.parse::<f64>().is_ok_and(|float| float.abs() <= MOST && plain(&float.to_string()) == plain(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_floats_change_are_text() {
        let changed = |json: &str| with_text_for_long_numbers(json);
        for kept in [
            r#"{"9007199254740993":[0,-1,1.50,0.1,-0.25,9007199254740992,1e300,2.5e-7]}"#,
            r#"["\\","12345678901234567890 \" 9007199254740993",true,null]"#,
            "9007199254740991",
        ] {
            assert_eq!(changed(kept), kept);
        }
        assert_eq!(
            changed(r#"{"n":9007199254740993,"m":-9007199254740994}"#),
            r#"{"n":"9007199254740993","m":"-9007199254740994"}"#
        );
        assert_eq!(changed("[0.1234567890123456789, 1]"), r#"["0.1234567890123456789", 1]"#);
        let Ok(json) = json(&u64::MAX) else { panic!("it cannot be written") };
        assert_eq!(json, "\"18446744073709551615\"\n");
    }

    /// Every character, so every one that is hidden, comes back as it was.
    #[test]
    fn json_is_safe_and_says_the_same() {
        let all: String = ('\0'..=char::MAX).collect();
        let Ok(json) = json(&[&all]) else { panic!("it cannot be written") };
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [all]);
        assert!(!json.contains(|c| deniable_core::text::is_hidden(c) && c != '\n'));
        assert_eq!(deniable_core::text::printable_lines(&json), json);
    }
}
