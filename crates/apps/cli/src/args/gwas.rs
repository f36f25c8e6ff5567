//! Arguments of `gwas`: association results of case-control cohorts.

use super::limits::threads;
use super::output::LedgerFormat;
use super::spend::share;
use clap::ValueEnum;
use deniable::gwas;
use deniable::gwas::{CohortAdjacency, Settings};
use deniable_core::exact::{Rational, parse_rational};
use std::num::NonZeroUsize;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  deniable gwas simulate --out cohort
  deniable gwas check --bfile cohort
  deniable gwas --bfile cohort --gain 2 --prior 1/2 --adjacency label-swap --top 5 --threshold 19.5 --out picks.tsv
  deniable gwas --bfile cohort --gain 2 --prior 1/2 --adjacency label-swap --top 5 --p-value 0.05 --counts --spend 1/2
  deniable gwas --vcf cohort.vcf.gz --pheno cohort.pheno --epsilon 1 --adjacency genotype --snps rs1,rs2 --statistics
  deniable gwas --bfile cohort --curator --top 20

--adjacency chooses the secret. `genotype` protects participation: the genotypes of one participant may be replaced by \
any others, and case status is public. `label-swap` protects case status: a case and a control may exchange labels, \
and the cohort is public. `genotype,label-swap` protects both. Everything is charged to one ledger; repeating a \
release prints the stored results, free.";

pub const SIMULATE_EXAMPLES: &str = "\
Examples:
  deniable gwas simulate --out cohort
  deniable gwas simulate --cases 1000 --controls 1000 --snps 50000 --odds-ratios 2,1.8,1.5 --seed 7 --out cohort

The same settings and seed make the same files. The planted SNPs are printed and written to PREFIX.causal.tsv.";

/// `deniable gwas`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Gwas {
    /// Arguments of a release, when there is no subcommand.
    #[command(flatten)]
    pub release: Release,
    /// The subcommand, if any.
    #[command(subcommand)]
    pub command: Option<GwasCommand>,
}

/// The subcommands of `deniable gwas`.
#[derive(Debug, clap::Subcommand)]
pub enum GwasCommand {
    /// Check a cohort before its first release, and register its version. Nothing is charged.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Simulate a case-control cohort with planted causal SNPs, as PLINK files.
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(Simulate),
    /// Estimate the power: how probably planted SNPs are found, and with how many participants. No ledger is charged.
    #[command(after_help = POWER_EXAMPLES)]
    Power(Box<Power>),
}

pub const CHECK_EXAMPLES: &str = "\
Examples:
  deniable gwas check --bfile cohort
  deniable gwas check --vcf cohort.vcf.gz --pheno cohort.pheno --pheno-name asthma --data-version 2024-06
  deniable gwas check --bfile cohort --policy policy.toml

The findings are for the curator alone: numbers of people, cases, controls, SNPs and missing genotypes, and \
exclusions. A release of a cohort that is not registered does the same first and stops; with --register it continues \
in the same run.";

pub const POWER_EXAMPLES: &str = "\
Examples:
  deniable gwas power
  deniable gwas power --participants 2000,4000,8000 --gain 2 --prior any,1/2 --top 2,5 --target 0.9 --chart curves
  deniable gwas power --epsilon 0.5,1,2 --adjacency genotype --score distance,chi2 --odds-ratios 1.5,1.5
  deniable gwas power --bfile cohort --causal rs4111409,rs2324591 --gain 2 --prior any,1/2 --p-value 0.05

No ledger is charged. Simulated cohorts contain no real people. Results about your own cohort (--bfile, --vcf) are \
exact, must not be published, and go to standard error or into --out. The whole promise is spent on one selection. \
Only the planted SNP itself counts as found: with linkage (--block 20), neighbours of a strong cause take picks from \
the other causes.";

/// Files of genotypes and phenotypes.
#[derive(Debug, Clone, clap::Args)]
pub struct Input {
    /// PREFIX.bed, PREFIX.bim and PREFIX.fam (PLINK 1 binary, SNP-major).
    #[arg(long, value_name = "PREFIX", help_heading = "Data")]
    pub bfile: Option<PathBuf>,
    /// A VCF file, plain or bgzipped; needs --pheno.
    #[arg(long, value_name = "FILE", conflicts_with = "bfile", help_heading = "Data")]
    pub vcf: Option<PathBuf>,
    /// A separate file of phenotypes: FID, IID, then 1 (control), 2 (case), or 0, -9, NA (missing).
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub pheno: Option<PathBuf>,
    /// The name of the phenotype, if the first line of --pheno is a header.
    #[arg(long, value_name = "NAME", requires = "pheno", help_heading = "Data")]
    pub pheno_name: Option<String>,
    /// The number of the phenotype, counted from 1.
    #[arg(long, value_name = "N", requires = "pheno", conflicts_with = "pheno_name", help_heading = "Data")]
    pub mpheno: Option<NonZeroUsize>,
}

/// The version, population and ledger that the curator declares for the files.
#[derive(Debug, Clone, clap::Args)]
pub struct DeclaredFiles {
    /// The version of the files; changed contents need a new version.
    #[arg(long, value_name = "VERSION", default_value = "1", help_heading = "Data")]
    pub data_version: String,
    /// The ledger's name for these people; the name of the files if omitted.
    #[arg(long, value_name = "NAME", help_heading = "Promise")]
    pub population: Option<String>,
    /// The ledger; POPULATION.ledger beside the files if omitted.
    #[arg(long, value_name = "FILE", help_heading = "Promise")]
    pub ledger: Option<PathBuf>,
    /// State that the other ledgers of the folder that mention the files or the policy are about other people. Only for
    /// a new ledger, which records it.
    #[arg(long, help_heading = "Promise")]
    pub other_people: bool,
}

/// `deniable gwas check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The files.
    #[command(flatten)]
    pub input: Input,
    /// Version, population and ledger.
    #[command(flatten)]
    pub declared: DeclaredFiles,
    /// Take the people and the ledger from this policy.
    #[arg(long, value_name = "POLICY", conflicts_with = "population", help_heading = "Promise")]
    pub policy: Option<PathBuf>,
    /// Output format of the findings: a table on standard error, or JSON on standard output.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Number of threads for reading; all if omitted.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// `deniable gwas` itself.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// The files.
    #[command(flatten)]
    pub input: Input,
    /// Version, population and ledger.
    #[command(flatten)]
    pub declared: DeclaredFiles,
    /// The secret: `genotype` (participation), `label-swap` (case status), or both. Required.
    #[arg(long, value_name = "ADJACENCY", value_enum, value_delimiter = ',', help_heading = "Promise")]
    pub adjacency: Vec<Adjacency>,
    /// The promise.
    #[command(flatten)]
    pub promise: PromiseFlags,
    /// Take the promise, the people and the ledger from this policy, instead of flags.
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["gain", "negative_gain", "posterior_at_most", "posterior_at_least", "epsilon", "prior", "population"], help_heading = "Promise")]
    pub policy: Option<PathBuf>,
    /// The part of the promise that this command may use in total, such as 1/4 or 25%; all of it if omitted.
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Promise")]
    pub spend: Option<Rational>,
    /// Register a cohort that is not registered as these flags read it, and continue in the same run. Without this
    /// flag, the run stops after registering.
    #[arg(long, help_heading = "Data")]
    pub register: bool,
    /// The genotype that replaces a missing call.
    #[arg(long, value_enum, default_value_t = Fill::HomA2, help_heading = "Data")]
    pub fill: Fill,
    /// Release the names of the M most associated SNPs.
    #[arg(long, value_name = "M", conflicts_with_all = ["snps", "extract"], help_heading = "Releases")]
    pub top: Option<NonZeroUsize>,
    /// The score that ranks SNPs: `distance` is recommended, the others are for comparison.
    #[arg(long, value_enum, default_value_t = Score::Distance, help_heading = "Releases")]
    pub score: Score,
    /// The smallest χ² at which a SNP is significant.
    #[arg(long, value_name = "CHI2", value_parser = positive, conflicts_with = "p_value", help_heading = "Releases")]
    pub threshold: Option<Rational>,
    /// The p-value at which a SNP is significant; it is divided by the number of SNPs (Bonferroni).
    #[arg(long, value_name = "P", value_parser = positive, help_heading = "Releases")]
    pub p_value: Option<Rational>,
    /// Names of the SNPs to release, separated by commas. The list must not depend on the data.
    #[arg(long, value_name = "ID,...", value_delimiter = ',', conflicts_with = "extract", help_heading = "Releases")]
    pub snps: Vec<String>,
    /// A file with the names of the SNPs to release, one per line. The list must not depend on the data.
    #[arg(long, value_name = "FILE", help_heading = "Releases")]
    pub extract: Option<PathBuf>,
    /// Release χ² and p-values of the chosen SNPs, with noise.
    #[arg(long, help_heading = "Releases")]
    pub statistics: bool,
    /// Release allele counts and frequencies of the chosen SNPs, with noise.
    #[arg(long, help_heading = "Releases")]
    pub counts: bool,
    /// The χ² test: on the two alleles, or on the three genotypes.
    #[arg(long, value_enum, default_value_t = Test::Allelic, help_heading = "Releases")]
    pub test: Test,
    /// The step of the grid on which χ² gets its noise.
    #[arg(long, value_name = "STEP", value_parser = positive, default_value = "0.001", help_heading = "Releases")]
    pub grid: Rational,
    /// Output format; by the extension of --out if omitted, else a table.
    #[arg(long, value_enum, help_heading = "Output")]
    pub format: Option<GwasFormat>,
    /// Write the results to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Also write a page: the results with charts, the guarantee, and the spending.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print the cost and the expected errors of picks and numbers, and stop.
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    /// Print the true values, which must not be published, to standard error (or --out). No promise, no ledger.
    #[arg(long, conflicts_with_all = ["report", "dry_run", "counts", "policy", "statistics", "snps", "extract", "format"], help_heading = "Output")]
    pub curator: bool,
    /// Replace the recorded promise, for all users of the ledger, and release nothing. The ledger records the reason.
    #[arg(long, value_name = "REASON", help_heading = "Promise")]
    pub change_promise: Option<String>,
    /// Number of threads; all if omitted.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// A promise in flags. Every given flag is promised.
#[derive(Debug, clap::Args)]
pub struct PromiseFlags {
    /// An observer's belief grows, and doubt shrinks, by at most this factor.
    #[arg(long, value_name = "FACTOR", value_parser = number, help_heading = "Promise")]
    pub gain: Option<Rational>,
    /// An observer's belief in absence grows, and doubt of it shrinks, by at most this factor.
    #[arg(long, value_name = "FACTOR", value_parser = number, help_heading = "Promise")]
    pub negative_gain: Option<Rational>,
    /// No observer's belief rises above this.
    #[arg(long, value_name = "BELIEF", value_parser = number, help_heading = "Promise")]
    pub posterior_at_most: Option<Rational>,
    /// No observer's belief falls below this.
    #[arg(long, value_name = "BELIEF", value_parser = number, help_heading = "Promise")]
    pub posterior_at_least: Option<Rational>,
    /// The ε of pure differential privacy.
    #[arg(long, value_name = "EPSILON", value_parser = number, help_heading = "Promise")]
    pub epsilon: Option<Rational>,
    /// Prior beliefs of observers: 1/2, 1/5..4/5, ..1/2 or any; any if omitted.
    #[arg(long, value_name = "BELIEF|LOW..HIGH|any", allow_hyphen_values = true, help_heading = "Promise")]
    pub prior: Option<String>,
}

/// `deniable gwas simulate`.
#[derive(Debug, clap::Args)]
pub struct Simulate {
    /// Write PREFIX.bed, PREFIX.bim, PREFIX.fam and PREFIX.causal.tsv.
    #[arg(long, value_name = "PREFIX")]
    pub out: PathBuf,
    /// Number of cases.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub cases: u32,
    /// Number of controls.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub controls: u32,
    /// Number of SNPs.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub snps: u32,
    /// Odds ratios of disease per copy of each planted allele, separated by commas.
    #[arg(long, value_name = "RATIO,...", value_delimiter = ',', default_value = "2,2,2,2,2")]
    pub odds_ratios: Vec<f64>,
    /// Frequencies of the counted alleles.
    #[arg(long, value_name = "LOW..HIGH", default_value = "0.1..0.5", value_parser = interval)]
    pub frequencies: (f64, f64),
    /// SNPs in a block of linkage; blocks are independent of each other.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub block: u32,
    /// Founder haplotypes of a block.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub founders: u32,
    /// Probability that a haplotype switches to another founder between adjacent SNPs; 1 means no linkage.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.02)]
    pub switch: f64,
    /// Probability that a call is missing.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.0)]
    pub missing: f64,
    /// Risk of disease of a person without any planted allele.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05)]
    pub risk: f64,
    /// Seed of the random generator.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Output format of the planted SNPs.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// `deniable gwas power`.
#[derive(Debug, clap::Args)]
pub struct Power {
    /// Your own cohort, in place of simulated ones.
    #[command(flatten)]
    pub input: Input,
    /// The SNPs of your own cohort that should be found, separated by commas.
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = "Data")]
    pub causal: Vec<String>,
    /// The genotype that replaces a missing call of your own cohort.
    #[arg(long, value_enum, default_value_t = Fill::HomA2, help_heading = "Data")]
    pub fill: Fill,
    /// Sizes of simulated cohorts: cases and controls together, half of each.
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "1000,2000,4000,8000",
        help_heading = "Simulation"
    )]
    pub participants: Vec<u32>,
    /// Number of simulated cohorts of each size.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = "Simulation")]
    pub seeds: u64,
    /// Number of SNPs.
    #[arg(long = "simulated-snps", value_name = "N", default_value_t = 1_000, help_heading = "Simulation")]
    pub simulated_snps: u32,
    /// Odds ratios of disease per copy of each planted allele, separated by commas.
    #[arg(
        long,
        value_name = "RATIO,...",
        value_delimiter = ',',
        default_value = "1.5,1.5",
        help_heading = "Simulation"
    )]
    pub odds_ratios: Vec<f64>,
    /// Frequencies of the counted alleles.
    #[arg(long, value_name = "LOW..HIGH", default_value = "0.1..0.5", value_parser = interval, help_heading = "Simulation")]
    pub frequencies: (f64, f64),
    /// SNPs in a block of linkage; 1 means no linkage.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Simulation")]
    pub block: u32,
    /// Risk of disease of a person without any planted allele.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, help_heading = "Simulation")]
    pub risk: f64,
    /// Promises of gain, separated by commas.
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', value_parser = number, help_heading = "Promise")]
    pub gain: Vec<Rational>,
    /// Promises of pure differential privacy, separated by commas.
    #[arg(long, value_name = "EPSILON,...", value_delimiter = ',', value_parser = number, help_heading = "Promise")]
    pub epsilon: Vec<Rational>,
    /// Prior beliefs, separated by commas: any, 1/2, 1/5..4/5.
    #[arg(long, value_name = "PRIOR,...", value_delimiter = ',', default_value = "any,1/2", help_heading = "Promise")]
    pub prior: Vec<String>,
    /// The secrets to protect.
    #[arg(
        long,
        value_name = "ADJACENCY,...",
        value_enum,
        value_delimiter = ',',
        default_value = "genotype,label-swap",
        help_heading = "Promise"
    )]
    pub adjacency: Vec<Adjacency>,
    /// Number of SNPs to pick; the number of planted SNPs if omitted.
    #[arg(long, value_name = "M,...", value_delimiter = ',', help_heading = "Releases")]
    pub top: Vec<usize>,
    /// The score that ranks SNPs.
    #[arg(
        long,
        value_name = "SCORE,...",
        value_enum,
        value_delimiter = ',',
        default_value = "distance",
        help_heading = "Releases"
    )]
    pub score: Vec<Score>,
    /// Thresholds on χ².
    #[arg(long, value_name = "CHI2,...", value_delimiter = ',', value_parser = positive, help_heading = "Releases")]
    pub threshold: Vec<Rational>,
    /// P-values, divided by the number of SNPs; 0.05 if no threshold is given.
    #[arg(long, value_name = "P,...", value_delimiter = ',', value_parser = positive, help_heading = "Releases")]
    pub p_value: Vec<Rational>,
    /// The χ² test.
    #[arg(long, value_enum, default_value_t = Test::Allelic, help_heading = "Releases")]
    pub test: Test,
    /// The step of the grid on which χ² gets its noise.
    #[arg(long, value_name = "STEP", value_parser = positive, default_value = "0.01", help_heading = "Releases")]
    pub grid: Rational,
    /// Report the number of participants at which all planted SNPs are found with this probability.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.5, help_heading = "Output")]
    pub target: f64,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Write the table to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Draw the curves: PREFIX-genotype.svg, PREFIX-label-swap.svg.
    #[arg(long, value_name = "PREFIX", help_heading = "Output")]
    pub chart: Option<PathBuf>,
    /// Number of threads; all if omitted.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// The protected secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Adjacency {
    /// Participation.
    Genotype,
    /// Case status.
    LabelSwap,
}

/// Score that ranks SNPs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Score {
    /// Number of people who would have to change before the SNP crosses the threshold.
    Distance,
    /// χ² as weights.
    Chi2,
    /// The largest χ² after noise.
    Noisy,
}

/// Variant of the χ² test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Test {
    /// On the two alleles, as PLINK's --assoc.
    Allelic,
    /// On the three genotypes, as PLINK's --model.
    Genotypic,
}

/// Genotype that replaces a missing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fill {
    /// Two copies of A2, the reference allele of a VCF file.
    HomA2,
    /// One copy of each allele.
    Het,
    /// Two copies of A1.
    HomA1,
}

impl From<Test> for gwas::Test {
    fn from(test: Test) -> Self {
        match test {
            Test::Allelic => Self::Allelic,
            Test::Genotypic => Self::Genotypic,
        }
    }
}

impl From<Fill> for gwas::Fill {
    fn from(fill: Fill) -> Self {
        match fill {
            Fill::HomA2 => Self::HomozygousA2,
            Fill::Het => Self::Heterozygous,
            Fill::HomA1 => Self::HomozygousA1,
        }
    }
}

impl From<Score> for gwas::PickBy {
    fn from(score: Score) -> Self {
        match score {
            Score::Distance => Self::Distance,
            Score::Chi2 => Self::ChiSquare,
            Score::Noisy => Self::Noisy,
        }
    }
}

impl From<Adjacency> for CohortAdjacency {
    fn from(adjacency: Adjacency) -> Self {
        match adjacency {
            Adjacency::Genotype => Self::Genotype,
            Adjacency::LabelSwap => Self::LabelSwap,
        }
    }
}

impl Input {
    /// Converts to the library's type.
    pub fn genotypes(&self) -> gwas::Genotypes {
        let Self { bfile, vcf, pheno, pheno_name, mpheno } = self.clone();
        gwas::Genotypes { bfile, vcf, pheno, pheno_name, mpheno }
    }
}

impl DeclaredFiles {
    /// Converts to the library's type.
    pub fn declaration(&self, policy: Option<&PathBuf>) -> gwas::Declaration {
        let Self { data_version, population, ledger, other_people } = self.clone();
        gwas::Declaration { version: data_version, policy: policy.cloned(), population, ledger, other_people }
    }
}

impl Simulate {
    /// Converts to the library's type.
    pub fn settings(&self) -> Settings {
        Settings {
            cases: self.cases,
            controls: self.controls,
            snps: self.snps,
            frequencies: self.frequencies,
            block: self.block,
            founders: self.founders,
            switch: self.switch,
            missing: self.missing,
            risk: self.risk,
            causes: self.odds_ratios.clone(),
        }
    }
}

/// Output format of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GwasFormat {
    /// For reading, with the guarantee.
    Table,
    /// Tab-separated, one line per SNP; the guarantee goes to standard error.
    Tsv,
    /// Everything, for programs.
    Json,
}

fn number(text: &str) -> Result<Rational, String> {
    parse_rational(text).map_err(|error| error.to_string())
}

fn positive(text: &str) -> Result<Rational, String> {
    let value = number(text)?;
    if value > deniable_core::exact::whole(0) { Ok(value) } else { Err("write a number above 0".to_owned()) }
}

fn interval(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    ends.ok_or_else(|| "write two numbers, as in 0.1..0.5".to_owned())
}
