//! The tight parameter of a notion, on counts.

use super::model::{CountMechanism, named};
use super::pairs::{Pairs, search};
use super::weighted::{RatioBracket, sampled, sampled_prior, uniform};
use super::{approximate, beliefs, boxes, but_for, candidates, induced, sized, worlds};
use crate::decide::{
    CheckError, Measure, approached, at, beliefs_of_two, gain_over, membership as membership_of_table, odds,
    over_range, vacuous,
};
use crate::family::{Family, OtherEntities};
use crate::notion::{Direction, Notion, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::belief::tight_gain;
use deniable_core::exact::Bound;

/// Computes the tight parameter of `notion` against observers of `family`, as [`crate::decide::decide`] does for
/// tables.
///
/// Sums with binomial weights are exact for up to a few thousand entities. Beyond, the verdict is a bracket with two
/// proved ends: nearly equal for the uniform prior; for F-DFβ one prior gives the lower end, and all independent priors
/// the upper.
///
/// # Errors
/// When counts are missing that the notion needs, or the notion is not decided on counts: a small mechanism can be
/// expanded.
pub fn decide(mechanism: &CountMechanism, notion: &Notion, family: &Family) -> Result<Verdict, CheckError> {
    match notion {
        Notion::Unbounded { sign } => {
            Ok(odds(search(mechanism, Pairs::OneMore(*sign)), vec!["F-DI", "S-ADD", "X-COUNT"]))
        }
        Notion::Bounded => {
            let theorems = vec!["F-DB", "S-REP", "X-COUNT"];
            let found = search(mechanism, Pairs::Exchanged);
            Ok(if found.is_none() { alike(mechanism, theorems) } else { odds(found, theorems) })
        }
        Notion::FreeLunch => Ok(odds(search(mechanism, Pairs::Any), vec!["I-FLP", "X-COUNT"])),
        Notion::Sampling { rate, sign } => {
            complete(mechanism)?;
            Ok(odds(sampled(mechanism, rate, *sign)?, vec!["I-DPS", "X-COUNT"]))
        }
        Notion::Membership { sign: Sign::Both } => {
            let [positive, negative] =
                [Sign::Positive, Sign::Negative].map(|sign| decide(mechanism, &Notion::Membership { sign }, family));
            let (positive, negative) = (positive?, negative?);
            Ok(larger(positive, negative))
        }
        Notion::Membership { sign } => membership(mechanism, sign.directions()[0], family),
        Notion::Posterior { sign } => beliefs::posterior(mechanism, *sign, family),
        Notion::AlphaBeta { least, sign } => beliefs::alpha_beta(mechanism, least, *sign),
        Notion::Approximate { adjacency, given } => approximate::decide(mechanism, *adjacency, given),
        Notion::ButFor { adjacency, odds, reading } => but_for::decide(mechanism, *adjacency, odds, *reading),
        Notion::Rho { among } => candidates::rho(mechanism, *among),
        // Counts cannot list datasets, so all given counts are possible.
        Notion::Induced { allowed } if allowed.is_empty() => induced::decide(mechanism),
        Notion::Indistinguishable => beliefs::indistinguishable(mechanism, family),
        Notion::Worlds { least, most, removed, sign } => worlds::decide(mechanism, (least, most), *removed, *sign),
        Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::CrowdBlending { .. }
        | Notion::Induced { .. }
        | Notion::InducedExchange { .. } => Err(CheckError::NotYet { what: "this notion on counts" }),
    }
}

/// The larger of two parameters; of two brackets, the larger of each end.
pub(super) fn larger(first: Verdict, second: Verdict) -> Verdict {
    let high = first.value.high().max(second.value.high()).clone();
    let larger = if second.value.low() > first.value.low() { second } else { first };
    match larger.value {
        Value::Between { low, theorem, .. } => Verdict { value: Value::Between { low, high, theorem }, ..larger },
        // The other verdict may be a bracket that reaches higher.
        Value::Attained(ref low) | Value::Approached(ref low) if high > *low => {
            Verdict { value: Value::Between { low: low.clone(), high, theorem: "X-COUNT" }, ..larger }
        }
        Value::Attained(_) | Value::Approached(_) | Value::Vacuous(_) => larger,
    }
}

fn membership(mechanism: &CountMechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let theorems = vec![family.theorem(), "B-2", "X-COUNT"];
    match family {
        Family::All => Ok(approached(search(mechanism, Pairs::PresentInOne(direction)), theorems)),
        Family::Independent(range) | Family::TwoDatasets(range) => {
            Ok(over_range(search(mechanism, Pairs::OneMore(sign)), range, direction, theorems))
        }
        Family::Bounded(range) => bounded(mechanism, range, direction, theorems),
        Family::OneOfTwo(range) => one_of_two(mechanism, range, direction, theorems),
        Family::Uniform => {
            complete(mechanism)?;
            Ok(summed(uniform(mechanism, direction), direction, theorems))
        }
        Family::Sampled(rate) => {
            complete(mechanism)?;
            Ok(summed(sampled_prior(mechanism, rate, direction)?, direction, theorems))
        }
        Family::OneOf(among) => {
            Ok(at(candidates::worst(mechanism, *among, OtherEntities::Certain, direction)?, direction, theorems))
        }
        Family::OneOfRest(among) => {
            Ok(at(candidates::worst(mechanism, *among, OtherEntities::In, direction)?, direction, theorems))
        }
        Family::Box(ranges) => boxed(mechanism, ranges, direction, theorems),
        Family::Groups(_) | Family::Explicit(_) => Err(CheckError::NotYet { what: "this family on counts" }),
    }
}

/// X-BOX: for each group, the gain over its own range (B-3) of the largest ratio that the other ranges allow.
fn boxed(
    mechanism: &CountMechanism,
    ranges: &[PriorRange],
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    theorems.push(if direction == Direction::Presence { "B-3" } else { "B-3n" });
    let ranges = boxes::by_group(mechanism, ranges)?;
    let corners = boxes::corners(mechanism, &ranges, direction)?;
    let each = corners.into_iter().map(|corner| (corner.gain(&ranges, direction), corner));
    let worst = each.reduce(|best, next| if (&next.0.0, next.0.2) > (&best.0.0, best.0.2) { next } else { best });
    let Some(((low, high, attained, belief), corner)) = worst else { return Ok(vacuous(Bound::one(), theorems)) };
    let witness = Some(corner.witness(mechanism, &ranges, direction, &belief));
    let value = match (low == high, attained) {
        (true, true) => Value::Attained(high),
        (true, false) => Value::Approached(high),
        (false, _) => Value::Between { low, high, theorem: "X-COUNT" },
    };
    Ok(Verdict { value, witness, theorems })
}

/// The gain at the observer's own prior. It grows with the ratio, so a bracket of the ratio gives a bracket of the
/// gain.
fn summed(found: RatioBracket, direction: Direction, theorems: Vec<&'static str>) -> Verdict {
    match found {
        RatioBracket::Exact(found) => at(found, direction, theorems),
        RatioBracket::Bracket { low, high } => {
            let high = high.map(|ratio| tight_gain(&low.belief, ratio), Bound::Infinite);
            let verdict = at(Some(low), direction, theorems);
            if *verdict.value.low() == high {
                return verdict;
            }
            let low = verdict.value.low().clone();
            Verdict { value: Value::Between { low, high, theorem: "X-COUNT" }, ..verdict }
        }
    }
}

/// F-DB: pairs suffice where certainty is allowed (Thm 4.8). For F-DB[a,b] see [`sized`].
fn bounded(
    mechanism: &CountMechanism,
    range: &PriorRange,
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    if range.is_any() {
        let Some(found) = search(mechanism, Pairs::Exchanged) else { return Ok(alike(mechanism, theorems)) };
        return Ok(approached(Some(found), theorems));
    }
    let theorem = if direction == Direction::Presence { "B-3" } else { "B-3n" };
    theorems.push(theorem);
    let asked = sized::SizedMeasure {
        mechanism,
        range,
        direction,
        measure: Measure::Gain,
        on_table: membership_of_table,
        theorem,
    };
    asked.decide(theorems)
}

/// F-DB2: beliefs in the two entities are `x` and `1 − x`, and the largest gain is at an end of the range of `x` (B-3).
fn one_of_two(
    mechanism: &CountMechanism,
    range: &PriorRange,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let Some(inner) = beliefs_of_two(range) else { return Ok(vacuous(Bound::one(), theorems)) };
    let Some(found) = search(mechanism, Pairs::Exchanged) else { return Ok(alike(mechanism, theorems)) };
    if inner.is_any() {
        return Ok(approached(Some(found), theorems));
    }
    // The range is its own mirror, so its ends are beliefs of both sides.
    let value = found.ratio.map(|ratio| gain_over(&inner, ratio), Bound::Infinite);
    let verdict = over_range(Some(found), &inner, direction, theorems);
    Ok(Verdict { value: Value::Attained(value), ..verdict })
}

pub(super) fn entities(mechanism: &CountMechanism) -> usize {
    mechanism.groups.iter().map(|group| group.size as usize).sum()
}

/// The verdict where no two groups have an exchange. Exchanges within a group change no count, so nothing is learned;
/// without any exchange there is no pair at all.
fn alike(mechanism: &CountMechanism, theorems: Vec<&'static str>) -> Verdict {
    if within_groups(mechanism) {
        return Verdict { value: Value::Attained(Bound::one()), witness: None, theorems };
    }
    vacuous(Bound::one(), theorems)
}

/// Whether a member can be exchanged for another entity of the same group.
pub(super) fn within_groups(mechanism: &CountMechanism) -> bool {
    exchangeable(mechanism).is_some()
}

/// Counts with a row, and a group with members both in and out.
pub(super) fn exchangeable(mechanism: &CountMechanism) -> Option<(usize, usize)> {
    let within = |cell: usize| {
        let counts = mechanism.counts(cell);
        counts.iter().zip(&mechanism.groups).position(|(count, group)| (1..group.size).contains(count))
    };
    (0..mechanism.cells()).filter(|cell| mechanism.gives(*cell)).find_map(|cell| Some((cell, within(cell)?)))
}

pub(super) fn complete(mechanism: &CountMechanism) -> Result<(), CheckError> {
    let missing = || (0..mechanism.cells()).filter(|cell| !mechanism.gives(*cell));
    match missing().next() {
        None => Ok(()),
        Some(first) => Err(CheckError::Missing {
            first: named(&mechanism.groups, &mechanism.counts(first)),
            count: missing().count(),
        }),
    }
}
