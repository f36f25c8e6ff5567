//! The highest and lowest belief in presence after an answer (B-4), about entities of whom the observer is uncertain.
//!
//! Posterior odds are the likelihood ratio times prior odds (B-1), so the highest belief goes with the largest ratio and
//! the highest prior. The lowest belief in presence is one minus the highest in absence: everything is decided for what
//! is on top of the ratio, and turned round at the end.

use super::error::{CheckError, complete};
use super::explicit_priors::{Moment, Tables};
use super::gain::Observed;
use super::gain::vacuous;
use super::measure::Measure;
use super::numbers::{one, zero};
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
use deniable_core::belief::posterior;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction};
use num_traits::{One, Zero};

pub(super) fn decide(mechanism: &Mechanism, sign: Sign, family: &Family) -> Result<Verdict, CheckError> {
    let direction = match sign {
        Sign::Positive => Direction::Presence,
        Sign::Negative => Direction::Absence,
        Sign::Both => return Err(CheckError::OneSide { notion: "posterior belief" }),
    };
    let theorems = vec![family.theorem(), "B-4"];
    let over = |found, range: &PriorRange| Ok(over_range(mechanism, found, range, direction, theorems.clone()));
    let highest = match family {
        Family::All => over(pairs::present_in_one_only(mechanism, direction), &PriorRange::any()),
        Family::Groups(size) => over(groups::worst(mechanism, *size, direction)?, &PriorRange::any()),
        Family::Independent(range) | Family::TwoDatasets(range) => over(pairs::one_more(mechanism, sign), range),
        Family::OneOfTwo(range) => match beliefs_of_two(range) {
            Some(inner) => over(pairs::exchanged(mechanism), &inner),
            None => Ok(vacuous(zero(), theorems)),
        },
        Family::Bounded(range) if range.is_any() => over(pairs::exchanged(mechanism), range),
        Family::Bounded(range) => sized(mechanism, range, direction, theorems),
        Family::OneOf(among) => Ok(given(candidates::worst(mechanism, *among, Others::Certain, direction)?, theorems)),
        Family::OneOfRest(among) => Ok(given(candidates::worst(mechanism, *among, Others::In, direction)?, theorems)),
        Family::Uniform => {
            complete(mechanism)?;
            Ok(given(product::uniform(mechanism, direction), theorems))
        }
        Family::Sampled(rate) => {
            complete(mechanism)?;
            Ok(given(product::sampled_prior(mechanism, rate, direction), theorems))
        }
        Family::Box(ranges) => boxed(mechanism, ranges, direction, theorems),
        Family::Explicit(priors) => explicit(mechanism, priors, direction, theorems),
    }?;
    Ok(match direction {
        Direction::Presence => highest,
        Direction::Absence => Verdict { value: of_presence(highest.value), ..highest },
    })
}

/// Belief in what is on top, after evidence.
fn after(belief: &Rational, odds: &Bound) -> Bound {
    odds.map(|odds| posterior(belief, odds), Bound::one())
}

/// The lowest belief in presence, from the highest in absence.
pub(crate) fn of_presence(value: Value) -> Value {
    let rest = |value: Bound| value.map(|value| one() - value, Bound::Infinite);
    match value {
        Value::Attained(value) => Value::Attained(rest(value)),
        Value::Approached(value) => Value::Approached(rest(value)),
        // What some observer reaches, and what none gets below, change sides.
        Value::Between { low, high, theorem } => Value::Between { low: rest(high), high: rest(low), theorem },
        Value::Vacuous(value) => Value::Vacuous(rest(value)),
    }
}

/// Over priors in a range, when all other entities may be certain: the highest prior, or near certainty 1.
fn over_range(
    mechanism: &Mechanism,
    found: Option<Found>,
    range: &PriorRange,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Verdict {
    let own = of_top(range, direction);
    let Some(Found { ratio, witness }) = found else { return vacuous(zero(), theorems) };
    let value = after(own.high(), &ratio);
    // Whoever is proved right was uncertain before; otherwise an end that is certainty is only approached.
    if own.high().is_one() && ratio != Bound::Infinite {
        return Verdict { value: Value::Approached(value), witness: Some(witness), theorems };
    }
    let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
    let pair = Pair::of(&Found { ratio, witness });
    let witness = pair.map(|pair| pair.observer(mechanism, direction, &belief));
    Verdict { value: Value::Attained(value), witness, theorems }
}

/// With one given belief.
fn given(found: Option<Observed>, theorems: Vec<&'static str>) -> Verdict {
    let Some(Observed { ratio, belief, witness }) = found else { return vacuous(zero(), theorems) };
    Verdict { value: Value::Attained(after(&belief, &ratio)), witness: Some(witness), theorems }
}

/// Over F-DB[a,b]: at most what the replace-one ratio makes of the highest prior.
fn sized(
    mechanism: &Mechanism,
    range: &PriorRange,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let Some(found) = pairs::exchanged(mechanism).filter(|_| some_observer(mechanism.size(), range)) else {
        return Ok(vacuous(zero(), theorems));
    };
    let own = of_top(range, direction);
    let high = after(own.high(), &found.ratio);
    let ends = [own.low().clone(), own.high().clone()];
    let asked = Asked { range, direction, ends: &ends, high, measure: Measure::Belief, theorem: "B-4" };
    bracket(mechanism, found, asked, theorems)
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
        let attained = !own.high().is_one() || vertex.ratio == Bound::Infinite;
        let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
        (after(own.high(), &vertex.ratio), attained, vertex, belief)
    });
    let highest = each.reduce(|best, next| if (&next.0, next.1) > (&best.0, best.1) { next } else { best });
    let Some((value, attained, vertex, belief)) = highest else { return Ok(vacuous(zero(), theorems)) };
    let witness = Some(vertex.witness(mechanism, ranges, direction, &belief));
    Ok(Verdict { value: if attained { Value::Attained(value) } else { Value::Approached(value) }, witness, theorems })
}

/// A belief, whether it is attained, by which two priors, and the entity and the output.
type Highest = (Bound, bool, (usize, usize), (usize, usize));

/// Over given priors and their mixtures. Belief after an answer is linear-fractional in the weights of a mixture, so it
/// is highest at a given prior. Where that prior is certain of the entity, mixtures with others come near; and a
/// prior under which the answer never comes may be mixed in without changing what the answer says.
fn explicit(
    mechanism: &Mechanism,
    priors: &[Prior],
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let tables = Tables::new(mechanism, priors)?;
    let mut highest: Option<Highest> = None;
    for entity in 0..mechanism.size() {
        for output in 0..mechanism.outputs().len() {
            let moments = tables.moments(mechanism, entity, output, direction);
            if let Some((value, attained, priors)) = highest_of(&moments)
                && highest.as_ref().is_none_or(|best| (&value, attained) > (&best.0, best.1))
            {
                highest = Some((value, attained, priors, (entity, output)));
            }
        }
    }
    let Some((value, attained, priors, asked)) = highest else {
        return Ok(vacuous(zero(), theorems));
    };
    // The first of the pair has the value; the second makes the observer uncertain.
    let weight = match (priors.0 == priors.1, attained) {
        (true, _) => one(),
        (false, true) => fraction(1, 2),
        (false, false) => one() - fraction(1, 1 << 20),
    };
    let witness = Some(tables.witness(mechanism, priors, &weight, asked));
    Ok(Verdict { value: if attained { Value::Attained(value) } else { Value::Approached(value) }, witness, theorems })
}

/// The highest belief after one answer, whether an uncertain observer has it, and two priors whose mixtures do or come
/// near; `None` if all mixtures are certain, or the answer never comes.
fn highest_of(moments: &[Moment]) -> Option<(Bound, bool, (usize, usize))> {
    let value = |moment: &Moment| Bound::of(&moment.top, &moment.total());
    let best = moments.iter().filter_map(value).max()?;
    let reach: Vec<usize> = (0..moments.len()).filter(|k| value(&moments[*k]).as_ref() == Some(&best)).collect();
    let uncertain = |first: usize, second: usize| {
        let (first, second) = (&moments[first].belief, &moments[second].belief);
        let sum = first + second;
        !sum.is_zero() && sum != one() + one()
    };
    // A second prior that says the same, or never gives the answer, changes nothing; any other leaves the value near.
    let same = |second: usize| moments[second].total().is_zero() || value(&moments[second]).as_ref() == Some(&best);
    let pairs = || reach.iter().flat_map(|first| std::iter::once(*first).chain(0..moments.len()).map(|k| (*first, k)));
    let mixed = || pairs().filter(|(first, second)| uncertain(*first, *second));
    let attained = mixed().find(|(_, second)| same(*second));
    let priors = attained.or_else(|| mixed().next())?;
    Some((best, attained.is_some(), priors))
}
