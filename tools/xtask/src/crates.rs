//! `crates`: the size of every crate, counted textually, beside that of an earlier commit.
//!
//! Crates are matched by the name of their package, because folders move.

use crate::{Failure, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::AddAssign;
use std::path::Path;
use std::process::Command;

const HEADER: &str = "\
Lines: all lines of `src/**/*.rs` without test modules (`tests.rs`, `tests/`, and items under `#[cfg(test)]`). Public items:
those of these lines that begin with `pub` and a keyword of an item. Tests: lines that are `#[test]` or begin with
`#[tokio::test`, in all `.rs` files of the package. Macros are not expanded.
";

/// The keywords of items, and what may stand between them and `pub`.
const ITEMS: [&str; 12] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "use", "union", "async", "unsafe"];

/// What is counted of a crate.
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

/// The table of the working tree, compared with a commit where one is given.
pub fn run(against: Option<&str>) -> Result<String, Failure> {
    let now = sizes(&Tree::Working)?;
    Ok(match against {
        None => format!("{HEADER}\n{}", table(&now)),
        Some(revision) => {
            let before = sizes(&Tree::Commit(revision))?;
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
        // Writing to a string cannot fail.
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

enum Tree<'a> {
    /// The tracked files of the working tree, as they are on disk.
    Working,
    Commit(&'a str),
}

impl Tree<'_> {
    /// Paths from the root, with forward slashes.
    fn paths(&self) -> Result<Vec<String>, Failure> {
        let listed = match self {
            Self::Working => git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?,
            Self::Commit(revision) => git(&["ls-tree", "-r", "-z", "--name-only", revision])?,
        };
        let listed = listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned);
        Ok(match self {
            Self::Working => listed.filter(|path| files::root().join(path).is_file()).collect(),
            Self::Commit(_) => listed.collect(),
        })
    }

    fn read(&self, path: &str) -> Result<String, Failure> {
        match self {
            Self::Working => Ok(files::read(&files::root(), path)?),
            Self::Commit(revision) => git(&["show", &format!("{revision}:{path}")]),
        }
    }
}

fn git(arguments: &[&str]) -> Result<String, Failure> {
    let failed = |why: String| Failure::Found(format!("git {}: {why}", arguments.join(" ")));
    let output = Command::new("git").args(arguments).current_dir(files::root()).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn sizes(tree: &Tree<'_>) -> Result<Sizes, Failure> {
    let paths = tree.paths()?;
    let mut packages = BTreeMap::new();
    for path in paths.iter().filter(|path| *path == "Cargo.toml" || path.ends_with("/Cargo.toml")) {
        if let Some(name) = member_name(&tree.read(path)?) {
            packages.insert(path.trim_end_matches("Cargo.toml").to_owned(), name);
        }
    }
    let mut sizes: Sizes = packages.values().map(|name| (name.clone(), Size::default())).collect();
    for path in paths.iter().filter(|path| Path::new(path).extension().is_some_and(|extension| extension == "rs")) {
        let owner = packages.iter().filter(|(folder, _)| path.starts_with(folder.as_str()));
        let Some((folder, name)) = owner.max_by_key(|(folder, _)| folder.len()) else { continue };
        let size = size_of(&path[folder.len()..], &tree.read(path)?);
        *sizes.entry(name.clone()).or_default() += size;
    }
    Ok(sizes)
}

/// The name in a manifest of a member; `None` of a workspace, such as the root or one outside of it.
fn member_name(manifest: &str) -> Option<String> {
    if manifest.lines().any(|line| line == "[workspace]") {
        return None;
    }
    let package = manifest.split_once("[package]\n")?.1;
    let line = package.lines().find(|line| line.starts_with("name = "))?;
    Some(line.split('"').nth(1)?.to_owned())
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
    fn names_are_those_of_members() {
        assert_eq!(member_name("[package]\nname = \"a\"\n").as_deref(), Some("a"));
        assert_eq!(member_name("[workspace]\nmembers = []\n"), None);
        assert_eq!(member_name("[package]\nname = \"fuzz\"\n[workspace]\n"), None);
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
