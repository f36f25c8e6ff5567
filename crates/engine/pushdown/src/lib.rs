//! Translates a query to one statement in the SQL of the engine that holds the rows: only bounded totals leave the
//! engine.
//!
//! | topic | module |
//! |---|---|
//! | spellings of each engine | `dialect`: a table |
//! | expressions that are total and equal in all engines | `expression` |
//! | bounding and summing rows | `statement`, with `keys` and `grid` |
//! | detection of changed rows | `contents` |
//! | checks of an answer, and its totals | [`Answer`] |
//! | the curator's survey of a table | [`fn@survey`] |
//! | communication with the engine | [`EngineQuery`], [`look`] |
//! | queries that engines do not compute | [`Refusal`] |
//! | tests of an engine | [`Trial`]: on made-up rows (`made_up`), as a part of the statement (`values`) |
//!
//! Cells and rows are chosen by SHA-256 of the entity and the cell, which every engine computes. `deniable_execute`
//! computes the same choice for such queries ([`deniable_query::Query::portable`]), so the exact cells do not depend on
//! where the rows are.

mod answer;
mod contents;
mod dialect;
mod engine_query;
mod expression;
mod grid;
mod keys;
mod made_up;
mod prepared;
mod refusal;
mod statement;
mod survey;
mod trial;
mod values;

pub use answer::{Answer, AnswerMismatch, Contents, Row};
pub use deniable_data::StorageType;
pub use dialect::Dialect;
pub use engine_query::{EngineQuery, look};
pub use prepared::{PreparedPushdown, exact, prepare};
pub use refusal::Refusal;
pub use statement::statement;
pub use survey::{Survey, survey};
pub use trial::Trial;
pub use values::as_declared;

/// Rows of integers.
pub type Numbers = Vec<Vec<i128>>;

/// A statement for an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The SQL, with a parameter for the salt: 64 hexadecimal digits.
    pub sql: String,
    /// Number of sums after the cell in each row of the answer; then follow the largest ranks of cells and of rows, and
    /// the number of cells.
    pub sums: usize,
}

impl Statement {
    /// Number of sums in a row, padding included.
    fn width(&self) -> usize {
        self.sums.max(contents::NUMBERS)
    }
}

// `tests/it` is part of the unit tests' program, so that each crate links one program. It names this crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_pushdown;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
