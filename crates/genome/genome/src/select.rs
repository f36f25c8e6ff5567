//! The M most associated SNPs, picked so that nobody's participation shows (G-3).
//!
//! Three ways, of which the first is the good one:
//!
//! | way | what is compared | cost of one more pick |
//! |---|---|---|
//! | [`by_score`] | the true distance score of G-2: whole, sensitivity 1 | picks share `R`, scores do not grow with it |
//! | [`by_statistic`] | χ² itself on a declared grid, with its sensitivity of G-1 | the same, over a sensitivity near 4 to 8 |
//! | [`by_noise`] | χ² with two-sided geometric noise; the M largest are named | the same: noise for `2M` sensitivities |
//!
//! What is released is the ordered list of names, no score and no statistic. `R` is the odds ratio of all picks together.
//!
//! **Exponential mechanism** ([`by_score`], [`by_statistic`]; M-EXP). A pick takes SNP `i` of those left with weight
//! `r̂^(best − score_i)`, `r̂ ≥ R^(−1/(2MΔ))`. Between neighbouring cohorts no score moves by more than Δ, so a weight moves
//! by at most `r̂^−Δ` and their sum by as much again: one pick has odds of at most `r̂^−2Δ ≤ R^(1/M)` whatever was picked
//! before. The picks before are part of the output, so the odds of all M multiply to at most `R` (C-1).
//!
//! **Noise** ([`by_noise`]). All statistics get noise *once*, from decay `r̂ ≥ R^(−1/(2MΔ))`, and the M largest are named. Let
//! a cohort yield the list `L`, and hold the noise of all SNPs outside `L` fixed. In a neighbouring cohort, shift the noise
//! of each `i ∈ L` by `v_i − v'_i + Δ`: its noisy value is then exactly Δ higher than before, so the order within `L` stays,
//! and whoever is outside rose by at most Δ and stays behind, in a tie too, because ties go by place. That shift is one to
//! one and moves M draws by at most 2Δ each, so probabilities by at most `r̂^(−2MΔ) ≤ R`. Releasing the noisy values as well
//! would void this: ask [`crate::noisy`] for fresh ones. Perturbing anew for each pick ("peeling") needs the same noise.
//!
//! **A SNP that no move can carry across the threshold** has no score (`None`): weight 0. Whether it has one must be the
//! same in neighbouring cohorts, or else its being picked would tell them apart:
//! - label swap: every labelling of a cohort can be reached from every other, so "no labelling is on the other side" is
//!   decided by the genotypes and by R and S, all of which are public here. That too few SNPs are left for M picks, and
//!   hence the refusal, is as public.
//! - genotype: every table of R cases and S controls can be reached from every other, so it is decided by R, S and the
//!   threshold, for all SNPs at once. Some with a score and some without is a mistake of the caller, and refused.
//!
//! This rests on R and S being the same for all SNPs. Where genotypes are missing, people without one must be counted in a
//! way that no move changes (say, as having no copy) before there are scores.

mod pool;

use crate::table::CohortAdjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, DecayError, TwoSidedGeometric};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use pool::Pool;
pub use pool::probabilities;
use rand_core::Rng;
use std::cmp::Reverse;

/// A selection that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No picks were asked for.
    #[error("ask for at least one SNP")]
    NoPicks,
    /// Fewer SNPs than picks. Both numbers are public: see the module.
    #[error("{picks} SNPs were asked for, but only {possible} can be on either side of the threshold")]
    TooFew {
        /// How many were asked for.
        picks: usize,
        /// How many have a score.
        possible: usize,
    },
    /// Scores for some SNPs and not for others, where adjacency changes genotypes.
    #[error(
        "{without} SNPs have no score although others do: where genotypes may be replaced, whether a SNP can cross the \
         threshold must not depend on them"
    )]
    NotPublic {
        /// How many have none.
        without: usize,
    },
    /// A grid that is no grid.
    #[error("the grid must be above 0, not {0}")]
    Grid(Rational),
    /// A statistic that is far more than any cohort has on a sensible grid.
    #[error("{value} is beyond 2^62 steps of the grid {grid}; choose a coarser grid")]
    TooFine {
        /// The statistic or its sensitivity.
        value: Rational,
        /// The grid.
        grid: Rational,
    },
    /// No sensible noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
}

/// `r̂ ≥ R^(−1/(2MΔ))` for M picks by scores of which none moves by more than Δ = `sensitivity` between neighbours (M-EXP).
///
/// # Errors
/// When nothing is to be picked, or `R` and Δ make no sense.
pub fn decay(odds: &Spend, picks: usize, sensitivity: &BigInt) -> Result<Decay, SelectError> {
    if picks == 0 {
        return Err(SelectError::NoPicks);
    }
    Ok(Decay::hiding(odds, &(BigInt::from(2) * picks * sensitivity))?)
}

/// Picks `picks` SNPs by the exponential mechanism over their distance scores (G-3); best guess first.
///
/// A score is `d` or `1 − d` (G-2), or nothing where the distance is infinite. It must be the *true* distance: scores that
/// only approximate it can move by 2 where one person moves, and `odds` is not kept.
///
/// # Errors
/// When fewer SNPs have a score than are asked for, or `odds` makes no sense; see the module on what that tells.
pub fn by_score<R: Rng>(
    scores: &[Option<i64>],
    adjacency: CohortAdjacency,
    picks: usize,
    odds: &Spend,
    rng: &mut R,
) -> Result<Vec<usize>, SelectError> {
    let without = scores.iter().filter(|score| score.is_none()).count();
    if adjacency == CohortAdjacency::Genotype && without > 0 && without < scores.len() {
        return Err(SelectError::NotPublic { without });
    }
    pick(scores, picks, &decay(odds, picks, &1.into())?, rng)
}

/// Picks `picks` SNPs by the exponential mechanism over χ² in steps of `grid`: for comparison.
///
/// `sensitivity` is the most that one move changes any of the statistics (G-1), in their own unit. The grid must be
/// declared, not read from the data.
///
/// # Errors
/// When there are fewer SNPs than picks, or a parameter makes no sense.
pub fn by_statistic<R: Rng>(
    statistics: &[Rational],
    sensitivity: &Rational,
    grid: &Rational,
    picks: usize,
    odds: &Spend,
    rng: &mut R,
) -> Result<Vec<usize>, SelectError> {
    let scores = statistics.iter().map(|value| steps(value, grid).map(Some)).collect::<Result<Vec<_>, _>>()?;
    let decay = decay(odds, picks, &sensitivity_steps(sensitivity, grid)?)?;
    pick(&scores, picks, &decay, rng)
}

/// Names the `picks` SNPs with the largest χ² after noise: the method of earlier work, for comparison.
///
/// Parameters as for [`by_statistic`]; why the noise suffices is said in the module.
///
/// # Errors
/// When there are fewer SNPs than picks, or a parameter makes no sense.
pub fn by_noise<R: Rng>(
    statistics: &[Rational],
    sensitivity: &Rational,
    grid: &Rational,
    picks: usize,
    odds: &Spend,
    rng: &mut R,
) -> Result<Vec<usize>, SelectError> {
    let values = statistics.iter().map(|value| steps(value, grid)).collect::<Result<Vec<_>, _>>()?;
    let noise = TwoSidedGeometric::new(decay(odds, picks, &sensitivity_steps(sensitivity, grid)?)?);
    largest(values.iter().map(|value| i128::from(*value).saturating_add(noise.sample(rng))), picks)
}

/// The places of the `picks` largest values, largest first, and of equal ones the first first.
fn largest(values: impl Iterator<Item = i128>, picks: usize) -> Result<Vec<usize>, SelectError> {
    let mut ranked: Vec<(Reverse<i128>, usize)> =
        values.enumerate().map(|(place, value)| (Reverse(value), place)).collect();
    if ranked.len() < picks {
        return Err(SelectError::TooFew { picks, possible: ranked.len() });
    }
    if ranked.len() > picks {
        ranked.select_nth_unstable(picks);
        ranked.truncate(picks);
    }
    ranked.sort_unstable();
    Ok(ranked.into_iter().map(|(_, place)| place).collect())
}

/// How many whole steps of `grid` a value has, rounded down.
///
/// # Errors
/// When the grid is not positive, or there are more than `2^62` steps either way.
pub fn steps(value: &Rational, grid: &Rational) -> Result<i64, SelectError> {
    if !grid.is_positive() {
        return Err(SelectError::Grid(grid.clone()));
    }
    let steps = (value / grid).floor().to_integer().to_i64().filter(|steps| steps.unsigned_abs() < 1 << 62);
    steps.ok_or_else(|| SelectError::TooFine { value: value.clone(), grid: grid.clone() })
}

/// The most by which [`steps`] differs between values that differ by at most `sensitivity`.
///
/// `⌊a⌋ − ⌊b⌋` is a whole number below `a − b + 1`, so at most `⌈a − b⌉`: rounding down costs no more than rounding the
/// sensitivity up.
///
/// # Errors
/// When the grid is not positive.
pub fn sensitivity_steps(sensitivity: &Rational, grid: &Rational) -> Result<BigInt, SelectError> {
    if !grid.is_positive() {
        return Err(SelectError::Grid(grid.clone()));
    }
    Ok((sensitivity / grid).ceil().max(whole(0)).to_integer())
}

/// `picks` picks without replacement.
fn pick<R: Rng>(scores: &[Option<i64>], picks: usize, decay: &Decay, rng: &mut R) -> Result<Vec<usize>, SelectError> {
    let mut pool = Pool::new(scores);
    let possible = pool.left();
    if possible < picks {
        return Err(SelectError::TooFew { picks, possible });
    }
    (0..picks).map(|_| pool.pick(decay, rng).ok_or(SelectError::TooFew { picks, possible })).collect()
}

#[cfg(test)]
mod tests;
