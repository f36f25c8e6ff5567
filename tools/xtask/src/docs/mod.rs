//! `docs`: the links, the index and the line lengths of all Markdown, and the pages that other files name.

mod book;
mod page;

use crate::{Failure, files};
pub use book::write as write_book;
use page::Page;
pub use page::WIDTH;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The folder of the documents.
const FOLDER: &str = "docs";
/// The list of all documents.
const INDEX: &str = "docs/README.md";
/// Pages whose long lines a program writes as a result of its own.
const GENERATED: [&str; 2] = ["docs/measured/gwas/hs.md", "docs/measured/gwas/needed.md"];
/// Endings of the files that name pages: in messages, comments and scripts.
const SOURCES: [&str; 9] = ["md", "py", "rs", "sh", "snap", "sql", "toml", "txt", "yml"];
/// Files and folders whose tests name pages that do not exist.
const INVENTED: [&str; 2] = ["crates/lab/explain/tests/it/library.rs", "tools/xtask/src/"];

/// Checks every page, and every file that names one.
pub fn run() -> Result<String, Failure> {
    let root = files::root();
    let paths: BTreeSet<String> = listed()?.lines().map(str::to_owned).collect();
    // A file that was removed is listed until the removal is committed.
    let paths: BTreeSet<String> = paths.into_iter().filter(|path| root.join(path).is_file()).collect();
    let mut pages = BTreeMap::new();
    let mut problems = Vec::new();
    for path in paths.iter().filter(|path| is_source(path)) {
        let text = match files::read(&root, path) {
            Ok(text) => text,
            Err(error) if path.ends_with(".md") => return Err(error.into()),
            // Test data that is not UTF-8 names no page.
            Err(_) => continue,
        };
        if !INVENTED.iter().any(|start| path.starts_with(start)) {
            problems.extend(unknown_pages(path, &text, &paths));
        }
        if path.ends_with(".md") {
            pages.insert(path.clone(), Page::read(&text));
        }
    }
    problems.extend(check(&pages, &paths));
    if !problems.is_empty() {
        problems.sort();
        let lines: Vec<String> = problems.iter().map(|(path, line, text)| format!("{path}:{line}: {text}")).collect();
        return Err(Failure::Found(format!("{}\n{} to fix", lines.join("\n"), lines.len())));
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    Ok(format!("{FOLDER}: {links} links of {} pages are valid, and the index has every document", pages.len()))
}

/// A path, a line counted from 1, and what is wrong there.
type Problem = (String, usize, String);

/// The files of the repository and those that are about to be, but not those that git ignores.
fn listed() -> Result<String, Failure> {
    let arguments = ["-c", "core.quotePath=off", "ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(files::root()).output();
    let output = output.map_err(|error| Failure::Found(format!("git ls-files: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Found(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a file may name pages. Scripts have no ending.
fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, ending)) => SOURCES.contains(&ending),
        None => path.starts_with("scripts/") || path.starts_with(".ci/"),
    }
}

/// Broken links, documents that are not in the index, and long lines.
fn check(pages: &BTreeMap<String, Page>, paths: &BTreeSet<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut linked: BTreeSet<(&str, String)> = BTreeSet::new();
    for (path, page) in pages {
        for (line, target) in &page.links {
            match destination(path, target, pages, paths) {
                Ok(Some(to)) => {
                    linked.insert((path, to));
                }
                Ok(None) => {}
                Err(problem) => problems.push((path.clone(), *line, problem)),
            }
        }
        for (line, length) in page.long.iter().filter(|_| !GENERATED.contains(&path.as_str())) {
            problems.push((path.clone(), *line, format!("line of {length} characters; wrap it at {WIDTH}")));
        }
    }
    let is_listed = |path: &str, by: &str| path == by || linked.contains(&(by, path.to_owned()));
    for path in pages.keys().filter(|path| path.starts_with(&format!("{FOLDER}/"))) {
        // The README.md of a folder may list the other pages of the folder.
        let own = format!("{}/README.md", folder(path));
        let is_found = is_listed(path, INDEX) || (is_listed(path, &own) && is_listed(&own, INDEX));
        if !is_found {
            problems.push((INDEX.to_owned(), 1, format!("`{path}` is not in the index; add a line that links to it")));
        }
    }
    problems
}

/// The path from the root that a link refers to; `None` for URLs.
fn destination(
    page: &str,
    target: &str,
    pages: &BTreeMap<String, Page>,
    paths: &BTreeSet<String>,
) -> Result<Option<String>, String> {
    let target = target.trim_matches(['<', '>']);
    let is_url = target.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric()));
    if is_url {
        return Ok(None);
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let to = if path.is_empty() { Some(page.to_owned()) } else { joined(folder(page), path) };
    let to = to.ok_or_else(|| format!("broken link `{target}`: it leads out of the repository"))?;
    let inside = format!("{to}/");
    if !paths.contains(&to) && !paths.range(inside.clone()..).next().is_some_and(|path| path.starts_with(&inside)) {
        return Err(format!("broken link `{target}`: `{to}` does not exist"));
    }
    let Some(anchor) = anchor else { return Ok(Some(to)) };
    match pages.get(&to) {
        Some(page) if page.anchors.contains(anchor) => Ok(Some(to)),
        Some(_) => Err(format!("broken link `{target}`: `{to}` has no heading `#{anchor}`")),
        None => Err(format!("broken link `{target}`: only Markdown files have anchors")),
    }
}

/// The folder of a file.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder, from the root; `None` outside of the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Names of documents such as `docs/cli.md` in a text for which there is no file.
fn unknown_pages(path: &str, text: &str, paths: &BTreeSet<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (at, _) in line.match_indices("docs/") {
            let rest = &line[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"/._-".contains(c)).unwrap_or(rest.len());
            let named = rest[..end].trim_end_matches('.');
            // `docs/` within another word, such as a URL, is not a path of the repository; `../docs/` is.
            let before = line[..at].trim_end_matches("../").chars().last();
            let is_ours = !before.is_some_and(|c| c.is_alphanumeric() || "/._-".contains(c));
            let is_page = named.ends_with(".md") || named.ends_with(".txt");
            if is_ours && is_page && !paths.contains(named) {
                problems.push((
                    path.to_owned(),
                    number,
                    format!("`{named}` does not exist; write the present path of the document"),
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(texts: &[(&str, &str)]) -> (BTreeMap<String, Page>, BTreeSet<String>) {
        let pages = texts.iter().map(|(path, text)| ((*path).to_owned(), Page::read(text)));
        let others = ["crates/core/src/lib.rs", "docs/picture.svg"].map(str::to_owned);
        (pages.clone().collect(), pages.map(|(path, _)| path).chain(others).collect())
    }

    /// The problems of some pages, each as one line.
    fn wrong(texts: &[(&str, &str)]) -> Vec<String> {
        let (pages, paths) = repository(texts);
        check(&pages, &paths).into_iter().map(|(path, line, text)| format!("{path}:{line}: {text}")).collect()
    }

    #[test]
    fn valid_links_are_accepted() {
        let index = "# Index\n[a](how-to/a.md#one-two), [itself](#index), [core](../crates/core), ![p](picture.svg)\n\
                     [away](https://example.org/x.md#y), <mail@example.org>, [mail](mailto:a@example.org)\n";
        assert_eq!(wrong(&[(INDEX, index), ("docs/how-to/a.md", "## One two\n[up](../README.md)\n")]), [""; 0]);
    }

    #[test]
    fn broken_links_and_anchors_are_named_with_their_line() {
        let page = "\n[a](gone.md)\n[b](#two)\n[c](../README.md#three)\n[d](../../..)\n[e](../picture.svg#f)\n";
        let found = wrong(&[(INDEX, "[a](how-to/a.md)\n"), ("docs/how-to/a.md", page)]);
        assert_eq!(
            found,
            [
                "docs/how-to/a.md:2: broken link `gone.md`: `docs/how-to/gone.md` does not exist",
                "docs/how-to/a.md:3: broken link `#two`: `docs/how-to/a.md` has no heading `#two`",
                "docs/how-to/a.md:4: broken link `../README.md#three`: `docs/README.md` has no heading `#three`",
                "docs/how-to/a.md:5: broken link `../../..`: it leads out of the repository",
                "docs/how-to/a.md:6: broken link `../picture.svg#f`: only Markdown files have anchors",
            ]
        );
    }

    #[test]
    fn every_document_is_in_the_index_or_in_the_readme_of_its_folder() {
        let own = ("docs/theorems/README.md", "[p](p.md)\n");
        let page = ("docs/theorems/p.md", "");
        assert_eq!(wrong(&[(INDEX, "[t](theorems/README.md)\n"), own, page]), [""; 0]);
        let missing =
            |path: &str| format!("docs/README.md:1: `{path}` is not in the index; add a line that links to it");
        assert_eq!(wrong(&[(INDEX, ""), own, page]), [missing(own.0), missing(page.0)]);
        assert_eq!(wrong(&[(INDEX, "[t](theorems/README.md)\n"), (own.0, ""), page]), [missing(page.0)]);
        assert_eq!(wrong(&[(INDEX, ""), ("examples/a.md", "")]), [""; 0]);
    }

    #[test]
    fn long_lines_are_named_but_for_results_of_programs() {
        let long = format!("{} a\n", "a".repeat(WIDTH));
        assert_eq!(wrong(&[("a.md", &long)]), ["a.md:1: line of 102 characters; wrap it at 100"]);
        let index = format!("[a](measured/gwas/{})\n", "needed.md");
        assert_eq!(wrong(&[(INDEX, &index), (GENERATED[1], &long)]), [""; 0]);
    }

    #[test]
    fn pages_that_messages_name_exist() {
        let (_, paths) = repository(&[(INDEX, ""), ("docs/how-to/a.md", "")]);
        let text = "see docs/how-to/a.md.\nsee docs/b.md#c, `../docs/d.md`\nhttps://example.org/docs/e.md docs/theorems docs/{name}.md\n";
        let found = unknown_pages("src/lib.rs", text, &paths);
        let found: Vec<(usize, &str)> = found.iter().map(|(_, line, text)| (*line, text.as_str())).collect();
        let wanted = ["docs/b.md", "docs/d.md"]
            .map(|path| format!("`{path}` does not exist; write the present path of the document"));
        assert_eq!(found, [(2, wanted[0].as_str()), (2, wanted[1].as_str())]);
    }

    #[test]
    fn sources_are_known_by_their_ending_or_their_folder() {
        for path in ["a.md", "crates/a/src/b.rs", "x.snap", "scripts/slow", ".ci/run", ".github/workflows/ci.yml"] {
            assert!(is_source(path), "{path}");
        }
        for path in ["a.svg", "testdata/a.ledger", "LICENSE-MIT", "a.parquet"] {
            assert!(!is_source(path), "{path}");
        }
    }
}
