//! How probably a private selection returns the SNPs that matter: over promises, priors, picks and cohorts.
//!
//! This is for planning and for pictures, not for releases: it works in floating point, on scores that are known (of
//! simulated cohorts, or of one's own, in which case its results must not leave the house). No ledger is involved.
//!
//! **One integral instead of `n!` orders.** Picks of the exponential mechanism without replacement come in the order in which
//! independent exponential clocks ring, SNP `i` at rate `w_i ∝ r̂^(best − score_i)`: the minimum of such clocks is `i` with
//! probability proportional to `w_i`, and clocks forget. So `k` planted SNPs are all among the first M just when, at the time
//! the last of them rings, at most `M − k` of the others have rung. With `F(t)` the probability that all planted have
//! rung, which rises, and `C(t)` the probability that at most `M − k` others have, which falls, that is `∫ C dF`. Noise that
//! is added once gives the same integral: SNPs "ring" as a bar comes down from above past their noisy values.
//!
//! **What is returned encloses it**: over a cut of the line, `Σ ΔF·C` with `C` at the later ends is a lower bound and at the
//! earlier ends an upper one. Cuts are halved until they matter little; the [`Chance`] keeps both bounds. Floating point
//! adds less than 10⁻⁹ to that.

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

/// Bounds on a probability, apart from rounding (below 10⁻⁹).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Not less than this.
    pub low: f64,
    /// Not more than this.
    pub high: f64,
}

impl Chance {
    /// Halfway between the bounds, much nearer to the truth than either.
    #[must_use]
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

/// What SNPs are selected by, and how.
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
    /// In a word or two.
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

    /// The most that one move changes one SNP's evidence.
    fn sensitivity(&self) -> BigInt {
        match self {
            Self::Scores(_) => 1.into(),
            Self::Statistics { sensitivity, .. } | Self::Noise { sensitivity, .. } => (*sensitivity).into(),
        }
    }
}

/// A cohort to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Cohort<'a> {
    /// What it is called in the table.
    pub label: String,
    /// How many cases.
    pub cases: u32,
    /// How many controls.
    pub controls: u32,
    /// What the evidence protects.
    pub adjacency: CohortAdjacency,
    /// The threshold of the distance score, where there is one.
    pub threshold: Option<Rational>,
    /// All SNPs.
    pub evidence: Evidence<'a>,
    /// The places of those that should be found, without repetition.
    pub planted: &'a [usize],
}

/// A promise to whom, and how many SNPs under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// What is promised: `Gain(γ)` (B-3), or `Epsilon(ε)`, or any other.
    pub promise: Promise,
    /// What the observer may believe beforehand.
    pub priors: PriorRange,
    /// M.
    pub picks: usize,
}

/// What one setting does to one cohort.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which cohort, by its place in the list.
    pub cohort: usize,
    /// Which setting, by its place in the list.
    pub setting: usize,
    /// The odds ratio that the promise allows, spent on this selection whole.
    pub odds: Spend,
    /// How probably all planted SNPs are picked.
    pub all: Chance,
    /// How probably each planted SNP is picked, in their order.
    pub each: Vec<Chance>,
}

impl Row {
    /// How many planted SNPs are picked on average.
    #[must_use]
    pub fn expected(&self) -> f64 {
        self.each.iter().map(Chance::middle).sum()
    }
}

/// Nothing to compute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PowerError {
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// Picks that cannot be made.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A planted SNP that is not there, or is there twice, or none at all.
    #[error("the planted SNPs must be at least one, all different, and among the {0} SNPs")]
    Planted(usize),
}

/// Every cohort under every setting.
///
/// # Errors
/// When a promise cannot be kept, or a cohort has too few SNPs.
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

/// How probably all planted SNPs, and how probably each of them, is among the `picks` picks that share `odds`.
///
/// # Errors
/// When there are too few SNPs, or a parameter makes no sense.
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

/// `−ln r̂`, to look at.
fn slope(decay: &Decay) -> f64 {
    decay.scale_bound().to_f64().map_or(0.0, f64::recip)
}

/// Each SNP as a runner, and the race they run.
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

/// A promise with its one parameter, where it has one.
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
