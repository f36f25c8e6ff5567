//! The parts of a number that results have whatever the noise.

use deniable_query::Estimator;
use deniable_query::Query;
use deniable_query::output::Term;

/// The part of a number that a column has in every row, whatever the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertainPart {
    /// A number and an interval.
    Number,
    /// An interval: an average over a noisy count of zero or less is undefined.
    Interval,
    /// No number and no interval, as for a quotient by a noisy number.
    Nothing,
}

/// The part of a number that the column of this term always has.
pub fn always(term: &Term, query: &Query) -> CertainPart {
    let Term::Answer(position) = term else { return CertainPart::Nothing };
    match &query.answers(0)[*position] {
        Estimator::Count { .. } | Estimator::Sum { .. } | Estimator::Quantile { .. } => CertainPart::Number,
        Estimator::Average(_) | Estimator::Weighted(_) | Estimator::Variance { .. } => CertainPart::Interval,
        // Undefined without rows, or if all values are equal.
        Estimator::Regression(_) => CertainPart::Nothing,
    }
}
