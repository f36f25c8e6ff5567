//! Priors as tables, and posteriors computed only with Bayes' rule.

use super::dice::grid;
use deniable_check::Bound;
use deniable_check::family::Prior;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Direction;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Zero};

pub const BOTH: [Direction; 2] = [Direction::Presence, Direction::Absence];

/// The possible datasets, with probabilities that sum to 1.
pub type Table = Vec<(Dataset, Rational)>;

/// Without impossible datasets, scaled to sum to 1; `None` if all are impossible.
pub fn scaled(mut table: Table) -> Option<Table> {
    table.retain(|(_, weight)| !weight.is_zero());
    let sum: Rational = table.iter().map(|(_, weight)| weight).sum();
    (!sum.is_zero()).then(|| table.into_iter().map(|(data, weight)| (data, weight / &sum)).collect())
}

/// All datasets in order, with these weights.
pub fn table(weights: Vec<Rational>) -> Table {
    scaled((0..).zip(weights).collect()).unwrap()
}

pub fn mixed(priors: &[Table], weights: &[Rational]) -> Table {
    let all = priors.iter().zip(weights);
    scaled(all.flat_map(|(prior, weight)| prior.iter().map(move |(data, p)| (*data, p * weight))).collect()).unwrap()
}

/// The prior conditioned on the size; `None` if that size is impossible.
pub fn of_size(prior: &[(Dataset, Rational)], size: u32) -> Option<Table> {
    scaled(prior.iter().filter(|(data, _)| data.count_ones() == size).cloned().collect())
}

/// Independent beliefs, conditioned on every possible size.
pub fn sized_grid(entities: usize, values: &[Rational]) -> Vec<Table> {
    let independent = grid(entities, values).into_iter().map(|beliefs| Prior::Independent(beliefs).table());
    let sized = independent.flat_map(|prior| (0..=entities as u32).filter_map(move |size| of_size(&prior, size)));
    sized.collect()
}

/// Whether all datasets of a prior have rows.
pub fn given(mechanism: &Mechanism, prior: &[(Dataset, Rational)]) -> bool {
    prior.iter().all(|(data, _)| mechanism.gives(*data))
}

pub fn belief(prior: &[(Dataset, Rational)], t: usize) -> Rational {
    prior.iter().filter(|(data, _)| data >> t & 1 == 1).map(|(_, weight)| weight).sum()
}

/// `Pr[t, o]` and `Pr[¬t, o]`.
pub fn joint(mechanism: &Mechanism, prior: &[(Dataset, Rational)], t: usize, output: usize) -> (Rational, Rational) {
    let of = |present: bool| {
        let worlds = prior.iter().filter(|(data, _)| (data >> t & 1 == 1) == present);
        worlds.map(|(data, weight)| weight * mechanism.probability(output, *data)).sum()
    };
    (of(true), of(false))
}

/// `Pr[o|t]` and `Pr[o|¬t]`; `None` if the prior is certain of `t`.
pub fn likelihoods(
    mechanism: &Mechanism,
    prior: &[(Dataset, Rational)],
    t: usize,
    output: usize,
) -> Option<(Rational, Rational)> {
    let before = belief(prior, t);
    if before.is_zero() || before.is_one() {
        return None;
    }
    let (with, without) = joint(mechanism, prior, t, output);
    Some((with / &before, without / (whole(1) - before)))
}

/// The smallest γ at one prior, entity and output, by the definition of PMP or NMP: `Pr[t|o] ≤ γ·Pr[t]` and
/// `Pr[¬t|o] ≥ Pr[¬t]/γ`, or with `t` and `¬t` exchanged. `None` for certain observers and for impossible answers.
pub fn gain_at(
    mechanism: &Mechanism,
    prior: &[(Dataset, Rational)],
    t: usize,
    output: usize,
    about: Direction,
) -> Option<Bound> {
    let present = belief(prior, t);
    if present.is_zero() || present.is_one() {
        return None;
    }
    let (with, without) = joint(mechanism, prior, t, output);
    let (belief, top, bottom) = match about {
        Direction::Presence => (present, with, without),
        Direction::Absence => (whole(1) - present, without, with),
    };
    let total = &top + &bottom;
    if total.is_zero() {
        return None;
    }
    // Pr[t|o]/Pr[t], and Pr[¬t]/Pr[¬t|o].
    let up = &top / &total / &belief;
    let down = Bound::of(&(whole(1) - belief), &(bottom / total)).unwrap();
    Some(Bound::Finite(up).max(down))
}

pub fn outputs(mechanism: &Mechanism) -> std::ops::Range<usize> {
    0..mechanism.outputs().len()
}

/// The largest gain over entities and outputs.
pub fn gain(mechanism: &Mechanism, prior: &[(Dataset, Rational)], about: Direction) -> Option<Bound> {
    let all = (0..mechanism.size()).flat_map(|t| outputs(mechanism).map(move |output| (t, output)));
    all.filter_map(|(t, output)| gain_at(mechanism, prior, t, output, about)).max()
}

/// Belief in presence after each answer, for every uncertain entity.
pub fn posteriors(mechanism: &Mechanism, prior: &[(Dataset, Rational)]) -> Vec<Rational> {
    let all = (0..mechanism.size()).flat_map(|t| outputs(mechanism).map(move |output| (t, output)));
    let after = all.filter_map(|(t, output)| {
        let before = belief(prior, t);
        let (with, without) = joint(mechanism, prior, t, output);
        let total = &with + without;
        (!before.is_zero() && !before.is_one() && !total.is_zero()).then(|| with / total)
    });
    after.collect()
}
