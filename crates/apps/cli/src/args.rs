//! The command line's words.

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
pub mod spend;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use policy::{Ask, Data, Explore, Init, LedgerCommand, Plan, Release, Report, Suggest};
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  deniable init data.csv --out policy.toml
  deniable plan examples/clinic/policy.toml
  deniable explore examples/clinic/policy.toml
  deniable release examples/clinic/policy.toml --register --yes
  deniable release policy.toml --format json --out answers.json
  deniable report policy.toml --out report.html
  deniable ask policy.toml 'SELECT COUNT(*) FROM visits' --spend 1/40
  deniable data check policy.toml
  deniable ledger show policy.toml
  deniable check kmax --k 2 --n 5 --family uniform
  deniable translate --from gain=3/2 --prior 1/5..4/5
  deniable gwas --bfile cohort --gain 2 --prior 1/2 --adjacency label-swap --top 5 --p-value 0.05

Standard output carries only what may be published, but for attack, assess, and data check and gwas check with \
--format json, whose findings about your own data are for you. Standard error, the exit status, progress and timing are for the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.";

/// Private answers from a stated risk.
///
/// Say in a policy how sure anyone may become that a given person is in the data, and ask in SQL. Deniable
/// works out how much noise that takes, answers, and remembers what has been spent.
#[derive(Debug, Parser)]
#[command(name = "deniable", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The whole command line: what is declared here, and a flag for each parameter of a built-in mechanism.
pub fn command() -> clap::Command {
    groups::grouped(Args::command().mut_subcommand("check", check::with_parameters))
}

/// What these words say, the program's own name first.
///
/// # Errors
/// When they are no command, and when they ask for help: the error is what to say, and the exit code.
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

/// Flags that other programs have, and what they are called here: a flag, and its value where that is what was meant.
const ELSEWHERE: [(&str, &str, Option<&str>); 3] =
    [("--json", "format", Some("json")), ("--csv", "format", Some("csv")), ("--share", "spend", None)];

/// Says what a flag is called here, in place of advice that helps nobody, where this run's command has it.
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
    /// Begin a policy from the column names of a file. No value of the data is looked at.
    #[command(after_help = "\
Examples:
  deniable init visits.csv --out policy.toml
  deniable init export.csv --delimiter ';' --table visits > policy.toml
  deniable init visits.parquet --out policy.toml

Only the first line of CSV, or the schema of Parquet, is read. What a person must decide is left open as \"?\"; every \
command names the blanks that are left.")]
    Init(Init),
    /// Say how far the answers of a policy will be from the truth, and what they cost. No data is read or charged.
    #[command(after_help = "\
Examples:
  deniable plan examples/clinic/policy.toml
  deniable plan policy.toml --query 'visits by sex' --format json
  deniable plan policy.toml --sweep gain=1.1..4
  deniable plan policy.toml --sweep epsilon=0.1..2:20
  deniable plan policy.toml --sweep rows_per_group=1..50
  deniable plan policy.toml --least-promise

A sweep looks at other caps, `rows_per_group` or `groups`, or at other promises: `epsilon`, `gain`, `negative_gain`, `posterior_at_most` (or `posterior`), `posterior_at_least`, \
`rho`, `alpha` or `beta`. The swept promise stands alone, in place of all that the policy promises.")]
    Plan(Plan),
    /// Answer a policy's queries: charge the ledger, compute, store, show.
    #[command(after_help = "\
Examples:
  deniable release examples/clinic/policy.toml --register --yes
  deniable release policy.toml --query 'visits by sex' --format csv --out by-sex.csv
  deniable release examples/adult/policy.toml --data path/to/adult.data --register --yes

Data that were never looked at as the policy reads them are scanned and registered first, and that is all, so that you can \
read what was found; the same command then releases. --register goes on in the same run. Nothing is registered where a \
column reads badly: `deniable data check` says which, and how to accept it.

Asking the same again shows the stored answer and costs nothing, also with another ORDER BY or other names.")]
    Release(Release),
    /// Open a local page on which the promise can be moved, with what it costs beside it. No data is read.
    #[command(after_help = "\
Examples:
  deniable explore examples/clinic/policy.toml
  deniable explore policy.toml --port 8080 --no-open

The page is served to this machine alone, under an address that nobody can guess, until Ctrl-C. \"Use these\" writes the \
promise into the policy. `deniable plan --sweep` has the same numbers as a table.")]
    Explore(Explore),
    /// Write a page for everyone: the answers with pictures, the guarantee in words, what was spent. Nothing is charged.
    #[command(after_help = "\
Examples:
  deniable report policy.toml --out report.html
  deniable report --ledger clinic.ledger --out everything.html
  deniable release policy.toml --report report.html

The page is one file that loads nothing from elsewhere, for screens, print and screen readers. Nothing on it comes from \
private data but the released answers.")]
    Report(Report),
    /// Advise on caps and bounds, from noisy quantiles of one value an entity. Charged like any release.
    #[command(after_help = "\
Examples:
  deniable suggest policy.toml --spend 1/50
  deniable suggest policy.toml --query 'visits by sex' --spend 2% --dry-run

Of each entity: rows in its largest group, its groups, and its smallest and largest value of every column that is added up or \
ranked, between the declared bounds. `deniable data check` has the exact losses for your eyes; caps chosen by those depend on \
the data.")]
    Suggest(Suggest),
    /// Answer a query that is not in the policy, from what is left of the promise; without SQL, a prompt.
    #[command(after_help = "\
Examples:
  deniable ask policy.toml 'SELECT COUNT(*) FROM visits WHERE age > 80' --spend 1/40
  deniable ask policy.toml 'SELECT MEDIAN(age) FROM visits' --spend 5% --dry-run
  deniable ask policy.toml --spend 1/40
  deniable ask policy.toml --yes --spend 1/40 --format json < queries.sql

The share is of the whole promise about the population, and is charged under the policy's name with `/ask`: the policy's \
own `spend` is for the queries that it lists, and does not limit these. What the promise allows in all is never exceeded.")]
    Ask(Ask),
    /// Answer SQL of several analysts, from the tools that they have: a server of PostgreSQL's protocol.
    #[command(after_help = serve::SERVE_EXAMPLES)]
    Serve(serve::Serve),
    /// Say who may connect to the server, and which part of the promise is whose.
    #[command(subcommand, after_help = serve::ACCOUNT_EXAMPLES)]
    Account(serve::Account),
    /// Look at the data before anything is released from it.
    #[command(subcommand)]
    Data(Data),
    /// Look at what was promised, spent and released.
    #[command(
        subcommand,
        after_help = "\
Examples:
  deniable ledger show policy.toml
  deniable ledger verify policy.toml --head 14:0f3a...
  deniable ledger change-promise policy.toml --reason 'the board agreed on 14 May'"
    )]
    Ledger(LedgerCommand),
    /// Decide exactly how much a finite mechanism lets anyone learn, and show where.
    #[command(after_help = check::CHECK_EXAMPLES)]
    Check(check::Check),
    /// Verify a certificate of `check` by code that shares nothing with it.
    #[command(after_help = "\
Examples:
  deniable check kmax --k 2 --n 5 --family uniform --certificate proof.json
  deniable recheck proof.json

Exit codes: 0 it is right; 1 it is not, and what is wrong with it; 2 bad usage.")]
    Recheck(check::Recheck),
    /// Say one privacy promise in the terms of others.
    #[command(after_help = "\
Examples:
  deniable translate --from gain=3/2 --prior 1/5..4/5 --to epsilon,rho:100,posterior,alpha-beta
  deniable translate --from epsilon=1
  deniable translate --from odds=3/2 --from odds=2 --compose --to gain --prior 1/2..1/2")]
    Translate(check::Translate),
    /// Release association results of a case-control cohort that nobody's participation can be read from.
    #[command(after_help = gwas::EXAMPLES)]
    Gwas(Box<gwas::Gwas>),
    /// Find out from its outputs alone whether a mechanism keeps what is claimed of it.
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::Audit),
    /// Try known attacks on a release: who took part, and whose row is this?
    #[command(subcommand, after_help = attack::EXAMPLES)]
    Attack(Box<attack::Attack>),
    /// Find out what an anonymised table gives away: to whom, about whom, and how far beliefs move.
    #[command(after_help = assess::EXAMPLES)]
    Assess(Box<assess::Assess>),
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

    fn of(command: &clap::Command) -> BTreeSet<String> {
        let names = |argument: &clap::Arg| {
            let aliases = argument.get_visible_aliases().unwrap_or_default();
            argument.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
        };
        command.get_arguments().flat_map(names).collect()
    }

    /// `docs/reference/cli.md` has every flag where its command is described, and no flag that there is not.
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
            if parts.is_empty() || !of(command).is_empty() {
                let here = flags(section(format!("# `deniable {name} ")));
                for flag in of(command) {
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
                for flag in of(part) {
                    assert!(flags(line).contains(&flag) || shared.contains(&flag), "--{flag} of {name}");
                    known.insert(flag);
                }
            }
        }
        let unknown: Vec<String> = flags(&page).difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "not flags: {unknown:?}");
    }
}
