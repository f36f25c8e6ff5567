//! Indistinguishable privacy (I-IND; LXL Definition 1): `P(SI|BK) ≤ e^ε·P(SI|BK,OK)`. No prior belief exceeds `e^ε`
//! times the posterior belief.
//!
//! Sensitive information is that an entity is in, and that it is out; background knowledge is a prior of the family.
//! Where belief in one of the two is `p` and an answer has likelihood ratio `R` for it, belief in the *other* falls
//! from `1 − p` to `(1−p)/(1 − p + pR)`, by the factor `1 + p(R−1)`: largest for the largest ratio and the largest `p`.
//! It is the second of the two inequalities of PMP and of NMP (B-2), without the first: one-sided, since a belief that
//! rises is not bounded.

use super::error::CheckError;
use super::explicit_priors::Tables;
use super::gain::worse;
use super::highest_prior::Question;
use super::measure::Measure;
use super::numbers::one;
use crate::family::{Family, Prior};
use crate::mechanism::Mechanism;
use crate::notion::Direction;
use crate::verdict::{Value, Verdict};
use deniable_core::exact::Bound;

pub(super) fn decide(mechanism: &Mechanism, family: &Family) -> Result<Verdict, CheckError> {
    let [absence, presence] =
        [Direction::Presence, Direction::Absence].map(|direction| of_side(mechanism, direction, family));
    let (absence, presence) = (absence?, presence?);
    // Where one direction has no uncertain entity, the verdict is that of the other direction.
    Ok(match (absence.value.is_vacuous(), presence.value.is_vacuous()) {
        (true, false) => presence,
        (false, true) => absence,
        _ => worse(absence, presence),
    })
}

/// The largest factor by which the belief opposite to `direction` falls (I-IND).
pub(crate) fn of_side(mechanism: &Mechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let theorems = vec!["I-IND", family.theorem()];
    Question { measure: Measure::Fall, direction, theorem: "I-IND", theorems, explicit }.decide(mechanism, family)
}

/// Decides one given prior, by the definition.
fn explicit(mechanism: &Mechanism, priors: &[Prior], question: &Question) -> Result<Verdict, CheckError> {
    let tables = Tables::new(mechanism, priors)?;
    if priors.len() > 1 {
        return Err(CheckError::NotYet { what: "indistinguishable privacy over mixtures of several priors" });
    }
    let mut largest: Option<(Bound, (usize, usize))> = None;
    for asked in (0..mechanism.size()).flat_map(|t| (0..mechanism.outputs().len()).map(move |output| (t, output))) {
        let moments = tables.moments(mechanism, asked.0, asked.1, question.direction);
        for moment in moments.iter().filter(|one| one.is_uncertain()) {
            let before = (one() - &moment.belief) * moment.total();
            let Some(value) = Bound::of(&before, &moment.bottom) else { continue };
            if largest.as_ref().is_none_or(|best| value > best.0) {
                largest = Some((value, asked));
            }
        }
    }
    let Some((value, asked)) = largest else { return Ok(question.vacuous()) };
    let witness = Some(tables.witness(mechanism, (0, 0), &one(), asked));
    Ok(Verdict { value: Value::Attained(value), witness, theorems: question.theorems.clone() })
}
