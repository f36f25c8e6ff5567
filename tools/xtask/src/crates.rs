//! `crates`: the size of every crate, counted textually, compared with that at an earlier commit.
//!
//! Crates are matched by the name of their package, because folders may move.

use crate::tree::{self, Tree};
use crate::{Failure, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::AddAssign;

const HEADER: &str = "\
Lines: all lines of `src/**/*.rs` without test modules (`tests.rs`, `tests/`, and items under `#[cfg(test)]`). Public items:
those of these lines that begin with `pub` and a keyword of an item. Tests: lines that are `#[test]` or begin with
`#[tokio::test`, in all `.rs` files of the package. Macros are not expanded.
";

/// The keywords of items, and the words that may come between them and `pub`.
const ITEMS: [&str; 12] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "use", "union", "async", "unsafe"];

/// Counts of a crate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    lines: usize,
    items: usize,
    tests: usize,
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.items += other.items;
        self.tests += other.tests;
    }
}

/// Sizes by the name of the package.
type Sizes = BTreeMap<String, Size>;

/// The table of the working tree, compared with a commit if one is given.
pub fn run(against: Option<&str>) -> Result<String, Failure> {
    let now = sizes(&Tree::Working(files::root()))?;
    Ok(match against {
        None => format!("{HEADER}\n{}", table(&now)),
        Some(revision) => {
            let before = sizes(&Tree::Commit(files::root(), revision.to_owned()))?;
            format!("{HEADER}Before: {revision}.\n\n{}", comparison(&before, &now))
        }
    })
}

fn total(sizes: &Sizes) -> Size {
    let mut total = Size::default();
    sizes.values().for_each(|size| total += *size);
    total
}

fn table(sizes: &Sizes) -> String {
    let mut text = "| crate | lines | public items | tests |\n|---|--:|--:|--:|\n".to_owned();
    let all = sizes.iter().map(|(name, size)| (format!("`{name}`"), *size));
    for (name, Size { lines, items, tests }) in all.chain([(format!("**all {}**", sizes.len()), total(sizes))]) {
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "| {name} | {lines} | {items} | {tests} |");
    }
    text.trim_end().to_owned()
}

fn comparison(before: &Sizes, now: &Sizes) -> String {
    let mut text = "\
| crate | lines before | now | ± | public items before | now | ± | tests before | now | ± |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"
    .to_owned();
    let mut row = |name: &str, before: Option<Size>, now: Option<Size>| {
        let columns = [|size: Size| size.lines, |size: Size| size.items, |size: Size| size.tests].map(|count| {
            let (was, is) = (before.map(count), now.map(count));
            let shown = |count: Option<usize>| count.map_or("–".to_owned(), |count| count.to_string());
            let (less, more) = (was.unwrap_or(0), is.unwrap_or(0));
            let change = match (more.checked_sub(less), less.saturating_sub(more)) {
                (Some(0), _) => "0".to_owned(),
                (Some(grown), _) => format!("+{grown}"),
                (None, shrunk) => format!("−{shrunk}"),
            };
            format!("{} | {} | {change}", shown(was), shown(is))
        });
        let _ = writeln!(text, "| {name} | {} |", columns.join(" | "));
    };
    for name in before.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
        row(&format!("`{name}`"), before.get(name).copied(), now.get(name).copied());
    }
    row(&format!("**all {} → {}**", before.len(), now.len()), Some(total(before)), Some(total(now)));
    text.trim_end().to_owned()
}

fn sizes(tree: &Tree) -> Result<Sizes, Failure> {
    let paths = tree.paths()?;
    let members = tree.members(&paths)?;
    let mut sizes: Sizes = members.values().map(|name| (name.clone(), Size::default())).collect();
    for path in paths.iter().filter(|path| tree::has_extension(path, "rs")) {
        let Some((folder, name)) = tree::owner(&members, path) else { continue };
        let size = size_of(&path[folder.len()..], &tree.read(path)?);
        *sizes.entry(name.to_owned()).or_default() += size;
    }
    Ok(sizes)
}

/// The size of a file, named by its path from the folder of its package.
fn size_of(path: &str, text: &str) -> Size {
    let is_test = |line: &&str| line.trim() == "#[test]" || line.trim().starts_with("#[tokio::test");
    let tests = text.lines().filter(is_test).count();
    if !path.starts_with("src/") || path.ends_with("/tests.rs") || path.contains("/tests/") {
        return Size { tests, ..Size::default() };
    }
    let product = without_tests(text);
    Size { lines: product.len(), items: product.iter().filter(|line| is_public_item(line)).count(), tests }
}

fn is_public_item(line: &str) -> bool {
    let word = line.trim_start().strip_prefix("pub ").and_then(|rest| rest.split([' ', '<', '(']).next());
    word.is_some_and(|word| ITEMS.contains(&word))
}

/// The lines of a formatted file that are outside of items under `#[cfg(test)]` at its top level.
fn without_tests(text: &str) -> Vec<&str> {
    let mut product = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            product.push(line);
            continue;
        }
        // Further attributes, and the item, which ends in its first line or with a bracket in the first column.
        let item = lines.by_ref().find(|line| !line.starts_with("#[") && !line.starts_with("//"));
        if item.is_some_and(|item| item.ends_with('{')) {
            let _ = lines.by_ref().find(|line| *line == "}");
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
pub mod a;
pub use a::{A, B};

pub struct C {
    pub field: u8,
}

impl C {
    pub const fn new() -> Self {
        Self { field: 0 }
    }
    pub(crate) fn inside() {}
}

#[cfg(test)]
mod tests {
    pub fn helper() {}

    #[test]
    fn one() {}
}

#[cfg(test)]
#[path = \"../tests/it/mod.rs\"]
mod it;
pub fn last() {}
";

    #[test]
    fn product_lines_items_and_tests_are_counted() {
        assert_eq!(size_of("src/lib.rs", FILE), Size { lines: 16, items: 5, tests: 1 });
        assert_eq!(size_of("src/a/tests.rs", FILE), Size { lines: 0, items: 0, tests: 1 });
        assert_eq!(size_of("tests/it/mod.rs", FILE), Size { lines: 0, items: 0, tests: 1 });
        let tokio = "#[tokio::test(start_paused = true)]\nasync fn one() {}\n";
        assert_eq!(size_of("tests/it/mod.rs", tokio).tests, 1);
    }

    #[test]
    fn crates_are_compared_by_name() {
        let size = |lines, items, tests| Size { lines, items, tests };
        let before: Sizes = [("kept".to_owned(), size(10, 2, 1)), ("gone".to_owned(), size(5, 1, 0))].into();
        let now: Sizes = [("kept".to_owned(), size(7, 3, 1)), ("new".to_owned(), size(4, 0, 2))].into();
        let text = comparison(&before, &now);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| `gone` | 5 | – | −5 | 1 | – | −1 | 0 | – | 0 |",
                "| `kept` | 10 | 7 | −3 | 2 | 3 | +1 | 1 | 1 | 0 |",
                "| `new` | – | 4 | +4 | – | 0 | 0 | – | 2 | +2 |",
                "| **all 2 → 2** | 15 | 11 | −4 | 3 | 3 | 0 | 1 | 3 | +2 |",
            ]
        );
        assert!(table(&now).ends_with("| **all 2** | 11 | 3 | 3 |"));
    }
}
