//! What is wrong with a policy and its queries, shown where it stands.

use super::{Complaint, Failure};
use deniable_core::text::printable;
use deniable_policy::{PolicyError, PolicyErrorKind, PolicyErrors};
use deniable_query::Place;
use deniable_release::plan::{PlanError, PlanErrorKind};

impl From<PolicyErrors> for Failure {
    fn from(errors: PolicyErrors) -> Self {
        let name = errors.file().display().to_string();
        let complaints = errors.errors().iter().enumerate().filter_map(|(position, error)| {
            // A fresh policy says of every column that its type is open: once is enough.
            let alike = of_columns(errors.errors(), &error.kind);
            let message = match alike.as_slice() {
                [(first, _), _, _, ..] if *first != position => return None,
                [_, _, _, ..] => undecided(&error.kind, &alike),
                _ => error.kind.to_string(),
            };
            let complaint = match &error.help {
                Some(help) => Complaint::new(message).help(help),
                None => Complaint::new(message),
            };
            Some((error, complaint))
        });
        let complaints = complaints.map(|(error, complaint)| match &error.place {
            Some(place) => complaint.at(&name, errors.source(), place.span.start, place.span.len()),
            None => Complaint { message: format!("{}: {}", printable(&name), complaint.message), ..complaint },
        });
        Self::Refused(complaints.collect())
    }
}

/// The columns whose value of the same key is not decided, with the positions of their errors.
fn of_columns<'e>(errors: &'e [PolicyError], kind: &PolicyErrorKind) -> Vec<(usize, &'e str)> {
    let PolicyErrorKind::Blank { key, column: Some(_) } = kind else { return Vec::new() };
    let column = |error: &'e PolicyError| match &error.kind {
        PolicyErrorKind::Blank { key: other, column: Some(column) } if other == key => Some(column.as_str()),
        _ => None,
    };
    errors.iter().enumerate().filter_map(|(position, error)| Some((position, column(error)?))).collect()
}

/// Columns that are named in one message; of more it says how many.
const MOST_COLUMNS: usize = 20;

fn undecided(kind: &PolicyErrorKind, columns: &[(usize, &str)]) -> String {
    let PolicyErrorKind::Blank { key, .. } = kind else { return kind.to_string() };
    let named: Vec<&str> = columns.iter().take(MOST_COLUMNS).map(|(_, column)| *column).collect();
    let more = columns.len() - named.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("`{key}` of {} columns is not decided yet: {}{more}", columns.len(), named.join(", "))
}

/// The byte offset of a line and column, counted in characters from 1.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
}

/// Complaints about asks, each with its SQL and the line of the policy where that begins.
pub fn plan_failure(errors: &[PlanError], policy: &deniable_policy::Policy) -> Failure {
    let complaints = errors.iter().map(|error| {
        let sql = error.sql.as_str();
        let (name, text, base) = whereabouts(error, policy);
        match &error.kind {
            PlanErrorKind::Query(query) => {
                let complaint = match query.help() {
                    Some(help) => Complaint::new(query).help(help),
                    None => Complaint::new(query),
                };
                let (start, length) = match query.place() {
                    Some(Place { line, column, end_line, end_column }) => {
                        let start = offset(sql, line, column);
                        (start, offset(sql, end_line, end_column).saturating_sub(start))
                    }
                    None => (sql.len() - sql.trim_start().len(), sql.trim().len()),
                };
                complaint.at(&name, text, base + start, length)
            }
            kind @ (PlanErrorKind::Noise(_)
            | PlanErrorKind::Engine(_)
            | PlanErrorKind::Spend(_)
            | PlanErrorKind::Target(_)
            | PlanErrorKind::Targets(_)) => {
                let complaint = match kind {
                    PlanErrorKind::Target(target) => Complaint::new(kind).help(target.help()),
                    PlanErrorKind::Engine(refusal) => Complaint::new(kind).help(refusal.help),
                    _ => Complaint::new(kind),
                };
                // A target is wrong where it is written.
                let is_target = matches!(kind, PlanErrorKind::Target(_) | PlanErrorKind::Targets(_));
                let query = policy.queries().iter().find(|query| is_target && query.name == error.query);
                match query.and_then(|query| query.size_at.clone()) {
                    Some(at) => complaint.at(&policy.file().display().to_string(), policy.source(), at.start, at.len()),
                    None => complaint.at(&name, text, base + sql.len() - sql.trim_start().len(), sql.trim().len()),
                }
            }
        }
    });
    Failure::Refused(complaints.collect())
}

/// What to show a query's error in: the policy itself, where its SQL stands there letter by letter, and otherwise (TOML
/// escapes) the SQL alone. The last part is where the SQL begins in it.
fn whereabouts<'a>(error: &'a PlanError, policy: &'a deniable_policy::Policy) -> (String, &'a str, usize) {
    let file = policy.file().display().to_string();
    let Some(query) = policy.queries().iter().find(|query| query.name == error.query) else {
        return (file, &error.sql, 0);
    };
    let from = offset(policy.source(), query.line as u64, query.column as u64);
    if policy.source().get(from..).is_some_and(|rest| rest.starts_with(&error.sql)) {
        return (file, policy.source(), from);
    }
    (format!("{file}, line {}, query \"{}\"", query.line, error.query), &error.sql, 0)
}
