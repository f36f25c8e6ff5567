//! Observers of a public size who hesitate between more than two datasets, when beliefs are bounded (F-DB[a,b]).
//!
//! Where `e` and `1 − e` do not both lie in `[a,b]`, nobody can believe `e` of one entity and be certain of all but one
//! other. How much such observers learn has no closed form; some who do learn are built here, and give an exact lower
//! end beside the upper one of B-3.

use super::numbers::one;
use super::two_datasets::Pair;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::Witness;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction, whole};
use num_traits::{One, ToPrimitive, Zero};

/// Most steps for a look at all datasets; beyond that only those that share the members of the worst pair.
const MOST_STEPS: usize = 1 << 20;

/// What an observer's belief in what is on top, and the likelihood ratio, make of the notion: larger is worse.
pub(super) type Score<'a> = &'a dyn Fn(&Rational, &Bound) -> Bound;

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

/// The worst observer among those to whom one of several entities is in, or one of several is out, with beliefs in
/// `range`; all others are certain.
pub(super) fn search(
    mechanism: &Mechanism,
    range: &PriorRange,
    direction: Direction,
    near: Pair,
    score: Score,
) -> Option<(Bound, Witness)> {
    let n = mechanism.size();
    let steps = (mechanism.outputs().len() << n).saturating_mul(n * n);
    let common: Vec<Dataset> =
        if steps <= MOST_STEPS { (0..1 << n).collect() } else { vec![near.more & near.less, near.more | near.less] };
    let mut best: Option<(Bound, Witness)> = None;
    for output in 0..mechanism.outputs().len() {
        for base in &common {
            for adds in [true, false] {
                Worlds::new(mechanism, output, *base, adds).best(range, direction, score, &mut best);
            }
        }
    }
    best
}

/// Datasets that have one entity more than a common one each, or one less.
struct Worlds<'a> {
    mechanism: &'a Mechanism,
    output: usize,
    adds: bool,
    /// The entity, its dataset, and the probability of the output there, in the order of the probability.
    each: Vec<(usize, Dataset, Rational)>,
}

impl<'a> Worlds<'a> {
    fn new(mechanism: &'a Mechanism, output: usize, base: Dataset, adds: bool) -> Self {
        let moved = (0..mechanism.size()).filter(|t| (base >> t & 1 == 0) == adds);
        let all = moved.map(|t| (t, base ^ 1 << t)).filter(|(_, data)| mechanism.gives(*data));
        let mut each: Vec<_> = all.map(|(t, data)| (t, data, mechanism.probability(output, data))).collect();
        each.sort_by(|left, right| left.2.cmp(&right.2).then(left.0.cmp(&right.0)));
        Self { mechanism, output, adds, each }
    }

    /// One entity's own world against the others: the extreme one against the opposite extremes, as in
    /// [`super::candidates`], with as much weight on the farthest as beliefs allow.
    fn best(&self, range: &PriorRange, direction: Direction, score: Score, best: &mut Option<(Bound, Witness)>) {
        let [Some((_, _, least)), Some((_, _, most))] = [self.each.first(), self.each.last()] else { return };
        if self.each.len() < 3 || least == most {
            return;
        }
        // The probability of a world: belief that its entity is in, or that it is out.
        let range = if self.adds { range.clone() } else { range.of_absence() };
        // Whether the entity's own world is on top.
        let own_on_top = (direction == Direction::Presence) == self.adds;
        let tiny = |end: &Rational| if end.is_zero() { range.high() * fraction(1, 1024) } else { end.clone() };
        let large = |end: &Rational| if end.is_one() { one() - fraction(1, 1024) } else { end.clone() };
        for own in [tiny(range.low()), large(range.high())] {
            let belief = if own_on_top { own.clone() } else { one() - &own };
            let bound = score(&belief, &Bound::of(most, least).unwrap_or_else(Bound::one));
            if best.as_ref().is_some_and(|(best, _)| *best >= bound) {
                continue;
            }
            for others in counts(&(one() - &own), &range, self.each.len() - 1) {
                let weights = weights(&(one() - &own), &range, others);
                // From the farthest inwards.
                let order: Vec<usize> = if own_on_top {
                    (0..others).collect()
                } else {
                    (0..others).map(|k| self.each.len() - 1 - k).collect()
                };
                let lone = if own_on_top { self.each.len() - 1 } else { 0 };
                let rest: Rational = order.iter().zip(&weights).map(|(k, weight)| weight * &self.each[*k].2).sum();
                let rest = rest / (one() - &own);
                let alone = &self.each[lone].2;
                let (top, bottom) = if own_on_top { (alone, &rest) } else { (&rest, alone) };
                let Some(odds) = Bound::of(top, bottom) else { continue };
                let found = score(&belief, &odds);
                if odds >= Bound::one() && best.as_ref().is_none_or(|(best, _)| found > *best) {
                    let others = order.iter().map(|k| self.each[*k].1).zip(weights);
                    let worlds =
                        others.chain([(self.each[lone].1, own.clone())]).filter(|(_, weight)| !weight.is_zero());
                    let likelihoods =
                        if self.adds { (alone.clone(), rest.clone()) } else { (rest.clone(), alone.clone()) };
                    let prior = Prior::Table(worlds.collect());
                    let (entity, output) = (self.each[lone].0, self.output);
                    debug_assert!(entity < self.mechanism.size());
                    *best = Some((found, Witness::Prior { prior, entity, output, likelihoods }));
                }
            }
        }
    }
}

/// How many others can share `mass`, each with a weight in the range.
fn counts(mass: &Rational, range: &PriorRange, most: usize) -> std::ops::RangeInclusive<usize> {
    let fewest = (mass / range.high()).ceil().to_integer().to_usize().unwrap_or(usize::MAX);
    let up_to = if range.low().is_zero() {
        most
    } else {
        (mass / range.low()).floor().to_integer().to_usize().unwrap_or(most).min(most)
    };
    fewest.max(1)..=up_to
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
        assert_eq!(counts(&fraction(9, 10), &range, 20), 3..=9);
        assert_eq!(counts(&fraction(7, 10), &range, 5), 3..=5);
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
