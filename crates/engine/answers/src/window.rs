//! Window functions over shown rows: parts of a total, ranks, running totals, changes from one row to the next. They
//! depend on noisy numbers alone (C-3) and cost nothing.
//!
//! A sum over rows is a weighted sum of noisy numbers, so its interval, and that of a ratio to it, follows as for other
//! sums (M-PIV). Ranks and row numbers are those of the noisy numbers, and have no interval.
//!
//! An aggregate of results is a window over all rows with equal keys, of which one row is kept; a subquery of one row
//! is a window through which every row reads that row.

use crate::evaluate::{Evaluator, Place, constant, key};
use crate::exact::{self, limited};
use crate::form::{At, Form, Linear};
use crate::intervals::placed;
use crate::number::Number;
use crate::pivot::Cell;
use crate::slope::Slope;
use crate::steps::{Value, nothing, order};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::margin;
use deniable_core::schema::Key;
use deniable_query::output::{Frame, MOST_ROWS, MOST_VALUES, Operator, Term, Window, WindowFunction};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// The value of a window function for a row.
#[derive(Debug, Clone)]
pub(crate) enum WindowValue {
    /// The aggregate of some rows of a partition; no value if all of them are NULL.
    Aggregate { rows: Arc<Vec<Place>>, covered: Range<usize>, value: Option<Rational> },
    /// Another row; `None` beyond the ends.
    Row(Option<Place>),
    /// A position in an order.
    Rank(usize),
    /// A position in an order as a share: of how many rows, and the number of rows.
    Share(usize, usize),
    /// A number of rows.
    Count(usize),
}

/// The window's value for each row.
pub(crate) type View = HashMap<Place, WindowValue>;

impl Evaluator<'_> {
    /// Computes a window over these rows.
    pub(crate) fn look(&self, window: &Window, rows: &[Place]) -> View {
        let mut partitions: Vec<Vec<Place>> = Vec::new();
        let mut known: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
        for row in rows {
            let at = *known.entry(self.values(&window.partition, *row)).or_insert_with(|| {
                partitions.push(Vec::new());
                partitions.len() - 1
            });
            partitions[at].push(*row);
        }
        let mut view = View::new();
        // Without rows there is still one aggregate of them.
        if partitions.is_empty()
            && let Some(place) = nothing(&window.levels)
        {
            view.insert(place, self.nothing_seen(window));
        }
        for rows in partitions {
            let (keys, rows): (Vec<Vec<Value>>, Vec<Place>) = self.sorted(&window.order, rows).into_iter().unzip();
            self.look_at(window, &keys, Arc::new(rows), &mut view);
        }
        view
    }

    /// A view in which all rows read the same row, or no row.
    pub(crate) fn see_one(&self, rows: &[Place], one: Option<Place>) -> View {
        rows.iter().map(|row| (*row, WindowValue::Row(one))).collect()
    }

    /// The row whose value a window returns for this row, and the term; `None` for other windows.
    pub(crate) fn other_row(&self, window: usize, row: Place) -> Option<(&Term, Option<Place>)> {
        match self.seen(window, row)? {
            (Window { argument, .. }, WindowValue::Row(other)) => Some((argument, *other)),
            _ => None,
        }
    }

    /// The value of a window over no rows.
    fn nothing_seen(&self, window: &Window) -> WindowValue {
        match window.function {
            WindowFunction::Count | WindowFunction::Present => WindowValue::Count(0),
            _ => WindowValue::Aggregate { rows: Arc::default(), covered: 0..0, value: None },
        }
    }

    /// Adds the values of one partition, whose rows are sorted by `keys`.
    fn look_at(&self, window: &Window, keys: &[Vec<Value>], rows: Arc<Vec<Place>>, view: &mut View) {
        let is_peer = |left: usize, right: usize| order(&window.order, &keys[left], &keys[right]) == Ordering::Equal;
        let mut so_far = Tally::default();
        let (mut start, mut dense) = (0, 0);
        while start < rows.len() {
            // Rows that compare equal in the order (peers).
            let end = (start..rows.len()).find(|at| !is_peer(start, *at)).unwrap_or(rows.len());
            dense += 1;
            for at in start..end {
                let seen = match window.function {
                    WindowFunction::Sum
                    | WindowFunction::Average
                    | WindowFunction::Least
                    | WindowFunction::Greatest
                    | WindowFunction::Count
                    | WindowFunction::Present => {
                        let covered = covered(window.frame, at, end, rows.len());
                        self.advance(window, &rows, covered, &mut so_far)
                    }
                    WindowFunction::Rank => WindowValue::Rank(start + 1),
                    WindowFunction::DenseRank => WindowValue::Rank(dense),
                    WindowFunction::RowNumber => WindowValue::Rank(at + 1),
                    WindowFunction::Tile(parts) => WindowValue::Rank(tile(at, rows.len(), parts)),
                    WindowFunction::Lag(by) => {
                        let other = i64::try_from(at).ok().and_then(|at| usize::try_from(at.checked_sub(by)?).ok());
                        WindowValue::Row(other.and_then(|at| rows.get(at)).copied())
                    }
                    WindowFunction::PercentRank => WindowValue::Share(start, rows.len().saturating_sub(1).max(1)),
                    WindowFunction::CumulativeShare => WindowValue::Share(end, rows.len()),
                    WindowFunction::FromStart(place) => {
                        let rows = &rows[covered(window.frame, at, end, rows.len())];
                        WindowValue::Row(usize::try_from(place).ok().and_then(|place| rows.get(place)).copied())
                    }
                    WindowFunction::Last => {
                        WindowValue::Row(rows[covered(window.frame, at, end, rows.len())].last().copied())
                    }
                    WindowFunction::Only => WindowValue::Row(rows.first().copied()),
                };
                view.insert(rows[at], seen);
            }
            start = end;
        }
    }

    /// The aggregate of the rows that a frame covers. Frames that begin with the partition only grow, so their rows are
    /// added to those of the frame before.
    fn advance(
        &self,
        window: &Window,
        rows: &Arc<Vec<Place>>,
        covered: Range<usize>,
        so_far: &mut Tally,
    ) -> WindowValue {
        // The number of rows needs no walk over them.
        if window.function == WindowFunction::Count {
            return WindowValue::Count(covered.len());
        }
        if covered.start > 0 || covered.end < so_far.rows {
            *so_far = Tally { rows: covered.start, ..Tally::default() };
        }
        while so_far.rows < covered.end {
            self.count_in(window, rows[so_far.rows], so_far);
            so_far.rows += 1;
        }
        match window.function {
            WindowFunction::Present => WindowValue::Count(so_far.present),
            function => WindowValue::Aggregate { rows: rows.clone(), covered, value: so_far.value(function) },
        }
    }

    /// Adds a row to a running aggregate.
    fn count_in(&self, window: &Window, row: Place, so_far: &mut Tally) {
        match window.function {
            WindowFunction::Sum | WindowFunction::Average | WindowFunction::Least | WindowFunction::Greatest => {
                if let Some(value) = self.number(&window.argument, row, None).estimate {
                    so_far.add(window.function, value);
                }
            }
            WindowFunction::Present => {
                so_far.present += usize::from(self.value(&window.argument, row) != Value::Null);
            }
            _ => {}
        }
    }

    /// The value of a window for a row, once the window is computed.
    fn seen(&self, window: usize, row: Place) -> Option<(&Window, &WindowValue)> {
        let seen = self.views.get(&window)?.get(&row)?;
        Some((&self.query.output().windows[window], seen))
    }

    /// The position of the row, as a number or a share, or a number of rows, if that is the window's value.
    pub(crate) fn place_of(&self, window: usize, row: Place) -> Option<Rational> {
        match self.seen(window, row)? {
            (_, WindowValue::Rank(place) | WindowValue::Count(place)) => Some(whole(*place)),
            (_, WindowValue::Share(part, all)) => Some(whole(*part) / whole((*all).max(1))),
            (_, WindowValue::Aggregate { .. } | WindowValue::Row(_)) => None,
        }
    }

    /// The position or number of rows as it is shown; `None` for other windows.
    pub(crate) fn shown_place(&self, window: usize, row: Place) -> Option<Key> {
        let place = self.place_of(window, row)?;
        match self.seen(window, row)? {
            (_, WindowValue::Share(..)) => Some(Key::Decimal(place)),
            _ => place.to_integer().to_i64().map(Key::Integer),
        }
    }

    /// The rows that a window aggregates: those that are not NULL, whatever the noise. `None` for other windows, or if
    /// there are too many rows.
    fn aggregated(&self, window: usize, row: Place) -> Option<(WindowFunction, &Term, Vec<Place>)> {
        let (Window { function, argument, .. }, WindowValue::Aggregate { rows, covered, .. }) =
            self.seen(window, row)?
        else {
            return None;
        };
        let rows = &rows[covered.clone()];
        if rows.len() > MOST_ROWS {
            return None;
        }
        let has_value = |row: &&Place| !self.is_null(argument, **row);
        Some((*function, argument, rows.iter().filter(has_value).copied().collect()))
    }

    /// Whether a value is NULL whatever the noise: because of public values or of shown ones.
    fn is_null(&self, term: &Term, row: Place) -> bool {
        let (term, row) = self.settled(term, row);
        match term {
            Term::Null => true,
            Term::Key(group) => matches!(key(self.query, *group, row), None | Some(Key::Null)),
            Term::Arithmetic(operator, sides) => {
                let divides_by_zero = || {
                    let (divisor, row) = self.settled(&sides[1], row);
                    *operator == Operator::Divide && constant(self.query, divisor, row).is_some_and(|by| by.is_zero())
                };
                sides.iter().any(|side| self.is_null(side, row)) || divides_by_zero()
            }
            Term::Function(_, inner) => self.is_null(inner, row),
            Term::Number(_)
            | Term::Answer(_)
            | Term::Text(_)
            | Term::Level
            | Term::Grouping(_)
            | Term::Window(_)
            | Term::Case(..)
            | Term::Lookup(..) => false,
        }
    }

    /// Whether a number depends on too many values for an interval.
    pub(crate) fn is_of_too_many(&self, term: &Term, row: Place) -> bool {
        let mut left = MOST_VALUES;
        self.count_values(term, row, &mut left).is_none()
    }

    /// Subtracts the number of values that a number depends on from `left`; `None` below zero.
    fn count_values(&self, term: &Term, row: Place, left: &mut usize) -> Option<()> {
        *left = left.checked_sub(1)?;
        let (term, row) = self.settled(term, row);
        match term {
            Term::Window(window) => match self.seen(*window, row) {
                // Sums over more rows have no interval and visit no row.
                Some((Window { argument, .. }, WindowValue::Aggregate { rows, covered, .. }))
                    if covered.len() <= MOST_ROWS =>
                {
                    rows[covered.clone()].iter().try_for_each(|row| self.count_values(argument, *row, left))
                }
                _ => Some(()),
            },
            Term::Arithmetic(_, sides) => sides.iter().try_for_each(|side| self.count_values(side, row, left)),
            Term::Function(_, inner) => self.count_values(inner, row, left),
            Term::Null
            | Term::Number(_)
            | Term::Answer(_)
            | Term::Key(_)
            | Term::Text(_)
            | Term::Level
            | Term::Grouping(_)
            | Term::Case(..)
            | Term::Lookup(..) => Some(()),
        }
    }

    /// The window's number for a row. A value of another row gets its interval from these margins; sums get theirs from
    /// the distribution of their noise alone.
    pub(crate) fn windowed(&self, window: usize, row: Place, margins: Option<&Vec<BigInt>>) -> Number {
        let unknown = |estimate| Number { estimate, low: None, high: None };
        if let Some(place) = self.place_of(window, row) {
            return Number::exact(Some(place));
        }
        let Some((Window { function, .. }, WindowValue::Aggregate { value, .. })) = self.seen(window, row) else {
            return unknown(None);
        };
        let estimate = value.clone();
        let Some((each, margins)) = self.each.zip(margins) else { return unknown(estimate) };
        let Number { low, high, .. } = match function {
            WindowFunction::Least | WindowFunction::Greatest => self.around_extreme(window, row, margins),
            _ => self.summed(window, row, (each, margins)),
        };
        Number { estimate, low, high }
    }

    /// The interval of the least or the greatest value: from the ends of the values' intervals.
    fn around_extreme(&self, window: usize, row: Place, margins: &Vec<BigInt>) -> Number {
        let ends = || {
            let (function, argument, rows) = self.aggregated(window, row)?;
            let numbers = rows.iter().map(|row| self.number(argument, *row, Some(margins)));
            // A value that is NULL now may be present in the exact answer, and the reverse.
            let numbers: Vec<Number> =
                numbers.map(|number| number.estimate.is_some().then_some(number)).collect::<Option<_>>()?;
            let extreme = |end: fn(&Number) -> &Option<Rational>| {
                let ends = numbers.iter().map(|number| end(number).clone());
                // A value with an unknown end bounds the extreme on one side only.
                let ends = ends.collect::<Option<Vec<Rational>>>()?;
                if function == WindowFunction::Least { ends.into_iter().min() } else { ends.into_iter().max() }
            };
            Some(Number { estimate: None, low: extreme(|number| &number.low), high: extreme(|number| &number.high) })
        };
        ends().unwrap_or(Number { estimate: None, low: None, high: None })
    }

    /// The interval of the sum, or the average, of a window over these rows: from the distribution of its noise if that
    /// is known, and from the ends of the summands otherwise.
    fn summed(&self, window: usize, row: Place, (each, margins): (f64, &Vec<BigInt>)) -> Number {
        let unknown = Number { estimate: None, low: None, high: None };
        if let Some(form) = self.windowed_form(window, row) {
            let value = |(measure, cell): At| self.values[measure][cell];
            let ends =
                Cell { laws: self.laws, value: &value, normal: 0.0, outside: each }.interval(&form, (None, None));
            return placed(None, ends, &unknown);
        }
        let Some((function, argument, rows)) = self.aggregated(window, row).filter(|(.., rows)| !rows.is_empty())
        else {
            return unknown;
        };
        let mut all = Number::exact(Some(Rational::zero()));
        for row in &rows {
            // A value that is NULL now may be present in the exact answer, and the reverse.
            let number = self.number(argument, *row, Some(margins));
            if number.estimate.is_none() {
                return unknown;
            }
            all = all.combine(Operator::Add, &number);
        }
        let share = share(function, rows.len());
        let of_all = |end: Option<Rational>| end.map(|end| end * &share);
        Number { estimate: None, low: of_all(all.low), high: of_all(all.high) }
    }

    /// The interval of a number that windows compute from many others, which share the error probability; `None` if
    /// they are too many.
    pub(crate) fn made_of_many(&self, term: &Term, row: Place) -> Option<Number> {
        let mut all = BTreeSet::new();
        self.parts_of_many(term, row, &mut all)?;
        let each = self.outside / all.len().max(1) as f64 * (1.0 - 1e-9);
        let confidence = whole(1) - Rational::from_float(each)?;
        let margins: Vec<BigInt> = self.decays.iter().map(|decay| margin(decay, &confidence)).collect();
        let views = self.views.clone();
        let one = Self { margins: BTreeMap::new(), ranks: BTreeMap::new(), views, each: Some(each), ..*self };
        Some(one.number(term, row, Some(&margins)))
    }

    /// Collects the inputs of a number's interval: noisy numbers, and sums of them with a known distribution.
    fn parts_of_many(&self, term: &Term, row: Place, found: &mut BTreeSet<(usize, Place)>) -> Option<()> {
        if found.len() > MOST_ROWS {
            return None;
        }
        let (term, row) = self.settled(term, row);
        match term {
            Term::Window(window) if self.place_of(*window, row).is_some() => Some(()),
            Term::Window(window) => {
                if self.windowed_form(*window, row).is_some() {
                    found.insert((self.query.measures().len() + window, row));
                    return Some(());
                }
                let (_, argument, rows) = self.aggregated(*window, row)?;
                rows.iter().try_for_each(|row| self.parts_of_many(argument, *row, found))
            }
            Term::Answer(position) => {
                let measures = self.query.answers(row.level)[*position].measures();
                found.extend(measures.into_iter().map(|measure| (measure, row)));
                Some(())
            }
            Term::Arithmetic(_, sides) => sides.iter().try_for_each(|side| self.parts_of_many(side, row, found)),
            Term::Function(_, inner) => self.parts_of_many(inner, row, found),
            Term::Key(_)
            | Term::Number(_)
            | Term::Null
            | Term::Case(..)
            | Term::Lookup(..)
            | Term::Text(_)
            | Term::Level
            | Term::Grouping(_) => Some(()),
        }
    }

    /// The window's value as sums of noisy numbers, if it is one.
    pub(crate) fn windowed_form(&self, window: usize, row: Place) -> Option<Form> {
        if let Some(place) = self.place_of(window, row) {
            return Some(Form::Linear(Linear::constant(place)));
        }
        let (function, argument, rows) = self.aggregated(window, row)?;
        if !function.adds() || rows.is_empty() {
            return None;
        }
        let mut sum = Form::Linear(Linear::default());
        for row in &rows {
            let form = self.form(argument, *row)?;
            sum = match (sum, form) {
                (Form::Linear(mut sum), Form::Linear(form)) => {
                    sum.add(&form);
                    Form::Linear(sum)
                }
                (sum, form) => sum.combine(Operator::Add, form)?,
            };
        }
        Some(sum.times(&share(function, rows.len()))).filter(Form::is_short)
    }

    /// The derivative of the window's value by each noisy number.
    pub(crate) fn windowed_slope(&self, window: usize, row: Place) -> Option<Slope> {
        if let Some((_, WindowValue::Count(count))) = self.seen(window, row) {
            return Some(Slope::constant(*count as f64));
        }
        let (function, argument, rows) = self.aggregated(window, row)?;
        if !function.adds() {
            return None;
        }
        let mut sum = Slope::constant(0.0);
        for row in &rows {
            sum.add(&self.slope(argument, *row)?);
        }
        Some(sum.times(share(function, rows.len()).to_f64()?))
    }
}

/// A running aggregate.
#[derive(Default)]
struct Tally {
    /// The position after the last row that was added.
    rows: usize,
    present: usize,
    /// The sum, or the extreme value.
    value: Option<Rational>,
    /// Whether the sum exceeded the limit of bits, after which it stays NULL.
    is_too_long: bool,
}

impl Tally {
    fn add(&mut self, function: WindowFunction, value: Rational) {
        self.present += 1;
        self.value = match (self.value.take(), function) {
            (None, _) if self.is_too_long => None,
            (None, _) => Some(value),
            (Some(known), WindowFunction::Least) if exact::compare(&known, &value).is_le() => Some(known),
            (Some(known), WindowFunction::Greatest) if exact::compare(&known, &value).is_ge() => Some(known),
            (Some(_), WindowFunction::Least | WindowFunction::Greatest) => Some(value),
            (Some(known), _) => limited(exact::sum(&known, &value)),
        };
        self.is_too_long |= self.value.is_none();
    }

    fn value(&self, function: WindowFunction) -> Option<Rational> {
        let value = self.value.as_ref()?;
        if function == WindowFunction::Average {
            limited(exact::product(value, &share(function, self.present)))
        } else {
            Some(value.clone())
        }
    }
}

/// The rows that a frame covers for the row at this position, whose peers end before `end`.
fn covered(frame: Frame, at: usize, end: usize, rows: usize) -> Range<usize> {
    match frame {
        Frame::Peers => 0..end,
        Frame::Rows { .. } => frame.covered(at, rows),
    }
}

/// The part, from 1, of the row at this position: the first parts have one row more where the rows do not divide evenly.
fn tile(at: usize, rows: usize, parts: u64) -> usize {
    let parts = usize::try_from(parts).unwrap_or(usize::MAX).max(1);
    let (size, longer) = (rows / parts, rows % parts);
    let in_longer = longer * (size + 1);
    if at < in_longer { at / (size + 1) + 1 } else { longer + (at - in_longer) / size.max(1) + 1 }
}

/// The factor of a sum over this many rows.
fn share(function: WindowFunction, rows: usize) -> Rational {
    if function == WindowFunction::Average { whole(1) / whole(rows.max(1)) } else { whole(1) }
}
