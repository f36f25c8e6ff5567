//! Seeded random mechanisms and priors, and Bayes' rule written out.

use deniable_check::Bound;
use deniable_check::family::Prior;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Direction;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// A whole number from 0 up to and without `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    /// Random weights over `places` things, scaled to sum to 1; each is zero now and then if `zeros`.
    pub fn distribution(&mut self, places: usize, zeros: bool) -> Vec<Rational> {
        loop {
            let weights: Vec<u64> = (0..places).map(|_| self.below(10) + u64::from(!zeros)).collect();
            let sum: u64 = weights.iter().sum();
            if sum > 0 {
                return weights.iter().map(|weight| ratio(*weight as i64, sum as i64)).collect();
            }
        }
    }

    pub fn mechanism(&mut self, entities: usize, outputs: usize) -> Mechanism {
        let zeros = self.below(3) == 0;
        let rows: Vec<Vec<Rational>> = (0..1_usize << entities).map(|_| self.distribution(outputs, zeros)).collect();
        let names: Vec<String> = (0..outputs).map(|output| output.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Mechanism::from_fn(entities, &names, |data, output| rows[data as usize][output].clone()).unwrap()
    }

    /// Any distribution over all datasets, some of them impossible.
    pub fn prior(&mut self, entities: usize) -> Prior {
        let masses = self.distribution(1 << entities, true);
        let table = (0..).zip(masses).filter(|(_, mass)| !mass.is_zero());
        Prior::Table(table.collect())
    }

    /// Independent entities conditioned on a size; `None` if that size is impossible.
    pub fn sized(&mut self, entities: usize, size: u32) -> Option<Prior> {
        let beliefs = (0..entities).map(|_| ratio(self.below(7) as i64, 6)).collect();
        let mut table = Prior::Independent(beliefs).table();
        table.retain(|(data, _)| data.count_ones() == size);
        let sum: Rational = table.iter().map(|(_, mass)| mass).sum();
        (!sum.is_zero()).then(|| Prior::Table(table.into_iter().map(|(data, mass)| (data, mass / &sum)).collect()))
    }
}

/// `Pr[o|t]` and `Pr[o|¬t]`; `None` if the prior is certain of `t`.
pub fn likelihoods(mechanism: &Mechanism, prior: &Prior, t: usize, output: usize) -> Option<(Rational, Rational)> {
    let belief = prior.belief(t);
    let rest = whole(1) - &belief;
    if belief.is_zero() || rest.is_zero() {
        return None;
    }
    let joint = |present: bool| -> Rational {
        let inside = prior.table().into_iter().filter(|(data, _)| (data >> t & 1 == 1) == present);
        inside.map(|(data, mass)| mass * mechanism.probability(output, data)).sum()
    };
    Some((joint(true) / belief, joint(false) / rest))
}

/// The largest likelihood ratio that any output gives about any uncertain entity.
pub fn largest_ratio(mechanism: &Mechanism, prior: &Prior, direction: Direction) -> Bound {
    worst(mechanism, prior, |_, (present, absent)| match direction {
        Direction::Presence => Bound::of(&present, &absent),
        Direction::Absence => Bound::of(&absent, &present),
    })
}

/// The smallest γ, by the definition of PMP or NMP: `Pr[t|o] ≤ γ·Pr[t]` and `Pr[¬t|o] ≥ Pr[¬t]/γ`, or with `t` and `¬t` exchanged.
pub fn smallest_gain(mechanism: &Mechanism, prior: &Prior, direction: Direction) -> Bound {
    worst(mechanism, prior, |t, (present, absent)| {
        let belief = prior.belief(t);
        let (belief, top, bottom) = match direction {
            Direction::Presence => (belief, present, absent),
            Direction::Absence => (whole(1) - belief, absent, present),
        };
        let all = &belief * &top + (whole(1) - &belief) * &bottom;
        Some(Bound::of(&top, &all)?.max(Bound::of(&all, &bottom)?))
    })
}

fn worst(mechanism: &Mechanism, prior: &Prior, of: impl Fn(usize, (Rational, Rational)) -> Option<Bound>) -> Bound {
    let outputs = 0..mechanism.outputs().len();
    let each = (0..mechanism.size()).flat_map(|t| outputs.clone().map(move |output| (t, output)));
    let found = each.filter_map(|(t, output)| of(t, likelihoods(mechanism, prior, t, output)?));
    found.max().unwrap_or_else(Bound::one).max(Bound::one())
}

/// The prior scaled about `t`: datasets with `t` times one number, those without times another, so that `t` has this belief.
pub fn scaled(prior: &Prior, t: usize, belief: &Rational) -> Prior {
    let before = prior.belief(t);
    let (with, without) = (belief / &before, (whole(1) - belief) / (whole(1) - before));
    let factor = |data: Dataset| if data >> t & 1 == 1 { &with } else { &without };
    Prior::Table(prior.table().into_iter().map(|(data, mass)| (data, mass * factor(data))).collect())
}
