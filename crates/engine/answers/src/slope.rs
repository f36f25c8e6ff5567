//! Derivatives of answers: the value of an answer and its derivative by each noisy number, in a cell.
//!
//! To first order the noise of an answer is the sum of these derivatives, each times its own noise, whose distribution
//! is known. This gives the standard error of any arithmetic on answers, and its typical error.

use crate::evaluate::{Evaluator, Place};
use crate::form::At;
use deniable_core::exact::Rational;
use deniable_core::interval::reach;
use deniable_query::output::{Function, Operator, Term};
use deniable_query::{Estimator, Moments};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// An answer, and its derivative by each measure, per unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slope {
    value: f64,
    by: BTreeMap<At, f64>,
}

impl Slope {
    pub(crate) fn constant(value: f64) -> Self {
        Self { value, by: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.value += other.value;
        for (at, slope) in &other.by {
            *self.by.entry(*at).or_default() += slope;
        }
    }

    pub(crate) fn times(&self, factor: f64) -> Self {
        self.plus(factor, &Self::constant(0.0), 0.0, self.value * factor)
    }

    /// `left·self + right·other`, with this value.
    fn plus(&self, left: f64, other: &Self, right: f64, value: f64) -> Self {
        let mut by: BTreeMap<At, f64> = self.by.iter().map(|(at, slope)| (*at, slope * left)).collect();
        for (at, slope) in &other.by {
            *by.entry(*at).or_default() += slope * right;
        }
        Self { value, by }
    }
}

impl Evaluator<'_> {
    /// The standard error of a number's noise, to first order; for rounded numbers, that of the unrounded number.
    /// `None` if the number is chosen by its rank, is divided by zero, or has no noise.
    pub(crate) fn deviation(&self, term: &Term, row: Place) -> Option<f64> {
        let slope = self.slope(term, row)?;
        let each = slope.by.iter().map(|(at, slope)| (slope * self.laws[at.0].deviation()).powi(2));
        Some(each.sum::<f64>().sqrt()).filter(|deviation| *deviation > 0.0)
    }

    /// The margin of a number's noise, to first order.
    pub(crate) fn first_order(&self, term: &Term, row: Place) -> Option<f64> {
        let slope = self.slope(term, row)?;
        let noises: Vec<_> = slope.by.iter().map(|(at, slope)| (*slope, self.laws[at.0])).collect();
        Some(reach(&noises, self.outside))
    }

    pub(crate) fn slope(&self, term: &Term, row: Place) -> Option<Slope> {
        let (term, row) = self.settled(term, row);
        match term {
            Term::Number(_) | Term::Key(_) | Term::Level | Term::Grouping(_) => {
                self.number(term, row, None).estimate.as_ref().and_then(Rational::to_f64).map(Slope::constant)
            }
            Term::Text(_) | Term::Null | Term::Case(..) | Term::Lookup(..) => None,
            Term::Window(window) => self.windowed_slope(*window, row),
            Term::Answer(position) => self.slope_of(&self.query.answers(row.level)[*position], row.cell),
            Term::Arithmetic(operator, sides) => {
                let (left, right) = (self.slope(&sides[0], row)?, self.slope(&sides[1], row)?);
                let (a, b) = (left.value, right.value);
                match operator {
                    Operator::Add => Some(left.plus(1.0, &right, 1.0, a + b)),
                    Operator::Subtract => Some(left.plus(1.0, &right, -1.0, a - b)),
                    Operator::Multiply => Some(left.plus(b, &right, a, a * b)),
                    Operator::Divide => (b != 0.0).then(|| left.plus(1.0 / b, &right, -a / (b * b), a / b)),
                }
            }
            Term::Function(Function::Absolute, inner) => {
                let inner = self.slope(inner, row)?;
                let sign = if inner.value < 0.0 { -1.0 } else { 1.0 };
                Some(Slope::constant(0.0).plus(0.0, &inner, sign, inner.value.abs()))
            }
            Term::Function(function @ (Function::Ln | Function::Exp | Function::Sqrt), inner) => {
                let inner = self.slope(inner, row)?;
                let (value, by) = match function {
                    Function::Ln => (inner.value.ln(), inner.value.recip()),
                    Function::Exp => (inner.value.exp(), inner.value.exp()),
                    _ => (inner.value.sqrt(), 0.5 / inner.value.sqrt()),
                };
                (value.is_finite() && by.is_finite()).then(|| Slope::constant(0.0).plus(0.0, &inner, by, value))
            }
            Term::Function(Function::Round(_) | Function::Floor | Function::Ceil, inner) => self.slope(inner, row),
        }
    }

    fn slope_of(&self, answer: &Estimator, cell: usize) -> Option<Slope> {
        let values = self.measured.unwrap_or(self.values);
        let unit = |measure: usize| self.query.measures()[measure].unit.to_f64();
        let of = |measure: usize| Some(values[measure][cell] as f64 * unit(measure)?);
        match answer {
            Estimator::Count { measure } | Estimator::Sum { measure } => {
                Some(Slope { value: of(*measure)?, by: [((*measure, cell), unit(*measure)?)].into() })
            }
            Estimator::Average(Moments { sum, count, centre, .. })
            | Estimator::Weighted(Moments { sum, count, centre, .. }) => {
                let (n, mean) = (of(*count)?, of(*sum)? / of(*count)?);
                let by = [((*sum, cell), unit(*sum)? / n), ((*count, cell), -mean / n * unit(*count)?)].into();
                (n != 0.0).then_some(Slope { value: centre.to_f64()? + mean, by })
            }
            Estimator::Variance { moments, squares, root, .. } => {
                let (n, sum, squares) = (of(moments.count)?, moments.sum, *squares);
                let (mean, square) = (of(sum)? / n, of(squares)? / n);
                let variance = (square - mean * mean).max(0.0);
                // The derivative of the root, if the variance is not zero.
                let (value, by) = if *root { (variance.sqrt(), 0.5 / variance.sqrt()) } else { (variance, 1.0) };
                let by = by / n;
                let slopes = [
                    ((squares, cell), by * unit(squares)?),
                    ((sum, cell), -2.0 * mean * by * unit(sum)?),
                    ((moments.count, cell), (mean * mean - variance) * by),
                ];
                (n > 0.0 && by.is_finite()).then_some(Slope { value, by: slopes.into() })
            }
            Estimator::Regression(about) => {
                let (value, by) = self.regression_slope(about, cell)?;
                (value.is_finite()).then_some(Slope { value, by })
            }
            Estimator::Quantile { .. } => None,
        }
    }
}
