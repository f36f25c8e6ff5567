//! Window functions over results, as data.

use super::{Sort, Term};
use std::ops::Range;

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
    /// The rows of the partition that an aggregate covers.
    pub frame: Frame,
    /// The levels of the rows that the window reads.
    pub levels: Vec<usize>,
}

/// The rows of a partition, in its order, that an aggregate covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// The rows up to the current one and those that compare equal to it (peers): all rows without an order.
    Peers,
    /// Rows by their distance from the current one, both ends included: negative before it, `None` without an end.
    Rows {
        /// The first row.
        from: Option<i64>,
        /// The last row.
        to: Option<i64>,
    },
}

/// A window function.
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
    /// The number of the row's part if the rows are divided into this many parts of nearly equal size.
    Tile(u64),
    /// The rank among the other rows, between 0 and 1: rows with a smaller rank divided by the number of other rows.
    PercentRank,
    /// The share of rows up to this one and its peers.
    CumulativeShare,
    /// The value this many rows before; after, if negative.
    Lag(i64),
    /// The value of the row at this position in the frame, the first being 0.
    FromStart(u64),
    /// The value of the last row in the frame.
    Last,
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

impl Frame {
    /// The rows that the frame has in a partition of `rows` rows for the row at this position.
    #[must_use]
    pub fn covered(self, at: usize, rows: usize) -> Range<usize> {
        let Self::Rows { from, to } = self else { return 0..rows };
        let place = |offset: i64| {
            let place = i64::try_from(at).unwrap_or(i64::MAX).saturating_add(offset);
            usize::try_from(place.max(0)).unwrap_or(usize::MAX).min(rows)
        };
        let (start, end) = (from.map_or(0, place), to.map_or(rows, |to| place(to.saturating_add(1))));
        start..end.max(start)
    }

    /// Whether the frame of every row contains the row itself.
    #[must_use]
    pub fn contains_its_row(self) -> bool {
        match self {
            Self::Peers => true,
            Self::Rows { from, to } => from.is_none_or(|from| from <= 0) && to.is_none_or(|to| to >= 0),
        }
    }

    /// The largest number of rows, if the frame has two ends.
    #[must_use]
    pub fn width(self) -> Option<u64> {
        match self {
            Self::Rows { from: Some(from), to: Some(to) } => {
                Some(u64::try_from(to.saturating_sub(from).saturating_add(1)).unwrap_or(0))
            }
            Self::Peers | Self::Rows { .. } => None,
        }
    }
}

impl WindowFunction {
    /// Whether the value is a weighted sum of values.
    pub fn adds(self) -> bool {
        matches!(self, Self::Sum | Self::Average)
    }
}
