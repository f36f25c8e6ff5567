//! The noisy numbers that a term depends on.

use super::{Term, Window};
use crate::Query;
use std::collections::BTreeSet;

/// The number of noisy numbers, at least 1, among which the allowed error of a term is divided when each gets its own
/// interval. A number in another row counts separately from the same number in this row.
pub fn parts(term: &Term, level: usize, query: &Query) -> usize {
    let mut found = TermInputs::default();
    found.own(term, level, query);
    let others = found.windows.iter().map(|window| {
        let Window { argument, levels, .. } = &query.output().windows[*window];
        let of = |level: usize| parts(argument, level, query);
        if levels.contains(&level) { of(level) } else { levels.iter().map(|level| of(*level)).max().unwrap_or(0) }
    });
    (found.measures.len() + others.sum::<usize>()).max(1)
}

/// The measures that a term depends on.
pub(crate) fn measures(term: &Term, level: usize, query: &Query) -> BTreeSet<usize> {
    let mut found = TermInputs::default();
    found.own(term, level, query);
    for window in found.windows {
        let Window { argument, levels, .. } = &query.output().windows[window];
        let own = levels.contains(&level).then_some(level);
        let levels = own.map_or_else(|| levels.clone(), |level| vec![level]);
        found.measures.extend(levels.iter().flat_map(|level| measures(argument, *level, query)));
    }
    found.measures
}

/// The measures and windows that a term depends on.
#[derive(Default)]
struct TermInputs {
    /// Measures, in its own row.
    measures: BTreeSet<usize>,
    windows: BTreeSet<usize>,
}

impl TermInputs {
    fn own(&mut self, term: &Term, level: usize, query: &Query) {
        match term {
            Term::Key(_) | Term::Number(_) | Term::Null | Term::Text(_) | Term::Level | Term::Grouping(_) => {}
            Term::Answer(position) => self.measures.extend(query.answers(level)[*position].measures()),
            Term::Arithmetic(_, sides) => sides.iter().for_each(|side| self.own(side, level, query)),
            Term::Function(_, inner) => self.own(inner, level, query),
            // Public tables have no noise, whatever the key.
            Term::Lookup(..) => {}
            // Conditions compare released values, so choosing a branch adds no error.
            Term::Case(branches, otherwise) => {
                branches.iter().for_each(|(_, value)| self.own(value, level, query));
                self.own(otherwise, level, query);
            }
            Term::Window(window) => {
                self.windows.insert(*window);
            }
        }
    }
}
