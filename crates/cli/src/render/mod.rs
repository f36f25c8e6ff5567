//! How results look.

pub mod about_priors;
pub mod csv;
pub mod ledger;
pub mod plan;
pub mod scan;
pub mod sweep;
pub mod table;
pub mod true_errors;
pub mod verdict;

use crate::error::Failure;
use deniable_core::text::printable_json;
use serde::Serialize;

/// Pretty JSON with a final newline, in which whatever is not seen is escaped.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| printable_json(&text).into_owned() + "\n").map_err(|error| {
        Failure::refused(format!("the answers cannot be written as JSON: {error}"), "choose another --format")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
