//! Observers of a public size who hesitate between more than two datasets, when beliefs are bounded (F-DB[a,b]).
//!
//! Where `e` and `1 − e` do not both lie in `[a,b]`, nobody can believe `e` of one entity and be certain of all but one
//! other. How much such observers learn has no closed form; some who do learn are built here, and give an exact lower
//! end beside the upper one of B-3.

use super::measure::{Measure, Point, Segment, least_kept};
use super::numbers::one;
use super::two_datasets::Pair;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::Witness;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction, whole};
use num_traits::{One, Zero};

/// Most steps for a look at all datasets; beyond that only those that share the members of the worst pair.
const MOST_STEPS: usize = 1 << 18;

/// Whether some observer of F-DB[a,b] is uncertain of anybody: beliefs of `j` entities that sum to a public `k`.
pub(super) fn exists(entities: usize, range: &PriorRange) -> bool {
    let fits = |uncertain: usize, size: usize| {
        let (uncertain, size) = (whole(uncertain), whole(size));
        let (least, most) = (&uncertain * range.low(), &uncertain * range.high());
        // Ends that are certainty are no beliefs of the uncertain.
        let above = least < size || (least == size && !range.low().is_zero());
        let below = size < most || (most == size && !range.high().is_one());
        above && below
    };
    (2..=entities).any(|uncertain| (1..uncertain).any(|size| fits(uncertain, size)))
}

/// What is asked about observers to whom one of several entities is in, or one of several is out.
#[derive(Clone, Copy)]
pub(super) struct Observers<'a> {
    pub(super) mechanism: &'a Mechanism,
    pub(super) range: &'a PriorRange,
    pub(super) direction: Direction,
    pub(super) measure: Measure,
}

impl Observers<'_> {
    /// The worst of these observers, with beliefs in the range; all others are certain. Where there are many datasets, only those
    /// are looked at that share the members of the worst pair.
    pub(super) fn search(self, near: Pair) -> Option<(Bound, Witness)> {
        let n = self.mechanism.size();
        let steps = (self.mechanism.outputs().len() << n).saturating_mul(n * n);
        let common: Vec<Dataset> = if steps <= MOST_STEPS {
            (0..1 << n).collect()
        } else {
            vec![near.more & near.less, near.more | near.less]
        };
        let mut best: Option<(Bound, Witness)> = None;
        self.each(&common, &mut |worlds| worlds.best(&mut best));
        best
    }

    /// What none of them gets beyond, given the worst of them that was found. Among three people there are no other observers.
    pub(super) fn least_kept(self, low: &Bound) -> Bound {
        let common: Vec<Dataset> = (0..1 << self.mechanism.size()).collect();
        let mut segments = Vec::new();
        self.each(&common, &mut |worlds| {
            for (others, _) in worlds.shares() {
                segments.extend(worlds.segments(others));
            }
        });
        least_kept(&segments, low)
    }

    fn each(self, common: &[Dataset], look: &mut dyn FnMut(&Worlds)) {
        for output in 0..self.mechanism.outputs().len() {
            for base in common {
                for adds in [true, false] {
                    look(&Worlds::new(self, output, *base, adds));
                }
            }
        }
    }
}

/// Datasets that have one entity more than a common one each, or one less.
struct Worlds<'a> {
    asked: Observers<'a>,
    output: usize,
    adds: bool,
    /// The probability of a world: belief that its entity is in, or that it is out.
    range: PriorRange,
    /// Whether the entity's own world is on top.
    own_on_top: bool,
    /// The entity, its dataset, and the probability of the output there: the own world first, then the others, those that tell
    /// most first. For the own world that is the extreme one, and for the others the opposite extremes, as in
    /// [`super::candidates`].
    each: Vec<(usize, Dataset, Rational)>,
}

impl<'a> Worlds<'a> {
    fn new(asked: Observers<'a>, output: usize, base: Dataset, adds: bool) -> Self {
        let Observers { mechanism, range, direction, .. } = asked;
        let moved = (0..mechanism.size()).filter(|t| (base >> t & 1 == 0) == adds);
        let all = moved.map(|t| (t, base ^ 1 << t)).filter(|(_, data)| mechanism.gives(*data));
        let mut each: Vec<_> = all.map(|(t, data)| (t, data, mechanism.probability(output, data))).collect();
        each.sort_by(|left, right| left.2.cmp(&right.2).then(left.0.cmp(&right.0)));
        let own_on_top = (direction == Direction::Presence) == adds;
        if own_on_top && let Some(own) = each.pop() {
            each.insert(0, own);
        } else if let Some(rest) = each.get_mut(1..) {
            rest.reverse();
        }
        let range = if adds { range.clone() } else { range.of_absence() };
        Self { asked, output, adds, range, own_on_top, each }
    }

    /// How many others there may be, and the probabilities that the own world may have then.
    fn shares(&self) -> impl Iterator<Item = (usize, [Rational; 2])> {
        let (low, high) = (self.range.low().clone(), self.range.high().clone());
        (1..self.each.len()).filter_map(move |others| {
            let least = low.clone().max(one() - whole(others) * &high);
            let most = high.clone().min(one() - whole(others) * &low);
            if least <= most { Some((others, [least, most])) } else { None }
        })
    }

    /// The observers with so many others, in pieces: with as much weight on the farthest as beliefs allow, the sum over the others
    /// is linear in the own probability up to where one of them has as much as it may.
    fn segments(&self, others: usize) -> Vec<Segment> {
        let Some((_, [least, most])) = self.shares().find(|(count, _)| *count == others) else { return Vec::new() };
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
            measure: self.asked.measure,
            own_on_top: self.own_on_top,
            ends: [self.point(&pair[0], others), self.point(&pair[1], others)],
        };
        stops.windows(2).map(segment).collect()
    }

    fn point(&self, own: &Rational, others: usize) -> Point {
        let weights = weights(&(one() - own), &self.range, others);
        let rest = weights.iter().zip(&self.each[1..]).map(|(weight, (_, _, chance))| weight * chance).sum();
        Point { own: own.clone(), alone: self.each[0].2.clone(), rest }
    }

    /// The worst of them, if it is worse than the best so far.
    fn best(&self, best: &mut Option<(Bound, Witness)>) {
        let Some((_, _, alone)) = self.each.first() else { return };
        let belief = |own: &Rational| if self.own_on_top { own.clone() } else { one() - own };
        let odds = |rest: &Rational| if self.own_on_top { Bound::of(alone, rest) } else { Bound::of(rest, alone) };
        let worse = |value: &Bound, best: &Option<(Bound, Witness)>| best.as_ref().is_none_or(|best| *value > best.0);
        for (others, [least, most]) in self.shares() {
            // None of them has more than those at the ends of the range would have against the farthest alone.
            let Some(most_odds) = odds(&self.each[1].2) else { continue };
            let bound = [&least, &most].map(|own| self.asked.measure.of(&belief(own), &most_odds));
            if most_odds < Bound::one() || !bound.iter().any(|bound| worse(bound, best)) {
                continue;
            }
            for segment in self.segments(others) {
                for part in segment.worst_parts() {
                    // A certain observer is none, but some are as near as one likes.
                    let own = inside(&segment.at(&part).own, &[&least, &most]);
                    let Some(own) = own.filter(|own| !own.is_zero() && !own.is_one()) else { continue };
                    let Point { rest, .. } = self.point(&own, others);
                    let rest = rest / (one() - &own);
                    let Some(odds) = odds(&rest).filter(|odds| *odds >= Bound::one()) else { continue };
                    let found = self.asked.measure.of(&belief(&own), &odds);
                    if worse(&found, best) {
                        *best = Some((found, self.witness(&own, rest, others)));
                    }
                }
            }
        }
    }

    fn witness(&self, own: &Rational, rest: Rational, others: usize) -> Witness {
        let (entity, data, alone) = self.each[0].clone();
        let weights = weights(&(one() - own), &self.range, others);
        let others = self.each[1..].iter().map(|(_, data, _)| *data).zip(weights);
        let worlds = others.chain([(data, own.clone())]).filter(|(_, weight)| !weight.is_zero());
        let likelihoods = if self.adds { (alone, rest) } else { (rest, alone) };
        Witness::Prior { prior: Prior::Table(worlds.collect()), entity, output: self.output, likelihoods }
    }
}

/// The probability itself, or one near it where it is certainty.
fn inside(own: &Rational, [least, most]: &[&Rational; 2]) -> Option<Rational> {
    let near = (*most - *least) * fraction(1, 1 << 40);
    match own {
        own if own.is_zero() => (!near.is_zero()).then_some(near),
        own if own.is_one() => (!near.is_zero()).then(|| one() - near),
        own => Some(own.clone()),
    }
}

/// The weights of so many others, the first as heavy as may be.
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

    #[test]
    fn beliefs_of_a_public_size_sum_to_it() {
        let range = |low, high| PriorRange::new(Some(fraction(low, 20)), Some(fraction(high, 20))).unwrap();
        // 2/5 to 9/20: no number of them sums to 1, five of 2/5 sum to 2.
        assert!(!exists(4, &range(8, 9)));
        assert!(exists(5, &range(8, 9)));
        assert!(exists(2, &range(10, 10)));
        assert!(!exists(3, &range(1, 6)) && exists(4, &range(1, 6)));
        assert!(exists(2, &PriorRange::any()) && !exists(1, &PriorRange::any()));
        // Three beliefs of 1/3 sum to 1, and two never do.
        let third = PriorRange::new(None, Some(fraction(1, 3))).unwrap();
        assert!(exists(3, &third) && exists(3, &third.of_absence()) && !exists(2, &third));
    }
}
