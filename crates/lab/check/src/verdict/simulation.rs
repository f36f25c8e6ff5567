//! Proofs of a value of zero-knowledge privacy, both bounds, and their exact arithmetic.
//!
//! **Upper bound**: the simulators themselves. **Lower bound**: weights `λ` and `μ` on the bounds that a simulator of
//! entity `t` must satisfy, `Pr[o|T] ≤ R·q(o)` and `q(o) ≤ R·Pr[o|T]`, where `q` is the simulator's distribution at `T`
//! without `t`. Their sum is
//!
//! `Σ λ·Pr[o|T]/R − R·Σ μ·Pr[o|T] + Σ (μ−λ)·q(o) ≤ 0`.
//!
//! `q` is an average of the simulator's distributions `s_σ` over the possible samples. So the last sum is
//! `Σ_σ Σ_o c_σ(o)·s_σ(o)` for known numbers `c`, and at least `−C` with `C = −Σ_σ min_o c_σ(o)`, for every simulator.
//! With `A = Σ λ·Pr[o|T]` and `M = Σ μ·Pr[o|T]`, every possible `R` has `M·R² + C·R ≥ A`. This holds for any weights,
//! however they were found.

use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, Rounding, square_root, whole};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Decimals of roots in lower bounds.
const PLACES: u32 = 24;

/// Proofs of both bounds of a value of zero-knowledge privacy (I-ZKP).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    /// The kind of sample that the simulator sees.
    pub sight: Sight,
    /// The entity with the largest lower bound.
    pub entity: usize,
    /// The proof that no simulator for this entity is better.
    pub weights: Vec<Weight>,
    /// For every entity and every set of members that the simulator may see, its distribution of answers. Empty if no
    /// simulator is within a finite factor.
    pub simulators: Vec<Vec<(Dataset, Vec<Rational>)>>,
}

/// The weights of the two bounds at one dataset and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// The dataset `T`, with the entity or without it.
    pub data: Dataset,
    /// The output `o`, by its position in the mechanism's outputs.
    pub output: usize,
    /// `λ`, of `Pr[o|T] ≤ R·q(o)`; at least 0.
    pub above: Rational,
    /// `μ`, of `q(o) ≤ R·Pr[o|T]`; at least 0.
    pub below: Rational,
}

/// The sample of the data without its entity that a simulator sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// A number of random members, or all of them if they are fewer (I-ZKP).
    Members(usize),
    /// A number of random rows out of as many as the universe has entities; a row is its entity or, if that is not in,
    /// ⊥ (I-ZKR).
    Rows(usize),
}

impl Sight {
    /// The largest number of members in the sample.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Members(rows) | Self::Rows(rows) => rows,
        }
    }

    /// Each possible sample of a dataset of `entities` rows, with its probability.
    pub(crate) fn samples(self, entities: usize, data: Dataset) -> Vec<(Dataset, Rational)> {
        let members = data.count_ones() as usize;
        let (rows, missing) = match self {
            Self::Members(rows) => (rows.min(members), 0),
            Self::Rows(rows) => (rows.min(entities), entities.saturating_sub(members)),
        };
        let all = whole(choose(members + missing, rows));
        let fewest = rows.saturating_sub(missing);
        // The rest of the sample consists of ⊥ rows, which are all equal.
        let shares: Vec<Rational> = (fewest..=rows).map(|size| whole(choose(missing, rows - size)) / &all).collect();
        let mut seen = Vec::new();
        subsets(data, 0, fewest..=rows, &mut seen);
        seen.into_iter().map(|subset| (subset, shares[subset.count_ones() as usize - fewest].clone())).collect()
    }
}

/// Adds `chosen` with each subset of `rest` that gives it an allowed size, the largest number first.
fn subsets(rest: Dataset, chosen: Dataset, sizes: RangeInclusive<usize>, found: &mut Vec<Dataset>) {
    let size = chosen.count_ones() as usize;
    if size == *sizes.end() || rest == 0 {
        found.extend(sizes.contains(&size).then_some(chosen));
        return;
    }
    let next: Dataset = 1 << rest.ilog2();
    subsets(rest & !next, chosen | next, sizes.clone(), found);
    if size + (rest & !next).count_ones() as usize >= *sizes.start() {
        subsets(rest & !next, chosen, sizes, found);
    }
}

/// The number of subsets of `part` elements out of `of`.
fn choose(of: usize, part: usize) -> BigInt {
    (0..part).fold(BigInt::from(1), |all, at| all * (of - at) / (at + 1))
}

impl Simulation {
    /// A lower bound of the ratio of every simulator for the entity.
    #[must_use]
    pub fn lower(&self, mechanism: &Mechanism) -> Bound {
        least_ratio(mechanism, self.entity, self.sight, &self.weights)
    }

    /// The ratio of the simulators to the mechanism; infinite if one is missing.
    #[must_use]
    pub fn upper(&self, mechanism: &Mechanism) -> Bound {
        if self.simulators.len() != mechanism.size() {
            return Bound::Infinite;
        }
        let each = self.simulators.iter().enumerate();
        let ratio = |(entity, simulator): (usize, &Vec<(Dataset, Vec<Rational>)>)| {
            kept_ratio(mechanism, entity, self.sight, simulator)
        };
        each.map(ratio).max().unwrap_or_else(Bound::one)
    }
}

/// The largest ratio of one simulator to the mechanism, over all datasets.
pub(crate) fn kept_ratio(
    mechanism: &Mechanism,
    entity: usize,
    sight: Sight,
    simulator: &[(Dataset, Vec<Rational>)],
) -> Bound {
    let answers: BTreeMap<Dataset, &Vec<Rational>> = simulator.iter().map(|(seen, answer)| (*seen, answer)).collect();
    let is_distribution = |answer: &Vec<Rational>| {
        answer.len() == mechanism.outputs().len()
            && answer.iter().all(|part| !part.is_negative())
            && answer.iter().sum::<Rational>() == whole(1)
    };
    if !answers.values().all(|answer| is_distribution(answer)) {
        return Bound::Infinite;
    }
    let mut worst = Bound::one();
    // A pair of datasets is visited once, whichever of the two is given.
    let of_two = |others: &Dataset| [*others, *others | 1 << entity].into_iter().filter(|data| mechanism.gives(*data));
    let all = (0..1 << mechanism.size()).filter(|data| data >> entity & 1 == 0 && of_two(data).next().is_some());
    for others in all {
        let seen = sight.samples(mechanism.size(), others);
        let answer = |(seen, share)| Some((answers.get(seen)?, share));
        let Some(each) = seen.iter().map(|(seen, share)| answer((seen, share))).collect::<Option<Vec<_>>>() else {
            return Bound::Infinite;
        };
        for output in 0..mechanism.outputs().len() {
            let simulated = each.iter().map(|(answer, share)| &answer[output] * *share).sum::<Rational>();
            for data in of_two(&others) {
                let real = mechanism.probability(output, data);
                for ratio in [Bound::of(&simulated, &real), Bound::of(&real, &simulated)].into_iter().flatten() {
                    worst = worst.max(ratio);
                }
            }
        }
    }
    worst
}

/// The lower bound of the ratio that the weights prove; at least 1, as all ratios are.
pub(crate) fn least_ratio(mechanism: &Mechanism, entity: usize, sight: Sight, weights: &[Weight]) -> Bound {
    if weights.iter().any(|weight| weight.above.is_negative() || weight.below.is_negative()) {
        return Bound::one();
    }
    let probability = |weight: &Weight| mechanism.probability(weight.output, weight.data);
    let above: Rational = weights.iter().map(|weight| &weight.above * probability(weight)).sum();
    let below: Rational = weights.iter().map(|weight| &weight.below * probability(weight)).sum();
    let costs = costs(mechanism, entity, sight, weights);
    let least = |costs: &Vec<Rational>| costs.iter().min().cloned().unwrap_or_else(Rational::zero);
    let missing = -costs.values().map(least).sum::<Rational>();
    positive_root(&below, &missing, &above).max(Bound::one())
}

/// `c_σ(o)`: the contribution of a unit of the simulator's answer `o` at sample `σ` to the weighted sum of its bounds.
pub(crate) fn costs(
    mechanism: &Mechanism,
    entity: usize,
    sight: Sight,
    weights: &[Weight],
) -> BTreeMap<Dataset, Vec<Rational>> {
    let mut costs: BTreeMap<Dataset, Vec<Rational>> = BTreeMap::new();
    for weight in weights {
        let each = &weight.below - &weight.above;
        for (seen, share) in sight.samples(mechanism.size(), weight.data & !(1 << entity)) {
            let empty = || vec![Rational::zero(); mechanism.outputs().len()];
            costs.entry(seen).or_insert_with(empty)[weight.output] += &each * share;
        }
    }
    costs
}

/// The value below which `square·R² + linear·R < constant` for every `R > 0`; `square` and `constant` are at least 0.
///
/// The left side minus the right is convex and at most 0 at 0, so it is below 0 up to its positive root.
fn positive_root(square: &Rational, linear: &Rational, constant: &Rational) -> Bound {
    if square.is_zero() {
        if linear.is_positive() {
            return Bound::Finite(constant / linear);
        }
        let never = constant.is_positive() || linear.is_negative();
        return if never { Bound::Infinite } else { Bound::Finite(whole(0)) };
    }
    let under = linear * linear + whole(4) * square * constant;
    // Of the two forms of the root, the one that adds numbers of the same sign keeps its digits.
    Bound::Finite(if linear.is_positive() {
        whole(2) * constant / (linear + square_root(&under, PLACES, Rounding::Up))
    } else {
        (square_root(&under, PLACES, Rounding::Down) - linear) / (whole(2) * square)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn samples_have_their_probabilities() {
        let seen = |sight: Sight, data| sight.samples(4, data).into_iter().map(|(seen, _)| seen).collect::<Vec<_>>();
        assert_eq!(seen(Sight::Members(2), 0b101), [0b101]);
        assert_eq!(seen(Sight::Members(2), 0b1011), [0b1010, 0b1001, 0b0011]);
        assert_eq!((seen(Sight::Members(0), 0b11), seen(Sight::Members(3), 0)), (vec![0], vec![0]));
        // Two of four rows, of which two are ⊥: both members, one of them with a ⊥, or two ⊥.
        let shares = [(0b101, ratio(1, 6)), (0b100, ratio(1, 3)), (0b001, ratio(1, 3)), (0, ratio(1, 6))];
        assert_eq!(Sight::Rows(2).samples(4, 0b101), shares);
        assert_eq!(Sight::Rows(9).samples(4, 0b101), [(0b101, whole(1))]);
    }

    #[test]
    fn roots_are_never_above() {
        let root = |a: i64, b: i64, c: i64| positive_root(&whole(a), &whole(b), &whole(c));
        assert_eq!(root(1, -1, 6), Bound::Finite(whole(3)));
        assert_eq!(root(1, 1, 6), Bound::Finite(whole(2)));
        assert_eq!(root(0, 2, 3), Bound::Finite(ratio(3, 2)));
        assert_eq!((root(0, 0, 1), root(0, -1, 0)), (Bound::Infinite, Bound::Infinite));
        assert_eq!(root(0, 0, 0), Bound::Finite(whole(0)));
        for linear in [-3, 0, 3] {
            let Bound::Finite(found) = root(7, linear, 5) else { panic!("infinite") };
            let value = |root: &Rational| whole(7) * root * root + whole(linear) * root - whole(5);
            assert!(!value(&found).is_positive() && value(&(found + ratio(1, 1_000_000_000))).is_positive());
        }
    }
}
