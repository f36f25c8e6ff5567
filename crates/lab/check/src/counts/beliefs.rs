//! Posterior beliefs on counts, computed from the largest likelihood ratio over pairs of counts, or under one given
//! prior (B-4, B-6, I-IND).

use super::boxes;
use super::decide::{complete, larger, within_groups};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use super::weighted::{RatioBracket, sampled_prior, uniform};
use super::{candidates, sized};
use crate::decide::{
    CheckError, Measure, beliefs_of_two, highest_belief, inside, largest_fall, of_presence, of_top, vacuous,
};
use crate::family::{Family, OtherEntities};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, ratio as fraction, whole};
use deniable_core::promise::world_multiples;
use num_traits::{One, Signed, Zero};

/// A largest ratio and its witness; without a witness where no ratio differs from 1.
type Ratio = Option<(Bound, Option<Witness>)>;

/// The highest or lowest posterior belief in presence, as [`crate::decide::decide`] defines it for tables.
pub(super) fn posterior(mechanism: &CountMechanism, sign: Sign, family: &Family) -> Result<Verdict, CheckError> {
    let direction = match sign {
        Sign::Positive => Direction::Presence,
        Sign::Negative => Direction::Absence,
        Sign::Both => return Err(CheckError::OneSide { notion: "posterior belief" }),
    };
    let theorems = vec![family.theorem(), "B-4", "X-COUNT"];
    let asked =
        Question { mechanism, measure: Measure::Belief, direction, on_table: highest_belief, theorem: "B-4", theorems };
    let highest = asked.decide(family)?;
    Ok(match direction {
        Direction::Presence => highest,
        Direction::Absence => Verdict { value: of_presence(highest.value), ..highest },
    })
}

/// The largest factor by which a belief falls (I-IND): the larger of both directions.
pub(super) fn indistinguishable(mechanism: &CountMechanism, family: &Family) -> Result<Verdict, CheckError> {
    let [absence, presence] = [Direction::Presence, Direction::Absence].map(|direction| {
        let theorems = vec!["I-IND", family.theorem(), "X-COUNT"];
        let asked = Question {
            mechanism,
            measure: Measure::Fall,
            direction,
            on_table: largest_fall,
            theorem: "I-IND",
            theorems,
        };
        asked.decide(family)
    });
    let (absence, presence) = (absence?, presence?);
    // Where one direction has no uncertain entity, the verdict is that of the other direction.
    Ok(match (absence.value.is_vacuous(), presence.value.is_vacuous()) {
        (true, false) => presence,
        (false, true) => absence,
        _ => larger(absence, presence),
    })
}

/// One direction of a notion, with a measure that grows with the belief and with the likelihood ratio.
struct Question<'a> {
    mechanism: &'a CountMechanism,
    measure: Measure,
    direction: Direction,
    on_table: fn(&Mechanism, Direction, &Family) -> Result<Verdict, CheckError>,
    theorem: &'static str,
    theorems: Vec<&'static str>,
}

impl Question<'_> {
    fn decide(&self, family: &Family) -> Result<Verdict, CheckError> {
        let Self { mechanism, direction, measure, on_table, theorem, .. } = *self;
        let over = |found: Ratio, range: &PriorRange| Ok(self.over_range(found, &of_top(range, direction)));
        match family {
            Family::All => over(of(mechanism, Pairs::PresentInOne(direction)), &PriorRange::any()),
            Family::Independent(range) | Family::TwoDatasets(range) => {
                over(of(mechanism, Pairs::OneMore(sized::sign(direction))), range)
            }
            Family::OneOfTwo(range) => match beliefs_of_two(range) {
                Some(inner) => over(exchanged(mechanism), &inner),
                None => Ok(self.vacuous()),
            },
            Family::Bounded(range) if range.is_any() => over(exchanged(mechanism), range),
            Family::Bounded(range) => sized::SizedMeasure { mechanism, range, direction, measure, on_table, theorem }
                .decide(self.theorems.clone()),
            Family::Uniform => {
                complete(mechanism)?;
                Ok(self.given(uniform(mechanism, direction)))
            }
            Family::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(self.vacuous()),
            Family::Sampled(rate) => {
                complete(mechanism)?;
                Ok(self.given(sampled_prior(mechanism, rate, direction)?))
            }
            Family::OneOf(among) => Ok(self.given(RatioBracket::Exact(candidates::worst(
                mechanism,
                *among,
                OtherEntities::Certain,
                direction,
            )?))),
            Family::OneOfRest(among) => {
                Ok(self.given(RatioBracket::Exact(candidates::worst(mechanism, *among, OtherEntities::In, direction)?)))
            }
            Family::Box(ranges) => self.boxed(ranges),
            Family::Groups(_) | Family::Explicit(_) => Err(CheckError::NotYet { what: "this family on counts" }),
        }
    }

    fn vacuous(&self) -> Verdict {
        vacuous(self.measure.least(), self.theorems.clone())
    }

    /// Over priors in a range whose ends both have observers: the highest prior, or near certainty.
    fn over_range(&self, found: Ratio, own: &PriorRange) -> Verdict {
        let Some((ratio, witness)) = found else { return self.vacuous() };
        let value = self.measure.of(own.high(), &ratio);
        let near = own.high().is_one() && !self.measure.is_reached_inside(&ratio);
        let value = if near { Value::Approached(value) } else { Value::Attained(value) };
        Verdict { value, witness, theorems: self.theorems.clone() }
    }

    /// Over a box: the highest prior of each group with the ratio that the others allow.
    fn boxed(&self, ranges: &[PriorRange]) -> Result<Verdict, CheckError> {
        let Self { mechanism, direction, measure, .. } = *self;
        let ranges = boxes::by_group(mechanism, ranges)?;
        let each = boxes::corners(mechanism, &ranges, direction)?.into_iter().map(|corner| {
            let own = of_top(&ranges[corner.group], direction);
            let attained = !own.high().is_one() || measure.is_reached_inside(&corner.ratio.0);
            let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
            let (low, high) = (measure.of(own.high(), &corner.ratio.0), measure.of(own.high(), &corner.ratio.1));
            (low, high, attained, belief, corner)
        });
        let highest = each.reduce(|best, next| if (&next.0, next.2) > (&best.0, best.2) { next } else { best });
        let Some((low, high, attained, belief, corner)) = highest else { return Ok(self.vacuous()) };
        let witness = Some(corner.witness(mechanism, &ranges, direction, &belief));
        let value = match (low == high, attained) {
            (true, true) => Value::Attained(high),
            (true, false) => Value::Approached(high),
            (false, _) => Value::Between { low, high, theorem: "X-COUNT" },
        };
        Ok(Verdict { value, witness, theorems: self.theorems.clone() })
    }

    /// The verdict for observers with one given prior.
    fn given(&self, found: RatioBracket) -> Verdict {
        let (value, witness) = match found {
            RatioBracket::Exact(None) => return self.vacuous(),
            RatioBracket::Exact(Some(found)) => {
                (Value::Attained(self.measure.of(&found.belief, &found.ratio)), found.witness)
            }
            RatioBracket::Bracket { low, high } => {
                let least = self.measure.of(&low.belief, &low.ratio);
                let most = self.measure.of(&low.belief, &high);
                let value = if least == most {
                    Value::Attained(least)
                } else {
                    Value::Between { low: least, high: most, theorem: "X-COUNT" }
                };
                (value, low.witness)
            }
        };
        Verdict { value, witness: Some(witness), theorems: self.theorems.clone() }
    }
}

/// (α,β)-differential identifiability from the replace-one ratio (B-6): α is how far belief in a world may fall
/// (negative), β how far it may rise (positive).
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
    // Worlds have a prior above 0, so smaller and smaller priors approach the value. A belief that falls to 0 does so
    // from any prior.
    let gone = falls && ratio == Bound::Infinite;
    let near = least.is_zero() && !gone && ratio != Bound::one();
    Ok(Verdict { value: if near { Value::Approached(value) } else { Value::Attained(value) }, witness, theorems })
}

fn of(mechanism: &CountMechanism, pairs: Pairs) -> Ratio {
    search(mechanism, pairs).map(|found| (found.ratio, Some(found.witness)))
}

/// One member exchanged for another; within a group this changes no count.
fn exchanged(mechanism: &CountMechanism) -> Ratio {
    of(mechanism, Pairs::Exchanged).or_else(|| within_groups(mechanism).then(|| (Bound::one(), None)))
}
