//! The words of `attack`: what a known adversary learns from a release.

use super::output::Results;
use clap::ValueEnum;
use deniable_core::exact::{Rational, parse_rational};
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  deniable attack lr --released picks.tsv --reference others --targets people --members in.txt --others out.txt --ledger cohort.ledger
  deniable attack homer --released study.frq --reference population.vcf.gz --targets people.vcf.gz --members in.txt --others rest
  deniable attack linkage --released published.csv --auxiliary register.csv --on zip,birth,sex --truth id
  deniable attack ratings --released ratings.csv --auxiliary known.csv --person user --item film --rating stars --day date --same-names

An attack that fails says that this attack fails, no more (docs/how-to/attack.md). What is measured on people of whom the truth is \
known is for the curator, and not for publication.";

/// `deniable attack`.
#[derive(Debug, clap::Subcommand)]
pub enum Attack {
    /// Who took part? Homer's statistic: is a target nearer to the released frequencies than to those of people at large?
    #[command(after_help = "\
Examples:
  deniable attack homer --released study.frq --reference population.vcf.gz --targets people.vcf.gz
  deniable attack homer --released study.frq --reference population --targets people --members in.txt --others rest")]
    Homer(Membership),
    /// Who took part? The likelihood ratio of the released frequencies against those of people at large.
    #[command(after_help = "\
Examples:
  deniable attack lr --released picks.tsv --reference others --targets people --scores scores.tsv
  deniable attack lr --released picks.tsv --reference others --targets people --members in.txt --others out.txt --ledger cohort.ledger")]
    Lr(Membership),
    /// Whose row is this? A table without names joined with a register, on columns that both have.
    #[command(after_help = "\
Examples:
  deniable attack linkage --released published.csv --auxiliary register.csv --on zip,birth,sex
  deniable attack linkage --released published.csv --auxiliary register.csv --on zip,birth,sex --truth id --report page.html")]
    Linkage(Linkage),
    /// Whose ratings are these? Sparse records matched by a few items, with ratings and days that are roughly known.
    #[command(after_help = "\
Examples:
  deniable attack ratings --released ratings.csv --auxiliary known.csv --person user --item film --rating stars --day date \
--same-names")]
    Ratings(Ratings),
}

/// How results are written.
#[derive(Debug, clap::Args)]
pub struct Output {
    /// How results are written.
    #[command(flatten)]
    pub results: Results,
    /// The coverage of intervals.
    #[arg(long, value_name = "PROBABILITY", default_value = "95%", value_parser = parse_rational, help_heading = "Output")]
    pub confidence: Rational,
}

/// `deniable attack homer` and `lr`.
#[derive(Debug, clap::Args)]
pub struct Membership {
    /// The released frequencies: what `deniable gwas --counts` writes, or PLINK's .frq or .assoc.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub released: PathBuf,
    /// People at large, who are not in the pool: a table as --released, a PLINK prefix, or a VCF file.
    #[arg(long, value_name = "FILE|PREFIX", help_heading = "Data")]
    pub reference: PathBuf,
    /// Of the people of --reference only these: FID and IID, or the individual, one a line.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub reference_people: Option<PathBuf>,
    /// The genotypes of those of whom it is asked: a PLINK prefix or a VCF file.
    #[arg(long, value_name = "PREFIX|FILE", help_heading = "Data")]
    pub targets: PathBuf,
    /// Targets who are known to be in the pool: FID and IID, or the individual, one a line.
    #[arg(long, value_name = "FILE", requires = "others", help_heading = "Truth")]
    pub members: Option<PathBuf>,
    /// Targets who are known not to be in the pool; `rest` for all who are not among --members.
    #[arg(long, value_name = "FILE|rest", requires = "members", help_heading = "Truth")]
    pub others: Option<PathBuf>,
    /// Whose frequencies of a table that has both: the cases' are what is attacked.
    #[arg(long, value_enum, default_value_t = Pool::Cases, help_heading = "Data")]
    pub pool: Pool,
    /// Frequencies are moved at least so far from 0 and 1 before logarithms are taken (lr).
    #[arg(long, value_name = "FREQUENCY", default_value = "0.001", help_heading = "Data")]
    pub clamp: f64,
    /// The ledger that the release was charged to: what it promises stands beside what is measured.
    #[arg(long, value_name = "FILE", help_heading = "Promise")]
    pub ledger: Option<PathBuf>,
    /// Take the bound from this entry of the ledger alone, not from everything released about these people.
    #[arg(long, value_name = "N", requires = "ledger", help_heading = "Promise")]
    pub entry: Option<u64>,
    /// Write every target's statistic to this file, tab-separated.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub scores: Option<PathBuf>,
    /// The rest.
    #[command(flatten)]
    pub output: Output,
}

/// Whose frequencies are attacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pool {
    /// F_A, or MAF where the table does not tell cases from controls.
    Cases,
    /// F_U, or MAF.
    Controls,
}

/// `deniable attack linkage`.
#[derive(Debug, clap::Args)]
pub struct Linkage {
    /// The table that was published without names (CSV, or tab-separated as .tsv).
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub released: PathBuf,
    /// The register: people with names, and some of the same columns.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub auxiliary: PathBuf,
    /// The columns to join on, which both tables have.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', required = true, help_heading = "Data")]
    pub on: Vec<String>,
    /// A column of both tables that says who somebody is: then matches are right or wrong, and people in no row the baseline.
    #[arg(long, value_name = "COLUMN", help_heading = "Truth")]
    pub truth: Option<String>,
    /// More people who are known not to be in the data, for the baseline.
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub outsiders: Option<PathBuf>,
    /// The rest.
    #[command(flatten)]
    pub output: Output,
}

/// `deniable attack ratings`.
#[derive(Debug, clap::Args)]
pub struct Ratings {
    /// The published ratings, a line for each item of each record (CSV, or tab-separated as .tsv).
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub released: PathBuf,
    /// What is known of people: the same columns, a few items each.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub auxiliary: PathBuf,
    /// The column that says whose line it is.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub person: String,
    /// The column of items: films, words that were searched for, shops.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub item: String,
    /// The column of ratings, numbers.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub rating: Option<String>,
    /// The column of days: dates as 2006-10-02, or whole numbers.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub day: Option<String>,
    /// Records are called as people are: then matches are right or wrong, and people without a record the baseline.
    #[arg(long, help_heading = "Truth")]
    pub same_names: bool,
    /// More people who are known not to be in the data, for the baseline.
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub outsiders: Option<PathBuf>,
    /// Ratings agree that differ by at most this.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, help_heading = "Matching")]
    pub rating_within: f64,
    /// Days agree that differ by at most so many.
    #[arg(long, value_name = "DAYS", default_value_t = 14, help_heading = "Matching")]
    pub days_within: u32,
    /// In how many items the best record must agree.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Matching")]
    pub items: u32,
    /// How many standard deviations the best record must be ahead of the second.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.5, help_heading = "Matching")]
    pub ahead: f64,
    /// The rest.
    #[command(flatten)]
    pub output: Output,
}
