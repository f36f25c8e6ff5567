//! Evaluates terms over noisy cells, with intervals.

use super::{Operator, Sort, Step, Term};
use crate::plan::{Answer, Measure, MeasureKind, Query};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, margin};
use deniable_policy::Key;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The noisy values of a query's measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noisy {
    /// One vector for each measure, one whole number of units for each cell.
    pub values: Vec<Vec<i128>>,
    /// The decay of each measure's noise.
    pub decays: Vec<Decay>,
}

/// One shown row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow(pub Vec<Shown>);

/// One shown value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A declared key.
    Key(Key),
    /// A text of the question itself.
    Text(String),
    /// A noisy number, or an exact one of the question itself.
    Number {
        /// The released value; `None` where it is undefined (an average over no rows, a division by zero).
        estimate: Option<Rational>,
        /// The interval's lower end; `None` when nothing bounds it.
        low: Option<Rational>,
        /// The interval's upper end; `None` when nothing bounds it.
        high: Option<Rational>,
    },
}

/// A number with its interval, while it is computed.
#[derive(Debug, Clone)]
struct Number {
    estimate: Option<Rational>,
    low: Option<Rational>,
    high: Option<Rational>,
}

impl Query {
    /// The rows that are shown, with intervals that cover the clamped-and-capped truth, each with at least
    /// `confidence` (in `[0, 1)`).
    #[must_use]
    pub fn show(&self, noisy: &Noisy, confidence: &Rational) -> Vec<ShownRow> {
        let evaluator = Evaluator::new(self, noisy, confidence);
        let mut cells: Vec<usize> = (0..self.cells()).collect();
        for step in &self.output().steps {
            match step {
                Step::Sort(by) => cells.sort_by(|left, right| evaluator.order(by, *left, *right)),
                Step::Limit { skip, fetch } => {
                    cells = cells.into_iter().skip(*skip).take(fetch.unwrap_or(usize::MAX)).collect();
                }
            }
        }
        let row = |cell: usize| self.output().columns.iter().map(|term| evaluator.shown(term, cell)).collect();
        cells.into_iter().map(|cell| ShownRow(row(cell))).collect()
    }

    /// The keys of a cell, one for each group column.
    #[must_use]
    pub fn keys_of(&self, cell: usize) -> Vec<&Key> {
        let mut rest = cell;
        let mut keys: Vec<&Key> = self
            .groups()
            .iter()
            .rev()
            .map(|group| {
                let key = &group.keys[rest % group.keys.len()];
                rest /= group.keys.len();
                key
            })
            .collect();
        keys.reverse();
        keys
    }
}

struct Evaluator<'a> {
    query: &'a Query,
    noisy: &'a Noisy,
    /// For each number of measures in a term, the margin of every measure.
    margins: BTreeMap<usize, Vec<BigInt>>,
}

impl<'a> Evaluator<'a> {
    fn new(query: &'a Query, noisy: &'a Noisy, confidence: &Rational) -> Self {
        let terms = query.output().columns.iter();
        let sizes: BTreeSet<usize> = terms.map(|term| measures(term, query).len().max(1)).collect();
        let margins = sizes
            .into_iter()
            .map(|size| {
                let each = whole(1) - (whole(1) - confidence) / whole(size);
                (size, noisy.decays.iter().map(|decay| margin(decay, &each)).collect())
            })
            .collect();
        Self { query, noisy, margins }
    }

    fn shown(&self, term: &Term, cell: usize) -> Shown {
        match term {
            Term::Key(group) => Shown::Key(self.query.keys_of(cell)[*group].clone()),
            Term::Text(text) => Shown::Text(text.clone()),
            Term::Answer(_) | Term::Number(_) | Term::Arithmetic(..) => {
                let size = measures(term, self.query).len().max(1);
                let Number { estimate, low, high } = self.number(term, cell, self.margins.get(&size));
                Shown::Number { estimate, low, high }
            }
        }
    }

    /// Compares two cells; only estimates decide, so no margins are needed.
    fn order(&self, by: &[Sort], left: usize, right: usize) -> Ordering {
        by.iter()
            .map(|Sort { term, ascending, nulls_first }| {
                let directed = |order: Ordering| if *ascending { order } else { order.reverse() };
                let nulls =
                    |left_null: bool| if left_null == *nulls_first { Ordering::Less } else { Ordering::Greater };
                match term {
                    Term::Text(_) => Ordering::Equal,
                    Term::Key(group) => {
                        let (l, r) = (self.query.keys_of(left)[*group], self.query.keys_of(right)[*group]);
                        match (l, r) {
                            (Key::Null, Key::Null) => Ordering::Equal,
                            (Key::Null, _) => nulls(true),
                            (_, Key::Null) => nulls(false),
                            (l, r) => directed(l.cmp(r)),
                        }
                    }
                    Term::Answer(_) | Term::Number(_) | Term::Arithmetic(..) => {
                        match (self.number(term, left, None).estimate, self.number(term, right, None).estimate) {
                            (None, None) => Ordering::Equal,
                            (None, Some(_)) => nulls(true),
                            (Some(_), None) => nulls(false),
                            (Some(l), Some(r)) => directed(l.cmp(&r)),
                        }
                    }
                }
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn number(&self, term: &Term, cell: usize, margins: Option<&Vec<BigInt>>) -> Number {
        match term {
            Term::Number(value) => Number::exact(Some(value.clone())),
            Term::Key(group) => match self.query.keys_of(cell)[*group] {
                Key::Integer(value) => Number::exact(Some(whole(*value))),
                Key::Null | Key::Text(_) | Key::Boolean(_) => Number::exact(None),
            },
            Term::Text(_) => Number::exact(None),
            Term::Answer(position) => self.answer(&self.query.answers()[*position], cell, margins),
            Term::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                self.number(left, cell, margins).combine(*operator, &self.number(right, cell, margins))
            }
        }
    }

    fn answer(&self, answer: &Answer, cell: usize, margins: Option<&Vec<BigInt>>) -> Number {
        let value = |measure: usize| whole(self.noisy.values[measure][cell]);
        let reach = |measure: usize| whole(margins.map_or_else(BigInt::zero, |margins| margins[measure].clone()));
        match answer {
            Answer::Count { measure } => {
                let (value, reach) = (value(*measure), reach(*measure));
                // No count is below zero, so neither end need be.
                let end = |end: Rational| Some(end.max(Rational::zero()));
                Number { low: end(&value - &reach), high: end(&value + &reach), estimate: Some(value) }
            }
            Answer::Sum { measure } => {
                let Measure { unit, kind, .. } = &self.query.measures()[*measure];
                let (value, reach) = (value(*measure), reach(*measure));
                // No sum of values of one sign has the other, so neither end need.
                let inside = |end: Rational| match kind {
                    MeasureKind::Sum { range, .. } if range.low >= 0 => end.max(Rational::zero()),
                    MeasureKind::Sum { range, .. } if range.high <= 0 => end.min(Rational::zero()),
                    _ => end,
                };
                Number {
                    low: Some(inside(&value - &reach) * unit),
                    high: Some(inside(&value + &reach) * unit),
                    estimate: Some(value * unit),
                }
            }
            Answer::Average { sum, count, centre, low, high } => {
                let unit = &self.query.measures()[*sum].unit;
                let inside = |mean: Rational| mean.clamp(low.clone(), high.clone());
                let (total, total_reach) = (value(*sum) * unit, reach(*sum) * unit);
                let (rows, rows_reach) = (value(*count), reach(*count));
                let estimate = rows.is_positive().then(|| inside(centre + &total / &rows));
                let most = &rows + &rows_reach;
                if most < whole(1) {
                    return Number { estimate, low: Some(low.clone()), high: Some(high.clone()) };
                }
                // An average exists only over at least one row.
                let ends = [(&rows - &rows_reach).max(whole(1)), most];
                let lowest =
                    ends.iter().map(|rows| (&total - &total_reach) / rows).min().unwrap_or_else(Rational::zero);
                let highest =
                    ends.iter().map(|rows| (&total + &total_reach) / rows).max().unwrap_or_else(Rational::zero);
                Number { estimate, low: Some(inside(centre + lowest)), high: Some(inside(centre + highest)) }
            }
        }
    }
}

impl Number {
    fn exact(value: Option<Rational>) -> Self {
        Self { low: value.clone(), high: value.clone(), estimate: value }
    }

    fn combine(&self, operator: Operator, other: &Self) -> Self {
        let both = |left: &Option<Rational>, right: &Option<Rational>| Some((left.clone()?, right.clone()?));
        let estimates = both(&self.estimate, &other.estimate);
        match operator {
            Operator::Add => Self {
                estimate: estimates.map(|(l, r)| l + r),
                low: both(&self.low, &other.low).map(|(l, r)| l + r),
                high: both(&self.high, &other.high).map(|(l, r)| l + r),
            },
            Operator::Subtract => Self {
                estimate: estimates.map(|(l, r)| l - r),
                low: both(&self.low, &other.high).map(|(l, r)| l - r),
                high: both(&self.high, &other.low).map(|(l, r)| l - r),
            },
            Operator::Multiply => {
                let (low, high) = self.corners(other, |l, r| l * r);
                Self { estimate: estimates.map(|(l, r)| l * r), low, high }
            }
            Operator::Divide => {
                let estimate = estimates.and_then(|(l, r)| (!r.is_zero()).then(|| l / r));
                let crosses_zero = match both(&other.low, &other.high) {
                    Some((low, high)) => !low.is_positive() && !high.is_negative(),
                    None => true,
                };
                if crosses_zero {
                    return Self { estimate, low: None, high: None };
                }
                let (low, high) = self.corners(other, |l, r| l / r);
                Self { estimate, low, high }
            }
        }
    }

    /// Least and greatest of an operation over the corners of both intervals.
    fn corners(
        &self,
        other: &Self,
        apply: impl Fn(&Rational, &Rational) -> Rational,
    ) -> (Option<Rational>, Option<Rational>) {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.low, &self.high, &other.low, &other.high) else {
            return (None, None);
        };
        let all = [apply(a, c), apply(a, d), apply(b, c), apply(b, d)];
        (all.iter().min().cloned(), all.iter().max().cloned())
    }
}

/// The measures that a term depends on.
fn measures(term: &Term, query: &Query) -> BTreeSet<usize> {
    match term {
        Term::Key(_) | Term::Number(_) | Term::Text(_) => BTreeSet::new(),
        Term::Answer(position) => match &query.answers()[*position] {
            Answer::Count { measure } | Answer::Sum { measure } => BTreeSet::from([*measure]),
            Answer::Average { sum, count, .. } => BTreeSet::from([*sum, *count]),
        },
        Term::Arithmetic(_, sides) => sides.iter().flat_map(|side| measures(side, query)).collect(),
    }
}
