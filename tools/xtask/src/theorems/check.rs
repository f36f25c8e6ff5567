//! Checks that the pages and the code agree.

use super::ids;
use super::page::{Citation, Entry, FIELDS, Place, Problem, Verdict};
use std::collections::BTreeMap;

/// All errors of the entries and the sources (text by path), in order of place.
pub fn problems(entries: &[Entry], sources: &BTreeMap<String, String>) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut known: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in entries {
        if let Some(first) = known.get(entry.id.as_str()) {
            found.push(at(&entry.place, format!("{} has an entry already, at {}", entry.id, first.place)));
        } else {
            known.insert(&entry.id, entry);
        }
        complete(entry, &mut found);
        found.extend(entry.code.iter().filter_map(|cited| missing(cited, sources, is_declared, "item")));
        found.extend(entry.tests.iter().filter_map(|cited| missing(cited, sources, is_test, "test")));
    }
    for (path, source) in sources.iter().filter(|(path, _)| cites_theorems(path)) {
        for (line, id) in ids::cited(source) {
            if !known.contains_key(id.as_str()) {
                let place = Place { path: path.clone(), line };
                found.push(at(&place, format!("{id} has no entry in docs/theorems")));
            }
        }
    }
    found.sort();
    found
}

fn at(place: &Place, text: String) -> Problem {
    Problem { place: place.clone(), text }
}

/// Whether this is a source of a package other than this one, whose text is about identifiers.
fn cites_theorems(path: &str) -> bool {
    path.split('/').nth(2) == Some("src") && !path.starts_with("tools/xtask/")
}

fn complete(entry: &Entry, found: &mut Vec<Problem>) {
    let id = &entry.id;
    if entry.fields != FIELDS {
        let wanted = FIELDS.map(|field| format!("**{field}.**")).join(", ");
        found.push(at(&entry.place, format!("{id} needs {wanted}, once each and in this order")));
    }
    match entry.verdict {
        None => found.push(at(&entry.place, format!("{id} has no verdict that is known"))),
        Some(Verdict::NotYetExercised) => {}
        Some(verdict @ (Verdict::Holds | Verdict::Corrected | Verdict::Fails)) => {
            for (name, list) in [("Code", &entry.code), ("Test", &entry.tests)] {
                if list.is_empty() {
                    found.push(at(
                        &entry.place,
                        format!("{id} is said to have the verdict \"{verdict}\" without any {name}"),
                    ));
                }
            }
        }
    }
}

/// The error of a citation without a target.
fn missing(
    cited: &Citation,
    sources: &BTreeMap<String, String>,
    holds: fn(&str, &str) -> bool,
    kind: &str,
) -> Option<Problem> {
    let Citation { place, path, name } = cited;
    let Some(source) = sources.get(path) else {
        return Some(at(place, format!("there is no file `{path}`")));
    };
    let name = name.as_deref().filter(|name| !holds(source, name))?;
    Some(at(place, format!("`{path}` has no {kind} `{name}`")))
}

/// Whether a file declares this item, or a field or variant of this name. `Spend::share` is looked up as `share`.
fn is_declared(source: &str, item: &str) -> bool {
    const KEYWORDS: [&str; 8] = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    let name = item.rsplit("::").next().unwrap_or(item).trim_end_matches("()");
    source.lines().map(str::trim_start).any(|line| {
        let starts = |text: &str| text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_word));
        let declared = KEYWORDS.iter().any(|keyword| {
            line.match_indices(keyword).any(|(start, _)| {
                let before = line[..start].chars().next_back();
                let after = line[start + keyword.len()..].strip_prefix(' ');
                !before.is_some_and(is_word) && after.is_some_and(starts)
            })
        });
        let member = starts(line) && line[name.len()..].starts_with([',', '(', ' ', ':']);
        !line.starts_with("//") && (declared || member)
    })
}

/// Whether a file has a function of this name that is marked as a test.
fn is_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    lines.iter().enumerate().any(|(number, line)| {
        let declares = line
            .split_once("fn ")
            .and_then(|(before, after)| after.strip_prefix(name).filter(|_| before.is_empty() || before.ends_with(' ')))
            .is_some_and(|rest| rest.starts_with(['(', '<']));
        let above = lines[..number].iter().rev();
        declares
            && above.take_while(|line| line.starts_with("#[") || line.starts_with("//")).any(|line| *line == "#[test]")
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;

    const SOURCE: &str = "\
//! Belief, by B-1.
pub(crate) const fn posterior(p: u32) -> u32 { p }
pub enum Adjacency {
    /// F-DI.
    AddRemove,
}
#[cfg(test)]
mod tests {
    /// Reads B-1.
    #[test]
    fn moves() {}
    fn helper() {}
}
";

    const PAGE: &str = "\
### B-1 posterior
**Statement.** s
**Hypotheses.** h
**Source.** p
**Verdict.** holds.
Code:
- `crates/a/src/lib.rs`: `posterior`, `Adjacency::AddRemove`
Test:
- `crates/a/src/lib.rs::moves`
### F-DI independent people
**Statement.** s
**Hypotheses.** h
**Source.** p
**Verdict.** not yet exercised.
";

    /// The errors of a page and a source, as lines of text.
    fn wrong(page: &str, source: &str) -> Vec<String> {
        let (entries, unread) = page::entries("p.md", page);
        assert_eq!(unread, []);
        let sources = BTreeMap::from([("crates/a/src/lib.rs".to_owned(), source.to_owned())]);
        problems(&entries, &sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_page_in_order_passes() {
        assert_eq!(wrong(PAGE, SOURCE), Vec::<String>::new());
    }

    /// Each check fails on a page or a source with one edit.
    #[test]
    fn every_check_fails_when_it_should() {
        let page = |from: &str, to: &str| {
            assert!(PAGE.contains(from), "{from}");
            wrong(&PAGE.replacen(from, to, 1), SOURCE)
        };
        let first = "p.md:1: ";
        assert_eq!(
            page("- `crates/a/src/lib.rs::moves`\n", ""),
            [format!("{first}B-1 is said to have the verdict \"holds\" without any Test")]
        );
        assert_eq!(
            page("- `crates/a/src/lib.rs`: `posterior`, `Adjacency::AddRemove`\n", ""),
            [format!("{first}B-1 is said to have the verdict \"holds\" without any Code")]
        );
        assert_eq!(page("lib.rs::moves", "gone.rs::moves"), ["p.md:9: there is no file `crates/a/src/gone.rs`"]);
        assert_eq!(page("::moves", "::rests"), ["p.md:9: `crates/a/src/lib.rs` has no test `rests`"]);
        assert_eq!(page("::moves", "::move"), ["p.md:9: `crates/a/src/lib.rs` has no test `move`"]);
        assert_eq!(page("::moves", "::helper"), ["p.md:9: `crates/a/src/lib.rs` has no test `helper`"]);
        assert_eq!(page("`posterior`", "`prior`"), ["p.md:7: `crates/a/src/lib.rs` has no item `prior`"]);
        assert_eq!(
            page("`posterior`", "`only_in_prose`"),
            ["p.md:7: `crates/a/src/lib.rs` has no item `only_in_prose`"]
        );
        assert_eq!(
            page("Verdict.** holds.", "Verdict.** probably."),
            [format!("{first}B-1 has no verdict that is known")]
        );
        assert!(page("**Source.** p\n", "")[0].contains("**Source.**"));
        assert_eq!(page("### F-DI ", "### F-DB ")[0], "crates/a/src/lib.rs:4: F-DI has no entry in docs/theorems");
        let twice = wrong(&format!("{PAGE}{PAGE}"), SOURCE);
        assert_eq!(
            twice,
            ["p.md:15: B-1 has an entry already, at p.md:1", "p.md:24: F-DI has an entry already, at p.md:10"]
        );
        let source = SOURCE.replace("by B-1", "by B-2");
        assert_eq!(wrong(PAGE, &source), ["crates/a/src/lib.rs:1: B-2 has no entry in docs/theorems"]);
    }

    #[test]
    fn only_sources_of_other_crates_are_searched_for_citations() {
        assert!(cites_theorems("crates/core/src/noise/ratio.rs"));
        assert!(!cites_theorems("crates/core/tests/it/all.rs") && !cites_theorems("tools/xtask/src/main.rs"));
    }
}
