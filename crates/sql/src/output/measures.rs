//! Which noisy numbers a term rests on.

use super::Term;
use crate::plan::Query;
use std::collections::BTreeSet;

/// Among how many noisy numbers the allowed error of a term is shared, where each reaches by itself: at least 1. Those of another row
/// count beside the same of this one.
pub(super) fn parts(term: &Term, level: usize, query: &Query) -> usize {
    let mut windows = Vec::new();
    windows_in(term, &mut windows);
    let argument = |window: &usize| &query.output().windows[*window].argument;
    let others = windows.iter().map(|window| parts(argument(window), level, query)).sum::<usize>();
    (own_measures(term, level, query).len() + others).max(1)
}

fn windows_in(term: &Term, found: &mut Vec<usize>) {
    match term {
        Term::Window(window) if !found.contains(window) => found.push(*window),
        Term::Arithmetic(_, sides) => sides.iter().for_each(|side| windows_in(side, found)),
        Term::Function(_, inner) => windows_in(inner, found),
        _ => {}
    }
}

/// The measures that a term depends on in its own row.
fn own_measures(term: &Term, level: usize, query: &Query) -> BTreeSet<usize> {
    match term {
        Term::Window(_) => BTreeSet::new(),
        Term::Arithmetic(_, sides) => sides.iter().flat_map(|side| own_measures(side, level, query)).collect(),
        Term::Function(_, inner) => own_measures(inner, level, query),
        other => measures(other, level, query),
    }
}

/// The measures that a term depends on.
pub(super) fn measures(term: &Term, level: usize, query: &Query) -> BTreeSet<usize> {
    match term {
        Term::Key(_) | Term::Number(_) | Term::Text(_) | Term::Level | Term::Grouping(_) => BTreeSet::new(),
        Term::Answer(position) => query.answers(level)[*position].measures().into_iter().collect(),
        Term::Arithmetic(_, sides) => sides.iter().flat_map(|side| measures(side, level, query)).collect(),
        Term::Function(_, inner) => measures(inner, level, query),
        Term::Window(window) => measures(&query.output().windows[*window].argument, level, query),
    }
}
