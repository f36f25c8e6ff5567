//! What terms would be, and how far off, were the noisy values these: the intervals that answers get, around guessed values.

use super::evaluate::{Evaluator, Noisy, Place, measures};
use super::number::Number;
use super::Term;
use crate::plan::Query;
use deniable_core::exact::{Rational, whole};
use deniable_core::interval::Law;
use std::collections::BTreeSet;

/// A number as it would be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The number itself; `None` where it is undefined.
    pub answer: Option<Rational>,
    /// How far off it would be, in its own units; `None` where nothing bounds it.
    pub error: Option<Rational>,
}

impl Query {
    /// The measures that a term rests on at a level.
    #[must_use]
    pub fn measures_of(&self, term: &Term, level: usize) -> BTreeSet<usize> {
        measures(term, level, self)
    }

    /// These terms of a level, in a cell whose values are those of `noisy`: one for each measure.
    ///
    /// The error is half the width of the interval. Where an end is cut at what is possible, it says nothing of the noise: then the
    /// error is the distance to the further end.
    #[must_use]
    pub fn planned(&self, terms: &[(usize, Term)], noisy: &Noisy, confidence: &Rational) -> Vec<Planned> {
        let laws: Vec<Law> = noisy.decays.iter().map(Law::of).collect();
        let sizes = terms.iter().map(|(level, term)| measures(term, *level, self).len().max(1)).collect();
        let evaluator = Evaluator::new(self, noisy, confidence, &laws, &sizes);
        let planned = |(level, term): &(usize, Term)| {
            let (place, size) = (Place { level: *level, cell: 0 }, measures(term, *level, self).len().max(1));
            let shown = evaluator.number_with_interval(term, place, evaluator.margins.get(&size));
            let error = reach(&shown, &evaluator.possible(term, place));
            Planned { answer: shown.estimate, error }
        };
        terms.iter().map(planned).collect()
    }
}

fn reach(shown: &Number, possible: &Number) -> Option<Rational> {
    let (answer, low, high) = (shown.estimate.as_ref()?, shown.low.as_ref()?, shown.high.as_ref()?);
    let is_cut = possible.low.as_ref() == Some(low) || possible.high.as_ref() == Some(high);
    let (below, above) = (answer - low, high - answer);
    Some(if is_cut { below.max(above) } else { (below + above) / whole(2) })
}
