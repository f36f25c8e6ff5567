//! Errors of values chosen by their rank: the wanted rank, and the most rows between it and the chosen value.

use crate::evaluate::{Evaluator, Place, part_of};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, Rank, flip_margin, margin, tree};
use deniable_query::output::Term;
use deniable_query::{Estimator, MeasureKind, Query, ValueKind};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The most rows between the rank of a chosen value and the wanted rank, with this confidence; for several quantiles of
/// one measure, of the one at `position`. `None` for measures without ranks.
#[must_use]
pub fn rank_margin(
    query: &Query,
    measure: usize,
    position: usize,
    decay: &Decay,
    confidence: &Rational,
) -> Option<BigInt> {
    let target = match &query.measures()[measure].kind {
        MeasureKind::Ranked { target, .. } => *target,
        MeasureKind::Tree { shares, .. } => {
            return Some(tree::reach(query.grid_size(measure), shares[position].into(), decay, confidence));
        }
        _ => return None,
    };
    let size = BigInt::from(query.grid_size(measure));
    let reach = flip_margin(&size, decay, &(whole(1) - confidence));
    Some(match query.rank(measure, target, decay) {
        Rank::Share { whole: parts, .. } => (Rational::from(reach) / whole(parts)).ceil().to_integer(),
        // The wanted rank is already this far from the end.
        Rank::FromBelow(rank) | Rank::FromAbove(rank) => reach + BigInt::from(rank) - 1,
    })
}

/// The largest error, in rows, of all values chosen by rank from which a term is computed, together and with this
/// confidence; `None` if the term contains other noise.
#[must_use]
pub fn rank_margin_of(
    query: &Query,
    level: usize,
    term: &Term,
    decays: &[&Decay],
    confidence: &Rational,
) -> Option<BigInt> {
    let chosen = chosen(query, term, Place { level, cell: 0 });
    let each = part_of(confidence, chosen.len().max(1));
    let margins = chosen.iter().map(|measure| rank_margin(query, *measure, 0, decays[*measure], &each));
    margins.sum::<Option<BigInt>>().filter(|_| !chosen.is_empty())
}

/// The measures of the values chosen by rank from which a term is computed; empty if the term contains other noise.
pub(crate) fn chosen(query: &Query, term: &Term, row: Place) -> Vec<usize> {
    let mut found = BTreeSet::new();
    if add_chosen(query, term, row, &mut found).is_some() { found.into_iter().collect() } else { Vec::new() }
}

fn add_chosen(query: &Query, term: &Term, row: Place, found: &mut BTreeSet<usize>) -> Option<()> {
    match term {
        Term::Answer(position) => match &query.answers(row.level)[*position] {
            Estimator::Quantile { measure, .. }
                if matches!(query.measures()[*measure].kind, MeasureKind::Ranked { .. }) =>
            {
                found.insert(*measure);
                Some(())
            }
            _ => None,
        },
        Term::Number(_) | Term::Key(_) | Term::Level | Term::Grouping(_) => Some(()),
        Term::Function(_, inner) => add_chosen(query, inner, row, found),
        Term::Arithmetic(_, sides) => sides.iter().try_for_each(|side| add_chosen(query, side, row, found)),
        Term::Text(_) | Term::Null | Term::Window(_) | Term::Case(..) | Term::Lookup(..) => None,
    }
}

impl Evaluator<'_> {
    /// The largest error of a chosen value's rank, in rows; for a number computed from several, the sum of their
    /// errors. Quantiles of one tree have intervals in values instead.
    pub(crate) fn rank_error(&self, term: &Term, row: Place) -> (Option<BigInt>, ValueKind) {
        let value = match term {
            Term::Answer(position) => match &self.query.answers(row.level)[*position] {
                Estimator::Quantile { value, .. } => *value,
                _ => ValueKind::Number,
            },
            _ => ValueKind::Number,
        };
        let chosen = chosen(self.query, term, row);
        let each = part_of(self.confidence, chosen.len().max(1));
        // A branch of a CASE can have fewer measures than its column.
        let rank = |measure: &usize| match self.ranks.get(&chosen.len()) {
            Some(ranks) => ranks.get(*measure).cloned().flatten(),
            None => rank_margin(self.query, *measure, 0, &self.decays[*measure], &each),
        };
        let rows = chosen.iter().map(rank).sum::<Option<BigInt>>().filter(|_| !chosen.is_empty());
        (rows, value)
    }

    /// Whether a value from which the term is computed equals one of its bounds.
    pub(crate) fn is_at_bound(&self, term: &Term, row: Place) -> bool {
        chosen(self.query, term, row).into_iter().any(|measure| {
            let (low, high) = self.query.bounds(measure);
            let value = self.query.value_of(measure, self.values[measure][row.cell]);
            value <= low || value >= high
        })
    }

    /// The noisy number of rows from which a quantile is chosen, and the margin of its noise: of the same values, or
    /// else of all rows or of entities. For several quantiles, the smallest of these numbers.
    pub(crate) fn rows_among(&self, term: &Term, row: Place) -> Option<(BigInt, BigInt)> {
        let among: Option<Vec<_>> =
            chosen(self.query, term, row).into_iter().map(|measure| self.rows_of(measure, row)).collect();
        among?.into_iter().min_by_key(|(rows, reach)| rows - reach)
    }

    fn rows_of(&self, measure: usize, row: Place) -> Option<(BigInt, BigInt)> {
        let MeasureKind::Ranked { argument: of, .. } = self.query.measures()[measure].kind else { return None };
        let counts = |wanted: &dyn Fn(&MeasureKind) -> bool| {
            let measures = self.query.measures().iter();
            measures.enumerate().find(|(_, known)| known.level == row.level && wanted(&known.kind)).map(|(at, _)| at)
        };
        let own = counts(&|kind| matches!(kind, MeasureKind::NotNull { argument } if *argument == of));
        // Under FILTER not all rows have a value.
        let is_of_all = self.query.is_of_all_rows(of);
        let all = || counts(&|kind| matches!(kind, MeasureKind::Rows)).filter(|_| is_of_all);
        let entities = || counts(&|kind| matches!(kind, MeasureKind::Entities { present: None })).filter(|_| is_of_all);
        let count = own.or_else(all).or_else(entities)?;
        let values = self.measured.unwrap_or(self.values);
        Some((values[count][row.cell].into(), margin(&self.decays[count], self.confidence)))
    }
}
