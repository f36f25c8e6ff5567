//! Arguments of the commands that take a policy, its data or its ledger.

use super::limits::Limits;
use super::output::{Format, LedgerFormat};
use super::simulate::Size;
use super::spend::{Spending, share, spending};
use clap::{Args, Subcommand};
use deniable::exact::Rational;
use deniable::{Permissions, RegistrationMode};
use std::path::{Path, PathBuf};

/// The paths of a policy, its data and its ledger.
#[derive(Debug, clap::Args)]
pub struct PolicyPlace {
    /// The policy (TOML).
    pub policy: PathBuf,
    /// Read the main table's rows from this file, folder or pattern instead of the policy's.
    #[arg(long, value_name = "PATH")]
    pub data: Option<PathBuf>,
    /// Use this ledger instead of the policy's.
    #[arg(long, value_name = "PATH")]
    pub ledger: Option<PathBuf>,
}

/// `deniable release`.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Answer only this query, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the answers to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write a page: the answers with charts, the guarantee, and the spending.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Use up the promise without confirmation.
    #[arg(long)]
    pub yes: bool,
    /// Rehearse the release on made-up rows, with a temporary ledger, or a new one that --ledger names. No private data
    /// is read, and nothing of the promise is spent.
    #[arg(long, conflicts_with = "data")]
    pub rehearse: bool,
    /// The number of rows and people of a rehearsal.
    #[command(flatten)]
    pub size: Size,
    /// Permissions to register data and to charge again.
    #[command(flatten)]
    pub registration: Registration,
    /// Memory, threads and temporary files.
    #[command(flatten)]
    pub limits: Limits,
}

/// `deniable explore`.
#[derive(Debug, clap::Args)]
pub struct Explore {
    /// The policy (TOML).
    pub policy: PathBuf,
    /// Serve the page on this port of 127.0.0.1; 0 chooses a free port.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Print the address without opening a browser.
    #[arg(long)]
    pub no_open: bool,
}

/// `deniable report`.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// The policy whose stored answers are shown; if omitted, everything in the ledger.
    pub policy: Option<PathBuf>,
    /// Use this ledger, instead of the policy's or without a policy.
    #[arg(long, value_name = "PATH")]
    pub ledger: Option<PathBuf>,
    /// Write the page to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a paper about the policy's releases in Markdown, in place of the page: a note on the method for readers,
    /// a statement for an ethics board, or answers to the questions of NIST SP 800-226.
    #[arg(long = "for", value_name = "READERS", requires = "policy", value_enum)]
    pub readers: Option<Readers>,
}

/// The readers of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Readers {
    Method,
    Ethics,
    #[value(name = "nist-800-226")]
    Nist800226,
}

/// `deniable init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// A CSV or Parquet file, also in an object store (s3://bucket/visits/*.parquet); with --connect, a table or view
    /// of PostgreSQL, such as clinic.visits. Further files or tables are joined with the first.
    #[arg(required = true)]
    pub data: Vec<PathBuf>,
    /// The environment variable that contains the address of the PostgreSQL database, as env:CLINIC_PG.
    #[arg(long, value_name = "env:NAME", conflicts_with = "delimiter")]
    pub connect: Option<String>,
    /// Write the policy to this file, which must not exist yet, instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The first table's name in queries; the name of the file or relation if omitted, as for the others.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// The character between two fields, or `tab`; if omitted, a comma, or a tab for .tsv.
    #[arg(long, value_name = "CHARACTER", value_parser = character)]
    pub delimiter: Option<char>,
    /// The encoding of a CSV file, such as latin1 or windows-1252; if omitted, UTF-8.
    #[arg(long, value_name = "NAME", conflicts_with = "connect")]
    pub encoding: Option<String>,
    /// Only these columns, separated by commas; if omitted, all.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// A public codebook, from which types, keys with labels, and bounds are filled in: CSV with one line per column
    /// and the header `name,type,codes,labels,bounds` (all optional after name; also step and description), as in
    /// `sex,integer,0|1,men|women,` and `age,integer,,,0..110`; or a data dictionary of REDCap. Values that it does not
    /// contain stay open.
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,
}

/// Parses a number of queries and their share: `100x1/200`, or `1/20` for one query.
fn size(text: &str) -> Result<(u32, Rational), String> {
    let (count, part) = text.split_once('x').unwrap_or(("1", text));
    let count = count.trim().parse().map_err(|_| format!("`{count}` is not a number of queries, as in 100x1/200"))?;
    Ok((count, share(part.trim())?))
}

/// Parses one character. A tab is hard to type in a shell, so `tab` and `\t` are accepted for it.
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

/// `deniable plan`.
#[derive(Debug, clap::Args)]
pub struct Plan {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Plan only this query, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// Vary a promise or a cap and print the errors: `gain=1.1..4`, or `rows_per_group=1..50:20` for twenty points
    /// instead of eight.
    #[arg(long, value_name = "KEY=FROM..TO[:POINTS]")]
    pub sweep: Option<String>,
    /// Print the smallest promise that meets the target error of every query, and the query that requires it.
    #[arg(long, conflicts_with_all = ["sweep", "query"])]
    pub least_promise: bool,
    /// Print only the SQL that is sent to the external engine (`engine = "spark"`).
    #[arg(long, conflicts_with_all = ["sweep", "least_promise"])]
    pub sql: bool,
}

/// `deniable ask`.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// The query. Without one, queries are read from the prompt or from standard input.
    pub sql: Option<String>,
    /// The part of the whole promise that the answer may use, such as 1/40 or 2.5%; or epsilon=0.1, if the policy
    /// promises `epsilon`.
    #[arg(long, value_name = "SHARE", value_parser = spending)]
    pub spend: Option<Spending>,
    /// The query's name in the ledger.
    #[arg(long, value_name = "NAME", default_value = "question")]
    pub name: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print the cost and the expected error of the answer, and stop.
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
    /// Charge queries from the prompt or standard input without confirmation, and a query on the command line that compares
    /// a column with a value that is not one of its keys. Other queries on the command line need none.
    #[arg(long)]
    pub yes: bool,
    /// Do not store a history of the prompt's queries.
    #[arg(long)]
    pub no_history: bool,
    /// Permissions to register data and to charge again.
    #[command(flatten)]
    pub registration: Registration,
    /// Memory, threads and temporary files.
    #[command(flatten)]
    pub limits: Limits,
}

/// `deniable suggest`.
#[derive(Debug, clap::Args)]
pub struct Suggest {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Suggest caps and bounds for this query only, by its name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub query: Vec<String>,
    /// The part of the whole promise that the suggestions may use, such as 1/50 or 2%, divided among the queries; or
    /// epsilon=0.1.
    #[arg(long, value_name = "SHARE", value_parser = spending)]
    pub spend: Option<Spending>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// Print the cost and the expected error, and stop.
    #[arg(long)]
    pub dry_run: bool,
    /// Permissions to register data and to charge again.
    #[command(flatten)]
    pub registration: Registration,
    /// Memory, threads and temporary files.
    #[command(flatten)]
    pub limits: Limits,
}

/// Permissions of the curator beside answering.
#[derive(Debug, Clone, Copy, Args)]
pub struct Registration {
    /// Register data that are not registered as the policy reads them, and continue in the same run. Without this flag,
    /// the run stops after registering.
    #[arg(long)]
    pub register: bool,
    /// Charge queries whose numbers an earlier answer contains, and draw new noise for them. Without this flag, such
    /// queries return the earlier numbers, free.
    #[arg(long)]
    pub again: bool,
    /// State that the other ledgers of the folder that mention the policy or its tables are about other people. Only
    /// for a new ledger, which records it.
    #[arg(long)]
    pub other_people: bool,
}

impl Registration {
    /// Converts to the permissions of a release.
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
    /// Scan the data, report values that do not fit their columns, and register the version. For the curator alone.
    #[command(after_help = "\
Examples:
  deniable data check policy.toml
  deniable data check policy.toml --accept death --accept visits.day
  deniable data check policy.toml --accept-loss \"tests by kind\"
  deniable data check policy.toml --format json

The output depends on private rows: it is for the curator alone. Nothing is registered, and the exit status is 1, \
while a declared column that is not accepted by name cannot be read as declared: 2% of its values do not parse as its \
type or are not among its keys, 2% of its dates are outside the bounds, or it has no values. The same holds while \
fields without a quote at the start contain one (csv:bare-quotes), quoted fields contain a line end (csv:line-ends), \
or rows end with a lone carriage return (csv:lone-returns), and while the rows are those of another version \
(version:same-rows). The same holds while caps, bounds or groups leave out more than 10% of the rows, the entities or \
the sum of a query that is not accepted with --accept-loss, or change a number by more than `typical_left_out` states. The \
ledger records the accepted names, but no findings.")]
    Check(DataCheck),
    /// Copy a snapshot of a database's rows to Parquet files, and register these as the policy's version.
    #[command(after_help = "\
Examples:
  deniable data pull policy.toml --to extract-2024-06
  deniable release policy.toml --data extract-2024-06/visits.parquet

For tables that change continually: later releases read the files, which do not change. Each table of a database \
becomes FOLDER/TABLE.parquet, all from one snapshot, readable by the owner alone. The output depends on private rows, \
like that of `deniable data check`.")]
    Pull(DataPull),
}

/// `deniable data pull`.
#[derive(Debug, clap::Args)]
pub struct DataPull {
    /// The folder for the files; created if missing. No existing file is overwritten.
    #[arg(long, value_name = "FOLDER")]
    pub to: PathBuf,
    /// The arguments of `data check`, which follows.
    #[command(flatten)]
    pub check: DataCheck,
}

/// `deniable data check`.
#[derive(Debug, clap::Args)]
pub struct DataCheck {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// Accept a column that cannot be read as declared, as `column` or `table.column`, a quirk of CSV, as
    /// `csv:line-ends`, or the rows of another version, `version:same-rows`; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub accept: Vec<String>,
    /// Accept that caps, bounds or groups leave out more than 10% of the rows, the entities or a sum of this query of the
    /// policy, or more than `typical_left_out` states; may be given several times.
    #[arg(long, value_name = "QUERY")]
    pub accept_loss: Vec<String>,
    /// State that the other ledgers of the folder that mention the policy or its tables are about other people. Only
    /// for a new ledger, which records it.
    #[arg(long)]
    pub other_people: bool,
    /// Output format of the findings: a table on standard error, or JSON on standard output.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
    /// Memory, threads and temporary files for computing the losses of caps.
    #[command(flatten)]
    pub limits: Limits,
}

/// A ledger to read.
#[derive(Debug, Args)]
pub struct LedgerPlace {
    /// A ledger, or a policy that names one.
    #[arg(required_unless_present = "ledger")]
    path: Option<PathBuf>,
    /// The ledger, as a flag, as other commands take it.
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    ledger: Option<PathBuf>,
}

impl LedgerPlace {
    /// The path that the command line gives, as an argument or a flag.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref().or(self.ledger.as_deref())
    }
}

/// `deniable ledger`.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Show releases, their costs, the beliefs that they allow by now, and the remaining promise.
    #[command(after_help = "\
Examples:
  deniable ledger show policy.toml
  deniable ledger show policy.toml --all-versions
  deniable ledger show clinic.ledger --format json

Charges are grouped by the version of the data, the newest first. The table has one line for each earlier version, \
unless --all-versions is given; JSON has all charges.")]
    Show {
        /// The ledger.
        #[command(flatten)]
        of: LedgerPlace,
        /// List the charges about earlier versions of the data, too.
        #[arg(long)]
        all_versions: bool,
        /// Output format.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Verify every entry against the hash chain, and the chain against an earlier head.
    #[command(after_help = "\
Examples:
  deniable ledger verify clinic.ledger
  deniable ledger verify clinic.ledger --head 14:0f3a...

Without --head, edits are found unless the rest of the chain was recomputed. With the head that an earlier release \
printed, truncation, rewriting and restored backups are found too.")]
    Verify {
        /// The ledger.
        #[command(flatten)]
        of: LedgerPlace,
        /// A head that an earlier command printed.
        #[arg(long)]
        head: Option<String>,
        /// Output format.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Continue from an older ledger, or one whose head is missing. The ledger records the act and its reason.
    #[command(after_help = "\
Examples:
  deniable ledger accept-head clinic.ledger --reason 'disk lost on 12 June; restored from the backup of 11 June'
  deniable ledger accept-head clinic.ledger --head /safe/clinic.head --reason 'the same'

Charges made after the older copy are no longer counted: the promise does not cover them. If a newer copy exists, \
restore it instead. Every open charge is closed, so that noise is never drawn twice for it.")]
    AcceptHead {
        /// The ledger.
        #[command(flatten)]
        of: LedgerPlace,
        /// The file of `head` in serve.toml, if set; the head beside the ledger is always included.
        #[arg(long, value_name = "FILE")]
        head: Option<PathBuf>,
        /// The reason, which the ledger records.
        #[arg(long)]
        reason: String,
    },
    /// Mark a published answer as withdrawn. It stays charged and stored, and is struck through in reports.
    #[command(
        allow_missing_positional = true,
        after_help = "\
Examples:
  deniable ledger withdraw policy.toml 14 --reason 'the cap of rows per patient was wrong'
  deniable ledger withdraw --ledger clinic.ledger 14 --reason 'answered from test data'

ENTRY is the number of the answer's charge, in the column \"entry\" of `deniable ledger show`. Nothing is refunded: what \
was released cannot be taken back. The identical query still returns the answer, free, with the day and the reason. The \
same query at another price is another answer, with an entry of its own. The reason is public: all readers of the \
answer see it, in reports, in JSON, on a server and in Python."
    )]
    Withdraw {
        /// The ledger.
        #[command(flatten)]
        of: LedgerPlace,
        /// The number of the answer's charge.
        entry: u64,
        /// The reason, which all readers of the answer see: 1 to 300 characters on one line.
        #[arg(long)]
        reason: String,
    },
    /// Fix the sizes of queries that are not written yet, before the first charge, for a promise but for a chance.
    #[command(after_help = "\
Examples:
  deniable ledger fix-sizes policy.toml --size 100x1/200 --size 2x1/20

The first release fixes the sizes of its own queries. This command fixes sizes for queries that will be written later, \
such as those of `deniable ask --spend 1/200`: a query of exactly this share uses one of them. Nothing is charged. Fixed \
sizes count for the promise but for a chance even if no query uses them, and cannot be changed.")]
    FixSizes {
        /// Policy, data and ledger.
        #[command(flatten)]
        place: PolicyPlace,
        /// A number of queries and the share of the promise that each may cost, as 100x1/200; may be given several times.
        #[arg(long = "size", value_name = "NUMBERxSHARE", value_parser = size, required = true)]
        sizes: Vec<(u32, Rational)>,
    },
    /// Replace the recorded promise by the policy's, for all users of the ledger, which records the act and its reason.
    #[command(after_help = "\
Examples:
  deniable ledger change-promise policy.toml --reason 'ethics board, 12 June: gain 2 instead of 3/2'")]
    ChangePromise {
        /// Policy, data and ledger.
        #[command(flatten)]
        place: PolicyPlace,
        /// The reason, which the ledger records.
        #[arg(long)]
        reason: String,
    },
}
