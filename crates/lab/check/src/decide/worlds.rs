//! (α,β)-differential identifiability over worlds whose priors are all from `P_min` to `P_max` (B-6).
//!
//! One record is unknown: worlds are datasets `C ∪ {x}` with `C` in common, without those of prior 0. In the published
//! definition they are `C ∖ {x}`: each lacks one record of a known table. For two worlds the definitions agree, for
//! three they do not. Where an answer has probability `v_j` in world `j`, belief in a world `w` is multiplied by
//! `v_w/Σ P_j v_j`. With `P_max` below `1 − P_min` two worlds are too few, and the worst priors are no longer at two of
//! them. But the sum is linear in the priors: for a given number `s` of worlds its least value uses, beside `w`, the
//! `s − 1` smallest `v_j`, gives each `P_min`, and gives the rest to the smallest first, none above `P_max`; its
//! largest value is the reverse. So sorting decides it exactly.

use super::error::CheckError;
use super::gain::vacuous;
use super::numbers::{one, zero};
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Sign;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::exact::{Bound, Rational, ratio as fraction, whole};
use num_traits::{Signed, Zero};

/// The largest factor by which belief in a world changes, with the worlds and the output.
struct WorstWorlds {
    multiple: Bound,
    /// The worlds with their priors; the measured one is the first.
    priors: Vec<(Dataset, Rational)>,
    /// The records that all worlds share; each world has one entity more, or less.
    common: Dataset,
    output: usize,
}

pub(super) fn decide(
    mechanism: &Mechanism,
    (least, most): (&Rational, &Rational),
    removed: bool,
    sign: Sign,
) -> Result<Verdict, CheckError> {
    let rises = rises(least, most, sign)?;
    let theorems = vec!["B-6"];
    let mut worst: Option<WorstWorlds> = None;
    for common in 0..1_u32 << mechanism.size() {
        let moved = (0..mechanism.size()).map(|t| 1 << t).filter(|bit| (common & bit != 0) == removed);
        let worlds: Vec<Dataset> =
            moved.map(|bit: Dataset| common ^ bit).filter(|data| mechanism.gives(*data)).collect();
        for output in 0..mechanism.outputs().len() {
            let mut values: Vec<(Rational, Dataset)> =
                worlds.iter().map(|data| (mechanism.probability(output, *data), *data)).collect();
            values.sort();
            if !rises {
                values.reverse();
            }
            for (own, (value, _)) in values.iter().enumerate() {
                for priors in (2..=values.len()).filter_map(|count| extreme(values.len(), own, count, least, most)) {
                    let all: Rational = priors.iter().map(|(at, prior)| prior * &values[*at].0).sum();
                    let Some(multiple) = Bound::of(value, &all) else { continue };
                    let beyond =
                        |best: &WorstWorlds| if rises { multiple > best.multiple } else { multiple < best.multiple };
                    // Ties go to a world with a prior above 0.
                    let same = |best: &WorstWorlds| {
                        multiple == best.multiple && best.priors[0].1.is_zero() && !priors[0].1.is_zero()
                    };
                    if worst.as_ref().is_none_or(|best| beyond(best) || same(best)) {
                        let priors = priors.iter().map(|(at, prior)| (values[*at].1, prior.clone())).collect();
                        worst = Some(WorstWorlds { multiple, priors, common, output });
                    }
                }
            }
        }
    }
    let Some(worst) = worst else { return Ok(vacuous(zero(), theorems)) };
    let value = change(&worst.multiple, rises, &worst.priors[0].1);
    let witness = Some(worst.witness(mechanism));
    Ok(Verdict { value, witness, theorems })
}

/// Whether the notion measures β (the rise of a belief) or α (its fall). Fails when a parameter is out of range.
pub(crate) fn rises(least: &Rational, most: &Rational, sign: Sign) -> Result<bool, CheckError> {
    if least.is_negative() || *least > fraction(1, 2) {
        return Err(CheckError::OutOfRange { name: "P_min", value: least.clone(), range: "from 0 to 1/2" });
    }
    if most < least || !most.is_positive() || *most > one() {
        return Err(CheckError::OutOfRange { name: "P_max", value: most.clone(), range: "from P_min to 1, above 0" });
    }
    match sign {
        Sign::Positive => Ok(true),
        Sign::Negative => Ok(false),
        Sign::Both => Err(CheckError::OneSide { notion: "(α,β)-differential identifiability" }),
    }
}

/// α or β from the factor by which belief in a world of prior `own` changes.
pub(crate) fn change(multiple: &Bound, rises: bool, own: &Rational) -> Value {
    let value = match (multiple, rises) {
        (Bound::Finite(multiple), true) => Bound::Finite((multiple - one()).max(whole(0))),
        (Bound::Finite(multiple), false) => Bound::Finite((one() - multiple).max(whole(0))),
        (Bound::Infinite, _) => Bound::Infinite,
    };
    // Worlds have a prior above 0, so smaller and smaller priors approach the value.
    if own.is_zero() && value != zero() { Value::Approached(value) } else { Value::Attained(value) }
}

/// The priors of `count` worlds, the measured world `own` first, with as much weight as possible on the earlier worlds;
/// `None` if no priors fit.
pub(crate) fn extreme(
    worlds: usize,
    own: usize,
    count: usize,
    least: &Rational,
    most: &Rational,
) -> Option<Vec<(usize, Rational)>> {
    let mut left = one() - least * whole(count);
    let room = most - least;
    if left.is_negative() || left > &room * whole(count) {
        return None;
    }
    let mut chosen: Vec<usize> = (0..worlds).filter(|at| *at != own).take(count - 1).collect();
    chosen.push(own);
    chosen.sort_unstable();
    let mut priors: Vec<(usize, Rational)> = Vec::with_capacity(count);
    for at in chosen {
        let more = left.clone().min(room.clone());
        left -= &more;
        priors.push((at, least + more));
    }
    priors.sort_by_key(|(at, _)| *at != own);
    Some(priors)
}

/// Gives the first world, if it has prior 0, a millionth of the largest prior.
pub(crate) fn with_a_prior<W>(mut priors: Vec<(W, Rational)>) -> Vec<(W, Rational)> {
    if priors[0].1.is_zero()
        && let Some(largest) = (1..priors.len()).max_by_key(|at| priors[*at].1.clone())
    {
        let part = &priors[largest].1 * fraction(1, 1_000_000);
        priors[largest].1 -= &part;
        priors[0].1 = part;
    }
    priors
}

impl WorstWorlds {
    fn witness(self, mechanism: &Mechanism) -> Witness {
        let priors = with_a_prior(self.priors);
        let (own, belief) = priors[0].clone();
        let others = priors[1..].iter().map(|(data, prior)| prior * mechanism.probability(self.output, *data));
        let rest = one() - &belief;
        let elsewhere = if rest.is_zero() { whole(0) } else { others.sum::<Rational>() / rest };
        let here = mechanism.probability(self.output, own);
        // A world that has the entity, or the one that lacks it.
        let likelihoods = if own & !self.common != 0 { (here, elsewhere) } else { (elsewhere, here) };
        Witness::Prior {
            prior: Prior::Table(priors.into_iter().filter(|(_, prior)| !prior.is_zero()).collect()),
            entity: (own ^ self.common).trailing_zeros() as usize,
            output: self.output,
            likelihoods,
        }
    }
}
