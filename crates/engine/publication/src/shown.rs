//! The published form of an answer, which a ledger records so that a report needs no policy.

use crate::numbers::Confidence;
use crate::table::Answer;
use serde::{Deserialize, Serialize};

/// The forms of stored answers whose record has a published form in its field `published`.
pub const HELD_BY: [&str; 2] = ["sql/1", "gwas/1"];
/// Tables of more cells are not recorded: no page shows them, and the policy can show them again.
const MOST_CELLS: usize = 20_000;

/// An answer with the confidence of its intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAnswer {
    /// The confidence.
    pub confidence: Confidence,
    /// The answer.
    pub table: Answer,
}

/// The record of a published answer in the ledger, with the names of the policy that asked. Neither its names nor its
/// intervals follow from the ledger's numbers alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedForm {
    /// The confidence of the intervals.
    pub confidence: Confidence,
    /// The answer; `None` if the table is too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Answer>,
    /// The assumptions published with the guarantee; `None` if they follow from the guarantee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<String>>,
}

impl PublishedForm {
    /// The form of an answer that was published with these assumptions.
    #[must_use]
    pub fn new(shown: ShownAnswer, assumptions: Option<Vec<String>>) -> Self {
        let ShownAnswer { confidence, table } = shown;
        let cells = table.rows.len() * table.columns.len();
        Self { confidence, table: (cells <= MOST_CELLS).then_some(table), assumptions }
    }

    /// Reads the published form of a stored record; `None` if the record contains no such form.
    ///
    /// # Errors
    /// When the field exists and cannot be read.
    pub fn of(record: &serde_json::Value) -> Result<Option<Self>, serde_json::Error> {
        record.get("published").map(Self::deserialize).transpose()
    }
}
