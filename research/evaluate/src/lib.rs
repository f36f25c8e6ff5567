//! The evaluation of the paper on (α,β)-differential identifiability (AB-DI), on UCI Adult.
//!
//! | content | module |
//! |---|---|
//! | the data | [`adult`] |
//! | the queries and their sensitivities | [`queries`] |
//! | the adversaries | [`adversary`] |
//! | calibration of noise to a promise, and its ε | [`calibrate`] |
//! | error ratios over α and β | [`surface`] |
//! | several answers: attained bounds and the paper's claim | [`composed`] |
//! | figures of the paper's text | [`quoted`] |
//! | output | [`page`], [`record`], [`pictures`] |
//!
//! Odds ratios, sensitivities and the verdicts on Theorem 1 are exact fractions; error ratios are floating-point
//! numbers for display. The draws come from a generator with a fixed seed, so that the page is reproducible: nothing
//! here is a release.

pub mod adult;
pub mod adversary;
pub mod calibrate;
pub mod composed;
pub mod page;
pub mod pictures;
pub mod queries;
pub mod quoted;
pub mod record;
pub mod surface;
mod written;

use adult::{Adult, Column, ReadError};
use adversary::Adversary;
use calibrate::CalibrateError;
use composed::Composition;
use deniable_core::promise::PromiseError;
use queries::{Aggregate, Query};
use quoted::{QuotedRatio, RatioComparison};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::path::{Path, PathBuf};
use surface::{Grid, Surface};

/// The drawn queries: AVG(age), and the three that the text names under Figures 1 and 2.
const DRAWN: [Query; 4] = [
    Query { aggregate: Aggregate::Avg, column: Column::Age },
    Query { aggregate: Aggregate::Min, column: Column::CapitalGain },
    Query { aggregate: Aggregate::Max, column: Column::CapitalLoss },
    Query { aggregate: Aggregate::Sum, column: Column::HoursPerWeek },
];

/// Numbers of composed answers.
const ANSWERS: [u32; 3] = [1, 5, 20];

/// Settings of the evaluation. The defaults are those of `docs/evaluation`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Values of α and β.
    pub grid: Grid,
    /// Draws at each point, at least 1.
    pub repetitions: u32,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { grid: Grid::default(), repetitions: 400, seed: 4 }
    }
}

/// Results of the evaluation.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Its settings.
    pub settings: Settings,
    /// The data.
    pub adult: Adult,
    /// The number of worlds: the rows, and one more person whom the data could have contained.
    pub worlds: usize,
    /// The drawn queries against each adversary, adversary by adversary.
    pub surfaces: Vec<Surface>,
    /// For each adversary, the bounds after 1, 5 and 20 answers.
    pub compositions: Vec<(Adversary, Vec<Composition>)>,
    /// The figures of the paper's text compared with the computed ones.
    pub compared: Vec<RatioComparison>,
}

/// An evaluation that cannot be made or written.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The data.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A promise or its noise.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// A number of draws of 0.
    #[error("the number of draws at each point must be at least 1")]
    NoDraws,
    /// A file of the page.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The record as JSON or CSV.
    #[error("the record could not be written: {0}")]
    Record(String),
}

impl From<PromiseError> for EvaluateError {
    fn from(error: PromiseError) -> Self {
        Self::Calibrate(error.into())
    }
}

/// Makes the evaluation from `adult.data`. `progress` gets the number of finished steps and of all steps.
///
/// # Errors
/// When the data cannot be read, or a promise of the grid allows no noise.
pub fn run(adult: &Path, settings: &Settings, progress: &dyn Fn(usize, usize)) -> Result<Evaluation, EvaluateError> {
    evaluate(Adult::open(adult)?, settings, progress)
}

/// The same on data that is already loaded.
///
/// # Errors
/// See [`run`].
pub fn evaluate(
    adult: Adult,
    settings: &Settings,
    progress: &dyn Fn(usize, usize),
) -> Result<Evaluation, EvaluateError> {
    if settings.repetitions == 0 {
        return Err(EvaluateError::NoDraws);
    }
    // One of `rows + 1` people is missing from the data, and it may be any of them: hence this number of worlds.
    let worlds = adult.rows() + 1;
    let steps = Adversary::ALL.len() * (DRAWN.len() + ANSWERS.len());
    let mut done = 0;
    let mut step = || {
        done += 1;
        progress(done, steps);
    };
    let (mut surfaces, mut compositions) = (Vec::new(), Vec::new());
    for adversary in Adversary::ALL {
        let odds = settings.grid.odds(adversary, worlds)?;
        for query in DRAWN {
            // Every surface has its own random stream, so that none depends on the others.
            let mut rng = ChaCha20Rng::seed_from_u64(settings.seed);
            rng.set_stream(surfaces.len() as u64);
            surfaces.push(Surface::sweep((adversary, query), &adult, &odds, settings.repetitions, &mut rng)?);
            step();
        }
        let least = adversary.least(worlds);
        let over = |answers| {
            let composition = Composition::over(&settings.grid, &odds, &least, answers);
            step();
            composition
        };
        compositions.push((adversary, ANSWERS.map(over).into()));
    }
    let compared =
        QuotedRatio::all().map(|quoted| quoted.compare(&adult, worlds)).into_iter().collect::<Result<_, _>>()?;
    Ok(Evaluation { settings: settings.clone(), adult, worlds, surfaces, compositions, compared })
}

impl Evaluation {
    /// Every file of the page by its name, with its content: `README.md`, the pictures, `queries.csv`, `evaluation.json`.
    ///
    /// # Errors
    /// When a record cannot be serialised.
    pub fn files(&self) -> Result<Vec<(String, String)>, EvaluateError> {
        let mut files = vec![
            ("README.md".to_owned(), page::readme(self)?),
            ("queries.csv".to_owned(), record::queries(self)?),
            ("evaluation.json".to_owned(), record::json(self)?),
        ];
        files.extend(pictures::all(self));
        Ok(files)
    }

    /// Writes them into a folder, which is created if missing; returns their paths. Other files in it are kept.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, EvaluateError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| EvaluateError::Write { path, source }
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let write = |(name, content): (String, String)| {
            let path = folder.join(name);
            std::fs::write(&path, content).map_err(failed(&path))?;
            Ok(path)
        };
        self.files()?.into_iter().map(write).collect()
    }
}

// `tests/it` is compiled into the unit tests: one program per crate to link. `extern crate self` gives it the crate's
// public name.
#[cfg(test)]
extern crate self as deniable_evaluate;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
