//! The probability that a private selection finds the causes: over promises, priors, picks, thresholds and cohort
//! sizes.
//!
//! | part | module |
//! |---|---|
//! | the parameters | [`PowerQuery`] |
//! | cohorts, their evidence, and the probabilities under each setting | `measure` |
//! | the result as rows, a table, and curves | [`Power`] |
//! | the number of participants needed | [`Power::needed`] |
//!
//! No random values are drawn and no results are released: probabilities are computed from known scores (see
//! `deniable_genome::power`), so no ledger is charged. If the cohorts are simulated, the results are about simulated
//! people and may be published. If the curator's own cohort is given ([`Cohorts::Given`]), they depend on it without
//! any noise, and must not be published: [`Power::simulated`] distinguishes the two.
//!
//! All cohorts of one seed have the same causes with the same frequencies, whatever their size. Probabilities of
//! several seeds are averaged, and their spread is reported with the average.
//!
//! Only the planted SNP itself counts as found. If SNPs are in linkage, neighbours of the strongest cause have similar
//! scores and take picks from the other causes, the more likely the larger the cohort: with as few picks as causes,
//! probabilities may then fall as cohorts grow. Simulate without linkage (blocks of one SNP) to isolate the cost of a
//! promise.

mod measure;
mod needed;
mod result;

pub use needed::{PowerReport, RequiredSize, SizeComparison, TargetSize};
pub use result::{Curve, Curves, Point, Power, Row, Series};

use crate::request::Cut;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Rational;
use deniable_core::promise::{Promise, PromiseError};
use deniable_genome::chi2::ThresholdError;
use deniable_genome::cohort::Variant;
use deniable_genome::distance::TooManyPeople;
use deniable_genome::power::PowerError;
use deniable_genome::select::SelectError;
use deniable_genome::simulate::{Settings, SimulateError};
use deniable_genome::table::{CohortAdjacency, ContingencyTable, Test};
use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

/// The source of the cohorts.
#[derive(Debug, Clone, PartialEq)]
pub enum Cohorts {
    /// Simulated in memory: a cohort for each size and seed.
    Simulated {
        /// All parameters except the size; its `cases` and `controls` are ignored. Missing calls are filled by
        /// [`deniable_genome::Fill::default`].
        settings: Settings,
        /// Cases and controls, each at least 1. Duplicate sizes count once.
        sizes: Vec<(u32, u32)>,
        /// One cohort of each size for each seed. Duplicate seeds count once.
        seeds: Vec<u64>,
    },
    /// The curator's own cohort: results depend on it and are not for publication.
    Given {
        /// All SNPs, with the same numbers of cases and controls.
        tables: Vec<(Variant, ContingencyTable)>,
        /// The indices of the SNPs to be found, without repetition.
        planted: Vec<usize>,
    },
}

/// The score of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Score {
    /// The exponential mechanism over distances (G-2, G-3).
    Distance,
    /// The exponential mechanism over χ² on a grid above 0.
    Statistic {
        /// The grid.
        grid: Rational,
    },
    /// The largest χ² after noise, on a grid above 0.
    Noise {
        /// The grid.
        grid: Rational,
    },
}

/// The parameters of a power analysis: every combination of the lists is computed. Duplicates in a list count once.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerQuery {
    /// The cohorts.
    pub cohorts: Cohorts,
    /// The promises, each with the prior beliefs that it covers; the selection spends the whole promise.
    pub promises: Vec<(Promise, PriorRange)>,
    /// M, the number of SNPs picked.
    pub picks: Vec<usize>,
    /// Thresholds; only [`Score::Distance`] uses them, and needs at least one.
    pub thresholds: Vec<Cut>,
    /// The test.
    pub test: Test,
    /// The adjacencies that are protected.
    pub adjacencies: Vec<CohortAdjacency>,
    /// The scores.
    pub scores: Vec<Score>,
}

/// The progress of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Steps done: a cohort simulated, or one setting computed for a cohort.
    pub done: usize,
    /// Number of steps in total.
    pub of: usize,
}

/// Invalid parameters.
#[derive(Debug, thiserror::Error)]
pub enum PowerFailure {
    /// An empty list.
    #[error("name at least one {what}")]
    Nothing {
        /// The kind of item.
        what: &'static str,
    },
    /// A planted SNP that is not among the SNPs.
    #[error("there is no SNP number {} to find: the cohort has {snps}", place + 1)]
    Planted {
        /// Its index, from 0.
        place: usize,
        /// Number of SNPs.
        snps: usize,
    },
    /// A planted SNP that is named twice.
    #[error("SNP number {} is named twice among those to find", place + 1)]
    PlantedTwice {
        /// Its index, from 0.
        place: usize,
    },
    /// Tables of different people.
    #[error("SNP number {} does not count the same numbers of cases and controls as the first; fill in missing calls", place + 1)]
    People {
        /// Its index, from 0.
        place: usize,
    },
    /// A number of picks that is 0 or exceeds the number of SNPs.
    #[error("{picks} SNPs cannot be picked from {snps}")]
    Picks {
        /// M, the number of picks.
        picks: usize,
        /// Number of SNPs.
        snps: usize,
    },
    /// A cohort that cannot be simulated.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// An invalid threshold.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// An invalid grid.
    #[error(transparent)]
    Grid(#[from] SelectError),
    /// A cohort that is too large for distances.
    #[error(transparent)]
    TooManyPeople(#[from] TooManyPeople),
    /// Probabilities that cannot be computed.
    #[error(transparent)]
    Chances(#[from] PowerError),
}

/// The probabilities of finding the planted SNPs, under every combination of the parameters; on up to `threads`
/// threads, with the same result for any number of them. `progress` is called after every step, on the calling thread.
///
/// # Errors
/// If a list is empty or a parameter out of range, or a cohort has too few SNPs for the picks.
pub fn power(
    question: &PowerQuery,
    threads: NonZeroUsize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Power, PowerFailure> {
    let plan = measure::Plan::new(question)?;
    let of = plan.steps();
    let (tick, ticks) = mpsc::channel();
    let outcomes = thread::scope(|scope| {
        // The worker owns the only sender; dropping it at the end terminates the loop below.
        let work = scope.spawn(|| plan.measure(threads.get(), tick));
        for (done, ()) in (1..).zip(ticks) {
            progress(Progress { done, of });
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    Ok(result::collect(&plan, &outcomes))
}

#[cfg(test)]
mod tests;
