//! Crowd-blending privacy (I-CBP), after Gehrke, Hay, Lui and Pass.
//!
//! Two entities blend within `R` if exchanging one for the other moves no probability by more than that factor:
//! `A(D∪t)` and `A(D∪t')` are within `R`, both ways, for every dataset `D` that holds neither. A mechanism is
//! `(k, ε)`-crowd-blending private if for every dataset `T` and member `t`, either `t` blends within `e^ε` with at
//! least `k` members of `T`, itself included, or `A(T)` and `A(T∖t)` are within `e^ε`, both ways. The tight `e^ε` is
//! the largest, over `T` and `t`, of the smaller of the two: the ratio of the `k`-th best of the crowd, and that of
//! removal.
//!
//! Add/remove DP implies it by removal alone. Replace-one DP does not: with the exact size of the data all entities
//! blend with each other, but a dataset of fewer than `k` has no crowd. It survives post-processing, but neither
//! composition nor mixtures.

use super::error::{CheckError, complete};
use super::gain::vacuous;
use crate::mechanism::{Dataset, Mechanism};
use crate::verdict::{SeparatingOutput, Value, Verdict, Witness};
use deniable_core::exact::Bound;
use std::collections::HashSet;

pub(super) fn decide(mechanism: &Mechanism, crowd: usize) -> Result<Verdict, CheckError> {
    complete(mechanism)?;
    let n = mechanism.size();
    let exchanges = exchanges(mechanism);
    let crowds: Vec<Vec<usize>> = exchanges.iter().map(|ratios| best_first(ratios)).collect();
    let mut worst: Option<(Bound, Dataset, usize)> = None;
    for data in mechanism.datasets() {
        for entity in (0..n).filter(|t| data >> t & 1 == 1) {
            let beyond = |bound: &Bound| worst.as_ref().is_none_or(|(worst, ..)| bound > worst);
            let blends = match last_of_crowd(&crowds[entity], data, crowd) {
                Some(last) => exchanges[entity][last].clone(),
                None if crowd == 0 => Bound::one(),
                None => Bound::Infinite,
            };
            // The smaller of the two ratios counts: if either does not exceed the current maximum, neither does the
            // smaller.
            if !beyond(&blends) {
                continue;
            }
            let value = blends.min(removal(mechanism, data, entity));
            if beyond(&value) {
                worst = Some((value, data, entity));
            }
        }
    }
    let theorems = vec!["I-CBP"];
    if n == 0 {
        return Ok(vacuous(Bound::one(), theorems));
    }
    let Some((value, data, entity)) = worst.filter(|(value, ..)| *value > Bound::one()) else {
        return Ok(Verdict { value: Value::Attained(Bound::one()), witness: None, theorems });
    };
    let removed = widest(mechanism, [(data, data & !(1 << entity))].into_iter());
    let members = (0..n).filter(|t| data >> t & 1 == 1 && *t != entity);
    let far = members.filter(|other| exchanges[entity][*other] >= value);
    let outside = far.filter_map(|other| Some((other, widest(mechanism, exchanged(n, entity, other))?))).collect();
    let witness = removed.map(|removed| Witness::Crowd { entity, data, removed, outside });
    Ok(Verdict { value: Value::Attained(value), witness, theorems })
}

/// For each pair of entities, the largest ratio by which exchanging them changes a probability.
fn exchanges(mechanism: &Mechanism) -> Vec<Vec<Bound>> {
    let n = mechanism.size();
    let mut all = vec![vec![Bound::one(); n]; n];
    for (one, other) in (0..n).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let pairs = each_two_rows_once(mechanism, exchanged(n, one, other)).into_iter();
        let ratio = pairs.map(|(left, right)| both_ways(mechanism, left, right)).max().unwrap_or_else(Bound::one);
        all[other][one] = ratio.clone();
        all[one][other] = ratio;
    }
    all
}

/// All datasets with `one` and without `other`, each with its copy in which the two are exchanged.
fn exchanged(n: usize, one: usize, other: usize) -> impl Iterator<Item = (Dataset, Dataset)> {
    let neither = (0..1_u32 << n).filter(move |data| data >> one & 1 == 0 && data >> other & 1 == 0);
    neither.map(move |data| (data | 1 << one, data | 1 << other))
}

/// Keeps one pair of datasets for each pair of rows, where shared rows are known.
fn each_two_rows_once(
    mechanism: &Mechanism,
    pairs: impl Iterator<Item = (Dataset, Dataset)>,
) -> Vec<(Dataset, Dataset)> {
    let Some(kinds) = mechanism.kinds() else { return pairs.collect() };
    let mut seen = HashSet::new();
    pairs.filter(|(left, right)| seen.insert((kinds.of[*left as usize], kinds.of[*right as usize]))).collect()
}

/// All entities in order of how well the given one blends with them: itself first.
fn best_first(ratios: &[Bound]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ratios.len()).collect();
    order.sort_by(|left, right| ratios[*left].cmp(&ratios[*right]));
    order
}

/// The worst of the `crowd` members with whom an entity blends best; `None` for a crowd of 0, and where there are fewer
/// members.
fn last_of_crowd(best_first: &[usize], data: Dataset, crowd: usize) -> Option<usize> {
    best_first.iter().copied().filter(|member| data >> member & 1 == 1).nth(crowd.checked_sub(1)?)
}

fn removal(mechanism: &Mechanism, data: Dataset, entity: usize) -> Bound {
    both_ways(mechanism, data, data & !(1 << entity))
}

/// The largest ratio, in either direction, of an output's probabilities at two datasets.
fn both_ways(mechanism: &Mechanism, left: Dataset, right: Dataset) -> Bound {
    let outputs = 0..mechanism.outputs().len();
    let ratio = |output| Bound::apart(&mechanism.probability(output, left), &mechanism.probability(output, right));
    outputs.filter_map(ratio).max().unwrap_or_else(Bound::one)
}

/// The pair with the largest ratio, the larger probability first.
fn widest(mechanism: &Mechanism, pairs: impl Iterator<Item = (Dataset, Dataset)>) -> Option<SeparatingOutput> {
    let each = pairs.flat_map(|(left, right)| {
        (0..mechanism.outputs().len()).map(move |output| {
            let (one, other) = (mechanism.probability(output, left), mechanism.probability(output, right));
            let (more, less, probabilities) =
                if one >= other { (left, right, (one, other)) } else { (right, left, (other, one)) };
            SeparatingOutput { output, more, less, probabilities }
        })
    });
    let mut best: Option<(Bound, SeparatingOutput)> = None;
    for apart in each {
        let Some(ratio) = Bound::of(&apart.probabilities.0, &apart.probabilities.1) else { continue };
        if best.as_ref().is_none_or(|(best, _)| ratio > *best) {
            best = Some((ratio, apart));
        }
    }
    best.map(|(_, apart)| apart)
}
