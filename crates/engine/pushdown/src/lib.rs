//! A query as one statement in the SQL of an engine that holds the rows: bounded totals come back, and nothing else.
//!
//! | question | module |
//! |---|---|
//! | how does each engine spell it? | `dialect`: a table |
//! | which expressions mean the same everywhere, and fail nowhere? | `expression` |
//! | how are rows bounded and added up? | `statement`, by `keys`, on a `grid` |
//! | are the rows still the same? | `contents` |
//! | is an answer one, and what are the totals? | [`Answer`] |
//! | what should a curator know of them? | [`fn@survey`] |
//! | how is the engine that holds a table asked? | [`EngineQuery`], [`look`] |
//! | what is not computed there, and why? | [`Refusal`] |
//! | does an engine do as it is told? | [`Trial`]: on rows that nobody is in (`made_up`), as a part of the statement (`values`) |
//!
//! Rows are ranked by SHA-256 over the entity and their own values, which every engine computes. `deniable_execute` computes the same
//! where a query is asked this way ([`deniable_query::Query::portable`]), so that the exact cells are the same wherever the rows are.

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

/// Rows of whole numbers, as they come.
pub type Numbers = Vec<Vec<i128>>;

/// What an engine is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The statement, with a place for the salt: 64 hexadecimal digits.
    pub sql: String,
    /// How many sums stand behind the cell in each of its rows; behind them the largest ranks of cells and of rows, and how many
    /// cells there are.
    pub sums: usize,
}

impl Statement {
    /// How many sums a row has, with those that only fill it up.
    fn width(&self) -> usize {
        self.sums.max(contents::NUMBERS)
    }
}

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_pushdown;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
