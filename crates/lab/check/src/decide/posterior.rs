//! The highest and lowest belief in presence after an answer (B-4), about entities of whom the observer is uncertain.
//!
//! Posterior odds are the likelihood ratio times prior odds (B-1), so the highest belief has the largest ratio and the
//! highest prior. The lowest belief in presence is one minus the highest in absence: the event on top of the ratio is
//! decided, and the result is complemented at the end.

use super::error::CheckError;
use super::explicit_priors::{Moment, Tables};
use super::highest_prior::Question;
use super::measure::Measure;
use super::numbers::one;
use crate::family::{Family, Prior};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::exact::{Bound, ratio as fraction};
use num_traits::Zero;

pub(super) fn decide(mechanism: &Mechanism, sign: Sign, family: &Family) -> Result<Verdict, CheckError> {
    let direction = match sign {
        Sign::Positive => Direction::Presence,
        Sign::Negative => Direction::Absence,
        Sign::Both => return Err(CheckError::OneSide { notion: "posterior belief" }),
    };
    let highest = highest(mechanism, direction, family)?;
    Ok(match direction {
        Direction::Presence => highest,
        Direction::Absence => Verdict { value: of_presence(highest.value), ..highest },
    })
}

/// The highest belief in presence, or in absence.
pub(crate) fn highest(mechanism: &Mechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let theorems = vec![family.theorem(), "B-4"];
    let question = Question { measure: Measure::Belief, direction, theorem: "B-4", theorems, explicit };
    question.decide(mechanism, family)
}

/// The lowest belief in presence, from the highest in absence.
pub(crate) fn of_presence(value: Value) -> Value {
    let rest = |value: Bound| value.map(|value| one() - value, Bound::Infinite);
    match value {
        Value::Attained(value) => Value::Attained(rest(value)),
        Value::Approached(value) => Value::Approached(rest(value)),
        // The bound that some observer attains and the bound that no observer passes change sides.
        Value::Between { low, high, theorem } => Value::Between { low: rest(high), high: rest(low), theorem },
        Value::Vacuous(value) => Value::Vacuous(rest(value)),
    }
}

/// A belief, whether it is attained, its two priors, and the entity and the output.
type HighestBelief = (Bound, bool, (usize, usize), (usize, usize));

/// Decides given priors and their mixtures. The posterior belief is linear-fractional in the weights of a mixture, so
/// it is highest at a given prior. Where that prior is certain of the entity, mixtures with others come near. A prior
/// under which the answer is impossible can be mixed in without changing the posterior.
fn explicit(mechanism: &Mechanism, priors: &[Prior], question: &Question) -> Result<Verdict, CheckError> {
    let tables = Tables::new(mechanism, priors)?;
    let mut highest: Option<HighestBelief> = None;
    for entity in 0..mechanism.size() {
        for output in 0..mechanism.outputs().len() {
            let moments = tables.moments(mechanism, entity, output, question.direction);
            if let Some((value, attained, priors)) = highest_of(&moments)
                && highest.as_ref().is_none_or(|best| (&value, attained) > (&best.0, best.1))
            {
                highest = Some((value, attained, priors, (entity, output)));
            }
        }
    }
    let Some((value, attained, priors, asked)) = highest else { return Ok(question.vacuous()) };
    // The first prior of the pair has the value; the second makes the observer uncertain.
    let weight = match (priors.0 == priors.1, attained) {
        (true, _) => one(),
        (false, true) => fraction(1, 2),
        (false, false) => one() - fraction(1, 1 << 20),
    };
    let witness = Some(tables.witness(mechanism, priors, &weight, asked));
    let value = if attained { Value::Attained(value) } else { Value::Approached(value) };
    Ok(Verdict { value, witness, theorems: question.theorems.clone() })
}

/// The highest belief after one answer, whether an uncertain observer attains it, and two priors whose mixtures attain
/// or approach it; `None` if all mixtures are certain, or the answer is impossible.
fn highest_of(moments: &[Moment]) -> Option<(Bound, bool, (usize, usize))> {
    let value = |moment: &Moment| Bound::of(&moment.top, &moment.total());
    let best = moments.iter().filter_map(value).max()?;
    let reach: Vec<usize> = (0..moments.len()).filter(|k| value(&moments[*k]).as_ref() == Some(&best)).collect();
    let uncertain = |first: usize, second: usize| {
        let (first, second) = (&moments[first].belief, &moments[second].belief);
        let sum = first + second;
        !sum.is_zero() && sum != one() + one()
    };
    // A second prior with the same value, or under which the answer is impossible, does not change the value; mixing in
    // any other one only approaches it.
    let same = |second: usize| moments[second].total().is_zero() || value(&moments[second]).as_ref() == Some(&best);
    let pairs = || reach.iter().flat_map(|first| std::iter::once(*first).chain(0..moments.len()).map(|k| (*first, k)));
    let mixed = || pairs().filter(|(first, second)| uncertain(*first, *second));
    let attained = mixed().find(|(_, second)| same(*second));
    let priors = attained.or_else(|| mixed().next())?;
    Some((best, attained.is_some(), priors))
}
