//! The probability that a private selection returns the planted SNPs: over promises, priors, picks and cohorts.
//!
//! For planning and charts, not for releases: it works in floating point, on known scores (of simulated cohorts, or of
//! the curator's own, whose results must not be published). No ledger is involved.
//!
//! **One integral instead of `n!` orders.** Picks of the exponential mechanism without replacement are in the order in
//! which independent exponential clocks ring, SNP `i` at rate `w_i ∝ r̂^(best − score_i)`: the minimum of such clocks
//! is `i` with probability proportional to `w_i`, and clocks are memoryless. So `k` planted SNPs are all among the
//! first M exactly if, when the last of them rings, at most `M − k` other clocks have rung. With `F(t)` the probability
//! that all planted have rung, which increases, and `C(t)` the probability that at most `M − k` others have, which
//! decreases, that is `∫ C dF`. Noise that is added once gives the same integral: SNPs "ring" as a bar descends past
//! their noisy values.
//!
//! **The result encloses it**: over a partition of the line, `Σ ΔF·C` with `C` at the later ends is a lower bound and
//! at the earlier ends an upper one. Intervals are halved until they contribute little; the [`Chance`] has both bounds.
//! Floating point adds an error below 10⁻⁹.

mod race;

use crate::select::{SelectError, decay};
use crate::table::CohortAdjacency;
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, fraction};
use deniable_core::noise::Decay;
use deniable_core::promise::{Promise, PromiseError};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use race::{Race, Runner};
use std::fmt::Write;

/// Bounds on a probability, except for rounding (below 10⁻⁹).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Chance {
    /// The mean of the bounds, much closer to the true value than either.
    #[must_use]
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

/// The evidence by which SNPs are selected, and the mechanism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence<'a> {
    /// Exponential mechanism over distance scores: [`crate::select::by_score`].
    Scores(&'a [Option<i64>]),
    /// Exponential mechanism over χ² in steps of a grid: [`crate::select::by_statistic`].
    Statistics {
        /// See [`crate::select::steps`].
        steps: &'a [i64],
        /// See [`crate::select::sensitivity_steps`].
        sensitivity: u64,
    },
    /// The largest χ² after noise: [`crate::select::by_noise`].
    Noise {
        /// See [`crate::select::steps`].
        steps: &'a [i64],
        /// See [`crate::select::sensitivity_steps`].
        sensitivity: u64,
    },
}

impl Evidence<'_> {
    /// A short name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scores(_) => "distance",
            Self::Statistics { .. } => "chi-square",
            Self::Noise { .. } => "noisy chi-square",
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Scores(scores) => scores.len(),
            Self::Statistics { steps, .. } | Self::Noise { steps, .. } => steps.len(),
        }
    }

    /// The largest change of one SNP's evidence by one move.
    fn sensitivity(&self) -> BigInt {
        match self {
            Self::Scores(_) => 1.into(),
            Self::Statistics { sensitivity, .. } | Self::Noise { sensitivity, .. } => (*sensitivity).into(),
        }
    }
}

/// A cohort to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct Cohort<'a> {
    /// The label in the table.
    pub label: String,
    /// Number of cases.
    pub cases: u32,
    /// Number of controls.
    pub controls: u32,
    /// The adjacency that the evidence protects.
    pub adjacency: CohortAdjacency,
    /// The threshold of the distance score, if any.
    pub threshold: Option<Rational>,
    /// The evidence of all SNPs.
    pub evidence: Evidence<'a>,
    /// The indices of the SNPs to be found, without repetition.
    pub planted: &'a [usize],
}

/// A promise, the observers that it holds for, and the number of picks.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The promise: `Gain(γ)` (B-3), or `Epsilon(ε)`, or any other.
    pub promise: Promise,
    /// The prior beliefs of observers.
    pub priors: PriorRange,
    /// M, the number of SNPs picked.
    pub picks: usize,
}

/// The result of one setting for one cohort.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The index of the cohort.
    pub cohort: usize,
    /// The index of the setting.
    pub setting: usize,
    /// The odds ratio that the promise allows; this selection spends all of it.
    pub odds: Spend,
    /// The probability that all planted SNPs are picked.
    pub all: Chance,
    /// The probability that each planted SNP is picked, in their order.
    pub each: Vec<Chance>,
}

impl Row {
    /// The expected number of planted SNPs picked.
    #[must_use]
    pub fn expected(&self) -> f64 {
        self.each.iter().map(Chance::middle).sum()
    }
}

/// Invalid input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PowerError {
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// An impossible selection.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A planted SNP that does not exist or is repeated, or no planted SNP.
    #[error("the planted SNPs must be at least one, all different, and among the {0} SNPs")]
    Planted(usize),
}

/// Evaluates every cohort under every setting.
///
/// # Errors
/// If a promise cannot be kept, or a cohort has too few SNPs.
pub fn table(cohorts: &[Cohort<'_>], settings: &[Setting]) -> Result<Vec<Row>, PowerError> {
    let mut rows = vec![];
    for (place, cohort) in cohorts.iter().enumerate() {
        for (setting, asked) in settings.iter().enumerate() {
            let odds = asked.promise.largest_odds(&asked.priors)?;
            let (all, each) = chances(&cohort.evidence, cohort.planted, asked.picks, &odds)?;
            rows.push(Row { cohort: place, setting, odds, all, each });
        }
    }
    Ok(rows)
}

/// The probability that all planted SNPs, and that each of them, is among the `picks` picks that share `odds`.
///
/// # Errors
/// If there are too few SNPs, or a parameter is invalid.
pub fn chances(
    evidence: &Evidence<'_>,
    planted: &[usize],
    picks: usize,
    odds: &Spend,
) -> Result<(Chance, Vec<Chance>), PowerError> {
    let mut different = planted.to_vec();
    different.sort_unstable();
    different.dedup();
    if different.is_empty() || different.len() < planted.len() || different.last() >= Some(&evidence.len()) {
        return Err(PowerError::Planted(evidence.len()));
    }
    let slope = slope(&decay(odds, picks, &evidence.sensitivity())?);
    let (runners, race) = runners(evidence, slope);
    let possible = runners.iter().flatten().count();
    if possible < picks {
        return Err(SelectError::TooFew { picks, possible }.into());
    }
    let of = |wanted: &[usize]| race.chance(&runners, wanted, picks);
    Ok((of(planted), planted.iter().map(|snp| of(&[*snp])).collect()))
}

/// `−ln r̂` as a float.
fn slope(decay: &Decay) -> f64 {
    decay.scale_bound().to_f64().map_or(0.0, f64::recip)
}

/// Each SNP as a runner, and the race.
#[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53, and this is to look at")]
fn runners(evidence: &Evidence<'_>, slope: f64) -> (Vec<Option<Runner>>, Race) {
    match evidence {
        Evidence::Scores(scores) => {
            let best = scores.iter().flatten().max().copied().unwrap_or(0);
            let behind = |score: &Option<i64>| score.map(|score| Runner(-(best.abs_diff(score) as f64)));
            (scores.iter().map(behind).collect(), Race::Clocks { slope })
        }
        Evidence::Statistics { steps, .. } => {
            let best = steps.iter().max().copied().unwrap_or(0);
            (steps.iter().map(|step| Some(Runner(-(best.abs_diff(*step) as f64)))).collect(), Race::Clocks { slope })
        }
        Evidence::Noise { steps, .. } => {
            let best = steps.iter().max().copied().unwrap_or(0);
            (steps.iter().map(|step| Some(Runner(-(best.abs_diff(*step) as f64)))).collect(), Race::Noise { slope })
        }
    }
}

/// The rows as a table in Markdown: probabilities to three places.
#[must_use]
pub fn markdown(cohorts: &[Cohort<'_>], settings: &[Setting], rows: &[Row]) -> String {
    let mut text = String::from(
        "| cohort | cases | controls | adjacency | by | threshold | promise | prior | ε | M | all found | found |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let (Some(cohort), Some(setting)) = (cohorts.get(row.cohort), settings.get(row.setting)) else { continue };
        let adjacency = match cohort.adjacency {
            CohortAdjacency::Genotype => "genotype",
            CohortAdjacency::LabelSwap => "label swap",
        };
        let threshold = cohort.threshold.as_ref().map_or_else(|| "–".into(), |c| decimal(c, 2, Rounding::Nearest));
        let priors = if setting.priors.is_any() {
            "any".into()
        } else {
            format!("{} to {}", fraction(setting.priors.low()), fraction(setting.priors.high()))
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {adjacency} | {} | {threshold} | {} | {priors} | {} | {} | {:.3} | {:.3} of {} |",
            cohort.label,
            cohort.cases,
            cohort.controls,
            cohort.evidence.name(),
            promised(&setting.promise),
            row.odds.epsilon_decimal(4),
            setting.picks,
            row.all.middle(),
            row.expected(),
            row.each.len(),
        );
    }
    text
}

/// A promise with its parameter, if it has one.
fn promised(promise: &Promise) -> String {
    match promise {
        Promise::Gain(value) => format!("γ = {}", fraction(value)),
        Promise::Epsilon(value) => format!("ε = {}", fraction(value)),
        Promise::Odds(value) => format!("ε = ln({})", fraction(value)),
        Promise::NegativeGain(value) | Promise::PosteriorAtMost(value) | Promise::PosteriorAtLeast(value) => {
            format!("{} = {}", promise.name(), fraction(value))
        }
        Promise::Rho { .. } | Promise::AlphaBeta { .. } => promise.name().into(),
    }
}

#[cfg(test)]
mod tests;
