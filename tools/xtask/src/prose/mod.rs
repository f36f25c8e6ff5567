//! `prose`: marks of the project's dialect in comments, documents, names and messages, per 1,000 words.
//!
//! | question | module |
//! |---|---|
//! | Which words and clauses are marks, and what replaces them? | [`marks`] |
//! | Which names of types, functions and tests are marks? | [`names`] |
//! | How are comments, messages and documents split into sentences? | [`lexer`], [`text`] |
//! | When does the check fail? | [`record`] |

mod lexer;
mod marks;
mod names;
pub mod options;
mod record;
mod text;
mod unit;

pub use options::Options;

use crate::tree::{self, Tree};
use crate::{Failure, files};
use options::{Output, Source};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use unit::{Column, Finder, Unit};

const HEADER: &str = "\
Marks of the dialect in comments (crates) and text (documents), most first. Marks: words that have a plainer one.
Headless: clauses in place of nouns. Hints: often plain English, and not checked. /1000: per 1,000 words.
Names: types, functions and constants. Tests: their names. Messages: marks and headless clauses in string literals
outside of tests.
";

/// Documents besides those in `docs` and `examples` and those that are named `README.md`.
const DOCUMENTS: [&str; 5] =
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "KNOWN-VULNERABILITIES.md", "CHANGELOG.md", "SECURITY.md"];

/// Counts, and prints them or compares them with the record.
pub fn run(options: &Options) -> Result<String, Failure> {
    if options.output == Output::Legend {
        return Ok(marks::legend());
    }
    let root = options.root.clone().map_or_else(files::root, PathBuf::from);
    let units = match &options.source {
        Source::Working => units(&Tree::Working(root.clone()))?,
        Source::Commit(revision) => units(&Tree::Commit(root.clone(), revision.clone()))?,
        Source::Folder(folder) => vec![folder_unit(folder)?],
    };
    match &options.output {
        Output::Table | Output::Legend => Ok(format!("{HEADER}\n{}", table(units))),
        Output::Json => Ok(json_of(&units)),
        Output::Places { of, with_hints } => {
            let chosen = units.iter().flat_map(|unit| unit.places(of.as_deref(), *with_hints));
            let mut lines: Vec<String> = chosen.collect();
            lines.push(format!("{} marks", lines.len()));
            Ok(lines.join("\n"))
        }
        Output::Check => record::check(&files::read(&root, record::PATH)?, &units),
        Output::Write => {
            files::write(&root, record::PATH, &record::write(&units))?;
            Ok(format!("{}: {} crates and documents", record::PATH, units.len()))
        }
    }
}

/// The crates and documents of a repository.
fn units(tree: &Tree) -> Result<Vec<Unit>, Failure> {
    let finder = Finder::new()?;
    let paths = tree.paths()?;
    let members = tree.members(&paths)?;
    let mut crates: BTreeMap<&str, Unit> = BTreeMap::new();
    let mut documents = Vec::new();
    for path in &paths {
        if is_document(path) {
            let mut unit = Unit::new(path, true);
            finder.add_document(&mut unit, path, &tree.read(path)?);
            documents.push(unit);
        } else if tree::has_extension(path, "rs")
            && let Some((folder, name)) = tree::owner(&members, path)
        {
            let unit = crates.entry(name).or_insert_with(|| Unit::new(name, false));
            finder.add_code(unit, path, &path[folder.len()..], &tree.read(path)?);
        }
    }
    Ok(crates.into_values().chain(documents).collect())
}

/// All Rust code below a folder as one unit.
fn folder_unit(folder: &str) -> Result<Unit, Failure> {
    let finder = Finder::new()?;
    if !Path::new(folder).is_dir() {
        return Err(Failure::Found(format!("{folder}: not a folder")));
    }
    let tree = Tree::Folder(PathBuf::from(folder));
    let mut unit = Unit::new(folder.trim_end_matches('/').rsplit('/').next().unwrap_or(folder), false);
    for path in tree.paths()? {
        let inside = path.trim_start_matches("./");
        finder.add_code(&mut unit, inside, inside, &tree.read(&path)?);
    }
    Ok(unit)
}

fn is_document(path: &str) -> bool {
    tree::has_extension(path, "md")
        && (DOCUMENTS.contains(&path)
            || path.starts_with("docs/")
            || path.starts_with("examples/")
            || path.rsplit('/').next() == Some("README.md"))
}

fn table(mut units: Vec<Unit>) -> String {
    units.sort_by(|a, b| {
        let density = |unit: &Unit| unit.per_thousand(Column::Marks) + unit.per_thousand(Column::Headless);
        density(b).total_cmp(&density(a)).then_with(|| a.name.cmp(&b.name))
    });
    let mut text = String::new();
    for (title, is_document) in [("crate", false), ("document", true)] {
        let mut total = Unit::new(&format!("all {title}s"), is_document);
        let rows: Vec<&Unit> = units.iter().filter(|unit| unit.is_document == is_document).collect();
        if rows.is_empty() {
            continue;
        }
        rows.iter().for_each(|unit| total.add_counts(unit));
        let code = if is_document { "" } else { " names | tests | message words | messages | /1000 |" };
        let lines = if is_document { "" } else { "--:|--:|--:|--:|--:|" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {title} | words | marks | /1000 | headless | /1000 | hints |{code}");
        let _ = writeln!(text, "|---|--:|--:|--:|--:|--:|--:|{lines}");
        for unit in rows.into_iter().chain([&total]) {
            let _ = writeln!(text, "{}", row(unit));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn row(unit: &Unit) -> String {
    let count = |column| unit.count(column);
    let rate = |column| format!("{:.1}", unit.per_thousand(column));
    let mut row = format!(
        "| {} | {} | {} | {} | {} | {} | {} |",
        unit.name,
        unit.words,
        count(Column::Marks),
        rate(Column::Marks),
        count(Column::Headless),
        rate(Column::Headless),
        count(Column::Hints),
    );
    if !unit.is_document {
        let (names, tests, messages) = (count(Column::Names), count(Column::Tests), count(Column::Messages));
        let _ = write!(row, " {names} | {tests} | {} | {messages} | {} |", unit.message_words, rate(Column::Messages));
    }
    row
}

fn json_of(units: &[Unit]) -> String {
    let units: Vec<_> = units
        .iter()
        .map(|unit| {
            let mut value = json!({
                "name": unit.name,
                "kind": if unit.is_document { "document" } else { "crate" },
                "words": unit.words,
                "message_words": unit.message_words,
            });
            for column in Column::ALL {
                value[column.name()] = unit.count(column).into();
            }
            value
        })
        .collect();
    json!(units).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_those_for_readers() {
        for path in ["README.md", "SECURITY.md", "docs/a/b.md", "examples/c/README.md", "python/README.md"] {
            assert!(is_document(path), "{path}");
        }
        for path in ["CODE_OF_CONDUCT.md", ".github/PULL_REQUEST_TEMPLATE.md", "docs/a.txt", "testdata/a.md"] {
            assert!(!is_document(path), "{path}");
        }
    }

    #[test]
    fn the_worst_unit_is_first_and_the_total_last() {
        let finder = Finder::new().unwrap();
        let mut plain = Unit::new("plain", false);
        finder.add_code(&mut plain, "src/lib.rs", "src/lib.rs", "/// Parses a query of four words.\nfn f() {}\n");
        let mut dialect = Unit::new("dialect", false);
        finder.add_code(&mut dialect, "src/lib.rs", "src/lib.rs", "// Nobody stands here.\nfn of() -> u8 {}\n");
        let text = table(vec![plain, dialect]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| dialect | 3 | 2 | 666.7 | 0 | 0.0 | 0 | 1 | 0 | 0 | 0 | 0.0 |",
                "| plain | 6 | 0 | 0.0 | 0 | 0.0 | 0 | 0 | 0 | 0 | 0 | 0.0 |",
                "| all crates | 9 | 2 | 222.2 | 0 | 0.0 | 0 | 1 | 0 | 0 | 0 | 0.0 |",
            ]
        );
    }
}
