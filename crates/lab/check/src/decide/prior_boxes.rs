//! Independent entities with a range of priors each (X-BOX): multilinear sums, which are largest at vertices.

use super::error::{CheckError, complete};
use super::gain::vacuous;
use super::gain::{gain_over, reached_inside};
use super::largest_ratio::LargestRatio;
use super::numbers::one;
use super::product::{likelihoods, numerators};
use super::public_size::of_top;
use crate::family::Prior;
use crate::mechanism::{Column, Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction, whole};
use num_bigint::BigInt;
use num_integer::Integer;

/// Membership privacy over a box: for each entity the gain over its own range (B-3) of the largest likelihood ratio
/// that the ranges of the others allow.
pub(super) fn decide(
    mechanism: &Mechanism,
    ranges: &[PriorRange],
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    theorems.push(if direction == Direction::Presence { "B-3" } else { "B-3n" });
    let mut worst: Option<(Bound, bool, &Vertex, Rational)> = None;
    let vertices = vertices(mechanism, ranges, direction)?;
    for vertex in &vertices {
        let own = of_top(&ranges[vertex.entity], direction);
        let gain = vertex.ratio.map(|ratio| gain_over(&own, ratio), Bound::Infinite);
        let attained = reached_inside(&own, &vertex.ratio);
        let better = |best: &(Bound, bool, &Vertex, Rational)| (&gain, attained) > (&best.0, best.1);
        if worst.as_ref().is_none_or(better) {
            let belief = if attained { reaching(&own, &vertex.ratio) } else { inside(&own) };
            worst = Some((gain, attained, vertex, belief));
        }
    }
    let Some((gain, attained, vertex, belief)) = worst else {
        return Ok(vacuous(Bound::one(), theorems));
    };
    let witness = Some(vertex.witness(mechanism, ranges, direction, &belief));
    Ok(Verdict { value: if attained { Value::Attained(gain) } else { Value::Approached(gain) }, witness, theorems })
}

/// The end of the range that has the largest gain.
pub(crate) fn reaching(range: &PriorRange, ratio: &Bound) -> Rational {
    let Bound::Finite(ratio) = ratio else { return inside(range) };
    let ends = [range.low(), range.high()].into_iter().filter(|end| **end > whole(0) && **end < one());
    ends.max_by_key(|end| deniable_core::belief::tight_gain(end, ratio)).cloned().unwrap_or_else(|| inside(range))
}

/// An uncertain belief of the range.
pub(crate) fn inside(range: &PriorRange) -> Rational {
    (range.low() + range.high()) * fraction(1, 2)
}

/// The vertex of beliefs in other entities at which the likelihood ratio of an entity is largest.
pub(super) struct Vertex {
    pub(super) entity: usize,
    /// The likelihood ratio, presence over absence or the reverse.
    pub(super) ratio: Bound,
    output: usize,
    /// The entities in which the observer's belief is at the upper end of its range.
    upper: Dataset,
}

impl Vertex {
    /// The observer at this vertex whose belief in the event on top of the ratio is `belief`.
    pub(super) fn witness(
        &self,
        mechanism: &Mechanism,
        ranges: &[PriorRange],
        direction: Direction,
        belief: &Rational,
    ) -> Witness {
        let own = if direction == Direction::Presence { belief.clone() } else { one() - belief };
        let end = |(t, range): (usize, &PriorRange)| {
            if t == self.entity {
                own.clone()
            } else if self.upper >> t & 1 == 1 {
                range.high().clone()
            } else {
                range.low().clone()
            }
        };
        let prior = Prior::Independent(ranges.iter().enumerate().map(end).collect());
        let likelihoods = likelihoods(mechanism, &prior, self.entity, self.output);
        Witness::Prior { prior, entity: self.entity, output: self.output, likelihoods }
    }
}

/// For every entity, the largest likelihood ratio over all outputs and all beliefs of the box in the other entities.
///
/// `Pr[o|t]` and `Pr[o|¬t]` are multilinear in the beliefs in other entities, so along one belief their ratio is a
/// Möbius function: it is largest at an end (where both vanish at one end, the ratio is constant up to the other).
pub(super) fn vertices(
    mechanism: &Mechanism,
    ranges: &[PriorRange],
    direction: Direction,
) -> Result<Vec<Vertex>, CheckError> {
    let n = mechanism.size();
    if ranges.len() != n {
        return Err(CheckError::Ranges { found: ranges.len(), expected: n });
    }
    complete(mechanism)?;
    let ends: Vec<Ends> = ranges.iter().map(Ends::of).collect();
    let mut worst: Vec<LargestRatio<BigInt>> = vec![LargestRatio::new(); n];
    for output in 0..mechanism.outputs().len() {
        let values = match mechanism.table().column(output) {
            Column::Parts { parts, .. } => parts.iter().map(|part| BigInt::from(*part)).collect(),
            Column::Fractions(values) => numerators(values).0,
        };
        at_ends(values, &ends, 0..n, &mut |t, values| {
            let bit = 1 << t;
            for (others, absent) in values.iter().enumerate().filter(|(data, _)| data & bit == 0) {
                let present = &values[others | bit];
                let (top, bottom) =
                    if direction == Direction::Presence { (present, absent) } else { (absent, present) };
                worst[t].offer(top, bottom, output, others as Dataset, 0);
            }
        });
    }
    let found = worst.into_iter().enumerate().filter_map(|(entity, worst)| {
        let (ratio, place) = worst.found()?;
        Some(Vertex { entity, ratio, output: place.output, upper: place.more })
    });
    Ok(found.collect())
}

/// The ends of a range as whole parts of one denominator.
struct Ends {
    low: BigInt,
    high: BigInt,
    of: BigInt,
}

impl Ends {
    fn of(range: &PriorRange) -> Self {
        let of = range.low().denom().lcm(range.high().denom());
        let parts = |end: &Rational| end.numer() * (&of / end.denom());
        Self { low: parts(range.low()), high: parts(range.high()), of: of.clone() }
    }

    /// Replaces the sums without and with entity `t` by the sums with belief in it at the lower and at the upper end.
    fn mix(&self, values: &mut [BigInt], t: usize) {
        let width = 1 << t;
        for block in values.chunks_exact_mut(2 * width) {
            let (without, with) = block.split_at_mut(width);
            for (low, high) in without.iter_mut().zip(with) {
                let at = |end: &BigInt| &*low * (&self.of - end) + &*high * end;
                let both = (at(&self.low), at(&self.high));
                (*low, *high) = both;
            }
        }
    }
}

/// Calls `hand` for every entity of `left` with the values where all other entities are at the ends of their ranges.
///
/// Halving the remaining entities shares the work: `n·log n·2^n` steps for a column.
fn at_ends(values: Vec<BigInt>, ends: &[Ends], left: std::ops::Range<usize>, hand: &mut impl FnMut(usize, &[BigInt])) {
    if left.len() <= 1 {
        left.for_each(|t| hand(t, &values));
        return;
    }
    let middle = left.start + left.len() / 2;
    for (keep, mix) in [(left.start..middle, middle..left.end), (middle..left.end, left.start..middle)] {
        let mut mixed = values.clone();
        mix.for_each(|t| ends[t].mix(&mut mixed, t));
        at_ends(mixed, ends, keep, hand);
    }
}
