//! Explanations of names, and the list of all names, as text and as JSON.

use crate::{Entry, Term, UnknownEntry, library, lookup, meant, terms};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

const WIDTH: usize = 100;

/// The meaning of a name: an entry of the pages, or otherwise terms of other libraries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Explanation {
    /// An entry.
    Entry(Box<Entry>),
    /// Terms, at least one.
    Terms(Vec<&'static Term>),
}

/// Explains a notion, a family, a mechanism, a theorem or a term: `pmp`, `F-DB`, `B-3`, `privacy unit`.
///
/// # Errors
/// When no entry or term has this name.
pub fn explain(name: &str) -> Result<Explanation, UnknownEntry> {
    lookup(name).map(|entry| Explanation::Entry(Box::new(entry))).or_else(|error| {
        let terms = meant(name);
        if terms.is_empty() { Err(error) } else { Ok(Explanation::Terms(terms)) }
    })
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(entry) => f.write_str(&entry.text(WIDTH)),
            Self::Terms(terms) => {
                let all: Vec<String> = terms.iter().map(|term| term.text(WIDTH)).collect();
                f.write_str(&all.join("\n"))
            }
        }
    }
}

impl Diagnose for UnknownEntry {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        vec![Diagnostic::new(Code::Usage, self).with_help("`deniable explain` lists all entries and terms")]
    }
}

/// The list of everything that [`explain`] finds. As JSON, the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents;

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        library().entries.serialize(serializer)
    }
}

impl Display for Contents {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for entry in &library().entries {
            writeln!(f, "{:<16} {:<10} {}", entry.id, entry.kind.word(), entry.name)?;
        }
        terms().iter().try_for_each(|term| writeln!(f, "{:<16} {:<10} {}", term.here, "term", term.elsewhere))
    }
}
