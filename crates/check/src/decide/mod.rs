//! The tight parameter of a notion, decided exactly.
//!
//! Where the question is about pairs of datasets, every pair is looked at (`pairs`). Where it is about independent
//! entities with given beliefs, columns are transformed entity by entity (`product`), in `n·2^n` steps.

mod approximate;
mod belief;
mod boxed;
mod candidates;
mod crowd;
mod error;
mod explicit;
mod filter;
mod groups;
mod induced;
mod larger;
mod observer;
mod pairs;
mod part;
mod posterior;
mod product;
mod sized;
mod sum;
mod worst;
mod zero_knowledge;

pub(crate) use belief::{Observed, at, gain_over};
pub use error::CheckError;
pub(crate) use pairs::Found;
pub(crate) use part::{Near, Part};
pub(crate) use product::numerators;
pub(crate) use worst::{Place as WorstPlace, Worst};
pub use zero_knowledge::{Simulation, Weight};

use crate::family::Family;
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Notion, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Zero};

/// Decides how large the parameter of `notion` is for this mechanism, against observers of `family`.
///
/// The family matters for notions that are about beliefs; others come with their own pairs of datasets.
///
/// # Errors
/// When datasets are missing that the notion looks at, or the family does not fit the notion.
pub fn decide(mechanism: &Mechanism, notion: &Notion, family: &Family) -> Result<Verdict, CheckError> {
    match notion {
        Notion::Unbounded { sign } => Ok(odds(pairs::one_more(mechanism, *sign), vec!["F-DI", "S-ADD"])),
        Notion::Bounded => Ok(odds(pairs::exchanged(mechanism), vec!["F-DB", "S-REP"])),
        Notion::FreeLunch => Ok(odds(pairs::any(mechanism), vec!["I-FLP"])),
        Notion::Approximate { adjacency, given } => approximate::decide(mechanism, *adjacency, given),
        Notion::Posterior { sign } => posterior::decide(mechanism, *sign, family),
        Notion::Rho { among } => candidates::rho(mechanism, *among),
        Notion::AlphaBeta { least, sign } => sized::alpha_beta(mechanism, least, *sign),
        Notion::ZeroKnowledge { rows } => zero_knowledge::decide(mechanism, *rows),
        Notion::CrowdBlending { crowd } => crowd::decide(mechanism, *crowd),
        Notion::Induced { allowed } => induced::decide(mechanism, allowed),
        Notion::Sampling { rate, sign } => {
            complete(mechanism)?;
            Ok(odds(product::sampled(mechanism, rate, *sign), vec!["I-DPS"]))
        }
        Notion::Membership { sign: Sign::Both } => {
            let [positive, negative] =
                [Sign::Positive, Sign::Negative].map(|sign| decide(mechanism, &Notion::Membership { sign }, family));
            Ok(worse(positive?, negative?))
        }
        Notion::Membership { sign } => {
            let direction = sign.directions()[0];
            membership(mechanism, direction, family)
        }
    }
}

/// What holds of both sides: the larger of two exact values, or a bracket around it where one of them is none.
fn worse(one: Verdict, other: Verdict) -> Verdict {
    let (first, second) = if other.value.low() > one.value.low() { (other, one) } else { (one, other) };
    match &second.value {
        Value::Between { high, theorem, .. } if high > first.value.high() => {
            let value = Value::Between { low: first.value.low().clone(), high: high.clone(), theorem };
            Verdict { value, ..first }
        }
        _ => first,
    }
}

fn membership(mechanism: &Mechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let theorems = vec![family.theorem(), "B-2"];
    match family {
        Family::All => Ok(approached(pairs::present_in_one_only(mechanism, direction), theorems)),
        Family::Independent(range) | Family::TwoDatasets(range) => {
            let found = pairs::one_more(mechanism, sign);
            Ok(over_range(found, range, direction, theorems))
        }
        Family::Uniform => {
            complete(mechanism)?;
            Ok(belief::at(product::uniform(mechanism, direction), direction, theorems))
        }
        // Who is kept for certain is certain: nobody is unsure of anything.
        Family::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(odds(None, theorems)),
        Family::Sampled(rate) => {
            complete(mechanism)?;
            Ok(belief::at(product::sampled_prior(mechanism, rate, direction), direction, theorems))
        }
        Family::Bounded(range) => sized::bounded(mechanism, range, direction, theorems),
        Family::OneOfTwo(range) => sized::one_of_two(mechanism, range, direction, theorems),
        Family::OneOf(among) => candidates::one_of(mechanism, *among, direction, theorems),
        Family::Groups(size) => groups::decide(mechanism, *size, direction, theorems),
        Family::Box(ranges) => boxed::decide(mechanism, ranges, direction, theorems),
        Family::Explicit(priors) => explicit::decide(mechanism, priors, direction, theorems),
    }
}

/// A notion whose parameter is the ratio itself. Of any two rows one output is likelier in the first, so that nothing is
/// found only where there is no pair to look at.
pub(crate) fn odds(found: Option<pairs::Found>, theorems: Vec<&'static str>) -> Verdict {
    let Some(found) = found else { return vacuous(Bound::one(), theorems) };
    Verdict { value: Value::Attained(found.ratio.max(Bound::one())), witness: Some(found.witness), theorems }
}

/// No pair of datasets and no uncertain observer is asked about; `least` is the least that the parameter may be.
pub(crate) fn vacuous(least: Bound, theorems: Vec<&'static str>) -> Verdict {
    Verdict { value: Value::Vacuous(least), witness: None, theorems }
}

/// Gain equal to the ratio, which priors near certainty approach (B-2).
pub(crate) fn approached(found: Option<pairs::Found>, theorems: Vec<&'static str>) -> Verdict {
    let verdict = odds(found, theorems);
    let Value::Attained(value) = &verdict.value else { return verdict };
    // Nothing learned, or everything: attained at any prior.
    let attained = *value == Bound::one() || *value == Bound::Infinite;
    let value = if attained { verdict.value } else { Value::Approached(value.clone()) };
    Verdict { value, ..verdict }
}

/// Gain over priors in the range, when all other entities may be certain (B-3, B-3n).
pub(crate) fn over_range(
    found: Option<pairs::Found>,
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
    let gain = |ratio: &Rational| belief::gain_over(&range, ratio);
    // Absence that is ruled out is an infinite loss, whatever was believed.
    let value = verdict.value.high().map(gain, Bound::Infinite);
    // An end that is no certainty is a prior of the family; near an end that is, gain is approached.
    let attained = belief::reached_inside(&range, verdict.value.high());
    Verdict { value: if attained { Value::Attained(value) } else { Value::Approached(value) }, ..verdict }
}

fn complete(mechanism: &Mechanism) -> Result<(), CheckError> {
    if mechanism.is_complete() {
        return Ok(());
    }
    let all = 0..1_u32 << mechanism.size();
    let missing = all.clone().filter(|data| !mechanism.gives(*data));
    let first = missing.clone().next().map(|data| mechanism.members(data)).unwrap_or_default();
    Err(CheckError::Missing { first, count: missing.count() })
}

/// The least belief, and the least δ, α and β.
fn nothing() -> Bound {
    Bound::Finite(Rational::zero())
}

/// One, for readers of formulas.
fn one() -> Rational {
    whole(1)
}
