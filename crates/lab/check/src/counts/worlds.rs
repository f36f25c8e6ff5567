//! (α,β)-differential identifiability on counts, over worlds whose priors are all in a range (B-6). The algorithm is
//! that of [`crate::decide`] on tables; worlds of one group have the same counts.

use super::model::CountMechanism;
use crate::decide::worlds::{change, extreme, rises, with_a_prior};
use crate::decide::{CheckError, vacuous};
use crate::notion::Sign;
use crate::verdict::{CountPlace, CountWitness, Value, Verdict, Witness};
use deniable_core::exact::{Bound, Rational, whole};
use num_traits::{ToPrimitive, Zero};

/// Limit on the steps: a few seconds.
const MOST_STEPS: usize = 1 << 22;

/// The largest factor by which belief in a world changes, with the world and the output.
struct WorstCountWorlds {
    multiple: Bound,
    /// The group of each world's record and its prior; the measured world is the first.
    priors: Vec<(usize, Rational)>,
    common: usize,
    removed: bool,
    output: usize,
}

/// The counts of a world: the common ones with one member of `group` added, or removed.
fn world(mechanism: &CountMechanism, common: usize, group: usize, removed: bool) -> usize {
    if removed { common - mechanism.stride(group) } else { common + mechanism.stride(group) }
}

pub(super) fn decide(
    mechanism: &CountMechanism,
    (least, most): (&Rational, &Rational),
    removed: bool,
    sign: Sign,
) -> Result<Verdict, CheckError> {
    let rises = rises(least, most, sign)?;
    let theorems = vec!["B-6", "X-COUNT"];
    // With `P_min` above zero there are at most `1/P_min` worlds. With `P_min = 0`, the extreme priors have the fewest
    // worlds that `P_max` allows, and one more world of prior 0.
    let worlds = if least.is_zero() { most.recip().ceil() + whole(1) } else { least.recip() };
    let worlds = worlds.to_integer().to_usize().unwrap_or(usize::MAX).max(2);
    let groups = mechanism.groups().len();
    let entities = mechanism.groups().iter().map(|group| group.size as usize).sum::<usize>();
    let worlds = worlds.min(entities);
    let each = worlds.saturating_mul(worlds).saturating_mul(groups * groups);
    if mechanism.cells().saturating_mul(mechanism.outputs().len()).saturating_mul(each) > MOST_STEPS {
        return Err(CheckError::NotYet { what: "α and β with a P_max on this many counts" });
    }
    let mut worst: Option<WorstCountWorlds> = None;
    for common in 0..mechanism.cells() {
        let with = |group: usize| {
            let count = mechanism.count(common, group);
            let moved = if removed { count } else { mechanism.groups()[group].size - count };
            let cell = (moved > 0).then(|| world(mechanism, common, group, removed));
            cell.filter(|cell| mechanism.gives(*cell)).map(|cell| (cell, group, worlds.min(moved as usize)))
        };
        let given: Vec<(usize, usize, usize)> = (0..groups).filter_map(with).collect();
        for output in 0..mechanism.outputs().len() {
            let mut values: Vec<(Rational, usize)> = Vec::new();
            for (cell, group, count) in &given {
                values.extend(std::iter::repeat_n((mechanism.probability(output, *cell), *group), *count));
            }
            values.sort();
            if !rises {
                values.reverse();
            }
            // Of worlds with equal counts, the first has the largest prior.
            let is_first = |own: &usize| *own == 0 || values[own - 1].1 != values[*own].1;
            for own in (0..values.len()).filter(is_first) {
                let counts = 2..=values.len().min(worlds);
                for priors in counts.filter_map(|count| extreme(values.len(), own, count, least, most)) {
                    let all: Rational = priors.iter().map(|(at, prior)| prior * &values[*at].0).sum();
                    let Some(multiple) = Bound::of(&values[own].0, &all) else { continue };
                    let beyond = |best: &WorstCountWorlds| {
                        if rises { multiple > best.multiple } else { multiple < best.multiple }
                    };
                    // Ties go to a world with a prior above 0.
                    let same = |best: &WorstCountWorlds| {
                        multiple == best.multiple && best.priors[0].1.is_zero() && !priors[0].1.is_zero()
                    };
                    if worst.as_ref().is_none_or(|best| beyond(best) || same(best)) {
                        let priors = priors.iter().map(|(at, prior)| (values[*at].1, prior.clone())).collect();
                        worst = Some(WorstCountWorlds { multiple, priors, common, removed, output });
                    }
                }
            }
        }
    }
    let Some(worst) = worst else { return Ok(vacuous(Bound::Finite(whole(0)), theorems)) };
    let value: Value = change(&worst.multiple, rises, &worst.priors[0].1);
    Ok(Verdict { value, witness: Some(worst.witness(mechanism)), theorems })
}

impl WorstCountWorlds {
    fn witness(self, mechanism: &CountMechanism) -> Witness {
        let priors = with_a_prior(self.priors);
        let world = |group: usize| world(mechanism, self.common, group, self.removed);
        let chance = |group: usize| mechanism.probability(self.output, world(group));
        let others: Rational = priors[1..].iter().map(|(group, prior)| prior * chance(*group)).sum();
        let rest = whole(1) - &priors[0].1;
        let elsewhere = if rest.is_zero() { whole(0) } else { others / rest };
        let here = chance(priors[0].0);
        let mut certain = mechanism.counts(self.common);
        let mut candidates: Vec<(usize, Rational)> = priors.into_iter().filter(|(_, prior)| !prior.is_zero()).collect();
        if self.removed {
            for (group, prior) in &mut candidates {
                certain[*group] -= 1;
                *prior = whole(1) - &*prior;
            }
        }
        let probabilities = if self.removed { (elsewhere, here) } else { (here, elsewhere) };
        Witness::Counts(CountWitness {
            groups: mechanism.names(),
            output: mechanism.outputs()[self.output].clone(),
            place: CountPlace::Several { certain, candidates, one_is_in: !self.removed },
            probabilities,
        })
    }
}
