//! `docs/theorems`: one page per topic, checked against the cited code and tests.

mod check;
mod ids;
mod page;
mod table;

use crate::{Failure, files};
use std::collections::BTreeMap;
pub use table::anchor;

const FOLDER: &str = "docs/theorems";
const TABLE: &str = "docs/theorems/README.md";
const SOURCES: [&str; 7] = ["crates", "sources", "server", "python/extension", "python/wheel", "research", "tools"];
/// The pages in reading order, which is the order of the table.
const PAGES: [&str; 12] = [
    "beliefs.md",
    "families.md",
    "sensitivity.md",
    "composition.md",
    "mechanisms.md",
    "notions.md",
    "decisions.md",
    "genome.md",
    "attacks.md",
    "tables.md",
    "papers.md",
    "errata.md",
];

/// Whether to write or to check the table.
#[derive(Debug, Clone, Copy)]
pub enum Mode {
    /// Fail if the table is stale.
    Check,
    /// Write the table, if everything else is in order.
    Write,
}

/// Checks the pages and the table that is generated from them.
pub fn run(mode: Mode) -> Result<String, Failure> {
    let root = files::root();
    let mut pages: Vec<(String, String)> = files::texts(&root, FOLDER, "md")?.into_iter().collect();
    pages.retain(|(path, _)| path != TABLE);
    pages.sort_by_key(|(path, _)| position(path));
    let mut sources = BTreeMap::new();
    for folder in SOURCES {
        sources.extend(files::texts(&root, folder, "rs")?);
    }

    let mut entries = Vec::new();
    let mut problems = Vec::new();
    for (path, text) in &pages {
        let (read, unread) = page::entries(path, text);
        entries.extend(read);
        problems.extend(unread);
    }
    problems.extend(check::problems(&entries, &sources));
    if !problems.is_empty() {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return Err(Failure::Found(format!("{}\n{} to fix", lines.join("\n"), lines.len())));
    }

    let wanted = table::render(&entries);
    match mode {
        Mode::Write => files::write(&root, TABLE, &wanted)?,
        Mode::Check => {
            // A missing table is stale.
            if files::read(&root, TABLE).ok().as_ref() != Some(&wanted) {
                return Err(Failure::Found(format!("{TABLE}:1: stale; run `cargo xtask theorems --write`")));
            }
        }
    }
    Ok(format!("{FOLDER}: {} entries on {} pages agree with the code", entries.len(), pages.len()))
}

/// The position of a page in the reading order; unlisted pages come last.
fn position(path: &str) -> (usize, String) {
    let listed = PAGES.iter().position(|page| path.ends_with(&format!("/{page}")));
    (listed.unwrap_or(PAGES.len()), path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_in_reading_order() {
        let mut paths = ["docs/theorems/errata.md", "docs/theorems/another.md", "docs/theorems/beliefs.md"];
        paths.sort_by_key(|path| position(path));
        assert_eq!(paths, ["docs/theorems/beliefs.md", "docs/theorems/errata.md", "docs/theorems/another.md"]);
    }
}
