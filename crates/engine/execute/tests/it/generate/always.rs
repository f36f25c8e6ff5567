//! What is seen of a number whatever the noise.

use deniable_query::Estimator;
use deniable_query::Query;
use deniable_query::output::Term;

/// The part of a number that a column has in every row, independent of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertainPart {
    /// A number and an interval.
    Number,
    /// An interval: an average over a noisy count of zero or less is undefined.
    Interval,
    /// Neither: what is divided by a noisy number may have none.
    Nothing,
}

/// What the column of this term has.
pub fn always(term: &Term, query: &Query) -> CertainPart {
    let Term::Answer(position) = term else { return CertainPart::Nothing };
    match &query.answers(0)[*position] {
        Estimator::Count { .. } | Estimator::Sum { .. } | Estimator::Quantile { .. } => CertainPart::Number,
        Estimator::Average(_) | Estimator::Weighted(_) | Estimator::Variance { .. } => CertainPart::Interval,
        // Of no rows, or values that are all alike, there is none.
        Estimator::Regression(_) => CertainPart::Nothing,
    }
}
