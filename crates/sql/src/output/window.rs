//! Window functions over shown rows: parts of a total, ranks, running totals, changes from one row to the next. They act on noisy
//! numbers alone (C-3) and cost nothing.
//!
//! A sum over rows is one more weighted sum of noisy numbers, so that its interval, and that of a ratio to it, follows as for other sums
//! (M-PIV). Ranks and places are those of the noisy numbers, and have none.

use super::evaluate::{Evaluator, Place, Value};
use super::intervals::placed;
use super::number::Number;
use super::pivot::{At, Cell, Form, Linear};
use super::slope::Slope;
use super::{Operator, Sort, Term};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::margin;
use num_bigint::BigInt;
use num_traits::Zero;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
            Some((Window { function, .. }, Seen::First { count, sum, present, .. })) => {
                let share = match function {
                    WindowFunction::Count => return Number::exact(Some(whole(*count))),
                    _ if *present == 0 => return unknown(None),
                    WindowFunction::Average => whole(1) / whole(*present),
                    _ => whole(1),
                };
                let estimate = Some(sum * &share);
                let Some((each, margins)) = self.each.zip(margins) else { return unknown(estimate) };
                let ends = self.summed(window, row, (each, margins));
                let in_all = |end: Option<Rational>| end.map(|end| end * &share);
                Number { estimate, low: in_all(ends.low), high: in_all(ends.high) }
            }
        }
    }

    /// Between what the sum of a window over these rows lies: from the law of its noise, where that is known, and from the ends of what is
    /// added up otherwise. Averages are sums here.
    fn summed(&self, window: usize, row: Place, (each, margins): (f64, &Vec<BigInt>)) -> Number {
        let unknown = Number { estimate: None, low: None, high: None };
        let Some((Window { argument, function, .. }, Seen::First { rows, count, present, .. })) =
            self.seen(window, row)
        else {
            return unknown;
        };
        if let Some(form) = self.windowed_form(window, row) {
            let value = |(measure, cell): At| self.values[measure][cell];
            let ends =
                Cell { laws: self.laws, value: &value, normal: 0.0, outside: each }.interval(&form, (None, None));
            let all = if *function == WindowFunction::Average { whole(*present) } else { whole(1) };
            let Number { low, high, .. } = placed(None, ends, &unknown);
            return Number { estimate: None, low: low.map(|low| low * &all), high: high.map(|high| high * &all) };
        }
        let mut all = Number::exact(Some(Rational::zero()));
        // One without a value now may have one exactly, and the reverse.
        for row in &rows[..*count] {
            let number = self.number(argument, *row, Some(margins));
            if number.estimate.is_none() {
                return unknown;
            }
            all = all.combine(Operator::Add, &number);
        }
        all
    }

    /// The interval of a number that windows make of many others, each of which misses as rarely as their number asks for; `None` where they are
    /// too many.
    pub(super) fn made_of_many(&self, term: &Term, row: Place) -> Option<Number> {
        let mut all = BTreeSet::new();
        self.parts_of_many(term, row, &mut all)?;
        let each = self.outside / all.len().max(1) as f64 * (1.0 - 1e-9);
        let confidence = whole(1) - Rational::from_float(each)?;
        let margins: Vec<BigInt> = self.decays.iter().map(|decay| margin(decay, &confidence)).collect();
        let views = self.views.clone();
        let one = Self { margins: BTreeMap::new(), ranks: Vec::new(), views, each: Some(each), ..*self };
        Some(one.number(term, row, Some(&margins)))
    }

    /// What the interval of a number rests on: noisy numbers, and sums of them whose law is known.
    fn parts_of_many(&self, term: &Term, row: Place, found: &mut BTreeSet<(usize, Place)>) -> Option<()> {
        if found.len() > MOST_ROWS {
            return None;
        }
        match term {
            Term::Window(window) => match self.seen(*window, row)? {
                (_, Seen::Rank(_)) => Some(()),
                (Window { argument, .. }, Seen::Row(other)) => self.parts_of_many(argument, (*other)?, found),
                (Window { function, .. }, _) if *function == WindowFunction::Count => Some(()),
                (Window { argument, .. }, Seen::First { rows, count, .. }) => {
                    if self.windowed_form(*window, row).is_some() {
                        found.insert((self.query.measures().len() + window, row));
                        return Some(());
                    }
                    rows[..*count].iter().try_for_each(|row| self.parts_of_many(argument, *row, found))
                }
            },
            Term::Answer(position) => {
                let measures = self.query.answers(row.level)[*position].measures();
                found.extend(measures.into_iter().map(|measure| (measure, row)));
                Some(())
            }
            Term::Arithmetic(_, sides) => sides.iter().try_for_each(|side| self.parts_of_many(side, row, found)),
            Term::Function(_, inner) => self.parts_of_many(inner, row, found),
            Term::Key(_) | Term::Number(_) | Term::Text(_) | Term::Level | Term::Grouping(_) => Some(()),
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
