//! Window functions over shown rows: parts of a total, ranks, running totals, changes from one row to the next. They act on noisy
//! numbers alone (C-3) and cost nothing.
//!
//! A sum over rows is one more weighted sum of noisy numbers, so that its interval, and that of a ratio to it, follows as for other sums
//! (M-PIV). Ranks and places are those of the noisy numbers, and have none.

use super::evaluate::{Evaluator, Place, Value};
use super::number::Number;
use super::pivot::{Form, Linear};
use super::slope::Slope;
use super::{Sort, Term};
use deniable_core::exact::{Rational, whole};
use num_bigint::BigInt;
use num_traits::Zero;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Over more rows a sum has no interval: each row's would look at all of them.
const MOST_ROWS: usize = 1_000;

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
    /// The place of the row; rows that the order does not tell apart share the first of theirs.
    Rank,
    /// The same without gaps.
    DenseRank,
    /// The place of the row; as rows come where the order does not tell them apart.
    RowNumber,
    /// The value so many rows before; behind, where it is negative.
    Lag(i64),
}

/// What a window gives a row: the rows that it looks at.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    /// The first rows of a partition, and the sum of those that have a value, and how many these are.
    First { rows: Arc<Vec<Place>>, count: usize, sum: Rational, present: usize },
    /// Another row; none beyond the ends.
    Row(Option<Place>),
    /// A place in an order.
    Rank(usize),
}

/// What each row sees.
pub(super) type View = HashMap<Place, Seen>;

impl Evaluator<'_> {
    /// What these rows see through a window.
    pub(super) fn look(&self, window: &Window, rows: &[Place]) -> View {
        let mut partitions: Vec<Vec<Place>> = Vec::new();
        let mut known: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
        for row in rows {
            let key = window.partition.iter().map(|term| self.value(term, *row)).collect();
            let at = *known.entry(key).or_insert_with(|| {
                partitions.push(Vec::new());
                partitions.len() - 1
            });
            partitions[at].push(*row);
        }
        let mut view = View::new();
        for mut rows in partitions {
            rows.sort_by(|left, right| self.order(&window.order, *left, *right));
            self.look_at(window, Arc::new(rows), &mut view);
        }
        view
    }

    fn look_at(&self, window: &Window, rows: Arc<Vec<Place>>, view: &mut View) {
        let is_peer = |left: usize, right: usize| self.order(&window.order, rows[left], rows[right]) == Ordering::Equal;
        let mut start = 0;
        let mut dense = 0;
        let (mut sum, mut present) = (Rational::zero(), 0);
        while start < rows.len() {
            // Rows that the order does not tell apart.
            let end = (start..rows.len()).find(|at| !is_peer(start, *at)).unwrap_or(rows.len());
            dense += 1;
            let size = if window.with_peers { end - start } else { 1 };
            let steps = (start..end).step_by(size).map(|at| at..at + size);
            for step in steps {
                if let WindowFunction::Sum | WindowFunction::Average = window.function {
                    for at in step.clone() {
                        if let Some(value) = self.number(&window.argument, rows[at], None).estimate {
                            sum += value;
                            present += 1;
                        }
                    }
                }
                for at in step.clone() {
                    let seen = match window.function {
                        WindowFunction::Sum | WindowFunction::Average | WindowFunction::Count => {
                            Seen::First { rows: rows.clone(), count: step.end, sum: sum.clone(), present }
                        }
                        WindowFunction::Rank => Seen::Rank(start + 1),
                        WindowFunction::DenseRank => Seen::Rank(dense),
                        WindowFunction::RowNumber => Seen::Rank(at + 1),
                        WindowFunction::Lag(by) => {
                            let other = i64::try_from(at).ok().and_then(|at| usize::try_from(at.checked_sub(by)?).ok());
                            Seen::Row(other.and_then(|at| rows.get(at)).copied())
                        }
                    };
                    view.insert(rows[at], seen);
                }
            }
            start = end;
        }
    }

    /// What a row sees through a window that was looked through; nothing before.
    fn seen(&self, window: usize, row: Place) -> Option<(&super::Window, &Seen)> {
        let seen = self.views.get(window)?.get(&row)?;
        Some((&self.query.output().windows[window], seen))
    }

    /// The place of a row, where that is what the window gives.
    pub(super) fn place_of(&self, window: usize, row: Place) -> Option<i64> {
        match self.seen(window, row)? {
            (_, Seen::Rank(place)) => i64::try_from(*place).ok(),
            (_, Seen::First { count, .. }) if self.query.output().windows[window].function == WindowFunction::Count => {
                i64::try_from(*count).ok()
            }
            _ => None,
        }
    }

    /// The number that a window gives a row, with the interval that these margins give the value of another row; sums have theirs from the
    /// law of their noise alone.
    pub(super) fn windowed(&self, window: usize, row: Place, margins: Option<&Vec<BigInt>>) -> Number {
        let unknown = |estimate| Number { estimate, low: None, high: None };
        match self.seen(window, row) {
            None | Some((_, Seen::Row(None))) => unknown(None),
            Some((_, Seen::Rank(place))) => Number::exact(Some(whole(*place))),
            Some((Window { argument, .. }, Seen::Row(Some(other)))) => self.number(argument, *other, margins),
            Some((Window { function, .. }, Seen::First { count, sum, present, .. })) => match function {
                WindowFunction::Count => Number::exact(Some(whole(*count))),
                _ if *present == 0 => unknown(None),
                WindowFunction::Average => unknown(Some(sum / whole(*present))),
                _ => unknown(Some(sum.clone())),
            },
        }
    }

    /// The same as sums of noisy numbers, where it is one.
    pub(super) fn windowed_form(&self, window: usize, row: Place) -> Option<Form> {
        let (Window { function, argument, .. }, seen) = self.seen(window, row)?;
        match seen {
            Seen::Rank(place) => Some(Form::Linear(Linear::constant(whole(*place)))),
            Seen::Row(other) => self.form(argument, (*other)?),
            Seen::First { count, .. } if *function == WindowFunction::Count => {
                Some(Form::Linear(Linear::constant(whole(*count))))
            }
            Seen::First { rows, count, .. } => {
                if rows.len() > MOST_ROWS {
                    return None;
                }
                let mut sum = Linear::constant(Rational::zero());
                for row in &rows[..*count] {
                    let Form::Linear(term) = self.form(argument, *row)? else { return None };
                    sum.add(&term);
                }
                let share = if *function == WindowFunction::Average { whole(1) / whole(*count) } else { whole(1) };
                Some(Form::Linear(sum.times(&share)))
            }
        }
    }

    /// How much it moves with each noisy number.
    pub(super) fn windowed_slope(&self, window: usize, row: Place) -> Option<Slope> {
        let (Window { function, argument, .. }, seen) = self.seen(window, row)?;
        match seen {
            Seen::Rank(_) => None,
            Seen::Row(other) => self.slope(argument, (*other)?),
            Seen::First { count, .. } if *function == WindowFunction::Count => Some(Slope::constant(*count as f64)),
            Seen::First { rows, count, .. } => {
                if rows.len() > MOST_ROWS {
                    return None;
                }
                let mut sum = Slope::constant(0.0);
                for row in &rows[..*count] {
                    sum.add(&self.slope(argument, *row)?);
                }
                let share = if *function == WindowFunction::Average { 1.0 / *count as f64 } else { 1.0 };
                Some(sum.times(share))
            }
        }
    }
}
