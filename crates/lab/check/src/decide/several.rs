//! The worst observers for whom exactly one of several worlds is true, with probabilities in a range.
//!
//! In the observer's own world the answer has an extreme probability, in the other worlds the opposite extremes, and
//! the farthest worlds get as much weight as the range allows. So the sum over the others is piecewise linear in the
//! own probability.

use super::measure::{Measure, Point, Segment};
use super::numbers::one;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, ratio as fraction, whole};
use num_traits::{One, Zero};

/// Worlds of which exactly one is true.
pub(crate) struct SeveralWorlds {
    pub(crate) measure: Measure,
    /// The probability of a world.
    pub(crate) range: PriorRange,
    /// Whether the own world is on top of the ratio.
    pub(crate) own_on_top: bool,
    /// The probability of the answer in each world: the own world first, then the others, the farthest from it first.
    pub(crate) chances: Vec<Rational>,
}

/// The weights of the worlds for which the measure is largest.
pub(crate) struct WorstWeights {
    pub(crate) value: Bound,
    /// The probability of the own world.
    pub(crate) own: Rational,
    /// The probability of the answer given that the own world is not true.
    pub(crate) rest: Rational,
    /// The probabilities of the other worlds, in the order of `chances`; worlds after them are impossible.
    pub(crate) weights: Vec<Rational>,
}

impl SeveralWorlds {
    /// The possible numbers of other worlds, each with the least and the largest probability of the own world.
    pub(super) fn shares(&self) -> impl Iterator<Item = (usize, [Rational; 2])> {
        let (low, high) = (self.range.low().clone(), self.range.high().clone());
        (1..self.chances.len()).filter_map(move |others| {
            let least = low.clone().max(one() - whole(others) * &high);
            let most = high.clone().min(one() - whole(others) * &low);
            if least <= most { Some((others, [least, most])) } else { None }
        })
    }

    /// The observers with `others` other worlds, piece by piece: with as much weight on the farthest world as the range
    /// allows, the sum over the others is linear in the own probability until one of them reaches its maximum.
    pub(super) fn segments(&self, others: usize, [least, most]: [Rational; 2]) -> Vec<Segment> {
        let width = self.range.high() - self.range.low();
        let full = |count: usize| one() - whole(others) * self.range.low() - whole(count) * &width;
        let mut stops: Vec<Rational> = (0..=others).map(full).filter(|own| least < *own && *own < most).collect();
        stops.extend([least, most]);
        stops.sort();
        stops.dedup();
        if stops.len() == 1 {
            stops.push(stops[0].clone());
        }
        let segment = |pair: &[Rational]| Segment {
            measure: self.measure,
            own_on_top: self.own_on_top,
            ends: [self.point(&pair[0], others), self.point(&pair[1], others)],
        };
        stops.windows(2).map(segment).collect()
    }

    fn point(&self, own: &Rational, others: usize) -> Point {
        let weights = weights(&(one() - own), &self.range, others);
        let rest = weights.iter().zip(&self.chances[1..]).map(|(weight, chance)| weight * chance).sum();
        Point { own: own.clone(), alone: self.chances[0].clone(), rest }
    }

    /// The worst of these observers, if its value exceeds `above`.
    pub(crate) fn worst(&self, above: Option<&Bound>) -> Option<WorstWeights> {
        let alone = self.chances.first()?;
        let belief = |own: &Rational| if self.own_on_top { own.clone() } else { one() - own };
        let odds = |rest: &Rational| if self.own_on_top { Bound::of(alone, rest) } else { Bound::of(rest, alone) };
        let is_worse = |value: &Bound, best: Option<&WorstWeights>| {
            best.map(|best| &best.value).or(above).is_none_or(|largest| value > largest)
        };
        let mut best: Option<WorstWeights> = None;
        for (others, [least, most]) in self.shares() {
            // No observer exceeds the bound at the ends of the range, computed as if the farthest world were the only
            // other one.
            let Some(most_odds) = odds(&self.chances[1]) else { continue };
            let ends = [&least, &most].into_iter().filter_map(|own| inside(own, [&least, &most]));
            let bounds: Vec<Bound> = ends.map(|own| self.measure.of(&belief(&own), &most_odds)).collect();
            if most_odds < Bound::one() || !bounds.iter().any(|bound| is_worse(bound, best.as_ref())) {
                continue;
            }
            for segment in self.segments(others, [least.clone(), most.clone()]) {
                for part in segment.worst_parts() {
                    // The family has no observer who is certain, but it has observers arbitrarily close to certainty.
                    let Some(own) = inside(&segment.at(&part).own, [&least, &most]) else { continue };
                    let Point { rest, .. } = self.point(&own, others);
                    let rest = rest / (one() - &own);
                    let Some(odds) = odds(&rest).filter(|odds| *odds >= Bound::one()) else { continue };
                    let value = self.measure.of(&belief(&own), &odds);
                    if is_worse(&value, best.as_ref()) {
                        let weights = weights(&(one() - &own), &self.range, others);
                        best = Some(WorstWeights { value, own, rest, weights });
                    }
                }
            }
        }
        best
    }
}

/// The probability itself, or a nearby one if it is 0 or 1.
fn inside(own: &Rational, [least, most]: [&Rational; 2]) -> Option<Rational> {
    let near = (most - least) * fraction(1, 1 << 40);
    match own {
        own if own.is_zero() => (!near.is_zero()).then_some(near),
        own if own.is_one() => (!near.is_zero()).then(|| one() - near),
        own => Some(own.clone()),
    }
}

/// The weights of `others` worlds, with as much weight as possible on the first ones.
fn weights(mass: &Rational, range: &PriorRange, others: usize) -> Vec<Rational> {
    let mut spare = mass - whole(others) * range.low();
    let width = range.high() - range.low();
    let heavier = (0..others).map(|_| {
        let extra = if spare < width { spare.clone() } else { width.clone() };
        spare -= &extra;
        range.low() + extra
    });
    heavier.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_goes_to_the_first() {
        let range = PriorRange::new(Some(fraction(1, 10)), Some(fraction(3, 10))).unwrap();
        assert_eq!(weights(&fraction(9, 10), &range, 4), [3, 3, 2, 1].map(|tenths| fraction(tenths, 10)));
    }

    /// Three other worlds have the smallest beliefs, and the own world has the largest gain then.
    #[test]
    fn beliefs_near_certainty_are_included() {
        let range = PriorRange::new(None, Some(fraction(2, 5))).unwrap();
        let chances = [(9, 13), (1, 4), (2, 5), (1, 2)].map(|(top, of)| fraction(top, of)).to_vec();
        let worst = SeveralWorlds { measure: Measure::Gain, range, own_on_top: true, chances }.worst(None).unwrap();
        let limit = fraction(9, 13) / fraction(9, 25);
        assert!(worst.value < Bound::Finite(limit.clone()));
        assert!(worst.value > Bound::Finite(limit * fraction(999_999, 1_000_000)), "{}", worst.value);
    }
}
