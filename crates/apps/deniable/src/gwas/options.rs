//! Options of association results, as callers state them, and their checks.

use super::error::{Error, MOST_BITS, OptionError};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;
use deniable_genome::{Column, Fill, PhenoFile, Test, plink};
use deniable_gwas::{CohortPromise, Cut, Files, Protects, Query, Score, Snps};
use deniable_ledger::Purpose;
use deniable_policy::Policy;
use num_traits::Signed;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The files of a cohort: `bfile`, or `vcf` with `pheno`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Genotypes {
    /// The prefix of PLINK 1 binary files: PREFIX.bed, PREFIX.bim and PREFIX.fam.
    pub bfile: Option<PathBuf>,
    /// A VCF file, plain or bgzipped.
    pub vcf: Option<PathBuf>,
    /// A file of phenotypes: FID, IID, then 1 (control), 2 (case), or 0, -9, NA (missing).
    pub pheno: Option<PathBuf>,
    /// The phenotype of `pheno` by its name in the header.
    pub pheno_name: Option<String>,
    /// The phenotype of `pheno` by its number, from 1 on; the first by default.
    pub mpheno: Option<NonZeroUsize>,
}

/// The version, population and ledger of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The version of the files; other contents need another version. "1" by default.
    pub version: String,
    /// The policy that states the population, the ledger, and for releases the promise.
    pub policy: Option<PathBuf>,
    /// The population, as the ledger names it; by default the name of the files.
    pub population: Option<String>,
    /// The ledger; by default that of the policy, or POPULATION.ledger beside the files.
    pub ledger: Option<PathBuf>,
    /// Whether no person of this population is in the other ledgers of the folder that know the files or the policy. Only for a new
    /// ledger, which keeps the statement.
    pub other_people: bool,
}

impl Default for Declaration {
    fn default() -> Self {
        Self { version: "1".to_owned(), policy: None, population: None, ledger: None, other_people: false }
    }
}

/// The score by which SNPs are picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PickBy {
    /// The number of people who would have to change before the SNP crosses the threshold (G-2, G-3).
    #[default]
    Distance,
    /// χ² as weights of the exponential mechanism.
    ChiSquare,
    /// The largest χ² after noise.
    Noisy,
}

/// A release of association results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseOptions {
    /// The files.
    pub genotypes: Genotypes,
    /// The version, population and ledger.
    pub declared: Declaration,
    /// The promises, all of which are kept; empty if the policy states them.
    pub promise: Vec<Promise>,
    /// The prior beliefs of the observers; any by default. `None` if the policy states them.
    pub prior: Option<PriorRange>,
    /// The protected secrets. There is no default.
    pub adjacency: Option<Protects>,
    /// The maximum share of the promise for all releases together, above 0 and at most 1.
    pub spend: Rational,
    /// Whether a run that registers the version of the files also releases.
    pub register: bool,
    /// The number of SNPs to pick. Otherwise `snps` or `extract` names SNPs.
    pub top: Option<NonZeroUsize>,
    /// The score by which they are picked.
    pub score: PickBy,
    /// The χ² from which a SNP is significant, above 0.
    pub threshold: Option<Rational>,
    /// The p-value of the whole study, above 0 and below 1, which is divided by the number of SNPs (Bonferroni).
    pub p_value: Option<Rational>,
    /// SNPs by name. The list must not come from the data.
    pub snps: Vec<String>,
    /// A file with the names of SNPs. The list must not come from the data.
    pub extract: Option<PathBuf>,
    /// Whether χ² and p-values of the SNPs are released.
    pub statistics: bool,
    /// Whether allele counts and frequencies of the SNPs are released.
    pub counts: bool,
    /// The association test.
    pub test: Test,
    /// The genotype that a missing call counts as.
    pub fill: Fill,
    /// The steps in which χ² gets its noise, above 0.
    pub grid: Rational,
    /// The number of threads; all by default.
    pub threads: Option<NonZeroUsize>,
}

impl Default for ReleaseOptions {
    fn default() -> Self {
        Self {
            genotypes: Genotypes::default(),
            declared: Declaration::default(),
            promise: Vec::new(),
            prior: None,
            adjacency: None,
            spend: whole(1),
            register: false,
            top: None,
            score: PickBy::default(),
            threshold: None,
            p_value: None,
            snps: Vec::new(),
            extract: None,
            statistics: false,
            counts: false,
            test: Test::Allelic,
            fill: Fill::default(),
            grid: ratio(1, 1000),
            threads: None,
        }
    }
}

/// The options of a check of a cohort before any release.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckOptions {
    /// The files.
    pub genotypes: Genotypes,
    /// The version, population and ledger.
    pub declared: Declaration,
    /// The number of threads; all by default.
    pub threads: Option<NonZeroUsize>,
}

/// Parses prior beliefs: `1/2`, `1/5..4/5`, `..1/2` or `any`.
///
/// # Errors
/// When the text is not a range of priors.
pub fn priors(text: &str) -> Result<PriorRange, Error> {
    Ok(text.parse().map_err(OptionError::Prior)?)
}

/// The stated number of threads, or all of the machine.
pub(super) fn threads(stated: Option<NonZeroUsize>) -> NonZeroUsize {
    stated.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Rejects numbers with too many digits.
fn short<'a>(numbers: impl IntoIterator<Item = (&'static str, &'a Rational)>) -> Result<(), OptionError> {
    let is_long = |value: &Rational| value.numer().bits().max(value.denom().bits()) > MOST_BITS;
    match numbers.into_iter().find(|(_, value)| is_long(value)) {
        Some((name, _)) => Err(OptionError::Long(name)),
        None => Ok(()),
    }
}

/// The number of a promise with a single number.
fn promised(promise: &Promise) -> Option<&Rational> {
    match promise {
        Promise::PosteriorAtMost(value)
        | Promise::PosteriorAtLeast(value)
        | Promise::Gain(value)
        | Promise::NegativeGain(value)
        | Promise::Epsilon(value) => Some(value),
        Promise::Rho { .. } | Promise::AlphaBeta { .. } | Promise::Odds(_) => None,
    }
}

/// Rejects two options that exclude each other.
fn apart(pairs: &[(bool, &'static str, bool, &'static str)]) -> Result<(), OptionError> {
    match pairs.iter().find(|(one, _, other, _)| *one && *other) {
        Some((_, one, _, other)) => Err(OptionError::Together(one, other)),
        None => Ok(()),
    }
}

impl Genotypes {
    /// The files.
    ///
    /// # Errors
    /// When the options name no files, or contradict each other.
    pub fn files(&self) -> Result<Files, Error> {
        let Self { bfile, vcf, pheno, pheno_name, mpheno } = self;
        apart(&[
            (bfile.is_some(), "bfile", vcf.is_some(), "vcf"),
            (pheno_name.is_some(), "pheno-name", mpheno.is_some(), "mpheno"),
        ])?;
        if pheno.is_none()
            && let Some(name) = pheno_name.as_ref().map(|_| "pheno-name").or(mpheno.map(|_| "mpheno"))
        {
            return Err(OptionError::Needs(name, "pheno").into());
        }
        let column = match (pheno_name, mpheno) {
            (Some(name), _) => Column::Named(name.clone()),
            (None, Some(number)) => Column::Number(number.get()),
            (None, None) => Column::First,
        };
        let pheno = pheno.as_ref().map(|path| PhenoFile { path: path.clone(), column });
        match (bfile, vcf, pheno) {
            (Some(file), _, _) if plink::meant(file).is_some() => {
                let prefix = plink::meant(file).unwrap_or_default();
                Err(OptionError::NotAPrefix { file: file.clone(), prefix }.into())
            }
            (Some(prefix), _, pheno) => Ok(Files::Plink { prefix: prefix.clone(), pheno }),
            (None, Some(file), Some(pheno)) => Ok(Files::Vcf { file: file.clone(), pheno }),
            (None, Some(_), None) => Err(OptionError::NoPhenotypes.into()),
            (None, None, _) => Err(OptionError::NoGenotypes.into()),
        }
    }

    /// The name or number of the phenotype in a file with several; `None` for the first.
    pub(super) fn phenotype(&self) -> Option<String> {
        let number = self.mpheno.filter(|number| number.get() > 1).map(|number| format!("number {number}"));
        self.pheno_name.clone().or(number)
    }
}

/// The folder and the name of the files: `cohort` for `data/cohort.bed` and for `data/cohort.vcf.gz`.
pub(super) fn stem(files: &Files) -> (PathBuf, String) {
    let path = match files {
        Files::Plink { prefix, .. } => prefix,
        Files::Vcf { file, .. } => file,
    };
    let name = path.file_name().map_or_else(|| "cohort".into(), |name| name.to_string_lossy().into_owned());
    let name = match files {
        Files::Plink { .. } => name.as_str(),
        Files::Vcf { .. } => name.trim_end_matches(".gz").trim_end_matches(".bgz").trim_end_matches(".vcf"),
    };
    (path.parent().map(Path::to_owned).unwrap_or_default(), name.to_owned())
}

impl Declaration {
    /// The version, which must not be empty.
    pub(super) fn version(&self) -> Result<&str, OptionError> {
        if self.version.trim().is_empty() { Err(OptionError::EmptyVersion) } else { Ok(&self.version) }
    }

    /// The policy, if one is named. It states the population.
    pub(super) fn policy(&self) -> Result<Option<Policy>, Error> {
        apart(&[(self.policy.is_some(), "policy", self.population.is_some(), "population")])?;
        let policy = self.policy.as_ref().map(|path| Policy::load(path)).transpose();
        Ok(policy.map_err(crate::Error::from)?)
    }

    /// The population and its ledger if no policy states them: from the options, or from the name of the files.
    pub(super) fn people(&self, files: &Files) -> Result<(String, PathBuf), OptionError> {
        let (folder, stem) = stem(files);
        let population = self.population.clone().unwrap_or(stem);
        if !deniable_policy::is_population(&population) {
            return Err(OptionError::Population(population));
        }
        let ledger = self.ledger.clone().unwrap_or_else(|| folder.join(format!("{population}.ledger")));
        Ok((population, ledger))
    }

    /// The purpose for which the ledger is opened.
    pub(super) fn purpose<'a>(&self, population: &'a str, source: &'a str) -> Purpose<'a> {
        Purpose { sources: vec![source], other_people: self.other_people, ..Purpose::people(population) }
    }
}

impl ReleaseOptions {
    /// The promise, from the options or from the policy.
    ///
    /// # Errors
    /// When the options state no promise, or one that cannot be kept.
    pub fn cohort_promise(&self) -> Result<CohortPromise, Error> {
        let Declaration { policy: path, ledger, .. } = &self.declared;
        apart(&[
            (path.is_some(), "policy", !self.promise.is_empty(), "promise"),
            (path.is_some(), "policy", self.prior.is_some(), "prior"),
        ])?;
        if let Some(policy) = self.declared.policy()? {
            let promised = CohortPromise::of_policy(&policy)?;
            return Ok(match ledger {
                Some(ledger) => promised.in_ledger(ledger),
                None => promised,
            });
        }
        short(self.promise.iter().filter_map(promised).map(|value| ("promise", value)))?;
        let (population, ledger) = self.declared.people(&self.genotypes.files()?)?;
        let prior = self.prior.clone().unwrap_or_else(PriorRange::any);
        Ok(CohortPromise::new(population, ledger, prior, self.promise.clone())?)
    }

    /// The protected secrets, which must be stated.
    ///
    /// # Errors
    /// When they are not stated.
    pub fn protects(&self) -> Result<Protects, Error> {
        Ok(self.adjacency.ok_or(OptionError::NoAdjacency)?)
    }

    /// The query of the release.
    pub(super) fn request(&self, files: &Files, protects: Protects) -> Result<Query, Error> {
        let Self { threshold, p_value, grid, spend, extract, .. } = self;
        apart(&[
            (threshold.is_some(), "threshold", p_value.is_some(), "p-value"),
            (self.top.is_some(), "top", !self.snps.is_empty(), "snps"),
            (self.top.is_some(), "top", extract.is_some(), "extract"),
            (!self.snps.is_empty(), "snps", extract.is_some(), "extract"),
        ])?;
        for (name, value) in [("threshold", threshold.as_ref()), ("p-value", p_value.as_ref()), ("grid", Some(grid))] {
            if let Some(value) = value.filter(|value| !value.is_positive()) {
                return Err(OptionError::NotPositive { name, value: value.clone() }.into());
            }
        }
        let numbers = [("threshold", threshold.as_ref()), ("p-value", p_value.as_ref())].into_iter();
        let numbers = numbers.filter_map(|(name, value)| Some((name, value?)));
        short(numbers.chain([("grid", grid), ("spend", spend)]))?;
        if !spend.is_positive() || *spend > whole(1) {
            return Err(OptionError::Spend(spend.clone()).into());
        }
        let request = Query {
            source: stem(files).1,
            version: self.declared.version()?.to_owned(),
            phenotype: self.genotypes.phenotype(),
            protects,
            test: self.test,
            fill: self.fill,
            snps: self.chosen()?,
            statistics: self.statistics,
            counts: self.counts,
            share: spend.clone(),
            grid: grid.clone(),
        };
        if request.parts().is_empty() {
            return Err(OptionError::NothingOfSnps.into());
        }
        Ok(request)
    }

    /// The selection of SNPs.
    fn chosen(&self) -> Result<Snps, OptionError> {
        let cut = match (&self.threshold, &self.p_value) {
            (Some(value), _) => Some(Cut::ChiSquare(value.clone())),
            (None, Some(p)) => Some(Cut::PValue(p.clone())),
            (None, None) => None,
        };
        if let Some(picks) = self.top {
            let score = match self.score {
                PickBy::Distance => Score::Distance(cut.ok_or(OptionError::NoThreshold)?),
                PickBy::ChiSquare => Score::ChiSquare,
                PickBy::Noisy => Score::Noisy,
            };
            return Ok(Snps::Top { picks: picks.get(), score });
        }
        let named = match &self.extract {
            Some(file) => names(file)?,
            None => self.snps.iter().map(|name| name.trim().to_owned()).collect(),
        };
        if named.is_empty() { Err(OptionError::Nothing) } else { Ok(Snps::Named(named)) }
    }
}

/// The names in a file, separated by white space, as for PLINK's --extract.
fn names(file: &Path) -> Result<Vec<String>, OptionError> {
    let problem = |problem: String| OptionError::Extract { file: file.to_owned(), problem };
    let text = std::fs::read_to_string(file).map_err(|error| problem(error.to_string()))?;
    let names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if names.is_empty() { Err(problem("it contains no names".to_owned())) } else { Ok(names) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::diagnostic::{Code, Diagnose, Surface};

    fn options() -> ReleaseOptions {
        ReleaseOptions {
            genotypes: Genotypes { bfile: Some("cohort".into()), ..Genotypes::default() },
            promise: vec![Promise::Gain(whole(2))],
            adjacency: Some(Protects::Genotype),
            top: NonZeroUsize::new(1),
            p_value: Some(ratio(1, 20)),
            ..ReleaseOptions::default()
        }
    }

    fn message(options: &ReleaseOptions, surface: Surface) -> Option<String> {
        let error = options.own_files().err()?;
        let diagnostics = error.diagnostics(surface);
        assert!(diagnostics.iter().all(|one| one.code == Code::Usage && one.help().is_some()), "{diagnostics:?}");
        Some(diagnostics.first()?.message().to_owned())
    }

    /// The command line rejects some of these by itself; Python and Rust do not.
    #[test]
    fn invalid_options_are_rejected_by_their_names() {
        assert_eq!(message(&options(), Surface::Library), None);
        let long = deniable_core::exact::power(&ratio(1, 2), 200);
        for (wrong, said) in [
            (ReleaseOptions { threshold: Some(whole(9)), ..options() }, "threshold= and p_value= exclude each other"),
            (ReleaseOptions { p_value: Some(whole(0)), ..options() }, "p_value= 0 is not above 0"),
            (ReleaseOptions { spend: whole(2), ..options() }, "spend= 2 is not above 0 and at most 1"),
            (
                ReleaseOptions { spend: long.clone(), ..options() },
                "spend= has more than 128 binary digits above or below the line",
            ),
            (
                ReleaseOptions { promise: vec![Promise::Epsilon(long)], ..options() },
                "promise= has more than 128 binary digits above or below the line",
            ),
            (
                ReleaseOptions {
                    declared: Declaration { policy: Some("policy.toml".into()), ..Declaration::default() },
                    ..options()
                },
                "policy= and promise= exclude each other",
            ),
        ] {
            assert_eq!(message(&wrong, Surface::Python).as_deref(), Some(said));
        }
    }
}
