//! Reports as JSON.

use deniable_core::text::printable_json;
use serde::Serialize;

/// Pretty JSON with a final newline. Hidden characters are escaped, and a number that is not exact as a float is a
/// string, since readers such as JavaScript and jq would change it.
///
/// ```
/// assert_eq!(deniable::json(&[1, u64::MAX]), "[\n  1,\n  \"18446744073709551615\"\n]\n");
/// ```
///
/// # Panics
/// When the value has no JSON form: a map whose keys are not strings or numbers. Reports of this library always have
/// one.
#[must_use]
#[expect(clippy::expect_used, reason = "reports have string keys, and their fields are always serializable")]
pub fn json(value: &impl Serialize) -> String {
    let pretty = serde_json::to_string_pretty(value).expect("a report is serializable");
    printable_json(&with_text_for_long_numbers(&pretty)).into_owned() + "\n"
}

/// The same JSON with quotes around numbers that are not exact as floats.
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

/// Whether a number is unchanged when it is parsed as a float and printed again, and is within ±2^53.
fn is_held_by_floats(number: &str) -> bool {
    const MAX_INTEGER: f64 = 9_007_199_254_740_992.0;
    // Only floats are written with an exponent.
    if number.contains(['e', 'E']) {
        return true;
    }
    let plain = |text: &str| match text.split_once('.') {
        Some((whole, part)) => format!("{whole}.{}", part.trim_end_matches('0')).trim_end_matches('.').to_owned(),
        None => text.to_owned(),
    };
    number.parse::<f64>().is_ok_and(|float| float.abs() <= MAX_INTEGER && plain(&float.to_string()) == plain(number))
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
        assert_eq!(json(&u64::MAX), "\"18446744073709551615\"\n");
    }

    /// Every character, hidden ones included, is read back unchanged.
    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let all: String = ('\0'..=char::MAX).collect();
        let json = json(&[&all]);
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [all]);
        assert!(!json.contains(|c| deniable_core::text::is_hidden(c) && c != '\n'));
        assert_eq!(deniable_core::text::printable_lines(&json), json);
    }
}
