//! Independent entities with one given belief each: a sum over datasets is a sum over counts with binomial weights.

use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use super::scaled::Interval;
use crate::decide::{CheckError, LargestRatio, Part, WitnessedRatio, WorstObserver, numerators};
use crate::mechanism::Column;
use crate::notion::{Direction, Sign};
use crate::verdict::Witness;
use crate::verdict::{CountPlace, CountWitness};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, power, ratio as fraction, whole};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Limit on the entities whose binomial weights are summed exactly.
const MOST_EXACT: usize = 4096;
/// Limit on the digits of an exact sum, over all weights: a few seconds.
const MOST_WORK: usize = 1 << 27;
/// Limit on the steps of an exact sampling transform.
const MOST_STEPS: usize = 1 << 23;

/// The arithmetic of weights: exact, or with intervals.
trait Weight: Clone {
    fn of(value: u64) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    /// Division; exact numbers are only divided without remainder.
    fn over(&self, divisor: u64) -> Self;
}

impl Weight for BigInt {
    fn of(value: u64) -> Self {
        value.into()
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn over(&self, divisor: u64) -> Self {
        self / divisor
    }
}

impl Weight for Interval {
    fn of(value: u64) -> Self {
        Self::of(value)
    }

    fn times(&self, other: &Self) -> Self {
        Self::times(*self, *other)
    }

    fn plus(&self, other: &Self) -> Self {
        Self::plus(*self, *other)
    }

    fn over(&self, divisor: u64) -> Self {
        Self::over(*self, divisor)
    }
}

/// The largest likelihood ratio: exact, or between a lower and an upper bound.
pub(super) enum RatioBracket {
    Exact(Option<WorstObserver>),
    Bracket { low: WorstObserver, high: Bound },
}

/// The largest likelihood ratio under the uniform prior (F-DN).
pub(super) fn uniform(mechanism: &CountMechanism, direction: Direction) -> RatioBracket {
    let total: usize = mechanism.groups.iter().map(|group| group.size as usize).sum();
    let work = mechanism.cells().saturating_mul(mechanism.groups.len()).saturating_mul(total.max(1));
    if total <= MOST_EXACT && work <= MOST_WORK {
        RatioBracket::Exact(exact(mechanism, direction))
    } else {
        bracket(mechanism, &fraction(1, 2), direction)
    }
}

/// The weights of all cells given that one entity of `group` is in, and given that it is out: the number of datasets,
/// times the odds of every other member, which are 1 for a belief of one half.
///
/// The other entities of its group number `size − 1`, so `C(size−1, c−1)` datasets have `c` members of the group
/// including it, and `C(size−1, c)` have `c` members without it.
fn weights<T: Weight>(mechanism: &CountMechanism, group: usize, odds: &T) -> (Vec<T>, Vec<T>) {
    let sizes = mechanism.groups.iter().enumerate();
    let tables: Vec<Vec<T>> = sizes.map(|(at, other)| binomials(other.size - u32::from(at == group), odds)).collect();
    let one = T::of(1);
    let zero = T::of(0);
    let both = (0..mechanism.cells()).map(|cell| {
        let counts = mechanism.counts(cell);
        let others = (0..tables.len()).filter(|at| *at != group);
        let others = others.fold(one.clone(), |product, at| product.times(&tables[at][counts[at] as usize]));
        let own = |count: Option<u32>| {
            let weight = count.and_then(|count| tables[group].get(count as usize));
            weight.map_or_else(|| zero.clone(), |weight| weight.times(&others))
        };
        (own(counts[group].checked_sub(1)), own(Some(counts[group])))
    });
    both.unzip()
}

/// `C(size, 0)` to `C(size, size)`, each times `odds` to the power of the count.
fn binomials<T: Weight>(size: u32, odds: &T) -> Vec<T> {
    let mut all = vec![T::of(1)];
    for count in 0..u64::from(size) {
        let next = all[all.len() - 1].times(&T::of(u64::from(size) - count)).times(odds).over(count + 1);
        all.push(next);
    }
    all
}

fn sum<T: Weight>(weights: &[T], values: &[T]) -> T {
    weights.iter().zip(values).fold(T::of(0), |sum, (weight, value)| sum.plus(&weight.times(value)))
}

pub(super) fn exact(mechanism: &CountMechanism, direction: Direction) -> Option<WorstObserver> {
    let columns: Vec<(Vec<BigInt>, BigInt)> = (0..mechanism.outputs.len())
        .map(|output| match mechanism.table.column(output) {
            Column::Parts { of, parts } => (parts.iter().map(|part| BigInt::from(*part)).collect(), of.into()),
            Column::Fractions(values) => numerators(values),
        })
        .collect();
    let mut worst = LargestRatio::new();
    let mut likelihoods = Vec::new();
    for group in occupied(mechanism) {
        let (with, without) = weights::<BigInt>(mechanism, group, &BigInt::one());
        for (output, (values, of)) in columns.iter().enumerate() {
            let (present, absent) = (sum(&with, values), sum(&without, values));
            let place = likelihoods.len() as u32;
            match direction {
                Direction::Presence => worst.offer(&present, &absent, output, place, 0),
                Direction::Absence => worst.offer(&absent, &present, output, place, 0),
            }
            let all = of << (total(mechanism) - 1);
            likelihoods.push((group, Rational::new(present, all.clone()), Rational::new(absent, all)));
        }
    }
    let (ratio, place) = worst.found()?;
    let (group, present, absent) = likelihoods.swap_remove(place.more as usize);
    let belief = fraction(1, 2);
    let witness = prior_witness(mechanism, place.output, everybody(mechanism), &belief, group, (present, absent));
    Some(WorstObserver { ratio, belief, witness })
}

/// Bounds of every likelihood ratio by interval arithmetic, where each entity is in with probability `belief`, not 0 or
/// 1.
pub(super) fn bracket(mechanism: &CountMechanism, belief: &Rational, direction: Direction) -> RatioBracket {
    let rest = whole(1) - belief;
    let odds = Interval::of_rational(&(belief / &rest));
    // The factor of the prior of all other entities that the weights leave out.
    let scale = Interval::of_rational(&rest).power(total(mechanism).saturating_sub(1));
    let of_side = if direction == Direction::Presence { belief.clone() } else { rest };
    let mut low: Option<WorstObserver> = None;
    let mut high = Bound::one();
    let columns: Vec<Vec<Interval>> = (0..mechanism.outputs.len())
        .map(|output| match mechanism.table.column(output) {
            Column::Parts { parts, .. } => parts.iter().map(|part| Interval::of(*part)).collect(),
            Column::Fractions(values) => values.iter().map(Interval::of_rational).collect(),
        })
        .collect();
    for group in occupied(mechanism) {
        let (with, without) = weights::<Interval>(mechanism, group, &odds);
        for (output, values) in columns.iter().enumerate() {
            let of = match mechanism.table.column(output) {
                Column::Parts { of, .. } => whole(of),
                Column::Fractions(_) => whole(1),
            };
            let (present, absent) = (sum(&with, values), sum(&without, values));
            let (top, bottom) = match direction {
                Direction::Presence => (present, absent),
                Direction::Absence => (absent, present),
            };
            if top.high.is_zero() {
                continue;
            }
            let at_most =
                if bottom.low.is_zero() { Bound::Infinite } else { Bound::Finite(top.high.ratio(bottom.low)) };
            high = high.max(at_most);
            let ends = (top.times(scale).low.rational() / &of, bottom.times(scale).high.rational() / &of);
            let Some(at_least) = Bound::of(&ends.0, &ends.1) else { continue };
            if low.as_ref().is_none_or(|low| at_least > low.ratio) {
                let likelihoods = match direction {
                    Direction::Presence => ends,
                    Direction::Absence => (ends.1, ends.0),
                };
                let everybody = everybody(mechanism);
                let witness = prior_witness(mechanism, output, everybody, belief, group, likelihoods);
                low = Some(WorstObserver { ratio: at_least, belief: of_side.clone(), witness });
            }
        }
    }
    match low {
        Some(low) => RatioBracket::Bracket { low, high },
        None => RatioBracket::Exact(None),
    }
}

/// Groups with at least one entity.
pub(super) fn occupied(mechanism: &CountMechanism) -> impl Iterator<Item = usize> + use<> {
    let sizes: Vec<u32> = mechanism.groups.iter().map(|group| group.size).collect();
    (0..sizes.len()).filter(move |group| sizes[*group] > 0)
}

fn total(mechanism: &CountMechanism) -> usize {
    mechanism.groups.iter().map(|group| group.size as usize).sum()
}

fn everybody(mechanism: &CountMechanism) -> Vec<u32> {
    mechanism.groups.iter().map(|group| group.size).collect()
}

fn prior_witness(
    mechanism: &CountMechanism,
    output: usize,
    possible: Vec<u32>,
    belief: &Rational,
    group: usize,
    probabilities: (Rational, Rational),
) -> Witness {
    Witness::Counts(CountWitness {
        groups: mechanism.names(),
        output: mechanism.outputs[output].clone(),
        place: CountPlace::Prior { possible, belief: belief.clone(), group },
        probabilities,
    })
}

/// A pair of counts one apart after sampling.
struct Step {
    output: usize,
    more: usize,
    less: usize,
    /// `Pr[output]` at both counts, after sampling.
    probabilities: (Rational, Rational),
}

/// The largest ratio between datasets one entity apart, after every member is kept with probability `rate` (I-DPS).
pub(super) fn sampled(
    mechanism: &CountMechanism,
    rate: &Rational,
    sign: Sign,
) -> Result<Option<WitnessedRatio>, CheckError> {
    let found = best_step(mechanism, rate, sign)?;
    Ok(found.map(|(ratio, step)| {
        let place = CountPlace::Datasets { more: mechanism.counts(step.more), less: mechanism.counts(step.less) };
        let witness = Witness::Counts(CountWitness {
            groups: mechanism.names(),
            output: mechanism.outputs[step.output].clone(),
            place,
            probabilities: step.probabilities,
        });
        WitnessedRatio { ratio, witness }
    }))
}

/// The largest likelihood ratio over priors that give each entity the belief `rate` or 0 (F-DFβ). It is attained where
/// the ratio after sampling is largest: see `decide::product`.
pub(super) fn sampled_prior(
    mechanism: &CountMechanism,
    rate: &Rational,
    direction: Direction,
) -> Result<RatioBracket, CheckError> {
    // Certain entities learn nothing.
    if rate.is_zero() || rate.is_one() {
        return Ok(RatioBracket::Exact(None));
    }
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    if too_many_steps(mechanism) {
        // The lower bound is the prior in which every entity may be in; the upper bound is the ratio of pairs, which
        // bounds all independent priors.
        let pairs = search(mechanism, Pairs::OneMore(sign)).map_or_else(Bound::one, |found| found.ratio);
        return Ok(match bracket(mechanism, rate, direction) {
            RatioBracket::Bracket { low, .. } => RatioBracket::Bracket { low, high: pairs.max(Bound::one()) },
            nothing @ RatioBracket::Exact(_) => nothing,
        });
    }
    let Some((_, step)) = best_step(mechanism, rate, sign)? else { return Ok(RatioBracket::Exact(None)) };
    let (cell, less) = if direction == Direction::Presence { (step.more, step.less) } else { (step.less, step.more) };
    let (with, absent) = match direction {
        Direction::Presence => step.probabilities,
        Direction::Absence => (step.probabilities.1, step.probabilities.0),
    };
    let present = (with - (whole(1) - rate) * &absent) / rate;
    let (ratio, belief) = match direction {
        Direction::Presence => (Bound::of(&present, &absent), rate.clone()),
        Direction::Absence => (Bound::of(&absent, &present), whole(1) - rate),
    };
    let group = (0..mechanism.groups.len())
        .find(|group| cell - less == mechanism.stride(*group) && mechanism.groups[*group].size > 0);
    let possible = mechanism.counts(cell);
    let witness = prior_witness(mechanism, step.output, possible, rate, group.unwrap_or(0), (present, absent));
    Ok(RatioBracket::Exact(Some(WorstObserver { ratio: ratio.unwrap_or_else(Bound::one), belief, witness })))
}

fn too_many_steps(mechanism: &CountMechanism) -> bool {
    let largest = mechanism.groups.iter().map(|group| group.size as usize).max().unwrap_or(0);
    mechanism.cells().saturating_mul(largest).saturating_mul(mechanism.groups.len()) > MOST_STEPS
}

fn best_step(mechanism: &CountMechanism, rate: &Rational, sign: Sign) -> Result<Option<(Bound, Step)>, CheckError> {
    if too_many_steps(mechanism) {
        return Err(CheckError::NotYet { what: "sampling of this many counts" });
    }
    let (keep, all) = (rate.numer(), rate.denom());
    let mut best: Option<(Bound, Step)> = None;
    for output in 0..mechanism.outputs.len() {
        let (values, of) = match mechanism.table.column(output) {
            Column::Parts { of, parts } => (parts.iter().map(|part| BigInt::from(*part)).collect(), of.into()),
            Column::Fractions(values) => numerators(values),
        };
        let values = thin(mechanism, values, keep, all);
        let mut worst = LargestRatio::new();
        for group in occupied(mechanism) {
            let stride = mechanism.stride(group);
            for less in (0..values.len()).filter(|cell| mechanism.count(*cell, group) < mechanism.groups[group].size) {
                let (more, scaled) = (less + stride, &values[less] * all);
                if sign != Sign::Negative {
                    worst.offer(&values[more], &scaled, output, more as u32, less as u32);
                }
                if sign != Sign::Positive {
                    worst.offer(&scaled, &values[more], output, less as u32, more as u32);
                }
            }
        }
        let Some((ratio, place)) = worst.found() else { continue };
        if best.as_ref().is_none_or(|(largest, _)| ratio > *largest) {
            let chance = |cell: usize| {
                let members: u32 = mechanism.counts(cell).iter().sum();
                values[cell].rational() / (whole(of.clone()) * power(&whole(all.clone()), members))
            };
            let (more, less) = (place.more as usize, place.less as usize);
            best = Some((ratio, Step { output, more, less, probabilities: (chance(more), chance(less)) }));
        }
    }
    Ok(best)
}

/// `N(s) = Σ over c ≤ s of Π C(s_g, c_g)·keep^c_g·(all − keep)^(s_g − c_g)·f(c)`: the probability times `all^s`, group
/// by group.
///
/// With `f_0 = f` and `f_{j+1}(c) = (all − keep)·f_j(c) + keep·f_j(c+1)`, `N(s) = f_s(0)`: every step decides one
/// member.
fn thin(mechanism: &CountMechanism, mut values: Vec<BigInt>, keep: &BigInt, all: &BigInt) -> Vec<BigInt> {
    let drop = all - keep;
    for (at, group) in mechanism.groups.iter().enumerate() {
        let stride = mechanism.stride(at);
        for start in (0..values.len()).filter(|cell| mechanism.count(*cell, at) == 0) {
            let line = (0..=group.size as usize).map(|count| start + count * stride);
            let mut left: Vec<BigInt> = line.clone().map(|cell| std::mem::take(&mut values[cell])).collect();
            for cell in line {
                values[cell] = left[0].clone();
                for count in 1..left.len() {
                    left[count - 1] = &left[count - 1] * &drop + &left[count] * keep;
                }
                left.pop();
            }
        }
    }
    values
}
