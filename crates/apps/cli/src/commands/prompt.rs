//! The prompt of `deniable ask`. Answers go to standard output, all other text to standard error.
//!
//! Without a terminal, lines are read as they arrive, nothing is charged without `--yes`, and the first failure ends
//! it.

use crate::args::output::Format;
use crate::args::policy::Ask as Args;
use crate::args::spend::spending;
use crate::commands::answers::{doubts, obtain, written};
use crate::commands::question::{cost_in_words, question};
use crate::commands::statements::{Input, take};
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use deniable::ledger::Part;
use deniable::{PlanReport, Policy, Session, remaining};
use deniable_core::exact::{Rational, Rounding, decimal, percent};
use deniable_core::schema::{ColumnType, Key, Role};
use rustyline::config::Behavior;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

const HELP: &str = "\
SQL that ends in ; is a query. It may span lines. The prompt shows its cost and charges it after you confirm.
Several queries on one line run in order.
These commands cost nothing:
  \\plan [SQL]         the expected error and cost of a query, or of the last query
  \\left               the remaining promise
  \\describe [TABLE]   the tables, or the columns of a table
  \\spend 1/40         the part of the whole promise that each of the next queries may use
  \\help               this list
  \\quit               ends the prompt";

enum Lines {
    Terminal { editor: Box<DefaultEditor>, history: Option<PathBuf> },
    Pipe(std::io::StdinLock<'static>),
}

enum Line {
    Text(String),
    /// Ctrl-C: the unfinished query is dropped.
    Dropped,
    End,
}

#[derive(PartialEq, Eq)]
enum Next {
    Line,
    End,
}

struct Prompt<'a> {
    args: &'a Args,
    policy: &'a Policy,
    spend: Option<Rational>,
    /// The last query, answered or not, for `\plan` without SQL.
    last: Option<String>,
    lines: Lines,
}

/// Reads queries and commands until the input ends.
pub fn run(args: &Args, policy: &Policy) -> Result<(), Failure> {
    let lines = Lines::open(args.no_history)?;
    let spend = args.spend.as_ref().map(|spend| spend.share(policy.guarantee().limit())).transpose()?;
    let mut prompt = Prompt { args, policy, spend, last: None, lines };
    if prompt.lines.is_terminal() {
        say(format!("queries about \"{}\"; \\help lists the commands", policy.population()));
    }
    let mut typed = String::new();
    loop {
        let lead = if typed.is_empty() { "deniable> " } else { "     ...> " };
        match prompt.lines.next(lead)? {
            Line::Text(line) => {
                typed.push_str(&line);
                typed.push('\n');
            }
            Line::Dropped if !typed.is_empty() => {
                typed.clear();
                say("dropped; Ctrl-D or \\quit ends the prompt");
            }
            Line::Dropped | Line::End => break,
        }
        match prompt.each(&mut typed) {
            Ok(Next::Line) => {}
            Ok(Next::End) => return Ok(()),
            // At a terminal, the user reads the failure and continues.
            Err(failure) if prompt.lines.is_terminal() && !matches!(failure, Failure::ClosedPipe) => {
                failure.report();
                // Later queries of the line may depend on the failed one.
                if !typed.trim().is_empty() {
                    say("the rest of the line was not run");
                }
                typed.clear();
            }
            Err(failure) => return Err(failure),
        }
    }
    if typed.is_empty() {
        return Ok(());
    }
    Err(Failure::refused("the last query does not end in ; and was not run", "end it with ;"))
}

impl Prompt<'_> {
    /// Runs the complete queries and commands of `typed` in order; an unfinished query stays in it.
    fn each(&mut self, typed: &mut String) -> Result<Next, Failure> {
        loop {
            match take(typed) {
                Input::Nothing | Input::Unfinished => return Ok(Next::Line),
                Input::Command(line) => {
                    self.lines.remember(&line);
                    if self.command(&line)? == Next::End {
                        return Ok(Next::End);
                    }
                }
                Input::Query(sql) => {
                    self.lines.remember(&format!("{sql};"));
                    self.last = Some(sql.clone());
                    self.answer(&sql)?;
                }
            }
        }
    }

    fn command(&mut self, line: &str) -> Result<Next, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "\\help" | "\\h" | "\\?" => say(HELP),
            "\\quit" | "\\q" => return Ok(Next::End),
            "\\left" => self.left()?,
            "\\describe" | "\\d" => self.describe(rest)?,
            "\\spend" => {
                let value = spending(rest)
                    .map_err(|why| Failure::refused(format!("\\spend {rest}: {why}"), "write \\spend 1/40"))?
                    .share(self.policy.guarantee().limit())?;
                say(format!(
                    "the next queries may use {value} ({}) of the promise each",
                    percent(&value, 1, Rounding::Up)
                ));
                self.spend = Some(value);
            }
            "\\plan" => {
                let sql = rest.trim_end_matches(';').trim();
                if !sql.is_empty() {
                    self.last = Some(sql.to_owned());
                }
                let Some(sql) = &self.last else {
                    let help = "write \\plan SELECT ... on one line; \\plan alone plans the last query";
                    return Err(Failure::refused("there is no earlier query to plan", help));
                };
                self.show_plan(&self.session(sql)?)?;
            }
            _ => {
                return Err(Failure::refused(
                    format!("there is no command {word}"),
                    "\\help lists them; SQL ends in ;",
                ));
            }
        }
        Ok(Next::Line)
    }

    fn session(&self, sql: &str) -> Result<Session, Failure> {
        let Some(share) = &self.spend else {
            let help = "state the part of the promise that a query may use: \\spend 1/40, or --spend 1/40 at the start";
            return Err(Failure::refused("the query has no share of the promise", help));
        };
        let session = Session::of_plan(question(self.policy, self.args, sql, share)?)?;
        Ok(session.allowing(self.args.registration.allowed()))
    }

    fn show_plan(&self, session: &Session) -> Result<(), Failure> {
        let account = session.account()?;
        say(PlanReport::new(&session.plan_with_earlier()?, account.as_ref()).to_string().trim_end());
        Ok(())
    }

    fn answer(&mut self, sql: &str) -> Result<(), Failure> {
        let session = self.session(sql)?;
        let (plan, account) = (&session.plan_with_earlier()?, session.account()?);
        let identity = |ask: &deniable::QueryPlan| ask.for_ledger(plan.policy()).identity;
        let paid = account
            .as_ref()
            .is_some_and(|account| plan.queries().iter().all(|ask| account.release(&identity(ask)).is_some()));
        if self.args.dry_run {
            return self.show_plan(&session);
        }
        if self.args.yes {
            doubts(plan);
        }
        if !paid && !self.args.yes {
            self.show_plan(&session)?;
            let cost = cost_in_words(plan, session.left()?.exact_share().as_ref());
            if !self.lines.confirm(&format!("charge {cost}? [y/N] "))? {
                say("not charged");
                return Ok(());
            }
        }
        let (publication, failed) = obtain(session, &self.args.limits, self.args.registration)?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        let text = match self.args.format {
            // The guarantee is the same each time, and `deniable ledger show` prints it.
            Format::Table => publication.answers.iter().map(|ask| ask.in_words(&publication.confidence)).collect(),
            Format::Json | Format::Csv => written(&publication, self.args.format)?,
        };
        publish(&text, None)
    }

    fn left(&self) -> Result<(), Failure> {
        // Shares are parts of the whole promise.
        say(match remaining(self.policy, &Part::Whole)?.exact_share() {
            Some(left) => format!(
                "{left} ({}) of {} is left",
                percent(&left, 1, Rounding::Down),
                self.policy.guarantee().limit().logarithm_in_words()
            ),
            None => "the ledger records another promise than the policy; see `deniable ledger show`".to_owned(),
        });
        Ok(())
    }

    fn describe(&self, name: &str) -> Result<(), Failure> {
        let tables = self.policy.tables();
        if name.is_empty() {
            for table in &tables {
                let whose = match &table.role {
                    Role::Protected { .. } => "protected",
                    Role::Public { .. } => "public",
                };
                say(format!("{}: {} columns, {whose}", table.data.table, table.columns.len()));
            }
            return Ok(());
        }
        let Some(table) = tables.iter().find(|table| table.data.table == name) else {
            let known: Vec<&str> = tables.iter().map(|table| table.data.table.as_str()).collect();
            let help = format!("choose one of {}", known.join(", "));
            return Err(Failure::refused(format!("the policy has no table {name}"), help));
        };
        for column in &table.columns {
            let labelled = |key: &Key| match column.labels.get(key) {
                Some(label) => format!("{key} ({label})"),
                None => key.to_string(),
            };
            let keys: Vec<String> = column.keys.iter().flatten().map(labelled).collect();
            let keys = if keys.is_empty() { String::new() } else { format!(", keys {}", keys.join(", ")) };
            let bounds = column.bounds.as_ref().map(|bounds| {
                format!(", bounds {} to {}", end(column.kind, bounds.low()), end(column.kind, bounds.high()))
            });
            say(format!("  {}: {}{}{keys}", column.name, column.kind.name(), bounds.unwrap_or_default()));
        }
        Ok(())
    }
}

/// A bound, in the notation of the policy.
fn end(kind: ColumnType, value: &Rational) -> String {
    if kind.is_time() { kind.written(value) } else { short_number(value) }
}

fn short_number(value: &Rational) -> String {
    if value.is_integer() { value.to_string() } else { decimal(value, 6, Rounding::Nearest) }
}

impl Lines {
    fn open(no_history: bool) -> Result<Self, Failure> {
        if !std::io::stdin().is_terminal() {
            return Ok(Self::Pipe(std::io::stdin().lock()));
        }
        // Prompts go to the terminal itself, so that they never mix with answers on standard output.
        let config = Config::builder().behavior(Behavior::PreferTerm).build();
        let mut editor = DefaultEditor::with_config(config).map_err(|error| broken(&error))?;
        let history = if no_history { None } else { private_history() };
        if let Some(path) = &history {
            // The prompt works without a history, if the file is missing or damaged.
            let _ = editor.load_history(path);
        }
        Ok(Self::Terminal { editor: Box::new(editor), history })
    }

    fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal { .. })
    }

    fn next(&mut self, lead: &str) -> Result<Line, Failure> {
        match self {
            Self::Terminal { editor, .. } => match editor.readline(lead) {
                Ok(line) => Ok(Line::Text(line)),
                Err(ReadlineError::Interrupted) => Ok(Line::Dropped),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(broken(&error)),
            },
            Self::Pipe(stdin) => {
                let mut line = String::new();
                let read = stdin.read_line(&mut line).map_err(|error| broken(&error))?;
                let line = line.trim_end_matches(['\n', '\r']);
                Ok(if read > 0 { Line::Text(line.to_owned()) } else { Line::End })
            }
        }
    }

    /// Asks for confirmation at a terminal; fails without one.
    fn confirm(&mut self, question: &str) -> Result<bool, Failure> {
        match self {
            Self::Terminal { .. } => {
                let Line::Text(answer) = self.next(question)? else { return Ok(false) };
                Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
            }
            Self::Pipe(_) => Err(Failure::refused(
                "the query was not charged: standard input is not a terminal, so the cost cannot be confirmed",
                "add --yes to charge queries from standard input, or use \\plan to see the cost",
            )),
        }
    }

    fn remember(&mut self, line: &str) {
        if let Self::Terminal { editor, history: Some(path) } = self {
            // A failure to store the history does not stop the prompt.
            let _ = editor.add_history_entry(line.replace('\n', " "));
            let _ = editor.append_history(path);
        }
    }
}

fn broken(error: &dyn std::fmt::Display) -> Failure {
    Failure::refused(format!("queries cannot be read: {error}"), "give the query on the command line instead")
}

/// The file of past queries, which may contain sensitive words: in the user's state folder, readable by the user alone.
fn private_history() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    let folder = state.join("deniable");
    let file = folder.join("history");
    let mut builder = std::fs::DirBuilder::new();
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
        builder.mode(0o700);
        options.mode(0o600);
        builder.recursive(true).create(&folder).ok()?;
        let opened = options.open(&file).ok()?;
        opened.set_permissions(std::fs::Permissions::from_mode(0o600)).ok()?;
    }
    #[cfg(not(unix))]
    {
        builder.recursive(true).create(&folder).ok()?;
        options.open(&file).ok()?;
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::HELP;

    /// Every command of the prompt's help is in `docs/reference/cli.md`.
    #[test]
    fn the_reference_has_every_command() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/cli.md");
        let page = std::fs::read_to_string(page).expect("docs/reference/cli.md");
        let commands: Vec<&str> = HELP.split_whitespace().filter(|word| word.starts_with('\\')).collect();
        assert!(commands.len() >= 6, "{commands:?}");
        for command in commands {
            assert!(page.contains(&format!("| `{command}")), "{command}");
        }
    }
}
