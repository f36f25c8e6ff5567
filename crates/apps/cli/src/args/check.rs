//! Arguments of `check`, `recheck`, `translate` and `explain`, which read no data.

use super::output::LedgerFormat;
use clap::{Arg, ArgMatches, Command};
use deniable::check::MECHANISMS;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub const CHECK_EXAMPLES: &str = "\
Examples:
  deniable check kmax --k 2 --n 5 --family uniform
  deniable check k-anonymity --k 2 --values 30,31,31,38 --family uniform
  deniable check mechanism.toml --notion pmp --family bounded --prior 1/5..4/5
  deniable check randomized-response --odds 3 --notion dp --claim odds=3
  deniable check mechanism.csv --all
  deniable check mechanism.toml --notion posterior --family explicit --priors beliefs.toml
  deniable check mechanism.json --notion rho:3 --certificate proof.json
  deniable check mechanism.toml --notion induced-neighbours --possible 'size = 2 and (ann or bob)'
  deniable check mechanism.toml --sample 1/2 --notion delta:3
  deniable check mechanism.toml --scalable --family bounded --prior ..1/2
  deniable check mechanism.toml --coupling ann --family explicit --priors beliefs.toml
  deniable check --list

Exit codes: 0 decided, and the claim holds if there is one; 1 the claim is broken, or nothing could be decided; 2 bad usage.";

/// `deniable check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The file of a mechanism (TOML, JSON, CSV or Parquet), or the name of a built-in mechanism.
    #[arg(required_unless_present = "list")]
    pub mechanism: Option<String>,
    /// The notion of privacy, such as `dp`, `pmp` or `rho:100`; if omitted, membership privacy with --family, otherwise
    /// all.
    #[arg(long, value_name = "NOTION", conflicts_with = "all")]
    pub notion: Option<String>,
    /// The family of priors, such as `independent`, `bounded`, `uniform` or `sampled:1/10`.
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// The range of uncertain priors, those other than 0 and 1.
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub prior: Option<String>,
    /// The priors of `--family explicit`, and all mixtures of them: TOML, JSON or CSV.
    #[arg(long, value_name = "FILE")]
    pub priors: Option<PathBuf>,
    /// Decide whether this bound holds: `gain=3/2`, `odds=3`, `epsilon=1` or `epsilon=ln(3)`.
    #[arg(long, value_name = "PARAMETER=VALUE", conflicts_with = "all")]
    pub claim: Option<String>,
    /// Decide every notion that can be decided, in order of strictness.
    #[arg(long)]
    pub all: bool,
    /// Write a certificate that `deniable recheck` verifies to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    pub certificate: Option<PathBuf>,
    /// The party of a protocol whose view is the mechanism: the first (1) or the second (2).
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub party: Option<u8>,
    /// Decide whether the family of priors is scalable, downward and upward (LQS13 3.5, 3.9).
    #[arg(long, conflicts_with_all = ["all", "notion", "claim", "certificate"])]
    pub scalable: bool,
    /// Couple the datasets expected with this entity in the data to those expected without it, one step apart, or show
    /// the cut that prevents it (LQS13 4.9). Needs `--family explicit` with one prior.
    #[arg(long, value_name = "ENTITY", conflicts_with_all = ["all", "claim", "certificate", "scalable"])]
    pub coupling: Option<String>,
    /// The possible datasets for induced neighbours, as `size = 2 and (ann or bob)`; the datasets of the file if
    /// omitted.
    #[arg(long, value_name = "FORMULA")]
    pub possible: Option<String>,
    /// Check the mechanism on a random sample, in which each member is kept with this probability.
    #[arg(long, value_name = "RATE")]
    pub sample: Option<String>,
    /// List notions, families and built-in mechanisms with their parameters.
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// The parameters of a built-in mechanism, by name.
    #[arg(skip)]
    pub parameters: BTreeMap<String, String>,
}

/// The parameters of all built-in mechanisms, each with the mechanisms that take it; `n` is short for `entities`.
pub fn parameters() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mechanism in MECHANISMS {
        for parameter in mechanism.parameters {
            all.entry(parameter.name).or_default().push(mechanism.name);
        }
    }
    all
}

/// Adds a flag for each parameter of a built-in mechanism.
pub fn with_parameters(command: Command) -> Command {
    parameters().into_iter().fold(command, |command, (name, mechanisms)| {
        let flag = Arg::new(name)
            .long(name)
            .value_name("VALUE")
            .help(format!("Parameter of {}", mechanisms.join(", ")))
            .help_heading("Parameters of built-in mechanisms (see --list)")
            .allow_hyphen_values(true);
        command.arg(if name == "entities" { flag.visible_alias("n") } else { flag })
    })
}

/// The parameters that the command line sets.
pub fn given(matches: &ArgMatches) -> BTreeMap<String, String> {
    let value = |name: &str| matches.get_one::<String>(name).cloned();
    parameters().keys().filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect()
}

/// `deniable recheck`.
#[derive(Debug, clap::Args)]
pub struct Recheck {
    /// A certificate that `deniable check --certificate` wrote.
    pub certificate: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// `deniable translate`.
#[derive(Debug, clap::Args)]
pub struct Translate {
    /// The promise to translate: `gain=3/2`, `epsilon=1`, `odds=3`, `rho=1/2:100`, `epsilon=1,delta=1/1000000` or
    /// `zcdp=1/2`; several times with --compose.
    #[arg(long, value_name = "NOTION=VALUE", required = true)]
    pub from: Vec<String>,
    /// The notions to translate to, separated by commas: `epsilon,rho:100,posterior`; all notions if omitted.
    #[arg(long, value_name = "NOTION,...", value_delimiter = ',')]
    pub to: Vec<String>,
    /// The range of uncertain priors, those other than 0 and 1.
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub prior: Option<String>,
    /// Compose several releases about the same people: multiply their odds ratios and translate the total.
    #[arg(long)]
    pub compose: bool,
    /// The chance but for which odds and beliefs are bounded; 1/1000000 for promises that hold but for a chance.
    #[arg(long, value_name = "CHANCE", allow_hyphen_values = true)]
    pub chance: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// `deniable explain`.
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// A notion, family, mechanism, theorem or term: `pmp`, `F-DB`, `k-Max`, `B-3`, `privacy unit`; lists all names if
    /// omitted.
    pub name: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}
