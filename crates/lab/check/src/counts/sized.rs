//! F-DB[a,b] on counts: observers of a public size with beliefs in a range.
//!
//! Pairs suffice where certainty is allowed (Thm 4.8). Of two entities of which one is in, one has the belief `e` and
//! the other `1 − e`, so over a range the bound of B-3 is reached by those `e` whose complement is in the range too.
//! Otherwise observers with one of several entities in, or one out, give the lower end of a bracket; for mechanisms
//! with few datasets, all datasets are enumerated.

use super::candidates;
use super::decide::{entities, exchangeable};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use crate::decide::{
    CheckError, Measure, SeveralWorlds, WorstWeights, beliefs_fit, beliefs_of_two, gain_over, of_top, some_beliefs,
    some_observer as some_observer_of_table, vacuous,
};
use crate::family::{Family, OtherEntities};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{CountPlace, CountWitness, Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, whole};
use num_traits::{ToPrimitive, Zero};

/// Limit on the entities whose datasets are enumerated where pairs do not decide.
const MOST_EXPANDED: usize = 10;
/// Limit on the probabilities for a search over all counts; beyond it, only counts beside the worst pair are searched.
const MOST_PROBABILITIES: usize = 1 << 12;
/// Limit on the other worlds of one observer with uneven beliefs.
const MOST_OTHERS: usize = 12;
/// Limit on the numbers of candidates that are tried.
const MOST_AMONG: usize = 64;
/// Limit on the steps that decide whether a table with gaps has an observer.
const MOST_STEPS: usize = 1 << 22;

/// A measure over the observers of F-DB[a,b], in one direction.
#[derive(Clone, Copy)]
pub(super) struct SizedMeasure<'a> {
    pub(super) mechanism: &'a CountMechanism,
    pub(super) range: &'a PriorRange,
    pub(super) direction: Direction,
    pub(super) measure: Measure,
    /// The decision procedure for the same measure on a table.
    pub(super) on_table: fn(&Mechanism, Direction, &Family) -> Result<Verdict, CheckError>,
    /// The theorem that bounds the measure.
    pub(super) theorem: &'static str,
}

impl SizedMeasure<'_> {
    pub(super) fn decide(self, theorems: Vec<&'static str>) -> Result<Verdict, CheckError> {
        let Self { mechanism, range, direction, measure, theorem, .. } = self;
        if !some_observer(mechanism, range)? {
            return Ok(vacuous(measure.least(), theorems));
        }
        let found = search(mechanism, Pairs::Exchanged);
        let ratio = found.as_ref().map_or_else(Bound::one, |found| found.ratio.clone().max(Bound::one()));
        let own = of_top(range, direction);
        let high = match measure {
            Measure::Gain => ratio.map(|odds| gain_over(&own, odds), Bound::Infinite),
            Measure::Belief | Measure::Fall => measure.of(own.high(), &ratio),
        };
        // Observers of two datasets, with beliefs at the ends of the range.
        let inner = beliefs_of_two(range).filter(|_| found.is_some() || exchangeable(mechanism).is_some());
        let ends = inner.iter().flat_map(|inner| [inner.low(), inner.high()]);
        let ends = ends.filter(|end| !end.is_zero() && **end != whole(1));
        let pairs = ends.map(|end| measure.of(end, &ratio)).max();
        let pairs = pairs.map(|low| (low, found.as_ref().map(|found| found.witness.clone())));
        let low = match pairs {
            Some((low, witness)) if low == high => Some((low, witness)),
            pairs => {
                let common = self.common(found.as_ref().map(|found| &found.witness));
                let several = self.several(&common, pairs.as_ref().map(|pairs| &pairs.0));
                let best = several.map(|(low, witness)| (low, Some(witness))).or(pairs);
                let among = self.among(best.as_ref().map(|best| &best.0))?;
                among.map(|(low, witness)| (low, Some(witness))).or(best)
            }
        };
        // For every measure, the observer who learns least has a likelihood ratio of 1.
        let nothing = || [own.low(), own.high()].map(|end| measure.of(end, &Bound::one())).into_iter().min();
        let (mut low, witness) = low.unwrap_or_else(|| (nothing().unwrap_or_else(Bound::one), None));
        let mut high = high;
        if low != high
            && entities(mechanism) <= MOST_EXPANDED
            && let Ok(table) = mechanism.expand()
        {
            let all = (self.on_table)(&table, direction, &Family::Bounded(range.clone()))?.value;
            (low, high) = (all.low().clone(), all.high().clone());
        }
        let value = if low == high { Value::Attained(high) } else { Value::Between { low, high, theorem } };
        Ok(Verdict { value, witness, theorems })
    }

    /// The counts that are common to an observer's worlds; each world has one member more or one less.
    fn common(self, worst: Option<&Witness>) -> Vec<usize> {
        let mechanism = self.mechanism;
        if mechanism.cells().saturating_mul(mechanism.outputs().len()) <= MOST_PROBABILITIES {
            return (0..mechanism.cells()).collect();
        }
        match worst {
            Some(Witness::Counts(CountWitness { place: CountPlace::Datasets { more, less }, .. })) => {
                let between = |pick: fn(u32, u32) -> u32| {
                    let counts: Vec<u32> = more.iter().zip(less).map(|(more, less)| pick(*more, *less)).collect();
                    mechanism.cell(&counts)
                };
                vec![between(u32::min), between(u32::max)]
            }
            _ => exchangeable(mechanism)
                .map(|(cell, group)| vec![cell - mechanism.stride(group), cell + mechanism.stride(group)])
                .unwrap_or_default(),
        }
    }

    /// The worst observer of several worlds in which one entity is in, or one is out, if its value exceeds `above`.
    fn several(self, common: &[usize], above: Option<&Bound>) -> Option<(Bound, Witness)> {
        let mut best: Option<(Bound, Witness)> = None;
        for output in 0..self.mechanism.outputs().len() {
            for (base, adds) in common.iter().flat_map(|base| [(*base, true), (*base, false)]) {
                let worlds = self.worlds(output, base, adds);
                let worst = worlds.several.worst(best.as_ref().map(|best| &best.0).or(above));
                best = worst.map(|worst| worlds.witness(self.mechanism, worst)).or(best);
            }
        }
        best
    }

    fn worlds(self, output: usize, base: usize, adds: bool) -> Worlds {
        let Self { mechanism, range, direction, measure, .. } = self;
        let world = |group: usize| {
            let (count, stride) = (mechanism.count(base, group), mechanism.stride(group));
            let others = if adds { mechanism.groups()[group].size - count } else { count };
            if others == 0 {
                return None;
            }
            let cell = if adds { base + stride } else { base - stride };
            mechanism.gives(cell).then(|| (mechanism.probability(output, cell), group, others))
        };
        let mut each: Vec<(Rational, usize, u32)> = (0..mechanism.groups().len()).filter_map(world).collect();
        each.sort();
        let own_on_top = (direction == Direction::Presence) == adds;
        if own_on_top {
            each.reverse();
        }
        let range = if adds { range.clone() } else { range.of_absence() };
        let others = most_others(&range);
        let mut chances = Vec::new();
        let mut groups = Vec::new();
        if let Some((chance, group, count)) = each.first_mut() {
            *count -= 1;
            chances.push(chance.clone());
            groups.push(*group);
        }
        for (chance, group, count) in each.iter().rev() {
            let taken = (others + 1 - groups.len()).min(*count as usize);
            chances.extend(std::iter::repeat_n(chance.clone(), taken));
            groups.extend(std::iter::repeat_n(*group, taken));
        }
        Worlds { several: SeveralWorlds { measure, range, own_on_top, chances }, groups, output, base, adds }
    }

    /// The worst observer to whom one of `m` entities is in, with equal probabilities `1/m` in the range, if its value
    /// exceeds `above`.
    fn among(self, above: Option<&Bound>) -> Result<Option<(Bound, Witness)>, CheckError> {
        let Self { mechanism, range, direction, measure, .. } = self;
        let fewest = range.high().recip().ceil().to_integer().to_usize();
        let most = if range.low().is_zero() { None } else { range.low().recip().to_integer().to_usize() };
        let (fewest, most) = (fewest.unwrap_or(usize::MAX).max(2), most.unwrap_or(usize::MAX).min(entities(mechanism)));
        let tried = if mechanism.cells().saturating_mul(mechanism.outputs().len()) <= MOST_PROBABILITIES {
            MOST_AMONG
        } else {
            1
        };
        let first = (fewest..=most).take(tried);
        let last = (fewest..=most).next_back().filter(|last| *last >= fewest.saturating_add(tried));
        let mut best: Option<(Bound, Witness)> = None;
        for among in first.chain(last) {
            let Some(observed) = candidates::worst(mechanism, among, OtherEntities::Certain, direction)? else {
                continue;
            };
            let value = measure.of(&observed.belief, &observed.ratio.max(Bound::one()));
            if best.as_ref().map(|best| &best.0).or(above).is_none_or(|largest| value > *largest) {
                best = Some((value, observed.witness));
            }
        }
        Ok(best)
    }
}

/// The number of other worlds that may have a probability in the range.
fn most_others(range: &PriorRange) -> usize {
    let most = if range.low().is_zero() { range.high().recip().ceil() } else { range.low().recip() };
    most.to_integer().to_usize().unwrap_or(usize::MAX).min(MOST_OTHERS)
}

/// Worlds of which exactly one is true: counts with one member more than common ones, or one less.
struct Worlds {
    several: SeveralWorlds,
    /// The group of the entity of each world.
    groups: Vec<usize>,
    output: usize,
    base: usize,
    adds: bool,
}

impl Worlds {
    fn witness(&self, mechanism: &CountMechanism, worst: WorstWeights) -> (Bound, Witness) {
        let WorstWeights { value, own, rest, weights } = worst;
        let alone = self.several.chances[0].clone();
        let belief = |share: Rational| if self.adds { share } else { whole(1) - share };
        let worlds = self.groups.iter().copied().zip(std::iter::once(own).chain(weights));
        let candidates: Vec<(usize, Rational)> =
            worlds.filter(|(_, share)| !share.is_zero()).map(|(group, share)| (group, belief(share))).collect();
        let mut certain = mechanism.counts(self.base);
        if !self.adds {
            candidates.iter().for_each(|(group, _)| certain[*group] -= 1);
        }
        let probabilities = if self.adds { (alone, rest) } else { (rest, alone) };
        let witness = Witness::Counts(CountWitness {
            groups: mechanism.names(),
            output: mechanism.outputs()[self.output].clone(),
            place: CountPlace::Several { certain, candidates, one_is_in: self.adds },
            probabilities,
        });
        (value, witness)
    }
}

/// Whether the family has an observer: a prior that is uncertain of some entities, with beliefs in the range that sum to
/// a whole number, under which only counts with rows are possible.
pub(super) fn some_observer(mechanism: &CountMechanism, range: &PriorRange) -> Result<bool, CheckError> {
    let n = entities(mechanism);
    let given = |cell: &usize| mechanism.gives(*cell);
    // A range that is its own mirror contains one half, which two entities can have.
    let half = beliefs_of_two(range).is_some();
    if half && (exchangeable(mechanism).is_some() || search(mechanism, Pairs::Exchanged).is_some()) {
        return Ok(true);
    }
    if !some_beliefs(n, range) {
        return Ok(false);
    }
    if (0..mechanism.cells()).all(|cell| mechanism.gives(cell)) || some_within_a_group(mechanism, range) {
        return Ok(true);
    }
    if n <= MOST_EXPANDED
        && let Ok(table) = mechanism.expand()
    {
        return Ok(some_observer_of_table(&table, range));
    }
    // Every number of uncertain entities of each group, beside every count of certain members.
    let cells = mechanism.cells();
    if cells.saturating_mul(cells).saturating_mul(cells) > MOST_STEPS {
        return Err(CheckError::NotYet { what: "a range of priors on this many counts of which some have no row" });
    }
    let fit = |cell: usize, open: usize| {
        (0..mechanism.groups().len())
            .all(|group| mechanism.count(cell, group) + mechanism.count(open, group) <= mechanism.groups()[group].size)
    };
    let sum = |cell: usize| mechanism.counts(cell).iter().sum::<u32>() as usize;
    let within = |part: usize, open: usize| {
        (0..mechanism.groups().len()).all(|group| mechanism.count(part, group) <= mechanism.count(open, group))
    };
    Ok((0..cells).any(|open| {
        let sizes = (1..sum(open)).filter(|size| beliefs_fit(sum(open), *size, range));
        sizes.into_iter().any(|size| {
            (0..cells).filter(|sure| fit(*sure, open)).any(|sure| {
                let mut parts = (0..cells).filter(|part| sum(*part) == size && within(*part, open));
                parts.all(|part| given(&(sure + part)))
            })
        })
    }))
}

/// [`some_observer`] for observers who are uncertain of members of one group only: of `in + out` of them, `in` are in.
fn some_within_a_group(mechanism: &CountMechanism, range: &PriorRange) -> bool {
    // For each number of members in the data, the fewest uncertain entities out of it.
    let fewest_out = |inside: u32| {
        let inside = inside as usize;
        let most = whole(inside) / range.high();
        let least = (most.ceil().to_integer().to_usize()?.saturating_sub(inside)).max(1);
        (least..=least + 1).find(|out| beliefs_fit(inside + out, inside, range))
    };
    mechanism.groups().iter().enumerate().any(|(at, group)| {
        let mut fewest = usize::MAX;
        let fewest: Vec<usize> = (0..=group.size)
            .map(|inside| {
                fewest = fewest.min(if inside == 0 { usize::MAX } else { fewest_out(inside).unwrap_or(usize::MAX) });
                fewest
            })
            .collect();
        (0..mechanism.cells()).filter(|cell| mechanism.gives(*cell)).any(|cell| {
            let inside = mechanism.count(cell, at);
            fewest[inside as usize] <= (group.size - inside) as usize
        })
    })
}

pub(super) fn sign(direction: Direction) -> Sign {
    if direction == Direction::Presence { Sign::Positive } else { Sign::Negative }
}
