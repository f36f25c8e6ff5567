//! Evaluates terms over noisy cells, with intervals.

use crate::exact;
use crate::form::At;
use crate::number::Number;
use crate::order::{key_place, shows};
use crate::pivot::ROUNDING;
use crate::ranks::rank_margin;
use crate::steps::{Cut, is_of_texts};
use crate::window::View;
use deniable_core::exact::{Rational, Rounding, square_root, whole};
use deniable_core::interval::Law;
use deniable_core::noise::{Decay, margin};
use deniable_core::schema::Key;
use deniable_query::output::Term;
use deniable_query::output::parts;
use deniable_query::{Estimator, Measure, MeasureKind, Moments, Query, ValueKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Below this number of rows, one thread is faster.
const MIN_PARALLEL_ROWS: usize = 1_000;
/// Digits of a square root.
pub(crate) const ROOT_PLACES: u32 = 12;

/// The noisy values of a query's measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noisy {
    /// One vector for each measure, with [`Query::width`] integers of units for each cell of its level.
    pub values: Vec<Vec<i128>>,
    /// The values changed so that levels add up ([`crate::consistent::made_consistent`]); `None` if that does not
    /// apply.
    pub consistent: Option<Vec<Vec<i128>>>,
    /// The decay of each measure's noise.
    pub decays: Vec<Decay>,
}

/// One shown row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow(pub Vec<ShownValue>);

/// One shown value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownValue {
    /// A key of a group.
    Key(Key),
    /// In place of a key, in a row about all keys together.
    All,
    /// A text in the query itself.
    Text(String),
    /// A noisy number, or an exact number in the query itself.
    Number {
        /// The released value; `None` where it is undefined (an average over no rows, a division by zero).
        estimate: Option<Rational>,
        /// The interval's lower end; `None` if it is unbounded.
        low: Option<Rational>,
        /// The interval's upper end; `None` if it is unbounded.
        high: Option<Rational>,
        /// The ends of the interval for the population, if the query has one and the number is a mean of one value per
        /// row.
        population: Option<Box<(Rational, Rational)>>,
        /// For a value chosen by its rank, the most rows between its rank and the wanted rank. For a number computed
        /// from such values alone, the most rows from their ranks, all of them together.
        rows: Option<BigInt>,
        /// The standard error of its noise; `None` for a value chosen by its rank, or if unknown.
        deviation: Option<Box<Rational>>,
        /// The type of the number.
        value: ValueKind,
        /// The limits that decide the number's class.
        limits: Box<Limits>,
    },
}

/// The possible range of a number for all data, and for a value chosen by its rank, the number of rows it is chosen
/// from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// The least possible value; `None` if it is unbounded.
    pub low: Option<Rational>,
    /// The greatest possible value; `None` if it is unbounded.
    pub high: Option<Rational>,
    /// For a value chosen by its rank: a noisy number of the rows it is chosen from, if the query has one, and the
    /// reach of its noise. For several such values, those of the fewest rows.
    pub rows: Option<(BigInt, BigInt)>,
    /// Whether a value chosen by its rank is one of its bounds, so that the true value may be beyond it.
    pub is_at_bound: bool,
}

/// A shown row: a cell of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) level: usize,
    pub(crate) cell: usize,
}

/// The shown rows, with intervals that cover the clamped-and-capped truth, each with at least `confidence` (in `[0,
/// 1)`).
///
/// Consistent values, if there are any, are shown and used for sorting and filtering. The intervals are those of the
/// noisy values, whose margins are known, extended to the shown value.
#[must_use]
pub fn show(query: &Query, noisy: &Noisy, confidence: &Rational) -> Vec<ShownRow> {
    shown(query, noisy, confidence, false)
}

/// As [`show`], with intervals for the population of which the rows are a simple random sample, where they exist
/// (M-POP).
#[must_use]
pub fn show_with_population(query: &Query, noisy: &Noisy, confidence: &Rational) -> Vec<ShownRow> {
    shown(query, noisy, confidence, true)
}

fn shown(query: &Query, noisy: &Noisy, confidence: &Rational, population: bool) -> Vec<ShownRow> {
    let laws: Vec<Law> = noisy.decays.iter().map(Law::of).collect();
    let levels = query.output().levels.iter();
    let terms = || query.output().columns.iter();
    let sizes = levels.flat_map(|level| terms().map(move |term| parts(term, *level, query)));
    let mut evaluator = Evaluator::new(query, noisy, confidence, &laws, &sizes.collect());
    let rows = evaluator.run(&query.output().levels, &query.output().steps, Cut::AsAsked);
    let shown = |row: &Place| {
        ShownRow(query.output().columns.iter().map(|term| evaluator.shown(term, *row, population)).collect())
    };
    if rows.len() <= MIN_PARALLEL_ROWS {
        return rows.iter().map(shown).collect();
    }
    // Intervals of many cells take a while, so the rows are divided among threads.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = rows.len().div_ceil(threads).max(MIN_PARALLEL_ROWS);
    std::thread::scope(|scope| {
        let spawned: Vec<_> =
            rows.chunks(part).map(|part| scope.spawn(move || part.iter().map(shown).collect())).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<ShownRow>>| match thread.join() {
            Ok(shown) => shown,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        spawned.into_iter().flat_map(join).collect()
    })
}

/// 1 where a row of the answer is about all keys of a group, 0 where it is about one key.
fn grouping(query: &Query, group: usize, row: Place) -> i64 {
    i64::from(!shows(query, row.level, group))
}

/// A number without noise; `None` if the term is noisy or not a number.
pub(crate) fn constant(query: &Query, term: &Term, row: Place) -> Option<Rational> {
    match term {
        Term::Number(value) => Some(value.clone()),
        Term::Key(group) => match key(query, *group, row) {
            Some(Key::Integer(value)) => Some(whole(*value)),
            Some(Key::Decimal(value)) => Some(value.clone()),
            _ => None,
        },
        Term::Level => Some(whole(row.level)),
        Term::Grouping(group) => Some(whole(grouping(query, *group, row))),
        Term::Null
        | Term::Text(_)
        | Term::Answer(_)
        | Term::Arithmetic(..)
        | Term::Function(..)
        | Term::Window(_)
        | Term::Case(..)
        | Term::Lookup(..) => None,
    }
}

/// The key of a group in a row of the answer; `None` where the row is about all keys.
pub(crate) fn key(query: &Query, group: usize, row: Place) -> Option<&Key> {
    query.groups()[group].keys.get(key_place(query, group, row.level, row.cell)?)
}

pub(crate) struct Evaluator<'a> {
    pub(crate) query: &'a Query,
    /// The shown values.
    pub(crate) values: &'a [Vec<i128>],
    /// The noisy values on which intervals are based, if they differ from the shown ones.
    pub(crate) measured: Option<&'a [Vec<i128>]>,
    /// The values that conditions compare: the shown ones, also while an interval is computed from others.
    pub(crate) deciding: &'a [Vec<i128>],
    /// For each number of measures in a term, the margin of every measure.
    pub(crate) margins: BTreeMap<usize, Arc<Vec<BigInt>>>,
    /// The confidence of each interval.
    pub(crate) confidence: &'a Rational,
    /// For each number of measures in a term, the most rows between the value of every measure and the rank it was
    /// chosen for; `None` if the interval is in values.
    pub(crate) ranks: BTreeMap<usize, Vec<Option<BigInt>>>,
    /// The decay of every measure's noise.
    pub(crate) decays: &'a [Decay],
    pub(crate) laws: &'a [Law],
    /// The error probability of an interval.
    pub(crate) outside: f64,
    /// The values of the windows computed so far, by row.
    pub(crate) views: BTreeMap<usize, Arc<View>>,
    /// While the interval of a sum over rows is computed, the error probability of each number in it.
    pub(crate) each: Option<f64>,
}

impl<'a> Evaluator<'a> {
    /// `sizes` are the numbers of measures of the terms to evaluate.
    pub(crate) fn new(
        query: &'a Query,
        noisy: &'a Noisy,
        confidence: &'a Rational,
        laws: &'a [Law],
        sizes: &BTreeSet<usize>,
    ) -> Self {
        let margins = sizes.iter().map(|size| (*size, Arc::new(margins(&noisy.decays, confidence, *size)))).collect();
        let measured = noisy.consistent.is_some().then_some(noisy.values.as_slice());
        let ranks = |size: usize| {
            let each = part_of(confidence, size);
            let rank = |(at, measure): (usize, &Measure)| match measure.kind {
                MeasureKind::Ranked { .. } => rank_margin(query, at, 0, &noisy.decays[at], &each),
                _ => None,
            };
            query.measures().iter().enumerate().map(rank).collect()
        };
        let ranks = sizes.iter().map(|size| (*size, ranks(*size))).collect();
        let outside = (whole(1) - confidence).to_f64().unwrap_or_default();
        Self {
            query,
            values: noisy.shown(),
            measured,
            deciding: noisy.shown(),
            confidence,
            margins,
            ranks,
            decays: &noisy.decays,
            laws,
            outside,
            views: BTreeMap::new(),
            each: None,
        }
    }

    /// The margin of each measure's noise if this many numbers share the error probability.
    pub(crate) fn margins_of(&self, size: usize) -> Arc<Vec<BigInt>> {
        let known = self.margins.get(&size).cloned();
        known.unwrap_or_else(|| Arc::new(margins(self.decays, self.confidence, size)))
    }

    pub(crate) fn shown(&self, column: &Term, row: Place, population: bool) -> ShownValue {
        let (term, row) = self.settled(column, row);
        match term {
            Term::Null if is_of_texts(column, self.query) => ShownValue::Key(Key::Null),
            Term::Key(group) => match key(self.query, *group, row) {
                Some(key) => ShownValue::Key(self.query.groups()[*group].shown(key)),
                None => ShownValue::All,
            },
            Term::Text(text) => ShownValue::Text(text.clone()),
            Term::Grouping(group) => ShownValue::Key(Key::Integer(grouping(self.query, *group, row))),
            Term::Window(window) if let Some(place) = self.shown_place(*window, row) => ShownValue::Key(place),
            Term::Level
            | Term::Null
            | Term::Answer(_)
            | Term::Number(_)
            | Term::Arithmetic(..)
            | Term::Function(..)
            | Term::Case(..)
            | Term::Lookup(..)
            | Term::Window(_) => {
                let (rows, value) = self.rank_error(term, row);
                let Number { low, high, .. } = self.possible(term, row);
                let limits = Box::new(Limits {
                    low,
                    high,
                    rows: rows.as_ref().and_then(|_| self.rows_among(term, row)),
                    is_at_bound: rows.is_some() && self.is_at_bound(term, row),
                });
                if self.is_of_too_many(term, row) {
                    let number = Number { low: None, high: None, ..self.number(term, row, None) };
                    let Number { estimate, low, high } = self.within_whole(number, term, row);
                    return ShownValue::Number {
                        estimate: estimate.and_then(exact::shown),
                        low,
                        high,
                        population: None,
                        rows,
                        deviation: None,
                        value,
                        limits,
                    };
                }
                let margins = self.margins_of(parts(term, row.level, self.query));
                let number = self.number_with_interval(term, row, Some(&margins));
                let Number { estimate, low, high } = self.within_whole(number, term, row);
                let deviation = self.deviation(term, row).and_then(Rational::from_float).map(Box::new);
                let population = population.then(|| self.population(term, row)).flatten().map(Box::new);
                let estimate = estimate.and_then(exact::shown);
                ShownValue::Number { estimate, low, high, population, rows, deviation, value, limits }
            }
        }
    }

    pub(crate) fn number(&self, term: &Term, row: Place, margins: Option<&Vec<BigInt>>) -> Number {
        let (term, row) = self.settled(term, row);
        match term {
            Term::Number(_)
            | Term::Null
            | Term::Case(..)
            | Term::Lookup(..)
            | Term::Key(_)
            | Term::Text(_)
            | Term::Level
            | Term::Grouping(_) => Number::exact(constant(self.query, term, row)),
            Term::Window(window) => self.windowed(*window, row, margins),
            Term::Answer(position) => self.answer(&self.query.answers(row.level)[*position], row.cell, margins),
            Term::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                self.number(left, row, margins).combine(*operator, &self.number(right, row, margins))
            }
            Term::Function(function, inner) => self.number(inner, row, margins).apply(*function),
        }
    }

    fn answer(&self, answer: &Estimator, cell: usize, margins: Option<&Vec<BigInt>>) -> Number {
        let value = |measure: usize| whole(self.values[measure][cell]);
        let reach = |measure: usize| whole(margins.map_or_else(BigInt::zero, |margins| margins[measure].clone()));
        match answer {
            Estimator::Count { measure } => {
                // Counts are not negative.
                around(value(*measure), &reach(*measure), |count| count.max(Rational::zero()))
            }
            Estimator::Sum { measure } => {
                let Measure { unit, kind, .. } = &self.query.measures()[*measure];
                // Sums of values of one sign have that sign.
                let sum = around(value(*measure), &reach(*measure), |sum| match kind {
                    MeasureKind::Sum { range, .. } if range.low >= 0 => sum.max(Rational::zero()),
                    MeasureKind::Sum { range, .. } if range.high <= 0 => sum.min(Rational::zero()),
                    _ => sum,
                });
                let in_values = |units: Option<Rational>| units.map(|units| units * unit);
                Number { estimate: in_values(sum.estimate), low: in_values(sum.low), high: in_values(sum.high) }
            }
            Estimator::Average(moments) => {
                let Moments { centre, low, high, .. } = moments;
                let mean = self.mean(moments, cell, margins);
                let estimate = mean.estimate.map(|mean| (centre + mean).clamp(low.clone(), high.clone()));
                match (mean.low, mean.high) {
                    (Some(least), Some(most)) => cut(estimate, centre + least, centre + most, low, high),
                    _ => Number::within(estimate, low.clone(), high.clone()),
                }
            }
            Estimator::Weighted(moments) => {
                let Moments { centre, low, high, .. } = moments;
                let (total, reach) = self.centred(moments.sum, cell, margins);
                let (weight, off) = self.centred(moments.count, cell, margins);
                let estimate =
                    weight.is_positive().then(|| (centre + &total / &weight).clamp(low.clone(), high.clone()));
                let least = &weight - &off;
                if !least.is_positive() {
                    return Number::within(estimate, low.clone(), high.clone());
                }
                let weights = [least, weight + off];
                let of = |total: Rational| weights.each_ref().map(|weight| centre + &total / weight);
                let ([a, b], [c, d]) = (of(&total - &reach), of(&total + &reach));
                cut(estimate, a.min(b), c.max(d), low, high)
            }
            Estimator::Variance { moments, squares, sample, root } => {
                let variance = self.variance(moments, *squares, *sample, cell, margins);
                if !root {
                    return variance;
                }
                let end =
                    |end: &Option<Rational>, rounding| end.as_ref().map(|end| square_root(end, ROOT_PLACES, rounding));
                Number {
                    estimate: end(&variance.estimate, Rounding::Nearest),
                    low: end(&variance.low, Rounding::Down),
                    high: end(&variance.high, Rounding::Up),
                }
            }
            Estimator::Regression(about) => match margins {
                None => self.regression(about, cell, None),
                // Each noise is bounded by its own margin, whatever the values of the others.
                Some(margins) => {
                    let margin = |at: usize| margins[at].to_f64().unwrap_or(f64::INFINITY);
                    let reach = |weights: &BTreeMap<At, f64>, _: f64| {
                        weights.iter().map(|(at, weight)| weight * margin(at.0)).sum::<f64>() * (1.0 + ROUNDING)
                    };
                    self.regression(about, cell, Some(&reach))
                }
            },
            Estimator::Quantile { measure, position, .. } => {
                let worth = |units: i128| self.query.value_of(*measure, units);
                match &self.query.measures()[*measure].kind {
                    MeasureKind::Tree { shares, .. } => {
                        let at = (cell * shares.len() + position) * 3;
                        let value = |offset: usize| worth(self.values[*measure][at + offset]);
                        Number::within(Some(value(0)), value(1), value(2))
                    }
                    // The interval in values is the declared range: the error is bounded in ranks.
                    _ => {
                        let (low, high) = self.query.bounds(*measure);
                        Number::within(Some(worth(self.values[*measure][cell])), low, high)
                    }
                }
            }
        }
    }

    /// The mean of the centred values: sum / count, with unknown ends if there may be no row.
    fn mean(&self, moments: &Moments, cell: usize, margins: Option<&Vec<BigInt>>) -> Number {
        let (total, reach) = self.centred(moments.sum, cell, margins);
        let (rows, most) = self.rows(moments.count, cell, margins);
        let estimate = rows.is_positive().then(|| &total / &rows);
        if most < whole(1) {
            return Number { estimate, low: None, high: None };
        }
        let ends = self.row_ends(moments.count, cell, margins);
        let least = ends.iter().map(|rows| (&total - &reach) / rows).min();
        let greatest = ends.iter().map(|rows| (&total + &reach) / rows).max();
        Number { estimate, low: least, high: greatest }
    }

    fn variance(
        &self,
        moments: &Moments,
        squares: usize,
        sample: bool,
        cell: usize,
        margins: Option<&Vec<BigInt>>,
    ) -> Number {
        let span = &moments.high - &moments.low;
        // Half of the values at either end; a sample's divisor is smaller by one, but at least half.
        let most = &span * &span / whole(if sample { 2 } else { 4 });
        let inside = |value: Rational| value.clamp(Rational::zero(), most.clone());
        let mean = self.mean(moments, cell, margins);
        let (total, reach) = self.centred(squares, cell, margins);
        let (rows, most_rows) = self.rows(moments.count, cell, margins);
        let fewest = whole(if sample { 2 } else { 1 });
        // From the population's variance to the sample's.
        let scaled = |value: Rational, rows: &Rational| if sample { value * rows / (rows - whole(1)) } else { value };
        let estimate = mean.estimate.as_ref().filter(|_| rows >= fewest).map(|mean| {
            let mean_square = &total / &rows;
            inside(scaled(mean_square - mean * mean, &rows))
        });
        let (Some(low), Some(high)) = (&mean.low, &mean.high) else {
            return Number::within(estimate, Rational::zero(), most);
        };
        if most_rows < fewest {
            return Number::within(estimate, Rational::zero(), most);
        }
        let ends = self.row_ends(moments.count, cell, margins).map(|rows| rows.max(fewest.clone()));
        let squared = [low * low, high * high];
        let crosses = low.is_negative() && high.is_positive();
        let least_square = if crosses { Rational::zero() } else { squared.iter().min().cloned().unwrap_or_default() };
        let most_square = squared.iter().max().cloned().unwrap_or_default();
        let lowest = ends.iter().map(|rows| (&total - &reach) / rows).min().unwrap_or_default() - most_square;
        let highest = ends.iter().map(|rows| (&total + &reach) / rows).max().unwrap_or_default() - least_square;
        // The correction is largest for the fewest rows.
        let low_end = scaled(lowest.max(Rational::zero()), &ends[1].clone().max(ends[0].clone()));
        let high_end = scaled(highest, &ends[0].clone().min(ends[1].clone()));
        cut(estimate, low_end, high_end, &Rational::zero(), &most)
    }

    /// A noisy sum and its margin, in values.
    fn centred(&self, measure: usize, cell: usize, margins: Option<&Vec<BigInt>>) -> (Rational, Rational) {
        let unit = &self.query.measures()[measure].unit;
        let reach = whole(margins.map_or_else(BigInt::zero, |margins| margins[measure].clone()));
        (whole(self.values[measure][cell]) * unit, reach * unit)
    }

    /// A noisy number of rows, and its upper limit.
    fn rows(&self, measure: usize, cell: usize, margins: Option<&Vec<BigInt>>) -> (Rational, Rational) {
        let rows = whole(self.values[measure][cell]);
        let reach = whole(margins.map_or_else(BigInt::zero, |margins| margins[measure].clone()));
        let most = &rows + reach;
        (rows, most)
    }

    /// The least and the greatest possible number of rows; an average exists only over at least one row.
    fn row_ends(&self, measure: usize, cell: usize, margins: Option<&Vec<BigInt>>) -> [Rational; 2] {
        let (rows, most) = self.rows(measure, cell, margins);
        [(&rows * whole(2) - &most).max(whole(1)), most]
    }
}

/// The margin of each noise if this many numbers share the error probability.
fn margins(decays: &[Decay], confidence: &Rational, size: usize) -> Vec<BigInt> {
    let each = part_of(confidence, size);
    decays.iter().map(|decay| margin(decay, &each)).collect()
}

/// The confidence of each of `size` numbers that jointly have `confidence`.
pub(crate) fn part_of(confidence: &Rational, size: usize) -> Rational {
    whole(1) - (whole(1) - confidence) / whole(size)
}

/// A noisy number with its interval, restricted to values that are `possible`.
///
/// An interval clipped at both ends could shrink to a point, such as `0 .. 0`, and suggest certainty although it only
/// indicates unusually large noise. The interval is therefore computed around the nearest possible value: it contains
/// the clipped interval, which keeps its coverage, and on one side has the full width of the noise.
fn around(value: Rational, reach: &Rational, possible: impl Fn(Rational) -> Rational) -> Number {
    let nearest = possible(value.clone());
    Number::within(Some(value), possible(&nearest - reach), possible(&nearest + reach))
}

/// A number whose interval is clipped at bounds. An interval entirely beyond them only indicates unusually large noise,
/// so the whole possible range is returned: clipping would give a point and suggest certainty.
pub(crate) fn cut(
    estimate: Option<Rational>,
    least: Rational,
    most: Rational,
    low: &Rational,
    high: &Rational,
) -> Number {
    if least > *high || most < *low {
        return Number::within(estimate, low.clone(), high.clone());
    }
    Number::within(estimate, least.max(low.clone()), most.min(high.clone()))
}
