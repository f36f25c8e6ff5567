//! Command-line arguments.

pub mod assess;
pub mod attack;
pub mod audit;
pub mod check;
mod groups;
pub mod gwas;
pub mod limits;
pub mod output;
pub mod policy;
pub mod serve;
pub mod simulate;
pub mod spend;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use policy::{Ask, Data, Explore, Init, LedgerCommand, Plan, Release, Report, Suggest};
use std::ffi::OsString;
use std::sync::LazyLock;

const EXAMPLES: &str = "\
Examples:
  deniable init data.csv --out policy.toml
  deniable plan examples/clinic/policy.toml
  deniable explore examples/clinic/policy.toml
  deniable simulate policy.toml --rows 5000
  deniable release policy.toml --rehearse
  deniable release examples/clinic/policy.toml --register
  deniable release policy.toml --format json --out answers.json
  deniable report policy.toml --out report.html
  deniable ask policy.toml 'SELECT COUNT(*) FROM visits' --spend 1/40
  deniable data check policy.toml
  deniable ledger show policy.toml
  deniable check kmax --k 2 --n 5 --family uniform
  deniable translate --from gain=3/2 --prior 1/5..4/5
  deniable gwas --bfile cohort --gain 2 --prior 1/2 --adjacency label-swap --top 5 --p-value 0.05

Standard output contains only what may be published. The exceptions are attack, assess and ledger show, and data \
check, data pull and gwas check with --format json: their findings about your own data are for you. Standard error, \
the exit status, progress and timing are for the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.";

/// The version with those of the formats that are kept.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    use deniable::formats::{ANSWERS, IDENTITY, LEDGER, POLICY};
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{version}\nledger format {LEDGER}, identity format {IDENTITY}, policy format {POLICY}, answer format {ANSWERS}"
    )
});

/// Private answers from a stated risk.
///
/// A policy limits how sure any observer may become that a given person is in the data. Queries are SQL. Deniable
/// computes the noise that the limit requires, answers, and records in a ledger what has been spent.
#[derive(Debug, Parser)]
#[command(name = "deniable", version, long_version = VERSION.as_str(), after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// A format with a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// Policies: the keys, with their types and ranges.
    Policy,
    /// Answers: what release, ask, suggest and report write with --format json.
    Answers,
}

/// The whole command line: the declarations of this module, and a flag for each parameter of a built-in mechanism.
pub fn command() -> clap::Command {
    groups::grouped(Args::command().mut_subcommand("check", check::with_parameters))
}

/// Parses a command line whose first word is the program's own name.
///
/// # Errors
/// When the words are not a command, and when they request help: the error has the text to print and the exit code.
pub fn read(words: &[OsString]) -> Result<Args, clap::Error> {
    let matches = command().try_get_matches_from(words).map_err(|mut error| {
        hint(&mut error, words);
        error
    })?;
    let mut args = Args::from_arg_matches(&matches)?;
    if let (Command::Check(check), Some(("check", matches))) = (&mut args.command, matches.subcommand()) {
        check.parameters = check::given(matches);
    }
    Ok(args)
}

/// Flags of other programs, each with the flag of this program that replaces it and, where it implies one, its value.
const ELSEWHERE: [(&str, &str, Option<&str>); 3] =
    [("--json", "format", Some("json")), ("--csv", "format", Some("csv")), ("--share", "spend", None)];

/// Replaces clap's suggestion for a flag of another program by this program's flag, if the command of this run has it.
fn hint(error: &mut clap::Error, words: &[OsString]) {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return };
    let Some((_, name, value)) = ELSEWHERE.iter().find(|(elsewhere, ..)| elsewhere == flag) else { return };
    let mut command = command();
    for word in words.iter().skip(1) {
        match command.find_subcommand(word) {
            Some(part) => command = part.clone(),
            None => break,
        }
    }
    let Some(known) = command.get_arguments().find(|argument| argument.get_long() == Some(name)) else { return };
    let here = match value {
        None => format!("--{name}"),
        Some(value) if known.get_possible_values().iter().any(|possible| possible.matches(value, false)) => {
            format!("--{name} {value}")
        }
        Some(_) => return,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(Vec::new()));
    error.insert(ContextKind::SuggestedArg, ContextValue::String(here));
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a draft of a policy from the column names of a file. No value of the data is read.
    #[command(after_help = "\
Examples:
  deniable init visits.csv --out policy.toml
  deniable init export.csv --delimiter ';' --table visits > policy.toml
  deniable init visits.parquet --out policy.toml
  deniable init events.csv people.csv towns.csv --out policy.toml

Further files are joined with the first. Only the first line of CSV, or the schema of Parquet, is read. Each decision that the curator must make is left open \
as \"?\"; every command lists the blanks that remain.")]
    Init(Init),
    /// Estimate the errors and the cost of a policy's answers. No data is read, nothing is charged.
    #[command(after_help = "\
Examples:
  deniable plan examples/clinic/policy.toml
  deniable plan policy.toml --query 'visits by sex' --format json
  deniable plan policy.toml --sweep gain=1.1..4
  deniable plan policy.toml --sweep epsilon=0.1..2:20
  deniable plan policy.toml --sweep rows_per_group=1..50
  deniable plan policy.toml --least-promise

A sweep varies a cap, `rows_per_group` or `groups`, or a promise: `epsilon`, `gain`, `negative_gain`, \
`posterior_at_most` (or `posterior`), `posterior_at_least`, `rho`, `alpha` or `beta`. A swept promise replaces every \
promise of the policy.")]
    Plan(Plan),
    /// Write made-up rows of a policy's tables, to try its queries on. No private data is read.
    #[command(after_help = simulate::SIMULATE_EXAMPLES)]
    Simulate(simulate::Simulate),
    /// Answer a policy's queries: charge the ledger, compute, store and print the answers.
    #[command(after_help = "\
Examples:
  deniable release examples/clinic/policy.toml --register
  deniable release policy.toml --rehearse --rows 5000 --report rehearsal.html
  deniable release policy.toml --query 'visits by sex' --format csv --out by-sex.csv
  deniable release examples/adult/policy.toml --data path/to/adult.data --register --yes

Data that are not registered yet as the policy reads them are scanned and registered first. The run stops there, so \
that you can read the findings; the same command then releases. With --register, it continues in the same run. Nothing \
is registered while a column cannot be read as declared: `deniable data check` reports which, and how to accept it.

Repeating a query prints the stored answer and costs nothing, also with another ORDER BY or other aliases.

A rehearsal does all of this on made-up rows, with a temporary ledger: no private data is read, nothing of the promise is \
spent, and everything that it prints or writes begins with REHEARSAL.")]
    Release(Release),
    /// Open a local page to vary the promise and see its cost. No data is read.
    #[command(after_help = "\
Examples:
  deniable explore examples/clinic/policy.toml
  deniable explore policy.toml --port 8080 --no-open

The page is served to this machine alone, under an address that contains a secret, until Ctrl-C. \"Use these\" writes \
the promise into the policy. `deniable plan --sweep` prints the same numbers as a table.")]
    Explore(Explore),
    /// Write a page that may be published: answers with charts, the guarantee, and the spending. Nothing is charged.
    #[command(after_help = "\
Examples:
  deniable report policy.toml --out report.html
  deniable report --ledger clinic.ledger --out everything.html
  deniable release policy.toml --report report.html
  deniable report policy.toml --for ethics --out statement.md

The page is one file that loads no other files, for screens, print and screen readers. Only the released answers on it \
depend on private data.")]
    Report(Report),
    /// Suggest caps and bounds, from noisy quantiles of one value per entity. Charged like any release.
    #[command(after_help = "\
Examples:
  deniable suggest policy.toml --spend 1/50
  deniable suggest policy.toml --query 'visits by sex' --spend 2% --dry-run

The values of each entity are the rows in its largest group, the number of its groups, and its smallest and largest \
value of every column that is added up or ranked, within the declared bounds. `deniable data check` reports the exact \
losses to you; caps chosen from those depend on the data.")]
    Suggest(Suggest),
    /// Answer a query that is not in the policy, from the remaining promise; without SQL, open a prompt.
    #[command(after_help = "\
Examples:
  deniable ask policy.toml 'SELECT COUNT(*) FROM visits WHERE age > 80' --spend 1/40
  deniable ask policy.toml 'SELECT MEDIAN(age) FROM visits' --spend 5% --dry-run
  deniable ask policy.toml --spend 1/40
  deniable ask policy.toml --yes --spend 1/40 --format json < queries.sql

The share is a part of the whole promise about the population, and is charged under the policy's name with `/ask`: the \
policy's own `spend` is for the queries that it lists, and does not limit these. The total that the promise allows is \
never exceeded.")]
    Ask(Ask),
    /// Answer SQL of several analysts over PostgreSQL's wire protocol, from the clients that they already have.
    #[command(after_help = serve::SERVE_EXAMPLES)]
    #[cfg_attr(not(feature = "serve"), command(hide = true))]
    Serve(serve::Serve),
    /// Manage the accounts that may connect to the server, and their parts of the promise.
    #[command(subcommand, after_help = serve::ACCOUNT_EXAMPLES)]
    #[cfg_attr(not(feature = "serve"), command(hide = true))]
    Account(serve::Account),
    /// Check the data before the first release.
    #[command(subcommand)]
    Data(Data),
    /// Show or verify the ledger, withdraw an answer, or change the recorded promise.
    #[command(
        subcommand,
        after_help = "\
Examples:
  deniable ledger show policy.toml
  deniable ledger verify policy.toml --head 14:0f3a...
  deniable ledger withdraw policy.toml 14 --reason 'the cap of rows per patient was wrong'
  deniable ledger change-promise policy.toml --reason 'the board agreed on 14 May'"
    )]
    Ledger(LedgerCommand),
    /// Decide exactly how much a finite mechanism reveals, and show a worst case.
    #[command(after_help = check::CHECK_EXAMPLES)]
    Check(check::Check),
    /// Verify a certificate of `check` with independent code.
    #[command(after_help = "\
Examples:
  deniable check kmax --k 2 --n 5 --family uniform --certificate proof.json
  deniable recheck proof.json

Exit codes: 0 the certificate is right; 1 it is wrong, and the output names the fault; 2 bad usage; 3 the witness is \
right, but the upper bound is too large to be rechecked.")]
    Recheck(check::Recheck),
    /// Translate a privacy promise into the terms of other notions.
    #[command(after_help = "\
Examples:
  deniable translate --from gain=3/2 --prior 1/5..4/5 --to epsilon,rho:100,posterior,alpha-beta
  deniable translate --from epsilon=1
  deniable translate --from odds=3/2 --from odds=2 --compose --to gain --prior 1/2..1/2")]
    Translate(check::Translate),
    /// Release association results of a case-control cohort under a privacy promise.
    #[command(after_help = gwas::EXAMPLES)]
    Gwas(Box<gwas::Gwas>),
    /// Test, from its outputs alone, whether a mechanism keeps a claimed promise.
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::Audit),
    /// Try known attacks on a release: who took part, and whose row is this?
    #[command(subcommand, after_help = attack::EXAMPLES)]
    Attack(Box<attack::Attack>),
    /// Assess what an anonymised table reveals: to whom, about whom, and how far beliefs move.
    #[command(after_help = assess::EXAMPLES)]
    Assess(Box<assess::Assess>),
    /// Print the JSON Schema of policies, for an editor that completes and checks TOML, or of answers.
    #[command(after_help = "\
Examples:
  deniable schema > policy.schema.json
  deniable schema answers > answers.schema.json

With `#:schema policy.schema.json` as its first line, an editor with a TOML language server (Taplo, Even Better TOML) \
completes the keys of a policy, explains them and marks misspelt ones. `deniable plan` checks what a schema cannot.")]
    Schema {
        /// The format.
        #[arg(value_enum, default_value_t = Format::Policy)]
        of: Format,
    },
    /// Explain a notion, a family of priors, a mechanism, a theorem or a term of another library.
    #[command(after_help = "\
Examples:
  deniable explain pmp
  deniable explain F-DB
  deniable explain kmax
  deniable explain 'privacy unit'
  deniable explain")]
    Explain(check::Explain),
}

#[cfg(test)]
mod tests {
    use super::command as whole_command;
    use std::collections::BTreeSet;

    /// Every `--flag` in a text.
    fn flags(text: &str) -> BTreeSet<String> {
        let after = text.split("--").skip(1);
        let words =
            after.map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect::<String>());
        words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect()
    }

    fn own_flags(command: &clap::Command) -> BTreeSet<String> {
        let names = |argument: &clap::Arg| {
            let aliases = argument.get_visible_aliases().unwrap_or_default();
            argument.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
        };
        command.get_arguments().flat_map(names).collect()
    }

    /// `docs/reference/cli.md` lists every flag in the section of its command, and no flag that does not exist.
    #[test]
    fn the_reference_has_every_flag() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/cli.md");
        let page = std::fs::read_to_string(page).expect("docs/reference/cli.md");
        let section = |heading: String| -> &str {
            let (_, rest) =
                page.split_once(&heading).unwrap_or_else(|| panic!("no `{heading}` in docs/reference/cli.md"));
            rest.split_once("\n#").map_or(rest, |(section, _)| section)
        };
        let shared = flags(section("## Commands that take a policy".to_owned()));
        let mut known: BTreeSet<String> = ["help".to_owned(), "version".to_owned()].into();
        for command in whole_command().get_subcommands() {
            let name = command.get_name();
            let parts: Vec<&clap::Command> = command.get_subcommands().collect();
            // A command with parts may have flags of its own.
            if parts.is_empty() || !own_flags(command).is_empty() {
                let here = flags(section(format!("# `deniable {name} ")));
                for flag in own_flags(command) {
                    assert!(here.contains(&flag) || shared.contains(&flag), "--{flag} of {name}");
                    known.insert(flag);
                }
            }
            for part in parts {
                // Parts that take the same flags share a heading: `deniable attack homer|lr`.
                let heading = page.lines().find_map(|line| {
                    let (_, rest) = line.strip_prefix('#')?.split_once(&format!("# `deniable {name} "))?;
                    let parts = rest.split([' ', '`']).next()?;
                    parts.split('|').any(|one| one == part.get_name()).then(|| format!("# `deniable {name} {parts}"))
                });
                let name = format!("{name} {}", part.get_name());
                let own = heading.unwrap_or_else(|| format!("# `deniable {name} "));
                let line = page
                    .lines()
                    .find(|line| line.contains(&format!("{name} PATH")) || line.contains(&format!("{name} POLICY")));
                let line = if page.contains(&own) {
                    section(own)
                } else {
                    line.unwrap_or_else(|| panic!("no `{name}` in docs/reference/cli.md"))
                };
                for flag in own_flags(part) {
                    assert!(flags(line).contains(&flag) || shared.contains(&flag), "--{flag} of {name}");
                    known.insert(flag);
                }
            }
        }
        let unknown: Vec<String> = flags(&page).difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "not flags: {unknown:?}");
    }
}
