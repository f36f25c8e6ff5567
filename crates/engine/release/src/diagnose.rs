//! Diagnostics of queries, at their places in the SQL, and of releases.

use crate::accepted::{AcceptError, GivenNames};
use crate::data::{DataError, UnacceptedFinding};
use crate::losses::{Cause, LargeLoss, Quantity};
use crate::new_entities::KnownEntitiesFound;
use crate::plan::{PlanError, PlanErrorKind, PlanErrors, UnknownQuery};
use crate::release::ReleaseError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_policy::{Policy, Query};
use deniable_query::Place;
use std::collections::BTreeSet;
use std::ops::Range;

/// The text that an error of a query points into, with its name and the bytes of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryExcerpt {
    name: String,
    text: String,
    span: Range<usize>,
}

impl QueryExcerpt {
    /// The place of an error: the policy, if its text contains the query's SQL letter by letter. Otherwise, with TOML's escapes or in no file,
    /// the SQL alone.
    pub(crate) fn new(policy: &Policy, query: &Query, kind: &PlanErrorKind) -> Self {
        let sql = query.sql.as_str();
        let file = policy.file().display().to_string();
        let from = offset(policy.source(), query.line as u64, query.column as u64);
        let is_in_file = query.line > 0 && policy.source().get(from..).is_some_and(|rest| rest.starts_with(sql));
        let blank = sql.len() - sql.trim_start().len();
        let span = match kind {
            PlanErrorKind::Query(error) => error.place().map(|Place { line, column, end_line, end_column }| {
                let start = offset(sql, line, column);
                start..offset(sql, end_line, end_column).max(start)
            }),
            // An error of a target is placed at its key in the policy.
            PlanErrorKind::Target(_) | PlanErrorKind::Targets(_) if query.size_at.is_some() => {
                let span = query.size_at.clone().unwrap_or_default();
                return Self { name: file, text: policy.source().to_owned(), span };
            }
            _ => None,
        };
        let span = span.unwrap_or(blank..blank + sql.trim().len());
        if is_in_file {
            return Self { name: file, text: policy.source().to_owned(), span: from + span.start..from + span.end };
        }
        let name = match query.line {
            0 => "the query".to_owned(),
            line => format!("{file}, line {line}, query \"{}\"", query.name),
        };
        Self { name, text: sql.to_owned(), span }
    }
}

/// The byte offset of a line and column, counted in characters from 1.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
}

impl Diagnose for PlanError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let help = match &self.kind {
            PlanErrorKind::Query(query) => query.help().unwrap_or_default().to_owned(),
            PlanErrorKind::Target(target) => target.help(),
            PlanErrorKind::Engine(refusal) => refusal.help.to_owned(),
            PlanErrorKind::Noise(_) | PlanErrorKind::Spend(_) | PlanErrorKind::Targets(_) => String::new(),
        };
        let QueryExcerpt { name, text, span } = &self.excerpt;
        vec![Diagnostic::new(Code::Query, &self.kind).with_help(help).at(name, text, span.clone())]
    }
}

impl Diagnose for PlanErrors {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        self.errors().iter().flat_map(|error| error.diagnostics(surface)).collect()
    }
}

impl Diagnose for UnknownQuery {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let help = match self.known.as_slice() {
            [] => "the policy has no queries; ask one of your own".to_owned(),
            known => format!("the policy has \"{}\"", known.join("\", \"")),
        };
        vec![Diagnostic::new(Code::Usage, self).with_help(help)]
    }
}

impl Diagnose for AcceptError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Unknown { nearest: Some(near), .. } => format!("did you mean {}?", surface.set("accept", near)),
            Self::Unknown { nearest: None, .. } => String::new(),
            Self::Ambiguous { candidates, .. } => {
                let each: Vec<String> = candidates.iter().map(|name| surface.set("accept", name)).collect();
                format!("write {}", each.join(" or "))
            }
            Self::UnknownQuery { nearest: Some(near), .. } => {
                format!("did you mean {}?", surface.set("accept_loss", quoted(near)))
            }
            Self::UnknownQuery { nearest: None, known, .. } => {
                format!("its queries are \"{}\"", known.join("\", \""))
            }
        };
        vec![Diagnostic::new(Code::Data, self).with_help(help)]
    }
}

/// A word quoted for a shell if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ':');
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// The findings to accept: those with the same remedy one after another, and the remedy once.
fn findings(found: &[UnacceptedFinding]) -> Vec<Diagnostic> {
    let mut remedies: Vec<(String, Vec<String>)> = Vec::new();
    for one in found {
        let (message, help) = (format!("{}: {}", one.table, one.found.in_words()), one.found.help().to_string());
        match remedies.iter_mut().find(|(known, _)| *known == help) {
            Some((_, messages)) => messages.push(message),
            None => remedies.push((help, vec![message])),
        }
    }
    let mut all = Vec::new();
    for (help, messages) in remedies {
        let count = messages.len();
        let help = if count == 1 { help } else { format!("for these {count}: {help}") };
        let last = |at: usize| at + 1 == count;
        all.extend(messages.into_iter().enumerate().map(|(at, message)| {
            let one = Diagnostic::new(Code::Data, message);
            if last(at) { one.with_help(&help) } else { one }
        }));
    }
    all
}

/// The command or call that accepts these findings by name, beside the names that were given before.
fn accepting(found: &[UnacceptedFinding], given: &GivenNames, surface: Surface) -> String {
    let findings = given.findings.iter().cloned().chain(found.iter().map(UnacceptedFinding::name));
    accepting_names(&findings.collect::<Vec<_>>(), &given.queries, surface)
}

/// The command or call that accepts the losses of these queries by name, beside the names that were given before.
fn accepting_losses(found: &[LargeLoss], given: &GivenNames, surface: Surface) -> String {
    let found: BTreeSet<&String> = found.iter().map(|loss| &loss.query).collect();
    let queries: Vec<String> = given.queries.iter().chain(found).cloned().collect();
    accepting_names(&given.findings, &queries, surface)
}

fn accepting_names(findings: &[String], queries: &[String], surface: Surface) -> String {
    let quoted_names = |names: &[String]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match surface {
        Surface::Command => {
            let flags = |flag: &str, names: &[String]| -> Vec<String> {
                names.iter().map(|name| format!("{flag} {}", quoted(name))).collect()
            };
            let flags = [flags("--accept", findings), flags("--accept-loss", queries)].concat();
            // A command that is wrapped within the quotes of a name does not run.
            let is_short = flags.iter().map(String::len).sum::<usize>() + flags.len() <= 60;
            let between = if is_short { " " } else { " \\\n    " };
            std::iter::once("deniable data check <policy>")
                .chain(flags.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(between)
        }
        Surface::Python => {
            let list =
                |key: &str, names: &[String]| (!names.is_empty()).then(|| format!("{key}=[{}]", quoted_names(names)));
            let lists: Vec<String> = list("accept", findings).into_iter().chain(list("accept_loss", queries)).collect();
            format!("session.register({})", lists.join(", "))
        }
        Surface::Library => {
            let accepting = match queries {
                [] => String::new(),
                queries => format!(".accepting_losses(&[{}])", quoted_names(queries)),
            };
            format!("session{accepting}.register(&[{}])", quoted_names(findings))
        }
    }
}

/// What makes a loss smaller.
fn less_of(loss: &LargeLoss) -> &'static str {
    if matches!(loss.of, Quantity::Number(_)) {
        return "raise a cap, widen the bounds, or state a larger `typical_left_out`";
    }
    if loss.by.iter().any(|cause| matches!(cause, Cause::Period(_))) {
        return "check that `path` is the file of this period, and `version` or `period` its name; `rows = \"all\"` if each \
                file contains all rows so far";
    }
    if loss.by.contains(&Cause::NoPartner) {
        return "list the missing keys in the public table, or keep their rows with LEFT JOIN; raise caps, and declare groups";
    }
    if loss.by.contains(&Cause::NoGroup) {
        return "declare the groups: `keys`, `other` and `null_key` of the column, or the `bounds` and the `format` of a date; \
                raise caps, and widen bounds";
    }
    let is_bounds = |cause: &Cause| matches!(cause, Cause::Bounds(_));
    match (loss.by.iter().any(is_bounds), loss.by.iter().all(is_bounds)) {
        (_, true) => "widen the bounds",
        (false, _) => "raise a cap, in [entity] or for this query",
        (true, false) => "raise a cap, in [entity] or for this query, or widen the bounds",
    }
}

impl Diagnose for DataError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let own = Diagnostic::new(Code::Data, self);
        match self {
            Self::Source(error) => error.diagnostics(surface),
            Self::Unusable(report) => {
                let problems = report.problems.iter().map(|problem| Diagnostic::new(Code::Data, problem));
                let is_quoting = report.problems.iter().any(|problem| problem.what.contains("quote"));
                let unquoted = if is_quoting {
                    ": `quote = \"none\"` under [data.csv] where it is written without quoting"
                } else {
                    ""
                };
                let help = format!(
                    "correct the file at the places listed above, or the way the policy reads it{unquoted}; nothing was registered \
                     and nothing charged"
                );
                problems.chain([own.with_help(help)]).collect()
            }
            Self::Bad { found, given, registered } => {
                let each = findings(found);
                let so_far = if *registered {
                    "the version stays registered, and nothing was added"
                } else {
                    "nothing was registered and nothing charged"
                };
                let help = format!(
                    "{so_far}. Fix the policy or the file, or remove columns that are not needed from [columns]. If \
                     the data are meant to be like this, accept the findings by name; the ledger stores the names \
                     only:\n{}",
                    accepting(found, given, surface)
                );
                each.into_iter().chain([own.with_help(help)]).collect()
            }
            Self::Losses { found, given, registered } => {
                let each = found.iter().map(|loss| Diagnostic::new(Code::Data, loss).with_help(less_of(loss)));
                let so_far = if *registered {
                    "the version stays registered, and nothing was added"
                } else {
                    "nothing was registered and nothing charged"
                };
                let help = format!(
                    "{so_far}. Caps and bounds that are chosen by these figures depend on the data; `deniable suggest` \
                     suggests some under the promise: those that 95% of the people stay within, who may have far fewer of the \
                     rows. Counts of people, and queries with one row of each person, need no cap on rows. If the answers are meant to leave out this much, accept it by \
                     query; the ledger stores the names only:\n{}",
                    accepting_losses(found, given, surface)
                );
                each.chain([own.with_help(help)]).collect()
            }
            Self::KnownEntities { found } => {
                let help = |found: &KnownEntitiesFound| {
                    if found.other_type {
                        "declare the key with the same `type` as in the other versions"
                    } else {
                        "these counts are exact, and for the curator only"
                    }
                };
                let each = found.iter().map(|found| Diagnostic::new(Code::Data, found).with_help(help(found)));
                let refused = "nothing was registered and nothing charged. Leave rows of known entities out of the file. If people \
                               return, `new_entities_only` does not hold for these data: declare the rows as a table of another \
                               name without it, whose versions share the promise";
                each.chain([own.with_help(refused)]).collect()
            }
            Self::Entities(_) => vec![own],
            Self::Changed { .. } => vec![own.with_help(format!(
                "restore the registered files or rows, or the table's columns and name; or declare a new `version` \
                 and run {}; nothing was charged",
                surface.check_data()
            ))],
            Self::Ledger(_) => vec![own],
        }
    }
}

impl Diagnose for ReleaseError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (code, help) = match self {
            Self::Data(error) => return error.diagnostics(surface),
            Self::Protocol(error) => return error.diagnostics(surface),
            Self::Rows { error, .. } => {
                (Code::Data, format!("{}; then the same query resumes at no cost", error.help(surface)))
            }
            Self::OnlyRegistered => {
                let (report, again) = match surface {
                    Surface::Command => (", above", "the same command now releases"),
                    Surface::Python => (" (`session.log`)", "the same query is now answered"),
                    Surface::Library => ("", "the same query is now answered"),
                };
                let register = surface.switch("register");
                let help = format!(
                    "nothing was charged. Check the findings{report}; if they are as expected, {again}. {register} \
                     does both in one run. Only `release` and `data check` judge losses: after `ask` or `suggest`, check \
                     the data before you release"
                );
                (Code::Data, help)
            }
            Self::NotAsked { .. } => {
                (Code::Other, "see the error of the earlier query, then run this query again".to_owned())
            }
            Self::EngineUnrecorded(_) => {
                (Code::Other, "run the same query again to repeat the engine's trial".to_owned())
            }
            Self::LabelsPromised(_) => (
                Code::Other,
                "use another ledger for these answers, if their table does not reveal who is a case; nothing was \
                 charged"
                    .to_owned(),
            ),
        };
        vec![Diagnostic::new(code, self).with_help(help)]
    }
}
