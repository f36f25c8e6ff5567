//! The command line's words.

use clap::{Parser, Subcommand, ValueEnum};
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
