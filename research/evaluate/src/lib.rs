//! The evaluation of the paper on (α,β)-differential identifiability (AB-DI), on UCI Adult.
//!
//! | question | module |
//! |---|---|
//! | what is in the data? | [`adult`] |
//! | what is asked, and how far can one record move it? | [`queries`] |
//! | who is the adversary? | [`adversary`] |
//! | how much noise does a promise take, and what is it worth in ε? | [`calibrate`] |
//! | how large is the noise beside the answer, over α and β? | [`surface`] |
//! | what do several answers keep, and what does the paper claim? | [`composed`] |
//! | which figures does the paper's text give? | [`quoted`] |
//! | what is written about it? | [`page`], [`record`], [`pictures`] |
//!
//! Odds ratios, sensitivities and the verdicts on Theorem 1 are exact fractions; error ratios are floats, for looking at.
//! The draws come from a generator with a fixed seed, so that the page can be made again: nothing here is a release.

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

/// The queries that are drawn: AVG(age), and the three that the text names under Figures 1 and 2.
const DRAWN: [Query; 4] = [
    Query { aggregate: Aggregate::Avg, column: Column::Age },
    Query { aggregate: Aggregate::Min, column: Column::CapitalGain },
    Query { aggregate: Aggregate::Max, column: Column::CapitalLoss },
    Query { aggregate: Aggregate::Sum, column: Column::HoursPerWeek },
];

/// Numbers of answers that are composed.
const ANSWERS: [u32; 3] = [1, 5, 20];

/// How the evaluation is made. The defaults are those of `docs/evaluation`.
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

/// What was found.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// How it was made.
    pub settings: Settings,
    /// The data.
    pub adult: Adult,
    /// How many worlds there are: the rows, and one person more whom the data could have had.
    pub worlds: usize,
    /// The drawn queries against each adversary, adversary by adversary.
    pub surfaces: Vec<Surface>,
    /// For each adversary, what 1, 5 and 20 answers keep.
    pub compositions: Vec<(Adversary, Vec<Composition>)>,
    /// The figures of the paper's text beside ours.
    pub compared: Vec<RatioComparison>,
}

/// The evaluation could not be made, or not be written.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The data.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A promise or its noise.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// No draws, no measured error.
    #[error("the number of draws at each point must be at least 1")]
    NoDraws,
    /// A file of the page.
    #[error("{}: {source}", path.display())]
    Write {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
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

/// Makes the evaluation from `adult.data`. `progress` is told how many of how many steps are done.
///
/// # Errors
/// When the data cannot be read, or a promise of the grid allows no noise.
pub fn run(adult: &Path, settings: &Settings, progress: &dyn Fn(usize, usize)) -> Result<Evaluation, EvaluateError> {
    evaluate(Adult::open(adult)?, settings, progress)
}

/// The same on data that was read already.
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
    // The data is what is left when one of `rows + 1` people is missing, and any of them may be: so many worlds.
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
            // Every surface has a stream of its own, so that none depends on which others are made.
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
    /// When a record cannot be written down.
    pub fn files(&self) -> Result<Vec<(String, String)>, EvaluateError> {
        let mut files = vec![
            ("README.md".to_owned(), page::readme(self)?),
            ("queries.csv".to_owned(), record::queries(self)?),
            ("evaluation.json".to_owned(), record::json(self)?),
        ];
        files.extend(pictures::all(self));
        Ok(files)
    }

    /// Writes them into a folder, which is made where it is missing; returns their paths. What else is there stays.
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_evaluate;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
