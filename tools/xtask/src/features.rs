//! `features`: checks that the README's test command reuses what its first command compiled, and the Python package
//! what CI's tests compiled.
//!
//! In one build, Cargo enables every feature that any package of the build requests. If tests need more features of a
//! package than the command line, the package is compiled twice, and so is everything that depends on it, up to the
//! whole of DataFusion.

use crate::{Failure, files};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The README's first command, as arguments of `cargo tree`.
const FIRST: [&str; 2] = ["--edges", "normal,build"];
/// The README's second command.
const TESTS: [&str; 2] = ["--edges", "normal,build,dev"];
/// The packages that CI lints, documents and tests.
const ALL: [&str; 5] = ["--workspace", "--features", "deniable-bench/parts", "--edges", "normal,build,dev"];
const PYTHON: [&str; 4] = ["--package", "deniable-wheel", "--edges", "normal,build"];

/// Every package of a build, by name and version, with each set of features with which it is compiled. Programs that
/// run during the build may have another set than linked packages.
type Packages = BTreeMap<String, BTreeSet<String>>;

/// Fails with the name of each package that would be compiled twice.
pub fn run() -> Result<String, Failure> {
    let (first, tests) = (packages(&FIRST)?, packages(&TESTS)?);
    let (all, python) = (packages(&ALL)?, packages(&PYTHON)?);
    let again = [
        twice(&first, &tests, ("the first command", "the tests")),
        twice(&python, &all, ("the Python package", "all tests")),
    ]
    .concat();
    if again.is_empty() {
        let (first, python) = (first.len(), python.len());
        return Ok(format!(
            "the first command compiles {first} packages, and the tests none of them again; the Python package needs {python}, \
             and none with other features than all tests"
        ));
    }
    let help = "ask for all features in [workspace.dependencies], where they cost the first command little";
    Err(Failure::Found(format!("{}\n{help}", again.join("\n"))))
}

fn packages(arguments: &[&str]) -> Result<Packages, Failure> {
    let mut cargo = Command::new(files::cargo());
    cargo.args(["tree", "--locked", "--prefix", "none", "--format", "{p}|{f}"]).args(arguments);
    let output = cargo.current_dir(files::root()).output();
    let output = output.map_err(|error| Failure::Found(format!("cargo tree cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Found(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// Lines such as `serde v1.0.228|default,derive (*)`. Members of the workspace have a folder after the version, which
/// is left out.
fn read(tree: &str) -> Packages {
    let mut packages = Packages::new();
    for line in tree.lines() {
        let Some((package, features)) = line.trim_end_matches(" (*)").split_once('|') else { continue };
        let package = package.split(" (").next().unwrap_or(package);
        packages.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    packages
}

/// A line for every package that the first build compiles with a set of features that the second build does not have.
fn twice(first: &Packages, second: &Packages, names: (&str, &str)) -> Vec<String> {
    let none = BTreeSet::new();
    let words = |features: &BTreeSet<String>| {
        features.iter().map(|features| format!("[{}]", features.replace(',', ", "))).collect::<Vec<_>>().join(" and ")
    };
    first
        .iter()
        .map(|(package, features)| (package, features, second.get(package).unwrap_or(&none)))
        .filter(|(_, features, of_tests)| !features.is_subset(of_tests))
        .map(|(package, features, of_tests)| {
            let (one, other) = names;
            format!("{package}: {} for {one}, {} for {other}", words(features), words(of_tests))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: (&str, &str) = ("the first command", "the tests");
    const FIRST: &str = "\
deniable v0.1.0 (/somewhere/crates/apps/cli)|
getrandom v0.4.3|
serde v1.0.228|default,derive,std
serde_derive v1.0.228 (proc-macro)|default
getrandom v0.4.3| (*)
syn v2.0.1|default
syn v2.0.1|default,full
";

    #[test]
    fn more_packages_and_other_builds_do_no_harm() {
        let more = format!("{FIRST}proptest v1.12.0|std\nsyn v2.0.1|default,extra (*)\n");
        assert_eq!(read(FIRST).len(), 5);
        assert_eq!(twice(&read(FIRST), &read(&more), NAMES), Vec::<String>::new());
    }

    #[test]
    fn packages_compiled_twice_are_named() {
        let wider = FIRST.replace("getrandom v0.4.3|", "getrandom v0.4.3|std,sys_rng");
        assert_eq!(
            twice(&read(FIRST), &read(&wider), NAMES),
            ["getrandom v0.4.3: [] for the first command, [std, sys_rng] for the tests"]
        );
        let without = FIRST.replace("syn v2.0.1|default,full\n", "");
        assert_eq!(
            twice(&read(FIRST), &read(&without), NAMES),
            ["syn v2.0.1: [default] and [default, full] for the first command, [default] for the tests"]
        );
        let macros = FIRST.replace("(proc-macro)|default", "(proc-macro)|");
        assert_eq!(twice(&read(FIRST), &read(&macros), NAMES).len(), 1);
    }

    #[test]
    fn packages_of_the_workspace_are_watched() {
        let wider = FIRST.replace("crates/apps/cli)|", "crates/apps/cli)|reveal");
        assert_eq!(
            twice(&read(FIRST), &read(&wider), NAMES),
            ["deniable v0.1.0: [] for the first command, [reveal] for the tests"]
        );
    }
}
