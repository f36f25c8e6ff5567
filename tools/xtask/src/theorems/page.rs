//! Parses the entries of a page.
//!
//! ```text
//! ### B-3 bounded priors
//!
//! **Statement.** ...
//! **Hypotheses.** ...
//! **Source.** ...
//! **Verdict.** holds: a word more, if there is one.
//!
//! Code:
//! - `crates/core/src/belief.rs`: `gain_over`
//!
//! Test:
//! - `crates/core/src/belief.rs::gain_over_a_range_is_attained_at_its_ends`
//! ```
//!
//! Other text between these is prose. An entry ends at the next heading.

use super::ids;
use std::fmt;

/// Verdict on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    /// True after a correction, which the entry describes.
    Corrected,
    /// False as published, with a counterexample.
    Fails,
    /// No test in the project yet.
    NotYetExercised,
}

impl Verdict {
    const ALL: [Self; 4] = [Self::Holds, Self::Corrected, Self::Fails, Self::NotYetExercised];

    fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Corrected => "holds with a correction",
            Self::Fails => "fails",
            Self::NotYetExercised => "not yet exercised",
        }
    }

    /// Parses the words before the first full stop, colon or semicolon.
    fn read(text: &str) -> Option<Self> {
        let words = text.split(['.', ':', ';']).next().unwrap_or_default().trim();
        Self::ALL.into_iter().find(|verdict| verdict.words() == words)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// A place in a page, for messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path from the root of the workspace.
    pub path: String,
    /// Line, counted from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

/// An error to fix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Its place.
    pub place: Place,
    /// The error.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// A source file, or an item or test in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The place of the citation.
    pub place: Place,
    /// The cited file, from the root of the workspace.
    pub path: String,
    /// The cited item or test; `None` for the file as a whole.
    pub name: Option<String>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its stable identifier.
    pub id: String,
    /// The name of the identifier.
    pub name: String,
    /// Its heading.
    pub place: Place,
    /// The verdict; `None` when it is missing or misspelt.
    pub verdict: Option<Verdict>,
    /// Names of the fields of the entry.
    pub fields: Vec<&'static str>,
    /// Items that implement the statement.
    pub code: Vec<Citation>,
    /// Tests that exercise the statement.
    pub tests: Vec<Citation>,
}

/// The fields of every entry, in their order.
pub const FIELDS: [&str; 4] = ["Statement", "Hypotheses", "Source", "Verdict"];

#[derive(Clone, Copy)]
enum List {
    None,
    Code,
    Test,
}

/// The entries of one page, and the headings and citations that cannot be parsed.
pub fn entries(path: &str, text: &str) -> (Vec<Entry>, Vec<Problem>) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut problems = Vec::new();
    let mut list = List::None;
    let mut inside = false;
    for (line, text) in (1..).zip(text.lines()) {
        let place = Place { path: path.to_owned(), line };
        if text.starts_with('#') {
            list = List::None;
            inside = false;
            if let Some(heading) = text.strip_prefix("### ") {
                match ids::leading(heading).and_then(|(id, rest)| Some((id, rest.strip_prefix(' ')?.trim()))) {
                    Some((id, name)) if !name.is_empty() => {
                        inside = true;
                        entries.push(blank(id, name, place));
                    }
                    _ => problems.push(Problem { place, text: "a `###` heading must be `### ID name`".to_owned() }),
                }
            }
            continue;
        }
        let Some(entry) = entries.last_mut().filter(|_| inside) else { continue };
        for field in FIELDS {
            if let Some(said) = text.strip_prefix("**").and_then(|t| t.strip_prefix(field)?.strip_prefix(".**")) {
                entry.fields.push(field);
                if field == "Verdict" {
                    entry.verdict = Verdict::read(said);
                }
            }
        }
        match (text.trim_end(), list) {
            ("Code:", _) => list = List::Code,
            ("Test:", _) => list = List::Test,
            ("", _) => {}
            (item, List::Code) if item.starts_with("- ") => match code(item, &place) {
                Some(cited) => entry.code.extend(cited),
                None => problems.push(Problem { place, text: "write code as - `path`: `item`, `item`".to_owned() }),
            },
            (item, List::Test) if item.starts_with("- ") => match test(item, &place) {
                Some(cited) => entry.tests.push(cited),
                None => problems.push(Problem { place, text: "write a test as - `path::name`".to_owned() }),
            },
            _ => list = List::None,
        }
    }
    (entries, problems)
}

fn blank(id: String, name: &str, place: Place) -> Entry {
    Entry { id, name: name.to_owned(), place, verdict: None, fields: vec![], code: vec![], tests: vec![] }
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn code(item: &str, place: &Place) -> Option<Vec<Citation>> {
    let mut parts = quoted(item);
    let path = parts.next()?;
    let cite =
        |name: Option<&str>| Citation { place: place.clone(), path: path.to_owned(), name: name.map(str::to_owned) };
    let items: Vec<Citation> = parts.map(|name| cite(Some(name))).collect();
    Some(if items.is_empty() { vec![cite(None)] } else { items })
}

fn test(item: &str, place: &Place) -> Option<Citation> {
    let (path, name) = quoted(item).next()?.split_once("::")?;
    Some(Citation { place: place.clone(), path: path.to_owned(), name: Some(name.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Beliefs
Prose with `code`.

### B-3 bounded priors

**Statement.** Words.
**Hypotheses.** Words.
**Source.** A paper.
**Verdict.** holds with a correction: the sign.

Code:
- `crates/core/src/belief.rs`: `gain_over`, `PriorRange`
- `crates/core/src/lib.rs`

Test:

- `crates/core/src/belief.rs::attained`

## Prose again
- `not/a/citation.rs`
";

    #[test]
    fn an_entry_is_read_whole() {
        let (entries, problems) = entries("p.md", PAGE);
        assert_eq!(problems, []);
        let [entry] = entries.as_slice() else { panic!("one entry, not {}", entries.len()) };
        assert_eq!((entry.id.as_str(), entry.name.as_str(), entry.place.line), ("B-3", "bounded priors", 4));
        assert_eq!(entry.verdict, Some(Verdict::Corrected));
        assert_eq!(entry.fields, FIELDS);
        let names: Vec<_> = entry.code.iter().map(|c| (c.path.as_str(), c.name.as_deref())).collect();
        let belief = "crates/core/src/belief.rs";
        assert_eq!(
            names,
            [(belief, Some("gain_over")), (belief, Some("PriorRange")), ("crates/core/src/lib.rs", None)]
        );
        assert_eq!(entry.tests.len(), 1);
        assert_eq!(entry.tests[0].name.as_deref(), Some("attained"));
    }

    #[test]
    fn unreadable_entries_are_reported_with_their_lines() {
        let text = "### Beliefs\n### B-3\n### B-4 floor\nCode:\n- no path\nTest:\n- `a.rs`\n";
        let (entries, problems) = entries("p.md", text);
        assert_eq!(entries.len(), 1);
        assert_eq!(problems.iter().map(|p| p.place.line).collect::<Vec<_>>(), [1, 2, 5, 7]);
    }

    #[test]
    fn verdicts_are_four() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::read(&format!(" {verdict}. More.")), Some(verdict));
        }
        assert_eq!(Verdict::read(" holds mostly"), None);
        assert_eq!(Verdict::read(""), None);
    }
}
