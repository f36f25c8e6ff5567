//! The words of the commands that take a policy, and of those that look at its data and its ledger.

use super::limits::Limits;
use super::output::{Format, LedgerFormat};
use super::spend::{Spending, spending};
use crate::error::Failure;
use clap::{Args, Subcommand};
use deniable::{Permissions, RegistrationMode};
use std::path::{Path, PathBuf};

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
    /// Answer only this query, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// How to write the answers.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the answers to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page as well: the answers with pictures, the guarantee, what was spent.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Use up the promise without confirmation.
    #[arg(long)]
    pub yes: bool,
    /// What may be done before it.
    #[command(flatten)]
    pub registration: Registration,
    /// What it may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// `deniable explore`.
#[derive(Debug, clap::Args)]
pub struct Explore {
    /// The policy (TOML).
    pub policy: PathBuf,
    /// Serve the page on this port of 127.0.0.1; 0 is any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Only print the address; open no browser.
    #[arg(long)]
    pub no_open: bool,
}

/// `deniable report`.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// The policy whose stored answers are shown; without it, everything that the ledger holds.
    pub policy: Option<PathBuf>,
    /// Use this ledger instead of the policy's, or alone.
    #[arg(long, value_name = "PATH")]
    pub ledger: Option<PathBuf>,
    /// Write the page to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `deniable init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// A CSV or Parquet file, also in an object store (s3://bucket/visits/*.parquet); with --connect a table or view of PostgreSQL, as
    /// clinic.visits.
    pub data: PathBuf,
    /// The variable that holds the address of the PostgreSQL database, as env:CLINIC_PG.
    #[arg(long, value_name = "env:NAME", conflicts_with = "delimiter")]
    pub connect: Option<String>,
    /// Write the policy to this file, which must not be there yet, instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What queries will call the table; by the file's or relation's name when not stated.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// The character between two fields, or `tab`; a comma, or a tab for .tsv, when not stated.
    #[arg(long, value_name = "CHARACTER", value_parser = character)]
    pub delimiter: Option<char>,
    /// A public codebook: types, keys with labels, and bounds are filled in from it. CSV with a line for each column and the header
    /// `name,type,codes,labels,bounds` (any of them after name; also step and description), as in `sex,integer,0|1,men|women,` and
    /// `age,integer,,,0..110`; or a data dictionary of REDCap. What it does not say stays open.
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,
}

/// A shell makes it hard to type a tab.
pub(super) fn character(text: &str) -> Result<char, String> {
    if matches!(text, "tab" | "\\t") {
        return Ok('\t');
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ => Err("write one character in quotes, as in --delimiter ';', or --delimiter tab".to_owned()),
    }
}

/// What stands between fields, as a byte.
pub fn delimiter(character: char) -> Result<u8, Failure> {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | b'?') => Ok(byte),
        _ => {
            let message = format!("--delimiter {character:?} cannot stand between fields");
            Err(Failure::usage(message, "name one ASCII character, such as ';'"))
        }
    }
}

/// `deniable plan`.
#[derive(Debug, clap::Args)]
pub struct Plan {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Only this query, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// Errors under other promises or caps: `gain=1.1..4`, or `rows_per_group=1..50:20` for twenty points instead of eight.
    #[arg(long, value_name = "KEY=FROM..TO[:POINTS]")]
    pub sweep: Option<String>,
    /// The smallest promise that meets the target error of every query, and which query forces it.
    #[arg(long, conflicts_with_all = ["sweep", "query"])]
    pub least_promise: bool,
    /// Only the statements that the engine which holds the rows is asked: `engine = "spark"`.
    #[arg(long, conflicts_with_all = ["sweep", "least_promise"])]
    pub sql: bool,
}

/// `deniable ask`.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// The query. Without one, queries are read from the prompt or from standard input.
    pub sql: Option<String>,
    /// What part of the whole promise the answer may use, such as 1/40 or 2.5%; or epsilon=0.1, where `epsilon` is promised.
    #[arg(long, value_name = "SHARE", value_parser = spending)]
    pub spend: Option<Spending>,
    /// What the ledger calls the query.
    #[arg(long, value_name = "NAME", default_value = "question")]
    pub name: String,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Say what it costs and how far the answer will be off, and stop there.
    #[arg(long)]
    pub dry_run: bool,
    /// Write the answer into this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the guarantee, which is otherwise printed with the first answer of a ledger only.
    #[arg(long)]
    pub guarantee: bool,
    /// At most this many rows of one entity count in each group, in place of the policy's cap.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows_per_group: Option<u32>,
    /// At most this many groups count for one entity, in place of the policy's cap.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub groups: Option<u32>,
    /// Charge queries from the prompt or standard input without confirmation. A query on the command line needs none.
    #[arg(long)]
    pub yes: bool,
    /// Keep no history of the prompt's queries.
    #[arg(long)]
    pub no_history: bool,
    /// What may be done before it.
    #[command(flatten)]
    pub registration: Registration,
    /// What it may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// `deniable suggest`.
#[derive(Debug, clap::Args)]
pub struct Suggest {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Advice on this query only, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// What part of the whole promise the advice may use, such as 1/50 or 2%, shared by the queries; or epsilon=0.1.
    #[arg(long, value_name = "SHARE", value_parser = spending)]
    pub spend: Option<Spending>,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// Say what it costs and how far off it will be, and stop there.
    #[arg(long)]
    pub dry_run: bool,
    /// What may be done before it.
    #[command(flatten)]
    pub registration: Registration,
    /// What it may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// What the curator allows beside answering.
#[derive(Debug, Clone, Copy, Args)]
pub struct Registration {
    /// Register data that are not registered as the policy reads them, and go on in the same run. Without it, a run that
    /// has to register them stops there.
    #[arg(long)]
    pub register: bool,
    /// Charge queries whose numbers an earlier answer contains, and draw new noise for them. Without it, such queries
    /// are free and get the earlier numbers.
    #[arg(long)]
    pub again: bool,
    /// State that nobody of this population is in the other ledgers of the folder that know the policy or its tables.
    /// Only for a new ledger, and kept in it.
    #[arg(long)]
    pub other_people: bool,
}

impl Registration {
    /// The same, as releases are allowed it.
    pub fn allowed(self) -> Permissions {
        let Self { register, again, other_people } = self;
        Permissions {
            registering: if register { RegistrationMode::GoOn } else { RegistrationMode::Stop },
            other_people,
            again,
        }
    }
}

/// `deniable data`.
#[derive(Debug, Subcommand)]
pub enum Data {
    /// Scan the data, say column by column what does not fit, and register its version. All of it is for the curator.
    #[command(after_help = "\
Examples:
  deniable data check policy.toml
  deniable data check policy.toml --accept death --accept visits.day
  deniable data check policy.toml --format json

What is said here depends on private rows: it is for the curator alone. Nothing is registered, and the exit status is 1, \
while a declared column reads badly (2% of its values do not read as its type or are none of its keys, or it holds none) \
that is not accepted by name; the same while fields that begin with no quote have one within (csv:bare-quotes), quoted \
fields have a line end within (csv:line-ends), or rows end with a lone carriage return (csv:lone-returns). The ledger keeps the names that were accepted, and nothing of what was found.")]
    Check(DataCheck),
    /// Keep the rows of a database as files of Parquet, as they are at one moment, and register these as the policy's version.
    #[command(after_help = "\
Examples:
  deniable data pull policy.toml --to extract-2024-06
  deniable release policy.toml --data extract-2024-06/visits.parquet

For tables that change all the time: from then on the files answer, which do not. Each table of a database becomes \
FOLDER/TABLE.parquet, all of one moment, readable by their owner alone. What is said here depends on private rows, as of \
`deniable data check`.")]
    Pull(DataPull),
}

/// `deniable data pull`.
#[derive(Debug, clap::Args)]
pub struct DataPull {
    /// The folder for the files: made where it is not there; no file in it is written over.
    #[arg(long, value_name = "FOLDER")]
    pub to: PathBuf,
    /// What is registered, and how it is looked at.
    #[command(flatten)]
    pub check: DataCheck,
}

/// `deniable data check`.
#[derive(Debug, clap::Args)]
pub struct DataCheck {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Accept that this column reads badly, or this quirk of CSV: `column`, or `table.column`; may be given several
    /// times.
    #[arg(long, value_name = "NAME")]
    pub accept: Vec<String>,
    /// State that nobody of this population is in the other ledgers of the folder that know the policy or its tables.
    /// Only for a new ledger, and kept in it.
    #[arg(long)]
    pub other_people: bool,
    /// How to write what was found: a table on standard error, or JSON on standard output.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// What working out the losses of caps may use.
    #[command(flatten)]
    pub limits: Limits,
}

/// A ledger to look at.
#[derive(Debug, Args)]
pub struct LedgerPlace {
    /// A ledger, or a policy that names one.
    #[arg(required_unless_present = "ledger")]
    path: Option<PathBuf>,
    /// The same, as other commands take it.
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    ledger: Option<PathBuf>,
}

impl LedgerPlace {
    /// The one that was named.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref().or(self.ledger.as_deref())
    }
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
        /// Which.
        #[command(flatten)]
        of: LedgerPlace,
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
        /// Which.
        #[command(flatten)]
        of: LedgerPlace,
        /// A head that an earlier command printed.
        #[arg(long)]
        head: Option<String>,
        /// How to write it.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Go on from an older ledger, or one whose head is missing. The act and its reason are kept.
    #[command(after_help = "\
Examples:
  deniable ledger accept-head clinic.ledger --reason 'disk lost on 12 June; restored from the backup of 11 June'
  deniable ledger accept-head clinic.ledger --head /safe/clinic.head --reason 'the same'

What was charged after the older copy was made is not counted any more: the promise no longer covers it. So put the newest \
copy in place instead, wherever there is one. Every open charge is closed, so that no noise is drawn twice for it.")]
    AcceptHead {
        /// Which.
        #[command(flatten)]
        of: LedgerPlace,
        /// The file of `head` in serve.toml, where there is one; the one beside the ledger is always meant.
        #[arg(long, value_name = "FILE")]
        head: Option<PathBuf>,
        /// Why. Kept in the ledger.
        #[arg(long)]
        reason: String,
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
