//! Forecasts of answers: terms, and the errors that their intervals would have, for guessed values.

use crate::evaluate::{Evaluator, Noisy, Place};
use crate::exact;
use crate::number::Number;
use crate::steps::Cut;
use deniable_core::exact::{Rational, whole};
use deniable_core::interval::Law;
use deniable_query::output::parts;
use deniable_query::output::{Output, Term};
use deniable_query::{Measure, Query};

/// The forecast of a shown number, with its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedNumber {
    /// The number; `None` where it is undefined.
    pub answer: Option<Rational>,
    /// Its error, in its own units; `None` if it is unbounded.
    pub error: Option<Rational>,
}

/// Forecasts these terms of a level, in a cell with the values in `noisy`: one for each measure.
///
/// The error of sums, averages and ratios is half the width of their interval. If an end is clipped to the possible
/// range, it does not reflect the noise: the error is then the distance to the further end. Other intervals are wider
/// than the noise, to cover whatever the exact numbers are: for these the error is the reach of the noise to first
/// order, if that is less.
#[must_use]
pub fn planned(query: &Query, terms: &[(usize, Term)], noisy: &Noisy, confidence: &Rational) -> Vec<PlannedNumber> {
    let laws: Vec<Law> = noisy.decays.iter().map(Law::of).collect();
    let sizes = terms.iter().map(|(level, term)| parts(term, *level, query)).collect();
    // Windows read all cells, which have equal values.
    let windows = &query.output().windows;
    let alike = (!windows.is_empty()).then(|| alike(query, noisy));
    let mut evaluator = Evaluator::new(query, alike.as_ref().unwrap_or(noisy), confidence, &laws, &sizes);
    // Guessed values are equal in all cells, so conditions on them exclude no row.
    let Output { levels, steps, .. } = query.output();
    let rows = if windows.is_empty() { Vec::new() } else { evaluator.run(levels, steps, Cut::Never) };
    // A row in the middle is typical of a running total.
    let middle = |level: usize| {
        let rows: Vec<&Place> = rows.iter().filter(|row| row.level == level).collect();
        rows.get(rows.len() / 2).map_or(Place { level, cell: 0 }, |row| **row)
    };
    let planned = |(level, term): &(usize, Term)| {
        let (place, size) = (middle(*level), parts(term, *level, query));
        if evaluator.is_of_too_many(term, place) {
            return PlannedNumber {
                answer: evaluator.number(term, place, None).estimate.and_then(exact::shown),
                error: None,
            };
        }
        let mut shown = evaluator.number_with_interval(term, place, Some(&evaluator.margins_of(size)));
        shown.estimate = shown.estimate.and_then(exact::shown);
        let safe = reach(&shown, &evaluator.possible(term, place));
        let error = match evaluator.form(bare(term), place) {
            Some(_) => safe,
            None => safe.map(|safe| {
                let noise = evaluator.first_order(term, place).and_then(Rational::from_float);
                // Numbers that noise does not move to first order, such as an unexplained part, move to second order.
                let noise = noise.filter(|noise| noise * whole(1_000_000) > safe);
                noise.map_or_else(|| safe.clone(), |noise| noise.min(safe.clone()))
            }),
        };
        PlannedNumber { answer: shown.estimate, error }
    };
    terms.iter().map(planned).collect()
}

/// The values of one cell for each measure, repeated in all cells.
fn alike(query: &Query, noisy: &Noisy) -> Noisy {
    let all = |(values, measure): (&Vec<i128>, &Measure)| values.repeat(query.cells(measure.level));
    let values = noisy.values.iter().zip(query.measures()).map(all).collect();
    Noisy { values, consistent: None, decays: noisy.decays.clone() }
}

fn reach(shown: &Number, possible: &Number) -> Option<Rational> {
    let (answer, low, high) = (shown.estimate.as_ref()?, shown.low.as_ref()?, shown.high.as_ref()?);
    let is_cut = possible.low.as_ref() == Some(low) || possible.high.as_ref() == Some(high);
    let (below, above) = (answer - low, high - answer);
    Some(if is_cut { below.max(above) } else { (below + above) / whole(2) })
}

/// The argument of a rounding function or of an absolute value.
fn bare(term: &Term) -> &Term {
    match term {
        Term::Function(_, inner) => bare(inner),
        other => other,
    }
}
