//! Independent entities with a range of priors each, equal within a group (X-BOX): the largest ratio has some members
//! of each group at the upper end and the rest at the lower end, and which members does not matter.

use super::decide::{complete, entities};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use super::weighted::{RatioBracket, bracket, occupied};
use crate::decide::{CheckError, LargestRatio, gain_over, inside, numerators, of_top, reached_inside, reaching};
use crate::mechanism::{Column, Dataset};
use crate::notion::{Direction, Sign};
use crate::verdict::{CountPlace, CountWitness, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Bound, Rational, power, whole};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

/// Limit on the steps of exact sums, in words of 64 bits: a few seconds.
const MOST_STEPS: usize = 1 << 27;

/// The largest ratio for a member of one group, and the observer that attains it.
pub(super) struct Corner {
    pub(super) group: usize,
    /// Lower and upper bound; equal where the ratio is exact.
    pub(super) ratio: (Bound, Bound),
    place: Place,
}

enum Place {
    /// An output, and the number of other members of each group at the upper end.
    Upper(usize, Vec<u32>),
    /// A witness found by another search.
    Told(Box<Witness>),
}

/// The range of each group. Fails where a group has several.
pub(super) fn by_group(mechanism: &CountMechanism, ranges: &[PriorRange]) -> Result<Vec<PriorRange>, CheckError> {
    if ranges.len() != entities(mechanism) {
        return Err(CheckError::Ranges { found: ranges.len(), expected: entities(mechanism) });
    }
    let mut rest = ranges;
    let mut all = Vec::new();
    for group in &mechanism.groups {
        let (own, others) = rest.split_at(group.size as usize);
        if own.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(CheckError::NotYet { what: "a box of different ranges within a group" });
        }
        all.push(own.first().cloned().unwrap_or_else(PriorRange::any));
        rest = others;
    }
    Ok(all)
}

/// For a member of every group, the largest likelihood ratio over all outputs and all beliefs in the other entities.
pub(super) fn corners(
    mechanism: &CountMechanism,
    ranges: &[PriorRange],
    direction: Direction,
) -> Result<Vec<Corner>, CheckError> {
    complete(mechanism)?;
    if steps(mechanism, ranges) > MOST_STEPS {
        return far(mechanism, ranges, direction);
    }
    let columns: Vec<Vec<BigInt>> = (0..mechanism.outputs.len())
        .map(|output| match mechanism.table.column(output) {
            Column::Parts { parts, .. } => parts.iter().map(|part| BigInt::from(*part)).collect(),
            Column::Fractions(values) => numerators(values).0,
        })
        .collect();
    let mut all = Vec::new();
    for group in occupied(mechanism) {
        let mut worst = LargestRatio::new();
        let sizes: Vec<u32> =
            mechanism.groups.iter().enumerate().map(|(at, each)| each.size - u32::from(at == group)).collect();
        for (output, values) in columns.iter().enumerate() {
            let sums = |with: bool| Sums::new(mechanism, values, group, with).at_ends(&sizes, ranges);
            let (present, absent) = (sums(true), sums(false));
            for (upper, (present, absent)) in present.iter().zip(&absent).enumerate() {
                let (top, bottom) =
                    if direction == Direction::Presence { (present, absent) } else { (absent, present) };
                worst.offer(top, bottom, output, upper as Dataset, 0);
            }
        }
        let Some((ratio, place)) = worst.found() else { continue };
        let mut left = place.more;
        let upper = sizes.iter().map(|size| {
            let digit = left % (size + 1);
            left /= size + 1;
            digit
        });
        let place = Place::Upper(place.output, upper.collect());
        all.push(Corner { group, ratio: (ratio.clone(), ratio), place });
    }
    Ok(all)
}

/// For sums too large to be exact. The ratio of pairs is the upper bound, as it bounds all independent priors; the
/// lower bound has all beliefs at one end.
fn far(mechanism: &CountMechanism, ranges: &[PriorRange], direction: Direction) -> Result<Vec<Corner>, CheckError> {
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let Some(pairs) = search(mechanism, Pairs::OneMore(sign)) else { return Ok(Vec::new()) };
    let occupied: Vec<usize> = occupied(mechanism).collect();
    let range = &ranges[occupied.first().copied().unwrap_or(0)];
    if occupied.iter().any(|group| ranges[*group] != *range) {
        return Err(CheckError::NotYet { what: "a box of different ranges on this many counts" });
    }
    let corner = |ratio, place| vec![Corner { group: occupied.first().copied().unwrap_or(0), ratio, place }];
    if range.is_any() {
        // All other beliefs may be certain, or nearly so.
        return Ok(corner((pairs.ratio.clone(), pairs.ratio), Place::Told(Box::new(pairs.witness))));
    }
    let ends = [range.low(), range.high()].into_iter().filter(|end| !end.is_zero() && !end.is_one());
    let mut low: Option<(Bound, Witness)> = None;
    for end in ends {
        if let RatioBracket::Bracket { low: found, .. } = bracket(mechanism, end, direction)
            && low.as_ref().is_none_or(|(ratio, _)| found.ratio > *ratio)
        {
            low = Some((found.ratio, found.witness));
        }
    }
    let Some((low, witness)) = low else { return Ok(Vec::new()) };
    Ok(corner((low, pairs.ratio.max(Bound::one())), Place::Told(Box::new(witness))))
}

/// Approximate number of words that are multiplied.
fn steps(mechanism: &CountMechanism, ranges: &[PriorRange]) -> usize {
    let members = entities(mechanism);
    let bits = ranges.iter().map(|range| common(range).bits() as usize).max().unwrap_or(1);
    let words = 1 + members.saturating_mul(bits) / 64;
    let lines: usize = mechanism.groups.iter().map(|group| group.size as usize + 1).sum();
    let each = mechanism.cells().saturating_mul(lines).saturating_mul(words);
    each.saturating_mul(2 * mechanism.outputs.len() * mechanism.groups.len())
}

fn common(range: &PriorRange) -> BigInt {
    range.low().denom().lcm(range.high().denom())
}

/// Sums over the other entities, group by group: first indexed by counts, then by the number of members at the upper
/// end.
struct Sums {
    values: Vec<BigInt>,
}

impl Sums {
    /// The values where one member of `group` is certainly in, or certainly out.
    fn new(mechanism: &CountMechanism, values: &[BigInt], group: usize, with: bool) -> Self {
        let size = mechanism.groups[group].size;
        let stride = mechanism.stride(group);
        let kept = (0..values.len()).filter(|cell| mechanism.count(*cell, group) < size);
        Self { values: kept.map(|cell| values[cell + if with { stride } else { 0 }].clone()).collect() }
    }

    fn at_ends(mut self, sizes: &[u32], ranges: &[PriorRange]) -> Vec<BigInt> {
        let mut stride = 1;
        for (size, range) in sizes.iter().zip(ranges) {
            let weights = weights(*size as usize, range);
            let length = *size as usize + 1;
            let starts = (0..self.values.len()).filter(|cell| (cell / stride).is_multiple_of(length));
            for start in starts.collect::<Vec<_>>() {
                let line = || (0..length).map(|count| start + count * stride);
                let sums: Vec<BigInt> = weights
                    .iter()
                    .map(|weights| line().zip(weights).map(|(cell, weight)| &self.values[cell] * weight).sum())
                    .collect();
                line().zip(sums).for_each(|(cell, sum)| self.values[cell] = sum);
            }
            stride *= length;
        }
        self.values
    }
}

/// For each number `u` of the `size` members at the upper end, the probability of each number of members in the data:
/// the coefficients of `(1−a+ax)^(size−u)·(1−b+bx)^u`, times a power of the common denominator.
fn weights(size: usize, range: &PriorRange) -> Vec<Vec<BigInt>> {
    let of = common(range);
    let parts = |end: &Rational| end.numer() * (&of / end.denom());
    let (low, high) = (parts(range.low()), parts(range.high()));
    let mut row = vec![BigInt::one()];
    for _ in 0..size {
        row = times(&row, &low, &of);
    }
    let mut all = vec![row.clone()];
    for _ in 0..size {
        row = times(&over(&row, &low, &of), &high, &of);
        all.push(row.clone());
    }
    all
}

/// Multiplies the polynomial by `of − end + end·x`.
fn times(row: &[BigInt], end: &BigInt, of: &BigInt) -> Vec<BigInt> {
    let rest = of - end;
    let mut next = vec![BigInt::zero(); row.len() + 1];
    for (at, value) in row.iter().enumerate() {
        next[at] += value * &rest;
        next[at + 1] += value * end;
    }
    next
}

/// Divides the polynomial by `of − end + end·x`, without remainder.
fn over(row: &[BigInt], end: &BigInt, of: &BigInt) -> Vec<BigInt> {
    let rest = of - end;
    if rest.is_zero() {
        return row[1..].iter().map(|value| value / end).collect();
    }
    let mut before = BigInt::zero();
    let each = row[..row.len() - 1].iter().map(|value| {
        before = (value - end * &before) / &rest;
        before.clone()
    });
    each.collect()
}

impl Corner {
    /// Lower and upper bound of the gain over the range of the group (B-3), whether an observer attains it, and that
    /// observer's belief.
    pub(super) fn gain(&self, ranges: &[PriorRange], direction: Direction) -> (Bound, Bound, bool, Rational) {
        let own = of_top(&ranges[self.group], direction);
        let gain = |ratio: &Bound| ratio.map(|ratio| gain_over(&own, ratio), Bound::Infinite);
        let attained = reached_inside(&own, &self.ratio.1);
        let belief = if attained { reaching(&own, &self.ratio.1) } else { inside(&own) };
        (gain(&self.ratio.0), gain(&self.ratio.1), attained, belief)
    }

    /// The observer whose belief in the event on top of the ratio is `belief`.
    pub(super) fn witness(
        self,
        mechanism: &CountMechanism,
        ranges: &[PriorRange],
        direction: Direction,
        belief: &Rational,
    ) -> Witness {
        let (output, upper) = match self.place {
            Place::Upper(output, upper) => (output, upper),
            Place::Told(witness) => return *witness,
        };
        let own = if direction == Direction::Presence { belief.clone() } else { whole(1) - belief };
        let sizes = mechanism.groups.iter().enumerate();
        let sizes: Vec<u32> = sizes.map(|(at, each)| each.size - u32::from(at == self.group)).collect();
        let chance = |group: usize, count: u32| -> Rational {
            let (range, size) = (&ranges[group], sizes[group]);
            let scale = power(&whole(common(range)), size);
            let row = weights(size as usize, range).swap_remove(upper[group] as usize);
            whole(row[count as usize].clone()) / scale
        };
        let each: Vec<Vec<Rational>> =
            (0..sizes.len()).map(|group| (0..=sizes[group]).map(|count| chance(group, count)).collect()).collect();
        let likelihood = |with: u32| -> Rational {
            let weight = |cell: usize| -> Option<Rational> {
                let mut counts = mechanism.counts(cell);
                counts[self.group] = counts[self.group].checked_sub(with)?;
                counts.iter().zip(&each).map(|(count, each)| each.get(*count as usize).cloned()).product()
            };
            let terms =
                (0..mechanism.cells()).filter_map(|cell| Some(weight(cell)? * mechanism.probability(output, cell)));
            terms.sum()
        };
        Witness::Counts(CountWitness {
            groups: mechanism.names(),
            output: mechanism.outputs[output].clone(),
            place: CountPlace::Ends {
                ends: ranges.iter().map(|range| (range.low().clone(), range.high().clone())).collect(),
                upper,
                belief: own,
                group: self.group,
            },
            probabilities: (likelihood(1), likelihood(0)),
        })
    }
}
