//! Replaces several quantiles of one value by a tree of noisy counts if that is more accurate than selecting each
//! separately.
//!
//! Selecting one of m quantiles by its rank (M-PF) with a share ln R / m errs by about `1.5·m/ln R` rows. The tree errs
//! by about `√cost/(2·ln R)` rows, for the cost of its [`Shape`], whatever the number of quantiles; where it is more
//! accurate, its intervals are narrower too. Both factors are measured (`quantiles` of the bench crate). The choice
//! depends on public numbers only.

use super::aggregate::CollectedMeasures;
use deniable_core::noise::tree::Shape;
use deniable_query::{Estimator, Measure, MeasureKind, QuantileShare, Target};
use std::collections::BTreeMap;

/// Replaces the quantiles of one argument and level by a tree if that is more accurate.
pub(super) fn gather(collected: &mut CollectedMeasures) {
    let mut wanted: BTreeMap<(usize, usize), Vec<(QuantileShare, usize)>> = BTreeMap::new();
    for (position, measure) in collected.measures.iter().enumerate() {
        if let MeasureKind::Ranked { argument, target: Target::Share(share) } = measure.kind {
            wanted.entry((measure.level, argument)).or_default().push((share, position));
        }
    }
    // For each old measure, the new measure and the position in it.
    let mut moved: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut trees: Vec<Measure> = Vec::new();
    for ((level, argument), mut quantiles) in wanted {
        let Some(grid) = &collected.arguments[argument].grid else { continue };
        let size = grid.high.abs_diff(grid.low) + 1;
        if !tree_is_better(quantiles.len() as u64, size) {
            continue;
        }
        quantiles.sort_by_key(|(share, _)| share.part * 1_000_000 / share.whole);
        let weight = quantiles.iter().map(|(_, old)| collected.measures[*old].weight.clone()).sum();
        for (position, (_, old)) in quantiles.iter().enumerate() {
            moved.insert(*old, (trees.len(), position));
        }
        let shares = quantiles.into_iter().map(|(share, _)| share).collect();
        trees.push(Measure { kind: MeasureKind::Tree { argument, shares }, unit: grid.unit.clone(), level, weight });
    }
    if trees.is_empty() {
        return;
    }
    let kept: Vec<usize> = (0..collected.measures.len()).filter(|old| !moved.contains_key(old)).collect();
    let place = |old: usize| match moved.get(&old) {
        Some((tree, _)) => kept.len() + tree,
        None => kept.iter().position(|kept| *kept == old).unwrap_or(old),
    };
    for answer in collected.answers.iter_mut().flatten() {
        let position = match answer {
            Estimator::Quantile { measure, .. } => moved.get(measure).map(|(_, position)| *position),
            _ => None,
        };
        *answer = answer.clone().moved(place);
        if let (Estimator::Quantile { position: current, .. }, Some(position)) = (answer, position) {
            *current = position;
        }
    }
    let mut measures: Vec<Measure> = kept.iter().map(|old| collected.measures[*old].clone()).collect();
    measures.extend(trees);
    collected.measures = measures;
}

/// Whether the expected error of the tree is smaller, both squared and in units of 1/(2·ln R).
fn tree_is_better(quantiles: u64, size: u64) -> bool {
    let each = u128::from(quantiles) * 3;
    quantiles > 1 && Shape::for_size(size).cost() < each * each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_quantile_uses_ranks_and_many_use_a_tree() {
        assert!(!tree_is_better(1, 2));
        assert!(tree_is_better(2, 10));
        assert!(!tree_is_better(2, 94) && tree_is_better(4, 94));
        assert!(!tree_is_better(4, 10_000) && tree_is_better(9, 10_000));
        assert!(!tree_is_better(9, 1 << 20) && tree_is_better(19, 1 << 20));
    }
}
