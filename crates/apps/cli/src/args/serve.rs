//! Arguments of `serve` and `account`.

use super::output::LedgerFormat;
use super::policy::PolicyPlace;
use super::spend::share;
use clap::{Subcommand, ValueEnum};
use deniable::exact::Rational;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Examples of `deniable serve`.
pub const SERVE_EXAMPLES: &str = "\
Examples:
  deniable serve examples/clinic/policy.toml
  psql -h 127.0.0.1 -p 5433 clinic
  deniable serve policy.toml --config serve.toml

Without a serve.toml beside the policy, every client on this machine connects as the curator, for trials. With one, \
the accounts of `deniable account` may connect, each with a part of the promise. SIGHUP reloads the policy, the \
accounts and the certificates; Ctrl-C stops the server. docs/how-to/serve.md lists the clients.";

/// Examples of `deniable account`.
pub const ACCOUNT_EXAMPLES: &str = "\
Examples:
  deniable account add policy.toml ana --share 1/4
  deniable account add policy.toml boss --role curator
  deniable account add policy.toml eve --role approver
  deniable account list policy.toml
  deniable account set policy.toml ana --share 1/3
  deniable account set policy.toml ana --password
  deniable account remove policy.toml ana

Passwords are typed at a prompt or read from standard input, never from the command line. Salted verifiers of them are in the file \
of accounts that serve.toml names; parts of the promise are in the ledger.";

/// `deniable serve`.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// The configuration of the server; serve.toml beside the policy if omitted.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Listen on this address instead of that in serve.toml, such as 127.0.0.1:5433; port 0 chooses a free port.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// The log filter, instead of that in serve.toml, such as warn, or warn,queries=info; also as the environment
    /// variable DENIABLE_LOG.
    #[arg(long, value_name = "FILTER", env = "DENIABLE_LOG", hide_env = true)]
    pub log: Option<String>,
    /// Register the data although this column cannot be read as declared, or CSV has this quirk, as `data check` does;
    /// may be given several times.
    #[arg(long, value_name = "NAME")]
    pub accept: Vec<String>,
    /// Register the data although caps or bounds leave out more than 10% of this query of the policy, as `data check`
    /// does; may be given several times.
    #[arg(long, value_name = "QUERY")]
    pub accept_loss: Vec<String>,
}

/// The server whose accounts are managed.
#[derive(Debug, clap::Args)]
pub struct Accounts {
    /// Policy, data and ledger.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// The configuration of the server; serve.toml beside the policy if omitted.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Role of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// May query, and pays from a part of the promise that is set aside.
    Analyst,
    /// May query for everyone: all accounts see the answers, and the unreserved part of the promise pays for them.
    Curator,
    /// May not query, and decides which queries of analysts may be charged, where serve.toml sets `needs_approval`.
    Approver,
}

/// A part of the promise for an analyst.
#[derive(Debug, clap::Args)]
pub struct Part {
    /// The part of the promise that is set aside for an analyst, such as 1/4 or 25%. A part that was used may only grow.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub share: Option<Rational>,
    /// The part overlaps with the parts of other accounts: no bound then covers this analyst alone.
    #[arg(long, requires = "share")]
    pub overlapping: bool,
    /// For a promise that holds but for a chance: all answers of the part may reveal as much as this many equal ones.
    /// Fewer take more of the promise, and allow less noise. By default as many as take the same share of what the chance
    /// allows.
    #[arg(long, value_name = "NUMBER", requires = "share", conflicts_with = "overlapping",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub answers: Option<u32>,
}

/// `deniable account`.
#[derive(Debug, Subcommand)]
pub enum Account {
    /// Add an account, with a part of the promise.
    Add {
        /// The server.
        #[command(flatten)]
        of: Accounts,
        /// The account's name: letters, digits and `_.@-`.
        name: String,
        /// The account's role.
        #[arg(long, value_enum, default_value_t = Role::Analyst)]
        role: Role,
        /// The part of the promise.
        #[command(flatten)]
        part: Part,
    },
    /// List the accounts, with their parts and the remainders.
    List {
        /// The server.
        #[command(flatten)]
        of: Accounts,
        /// Output format.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Change an account's part of the promise, or its password.
    Set {
        /// The server.
        #[command(flatten)]
        of: Accounts,
        /// The account's name.
        name: String,
        /// The new part of the promise.
        #[command(flatten)]
        part: Part,
        /// Prompt for a new password.
        #[arg(long)]
        password: bool,
    },
    /// Remove an account. A part that was used stays spent, and its remainder is not given to any other account.
    Remove {
        /// The server.
        #[command(flatten)]
        of: Accounts,
        /// The account's name.
        name: String,
    },
}
