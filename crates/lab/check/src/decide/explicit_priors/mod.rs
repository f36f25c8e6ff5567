//! Given priors and their mixtures (F-EXPL).
//!
//! For a mixture with weights `w`, `P = Pr[t]`, `X = Pr[t, o]` and `Y = Pr[¬t, o]` are linear in `w`. PMP bounds
//! `X/((X+Y)·P)` and `(1−P)·(X+Y)/Y`, NMP the same with `t` and `¬t` exchanged. Where `P` is held fixed both are
//! linear-fractional in `w`, so largest at a vertex of the slice, which is on an edge of the simplex: **two priors are
//! enough**. Along an edge the derivative has the sign of a quadratic (see [`edge`]).

mod edge;

use super::error::CheckError;
use super::gain::vacuous;
use super::numbers::one;
use super::product::likelihoods;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction, whole};
pub(super) use edge::Moment;
use edge::{Edge, Peak};
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// Inverse of the width of the bracket where the largest gain is at an irrational mixture.
const WIDTH: i64 = 1_000_000_000_000;

/// Membership privacy against the given priors and all their mixtures.
pub(super) fn decide(
    mechanism: &Mechanism,
    priors: &[Prior],
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let tables = Tables::new(mechanism, priors)?;
    let mut best = BestMixture { value: Bound::one(), attained: true, place: None };
    let mut peaks: Vec<(Peak, Place)> = vec![];
    for entity in 0..mechanism.size() {
        for output in 0..mechanism.outputs().len() {
            let moments = tables.moments(mechanism, entity, output, direction);
            for (first, one) in moments.iter().enumerate() {
                let place = |second, weight| Place { priors: (first, second), weight, entity, output };
                best.offer(one.gain(), true, || place(first, self::one()));
                for (second, other) in moments.iter().enumerate().skip(first + 1) {
                    for edge in Edge::both(one, other) {
                        for (value, attained, weight) in edge.exact() {
                            best.offer(Some(value), attained, || place(second, weight));
                        }
                        peaks.extend(edge.peaks().into_iter().map(|peak| (peak, place(second, whole(0)))));
                    }
                }
            }
        }
    }
    if tables.all_alike() {
        return Ok(vacuous(Bound::one(), theorems));
    }
    Ok(tables.verdict(mechanism, best, peaks, theorems))
}

/// A mixture of two priors, with the weight of the first, and the entity and output in question.
#[derive(Debug, Clone)]
struct Place {
    priors: (usize, usize),
    weight: Rational,
    entity: usize,
    output: usize,
}

/// The largest gain at rational mixtures.
struct BestMixture {
    value: Bound,
    attained: bool,
    place: Option<Place>,
}

impl BestMixture {
    fn offer(&mut self, value: Option<Bound>, attained: bool, place: impl FnOnce() -> Place) {
        let Some(value) = value else { return };
        if (&value, attained) > (&self.value, self.attained)
            || (self.place.is_none() && attained && value == self.value)
        {
            *self = Self { value, attained, place: Some(place()) };
        }
    }
}

/// The given priors after validation: datasets and their probabilities.
pub(super) struct Tables(Vec<BTreeMap<Dataset, Rational>>);

impl Tables {
    pub(super) fn new(mechanism: &Mechanism, priors: &[Prior]) -> Result<Self, CheckError> {
        if priors.is_empty() {
            return Err(CheckError::NoPrior { why: "none is given".to_owned() });
        }
        let checked = |(place, prior): (usize, &Prior)| {
            table(mechanism, prior).map_err(|why| CheckError::NotAPrior { number: place + 1, why })
        };
        Ok(Self(priors.iter().enumerate().map(checked).collect::<Result<_, _>>()?))
    }

    /// Whether all priors are certain of the same dataset, so that no mixture is uncertain of any entity.
    fn all_alike(&self) -> bool {
        let mut all = self.0.iter().flat_map(BTreeMap::keys);
        all.next().is_none_or(|first| all.all(|data| data == first))
    }

    /// The moments of an entity and an output under each prior; `direction` is the event on top.
    pub(super) fn moments(
        &self,
        mechanism: &Mechanism,
        entity: usize,
        output: usize,
        direction: Direction,
    ) -> Vec<Moment> {
        let of = |table: &BTreeMap<Dataset, Rational>| {
            let mut moment = Moment { belief: Rational::zero(), top: Rational::zero(), bottom: Rational::zero() };
            for (data, weight) in table {
                let joint = weight * mechanism.probability(output, *data);
                if (data >> entity & 1 == 1) == (direction == Direction::Presence) {
                    moment.belief += weight;
                    moment.top += joint;
                } else {
                    moment.bottom += joint;
                }
            }
            moment
        };
        self.0.iter().map(of).collect()
    }

    /// The mixture that gives the first prior weight `weight`, and the second the rest.
    fn mixture(&self, (first, second): (usize, usize), weight: &Rational) -> Prior {
        let mut mixed: BTreeMap<Dataset, Rational> = BTreeMap::new();
        for (prior, weight) in [(first, weight.clone()), (second, one() - weight)] {
            for (data, probability) in &self.0[prior] {
                *mixed.entry(*data).or_insert_with(Rational::zero) += probability * &weight;
            }
        }
        Prior::Table(mixed.into_iter().filter(|(_, probability)| !probability.is_zero()).collect())
    }

    pub(super) fn witness(
        &self,
        mechanism: &Mechanism,
        priors: (usize, usize),
        weight: &Rational,
        (entity, output): (usize, usize),
    ) -> Witness {
        let prior = self.mixture(priors, weight);
        let likelihoods = likelihoods(mechanism, &prior, entity, output);
        Witness::Prior { prior, entity, output, likelihoods }
    }

    fn verdict(
        &self,
        mechanism: &Mechanism,
        best: BestMixture,
        peaks: Vec<(Peak, Place)>,
        theorems: Vec<&'static str>,
    ) -> Verdict {
        let width = fraction(1, WIDTH);
        // A few digits separate most peaks from the highest.
        let coarse: Vec<_> = peaks.into_iter().map(|(peak, place)| (peak.near(8), peak, place)).collect();
        let reached = coarse.iter().map(|(near, ..)| &near.low).max().cloned().unwrap_or_else(Bound::one);
        let settled = coarse.into_iter().filter(|(near, ..)| near.high > best.value && near.high >= reached);
        let settled = settled.filter_map(|(_, peak, place)| Some((peak.settle(&best.value, &width)?, place)));
        let settled: Vec<_> = settled.collect();
        let low = settled.iter().max_by(|left, right| left.0.low.cmp(&right.0.low));
        let high = settled.iter().map(|(peak, _)| &peak.high).max();
        let (value, place) = match (low, high) {
            (Some((peak, place)), Some(high)) => {
                let value = Value::Between { low: peak.low.clone(), high: high.clone(), theorem: "F-EXPL" };
                (value, Some(Place { weight: peak.weight.clone(), ..place.clone() }))
            }
            _ if best.attained => (Value::Attained(best.value), best.place),
            _ => (Value::Approached(best.value), best.place),
        };
        let witness = place
            .map(|Place { priors, weight, entity, output }| self.witness(mechanism, priors, &weight, (entity, output)));
        Verdict { value, witness, theorems }
    }
}

/// The possible datasets with their probabilities. Fails with the reason if the prior is not a distribution over
/// datasets of the mechanism.
fn table(mechanism: &Mechanism, prior: &Prior) -> Result<BTreeMap<Dataset, Rational>, String> {
    if let Prior::Independent(beliefs) = prior {
        if beliefs.len() != mechanism.size() {
            let (found, expected) = (beliefs.len(), mechanism.size());
            return Err(format!("it has beliefs in {found} entities, but the mechanism has {expected}"));
        }
        if let Some(belief) = beliefs.iter().find(|belief| belief.is_negative() || **belief > one()) {
            return Err(format!("the belief {belief} is not between 0 and 1"));
        }
    }
    let mut table: BTreeMap<Dataset, Rational> = BTreeMap::new();
    for (data, probability) in prior.table() {
        if u64::from(data) >> mechanism.size() != 0 {
            return Err(format!("dataset number {data} has entities that the mechanism does not have"));
        }
        if probability.is_negative() {
            return Err(format!("the probability of dataset {} is {probability}, below 0", mechanism.members(data)));
        }
        if !probability.is_zero() {
            if !mechanism.gives(data) {
                return Err(format!(
                    "dataset {} is possible, but the mechanism has no row for it",
                    mechanism.members(data)
                ));
            }
            *table.entry(data).or_insert_with(Rational::zero) += probability;
        }
    }
    let sum: Rational = table.values().sum();
    if sum.is_one() { Ok(table) } else { Err(format!("its probabilities sum to {sum}, not 1")) }
}
