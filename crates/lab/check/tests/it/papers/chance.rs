//! Random mechanisms and priors of several kinds, and explicit likelihood ratios.

use crate::it::common::bayes::{self, likelihoods, of_size, outputs, table};
use crate::it::common::dice::Dice;
use deniable_check::Bound;
use deniable_check::family::Prior;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Direction;
use deniable_core::exact::{Rational, ratio, whole};

/// One mechanism in three has some zeros.
pub fn random(entities: usize, outputs: usize, dice: &mut Dice) -> Mechanism {
    let least = if dice.below(3) == 0 { 0 } else { 1 };
    dice.mechanism(entities, outputs, least, least + 9)
}

/// A random distribution over all datasets, some of them impossible.
pub fn random_prior(entities: usize, dice: &mut Dice) -> Prior {
    Prior::Table(table(dice.distribution(1 << entities, 0, 9)))
}

/// Independent entities conditioned on a size; `None` if that size is impossible.
pub fn random_sized(entities: usize, size: u32, dice: &mut Dice) -> Option<Prior> {
    let beliefs = (0..entities).map(|_| ratio(dice.between(0, 6), 6)).collect();
    of_size(&Prior::Independent(beliefs).table(), size).map(Prior::Table)
}

/// The largest likelihood ratio that any output gives about this entity; `None` if the prior is certain of it.
pub fn ratio_about(mechanism: &Mechanism, prior: &Prior, t: usize, direction: Direction) -> Option<Bound> {
    let prior = prior.table();
    let each = outputs(mechanism).filter_map(|output| likelihoods(mechanism, &prior, t, output));
    let ratios = each.filter_map(|(present, absent)| match direction {
        Direction::Presence => Bound::of(&present, &absent),
        Direction::Absence => Bound::of(&absent, &present),
    });
    ratios.max()
}

/// The largest ratio about any uncertain entity.
pub fn largest_ratio(mechanism: &Mechanism, prior: &Prior, direction: Direction) -> Bound {
    let each = (0..mechanism.size()).filter_map(|t| ratio_about(mechanism, prior, t, direction));
    each.max().unwrap_or_else(Bound::one)
}

/// The smallest γ for this prior alone.
pub fn smallest_gain(mechanism: &Mechanism, prior: &Prior, direction: Direction) -> Bound {
    bayes::gain(mechanism, &prior.table(), direction).unwrap_or_else(Bound::one)
}

/// The prior scaled about `t`: datasets with `t` by one factor, those without it by another, so that `t` has this
/// belief.
pub fn scaled(prior: &Prior, t: usize, belief: &Rational) -> Prior {
    let before = prior.belief(t);
    let (with, without) = (belief / &before, (whole(1) - belief) / (whole(1) - before));
    let factor = |data: Dataset| if data >> t & 1 == 1 { &with } else { &without };
    Prior::Table(prior.table().into_iter().map(|(data, mass)| (data, mass * factor(data))).collect())
}
