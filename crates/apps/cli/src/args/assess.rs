//! The words of `assess`: what an anonymised table gives away.

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

Cells of --quasi columns are read as what they stand for: *, 021**, 30-39, [30,40), <30, {a,b}, nodes of a hierarchy. How each \
column was read is part of the result. Nothing is charged and no promise is made: this says what a table gives away, and \
syntactic measures (k, l, t) bound no belief (docs/how-to/assess.md).

Exit codes: 0 done, and every --require is met; 1 one is not met, or the tables cannot be used; 2 bad usage.";

/// `deniable assess`.
#[derive(Debug, clap::Args)]
pub struct Assess {
    /// The table that is or will be published: CSV, plain or compressed, or Parquet.
    pub table: PathBuf,
    /// The columns by which somebody could be recognised.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', required = true, help_heading = "Columns")]
    pub quasi: Vec<String>,
    /// The columns that are secret; each is assessed on its own.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub sensitive: Vec<String>,
    /// What generalised cells of a column stand for, as in ARX: lines of value;wider;...;widest. May be given several times.
    #[arg(long, value_name = "COLUMN=FILE", value_parser = named_file, help_heading = "Columns")]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// How far apart sensitive values are, for t-closeness: `equal`, `ordered` (numbers), `ordered:low|mid|high`, or `hierarchy`.
    #[arg(long, value_name = "COLUMN=DISTANCE", value_parser = named_text, help_heading = "Columns")]
    pub distance: Vec<(String, String)>,
    /// Take the cells of these columns as they are written: `10-20` may be a code, and `1.10` another version than
    /// `1.1`.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub literal: Vec<String>,
    /// What an empty cell is: refused, suppressed like `*`, or a value like any other.
    #[arg(long, value_enum, default_value_t = Empty::Refuse, help_heading = "Columns")]
    pub empty: Empty,
    /// Texts that mean an empty cell, such as `NA` or `NULL`, for all tables.
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',', help_heading = "Columns")]
    pub nulls: Vec<String>,
    /// What stands between the fields of CSV, for all tables: `;`, `|`, `tab`.
    #[arg(long, value_name = "CHARACTER", value_parser = character, help_heading = "Columns")]
    pub delimiter: Option<char>,
    /// The names of all columns, for all tables, where their first line is a row already.
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', help_heading = "Columns")]
    pub columns: Vec<String>,
    /// The encoding of CSV, for all tables: `latin1`, `windows-1252`; UTF-8 when not stated.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub encoding: Option<String>,
    /// What is around fields of CSV, for all tables: `double`, or `none` for files that are written without quoting.
    #[arg(long, value_enum, default_value_t = Quoting::Double, help_heading = "Columns")]
    pub quote: Quoting,
    /// Accept this quirk of CSV: csv:bare-quotes, csv:line-ends or csv:lone-returns; may be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub accept: Vec<String>,
    /// People who could be in the table, with raw values of the --quasi columns, and of sensitive ones where they are known.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub background: Option<PathBuf>,
    /// The table that it was made from, with raw values.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub original: Option<PathBuf>,
    /// People whom somebody looks for, with raw values of some of the --quasi columns.
    #[arg(long, value_name = "FILE", help_heading = "Other tables")]
    pub auxiliary: Option<PathBuf>,
    /// What observers may believe beforehand about the presence of each person of --background: 1/2, or 1/10..1/2.
    #[arg(long, value_name = "BELIEF|LOW..HIGH", help_heading = "Measures")]
    pub prior: Option<String>,
    /// The chance of re-identification above which somebody is at risk.
    #[arg(long, value_name = "PROBABILITY", value_parser = parse_rational, default_value = "1/5", help_heading = "Measures")]
    pub threshold: Rational,
    /// The l for which recursive (c,l)-diversity is reported.
    #[arg(long, value_name = "L,...", value_delimiter = ',', default_value = "2", help_heading = "Measures")]
    pub recursive: Vec<u32>,
    /// What the table must keep, such as k=5,l=2,t=0.2,epsilon-bop=1 or epsilon-bop=ln(3); the exit code is 1 where it does not.
    #[arg(long, value_name = "MEASURE=VALUE,...", help_heading = "Measures")]
    pub require: Option<String>,
    /// How results are written.
    #[command(flatten)]
    pub results: Results,
    /// What it may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// What an empty cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Empty {
    /// An error that counts them.
    Refuse,
    /// Suppressed: it stands for everything. Not for sensitive columns.
    Suppressed,
    /// A value of its own, the empty text.
    Value,
}

/// How fields are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Quoting {
    /// `"`, doubled within a field.
    Double,
    /// Nothing: a quote is a character like any other.
    None,
}

fn named_text(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(column, rest)| (column.trim().to_owned(), rest.trim().to_owned()));
    parts.filter(|(column, rest)| !column.is_empty() && !rest.is_empty()).ok_or_else(|| "write COLUMN=...".to_owned())
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    named_text(text).map(|(column, file)| (column, PathBuf::from(file)))
}
