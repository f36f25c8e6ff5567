//! A question as one statement in the SQL of an engine that holds the rows: bounded totals come back, and nothing else.
//!
//! | question | module |
//! |---|---|
//! | how does each engine spell it? | `dialect`: a table |
//! | which expressions mean the same everywhere, and fail nowhere? | `expression` |
//! | how are rows bounded and added up? | `statement`, by `keys`, on a `grid` |
//! | are the rows still the same? | `contents` |
//! | what should a curator know of them? | [`fn@survey`] |
//! | how is the engine that holds a table asked? | [`Asked`], [`look`] |
//! | what is not computed there, and why? | [`Refusal`] |
//! | does an engine do as it is told? | [`Trial`]: on rows that nobody is in (`made_up`), as a part of the statement (`values`) |
//!
//! Rows are ranked by SHA-256 over the entity and their own values, which every engine computes; the engine of this crate computes the same
//! where a question is asked this way ([`Query::portable`]), so that the exact cells are the same wherever the rows are.

mod asked;
mod contents;
mod dialect;
mod expression;
mod grid;
mod keys;
mod made_up;
mod refusal;
mod statement;
mod survey;
mod trial;
mod values;

pub use asked::{Asked, look};
pub use deniable_engine::Stored;
pub use dialect::Dialect;
pub use refusal::Refusal;
pub use survey::{Survey, survey};
pub use trial::Trial;
pub use values::as_declared;

use crate::bound::{Exact, Totals};
use crate::plan::Query;
use std::collections::BTreeMap;

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

/// A row of what an engine answers: a cell, its sums, and the largest ranks among what was counted in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The cell, by its place among all combinations of keys.
    pub cell: i128,
    /// The sums.
    pub sums: Vec<i128>,
    /// The largest rank of this cell among the cells of an entity.
    pub cells: i128,
    /// The most rows of one entity in the cell.
    pub rows: i128,
    /// How many cells there are in the answer.
    pub of: i128,
}

/// What an engine answers: the totals of cells, and what all rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The cells in which there is anything.
    pub cells: Vec<Row>,
    /// What the rows of the relation are, however many count.
    pub contents: Contents,
}

/// What all rows of a relation are, in any order: how many, and two sums of keyed hashes of them. It must not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// How many.
    pub rows: i128,
    /// The sums.
    pub sums: [i128; 2],
}

impl Answer {
    /// Takes an answer apart: rows as they come, each a cell, its sums, both ranks and the number of cells. `None` where it is something
    /// else.
    #[must_use]
    pub fn of(rows: &[Vec<i128>], statement: &Statement) -> Option<Self> {
        let (mut cells, mut contents) = (Vec::new(), None);
        for row in rows {
            let (cell, rest) = row.split_first()?;
            let (sums, ranks) = rest.split_at_checked(statement.width())?;
            let [most_cells, most_rows, of] = ranks else { return None };
            if *cell == -1 {
                let [rows, sums @ ..] = *sums.first_chunk::<{ contents::NUMBERS }>()?;
                if contents.replace(Contents { rows, sums }).is_some() {
                    return None;
                }
            } else {
                let sums = sums.get(..statement.sums)?.to_vec();
                cells.push(Row { cell: *cell, sums, cells: *most_cells, rows: *most_rows, of: *of });
            }
        }
        Some(Self { cells, contents: contents? })
    }
}

/// What an engine answered is not what the statement asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine's answer {0}")]
pub struct Lie(pub &'static str);

impl Statement {
    /// How many sums a row has, with those that only fill it up.
    fn width(&self) -> usize {
        self.sums.max(contents::NUMBERS)
    }
}

impl Query {
    /// The statement for an engine, about a relation that is written as the engine takes it. `stored` says how it keeps each column.
    ///
    /// # Errors
    /// What is not computed there.
    pub fn statement(
        &self,
        dialect: Dialect,
        relation: &str,
        stored: &BTreeMap<String, Stored>,
    ) -> Result<Statement, Refusal> {
        statement::statement(self, dialect, relation, stored, &Totals::new(self).wanted())
    }

    /// The exact totals that an engine answered.
    ///
    /// # Errors
    /// When a cell is none or there twice, sums are missing, or more counts than the caps allow.
    pub fn exact(&self, answer: &[Row]) -> Result<Exact, Lie> {
        let mut totals = Totals::new(self);
        let caps = self.caps();
        let mut seen = std::collections::BTreeSet::new();
        for Row { cell, sums, cells, rows, of } in answer {
            if usize::try_from(*of) != Ok(answer.len()) {
                return Err(Lie("lacks cells that it had"));
            }
            let place = usize::try_from(*cell).ok().filter(|cell| *cell < self.cells(0));
            let place = place.ok_or(Lie("has a cell that is none"))?;
            if !seen.insert(place) {
                return Err(Lie("has a cell twice"));
            }
            let is_beyond = |rank: i128, most: u32| rank > i128::from(most) || rank < 1;
            if self.entity().is_some() && (is_beyond(*cells, caps.groups) || is_beyond(*rows, caps.rows_per_group)) {
                return Err(Lie("counts more of one entity than the caps allow"));
            }
            if !totals.set(place, sums) {
                return Err(Lie("has sums that no rows add up to"));
            }
        }
        Ok(totals.finish())
    }
}
