//! Indistinguishable privacy (I-IND; LXL Definition 1): `P(SI|BK) ≤ e^ε·P(SI|BK,OK)`, so that no belief is more than `e^ε` times what
//! an answer leaves of it.
//!
//! Sensitive information is that an entity is in, and that it is out; background knowledge is a prior of the family. Where belief
//! in one of the two is `p` and an answer has likelihood ratio `R` for it, belief in the *other* falls from `1 − p` to
//! `(1−p)/(1 − p + pR)`, by the factor `1 + p(R−1)`: largest for the largest ratio and the largest `p`. It is the second of the two
//! inequalities of PMP and of NMP (B-2), each without the first: one-sided, since nothing is asked of a belief that rises.

use super::error::{CheckError, complete};
use super::explicit_priors::Tables;
use super::gain::{Observed, vacuous, worse};
use super::measure::Measure;
use super::numbers::one;
use super::pairs::{self, Found};
use super::prior_boxes::{inside, vertices};
use super::public_size::{Asked, beliefs_of_two, bracket, of_top, some_observer};
use super::two_datasets::Pair;
use super::{candidates, groups, product};
use crate::family::{Family, Others, Prior};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational};
use num_traits::{One, Zero};

pub(super) fn decide(mechanism: &Mechanism, family: &Family) -> Result<Verdict, CheckError> {
    let [absence, presence] =
        [Direction::Presence, Direction::Absence].map(|direction| of_other(mechanism, direction, family));
    let (absence, presence) = (absence?, presence?);
    // Where no entity is uncertain on one side, the other side is what is asked about.
    Ok(match (absence.value.is_vacuous(), presence.value.is_vacuous()) {
        (true, false) => presence,
        (false, true) => absence,
        _ => worse(absence, presence),
    })
}

/// The factor by which belief in the reverse of what is on top falls.
fn fall(belief: &Rational, odds: &Bound) -> Bound {
    odds.map(|odds| one() + belief * (odds - one()), Bound::Infinite).max(Bound::one())
}

/// The largest such factor over the family.
fn of_other(mechanism: &Mechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let theorems = vec!["I-IND", family.theorem()];
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let over = |found, range: &PriorRange| Ok(over_range(mechanism, found, range, direction, theorems.clone()));
    match family {
        Family::All => over(pairs::present_in_one_only(mechanism, direction), &PriorRange::any()),
        Family::Groups(size) => over(groups::worst(mechanism, *size, direction)?, &PriorRange::any()),
        Family::Independent(range) | Family::TwoDatasets(range) => over(pairs::one_more(mechanism, sign), range),
        Family::OneOfTwo(range) => match beliefs_of_two(range) {
            Some(inner) => over(pairs::exchanged(mechanism), &inner),
            None => Ok(vacuous(Bound::one(), theorems)),
        },
        Family::Bounded(range) if range.is_any() => over(pairs::exchanged(mechanism), range),
        Family::Bounded(range) => sized(mechanism, range, direction, theorems),
        Family::OneOf(among) => Ok(given(candidates::worst(mechanism, *among, Others::Certain, direction)?, theorems)),
        Family::OneOfRest(among) => Ok(given(candidates::worst(mechanism, *among, Others::In, direction)?, theorems)),
        Family::Uniform => {
            complete(mechanism)?;
            Ok(given(product::uniform(mechanism, direction), theorems))
        }
        // Who is kept for certain is certain: nobody is unsure of anything.
        Family::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(vacuous(Bound::one(), theorems)),
        Family::Sampled(rate) => {
            complete(mechanism)?;
            Ok(given(product::sampled_prior(mechanism, rate, direction), theorems))
        }
        Family::Box(ranges) => boxed(mechanism, ranges, direction, theorems),
        Family::Explicit(priors) => explicit(mechanism, priors, direction, theorems),
    }
}

/// Over priors in a range, when all other entities may be certain: the highest belief in what is on top, or near certainty `R`.
fn over_range(
    mechanism: &Mechanism,
    found: Option<Found>,
    range: &PriorRange,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Verdict {
    let own = of_top(range, direction);
    let Some(Found { ratio, witness }) = found else { return vacuous(Bound::one(), theorems) };
    let value = fall(own.high(), &ratio);
    // A belief that is ruled out was ruled out from anywhere, and one that does not move moves nowhere.
    if own.high().is_one() && value != Bound::Infinite && value != Bound::one() {
        return Verdict { value: Value::Approached(value), witness: Some(witness), theorems };
    }
    let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
    let pair = Pair::of(&Found { ratio, witness });
    let witness = pair.map(|pair| pair.observer(mechanism, direction, &belief));
    Verdict { value: Value::Attained(value), witness, theorems }
}

/// With one given belief.
fn given(found: Option<Observed>, theorems: Vec<&'static str>) -> Verdict {
    let Some(Observed { ratio, belief, witness }) = found else { return vacuous(Bound::one(), theorems) };
    Verdict { value: Value::Attained(fall(&belief, &ratio)), witness: Some(witness), theorems }
}

/// Over F-DB[a,b]: at most what the replace-one ratio makes of the highest prior.
fn sized(
    mechanism: &Mechanism,
    range: &PriorRange,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let Some(found) = pairs::exchanged(mechanism).filter(|_| some_observer(mechanism.size(), range)) else {
        return Ok(vacuous(Bound::one(), theorems));
    };
    let own = of_top(range, direction);
    let high = fall(own.high(), &found.ratio);
    let ends = [own.low().clone(), own.high().clone()];
    bracket(
        mechanism,
        found,
        Asked { range, direction, ends: &ends, high, measure: Measure::Fall, theorem: "I-IND" },
        theorems,
    )
}

/// Over a box: the highest prior of each entity with the ratio that the others allow.
fn boxed(
    mechanism: &Mechanism,
    ranges: &[PriorRange],
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let vertices = vertices(mechanism, ranges, direction)?;
    let each = vertices.iter().map(|vertex| {
        let own = of_top(&ranges[vertex.entity], direction);
        let value = fall(own.high(), &vertex.ratio);
        let attained = !own.high().is_one() || value == Bound::Infinite || value == Bound::one();
        let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
        (value, attained, vertex, belief)
    });
    let largest = each.reduce(|best, next| if (&next.0, next.1) > (&best.0, best.1) { next } else { best });
    let Some((value, attained, vertex, belief)) = largest else { return Ok(vacuous(Bound::one(), theorems)) };
    let witness = Some(vertex.witness(mechanism, ranges, direction, &belief));
    Ok(Verdict { value: if attained { Value::Attained(value) } else { Value::Approached(value) }, witness, theorems })
}

/// Under one given prior, by the definition.
fn explicit(
    mechanism: &Mechanism,
    priors: &[Prior],
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let tables = Tables::new(mechanism, priors)?;
    if priors.len() > 1 {
        return Err(CheckError::NotYet { what: "indistinguishable privacy over mixtures of several priors" });
    }
    let mut largest: Option<(Bound, (usize, usize))> = None;
    for asked in (0..mechanism.size()).flat_map(|t| (0..mechanism.outputs().len()).map(move |output| (t, output))) {
        for moment in tables.moments(mechanism, asked.0, asked.1, direction).iter().filter(|one| one.is_uncertain()) {
            let before = (one() - &moment.belief) * moment.total();
            let Some(value) = Bound::of(&before, &moment.bottom) else { continue };
            if largest.as_ref().is_none_or(|best| value > best.0) {
                largest = Some((value, asked));
            }
        }
    }
    let Some((value, asked)) = largest else { return Ok(vacuous(Bound::one(), theorems)) };
    let witness = Some(tables.witness(mechanism, (0, 0), &one(), asked));
    Ok(Verdict { value: Value::Attained(value), witness, theorems })
}
