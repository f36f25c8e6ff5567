//! Diagnostics of policies, at their places in the file, and of single queries.

use crate::error::{PolicyError, PolicyErrorKind, PolicyErrors};
use crate::query::QueryError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::text::printable;

impl Diagnose for PolicyErrors {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let name = self.file().display().to_string();
        let diagnostics = self.errors().iter().enumerate().filter_map(|(position, error)| {
            // A new policy leaves the type of every column open: one message lists them.
            let alike = of_columns(self.errors(), &error.kind);
            let message = match alike.as_slice() {
                [(first, _), _, _, ..] if *first != position => return None,
                [_, _, _, ..] => undecided(&error.kind, &alike),
                _ => error.kind.to_string(),
            };
            Some((error, message))
        });
        let diagnostics = diagnostics.map(|(error, message)| {
            let help = error.help.as_deref().unwrap_or_default();
            match &error.place {
                Some(place) => Diagnostic::new(Code::Policy, message).at(&name, self.source(), place.span.clone()),
                None => Diagnostic::new(Code::Policy, format!("{}: {message}", printable(&name))),
            }
            .with_help(help)
        });
        diagnostics.collect()
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

/// The most columns that one message names; it counts the others.
const MOST_COLUMNS: usize = 20;

fn undecided(kind: &PolicyErrorKind, columns: &[(usize, &str)]) -> String {
    let PolicyErrorKind::Blank { key, .. } = kind else { return kind.to_string() };
    let named: Vec<&str> = columns.iter().take(MOST_COLUMNS).map(|(_, column)| *column).collect();
    let more = columns.len() - named.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("`{key}` of {} columns is not decided yet: {}{more}", columns.len(), named.join(", "))
}

impl Diagnose for QueryError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Blank => match surface {
                Surface::Command => "write it in quotes: 'SELECT COUNT(*) FROM visits'".to_owned(),
                Surface::Python | Surface::Library => "write \"SELECT COUNT(*) FROM visits\", for example".to_owned(),
            },
            Self::LongName(_) => "give it a short name".to_owned(),
            Self::LongShare => "write 1/40, for example".to_owned(),
            Self::NoEntity => {
                format!("leave out {} and {}", surface.option("rows-per-group"), surface.option("groups"))
            }
            Self::Share(_) => format!("write {}, for example", surface.set("spend", "1/40")),
            Self::Explicit { shares, .. } => format!("write {}, or more", surface.set("spend", shares)),
            Self::OwnShare(_) => format!("leave out {}, or the query", surface.option("spend")),
            Self::Targets(_) => format!("raise {}", surface.option("spend")),
        };
        vec![Diagnostic::new(Code::Usage, self).with_help(help)]
    }
}
