//! From the largest likelihood ratio to a verdict: of the ratio itself, and of the gain of a belief (B-2, B-3).

use super::numbers::one;
use super::pairs::WitnessedRatio;
use crate::notion::Direction;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::belief;
use deniable_core::exact::Bound;
use deniable_core::exact::Rational;
use num_traits::{One, Zero};

/// The worst observer with one given belief in each entity.
#[derive(Debug, Clone)]
pub(crate) struct WorstObserver {
    /// The largest likelihood ratio, presence over absence or the reverse.
    pub(crate) ratio: Bound,
    /// The belief in the event on top of the ratio.
    pub(crate) belief: Rational,
    pub(crate) witness: Witness,
}

/// The gain at the observer's own prior, which is attained.
pub(crate) fn at(found: Option<WorstObserver>, direction: Direction, mut theorems: Vec<&'static str>) -> Verdict {
    if direction == Direction::Absence {
        theorems.push("B-3n");
    }
    let Some(WorstObserver { ratio, belief, witness }) = found else {
        return vacuous(Bound::one(), theorems);
    };
    let gain = ratio.map(|ratio| belief::tight_gain(&belief, &ratio.max(&one()).clone()), Bound::Infinite);
    Verdict { value: Value::Attained(gain), witness: Some(witness), theorems }
}

/// B-3, with ratios below 1 raised to 1.
pub(crate) fn gain_over(range: &PriorRange, ratio: &Rational) -> Rational {
    belief::gain_over(range, &ratio.max(&one()).clone())
}

/// Whether an uncertain prior of the range has the largest gain: one of its ends, unless that end is certainty.
pub(crate) fn reached_inside(range: &PriorRange, ratio: &Bound) -> bool {
    let Bound::Finite(ratio) = ratio else { return true };
    if ratio.is_one() {
        return true;
    }
    let gain = gain_over(range, ratio);
    let inside = |end: &&Rational| !end.is_zero() && !end.is_one();
    [range.low(), range.high()].iter().filter(|end| inside(end)).any(|end| belief::tight_gain(end, ratio) == gain)
}

/// The verdict of a notion whose parameter is the ratio itself. Of any two rows one output is likelier in the first, so
/// `found` is `None` only where there is no pair to compare.
pub(crate) fn odds(found: Option<WitnessedRatio>, theorems: Vec<&'static str>) -> Verdict {
    let Some(found) = found else { return vacuous(Bound::one(), theorems) };
    Verdict { value: Value::Attained(found.ratio.max(Bound::one())), witness: Some(found.witness), theorems }
}

/// The verdict where there is no pair of datasets and no uncertain observer; `least` is the least value of the
/// parameter.
pub(crate) fn vacuous(least: Bound, theorems: Vec<&'static str>) -> Verdict {
    Verdict { value: Value::Vacuous(least), witness: None, theorems }
}

/// Gain equal to the ratio, which priors near certainty approach (B-2).
pub(crate) fn approached(found: Option<WitnessedRatio>, theorems: Vec<&'static str>) -> Verdict {
    let verdict = odds(found, theorems);
    let Value::Attained(value) = &verdict.value else { return verdict };
    // With ratio 1 or infinity, the gain is attained at any prior.
    let attained = *value == Bound::one() || *value == Bound::Infinite;
    let value = if attained { verdict.value } else { Value::Approached(value.clone()) };
    Verdict { value, ..verdict }
}

/// Gain over priors in the range, when all other entities may be certain (B-3, B-3n).
pub(crate) fn over_range(
    found: Option<WitnessedRatio>,
    range: &PriorRange,
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Verdict {
    if *range == PriorRange::any() {
        return approached(found, theorems);
    }
    theorems.push(if direction == Direction::Presence { "B-3" } else { "B-3n" });
    if found.is_none() {
        return odds(found, theorems);
    }
    let verdict = odds(found, theorems);
    let range = match direction {
        Direction::Presence => range.clone(),
        Direction::Absence => range.of_absence(),
    };
    let gain = |ratio: &Rational| gain_over(&range, ratio);
    // Absence that is ruled out is an infinite loss at any prior.
    let value = verdict.value.high().map(gain, Bound::Infinite);
    // An uncertain end is a prior of the family; near a certain end, the gain is approached.
    let attained = reached_inside(&range, verdict.value.high());
    Verdict { value: if attained { Value::Attained(value) } else { Value::Approached(value) }, ..verdict }
}

/// The verdict for both directions: the larger of two exact values, or a bracket where one of them is inexact.
pub(super) fn worse(one: Verdict, other: Verdict) -> Verdict {
    let (first, second) = if other.value.low() > one.value.low() { (other, one) } else { (one, other) };
    match &second.value {
        Value::Between { high, theorem, .. } if high > first.value.high() => {
            let value = Value::Between { low: first.value.low().clone(), high: high.clone(), theorem };
            Verdict { value, ..first }
        }
        _ => first,
    }
}
