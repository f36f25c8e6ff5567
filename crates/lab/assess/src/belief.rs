//! One belief about one sensitive value, before and after a table is seen (I-BOP).
//!
//! The prior is `α = f/(f+g)` with whole numbers: people with the value, and all other people. The posterior is
//! `β = w/(w+r)`, where `w` is the weight of the value and `r` that of all other values; a weight is `n·f/F`, where `n`
//! rows of the class have a value, and of the `F` people whom the class covers and who have it `f` are of the person's
//! type. Floats are sums and products of positive numbers, with no differences, so their relative error stays below
//! 10⁻¹¹.

use crate::number::number;
use deniable_core::exact::{Bound, Rational, whole};
use num_traits::{ToPrimitive, Zero};
use serde::{Serialize, Serializer};
use std::collections::HashSet;

/// `n`, `f` and `F` of a value.
pub(crate) type Term = (u64, u64, u64);

/// A belief before its exact numbers are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Belief<'t> {
    pub person: Option<u32>,
    /// The code of the value in the table that the prior is from.
    pub value: u32,
    pub prior: (u64, u64),
    pub terms: &'t [Term],
    /// The index of the value's own term.
    pub own: usize,
    pub weight: f64,
    pub rest: f64,
}

/// The direction in which a belief moves, and its measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `α/β`: the ratio that LXL bounds by `e^ε`.
    Loss,
    /// The gain of the belief, `β/α`.
    Gain,
    /// Odds afterwards over odds before.
    Up,
    /// Odds before over odds afterwards.
    Down,
}

/// The class, the person's raw values if priors differ between people, and the sensitive value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct BeliefNames {
    /// The class by its cells: `age=30-39, zip=*`.
    pub class: String,
    /// The type of person in the background; `None` if all people have one prior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The sensitive value.
    pub value: String,
}

/// A belief before and after the table, in exact numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BeliefChange {
    /// The class, person and value that the belief is about.
    #[serde(flatten)]
    pub names: BeliefNames,
    /// `α`: the belief before the table, from 0 to 1.
    #[serde(serialize_with = "number")]
    pub before: Rational,
    /// `β`: the belief after the table, from 0 to 1.
    #[serde(serialize_with = "number")]
    pub after: Rational,
}

impl BeliefChange {
    /// The factor by which it moved. A belief that was certain stays so, with factor 1.
    #[must_use]
    pub fn by(&self, kind: Kind) -> Bound {
        let (before, after) = (&self.before, &self.after);
        let (not_before, not_after) = (whole(1) - before, whole(1) - after);
        let (top, bottom) = match kind {
            Kind::Loss => (before.clone(), after.clone()),
            Kind::Gain => (after.clone(), before.clone()),
            Kind::Up => (after * not_before, before * not_after),
            Kind::Down => (before * not_after, after * not_before),
        };
        match (top.is_zero(), bottom.is_zero()) {
            (true, true) => Bound::Finite(whole(1)),
            (false, true) => Bound::Infinite,
            (_, false) => Bound::Finite(top / bottom),
        }
    }
}

impl Belief<'_> {
    /// The factor as a float; infinite exactly when the exact factor is.
    pub(crate) fn about(&self, kind: Kind) -> f64 {
        let float = |count: u64| count.to_f64().unwrap_or(f64::INFINITY);
        let (own, others) = (float(self.prior.0), float(self.prior.1));
        let (top, bottom) = match kind {
            Kind::Loss => (own * (self.weight + self.rest), (own + others) * self.weight),
            Kind::Gain => ((own + others) * self.weight, own * (self.weight + self.rest)),
            Kind::Up => (self.weight * others, self.rest * own),
            Kind::Down => (self.rest * own, self.weight * others),
        };
        if top > 0.0 {
            top / bottom
        } else if bottom > 0.0 {
            0.0
        } else {
            1.0
        }
    }

    /// The belief in exact numbers.
    pub(crate) fn exact(&self, names: BeliefNames) -> BeliefChange {
        let weight = |(rows, people, all): &Term| match all {
            0 => whole(0),
            all => Rational::new(u128::from(*rows).into(), (*all).into()) * whole(*people),
        };
        let (mut own, mut sum) = (whole(0), whole(0));
        for (place, term) in self.terms.iter().enumerate().filter(|(_, term)| term.0 > 0) {
            let weight = weight(term);
            if place == self.own {
                own = weight.clone();
            }
            sum += weight;
        }
        let after = if sum.is_zero() { sum } else { own / sum };
        let before = Rational::new(self.prior.0.into(), (u128::from(self.prior.0) + u128::from(self.prior.1)).into());
        BeliefChange { names, before, after }
    }

    /// All numbers that its exact value depends on.
    fn signature(&self) -> Vec<u64> {
        let flat = |(rows, people, all): &Term| [*rows, *people, *all];
        let mut others: Vec<[u64; 3]> = self
            .terms
            .iter()
            .enumerate()
            .filter(|(place, term)| *place != self.own && term.0 > 0)
            .map(|(_, term)| flat(term))
            .collect();
        others.sort_unstable();
        let own = self.terms.get(self.own).map_or([0; 3], flat);
        [self.prior.0, self.prior.1].into_iter().chain(own).chain(others.into_iter().flatten()).collect()
    }
}

/// The beliefs that move farthest: one that moves infinitely far, if there is one, and the farthest of those that move
/// finitely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    /// The measure of movement.
    pub kind: Kind,
    /// A belief that moves infinitely far; of several, the one that was farthest from its end before.
    pub infinite: Option<BeliefChange>,
    /// The farthest of the beliefs that move finitely.
    pub finite: Option<BeliefChange>,
}

impl Extreme {
    /// The largest factor; 1 if there is no belief.
    #[must_use]
    pub fn value(&self) -> Bound {
        self.farthest().map_or(Bound::Finite(whole(1)), |moved| moved.by(self.kind))
    }

    /// The belief that moves farthest of all.
    #[must_use]
    pub fn farthest(&self) -> Option<&BeliefChange> {
        self.infinite.as_ref().or(self.finite.as_ref())
    }
}

impl Serialize for Extreme {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Moved<'a> {
            #[serde(flatten)]
            change: &'a BeliefChange,
            #[serde(serialize_with = "number")]
            by: Bound,
        }
        #[derive(Serialize)]
        struct Farthest<'a> {
            #[serde(serialize_with = "number")]
            value: Bound,
            #[serde(skip_serializing_if = "Option::is_none")]
            infinite: Option<Moved<'a>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            finite: Option<Moved<'a>>,
        }
        fn moved(change: Option<&BeliefChange>, kind: Kind) -> Option<Moved<'_>> {
            change.map(|change| Moved { change, by: change.by(kind) })
        }
        Farthest {
            value: self.value(),
            infinite: moved(self.infinite.as_ref(), self.kind),
            finite: moved(self.finite.as_ref(), self.kind),
        }
        .serialize(serializer)
    }
}

/// Relative distance below which floats do not separate two numbers.
pub(crate) const NEAR: f64 = 1e-9;
/// Largest number of beliefs remembered because they were as far as the farthest. Beyond it they are computed again,
/// which is slower but equally exact: no belief near the farthest is left out.
const MOST_SEEN: usize = 1 << 14;

/// Looks for the belief that moves farthest.
pub(crate) struct Search {
    kind: Kind,
    best: f64,
    finite: Option<BeliefChange>,
    infinite: Option<(BeliefChange, (u64, u64))>,
    seen: HashSet<Vec<u64>>,
}

impl Search {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, best: 0.0, finite: None, infinite: None, seen: HashSet::new() }
    }

    pub(crate) fn offer(&mut self, belief: &Belief<'_>, names: impl Fn() -> BeliefNames) {
        let about = belief.about(self.kind);
        if about.is_infinite() {
            // Ruling out a more likely value, or proving a less likely one, is farther.
            let crossed = |one: (u64, u64), two: (u64, u64)| u128::from(one.0) * u128::from(two.1);
            let is_farther = self.infinite.as_ref().is_none_or(|(_, prior)| {
                let (new, old) = (crossed(belief.prior, *prior), crossed(*prior, belief.prior));
                if self.kind == Kind::Up { new < old } else { new > old }
            });
            if is_farther {
                self.infinite = Some((belief.exact(names()), belief.prior));
            }
            return;
        }
        if about < self.best * (1.0 - NEAR) {
            return;
        }
        if about > self.best * (1.0 + NEAR) {
            self.seen.clear();
        }
        let signature = belief.signature();
        if self.seen.contains(&signature) {
            return;
        }
        if self.seen.len() < MOST_SEEN {
            self.seen.insert(signature);
        }
        let exact = belief.exact(names());
        if self.finite.as_ref().is_none_or(|finite| exact.by(self.kind) > finite.by(self.kind)) {
            self.finite = Some(exact);
        }
        self.best = self.best.max(about);
    }

    pub(crate) fn found(self) -> Extreme {
        Extreme { kind: self.kind, infinite: self.infinite.map(|(moved, _)| moved), finite: self.finite }
    }
}
