//! Reasons why an engine does not compute a query.

/// The reason why an engine does not compute a query, and what to do. It depends on the query and the declarations
/// alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is not computed by an engine: {why}")]
pub struct Refusal {
    /// The construct of the query.
    pub what: String,
    /// The reason.
    pub why: &'static str,
    /// A hint what to do instead.
    pub help: &'static str,
}

/// Hint to store the value in a column, which the curator lets the engine compute before.
pub(super) const MATERIALISE: &str =
    "store the value as a column of the table, or export the rows from the engine as Parquet and query those files";
/// Hint to export the rows, so that this program reads them.
pub(super) const PULL: &str = "export the rows from the engine as Parquet and query those files";

impl Refusal {
    /// The refusal of a column in a type that only the engine has.
    pub(super) fn column(name: &str) -> Self {
        Self::new(
            format!("the column `{name}`"),
            "the engine stores it in a type whose values differ between engines, or does not have it",
            "store whole numbers as integers, decimals as doubles, and texts, booleans and dates as such, or declare \
             only columns stored so",
        )
    }

    pub(super) fn new(what: impl Into<String>, why: &'static str, help: &'static str) -> Self {
        Self { what: what.into(), why, help }
    }
}
