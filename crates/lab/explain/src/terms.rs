//! The terms of `docs/reference/terms.md`, with the corresponding words of other libraries.

use crate::ids;
use crate::library::key;
use serde::Serialize;
use std::fmt::Write;
use std::sync::OnceLock;

/// The page.
pub const PAGE: &str = include_str!("../../../../docs/reference/terms.md");
/// The folder of the page, from the root of the repository.
const FOLDER: [&str; 2] = ["docs", "reference"];
/// The head of every table of terms.
const HEAD: [&str; 4] = ["here", "elsewhere", "meaning", "where"];
/// Cells that contain no other word.
const NO_OTHER: [&str; 2] = ["the same", "no usual word"];
/// The shortest part of a phrase by which a row is found.
const SHORTEST_PART: usize = 4;
const GUESSES: usize = 3;

/// A row of the table of terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The word in policies, output and documents.
    pub here: String,
    /// The words of the literature and of other libraries for the same or the nearest concept.
    pub elsewhere: String,
    /// The meaning, in words.
    pub meaning: String,
    /// Further reading: entries, and pages of `docs`.
    #[serde(rename = "where")]
    pub told: String,
}

/// Every row, in the order of the page.
pub fn terms() -> &'static [Term] {
    static TERMS: OnceLock<Vec<Term>> = OnceLock::new();
    TERMS.get_or_init(|| read(PAGE))
}

/// The rows that match a text: those with exactly this word, here or elsewhere, or otherwise those whose words contain
/// it.
#[must_use]
pub fn meant(text: &str) -> Vec<&'static Term> {
    let wanted = key(text);
    let exact: Vec<&Term> = terms().iter().filter(|term| term.names().any(|name| key(&name) == wanted)).collect();
    if !exact.is_empty() || wanted.chars().count() < SHORTEST_PART {
        return exact;
    }
    let phrase = words(text);
    terms().iter().filter(|term| words(&format!("{} {}", term.here, term.elsewhere)).contains(&phrase)).collect()
}

/// Words of rows that are similar to a text, the most similar first.
#[must_use]
pub fn near(text: &str) -> Vec<String> {
    let wanted = key(text);
    let most = (wanted.chars().count() / 3).max(1);
    let all = terms().iter().flat_map(Term::names);
    let mut near: Vec<(usize, String)> = all
        .map(|name| (strsim::osa_distance(&wanted, &key(&name)), name))
        .filter(|(slips, _)| *slips <= most)
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(GUESSES).map(|(_, name)| name).collect()
}

impl Term {
    /// The words of the row, here and elsewhere.
    fn names(&self) -> impl Iterator<Item = String> {
        let parts =
            [self.here.as_str(), self.elsewhere.as_str()].into_iter().flat_map(|cell| cell.split([',', ';', '=']));
        // In names of code, only the text in backticks counts; in phrases, only the text outside brackets.
        let names = parts.flat_map(|part| {
            let bare = part.split('(').next().unwrap_or_default().replace('`', "");
            let code = part.split('`').skip(1).step_by(2).map(str::to_owned);
            code.chain([bare.trim().to_owned()]).collect::<Vec<_>>()
        });
        names.filter(|name| !key(name).is_empty() && !NO_OTHER.iter().any(|none| name.starts_with(none)))
    }

    /// The row as text, with lines of at most `width` characters unless a single word is longer.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} (term)", self.here);
        crate::entry::wrapped(&mut text, width, 2, &format!("elsewhere: {}", self.elsewhere));
        crate::entry::wrapped(&mut text, width, 2, &format!("meaning: {}", self.meaning));
        crate::entry::wrapped(&mut text, width, 2, &format!("more: {}", self.told));
        text
    }
}

/// The words of a text with single spaces between and around them.
fn words(text: &str) -> String {
    let spaced: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    format!(" {} ", spaced.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The rows of all tables with the four columns of terms.
fn read(page: &str) -> Vec<Term> {
    let mut inside = false;
    let mut terms = Vec::new();
    for line in page.lines() {
        let Some(cells) = cells(line) else {
            inside = false;
            continue;
        };
        let [here, elsewhere, meaning, told] = cells.as_slice() else { continue };
        if [here, elsewhere, meaning, told].iter().zip(HEAD).all(|(cell, head)| *cell == head) {
            inside = true;
        } else if inside && !here.starts_with("---") {
            let [here, elsewhere, meaning, told] = [here, elsewhere, meaning, told].map(|cell| plain(cell));
            terms.push(Term { here, elsewhere, meaning, told });
        }
    }
    terms
}

/// The cells of a line of a table.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        match (c, escaped) {
            ('\\', false) => escaped = true,
            ('|', false) => cells.push(String::new()),
            (c, _) => {
                escaped = false;
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// A cell without links: `B-1` for `[B-1]`, `docs/reference/policy.md` for `[policy](policy.md)`.
fn plain(cell: &str) -> String {
    let mut text = String::new();
    let mut rest = cell;
    while let Some((before, open)) = rest.split_once('[') {
        let Some((name, after)) = open.split_once(']') else { break };
        text.push_str(before);
        rest = after;
        let linked = after.strip_prefix('(').and_then(|link| link.split_once(')'));
        let code = text.matches('`').count() % 2 == 1;
        match linked {
            Some((link, after)) if !code => {
                text.push_str(&if link.starts_with('#') { name.to_owned() } else { from_root(link) });
                rest = after;
            }
            _ if !code && ids::leading(name).is_some_and(|(_, left)| left.is_empty()) => text.push_str(name),
            _ => {
                text.push('[');
                text.push_str(name);
                text.push(']');
            }
        }
    }
    text.push_str(rest);
    text
}

/// The path from the root of the repository of a link on the page: `docs/how-to/audit.md` for `../how-to/audit.md`.
fn from_root(link: &str) -> String {
    let mut folders = FOLDER.to_vec();
    let mut rest = link;
    while let Some(after) = rest.strip_prefix("../") {
        folders.pop();
        rest = after;
    }
    folders.push(rest);
    folders.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lose_their_links_and_nothing_else() {
        let page = "| here | elsewhere | meaning | where |\n|---|---|---|---|\n\
                    | promise, `[promise]` | the same | Pr[k] is r^\\|k\\| | [B-1], [policy](policy.md#promise) |\n\n| a | b | c | d |\n";
        let [term] = read(page).try_into().unwrap();
        assert_eq!((term.here.as_str(), term.meaning.as_str()), ("promise, `[promise]`", "Pr[k] is r^|k|"));
        assert_eq!(term.told, "B-1, docs/reference/policy.md#promise");
        assert_eq!(term.names().collect::<Vec<_>>(), ["promise", "[promise]", "[promise]"]);
    }

    #[test]
    fn links_become_paths_from_the_root() {
        assert_eq!(from_root("policy.md#entity"), "docs/reference/policy.md#entity");
        assert_eq!(from_root("../how-to/audit.md"), "docs/how-to/audit.md");
        assert_eq!(from_root("../../KNOWN-VULNERABILITIES.md"), "KNOWN-VULNERABILITIES.md");
    }
}
