//! Independent entities with given beliefs: sums over all datasets, entity by entity.

use super::filter;
use super::gain::WorstObserver;
use super::largest_ratio::{LargestRatio, Place};
use super::numbers::one;
use super::pairs::WitnessedRatio;
use super::part::Part;
use super::sum;
use crate::family::Prior;
use crate::mechanism::{Column, Mechanism};
use crate::notion::{Direction, Sign};
use crate::verdict::Witness;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{NumAssign, One, ToPrimitive, Zero};

/// The largest likelihood ratio under the uniform prior (F-DN).
///
/// `Pr[o|t]` over `Pr[o|¬t]` is the sum of the column over datasets with `t` over the sum without `t`.
pub(super) fn uniform(mechanism: &Mechanism, direction: Direction) -> Option<WorstObserver> {
    let mut worst: Option<(Bound, usize, usize)> = None;
    for output in 0..mechanism.outputs().len() {
        let sums = match mechanism.table().column(output) {
            // At most 2^24 parts below 2^63 fit into 128 bits.
            Column::Parts { parts, .. } => best_sum(parts.iter().map(|part| u128::from(*part)).collect(), direction),
            Column::Fractions(values) => best_total(values, direction),
        };
        if let Some((ratio, t)) = sums
            && worst.as_ref().is_none_or(|(best, ..)| ratio > *best)
        {
            worst = Some((ratio, output, t));
        }
    }
    let (ratio, output, entity) = worst?;
    let beliefs = vec![fraction(1, 2); mechanism.size()];
    Some(observed(mechanism, ratio, Prior::Independent(beliefs), entity, output, direction))
}

/// The entity with the largest ratio of the column's sums with and without it, and the ratio.
fn best_sum<T: Part + NumAssign>(mut values: Vec<T>, direction: Direction) -> Option<(Bound, usize)> {
    let n = values.len().ilog2();
    let mut worst = LargestRatio::new();
    // The topmost entity splits the column in halves; their sum is the column of the other entities.
    for t in (0..n).rev() {
        let upper = values.split_off(values.len() / 2);
        let total = |half: &[T]| half.iter().cloned().fold(T::zero(), |sum, value| sum + value);
        let (with, without) = (total(&upper), total(&values));
        match direction {
            Direction::Presence => worst.offer(&with, &without, t as usize, 1, 0),
            Direction::Absence => worst.offer(&without, &with, t as usize, 0, 1),
        }
        for (low, high) in values.iter_mut().zip(upper) {
            *low += high;
        }
    }
    worst.found().map(|(ratio, place)| (ratio, place.output))
}

/// [`best_sum`] for arbitrary fractions: floats select candidate entities, whose sums are then computed exactly.
fn best_total(values: &[Rational], direction: Direction) -> Option<(Bound, usize)> {
    let n = values.len().ilog2() as usize;
    let halves = |t: usize| {
        let half = |present: u32| (0..values.len() as u32).filter(move |data| data >> t & 1 == present);
        match direction {
            Direction::Presence => (half(1), half(0)),
            Direction::Absence => (half(0), half(1)),
        }
    };
    let near = filter::floats(values).and_then(|floats| {
        let total = |half: &mut dyn Iterator<Item = u32>| half.map(|data| floats[data as usize]).sum::<f64>();
        let sums: Vec<(f64, f64)> = (0..n)
            .map(|t| {
                let (mut top, mut bottom) = halves(t);
                (total(&mut top), total(&mut bottom))
            })
            .collect();
        filter::nearest(|| (0..n).map(|t| Place { output: t, more: 0, less: 0 }), |place| sums[place.output])
    });
    let one = one();
    let exact =
        |half: &mut dyn Iterator<Item = u32>| sum::of_products(half.map(|data| (&one, values[data as usize].clone())));
    let all = (0..n).map(|t| Place { output: t, more: 0, less: 0 }).collect();
    let mut best: Option<(Bound, usize)> = None;
    for Place { output: t, .. } in near.unwrap_or(all) {
        let (mut top, mut bottom) = halves(t);
        if let Some(ratio) = Bound::of(&exact(&mut top), &exact(&mut bottom))
            && best.as_ref().is_none_or(|(best, _)| ratio > *best)
        {
            best = Some((ratio, t));
        }
    }
    best
}

/// A column as whole numbers over one denominator.
pub(crate) fn numerators(values: &[Rational]) -> (Vec<BigInt>, BigInt) {
    let common = values.iter().fold(BigInt::one(), |common, value| common.lcm(value.denom()));
    (values.iter().map(|value| value.numer() * (&common / value.denom())).collect(), common)
}

/// The largest ratio between datasets one entity apart, after every member is kept with probability `rate` (I-DPS).
pub(super) fn sampled(mechanism: &Mechanism, rate: &Rational, sign: Sign) -> Option<WitnessedRatio> {
    let mut found: Option<WitnessedRatio> = None;
    for output in 0..mechanism.outputs().len() {
        let worst = sampled_column(mechanism, output, rate, sign);
        if let Some((ratio, more, less)) = worst
            && found.as_ref().is_none_or(|found| ratio > found.ratio)
        {
            let of = |data| thinned(mechanism, output, data, rate);
            let witness = Witness::Datasets { output, more, less, probabilities: (of(more), of(less)) };
            found = Some(WitnessedRatio { ratio, witness });
        }
    }
    found
}

/// The largest likelihood ratio over priors that give each entity the belief `rate` or 0 (F-DFβ).
///
/// Let `g(T)` be the probability of the output when members of `T` are kept with probability β. Then `g(T∪t)` is
/// `β·Pr[o|t] + (1−β)·g(T)`, so the ratio is `(g(T∪t)/g(T) − 1 + β)/β`, largest where the ratio of `g` is.
pub(super) fn sampled_prior(mechanism: &Mechanism, rate: &Rational, direction: Direction) -> Option<WorstObserver> {
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let WitnessedRatio { ratio: _, witness } = sampled(mechanism, rate, sign)?;
    let Witness::Datasets { output, more, less, .. } = witness else { return None };
    let support = more | less;
    let entity = (more ^ less).trailing_zeros() as usize;
    let belief = |t: usize| if support >> t & 1 == 1 { rate.clone() } else { Rational::zero() };
    let prior = Prior::Independent((0..mechanism.size()).map(belief).collect());
    Some(conditioned(mechanism, prior, entity, output, direction))
}

/// `Pr[output]` when every member of a dataset is kept with probability `rate`.
fn thinned(mechanism: &Mechanism, output: usize, data: u32, rate: &Rational) -> Rational {
    let beliefs = (0..mechanism.size()).map(|t| if data >> t & 1 == 1 { rate.clone() } else { Rational::zero() });
    chance(mechanism, &Prior::Independent(beliefs.collect()).table(), output)
}

fn chance(mechanism: &Mechanism, table: &[(u32, Rational)], output: usize) -> Rational {
    sum::of_products(table.iter().map(|(data, weight)| (weight, mechanism.probability(output, *data))))
}

fn sampled_column(mechanism: &Mechanism, output: usize, rate: &Rational, sign: Sign) -> Option<(Bound, u32, u32)> {
    let n = mechanism.size();
    let small = |number: &BigInt| number.to_u128();
    if let (Column::Parts { of, parts }, Some(keep), Some(all)) =
        (mechanism.table().column(output), small(rate.numer()), small(rate.denom()))
        && all.checked_pow(n as u32 + 1).and_then(|scale| scale.checked_mul(u128::from(of))).is_some()
    {
        let values = parts.iter().map(|part| u128::from(*part)).collect();
        return best_step(thin(values, &keep, &(all - keep)), &all, sign);
    }
    if let Column::Fractions(values) = mechanism.table().column(output)
        && let Some(near) = filter::rate(rate)
            .zip(filter::floats(values))
            .and_then(|(rate, floats)| filter::steps(&thin(floats, &rate.0, &rate.1), sign))
    {
        let mut best: Option<(Bound, u32, u32)> = None;
        for Place { more, less, .. } in near {
            let of = |data| thinned(mechanism, output, data, rate);
            if let Some(ratio) = Bound::of(&of(more), &of(less))
                && best.as_ref().is_none_or(|(best, ..)| ratio > *best)
            {
                best = Some((ratio, more, less));
            }
        }
        return best;
    }
    let values = match mechanism.table().column(output) {
        Column::Parts { parts, .. } => parts.iter().map(|part| BigInt::from(*part)).collect(),
        Column::Fractions(values) => numerators(values).0,
    };
    best_step(thin(values, rate.numer(), &(rate.denom() - rate.numer())), rate.denom(), sign)
}

/// Yates' transform: `N(T) = Σ over S ⊆ T of keep^|S|·drop^|T∖S|·f(S)`, which is `(keep+drop)^|T|` times the
/// probability.
fn thin<T: NumAssign + Clone>(mut values: Vec<T>, keep: &T, drop: &T) -> Vec<T> {
    let mut width = 1;
    while width < values.len() {
        for block in values.chunks_exact_mut(2 * width) {
            let (without, with) = block.split_at_mut(width);
            for (low, high) in without.iter().zip(with) {
                *high *= keep.clone();
                *high += low.clone() * drop.clone();
            }
        }
        width *= 2;
    }
    values
}

/// The pair one entity apart with the largest ratio: `N(T∪t)` over `all·N(T)`, or the inverse.
fn best_step<T: Part + NumAssign>(values: Vec<T>, all: &T, sign: Sign) -> Option<(Bound, u32, u32)> {
    let mut worst = LargestRatio::new();
    for (data, value) in values.iter().enumerate() {
        let scaled = value.clone() * all.clone();
        for t in (0..values.len().ilog2()).filter(|t| data >> t & 1 == 0) {
            let with = data | 1 << t;
            if sign != Sign::Negative {
                worst.offer(&values[with], &scaled, 0, with as u32, data as u32);
            }
            if sign != Sign::Positive {
                worst.offer(&scaled, &values[with], 0, data as u32, with as u32);
            }
        }
    }
    worst.found().map(|(ratio, place)| (ratio, place.more, place.less))
}

/// The observer with this prior, and the likelihood ratio of the output for the entity.
fn conditioned(
    mechanism: &Mechanism,
    prior: Prior,
    entity: usize,
    output: usize,
    direction: Direction,
) -> WorstObserver {
    let (present, absent) = likelihoods(mechanism, &prior, entity, output);
    let ratio = match direction {
        Direction::Presence => Bound::of(&present, &absent),
        Direction::Absence => Bound::of(&absent, &present),
    };
    observed(mechanism, ratio.unwrap_or_else(Bound::one), prior, entity, output, direction)
}

fn observed(
    mechanism: &Mechanism,
    ratio: Bound,
    prior: Prior,
    entity: usize,
    output: usize,
    direction: Direction,
) -> WorstObserver {
    let likelihoods = likelihoods(mechanism, &prior, entity, output);
    let belief = match direction {
        Direction::Presence => prior.belief(entity),
        Direction::Absence => one() - prior.belief(entity),
    };
    WorstObserver { ratio, belief, witness: Witness::Prior { prior, entity, output, likelihoods } }
}

/// `Pr[o | t]` and `Pr[o | ¬t]` under a prior that is not certain of `t`.
pub(super) fn likelihoods(mechanism: &Mechanism, prior: &Prior, entity: usize, output: usize) -> (Rational, Rational) {
    let (with, without): (Vec<_>, Vec<_>) = prior.table().into_iter().partition(|(data, _)| data >> entity & 1 == 1);
    let belief = prior.belief(entity);
    let rest = one() - &belief;
    (chance(mechanism, &with, output) / &belief, chance(mechanism, &without, output) / rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::whole;

    #[test]
    fn thinning_is_the_sum_over_subsets() {
        // Two members, kept with probability 1/3: 4/9 for none, 2/9 for each alone, 1/9 for both.
        let values = thin(vec![BigInt::from(1), 10.into(), 100.into(), 1000.into()], &1.into(), &2.into());
        assert_eq!(values, [1, 2 + 10, 2 + 100, 4 + 20 + 200 + 1000].map(BigInt::from));
        assert_eq!(whole(thin(vec![9_u64, 0], &1, &1)[1]), whole(9));
    }
}
