//! Selects the method for the interval of a term over noisy cells; `pivot` contains the methods.

use crate::evaluate::{Evaluator, Place, ROOT_PLACES, constant};
use crate::exact::{compare, lower_end, upper_end};
use crate::form::{At, Form, Linear};
use crate::number::Number;
use crate::pivot::{Cell, Ends};
use crate::regression::possible_regression;
use crate::steps::nothing;
use deniable_core::exact::{Rational, Rounding, square_root, whole};
use deniable_query::output::{Term, Window, WindowFunction};
use deniable_query::{Estimator, MeasureKind, Moments, Query, Regression};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// The measures of a variance.
struct Variance {
    /// Count, sum and sum of squares, the last two centred, with their units.
    measures: [(At, f64); 3],
    /// The largest possible value.
    most: Rational,
    /// Whether it is the sample variance.
    sample: bool,
    /// Whether the square root is wanted.
    root: bool,
}

/// A term as sums of noisy numbers; `None` if it is not one, or depends on windows or conditions.
pub(crate) fn form(query: &Query, term: &Term, row: Place) -> Option<Form> {
    form_with(query, term, row, &|_, _| None)
}

/// As [`form`], with the forms of windows and of CASE from `settled`.
fn form_with(query: &Query, term: &Term, row: Place, settled: &dyn Fn(&Term, Place) -> Option<Form>) -> Option<Form> {
    let sum = |measure: usize| Linear::measure((measure, row.cell), query.measures()[measure].unit.clone());
    match term {
        Term::Number(_) | Term::Key(_) | Term::Level | Term::Grouping(_) => {
            constant(query, term, row).map(|value| Form::Linear(Linear::constant(value)))
        }
        Term::Null | Term::Text(_) | Term::Function(..) => None,
        Term::Window(_) | Term::Case(..) | Term::Lookup(..) => settled(term, row),
        Term::Answer(position) => match &query.answers(row.level)[*position] {
            Estimator::Count { measure } | Estimator::Sum { measure } => Some(Form::Linear(sum(*measure))),
            Estimator::Average(Moments { sum: total, count, centre, .. })
            | Estimator::Weighted(Moments { sum: total, count, centre, .. }) => {
                let under = sum(*count);
                Some(Form::Ratio { over: sum(*total).plus(&under, centre), under })
            }
            Estimator::Variance { .. } | Estimator::Regression(_) | Estimator::Quantile { .. } => None,
        },
        Term::Arithmetic(operator, sides) => {
            let [left, right] = &**sides;
            form_with(query, left, row, settled)?.combine(*operator, form_with(query, right, row, settled)?)
        }
    }
}

impl Evaluator<'_> {
    /// A term as sums of noisy numbers, if the distribution of its noise is known.
    pub(crate) fn form(&self, term: &Term, row: Place) -> Option<Form> {
        form_with(self.query, term, row, &|term, row| match self.settled(term, row) {
            (Term::Window(window), row) => self.windowed_form(*window, row),
            (settled, row) => self.form(settled, row),
        })
    }

    /// A number with its shown interval: that of the noisy numbers, extended to the shown value.
    pub(crate) fn number_with_interval(&self, term: &Term, row: Place, margins: Option<&Vec<BigInt>>) -> Number {
        let Some(values) = self.measured else { return self.interval(term, row, margins) };
        let (ranks, views) = (BTreeMap::new(), self.views.clone());
        let bare = Self { values, measured: None, margins: BTreeMap::new(), ranks, views, ..*self };
        let measured = bare.interval(term, row, margins);
        let estimate = self.number(term, row, None).estimate;
        let low = measured.low.and_then(|low| match &estimate {
            Some(shown) if compare(shown, &low).is_lt() => lower_end(shown.clone()),
            _ => Some(low),
        });
        let high = measured.high.and_then(|high| match &estimate {
            Some(shown) if compare(shown, &high).is_gt() => upper_end(shown.clone()),
            _ => Some(high),
        });
        Number { estimate, low, high }
    }

    /// A number with its interval: from the distribution of its noise if that is known, and otherwise by interval
    /// arithmetic, in which every measure has the margin of its part of the error probability.
    fn interval(&self, term: &Term, row: Place, margins: Option<&Vec<BigInt>>) -> Number {
        let (term, row) = self.settled(term, row);
        if let Term::Function(function, inner) = term {
            return self.interval(inner, row, margins).apply(*function);
        }
        let value = |(measure, cell): At| self.values[measure][cell];
        let cell = Cell { laws: self.laws, value: &value, normal: 0.0, outside: self.outside };
        if let Some(variance) = self.variance_of(term, row) {
            let Variance { measures, most, sample, root } = variance;
            let ends = cell.variance(measures, sample, float(&most) * (1.0 + f64::EPSILON));
            let estimate = self.number(term, row, None).estimate;
            let inside = placed(estimate, ends, &Number::within(None, Rational::zero(), most));
            let root_of = |end: Option<Rational>, rounding| end.map(|end| square_root(&end, ROOT_PLACES, rounding));
            return if root {
                let (low, high) = (root_of(inside.low, Rounding::Down), root_of(inside.high, Rounding::Up));
                Number { estimate: inside.estimate, low, high }
            } else {
                inside
            };
        }
        if let Some(about) = self.regression_of(term, row) {
            let reach = |weights: &BTreeMap<At, f64>, part: f64| cell.reach_of_all(weights, part * self.outside);
            return self.regression(about, row.cell, Some(&reach));
        }
        let form = self.form(term, row);
        if let (None, Term::Arithmetic(operator, sides)) = (&form, term)
            && sides.iter().any(|side| {
                let (side, row) = self.settled(side, row);
                constant(self.query, side, row).is_some()
            })
        {
            // Adding or multiplying by a constant preserves the distribution.
            let [left, right] = sides.each_ref().map(|side| self.interval(side, row, margins));
            return left.combine(*operator, &right);
        }
        if form.is_none()
            && has_window(term)
            && let Some(number) = self.made_of_many(term, row)
        {
            return number;
        }
        match form {
            // A number without noise is known exactly.
            Some(form) if form.measures() == 0 => Number::exact(self.number(term, row, None).estimate),
            Some(form) if form.measures() > 1 || has_window(term) => {
                let (estimate, possible) = (self.number(term, row, None).estimate, self.possible(term, row));
                let within = (possible.low.as_ref().map(float), possible.high.as_ref().map(float));
                on_grid(placed(estimate, cell.interval(&form, within), &possible), &form)
            }
            _ => self.number(term, row, margins),
        }
    }

    /// The inputs of a covariance, correlation or fit, if the term is one.
    fn regression_of(&self, term: &Term, row: Place) -> Option<&Regression> {
        let Term::Answer(position) = term else { return None };
        match &self.query.answers(row.level)[*position] {
            Estimator::Regression(about) => Some(about),
            _ => None,
        }
    }

    /// The inputs of a variance or standard deviation, if the term is one.
    fn variance_of(&self, term: &Term, row: Place) -> Option<Variance> {
        let Term::Answer(position) = term else { return None };
        let Estimator::Variance { moments, squares, sample, root } = &self.query.answers(row.level)[*position] else {
            return None;
        };
        let unit = |measure: usize| ((measure, row.cell), float(&self.query.measures()[measure].unit));
        let span = &moments.high - &moments.low;
        Some(Variance {
            measures: [((moments.count, row.cell), 1.0), unit(moments.sum), unit(*squares)],
            // Half of the values at either end; a sample's divisor is smaller by one, but at least half.
            most: &span * &span / whole(if *sample { 2 } else { 4 }),
            sample: *sample,
            root: *root,
        })
    }

    /// The range of possible values of a number, for all data.
    pub(crate) fn possible(&self, term: &Term, row: Place) -> Number {
        let from = |low: Option<Rational>, high: Option<Rational>| Number { estimate: None, low, high };
        let zero = || Some(Rational::zero());
        let (term, row) = self.settled(term, row);
        match term {
            Term::Number(_) | Term::Key(_) | Term::Level | Term::Grouping(_) => self.number(term, row, None),
            Term::Text(_) | Term::Null | Term::Case(..) | Term::Lookup(..) => from(None, None),
            Term::Window(window) => {
                let Window { function, argument, levels, .. } = &self.query.output().windows[*window];
                // Any row may be read: all rows of one level have the same range.
                let row = if levels.contains(&row.level) { Some(row) } else { nothing(levels) };
                let each = row.filter(|_| !has_case(argument)).map(|row| self.possible(argument, row));
                let each = each.unwrap_or_else(|| from(None, None));
                match function {
                    WindowFunction::Average | WindowFunction::Least | WindowFunction::Greatest => each,
                    // A sum of numbers of one sign has that sign.
                    WindowFunction::Sum => from(
                        each.low.filter(|low| !low.is_negative()).and_then(|_| zero()),
                        each.high.filter(|high| !high.is_positive()).and_then(|_| zero()),
                    ),
                    _ => from(None, None),
                }
            }
            Term::Answer(position) => match &self.query.answers(row.level)[*position] {
                Estimator::Count { .. } => from(zero(), None),
                Estimator::Sum { measure } => match &self.query.measures()[*measure].kind {
                    MeasureKind::Sum { range, .. } if range.low >= 0 => from(zero(), None),
                    MeasureKind::Sum { range, .. } if range.high <= 0 => from(None, zero()),
                    _ => from(None, None),
                },
                Estimator::Average(moments) | Estimator::Weighted(moments) => {
                    from(Some(moments.low.clone()), Some(moments.high.clone()))
                }
                Estimator::Variance { .. } => from(zero(), None),
                Estimator::Regression(about) => {
                    let (low, high) = possible_regression(about);
                    from(low, high)
                }
                Estimator::Quantile { measure, .. } => {
                    let (low, high) = self.query.bounds(*measure);
                    from(Some(low), Some(high))
                }
            },
            Term::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                self.possible(left, row).combine(*operator, &self.possible(right, row))
            }
            Term::Function(function, inner) => self.possible(inner, row).apply(*function),
        }
    }
}

fn has_window(term: &Term) -> bool {
    has(term, &|part| matches!(part, Term::Window(_)))
}

/// Whether the range of possible values differs between rows.
fn has_case(term: &Term) -> bool {
    let differs = |part: &Term| {
        matches!(
            part,
            Term::Window(_) | Term::Case(..) | Term::Lookup(..) | Term::Key(_) | Term::Level | Term::Grouping(_)
        )
    };
    has(term, &differs)
}

/// Whether a term, or a part of it, satisfies `kind`.
fn has(term: &Term, kind: &dyn Fn(&Term) -> bool) -> bool {
    kind(term)
        || match term {
            Term::Arithmetic(_, sides) => sides.iter().any(|side| has(side, kind)),
            Term::Function(_, inner) => has(inner, kind),
            Term::Case(branches, otherwise) => {
                branches.iter().any(|(_, value)| has(value, kind)) || has(otherwise, kind)
            }
            Term::Key(_)
            | Term::Lookup(..)
            | Term::Answer(_)
            | Term::Number(_)
            | Term::Null
            | Term::Text(_)
            | Term::Level
            | Term::Window(_)
            | Term::Grouping(_) => false,
        }
}

fn float(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(f64::MAX)
}

/// Floats as the ends of an interval, rounded outward and clipped to the possible range. An interval entirely beyond
/// that range only indicates unusually large noise: then the whole range is returned.
pub(crate) fn placed(estimate: Option<Rational>, (low, high): Ends, possible: &Number) -> Number {
    /// More than a conversion to fractions and back can lose.
    const OUTWARD: f64 = 1e-12;
    let end = |end: Option<f64>, outward: f64| end.and_then(|end| Rational::from_float(end + outward * end.abs()));
    let (low, high) = (end(low, -OUTWARD), end(high, OUTWARD));
    let beyond = |one: &Option<Rational>, other: &Option<Rational>| matches!((one, other), (Some(one), Some(other)) if one > other);
    if beyond(&low, &possible.high) || beyond(&possible.low, &high) {
        return Number { estimate, low: possible.low.clone(), high: possible.high.clone() };
    }
    let cut = |end: Option<Rational>, at: &Option<Rational>, which: fn(Rational, Rational) -> Rational| match (end, at)
    {
        (Some(end), Some(at)) => Some(which(end, at.clone())),
        (end, at) => end.or_else(|| at.clone()),
    };
    Number { estimate, low: cut(low, &possible.low, Rational::max), high: cut(high, &possible.high, Rational::min) }
}

/// Moves the ends inward to the grid of the exact value, if it has one: between grid points there is no value to cover.
fn on_grid(number: Number, form: &Form) -> Number {
    let Some((one, step)) = form.grid() else { return number };
    let to = |end: &Rational, rounded: fn(&Rational) -> Rational| rounded(&((end - one) / &step)) * &step + one;
    let (low, high) = (
        number.low.as_ref().map(|end| to(end, Rational::ceil)),
        number.high.as_ref().map(|end| to(end, Rational::floor)),
    );
    match (&low, &high) {
        // No grid point is between the ends, so they stay.
        (Some(least), Some(most)) if least > most => number,
        _ => Number { estimate: number.estimate, low, high },
    }
}
