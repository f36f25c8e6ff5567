//! Window functions over results, as data.

use super::{Sort, Term};

/// A window function, which computes a value for each row from some of the shown rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The function.
    pub function: WindowFunction,
    /// Its argument; a number for functions without one.
    pub argument: Term,
    /// Rows that agree in all of these terms form a partition.
    pub partition: Vec<Term>,
    /// The order of rows in a partition; if empty, all rows are peers.
    pub order: Vec<Sort>,
    /// Whether rows that compare equal in the order (peers) enter a running total together.
    pub with_peers: bool,
    /// The levels of the rows that the window reads.
    pub levels: Vec<usize>,
}

/// A window function. With an order, aggregates cover the rows up to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowFunction {
    /// The sum.
    Sum,
    /// The average.
    Average,
    /// Number of rows.
    Count,
    /// Number of rows where the argument is not NULL.
    Present,
    /// The least value.
    Least,
    /// The greatest value.
    Greatest,
    /// The rank of the row; peers share the first of their ranks.
    Rank,
    /// The rank without gaps.
    DenseRank,
    /// The position of the row; peers are numbered in their current order.
    RowNumber,
    /// The value this many rows before; after, if negative.
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
    /// Whether the value is a weighted sum of values.
    pub fn adds(self) -> bool {
        matches!(self, Self::Sum | Self::Average)
    }
}
