//! Whether a family of priors is scalable (LQS13 Definitions 3.5 and 3.9): closed under making one uncertain belief
//! arbitrarily small, or large, by scaling the datasets with and without the entity.
//!
//! On a downward scalable family the gain of PMP is the likelihood ratio (Theorem 3.6), on an upward scalable one the
//! gain of NMP is (Theorem 3.10). For the named families the answer is known, with a prior that leaves the family if it
//! is not scalable. Explicit priors and their mixtures form a closed set, and scaled priors approach the prior given
//! that the entity is out (in): the family is scalable exactly if that limit is a mixture again. The prior of a mixture
//! given `¬t` is a mixture of the priors given `¬t`, so it is enough to test each of the explicit priors.

use crate::decide::beliefs_of_two;
use crate::family::{Family, Prior};
use crate::mechanism::Dataset;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the explicit priors: each, scaled about each entity, is an exact linear program with as many unknowns.
const MAX_PRIORS: usize = 32;

/// The direction in which beliefs are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Towards 0, for PMP: presence is the numerator.
    Down,
    /// Towards 1, for NMP: absence is the numerator.
    Up,
}

/// The obstacle to scaling a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// No uncertain belief of the family is beyond this value.
    Range(Rational),
    /// Scaling one belief down scales others up, out of the range.
    Others,
    /// Scaled about this entity, this explicit prior (counted from 0) does not approach a mixture of them.
    Prior {
        /// Its position in the list.
        prior: usize,
        /// The entity.
        entity: usize,
    },
}

/// Too many explicit priors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{found} given priors are too many: the limit is {MAX_PRIORS}")]
pub struct TooManyPriors {
    /// The number of priors.
    pub found: usize,
}

/// The reason why the family is not scalable; `None` if it is, which includes families without uncertain entities.
///
/// # Errors
/// When there are too many given priors.
pub fn obstacle(family: &Family, entities: usize, scale: Scale) -> Result<Option<Obstacle>, TooManyPriors> {
    let of_range = |range: &PriorRange| {
        let (end, limit) = match scale {
            Scale::Down => (range.low(), whole(0)),
            Scale::Up => (range.high(), whole(1)),
        };
        (*end != limit).then(|| Obstacle::Range(end.clone()))
    };
    Ok(match family {
        Family::Bounded(range) if !any_of_size(range, entities) => None,
        Family::OneOfTwo(range) if entities < 2 || beliefs_of_two(range).is_none() => None,
        Family::OneOf(among) | Family::OneOfRest(among) if entities < *among => None,
        Family::All | Family::Groups(_) => None,
        Family::Independent(range) | Family::TwoDatasets(range) => of_range(range),
        Family::Box(ranges) => ranges.iter().find_map(of_range),
        // Given the size, all beliefs depend on each other: a range with one end also stops the others at it.
        Family::Bounded(range) | Family::OneOfTwo(range) => {
            of_range(range).or_else(|| (!range.is_any()).then_some(Obstacle::Others))
        }
        Family::OneOf(among) | Family::OneOfRest(among) => Some(Obstacle::Range(whole(*among).recip())),
        Family::Uniform => Some(Obstacle::Range(whole(2).recip())),
        Family::Sampled(rate) if rate.is_zero() || rate.is_one() => None,
        Family::Sampled(rate) => Some(Obstacle::Range(rate.clone())),
        Family::Explicit(priors) => return of_priors(priors, entities, scale),
    })
}

/// Whether some beliefs in the range sum to a whole number: then their mean, repeated as often, does too.
fn any_of_size(range: &PriorRange, entities: usize) -> bool {
    (2..=entities).any(|uncertain| {
        let least = (range.low() * whole(uncertain)).ceil().max(whole(1));
        least <= range.high() * whole(uncertain) && least < whole(uncertain)
    })
}

fn of_priors(priors: &[Prior], entities: usize, scale: Scale) -> Result<Option<Obstacle>, TooManyPriors> {
    if priors.len() > MAX_PRIORS {
        return Err(TooManyPriors { found: priors.len() });
    }
    // A dataset may be listed twice.
    let summed = |prior: &Prior| {
        let mut sums: BTreeMap<Dataset, Rational> = BTreeMap::new();
        for (data, mass) in prior.table() {
            *sums.entry(data).or_insert_with(Rational::zero) += mass;
        }
        sums
    };
    let tables: Vec<BTreeMap<Dataset, Rational>> = priors.iter().map(summed).collect();
    for (prior, table) in tables.iter().enumerate() {
        for entity in 0..entities {
            let kept = || table.iter().filter(|(data, _)| (*data >> entity & 1 == 1) == (scale == Scale::Up));
            let sum: Rational = kept().map(|(_, mass)| mass).sum();
            // The entity is certain: there is nothing to scale, or the belief is at the limit already.
            if sum.is_zero() || sum.is_one() {
                continue;
            }
            let limit = kept().map(|(data, mass)| (*data, mass / &sum)).collect();
            if !is_mixture(&tables, &limit) {
                return Ok(Some(Obstacle::Prior { prior, entity }));
            }
        }
    }
    Ok(None)
}

/// Whether a mixture of the priors with non-negative weights is the wanted one.
fn is_mixture(priors: &[BTreeMap<Dataset, Rational>], wanted: &BTreeMap<Dataset, Rational>) -> bool {
    // Both sides have probabilities that sum to 1, so the weights sum to 1 too.
    has_solution(equations(priors, wanted), priors.len())
}

/// The equations of a mixture: one for each dataset, with the wanted probability last.
fn equations(priors: &[BTreeMap<Dataset, Rational>], wanted: &BTreeMap<Dataset, Rational>) -> Vec<Vec<Rational>> {
    let all: BTreeSet<Dataset> = priors.iter().chain([wanted]).flat_map(BTreeMap::keys).copied().collect();
    let row = |data: &Dataset| {
        let masses = priors.iter().chain([wanted]).map(|table| table.get(data).cloned());
        masses.map(|mass| mass.unwrap_or_else(Rational::zero)).collect()
    };
    independent(all.iter().map(row), priors.len() + 1)
}

/// Whether linear equations, each with its right side last, have a solution without negative numbers: the first phase
/// of the simplex method, in exact arithmetic, with Bland's rule for termination.
fn has_solution(mut rows: Vec<Vec<Rational>>, unknowns: usize) -> bool {
    for row in rows.iter_mut().filter(|row| row[unknowns].is_negative()) {
        row.iter_mut().for_each(|cell| *cell = -&*cell);
    }
    // The initial basis has an artificial variable for each equation. They are numbered after the unknowns and never
    // re-enter.
    let mut basis: Vec<usize> = (unknowns..unknowns + rows.len()).collect();
    // The decrease of the sum of artificial variables per unit of each unknown; the last entry is the sum itself.
    let mut gain: Vec<Rational> = (0..=unknowns).map(|column| rows.iter().map(|row| &row[column]).sum()).collect();
    while let Some(column) = (0..unknowns).find(|column| gain[*column].is_positive()) {
        let limits = rows.iter().enumerate().filter(|(_, row)| row[column].is_positive());
        let limits = limits.map(|(at, row)| (&row[unknowns] / &row[column], basis[at], at));
        let Some((.., leaving)) = limits.min() else { return false };
        let scale = rows[leaving][column].clone();
        rows[leaving].iter_mut().for_each(|cell| *cell /= &scale);
        let pivot = rows[leaving].clone();
        let others = rows.iter_mut().enumerate().filter(|(at, _)| *at != leaving).map(|(_, row)| row);
        for row in others.chain([&mut gain]) {
            let factor = row[column].clone();
            if !factor.is_zero() {
                row.iter_mut().zip(&pivot).for_each(|(cell, pivot)| *cell -= &factor * pivot);
            }
        }
        basis[leaving] = column;
    }
    gain[unknowns].is_zero()
}

/// An independent subset of these equations with the same solutions: no more of them than columns.
fn independent(all: impl Iterator<Item = Vec<Rational>>, columns: usize) -> Vec<Vec<Rational>> {
    let mut kept: Vec<(usize, Vec<Rational>)> = Vec::new();
    for mut row in all {
        for (column, known) in &kept {
            let factor = &row[*column] / &known[*column];
            if !factor.is_zero() {
                row.iter_mut().zip(known).for_each(|(cell, known)| *cell -= &factor * known);
            }
        }
        if let Some(column) = (0..columns).find(|column| !row[*column].is_zero()) {
            kept.push((column, row));
        }
    }
    kept.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::it::common_dice::Dice;
    use deniable_core::exact::ratio;

    /// By Carathéodory's theorem, a mixture of priors is also a mixture of affinely independent ones among them, whose
    /// weights are unique: every set is tried.
    fn by_all_sets(rows: &[Vec<Rational>], unknowns: usize) -> bool {
        (0..1_usize << unknowns).any(|chosen| {
            let chosen: Vec<usize> = (0..unknowns).filter(|at| chosen >> at & 1 == 1).collect();
            let part = |row: &Vec<Rational>| chosen.iter().chain([&unknowns]).map(|at| row[*at].clone()).collect();
            let weights = unique(rows.iter().map(part).collect(), chosen.len());
            weights.is_some_and(|weights| weights.iter().all(|weight| !weight.is_negative()))
        })
    }

    /// The unique solution of linear equations, each with its right side last; `None` when there is no solution, or
    /// several.
    fn unique(mut rows: Vec<Vec<Rational>>, unknowns: usize) -> Option<Vec<Rational>> {
        for column in 0..unknowns {
            let pivot = (column..rows.len()).find(|row| !rows[*row][column].is_zero())?;
            rows.swap(column, pivot);
            let scale = rows[column][column].clone();
            rows[column].iter_mut().for_each(|cell| *cell /= &scale);
            let pivot = rows[column].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != column) {
                let factor = row[column].clone();
                row.iter_mut().zip(&pivot).for_each(|(cell, pivot)| *cell -= &factor * pivot);
            }
        }
        let rest = rows.get(unknowns..).unwrap_or_default();
        rest.iter()
            .all(|row| row[unknowns].is_zero())
            .then(|| rows.iter().take(unknowns).map(|row| row[unknowns].clone()).collect())
    }

    #[test]
    fn a_solution_is_found_where_some_set_of_unknowns_has_one() {
        let mut dice = Dice::new(44);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2_000 {
            let (equations, unknowns) = (dice.between(1, 4) as usize, dice.between(1, 5) as usize);
            let small = dice.between(1, 3);
            let mut rows: Vec<Vec<Rational>> = (0..equations)
                .map(|_| (0..=unknowns).map(|_| ratio(dice.between(-small, small), dice.between(1, 2))).collect())
                .collect();
            if dice.between(0, 1) == 0 {
                // A right side that some weights have.
                let weights: Vec<i64> = (0..unknowns).map(|_| dice.between(0, 2)).collect();
                for row in &mut rows {
                    row[unknowns] = (0..unknowns).map(|at| &row[at] * whole(weights[at])).sum();
                }
            }
            let kept = independent(rows.into_iter(), unknowns + 1);
            let expected = by_all_sets(&kept, unknowns);
            assert_eq!(has_solution(kept.clone(), unknowns), expected, "{kept:?}");
            *if expected { &mut yes } else { &mut no } += 1;
        }
        assert!(yes > 400 && no > 400, "{yes} {no}");
    }
}
