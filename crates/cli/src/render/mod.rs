//! How results look.

pub mod csv;
pub mod ledger;
pub mod plan;
pub mod scan;
pub mod sweep;
pub mod table;
pub mod verdict;

use crate::error::Failure;
use serde::Serialize;

/// Pretty JSON with a final newline.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| {
        Failure::refused(format!("the answers cannot be written as JSON: {error}"), "choose another --format")
    })
}
