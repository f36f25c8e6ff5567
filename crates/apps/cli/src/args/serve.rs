//! The words of the server, and of the accounts that may connect to it.

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

Without a serve.toml beside the policy, whoever connects from this machine asks as the curator: for trying it out. With one, the \
accounts of `deniable account` may connect, each with a part of the promise. SIGHUP reads the policy, the accounts and the certificates \
anew; Ctrl-C ends it. docs/how-to/serve.md has the clients.";

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

Passwords are asked for, or read from standard input: never on the command line. What is kept of them is in the file of accounts that \
serve.toml names, and parts of the promise are in the ledger.";

/// `deniable serve`.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// How the server is set up; serve.toml beside the policy where nothing is said.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Listen here instead of where serve.toml says, such as 127.0.0.1:5433; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Which events the log contains instead of those that serve.toml says, such as warn, or warn,queries=info; also as the
    /// variable DENIABLE_LOG.
    #[arg(long, value_name = "FILTER", env = "DENIABLE_LOG", hide_env = true)]
    pub log: Option<String>,
    /// Register the data although this column reads badly, or CSV has this quirk, as `data check` does; may be given
    /// several times.
    #[arg(long, value_name = "NAME")]
    pub accept: Vec<String>,
}

/// Which accounts.
#[derive(Debug, clap::Args)]
pub struct Accounts {
    /// Where everything is.
    #[command(flatten)]
    pub place: PolicyPlace,
    /// How the server is set up; serve.toml beside the policy where nothing is said.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What an account may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Asks, and pays from a part that is set aside.
    Analyst,
    /// Asks for everybody: answers are shown to all, and paid from what is not reserved.
    Curator,
    /// Asks nothing, and decides which queries of analysts may be charged, where serve.toml says `needs_approval`.
    Approver,
}

/// `deniable account`.
#[derive(Debug, Subcommand)]
pub enum Account {
    /// Let somebody connect, with a part of the promise.
    Add {
        /// Of which server.
        #[command(flatten)]
        of: Accounts,
        /// The name: letters, digits and `_.@-`.
        name: String,
        /// What it may do.
        #[arg(long, value_enum, default_value_t = Role::Analyst)]
        role: Role,
        /// The part of the promise that is set aside for an analyst, such as 1/4 or 25%.
        #[arg(long, value_name = "SHARE", value_parser = share)]
        share: Option<Rational>,
        /// The part overlaps with what others take: then there is no bound for this analyst alone.
        #[arg(long)]
        overlapping: bool,
    },
    /// List the accounts, with their parts and what is left of them.
    List {
        /// Of which server.
        #[command(flatten)]
        of: Accounts,
        /// How to write it.
        #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
        format: LedgerFormat,
    },
    /// Give somebody another part, or another password.
    Set {
        /// Of which server.
        #[command(flatten)]
        of: Accounts,
        /// The name.
        name: String,
        /// The part of the promise; one that was used may only grow.
        #[arg(long, value_name = "SHARE", value_parser = share)]
        share: Option<Rational>,
        /// The part overlaps with what others take: then there is no bound for this analyst alone.
        #[arg(long)]
        overlapping: bool,
        /// Ask for a new password.
        #[arg(long)]
        password: bool,
    },
    /// Let somebody connect no more. A part that was used stays spent, and what is left of it is handed on to nobody.
    Remove {
        /// Of which server.
        #[command(flatten)]
        of: Accounts,
        /// The name.
        name: String,
    },
}
