//! Beliefs after an answer, on counts: what the largest likelihood ratio over pairs of counts, or at one given prior, makes of
//! them (B-4, B-6).

use super::boxes;
use super::candidates;
use super::decide::{complete, entities, within_groups};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use super::weighted::{Summed, sampled_prior, uniform};
use crate::decide::{CheckError, beliefs_of_two, inside, of_presence, of_top, some_observer, vacuous};
use crate::family::{Family, Others};
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::belief;
use deniable_core::exact::{Bound, Rational, ratio as fraction, whole};
use deniable_core::promise::world_multiples;
use num_traits::{One, Signed, Zero};

/// A largest ratio, and where it is: nowhere in particular where nothing differs.
type Ratio = Option<(Bound, Option<Witness>)>;

/// The highest or lowest belief in presence after an answer, as [`crate::decide::decide`] has it for tables.
pub(super) fn posterior(mechanism: &CountMechanism, sign: Sign, family: &Family) -> Result<Verdict, CheckError> {
    let direction = match sign {
        Sign::Positive => Direction::Presence,
        Sign::Negative => Direction::Absence,
        Sign::Both => return Err(CheckError::OneSide { notion: "posterior belief" }),
    };
    let theorems = vec![family.theorem(), "B-4", "X-COUNT"];
    let over = |found: Ratio, range: &PriorRange| over_range(found, &of_top(range, direction), theorems.clone());
    let highest = match family {
        Family::All => over(of(mechanism, Pairs::PresentInOne(direction)), &PriorRange::any()),
        Family::Independent(range) | Family::TwoDatasets(range) => over(of(mechanism, Pairs::OneMore(sign)), range),
        Family::OneOfTwo(range) => match beliefs_of_two(range) {
            Some(inner) => over(exchanged(mechanism), &inner),
            None => vacuous(Bound::Finite(whole(0)), theorems),
        },
        Family::Bounded(range) if range.is_any() || range.of_absence() == *range => {
            // A range that is its own mirror has its ends in pairs; whether anybody has them is another question.
            let somebody = range.is_any() || some_observer(entities(mechanism), range);
            over(exchanged(mechanism).filter(|_| somebody), range)
        }
        Family::Uniform => {
            complete(mechanism)?;
            given(uniform(mechanism, direction), theorems)
        }
        Family::Sampled(rate) if !rate.is_zero() && !rate.is_one() => {
            complete(mechanism)?;
            given(sampled_prior(mechanism, rate, direction)?, theorems)
        }
        Family::OneOf(among) => {
            given(Summed::Exact(candidates::worst(mechanism, *among, Others::Certain, direction)?), theorems)
        }
        Family::OneOfRest(among) => {
            given(Summed::Exact(candidates::worst(mechanism, *among, Others::In, direction)?), theorems)
        }
        Family::Box(ranges) => boxed(mechanism, ranges, direction, theorems)?,
        Family::Bounded(_) | Family::Sampled(_) | Family::Groups(_) | Family::Explicit(_) => {
            return Err(CheckError::NotYet { what: "this family on counts" });
        }
    };
    Ok(match direction {
        Direction::Presence => highest,
        Direction::Absence => Verdict { value: of_presence(highest.value), ..highest },
    })
}

/// (α,β)-differential identifiability from the replace-one ratio (B-6): α is how far belief in a world may fall (negative), β
/// how far it may rise (positive).
pub(super) fn alpha_beta(mechanism: &CountMechanism, least: &Rational, sign: Sign) -> Result<Verdict, CheckError> {
    if least.is_negative() || *least > fraction(1, 2) {
        return Err(CheckError::OutOfRange { name: "P_min", value: least.clone(), range: "from 0 to 1/2" });
    }
    let theorems = vec!["B-6", "S-REP", "X-COUNT"];
    let falls = match sign {
        Sign::Positive => false,
        Sign::Negative => true,
        Sign::Both => return Err(CheckError::OneSide { notion: "(α,β)-differential identifiability" }),
    };
    let Some((ratio, witness)) = exchanged(mechanism) else {
        return Ok(vacuous(Bound::Finite(whole(0)), theorems));
    };
    let value = if falls {
        ratio.map(|odds| whole(1) - world_multiples(least, odds).0, Bound::one())
    } else {
        let certain = if least.is_zero() { Bound::Infinite } else { Bound::Finite(least.recip() - whole(1)) };
        ratio.map(|odds| world_multiples(least, odds).1 - whole(1), certain)
    };
    // A world of prior 0 is none: smaller and smaller priors come near. What falls to nothing does so from anywhere.
    let gone = falls && ratio == Bound::Infinite;
    let near = least.is_zero() && !gone && ratio != Bound::one();
    Ok(Verdict { value: if near { Value::Approached(value) } else { Value::Attained(value) }, witness, theorems })
}

fn of(mechanism: &CountMechanism, pairs: Pairs) -> Ratio {
    search(mechanism, pairs).map(|found| (found.ratio, Some(found.witness)))
}

/// One exchange; within a group it changes no count.
fn exchanged(mechanism: &CountMechanism) -> Ratio {
    of(mechanism, Pairs::Exchanged).or_else(|| within_groups(mechanism).then(|| (Bound::one(), None)))
}

fn after(belief: &Rational, odds: &Bound) -> Bound {
    odds.map(|odds| belief::posterior(belief, odds), Bound::one())
}

/// The highest belief in what is on top, over beliefs in a range of which both ends may be believed: the highest prior, or near
/// certainty 1.
fn over_range(found: Ratio, own: &PriorRange, theorems: Vec<&'static str>) -> Verdict {
    let Some((ratio, witness)) = found else { return vacuous(Bound::Finite(whole(0)), theorems) };
    let value = after(own.high(), &ratio);
    let near = own.high().is_one() && ratio != Bound::Infinite;
    Verdict { value: if near { Value::Approached(value) } else { Value::Attained(value) }, witness, theorems }
}

/// Over a box: the highest prior of each group with the ratio that the others allow.
fn boxed(
    mechanism: &CountMechanism,
    ranges: &[PriorRange],
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let ranges = boxes::by_group(mechanism, ranges)?;
    let each = boxes::corners(mechanism, &ranges, direction)?.into_iter().map(|corner| {
        let own = of_top(&ranges[corner.group], direction);
        let attained = !own.high().is_one() || corner.ratio.0 == Bound::Infinite;
        let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
        let (low, high) = (after(own.high(), &corner.ratio.0), after(own.high(), &corner.ratio.1));
        (low, high, attained, belief, corner)
    });
    let highest = each.reduce(|best, next| if (&next.0, next.2) > (&best.0, best.2) { next } else { best });
    let Some((low, high, attained, belief, corner)) = highest else {
        return Ok(vacuous(Bound::Finite(whole(0)), theorems));
    };
    let witness = Some(corner.witness(mechanism, &ranges, direction, &belief));
    let value = match (low == high, attained) {
        (true, true) => Value::Attained(high),
        (true, false) => Value::Approached(high),
        (false, _) => Value::Between { low, high, theorem: "X-COUNT" },
    };
    Ok(Verdict { value, witness, theorems })
}

/// With one given belief.
fn given(found: Summed, theorems: Vec<&'static str>) -> Verdict {
    match found {
        Summed::Exact(None) => vacuous(Bound::Finite(whole(0)), theorems),
        Summed::Exact(Some(found)) => {
            let value = Value::Attained(after(&found.belief, &found.ratio));
            Verdict { value, witness: Some(found.witness), theorems }
        }
        Summed::Bracket { low, high } => {
            let (least, most) = (after(&low.belief, &low.ratio), after(&low.belief, &high));
            let value = if least == most {
                Value::Attained(least)
            } else {
                Value::Between { low: least, high: most, theorem: "X-COUNT" }
            };
            Verdict { value, witness: Some(low.witness), theorems }
        }
    }
}
