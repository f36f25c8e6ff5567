//! Simulation of cohorts with planted causes.

use super::error::{Error, OptionError};
use deniable_genome::plink;
use deniable_genome::simulate::{Cause, Settings, SimulateError, name, write};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// A cohort to be simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulateOptions {
    /// The prefix of the files: OUT.bed, OUT.bim, OUT.fam and OUT.causal.tsv. None of them may exist. "cohort" by default.
    pub out: PathBuf,
    /// The cohort.
    pub settings: Settings,
    /// The seed: the same settings and seed make the same files.
    pub seed: u64,
}

impl Default for SimulateOptions {
    fn default() -> Self {
        Self { out: PathBuf::from("cohort"), settings: Settings::default(), seed: 1 }
    }
}

/// A planted cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlantedCause {
    /// The name of the SNP.
    pub snp: String,
    /// The frequency of its counted allele in the population.
    pub frequency: f64,
    /// The factor by which each copy multiplies the odds of disease.
    pub odds_ratio: f64,
}

/// The planted causes of a simulated cohort. As text they are the table in OUT.causal.tsv.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Simulated {
    /// The causes.
    pub planted: Vec<PlantedCause>,
}

impl Display for Simulated {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "SNP\tFREQUENCY\tODDS_RATIO")?;
        self.planted
            .iter()
            .try_for_each(|PlantedCause { snp, frequency, odds_ratio }| writeln!(f, "{snp}\t{frequency}\t{odds_ratio}"))
    }
}

/// Simulates a cohort and writes its files.
///
/// # Errors
/// When a file exists already or cannot be written, or a setting is out of range.
pub fn simulate(options: &SimulateOptions) -> Result<Simulated, Error> {
    let SimulateOptions { out, settings, seed } = options;
    let mut path = out.as_os_str().to_owned();
    path.push(".causal.tsv");
    let path = PathBuf::from(path);
    if let Some(file) = plink::files(out).into_iter().chain([path.clone()]).find(|file| file.exists()) {
        return Err(OptionError::Exists(file).into());
    }
    let planted =
        |cause: Cause| PlantedCause { snp: name(cause.snp), frequency: cause.frequency, odds_ratio: cause.odds_ratio };
    let simulated = Simulated { planted: write(settings, *seed, out)?.into_iter().map(planted).collect() };
    std::fs::write(&path, simulated.to_string())
        .map_err(|error| SimulateError::Write { path: path.to_string_lossy().into_owned(), error })?;
    Ok(simulated)
}
