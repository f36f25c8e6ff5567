//! The M most associated SNPs, selected with a bound on the inference of participation (G-3).
//!
//! Three methods, of which the first is best:
//!
//! | method | compared value | cost of one more pick |
//! |---|---|---|
//! | [`by_score`] | the true distance score of G-2: whole, sensitivity 1 | picks share `R`, scores do not grow with it |
//! | [`by_statistic`] | χ² itself on a declared grid, with its sensitivity of G-1 | the same, with a sensitivity of
//! about 4 to 8 |
//! | [`by_noise`] | χ² with two-sided geometric noise; the M largest are returned | the same: noise for `2M`
//! sensitivities |
//!
//! The release is the ordered list of names, without scores and statistics. `R` is the odds ratio of all picks
//! together.
//!
//! **Exponential mechanism** ([`by_score`], [`by_statistic`]; M-EXP). A pick selects SNP `i` of those remaining with
//! weight `r̂^(best − score_i)`, `r̂ ≥ R^(−1/(2MΔ))`. Between neighbouring cohorts no score changes by more than Δ, so
//! a weight changes by at most the factor `r̂^−Δ` and their sum by at most the same: one pick has odds of at most
//! `r̂^−2Δ ≤ R^(1/M)` for any earlier picks. The earlier picks are part of the output, so the odds of all M multiply to
//! at most `R` (C-1).
//!
//! **Noise** ([`by_noise`]). All statistics get noise *once*, with decay `r̂ ≥ R^(−1/(2MΔ))`, and the M largest are
//! returned. Let a cohort yield the list `L`, and fix the noise of all SNPs outside `L`. In a neighbouring cohort,
//! shift the noise of each `i ∈ L` by `v_i − v'_i + Δ`: its noisy value is then exactly Δ higher than before, so the
//! order within `L` is unchanged, and each SNP outside rose by at most Δ and remains behind, in a tie too, because ties
//! are broken by index. That shift is one to one and moves M draws by at most 2Δ each, so probabilities change by at
//! most the factor `r̂^(−2MΔ) ≤ R`. Releasing the noisy values as well would break this: use [`crate::noisy`] for
//! independent ones. New noise for each pick ("peeling") needs the same amount.
//!
//! **A SNP that no moves can carry across the threshold** has no score (`None`): weight 0. Whether it has a score must
//! be the same in neighbouring cohorts, otherwise its being picked would reveal which of them is the true one:
//! - label swap: every labelling of a cohort can be reached from every other, so "no labelling is on the other side" is
//!   decided by the genotypes and by R and S, all of which are public here. That too few SNPs have scores for M picks, and
//!   hence the refusal, is equally public.
//! - genotype: every table of R cases and S controls can be reached from every other, so it is decided by R, S and the
//!   threshold, for all SNPs at once. Scores for only some of the SNPs are a mistake of the caller, and rejected.
//!
//! This requires that R and S are the same for all SNPs. People with missing genotypes must be counted by a rule that
//! no move changes (say, as having no copy) before scores are computed.

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

/// An impossible selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No picks were requested.
    #[error("select at least one SNP")]
    NoPicks,
    /// Fewer SNPs than picks. Both numbers are public: see the module.
    #[error("{picks} SNPs were requested, but only {possible} can be on either side of the threshold")]
    TooFew {
        /// Number of picks requested.
        picks: usize,
        /// Number of SNPs with a score.
        possible: usize,
    },
    /// Only some SNPs have scores, although the adjacency changes genotypes.
    #[error(
        "{without} SNPs have no score although others do: where genotypes may be replaced, whether a SNP can cross the \
         threshold must not depend on them"
    )]
    NotPublic {
        /// Number of SNPs without a score.
        without: usize,
    },
    /// An invalid grid.
    #[error("the grid must be above 0, not {0}")]
    Grid(Rational),
    /// A statistic that is far larger than that of any cohort on a plausible grid.
    #[error("{value} is beyond 2^62 steps of the grid {grid}; choose a coarser grid")]
    TooFine {
        /// The statistic or its sensitivity.
        value: Rational,
        /// The grid.
        grid: Rational,
    },
    /// Invalid noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
}

/// `r̂ ≥ R^(−1/(2MΔ))` for M picks by scores that change by at most Δ = `sensitivity` between neighbours (M-EXP).
///
/// # Errors
/// If there are no picks, or `R` or Δ is invalid.
pub fn decay(odds: &Spend, picks: usize, sensitivity: &BigInt) -> Result<Decay, SelectError> {
    if picks == 0 {
        return Err(SelectError::NoPicks);
    }
    Ok(Decay::hiding(odds, &(BigInt::from(2) * picks * sensitivity))?)
}

/// Picks `picks` SNPs by the exponential mechanism over their distance scores (G-3); the most probable first.
///
/// A score is `d` or `1 − d` (G-2), or `None` if the distance is infinite. It must be the *true* distance: approximate
/// scores can change by 2 when one person changes, and then `odds` is exceeded.
///
/// # Errors
/// If fewer SNPs have a score than picks are requested, or `odds` is invalid; see the module on what this error
/// reveals.
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
/// `sensitivity` is the largest change of any of the statistics by one move (G-1), in their own unit. The grid must be
/// declared, not derived from the data.
///
/// # Errors
/// If there are fewer SNPs than picks, or a parameter is invalid.
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

/// Returns the `picks` SNPs with the largest noisy χ²: the method of earlier work, for comparison.
///
/// Parameters as for [`by_statistic`]; the module explains why this noise is sufficient.
///
/// # Errors
/// If there are fewer SNPs than picks, or a parameter is invalid.
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

/// The indices of the `picks` largest values, largest first; of equal ones, the lower index first.
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

/// The number of whole steps of `grid` in a value, rounded down.
///
/// # Errors
/// If the grid is not positive, or there are more than `2^62` steps in absolute value.
pub fn steps(value: &Rational, grid: &Rational) -> Result<i64, SelectError> {
    if !grid.is_positive() {
        return Err(SelectError::Grid(grid.clone()));
    }
    let steps = (value / grid).floor().to_integer().to_i64().filter(|steps| steps.unsigned_abs() < 1 << 62);
    steps.ok_or_else(|| SelectError::TooFine { value: value.clone(), grid: grid.clone() })
}

/// The largest difference of [`steps`] between values that differ by at most `sensitivity`.
///
/// `⌊a⌋ − ⌊b⌋` is an integer below `a − b + 1`, so at most `⌈a − b⌉`: rounding down costs no more than rounding the
/// sensitivity up.
///
/// # Errors
/// If the grid is not positive.
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
