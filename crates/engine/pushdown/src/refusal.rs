//! What is not computed where the rows are.

/// Why a question is not asked of an engine, and what to do. Follows from the question and the declarations alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is not computed by an engine: {why}")]
pub struct Refusal {
    /// What of the question.
    pub what: String,
    /// Why not.
    pub why: &'static str,
    /// What to do.
    pub help: &'static str,
}

/// Put the value into a column, where the engine computes it before, for the curator.
pub(super) const MATERIALISE: &str =
    "keep the value as a column of the table, or let the engine write the rows as Parquet and ask these files";
/// Have the rows here.
pub(super) const PULL: &str = "let the engine write the rows as Parquet, and ask these files";

impl Refusal {
    /// A column in a type of the engine's own.
    pub(super) fn column(name: &str) -> Self {
        Self::new(
            format!("the column `{name}`"),
            "the engine keeps it in a type of which not all values mean the same everywhere, or does not have it",
            "let the engine keep whole numbers as integers, decimals as doubles, texts, booleans and dates as such, or declare only columns that it keeps so",
        )
    }

    pub(super) fn new(what: impl Into<String>, why: &'static str, help: &'static str) -> Self {
        Self { what: what.into(), why, help }
    }
}
