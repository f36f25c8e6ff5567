//! The effect of a verdict's witness, recomputed by Bayes' rule.

use crate::it::common::bayes::{self, Table, gain_at, joint};
use deniable_check::Bound;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Direction;
use deniable_check::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio};

/// The prior, entity and output of a witness; fails if its likelihoods are not those of the prior.
pub fn witness(mechanism: &Mechanism, verdict: &Verdict) -> Option<(Table, usize, usize)> {
    let Some(Witness::Prior { prior, entity, output, likelihoods }) = &verdict.witness else { return None };
    assert!(prior.is_distribution());
    let table = prior.table();
    let line = verdict.witness.as_ref().unwrap().line(mechanism);
    assert_eq!(Some(likelihoods), bayes::likelihoods(mechanism, &table, *entity, *output).as_ref(), "{line}");
    Some((table, *entity, *output))
}

/// The gain of the witness, if it has a prior.
pub fn shown(mechanism: &Mechanism, verdict: &Verdict, about: Direction) -> Option<Bound> {
    let (table, entity, output) = witness(mechanism, verdict)?;
    gain_at(mechanism, &table, entity, output, about)
}

/// The posterior belief in presence of the witness.
pub fn shown_belief(mechanism: &Mechanism, verdict: &Verdict) -> Option<Rational> {
    let (table, entity, output) = witness(mechanism, verdict)?;
    let (with, without) = joint(mechanism, &table, entity, output);
    Some(&with / (&with + without))
}

pub fn attained(value: Bound) -> Value {
    Value::Attained(value)
}

pub fn range(low: (i64, i64), high: (i64, i64)) -> PriorRange {
    let end = |(top, bottom): (i64, i64)| (top != 0 && top != bottom).then(|| ratio(top, bottom));
    PriorRange::new(end(low), end(high)).unwrap()
}
