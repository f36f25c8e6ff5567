//! The published form of an answer, which a ledger records so that a report needs no policy.

use crate::statement::Context;
use crate::table::Answer;
use serde::{Deserialize, Serialize};

/// The forms of stored answers whose record has a published form in its field `published`.
pub const HELD_BY: [&str; 2] = ["sql/1", "gwas/1"];
/// Tables of more cells are not recorded: no page shows them, and the policy can show them again.
const MOST_CELLS: usize = 20_000;

/// An answer in the words of the policy that asked first. Neither its names nor its intervals follow from the ledger's numbers
/// alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownAnswer {
    /// The confidence of its intervals.
    pub confidence: String,
    /// The answer.
    pub table: Answer,
    /// What was stated with the guarantee of its account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

impl ShownAnswer {
    /// The answer as a ledger records it: `None` where the table is too large.
    #[must_use]
    pub fn for_record(self) -> Option<Self> {
        let cells = self.table.rows.len() * self.table.columns.len();
        (cells <= MOST_CELLS).then_some(self)
    }

    /// Reads it from a stored record; `None` where the record has none.
    ///
    /// # Errors
    /// When the field is there and cannot be read.
    pub fn of(record: &serde_json::Value) -> Result<Option<Self>, serde_json::Error> {
        record.get("published").map(Self::deserialize).transpose()
    }
}
