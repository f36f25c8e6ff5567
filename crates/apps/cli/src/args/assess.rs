//! Arguments of `assess`, which measures what an anonymised table reveals.

use super::limits::Limits;
use super::output::Results;
use super::policy::character;
use clap::ValueEnum;
use deniable_core::exact::{Rational, parse_rational};
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  deniable assess examples/ward/published.csv --quasi zip,age,sex --sensitive condition
  deniable assess published.csv --quasi age,zip,sex --sensitive disease --require k=5,l=2,epsilon-bop=1
  deniable assess published.csv --quasi age,zip --sensitive disease --background census.csv --original raw.csv --report page.html
  deniable assess published.parquet --quasi age,zip --sensitive disease --hierarchy zip=zip.csv --distance disease=hierarchy
  deniable assess published.csv --quasi age,zip --auxiliary register.csv

Generalised cells of --quasi columns are read as sets of values: *, 021**, 30-39, [30,40), <30, {a,b}, nodes of a \
hierarchy. The result includes how each column was read. Nothing is charged and no promise is made: the command \
measures what a table reveals, and syntactic measures (k, l, t) do not bound beliefs (docs/how-to/assess.md).

Exit codes: 0 done, and every --require is met; 1 a --require is not met, or the tables cannot be used; 2 bad usage.";

/// `deniable assess`.
#[derive(Debug, clap::Args)]
pub struct Assess {
    /// The table that is or will be published: CSV, plain or compressed, or Parquet.
    pub table: PathBuf,
    /// The quasi-identifiers: columns by which a person could be recognised.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', required = true, help_heading = "Columns")]
    pub quasi: Vec<String>,
    /// The sensitive columns; each is assessed separately.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub sensitive: Vec<String>,
    /// The generalisation hierarchy of a column, as in ARX: lines of value;wider;...;widest. May be given several
    /// times.
    #[arg(long, value_name = "COLUMN=FILE", value_parser = named_file, help_heading = "Columns")]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// The distance between sensitive values for t-closeness: `equal`, `ordered` (numbers), `ordered:low|mid|high`, or
    /// `hierarchy`.
    #[arg(long, value_name = "COLUMN=DISTANCE", value_parser = named_text, help_heading = "Columns")]
    pub distance: Vec<(String, String)>,
    /// Take the cells of these columns literally, where `10-20` is a code and not a range, or `1.10` differs from
    /// `1.1`.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub literal: Vec<String>,
    /// The meaning of an empty cell: refused, suppressed like `*`, or a value like any other.
    #[arg(long, value_enum, default_value_t = Empty::Refuse, help_heading = "Columns")]
    pub empty: Empty,
    /// Texts that mean an empty cell, such as `NA` or `NULL`, for all tables.
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',', help_heading = "Columns")]
    pub nulls: Vec<String>,
    /// The delimiter of CSV, for all tables: `;`, `|`, `tab`.
    #[arg(long, value_name = "CHARACTER", value_parser = character, help_heading = "Columns")]
    pub delimiter: Option<char>,
    /// The names of all columns, for tables without a header: their first line is then a row.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub columns: Vec<String>,
    /// The encoding of CSV, for all tables: `latin1`, `windows-1252`; UTF-8 if omitted.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub encoding: Option<String>,
    /// The quoting of CSV fields, for all tables: `double`, or `none` for files that are written without quoting.
    #[arg(long, value_enum, default_value_t = Quoting::Double, help_heading = "Columns")]
    pub quote: Quoting,
    /// Accept this quirk of CSV: csv:bare-quotes, csv:line-ends or csv:lone-returns; may be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub accept: Vec<String>,
    /// People who could be in the table: raw values of the --quasi columns, and of sensitive columns where known.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub background: Option<PathBuf>,
    /// The table that the published table was made from, with raw values.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub original: Option<PathBuf>,
    /// People whom an attacker looks for, with raw values of some of the --quasi columns.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub auxiliary: Option<PathBuf>,
    /// Prior beliefs of observers about the presence of each person of --background: 1/2, or 1/10..1/2.
    #[arg(long, value_name = "BELIEF|LOW..HIGH", help_heading = "Measures")]
    pub prior: Option<String>,
    /// The probability of re-identification above which a person is at risk.
    #[arg(long, value_name = "PROBABILITY", value_parser = parse_rational, default_value = "1/5", help_heading = "Measures")]
    pub threshold: Rational,
    /// The l for which recursive (c,l)-diversity is reported.
    #[arg(long, value_name = "L,...", value_delimiter = ',', default_value = "2", help_heading = "Measures")]
    pub recursive: Vec<u32>,
    /// Requirements on the table, such as k=5,l=2,t=0.2,epsilon-bop=1 or epsilon-bop=ln(3); the exit code is 1 if one
    /// is not met.
    #[arg(long, value_name = "MEASURE=VALUE,...", help_heading = "Measures")]
    pub require: Option<String>,
    /// Format and files of the results.
    #[command(flatten)]
    pub results: Results,
    /// Memory, threads and temporary files.
    #[command(flatten)]
    pub limits: Limits,
}

/// Meaning of an empty cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Empty {
    /// An error that reports their number.
    Refuse,
    /// Suppressed: it may be any value. Not for sensitive columns.
    Suppressed,
    /// A value of its own, the empty text.
    Value,
}

/// Quoting of CSV fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Quoting {
    /// `"`, doubled within a field.
    Double,
    /// No quoting: a quote is a character like any other.
    None,
}

fn named_text(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(column, rest)| (column.trim().to_owned(), rest.trim().to_owned()));
    parts.filter(|(column, rest)| !column.is_empty() && !rest.is_empty()).ok_or_else(|| "write COLUMN=...".to_owned())
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    named_text(text).map(|(column, file)| (column, PathBuf::from(file)))
}
