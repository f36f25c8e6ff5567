//! What the ledger remembers of what was shown, so that a report can be written from the ledger alone.

use crate::statement::Statement;
use crate::table::Answer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name under which an answer's entry in the ledger holds it.
const FIELD: &str = "published";
/// The forms of stored answers that hold it so.
pub const HELD_BY: [&str; 2] = ["sql/1", "gwas/1"];
/// Tables of more cells than this are not kept a second time: no page shows them, and the policy can show them again.
const MOST_CELLS: usize = 20_000;

/// An answer as it was first shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownAnswer {
    /// The confidence of its intervals.
    pub confidence: String,
    /// The answer.
    pub table: Answer,
    /// The guarantee that was given with it.
    pub guarantee: Statement,
}

impl ShownAnswer {
    /// Adds it to an answer's entry, unless it is too large.
    pub fn add_to(&self, entry: &mut Value) {
        if let (Value::Object(fields), Some(own)) = (entry, self.as_field()) {
            fields.insert(FIELD.to_owned(), own);
        }
    }

    /// Removes it from an answer's entry.
    pub fn remove_from(entry: &mut Value) {
        if let Value::Object(fields) = entry {
            fields.remove(FIELD);
        }
    }

    /// What the field `published` of an answer's entry holds; `None` where it would be too large.
    #[must_use]
    pub fn as_field(&self) -> Option<Value> {
        let cells = self.table.rows.len() * self.table.columns.len();
        serde_json::to_value(self).ok().filter(|_| cells <= MOST_CELLS)
    }

    /// What an answer's entry holds; `None` where it was too large.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn of(entry: &Value) -> Result<Option<Self>, serde_json::Error> {
        entry.get(FIELD).map(Self::deserialize).transpose()
    }
}
