//! The words of `gwas`: association results of case-control cohorts.

use super::limits::threads;
use super::output::LedgerFormat;
use super::spend::share;
use clap::ValueEnum;
use deniable::gwas;
use deniable_core::exact::{Rational, parse_rational};
use deniable_genome::CohortAdjacency;
use deniable_genome::simulate::Settings;
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

--adjacency says which secret is kept: with `genotype` that a person took part (one participant's genotypes could be anyone's, \
who is a case is public); with `label-swap` who is a case (a case and a control could exchange labels, the cohort is public); \
with `genotype,label-swap` both. Everything is charged to one ledger, and the same asked again is shown again, free.";

pub const SIMULATE_EXAMPLES: &str = "\
Examples:
  deniable gwas simulate --out cohort
  deniable gwas simulate --cases 1000 --controls 1000 --snps 50000 --odds-ratios 2,1.8,1.5 --seed 7 --out cohort

The same settings and seed make the same files. What was planted goes to standard output, and into PREFIX.causal.tsv.";

/// `deniable gwas`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Gwas {
    /// What to release.
    #[command(flatten)]
    pub release: Release,
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<GwasCommand>,
}

/// What else `deniable gwas` can do.
#[derive(Debug, clap::Subcommand)]
pub enum GwasCommand {
    /// Look at a cohort before anything is released from it, and register its version. Nothing is charged.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Make a case-control cohort with planted causes, as PLINK files.
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(Simulate),
    /// How probably the planted SNPs are found, and how many people that takes. No ledger is charged.
    #[command(after_help = POWER_EXAMPLES)]
    Power(Box<Power>),
}

pub const CHECK_EXAMPLES: &str = "\
Examples:
  deniable gwas check --bfile cohort
  deniable gwas check --vcf cohort.vcf.gz --pheno cohort.pheno --pheno-name asthma --data-version 2024-06
  deniable gwas check --bfile cohort --policy policy.toml

What is found is for the curator alone: people, cases and controls, SNPs, missing genotypes, and what is left out. A release of \
a cohort that is not registered does the same first and stops there; --register goes on in the same run.";

pub const POWER_EXAMPLES: &str = "\
Examples:
  deniable gwas power
  deniable gwas power --participants 2000,4000,8000 --gain 2 --prior any,1/2 --top 2,5 --target 0.9 --chart curves
  deniable gwas power --epsilon 0.5,1,2 --adjacency genotype --score distance,chi2 --odds-ratios 1.5,1.5
  deniable gwas power --bfile cohort --causal rs4111409,rs2324591 --gain 2 --prior any,1/2 --p-value 0.05

No ledger is charged. On simulated cohorts that harms nobody; what is said of your own cohort (--bfile, --vcf) is exact, must \
not be published, and goes to standard error or into --out. The whole promise is spent on one selection. Found is the planted \
SNP itself: with linkage (--block 20) neighbours of a strong cause take picks from the others.";

/// Where the genotypes and the phenotypes are.
#[derive(Debug, Clone, clap::Args)]
pub struct Input {
    /// PREFIX.bed, PREFIX.bim and PREFIX.fam (PLINK 1 binary, SNP-major).
    #[arg(long, value_name = "PREFIX", help_heading = "Data")]
    pub bfile: Option<PathBuf>,
    /// A VCF file, plain or bgzipped; needs --pheno.
    #[arg(long, value_name = "FILE", conflicts_with = "bfile", help_heading = "Data")]
    pub vcf: Option<PathBuf>,
    /// Phenotypes in a file of their own: FID, IID, then 1 (control), 2 (case), or 0, -9, NA (missing).
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub pheno: Option<PathBuf>,
    /// The phenotype of this name, where the first line of --pheno is a header.
    #[arg(long, value_name = "NAME", requires = "pheno", help_heading = "Data")]
    pub pheno_name: Option<String>,
    /// The phenotype of this number, from 1 on.
    #[arg(long, value_name = "N", requires = "pheno", conflicts_with = "pheno_name", help_heading = "Data")]
    pub mpheno: Option<NonZeroUsize>,
}

/// The version, population and ledger that the curator declares for the files.
#[derive(Debug, Clone, clap::Args)]
pub struct DeclaredFiles {
    /// The version of the files: other contents need another.
    #[arg(long, value_name = "VERSION", default_value = "1", help_heading = "Data")]
    pub data_version: String,
    /// The people, as the ledger calls them; by the files' name when not stated.
    #[arg(long, value_name = "NAME", help_heading = "Promise")]
    pub population: Option<String>,
    /// The ledger; POPULATION.ledger beside the files when not stated.
    #[arg(long, value_name = "FILE", help_heading = "Promise")]
    pub ledger: Option<PathBuf>,
    /// State that nobody of this population is in the other ledgers of the folder that know the files or the policy.
    /// Only for a new ledger, and kept in it.
    #[arg(long, help_heading = "Promise")]
    pub other_people: bool,
}

/// `deniable gwas check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The files.
    #[command(flatten)]
    pub input: Input,
    /// What the ledger calls them.
    #[command(flatten)]
    pub declared: DeclaredFiles,
    /// Take the people and the ledger from this policy.
    #[arg(long, value_name = "POLICY", conflicts_with = "population", help_heading = "Promise")]
    pub policy: Option<PathBuf>,
    /// How to write what was found: for people on standard error, or as JSON on standard output.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Read with so many threads instead of all.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// `deniable gwas` itself.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// The files.
    #[command(flatten)]
    pub input: Input,
    /// What the ledger calls them.
    #[command(flatten)]
    pub declared: DeclaredFiles,
    /// Which secret is kept: `genotype` (that a person took part), `label-swap` (who is a case), or both. Required.
    #[arg(long, value_name = "ADJACENCY", value_enum, value_delimiter = ',', help_heading = "Promise")]
    pub adjacency: Vec<Adjacency>,
    /// What is promised.
    #[command(flatten)]
    pub promise: PromiseFlags,
    /// Take the promise, the people and the ledger from this policy, in place of all flags about them.
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["gain", "negative_gain", "posterior_at_most", "posterior_at_least", "epsilon", "prior", "population"], help_heading = "Promise")]
    pub policy: Option<PathBuf>,
    /// What part of the promise this may use in all, such as 1/4 or 25%; all of it when not stated.
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Promise")]
    pub spend: Option<Rational>,
    /// Register a cohort that is not registered as these flags read it, and go on in the same run. Without it, a run that has
    /// to register it stops there.
    #[arg(long, help_heading = "Data")]
    pub register: bool,
    /// What a missing call counts as.
    #[arg(long, value_enum, default_value_t = Fill::HomA2, help_heading = "Data")]
    pub fill: Fill,
    /// Release the names of the M most associated SNPs.
    #[arg(long, value_name = "M", conflicts_with_all = ["snps", "extract"], help_heading = "Releases")]
    pub top: Option<NonZeroUsize>,
    /// By what SNPs are picked: `distance` is the good one, the others are for comparison.
    #[arg(long, value_enum, default_value_t = Score::Distance, help_heading = "Releases")]
    pub score: Score,
    /// A SNP is significant from this χ² on.
    #[arg(long, value_name = "CHI2", value_parser = positive, conflicts_with = "p_value", help_heading = "Releases")]
    pub threshold: Option<Rational>,
    /// A SNP is significant at this p-value divided by the number of SNPs (Bonferroni).
    #[arg(long, value_name = "P", value_parser = positive, help_heading = "Releases")]
    pub p_value: Option<Rational>,
    /// These SNPs, by their names, separated by commas. The list must not come from the data.
    #[arg(long, value_name = "ID,...", value_delimiter = ',', conflicts_with = "extract", help_heading = "Releases")]
    pub snps: Vec<String>,
    /// The SNPs whose names are in this file, one a line. The list must not come from the data.
    #[arg(long, value_name = "FILE", help_heading = "Releases")]
    pub extract: Option<PathBuf>,
    /// Release χ² and p-values of the chosen SNPs, with noise.
    #[arg(long, help_heading = "Releases")]
    pub statistics: bool,
    /// Release allele counts and frequencies of the chosen SNPs, with noise.
    #[arg(long, help_heading = "Releases")]
    pub counts: bool,
    /// Which χ²: of the two alleles, or of the three genotypes.
    #[arg(long, value_enum, default_value_t = Test::Allelic, help_heading = "Releases")]
    pub test: Test,
    /// The steps in which χ² gets its noise.
    #[arg(long, value_name = "STEP", value_parser = positive, default_value = "0.001", help_heading = "Releases")]
    pub grid: Rational,
    /// How to write the results; by the ending of --out, and a table otherwise.
    #[arg(long, value_enum, help_heading = "Output")]
    pub format: Option<GwasFormat>,
    /// Write the results to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write a page as well: the results with pictures, the guarantee, what was spent.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Say what it costs and how far picks and numbers may be off, and stop there.
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    /// Show the true values, which must not be published, on standard error (or in --out). No promise, no ledger.
    #[arg(long, conflicts_with_all = ["report", "dry_run", "counts", "policy", "statistics", "snps", "extract", "format"], help_heading = "Output")]
    pub curator: bool,
    /// Put this promise in place of the recorded one, for everyone, and release nothing. The reason is kept.
    #[arg(long, value_name = "REASON", help_heading = "Promise")]
    pub change_promise: Option<String>,
    /// Compute with so many threads instead of all.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// A promise in flags. All that are given are kept.
#[derive(Debug, clap::Args)]
pub struct PromiseFlags {
    /// Nobody's belief grows to more than this times what it was, nor does doubt shrink by more.
    #[arg(long, value_name = "FACTOR", value_parser = number, help_heading = "Promise")]
    pub gain: Option<Rational>,
    /// The same of disbelief.
    #[arg(long, value_name = "FACTOR", value_parser = number, help_heading = "Promise")]
    pub negative_gain: Option<Rational>,
    /// Nobody becomes more sure than this.
    #[arg(long, value_name = "BELIEF", value_parser = number, help_heading = "Promise")]
    pub posterior_at_most: Option<Rational>,
    /// Nobody becomes less sure than this.
    #[arg(long, value_name = "BELIEF", value_parser = number, help_heading = "Promise")]
    pub posterior_at_least: Option<Rational>,
    /// Plain differential privacy.
    #[arg(long, value_name = "EPSILON", value_parser = number, help_heading = "Promise")]
    pub epsilon: Option<Rational>,
    /// What the observers may have believed beforehand: 1/2, 1/5..4/5, ..1/2 or any; any when not stated.
    #[arg(long, value_name = "BELIEF|LOW..HIGH|any", allow_hyphen_values = true, help_heading = "Promise")]
    pub prior: Option<String>,
}

/// `deniable gwas simulate`.
#[derive(Debug, clap::Args)]
pub struct Simulate {
    /// Write PREFIX.bed, PREFIX.bim, PREFIX.fam and PREFIX.causal.tsv.
    #[arg(long, value_name = "PREFIX")]
    pub out: PathBuf,
    /// How many cases.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub cases: u32,
    /// How many controls.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub controls: u32,
    /// How many SNPs.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub snps: u32,
    /// By what one copy of each planted allele multiplies the odds of disease, separated by commas.
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
    /// How probably a haplotype switches to another founder from one SNP to the next; 1 is no linkage.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.02)]
    pub switch: f64,
    /// How probably a call is missing.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.0)]
    pub missing: f64,
    /// The risk of disease of somebody without any planted allele.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05)]
    pub risk: f64,
    /// The seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How to write what was planted.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// `deniable gwas power`.
#[derive(Debug, clap::Args)]
pub struct Power {
    /// Your own cohort, in place of simulated ones.
    #[command(flatten)]
    pub input: Input,
    /// Of your own cohort, the SNPs that should be found, separated by commas.
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = "Data")]
    pub causal: Vec<String>,
    /// What a missing call of your own cohort counts as.
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
    /// Simulated cohorts of each size.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = "Simulation")]
    pub seeds: u64,
    /// How many SNPs.
    #[arg(long = "simulated-snps", value_name = "N", default_value_t = 1_000, help_heading = "Simulation")]
    pub simulated_snps: u32,
    /// By what one copy of each planted allele multiplies the odds of disease, separated by commas.
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
    /// SNPs in a block of linkage; 1 is no linkage.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Simulation")]
    pub block: u32,
    /// The risk of disease of somebody without any planted allele.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, help_heading = "Simulation")]
    pub risk: f64,
    /// Promises of gain, separated by commas.
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', value_parser = number, help_heading = "Promise")]
    pub gain: Vec<Rational>,
    /// Promises of plain differential privacy, separated by commas.
    #[arg(long, value_name = "EPSILON,...", value_delimiter = ',', value_parser = number, help_heading = "Promise")]
    pub epsilon: Vec<Rational>,
    /// Prior beliefs, separated by commas: any, 1/2, 1/5..4/5.
    #[arg(long, value_name = "PRIOR,...", value_delimiter = ',', default_value = "any,1/2", help_heading = "Promise")]
    pub prior: Vec<String>,
    /// Which secret is kept.
    #[arg(
        long,
        value_name = "ADJACENCY,...",
        value_enum,
        value_delimiter = ',',
        default_value = "genotype,label-swap",
        help_heading = "Promise"
    )]
    pub adjacency: Vec<Adjacency>,
    /// How many SNPs are picked; as many as are planted when not stated.
    #[arg(long, value_name = "M,...", value_delimiter = ',', help_heading = "Releases")]
    pub top: Vec<usize>,
    /// By what SNPs are picked.
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
    /// P-values that are divided by the number of SNPs; 0.05 where no threshold is stated.
    #[arg(long, value_name = "P,...", value_delimiter = ',', value_parser = positive, help_heading = "Releases")]
    pub p_value: Vec<Rational>,
    /// Which χ².
    #[arg(long, value_enum, default_value_t = Test::Allelic, help_heading = "Releases")]
    pub test: Test,
    /// The steps in which χ² gets its noise.
    #[arg(long, value_name = "STEP", value_parser = positive, default_value = "0.01", help_heading = "Releases")]
    pub grid: Rational,
    /// Say how many participants it takes to find all planted SNPs this probably.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.5, help_heading = "Output")]
    pub target: f64,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Write the table to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Draw the curves: PREFIX-genotype.svg, PREFIX-label-swap.svg.
    #[arg(long, value_name = "PREFIX", help_heading = "Output")]
    pub chart: Option<PathBuf>,
    /// Compute with so many threads instead of all.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// Which secret is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Adjacency {
    /// That a person took part.
    Genotype,
    /// Who is a case.
    LabelSwap,
}

/// By what SNPs are picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Score {
    /// How many people would have to change before the SNP crosses the threshold.
    Distance,
    /// χ² as weights.
    Chi2,
    /// The largest χ² after noise.
    Noisy,
}

/// Which χ².
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Test {
    /// Of the two alleles, as PLINK's --assoc.
    Allelic,
    /// Of the three genotypes, as PLINK's --model.
    Genotypic,
}

/// What a missing call counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fill {
    /// Two copies of A2, the reference allele of a VCF file.
    HomA2,
    /// One copy of each.
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
    /// The files, as the library takes them.
    pub fn genotypes(&self) -> gwas::Genotypes {
        let Self { bfile, vcf, pheno, pheno_name, mpheno } = self.clone();
        gwas::Genotypes { bfile, vcf, pheno, pheno_name, mpheno }
    }
}

impl DeclaredFiles {
    /// The declaration, as the library takes it.
    pub fn declaration(&self, policy: Option<&PathBuf>) -> gwas::Declaration {
        let Self { data_version, population, ledger, other_people } = self.clone();
        gwas::Declaration { version: data_version, policy: policy.cloned(), population, ledger, other_people }
    }
}

impl Simulate {
    /// The cohort, as the library takes it.
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

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GwasFormat {
    /// For reading, with the guarantee.
    Table,
    /// Tab-separated, a line for each SNP; the guarantee goes to standard error.
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
