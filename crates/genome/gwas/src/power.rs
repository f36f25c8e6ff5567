//! Whether a private selection would find the causes: over promises, priors, picks, thresholds and sizes of cohorts.
//!
//! | part | module |
//! |---|---|
//! | what is asked | [`PowerQuery`] |
//! | cohorts, their evidence, and the chances under each setting | `measure` |
//! | the answer as rows, a table, and curves to be drawn | [`Power`] |
//! | how many participants it takes | [`Power::needed`] |
//!
//! Nothing is drawn and nothing is released: chances are computed from scores that are known, as `deniable_genome::power` says,
//! so no ledger is charged. Where the cohorts are simulated, the results are about made-up people and may be shown to anybody.
//! Where the curator's own cohort is given ([`Cohorts::Given`]), they depend on it without any noise, and must stay with the
//! curator: [`Power::simulated`] says which.
//!
//! All cohorts of one seed have the same causes with the same frequencies, whatever their size. Chances of several seeds are
//! averaged, and how far the seeds lie apart is reported beside the average.
//!
//! Found is the planted SNP itself. Where SNPs are in linkage, neighbours of the strongest cause have scores like its own and
//! take picks from the others, the more surely the larger the cohort: with as few picks as causes, chances may then fall as
//! cohorts grow. Simulate without linkage (blocks of one SNP) to see what a promise costs apart from that.

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

/// Where cohorts come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Cohorts {
    /// Made up in memory: a cohort for each size and seed.
    Simulated {
        /// Everything but the size; its `cases` and `controls` are not used. Missing calls count as by
        /// [`deniable_genome::Fill::default`].
        settings: Settings,
        /// Cases and controls, each at least 1. A size that is named twice counts once.
        sizes: Vec<(u32, u32)>,
        /// One cohort of each size for each seed. A seed that is named twice counts once.
        seeds: Vec<u64>,
    },
    /// The curator's own: results depend on it and are not for publication.
    Given {
        /// All SNPs, with the same numbers of cases and controls.
        tables: Vec<(Variant, ContingencyTable)>,
        /// The places of the SNPs that should be found, without repetition.
        planted: Vec<usize>,
    },
}

/// What SNPs are selected by.
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

/// What is asked: every combination of its lists. Repetitions in a list count once.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerQuery {
    /// The cohorts.
    pub cohorts: Cohorts,
    /// What is promised, and against which prior beliefs; the whole promise is spent on the one selection.
    pub promises: Vec<(Promise, PriorRange)>,
    /// M: how many SNPs are picked.
    pub picks: Vec<usize>,
    /// Thresholds; they matter to [`Score::Distance`] alone, which needs at least one.
    pub thresholds: Vec<Cut>,
    /// The test.
    pub test: Test,
    /// What is protected.
    pub adjacencies: Vec<CohortAdjacency>,
    /// What is selected by.
    pub scores: Vec<Score>,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Steps done: a cohort made, or one setting computed for a cohort.
    pub done: usize,
    /// Steps in all.
    pub of: usize,
}

/// A question without an answer.
#[derive(Debug, thiserror::Error)]
pub enum PowerFailure {
    /// An empty list.
    #[error("name at least one {what}")]
    Nothing {
        /// What the list should hold.
        what: &'static str,
    },
    /// A planted SNP that is not among the SNPs.
    #[error("there is no SNP number {} to find: the cohort has {snps}", place + 1)]
    Planted {
        /// Its place, from 0.
        place: usize,
        /// How many there are.
        snps: usize,
    },
    /// A planted SNP that is named twice.
    #[error("SNP number {} is named twice among those to find", place + 1)]
    PlantedTwice {
        /// Its place, from 0.
        place: usize,
    },
    /// Tables over different people.
    #[error("SNP number {} does not count the same numbers of cases and controls as the first; fill in missing calls", place + 1)]
    People {
        /// Its place, from 0.
        place: usize,
    },
    /// More SNPs to be picked than there are, or none.
    #[error("{picks} SNPs cannot be picked from {snps}")]
    Picks {
        /// M.
        picks: usize,
        /// How many there are.
        snps: usize,
    },
    /// A cohort that cannot be made.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// A threshold that cannot be used.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// A grid that cannot be used.
    #[error(transparent)]
    Grid(#[from] SelectError),
    /// A cohort too large for distances.
    #[error(transparent)]
    TooManyPeople(#[from] TooManyPeople),
    /// Chances that cannot be computed.
    #[error(transparent)]
    Chances(#[from] PowerError),
}

/// The chances of finding what is planted, under every combination of the question; on up to `threads` threads, with the same
/// result for any number of them. `progress` is called after every step, by the thread that called.
///
/// # Errors
/// When a list is empty or a parameter out of range; when a cohort has too few SNPs for the picks.
pub fn power(
    question: &PowerQuery,
    threads: NonZeroUsize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Power, PowerFailure> {
    let plan = measure::Plan::new(question)?;
    let of = plan.steps();
    let (tick, ticks) = mpsc::channel();
    let outcomes = thread::scope(|scope| {
        // The one sender goes with the worker and is dropped at its end, which ends the loop below.
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
