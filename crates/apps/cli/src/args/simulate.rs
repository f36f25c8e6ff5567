//! Arguments of `deniable simulate`, and the size of made-up rows.

use clap::ValueEnum;
use deniable::simulate;
use std::path::PathBuf;

pub const SIMULATE_EXAMPLES: &str = "\
Examples:
  deniable simulate examples/clinic/policy.toml --rows 5000
  deniable simulate policy.toml --rows 5000 --people 2000 --out made-up --format parquet
  deniable data check policy.toml --data simulated/visits.csv --ledger simulated.ledger

One file is written for each table, under the name that the policy gives it and in the format that the policy declares. \
Protected rows are drawn from the policy alone: their files need not exist and are never opened. A public table whose \
file exists keeps its rows, because joins need them. `deniable release POLICY --rehearse` releases the policy's answers on \
such rows, with a ledger that is no budget.";

/// `deniable simulate`.
#[derive(Debug, clap::Args)]
pub struct Simulate {
    /// The policy (TOML).
    pub policy: PathBuf,
    /// The number of rows and people.
    #[command(flatten)]
    pub size: Size,
    /// Write the files into this folder, which is created if missing.
    #[arg(long, value_name = "FOLDER", default_value = "simulated")]
    pub out: PathBuf,
    /// Write all tables in this format instead of the declared one.
    #[arg(long, value_enum)]
    pub format: Option<FileFormat>,
    /// Replace files of an earlier simulation. The policy's own data are never replaced.
    #[arg(long)]
    pub force: bool,
}

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// As the policy declares it; else with commas, a header and UTF-8.
    Csv,
    /// Parquet.
    Parquet,
}

/// The number of made-up rows and people.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Size {
    /// The made-up rows of each protected table; `typical_rows` of the policy if omitted, else 1000.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rows: Option<u64>,
    /// The made-up people; `typical_entities` of the policy if omitted, else a number with a few rows each.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub people: Option<u64>,
}

impl Size {
    /// Converts to the library's type.
    pub fn simulate(self) -> simulate::Simulate {
        simulate::Simulate { rows: self.rows, people: self.people }
    }
}
