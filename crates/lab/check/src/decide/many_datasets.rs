//! Observers of a public size who consider more than two datasets possible, with bounded beliefs (F-DB[a,b]).
//!
//! Unless `e` and `1 − e` are both in `[a,b]`, no observer has belief `e` in one entity and is certain of all but one
//! other. The largest gain of the remaining observers has no closed form; some of them are built here, and give an
//! exact lower end beside the upper end of B-3.

use super::measure::{Measure, least_kept};
use super::numbers::one;
use super::several::{SeveralWorlds, WorstWeights};
use super::slices;
use super::two_datasets::Pair;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::Witness;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction, whole};
use num_traits::Zero;

/// Limit on the steps of a search over all datasets; beyond it, only datasets that share the members of the worst pair
/// are searched.
const MOST_STEPS: usize = 1 << 18;
/// Limit on the datasets of one observer in a witness.
const MOST_WORLDS: usize = 1 << 10;

/// Observers for whom exactly one of several entities is in, or exactly one is out.
#[derive(Clone, Copy)]
pub(super) struct Observers<'a> {
    pub(super) mechanism: &'a Mechanism,
    pub(super) range: &'a PriorRange,
    pub(super) direction: Direction,
    pub(super) measure: Measure,
}

impl Observers<'_> {
    /// The worst of these observers, with beliefs in the range; they are certain of all other entities. For large
    /// mechanisms the search only covers datasets that share the members of the worst pair.
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

    /// An observer of the family for whom all subsets of a given size of several entities are equally likely, if these
    /// subsets are few; in general not the worst observer.
    pub(super) fn alike(self) -> Option<(Bound, Witness)> {
        let slice = slices::find(self.mechanism, self.range)?;
        let worlds: Vec<Dataset> = slice.datasets().take(MOST_WORLDS + 1).collect();
        if worlds.len() > MOST_WORLDS {
            return None;
        }
        let uncertain = slice.open.count_ones();
        let inside = fraction(i64::from(slice.size), i64::from(uncertain));
        let belief = if self.direction == Direction::Presence { inside } else { one() - inside };
        let mut best: Option<(Bound, Witness)> = None;
        for entity in (0..self.mechanism.size()).filter(|t| slice.open >> t & 1 == 1) {
            for output in 0..self.mechanism.outputs().len() {
                let mean = |side: u32| {
                    let of_side: Vec<&Dataset> = worlds.iter().filter(|data| **data >> entity & 1 == side).collect();
                    let sum: Rational = of_side.iter().map(|data| self.mechanism.probability(output, **data)).sum();
                    sum / whole(of_side.len())
                };
                let (present, absent) = (mean(1), mean(0));
                let odds = match self.direction {
                    Direction::Presence => Bound::of(&present, &absent),
                    Direction::Absence => Bound::of(&absent, &present),
                };
                // For every entity, some answer does not lower the odds.
                let Some(odds) = odds.filter(|odds| *odds >= Bound::one()) else { continue };
                let found = self.measure.of(&belief, &odds);
                if best.as_ref().is_none_or(|best| found > best.0) {
                    let weight = whole(worlds.len()).recip();
                    let prior = Prior::Table(worlds.iter().map(|data| (*data, weight.clone())).collect());
                    best = Some((found, Witness::Prior { prior, entity, output, likelihoods: (present, absent) }));
                }
            }
        }
        best
    }

    /// An upper bound of the measure over all of them, given the worst one found. With three entities there are no
    /// other observers.
    pub(super) fn least_kept(self, low: &Bound) -> Bound {
        let common: Vec<Dataset> = (0..1 << self.mechanism.size()).collect();
        let mut segments = Vec::new();
        self.each(&common, &mut |worlds| {
            for (others, ends) in worlds.several.shares() {
                segments.extend(worlds.several.segments(others, ends));
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

/// Datasets that each have one entity more than a common dataset, or one less.
struct Worlds {
    output: usize,
    adds: bool,
    /// The worlds; the probability of each is the belief that its entity is in, or that it is out.
    several: SeveralWorlds,
    /// The moved entity and the dataset of each world, in the order of the worlds.
    each: Vec<(usize, Dataset)>,
}

impl Worlds {
    fn new(asked: Observers<'_>, output: usize, base: Dataset, adds: bool) -> Self {
        let Observers { mechanism, range, direction, measure } = asked;
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
        let (each, chances) = each.into_iter().map(|(t, data, chance)| ((t, data), chance)).unzip();
        Self { output, adds, several: SeveralWorlds { measure, range, own_on_top, chances }, each }
    }

    /// Replaces `best` by the worst of these observers, if that is worse.
    fn best(&self, best: &mut Option<(Bound, Witness)>) {
        let Some(WorstWeights { value, own, rest, weights }) = self.several.worst(best.as_ref().map(|best| &best.0))
        else {
            return;
        };
        let (entity, data) = self.each[0];
        let others = self.each[1..].iter().map(|(_, data)| *data).zip(weights);
        let worlds = others.chain([(data, own)]).filter(|(_, weight)| !weight.is_zero());
        let alone = self.several.chances[0].clone();
        let likelihoods = if self.adds { (alone, rest) } else { (rest, alone) };
        let prior = Prior::Table(worlds.collect());
        *best = Some((value, Witness::Prior { prior, entity, output: self.output, likelihoods }));
    }
}
