//! Parses and checks an engine's answer: whether its sums are possible for any rows.

use super::statement::greatest;
use super::{Numbers, Statement, contents};
use deniable_execute::{Exact, Totals};
use deniable_query::Query;
use std::collections::BTreeSet;

/// A row of an engine's answer: a cell, its sums, and the largest ranks of the rows counted in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The cell, by its position among all combinations of keys.
    pub cell: i128,
    /// The sums.
    pub sums: Vec<i128>,
    /// The largest rank of this cell among the cells of an entity.
    pub cells: i128,
    /// The most rows of one entity in the cell.
    pub rows: i128,
    /// Number of cells in the answer.
    pub of: i128,
}

/// An engine's answer: the totals of cells, and the contents of all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The cells that are not empty.
    pub cells: Vec<Row>,
    /// The contents of the relation, whatever rows count.
    pub contents: Contents,
}

/// The contents of all rows of a relation, independent of order: their number, and sums of keyed hashes. It must not be
/// shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// Number of rows.
    pub rows: i128,
    /// The sums of the hashes.
    pub sums: [i128; contents::SUMS],
}

impl Answer {
    /// Parses rows of integers, each a cell, its sums, both ranks and the number of cells. `None` if they do not have
    /// this form.
    #[must_use]
    pub fn of(rows: &Numbers, statement: &Statement) -> Option<Self> {
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

    /// The exact totals in an engine's answer.
    ///
    /// # Errors
    /// When a cell is invalid or a duplicate, sums are missing, more rows count than the caps allow, or a count or sum
    /// exceeds what all rows can have.
    pub fn totals(&self, query: &Query) -> Result<Exact, AnswerMismatch> {
        let mut totals = Totals::new(query);
        let (caps, all, wanted) = (query.caps(), self.contents.rows, totals.wanted());
        let mut seen = BTreeSet::new();
        // The largest possible size of each sum, over all cells together: each row is in one cell.
        let most: Vec<i128> = wanted.iter().map(|what| greatest(*what, query).saturating_mul(all)).collect();
        let mut sizes = vec![0_i128; wanted.len()];
        for Row { cell, sums, cells, rows, of } in &self.cells {
            if usize::try_from(*of) != Ok(self.cells.len()) {
                return Err(AnswerMismatch("lacks cells that it counted"));
            }
            let place = usize::try_from(*cell).ok().filter(|cell| *cell < query.cells(0));
            let place = place.ok_or(AnswerMismatch("has an invalid cell"))?;
            if !seen.insert(place) {
                return Err(AnswerMismatch("has a cell twice"));
            }
            let is_beyond = |rank: i128, most: u32| rank > i128::from(most) || rank < 1;
            if query.entity().is_some() && (is_beyond(*cells, caps.groups) || is_beyond(*rows, caps.rows_per_group)) {
                return Err(AnswerMismatch("counts more of one entity than the caps allow"));
            }
            let sizes = sizes.iter_mut().zip(sums);
            sizes.for_each(|(size, sum)| *size = size.saturating_add(sum.checked_abs().unwrap_or(i128::MAX)));
            if !totals.set(place, sums) {
                return Err(AnswerMismatch("has sums that no rows can have"));
            }
        }
        if sizes.iter().zip(&most).any(|(size, most)| size > most) {
            return Err(AnswerMismatch("has sums that no rows can have"));
        }
        Ok(totals.finish())
    }
}

/// An engine's answer does not fit its statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine's answer {0}")]
pub struct AnswerMismatch(pub &'static str);
