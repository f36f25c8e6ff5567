//! The sources of the book of documents, for mdBook: the pages, their order, and the settings.

use super::{FOLDER, INDEX, destination, folder, listed, page::Page};
use crate::{Failure, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Pages of the root that are part of the book.
const ROOT: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "KNOWN-VULNERABILITIES.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
const SETTINGS: &str = "\
[book]
title = \"Deniable\"
language = \"en\"
src = \"src\"

[output.html]
no-section-label = true
default-theme = \"light\"
";

/// Writes the sources of the book into a folder, which must be empty or not exist: `book.toml` and `src`, with the
/// pages at the paths that they have in the repository, so that links between them hold.
pub fn write(to: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::Found(format!("{}: {error}", to.display()));
    if to.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::Found(format!("{} is not empty; name a new folder", to.display())));
    }
    let root = files::root();
    let paths: BTreeSet<String> = listed()?.lines().map(str::to_owned).collect();
    let paths: BTreeSet<String> = paths.into_iter().filter(|path| root.join(path).is_file()).collect();
    let is_part = |path: &&String| ROOT.contains(&path.as_str()) || path.starts_with(&format!("{FOLDER}/"));
    let parts: Vec<&String> = paths.iter().filter(is_part).collect();
    let mut pages = BTreeMap::new();
    for path in &parts {
        let copy = to.join("src").join(path);
        std::fs::create_dir_all(copy.parent().unwrap_or(to)).map_err(failed)?;
        std::fs::copy(root.join(path), copy).map_err(failed)?;
        if path.ends_with(".md") {
            pages.insert((*path).clone(), Page::read(&files::read(&root, path)?));
        }
    }
    let index = files::read(&root, INDEX)?;
    let summary = summary(&index, &pages, &paths);
    std::fs::write(to.join("src/SUMMARY.md"), summary).map_err(failed)?;
    std::fs::write(to.join("book.toml"), SETTINGS).map_err(failed)?;
    Ok(format!("{} pages in {}; `mdbook build {0}` makes the book", pages.len(), to.display()))
}

/// The order of the pages: the headings and links of the index, below a page that is the README of its folder the other
/// pages of that folder, and at the end the pages of the root.
fn summary(index: &str, pages: &BTreeMap<String, Page>, paths: &BTreeSet<String>) -> String {
    let mut text = String::from("# Summary\n\n[Deniable](README.md)\n[Documents](docs/README.md)\n");
    let mut listed: BTreeSet<String> = ["README.md", INDEX].map(str::to_owned).into();
    let mut add = |text: &mut String, title: &str, path: String, depth: usize| {
        if pages.contains_key(&path) && listed.insert(path.clone()) {
            let _ = writeln!(text, "{}- [{title}]({path})", "  ".repeat(depth));
            return true;
        }
        false
    };
    for line in index.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let _ = write!(text, "\n# {heading}\n\n");
        }
        let Some((title, target)) = line.strip_prefix("- [").and_then(link) else { continue };
        let Ok(Some(path)) = destination(INDEX, target, pages, paths) else { continue };
        if add(&mut text, title, path.clone(), 0) && path.ends_with("/README.md") {
            let own = format!("{}/", folder(&path));
            for page in pages.keys().filter(|page| page.starts_with(&own)) {
                let name = page.trim_start_matches(own.as_str()).trim_end_matches(".md").replace('/', ": ");
                add(&mut text, &name, page.clone(), 1);
            }
        }
    }
    text.push_str("\n# Project\n\n");
    for path in ROOT {
        add(&mut text, path.trim_end_matches(".md"), path.to_owned(), 0);
    }
    // A page that no line of the index begins with, such as the second link of a line.
    for page in pages.keys() {
        add(&mut text, page.trim_start_matches("docs/").trim_end_matches(".md"), page.clone(), 0);
    }
    text
}

/// The title and target of a link that begins after its `[`.
fn link(rest: &str) -> Option<(&str, &str)> {
    let (title, rest) = rest.split_once("](")?;
    let (target, _) = rest.split_once(')')?;
    Some((title, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_every_page_once() {
        let texts = [
            (INDEX, "## How to\n- [A](how-to/a.md): first; [B](how-to/b.md)\n- [Proofs](proofs/README.md)\n"),
            ("docs/how-to/a.md", ""),
            ("docs/how-to/b.md", ""),
            ("docs/proofs/README.md", ""),
            ("docs/proofs/one.md", ""),
            ("README.md", ""),
            ("ARCHITECTURE.md", ""),
        ];
        let pages: BTreeMap<String, Page> =
            texts.iter().map(|(path, text)| ((*path).to_owned(), Page::read(text))).collect();
        let paths = pages.keys().cloned().collect();
        assert_eq!(
            summary(texts[0].1, &pages, &paths),
            "# Summary\n\n[Deniable](README.md)\n[Documents](docs/README.md)\n\n# How to\n\n- [A](docs/how-to/a.md)\n\
             - [Proofs](docs/proofs/README.md)\n  - [one](docs/proofs/one.md)\n\n# Project\n\n\
             - [ARCHITECTURE](ARCHITECTURE.md)\n- [how-to/b](docs/how-to/b.md)\n"
        );
    }
}
