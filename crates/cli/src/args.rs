//! The command line's words.

use clap::{Parser, Subcommand, ValueEnum};
use deniable_sql::Resources;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  deniable release examples/clinic/policy.toml
  deniable release policy.toml --format json --out answers.json
  deniable data check policy.toml
  deniable ledger show policy.toml

Standard output carries only what may be published. Standard error, the exit status, progress and timing are for \
the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.";

/// Private answers from a stated risk.
///
/// Say in a policy how sure anyone may become that a given person is in the data, and ask questions in SQL. Deniable
/// works out how much noise that takes, answers, and remembers what has been spent.
#[derive(Debug, Parser)]
#[command(name = "deniable", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a policy's asks: charge the ledger, compute, store, show.
    #[command(after_help = "\
Examples:
  deniable release examples/clinic/policy.toml
  deniable release policy.toml --ask 'visits by sex' --format csv --out by-sex.csv
  deniable release examples/adult/policy.toml --data path/to/adult.data

Asking the same again shows the stored answer and costs nothing, also with another ORDER BY or other names.")]
    Release(Release),
    /// Look at the data before anything is released from it.
    #[command(subcommand)]
    Data(Data),
    /// Look at what was promised, spent and released.
    #[command(subcommand)]
    Ledger(LedgerCommand),
}

/// Where a policy and what it names are.
#[derive(Debug, clap::Args)]
pub struct PolicyPlace {
    /// The policy (TOML).
    pub policy: PathBuf,
    /// Read the rows from this file, folder or pattern instead of the policy's.
    #[arg(long, value_name = "PATH")]
    pub data: Option<PathBuf>,
    /// Use this ledger instead of the policy's.
    #[arg(long, value_name = "PATH")]
    pub ledger: Option<PathBuf>,
}

/// `deniable release`.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Answer only this ask, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub ask: Vec<String>,
    /// How to write the answers.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the answers to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What it may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// What a computation may use.
#[derive(Debug, clap::Args)]
pub struct Limits {
    /// Hold at most so much in memory, as 512MB or 4GiB; what does not fit goes to temporary files.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = size)]
    pub memory: usize,
    /// Compute with so many threads instead of all.
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// Write temporary files to this folder instead of the system's. They hold private rows.
    #[arg(long, value_name = "FOLDER", value_parser = folder)]
    pub spill: Option<PathBuf>,
}

impl Limits {
    /// As the computation takes it.
    pub fn resources(&self) -> Resources {
        let default = Resources::default();
        Resources {
            threads: self.threads.map_or(default.threads, usize::from),
            memory: Some(self.memory),
            spill: self.spill.clone(),
        }
    }
}

/// A folder that is there: after a charge would be late to find that it is not.
fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("it is not a folder".to_owned()) }
}

/// A number of bytes: 512MB, 4GiB, 1.5GB. The units of a thousand and those of 1024 are told apart by their `i`.
fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1_000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "tb" | "t" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err("write a number and a unit, as in 512MB or 4GiB".to_owned()),
    };
    let bytes = number.parse::<f64>().map_err(|_| "write a number and a unit, as in 512MB or 4GiB")? * unit as f64;
    if bytes < 1_000_000.0 {
        return Err("that is too little to compute with: at least 1MB".to_owned());
    }
    Ok(bytes as usize)
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    Table,
    /// Everything, for programs.
    Json,
    /// One ask's rows; the guarantee goes to standard error.
    Csv,
}

/// `deniable data`.
#[derive(Debug, Subcommand)]
pub enum Data {
    /// Scan the data, name what does not fit, and register its version. All of it goes to standard error.
    #[command(after_help = "\
Examples:
  deniable data check policy.toml

What is said here depends on private rows: it is for the curator alone. A release refuses a version that was not \
registered, except for the first release of a fresh ledger, which registers it and says so.")]
    Check {
        /// Where everything is.
        #[command(flatten)]
        place: PolicyPlace,
    },
}

/// `deniable ledger`.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// What was released, what it cost, what anyone can believe by now, and what is left.
    #[command(after_help = "\
Examples:
  deniable ledger show policy.toml
  deniable ledger show clinic.ledger --format json")]
    Show {
        /// A ledger, or a policy that names one.
        path: PathBuf,
        /// How to write it.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Check every entry against the chain, and the chain against a head noted earlier.
    #[command(after_help = "\
Examples:
  deniable ledger verify clinic.ledger
  deniable ledger verify clinic.ledger --head 14:0f3a...

Without --head, edits that were not carried through the chain are found. With the head that an earlier release \
printed, truncation, rewriting and restored backups are found too.")]
    Verify {
        /// A ledger, or a policy that names one.
        path: PathBuf,
        /// A head that an earlier command printed.
        #[arg(long)]
        head: Option<String>,
        /// How to write it.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Put the policy's promise in place of the recorded one, for everyone. The act and its reason are kept.
    #[command(after_help = "\
Examples:
  deniable ledger change-promise policy.toml --reason 'ethics board, 12 June: gain 2 instead of 3/2'")]
    ChangePromise {
        /// Where everything is.
        #[command(flatten)]
        place: PolicyPlace,
        /// Why. Kept in the ledger.
        #[arg(long)]
        reason: String,
    },
}

/// How a look at the ledger is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LedgerFormat {
    /// For reading.
    Table,
    /// For programs.
    Json,
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        let read = |text| size(text).ok();
        assert_eq!(
            (read("512MB"), read("4GiB"), read("1.5 gb")),
            (Some(512_000_000), Some(4 << 30), Some(1_500_000_000))
        );
        assert_eq!((read("2000000"), read("1TiB"), read("2000k")), (Some(2_000_000), Some(1 << 40), Some(2_000_000)));
        for wrong in ["", "GB", "1XB", "-1GB", "1 000 MB", "12", "1e9", "1.2.3GB"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
