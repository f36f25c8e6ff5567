//! Arguments of `attack`, which measures what a known adversary learns from a release.

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

A failed attack shows only that this attack fails (docs/how-to/attack.md). Measurements on people whose membership is known \
are for the curator and must not be published.";

/// `deniable attack`.
#[derive(Debug, clap::Subcommand)]
pub enum Attack {
    /// Who took part? Homer's statistic: is a target closer to the released frequencies than to the reference?
    #[command(after_help = "\
Examples:
  deniable attack homer --released study.frq --reference population.vcf.gz --targets people.vcf.gz
  deniable attack homer --released study.frq --reference population --targets people --members in.txt --others rest")]
    Homer(Membership),
    /// Who took part? The likelihood ratio of the released frequencies against the reference.
    #[command(after_help = "\
Examples:
  deniable attack lr --released picks.tsv --reference others --targets people --scores scores.tsv
  deniable attack lr --released picks.tsv --reference others --targets people --members in.txt --others out.txt --ledger cohort.ledger")]
    Lr(Membership),
    /// Whose row is this? Joins a table without names with a register, on columns that both have.
    #[command(after_help = "\
Examples:
  deniable attack linkage --released published.csv --auxiliary register.csv --on zip,birth,sex
  deniable attack linkage --released published.csv --auxiliary register.csv --on zip,birth,sex --truth id --report page.html")]
    Linkage(Linkage),
    /// Whose ratings are these? Matches sparse records by a few items whose ratings and days are roughly known.
    #[command(after_help = "\
Examples:
  deniable attack ratings --released ratings.csv --auxiliary known.csv --person user --item film --rating stars --day date \
--same-names")]
    Ratings(Ratings),
}

/// Output options that all attacks share.
#[derive(Debug, clap::Args)]
pub struct Output {
    /// Format and files of the results.
    #[command(flatten)]
    pub results: Results,
    /// The coverage of confidence intervals.
    #[arg(long, value_name = "PROBABILITY", default_value = "95%", value_parser = parse_rational, help_heading = "Output")]
    pub confidence: Rational,
}

/// `deniable attack homer` and `lr`.
#[derive(Debug, clap::Args)]
pub struct Membership {
    /// The released frequencies: a table of `deniable gwas --counts`, or PLINK's .frq or .assoc.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub released: PathBuf,
    /// The reference population, of people outside the pool: a table as for --released, a PLINK prefix, or a VCF file.
    #[arg(long, value_name = "FILE|PREFIX", help_heading = "Data")]
    pub reference: PathBuf,
    /// Use only these people of --reference: FID and IID, or the individual's ID, one per line.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub reference_people: Option<PathBuf>,
    /// The genotypes of the people to test: a PLINK prefix or a VCF file.
    #[arg(long, value_name = "PREFIX|FILE", help_heading = "Data")]
    pub targets: PathBuf,
    /// Targets known to be in the pool: FID and IID, or the individual's ID, one per line.
    #[arg(long, value_name = "FILE", requires = "others", help_heading = "Truth")]
    pub members: Option<PathBuf>,
    /// Targets known not to be in the pool; `rest` for all targets that --members does not list.
    #[arg(long, value_name = "FILE|rest", requires = "members", help_heading = "Truth")]
    pub others: Option<PathBuf>,
    /// The group whose frequencies are attacked, in a table that has both cases and controls.
    #[arg(long, value_enum, default_value_t = Pool::Cases, help_heading = "Data")]
    pub pool: Pool,
    /// Move frequencies at least this far from 0 and 1 before taking logarithms (lr only).
    #[arg(long, value_name = "FREQUENCY", default_value = "0.001", help_heading = "Data")]
    pub clamp: f64,
    /// The ledger that the release was charged to: the report shows its promise beside the measurement.
    #[arg(long, value_name = "FILE", help_heading = "Promise")]
    pub ledger: Option<PathBuf>,
    /// Take the bound from this entry of the ledger alone, instead of all releases about these people.
    #[arg(long, value_name = "N", requires = "ledger", help_heading = "Promise")]
    pub entry: Option<u64>,
    /// Write every target's statistic to this file, tab-separated.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub scores: Option<PathBuf>,
    /// Format, files and confidence of the results.
    #[command(flatten)]
    pub output: Output,
}

/// The group whose frequencies are attacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pool {
    /// F_A, or MAF where the table does not distinguish cases from controls.
    Cases,
    /// F_U, or MAF where the table does not distinguish cases from controls.
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
    /// A column of both tables that identifies the person. Matches are then scored, and people without a row are the
    /// baseline.
    #[arg(long, value_name = "COLUMN", help_heading = "Truth")]
    pub truth: Option<String>,
    /// More people who are known not to be in the data, for the baseline.
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub outsiders: Option<PathBuf>,
    /// Format, files and confidence of the results.
    #[command(flatten)]
    pub output: Output,
}

/// `deniable attack ratings`.
#[derive(Debug, clap::Args)]
pub struct Ratings {
    /// The published ratings, one line per item and record (CSV, or tab-separated as .tsv).
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub released: PathBuf,
    /// Known ratings of people: the same columns, a few items each.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub auxiliary: PathBuf,
    /// The column that identifies the person or record of a line.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub person: String,
    /// The column of items, such as films, search terms or shops.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub item: String,
    /// The column of ratings, which are numbers.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub rating: Option<String>,
    /// The column of days: dates as 2006-10-02, or whole numbers.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub day: Option<String>,
    /// Records have the same names as people. Matches are then scored, and people without a record are the baseline.
    #[arg(long, help_heading = "Truth")]
    pub same_names: bool,
    /// More people who are known not to be in the data, for the baseline.
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub outsiders: Option<PathBuf>,
    /// Largest difference at which two ratings agree.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, help_heading = "Matching")]
    pub rating_within: f64,
    /// Largest difference, in days, at which two dates agree.
    #[arg(long, value_name = "DAYS", default_value_t = 14, help_heading = "Matching")]
    pub days_within: u32,
    /// Number of items in which the best record must agree.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Matching")]
    pub items: u32,
    /// Standard deviations by which the best record's score must exceed the second's.
    #[arg(long, value_name = "NUMBER", default_value_t = 1.5, help_heading = "Matching")]
    pub ahead: f64,
    /// Format, files and confidence of the results.
    #[command(flatten)]
    pub output: Output,
}
