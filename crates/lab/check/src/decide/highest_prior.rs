//! Measures of a belief that grow with the belief and with the likelihood ratio: the posterior belief (B-4), and the
//! factor by which belief in the opposite falls (I-IND). Over a family they are largest at its largest ratio and its
//! highest prior.

use super::error::{CheckError, complete};
use super::gain::{WorstObserver, vacuous};
use super::measure::Measure;
use super::pairs::{self, WitnessedRatio};
use super::prior_boxes::{inside, vertices};
use super::public_size::{PosteriorQuestion, beliefs_of_two, bracket, of_top, some_observer};
use super::two_datasets::Pair;
use super::{candidates, groups, product};
use crate::family::{Family, OtherEntities, Prior};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use num_traits::{One, Zero};

/// A measure in one direction, with the procedure for explicit priors.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) measure: Measure,
    pub(super) direction: Direction,
    pub(super) theorem: &'static str,
    /// The theorems that the verdict depends on.
    pub(super) theorems: Vec<&'static str>,
    /// Decides explicit priors by the definition, with the mixtures that the notion allows.
    pub(super) explicit: fn(&Mechanism, &[Prior], &Question) -> Result<Verdict, CheckError>,
}

impl Question {
    pub(super) fn decide(&self, mechanism: &Mechanism, family: &Family) -> Result<Verdict, CheckError> {
        let direction = self.direction;
        let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
        let over = |found, range: &PriorRange| Ok(self.over_range(mechanism, found, range));
        match family {
            Family::All => over(pairs::present_in_one_only(mechanism, direction), &PriorRange::any()),
            Family::Groups(size) => over(groups::worst(mechanism, *size, direction)?, &PriorRange::any()),
            Family::Independent(range) | Family::TwoDatasets(range) => over(pairs::one_more(mechanism, sign), range),
            Family::OneOfTwo(range) => match beliefs_of_two(range) {
                Some(inner) => over(pairs::exchanged(mechanism), &inner),
                None => Ok(self.vacuous()),
            },
            Family::Bounded(range) if range.is_any() => over(pairs::exchanged(mechanism), range),
            Family::Bounded(range) => self.sized(mechanism, range),
            Family::OneOf(among) => {
                Ok(self.given(candidates::worst(mechanism, *among, OtherEntities::Certain, direction)?))
            }
            Family::OneOfRest(among) => {
                Ok(self.given(candidates::worst(mechanism, *among, OtherEntities::In, direction)?))
            }
            Family::Uniform => {
                complete(mechanism)?;
                Ok(self.given(product::uniform(mechanism, direction)))
            }
            // With rate 0 or 1 every entity is certain, so the family has no uncertain observer.
            Family::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(self.vacuous()),
            Family::Sampled(rate) => {
                complete(mechanism)?;
                Ok(self.given(product::sampled_prior(mechanism, rate, direction)))
            }
            Family::Box(ranges) => self.boxed(mechanism, ranges),
            Family::Explicit(priors) => (self.explicit)(mechanism, priors, self),
        }
    }

    pub(super) fn vacuous(&self) -> Verdict {
        vacuous(self.measure.least(), self.theorems.clone())
    }

    /// Over priors in a range, when all other entities may be certain: the highest prior, or near certainty.
    fn over_range(&self, mechanism: &Mechanism, found: Option<WitnessedRatio>, range: &PriorRange) -> Verdict {
        let own = of_top(range, self.direction);
        let Some(WitnessedRatio { ratio, witness }) = found else { return self.vacuous() };
        let value = self.measure.of(own.high(), &ratio);
        if own.high().is_one() && !self.measure.is_reached_inside(&ratio) {
            let value = Value::Approached(value);
            return Verdict { value, witness: Some(witness), theorems: self.theorems.clone() };
        }
        let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
        let pair = Pair::of(&WitnessedRatio { ratio, witness });
        let witness = pair.map(|pair| pair.observer(mechanism, self.direction, &belief));
        Verdict { value: Value::Attained(value), witness, theorems: self.theorems.clone() }
    }

    fn given(&self, found: Option<WorstObserver>) -> Verdict {
        let Some(WorstObserver { ratio, belief, witness }) = found else { return self.vacuous() };
        let value = Value::Attained(self.measure.of(&belief, &ratio));
        Verdict { value, witness: Some(witness), theorems: self.theorems.clone() }
    }

    /// Over F-DB[a,b]: at most what the replace-one ratio makes of the highest prior.
    fn sized(&self, mechanism: &Mechanism, range: &PriorRange) -> Result<Verdict, CheckError> {
        let Some(found) = pairs::exchanged(mechanism).filter(|_| some_observer(mechanism, range)) else {
            return Ok(self.vacuous());
        };
        let Self { measure, direction, theorem, .. } = *self;
        let own = of_top(range, direction);
        let high = measure.of(own.high(), &found.ratio);
        let ends = [own.low().clone(), own.high().clone()];
        let asked = PosteriorQuestion { range, direction, ends: &ends, high, measure, theorem };
        bracket(mechanism, found, asked, self.theorems.clone())
    }

    /// Over a box: the highest prior of each entity with the ratio that the others allow.
    fn boxed(&self, mechanism: &Mechanism, ranges: &[PriorRange]) -> Result<Verdict, CheckError> {
        let vertices = vertices(mechanism, ranges, self.direction)?;
        let each = vertices.iter().map(|vertex| {
            let own = of_top(&ranges[vertex.entity], self.direction);
            let attained = !own.high().is_one() || self.measure.is_reached_inside(&vertex.ratio);
            let belief = if own.high().is_one() { inside(&own) } else { own.high().clone() };
            (self.measure.of(own.high(), &vertex.ratio), attained, vertex, belief)
        });
        let largest = each.reduce(|best, next| if (&next.0, next.1) > (&best.0, best.1) { next } else { best });
        let Some((value, attained, vertex, belief)) = largest else { return Ok(self.vacuous()) };
        let witness = Some(vertex.witness(mechanism, ranges, self.direction, &belief));
        let value = if attained { Value::Attained(value) } else { Value::Approached(value) };
        Ok(Verdict { value, witness, theorems: self.theorems.clone() })
    }
}
