//! `changed`: the packages whose suites CI runs at full scale, which are determined from git alone.
//!
//! A package is included if one of its files has changed since the newest commit that is more than four hours old, or
//! if it depends on a package with a changed source. Tests and benchmarks concern their own package alone.

use crate::{Failure, files};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The age of the commit of comparison, in git's notation.
const AGE: &str = "4 hours ago";

/// The names of the packages, separated by spaces.
pub fn run() -> Result<String, Failure> {
    let members = members_of(&output(cargo(&["--depth", "0"]))?);
    let all = || Ok(members.values().cloned().collect::<Vec<_>>().join(" "));
    let base = output(git(&["rev-list", "-1", &format!("--before={AGE}"), "HEAD"]))?;
    if base.trim().is_empty() {
        return all();
    }
    // Without HEAD, so that uncommitted changes count, too. A moved file without changes does not count.
    let changes = Changes::of(&output(git(&["diff", "--name-status", "-M100%", base.trim()]))?, &members);
    if changes.is_lock {
        return all();
    }
    let mut found = changes.tests;
    if !changes.sources.is_empty() {
        let inverted = changes.sources.iter().flat_map(|name| ["--invert", name.as_str()]).collect::<Vec<_>>();
        found.extend(members_of(&output(cargo(&inverted))?).into_values());
    }
    Ok(found.into_iter().collect::<Vec<_>>().join(" "))
}

/// The packages with a file that differs from the branch `origin/main`; without such a branch, from the newest commit that
/// is more than four hours old.
pub fn touched() -> Result<BTreeSet<String>, Failure> {
    let members = members_of(&output(cargo(&["--depth", "0"]))?);
    let base = match output(git(&["merge-base", "HEAD", "origin/main"])) {
        Ok(base) => base,
        Err(_) => output(git(&["rev-list", "-1", &format!("--before={AGE}"), "HEAD"]))?,
    };
    let changes = Changes::of(&output(git(&["diff", "--name-status", "-M100%", base.trim()]))?, &members);
    Ok(changes.sources.into_iter().chain(changes.tests).collect())
}

/// Whether a package, or its tests, depend on DataFusion or on a client of a server.
pub fn is_heavy(package: &str) -> Result<bool, Failure> {
    let mut tree = Command::new(files::cargo());
    tree.args([
        "tree",
        "--locked",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "-p",
        package,
    ]);
    let tree = output(tree)?;
    Ok(["datafusion", "tokio-postgres", "object_store"]
        .iter()
        .any(|heavy| tree.lines().any(|line| line.starts_with(heavy))))
}

/// The packages that a list of changed files affects.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    /// The lock file: other versions of dependencies affect every package.
    is_lock: bool,
    /// Packages with a changed source file, build script or manifest.
    sources: BTreeSet<String>,
    /// Packages with a changed test, example or benchmark.
    tests: BTreeSet<String>,
}

impl Changes {
    /// Parses lines of `git diff --name-status`: a letter, and one path, or two paths of a moved file.
    fn of(lines: &str, members: &BTreeMap<String, String>) -> Self {
        let mut changes = Self::default();
        for line in lines.lines().filter(|line| !line.starts_with("R100")) {
            for path in line.split('\t').skip(1) {
                changes.is_lock |= path == "Cargo.lock";
                let owner = members.iter().find(|(folder, _)| path.starts_with(&format!("{folder}/")));
                let Some((folder, name)) = owner else { continue };
                let kind = if is_test(&path[folder.len() + 1..]) { &mut changes.tests } else { &mut changes.sources };
                kind.insert(name.clone());
            }
        }
        changes
    }
}

/// Whether a file of a package is compiled only for its own tests and benchmarks.
fn is_test(path: &str) -> bool {
    ["tests/", "benches/", "examples/"].iter().any(|folder| path.starts_with(folder))
        || path.contains("/tests/")
        || path.ends_with("/tests.rs")
}

/// The members of the workspace in the output of `cargo tree`, `deniable-core v0.1.0 (/clone/crates/core)`: names by
/// folder.
fn members_of(tree: &str) -> BTreeMap<String, String> {
    let root = files::root();
    let root = root.canonicalize().unwrap_or(root);
    let member = |line: &str| {
        let (package, rest) = line.split_once(" v")?;
        let folder = rest.split_once(" (")?.1.split_once(')')?.0;
        let folder = std::path::Path::new(folder).strip_prefix(&root).ok()?;
        Some((folder.to_string_lossy().into_owned(), package.to_owned()))
    };
    tree.lines().filter_map(member).collect()
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(files::cargo());
    cargo.args([
        "tree",
        "--locked",
        "--workspace",
        "--features",
        "deniable-bench/parts",
        "--edges",
        "normal,build,dev",
    ]);
    cargo.args(["--prefix", "none", "--format", "{p}"]).args(arguments);
    cargo
}

fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments);
    git
}

fn output(mut command: Command) -> Result<String, Failure> {
    let name = format!("{command:?}");
    let output = command.current_dir(files::root()).output();
    let output = output.map_err(|error| Failure::Found(format!("{name}: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Found(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> BTreeMap<String, String> {
        let pairs =
            [("crates/core", "deniable-core"), ("crates/engine/sql", "deniable-sql"), ("server/wire", "deniable-wire")];
        pairs.map(|(folder, name)| (folder.to_owned(), name.to_owned())).into()
    }

    fn names(found: &BTreeSet<String>) -> Vec<&str> {
        found.iter().map(String::as_str).collect()
    }

    #[test]
    fn tests_concern_their_package_and_sources_what_depends_on_it() {
        let lines = "M\tcrates/core/src/lib.rs\nA\tcrates/engine/sql/tests/it/new.rs\nD\tserver/wire/src/codec/tests.rs\nM\tREADME.md\n";
        let changes = Changes::of(lines, &packages());
        assert!(!changes.is_lock);
        assert_eq!(names(&changes.sources), ["deniable-core"]);
        assert_eq!(names(&changes.tests), ["deniable-sql", "deniable-wire"]);
    }

    #[test]
    fn files_that_only_moved_have_not_changed() {
        let moved = Changes::of("R100\tcrates/wire/src/lib.rs\tserver/wire/src/lib.rs\n", &packages());
        assert_eq!(moved, Changes::default());
        let edited = Changes::of("R097\tcrates/core/src/a.rs\tserver/wire/src/a.rs\n", &packages());
        assert_eq!(names(&edited.sources), ["deniable-core", "deniable-wire"]);
    }

    #[test]
    fn a_changed_lock_file_concerns_all() {
        assert!(Changes::of("M\tCargo.lock\n", &packages()).is_lock);
        assert!(!Changes::of("M\tfuzz/Cargo.lock\n", &packages()).is_lock);
    }

    #[test]
    fn members_are_read_from_the_tree() {
        let root = files::root().canonicalize().unwrap();
        let tree = format!("deniable-core v0.1.0 ({}/crates/core) (*)\nserde v1.0.228\n", root.display());
        assert_eq!(members_of(&tree), [("crates/core".to_owned(), "deniable-core".to_owned())].into());
    }
}
