//! Window functions over results, as data.

use super::{Sort, Term};

/// A window function: of each row, over some of the rows that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// What is worked out.
    pub function: WindowFunction,
    /// What it is worked out of; a number for functions that look at none.
    pub argument: Term,
    /// Rows that agree in all of these belong together.
    pub partition: Vec<Term>,
    /// The order of rows in a partition; in none, all of them are one.
    pub order: Vec<Sort>,
    /// Whether rows that the order does not tell apart come together into a running total.
    pub with_peers: bool,
    /// The levels of the rows that it looks at.
    pub levels: Vec<usize>,
}

/// What is worked out of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowFunction {
    /// The sum; of ordered rows up to this one.
    Sum,
    /// The average of the same.
    Average,
    /// How many rows there are, of the same.
    Count,
    /// How many of them have a value.
    Present,
    /// The least value of the same.
    Least,
    /// The greatest.
    Greatest,
    /// The place of the row; rows that the order does not tell apart share the first of theirs.
    Rank,
    /// The same without gaps.
    DenseRank,
    /// The place of the row; as rows come where the order does not tell them apart.
    RowNumber,
    /// The value so many rows before; behind, where it is negative.
    Lag(i64),
    /// The value of the one row of a subquery.
    Only,
}

impl Window {
    /// The number of parts of all its expressions.
    pub fn size(&self) -> usize {
        let order = self.order.iter().map(|by| &by.term);
        [&self.argument].into_iter().chain(&self.partition).chain(order).map(Term::size).sum()
    }
}

impl WindowFunction {
    /// Whether it is a weighted sum of values.
    pub fn adds(self) -> bool {
        matches!(self, Self::Sum | Self::Average)
    }
}
