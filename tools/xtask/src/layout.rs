//! `layout`: the houses of the crates, and which crate may depend on which.
//!
//! A house is a folder of crates. A crate may depend on crates of its own house and of the houses above it in
//! [`HOUSES`], for its library, its build script and its tests. Tests may also use the house `tools`.

use crate::{Failure, files};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

#[derive(Debug)]
struct House {
    name: &'static str,
    /// The crate itself (`crates/core`), or the folder that contains the crates.
    folder: &'static str,
    purpose: &'static str,
}

const fn house(name: &'static str, folder: &'static str, purpose: &'static str) -> House {
    House { name, folder, purpose }
}

/// The layout: a house may depend on itself and on the houses above it.
const HOUSES: [House; 10] = [
    house("core", "crates/core", "exact numbers, adversaries, promises, noise, schemas: under everything"),
    house("engine", "crates/engine", "answers to SQL: policies, rows, queries, the ledger, the release"),
    house("genome", "crates/genome", "genotypes and association results"),
    house("lab", "crates/lab", "decisions, audits, attacks, assessments, and explanations"),
    house("sources", "sources", "rows that are not in files: PostgreSQL, object stores, engines"),
    house("apps", "crates/apps", "the library, the command, and what they draw and report"),
    house("server", "server", "the server of PostgreSQL's protocol"),
    house("python", "python", "the extension module of the Python package"),
    house("research", "research", "the evaluation of the paper, and benchmarks"),
    house("tools", "tools", "chores, and what tests share; other houses use it in tests only"),
];

/// An arrow that the order of the houses does not allow, and why it is there.
#[derive(Debug)]
struct Exception {
    from: &'static str,
    to: &'static str,
    kind: Kind,
    /// Printed in `ARCHITECTURE.md`.
    reason: &'static str,
}

const fn exception(from: &'static str, kind: Kind, to: &'static str, reason: &'static str) -> Exception {
    Exception { from, to, kind, reason }
}

const EXCEPTIONS: [Exception; 4] = [
    exception("deniable-cli", Kind::Feature, "deniable-serve", "the command `deniable serve`"),
    exception("deniable-protocol", Kind::Tests, "deniable-audit", "the red team's attacks are audited (redteam.rs)"),
    exception("deniable-pushdown", Kind::Tests, "deniable-engines", "its statements are tried on real engines"),
    exception("deniable-execute", Kind::Feature, "deniable-postgres", "its tests compare rows of a server with files"),
];

/// How a crate depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Always,
    /// When a feature is on.
    Feature,
    /// In tests, examples and benchmarks.
    Tests,
}

/// A member of the workspace.
#[derive(Debug)]
struct Member {
    name: String,
    /// The folder, relative to the root.
    folder: String,
    /// The other members that it depends on.
    uses: Vec<(Kind, String)>,
}

/// Checks every member, and the table in `ARCHITECTURE.md`.
pub fn run() -> Result<String, Failure> {
    let members = members(&metadata()?)?;
    let mut problems = wrong_arrows(&members, &EXCEPTIONS);
    let page = files::read(&files::root(), "ARCHITECTURE.md")?;
    if !page.contains(&table()) {
        problems.push(format!("ARCHITECTURE.md: the table of houses is stale; it is\n\n{}", table()));
    }
    if problems.is_empty() {
        let arrows: usize = members.iter().map(|member| member.uses.len()).sum();
        return Ok(format!(
            "layout: {} crates in {} houses, {arrows} dependencies between them, {} exceptions",
            members.len(),
            HOUSES.len(),
            EXCEPTIONS.len()
        ));
    }
    Err(Failure::Found(problems.join("\n")))
}

/// The houses and the exceptions in Markdown.
fn table() -> String {
    let rows = HOUSES.iter().map(|house| format!("| `{}` | `{}` | {} |\n", house.name, house.folder, house.purpose));
    let kind = |kind| match kind {
        Kind::Always => "",
        Kind::Feature => ", by feature",
        Kind::Tests => ", in tests",
    };
    let exceptions = EXCEPTIONS.iter().map(|exception| {
        let Exception { from, to, reason, .. } = exception;
        format!("- `{from}` → `{to}`{}: {reason}\n", kind(exception.kind))
    });
    let head = "| house | folder | what it contains |\n|---|---|---|\n";
    format!("{head}{}\nExceptions:\n\n{}", rows.collect::<String>(), exceptions.collect::<String>())
}

/// The position in [`HOUSES`] of a crate's folder.
fn house_of(folder: &str) -> Option<usize> {
    let parent = folder.rsplit_once('/').map(|(parent, _)| parent);
    HOUSES.iter().position(|house| house.folder == folder || Some(house.folder) == parent)
}

/// One line for each member without a house, each arrow that the layout lacks, and each exception without an arrow.
fn wrong_arrows(members: &[Member], exceptions: &[Exception]) -> Vec<String> {
    let houses: BTreeMap<&str, Option<usize>> =
        members.iter().map(|member| (member.name.as_str(), house_of(&member.folder))).collect();
    let mut problems = Vec::new();
    let mut needed = vec![false; exceptions.len()];
    for member in members {
        let Some(from) = house_of(&member.folder) else {
            problems.push(format!(
                "{}: its folder `{}` is in no house; move it into one of {}, or add a house to tools/xtask/src/layout.rs",
                member.name,
                member.folder,
                HOUSES.iter().map(|house| format!("`{}`", house.folder)).collect::<Vec<_>>().join(", ")
            ));
            continue;
        };
        for (kind, used) in &member.uses {
            let Some(to) = houses.get(used.as_str()).copied().flatten() else { continue };
            let is_test_of_tools = *kind == Kind::Tests && HOUSES[to].name == "tools";
            if to <= from || is_test_of_tools {
                continue;
            }
            let matching = |exception: &Exception| {
                (exception.from, exception.to, exception.kind) == (member.name.as_str(), used.as_str(), *kind)
            };
            match exceptions.iter().position(matching) {
                Some(position) => needed[position] = true,
                None => problems.push(describe(member, *kind, used, (from, to))),
            }
        }
    }
    for (exception, _) in exceptions.iter().zip(&needed).filter(|(_, is_needed)| !**is_needed) {
        let Exception { from, to, .. } = exception;
        problems.push(format!(
            "{from}: the exception for `{to}` is not needed any more; remove it from tools/xtask/src/layout.rs"
        ));
    }
    problems
}

/// The message about a wrong arrow.
fn describe(member: &Member, kind: Kind, used: &str, (from, to): (usize, usize)) -> String {
    let Member { name, folder, .. } = member;
    let (from, to) = (HOUSES[from].name, HOUSES[to].name);
    let (section, fix) = match kind {
        Kind::Always => ("dependencies", "move the code that needs it into"),
        Kind::Feature => ("dependencies, optional,", "move the code that needs it into"),
        Kind::Tests => ("dev-dependencies", "move the tests that need it into a crate of"),
    };
    format!(
        "{name}: `{used}` in the {section} of {folder}/Cargo.toml: the house `{from}` is above `{to}` and cannot depend on it; \
         {fix} `{to}` or below, or move what is needed into `{from}` or above"
    )
}

/// The output of `cargo metadata` about the members alone.
fn metadata() -> Result<Value, Failure> {
    let mut cargo = Command::new(files::cargo());
    cargo.args(["metadata", "--no-deps", "--locked", "--format-version", "1"]).current_dir(files::root());
    let output = cargo.output().map_err(|error| Failure::Found(format!("cargo metadata cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Found(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Failure::Found(format!("cargo metadata: {error}")))
}

/// The members in the output of `cargo metadata`, with their dependencies on each other.
fn members(metadata: &Value) -> Result<Vec<Member>, Failure> {
    let read = || {
        let root = metadata["workspace_root"].as_str()?;
        let packages = metadata["packages"].as_array()?;
        let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str()).collect::<Option<_>>()?;
        let member = |package: &Value| {
            let manifest = package["manifest_path"].as_str()?;
            let folder = manifest.strip_prefix(root)?.strip_suffix("Cargo.toml")?.trim_matches(['/', '\\']);
            let folder = folder.replace('\\', "/");
            let mut uses = Vec::new();
            for dependency in package["dependencies"].as_array()? {
                let name = dependency["name"].as_str()?;
                let kind = match (dependency["kind"].as_str(), dependency["optional"].as_bool()?) {
                    (Some("dev"), _) => Kind::Tests,
                    (_, true) => Kind::Feature,
                    (_, false) => Kind::Always,
                };
                if names.contains(&name) {
                    uses.push((kind, name.to_owned()));
                }
            }
            Some(Member { name: package["name"].as_str()?.to_owned(), folder, uses })
        };
        packages.iter().map(member).collect::<Option<Vec<_>>>()
    };
    read().ok_or_else(|| Failure::Found("cargo metadata: the output has another shape than version 1".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The name, the kind in `cargo metadata`, and whether it is optional.
    type Dependency<'a> = (&'a str, Option<&'a str>, bool);

    /// A workspace of these packages: name, folder, dependencies.
    fn workspace(packages: &[(&str, &str, &[Dependency<'_>])]) -> Vec<Member> {
        let packages: Vec<Value> = packages
            .iter()
            .map(|(name, folder, uses)| {
                let uses: Vec<Value> = uses
                    .iter()
                    .map(|(name, kind, optional)| json!({ "name": name, "kind": kind, "optional": optional }))
                    .collect();
                json!({ "name": name, "manifest_path": format!("/w/{folder}/Cargo.toml"), "dependencies": uses })
            })
            .collect();
        members(&json!({ "workspace_root": "/w", "packages": packages })).unwrap()
    }

    #[test]
    fn houses_may_use_themselves_and_those_above() {
        let members = workspace(&[
            ("core", "crates/core", &[("serde", None, false), ("testing", Some("dev"), false)]),
            ("sql", "crates/engine/sql", &[("core", None, false), ("data", None, true)]),
            ("data", "crates/engine/data", &[("core", Some("build"), false)]),
            ("testing", "tools/testing", &[("core", None, false)]),
        ]);
        assert_eq!(members[0].uses, [(Kind::Tests, "testing".to_owned())]);
        assert_eq!(wrong_arrows(&members, &[]), Vec::<String>::new());
    }

    #[test]
    fn arrows_downwards_are_named_with_their_fix() {
        let members = workspace(&[
            ("core", "crates/core", &[("sql", Some("build"), false)]),
            ("sql", "crates/engine/sql", &[("cli", None, true), ("testing", None, false), ("cli", Some("dev"), false)]),
            ("cli", "crates/apps/cli", &[]),
            ("testing", "tools/testing", &[]),
        ]);
        let problems = wrong_arrows(&members, &[]);
        assert_eq!(problems.len(), 4, "{problems:#?}");
        assert_eq!(
            problems[0],
            "core: `sql` in the dependencies of crates/core/Cargo.toml: the house `core` is above `engine` and cannot depend on it; \
             move the code that needs it into `engine` or below, or move what is needed into `core` or above"
        );
        assert!(
            problems[1].starts_with("sql: `cli` in the dependencies, optional, of crates/engine/sql/"),
            "{problems:#?}"
        );
        assert!(problems[2].contains("`engine` is above `tools`"), "{problems:#?}");
        assert!(problems[3].starts_with("sql: `cli` in the dev-dependencies of"), "{problems:#?}");
    }

    #[test]
    fn exceptions_are_exact_and_needed() {
        let members =
            workspace(&[("cli", "crates/apps/cli", &[("serve", None, true)]), ("serve", "server/serve", &[])]);
        let with = |kind| wrong_arrows(&members, &[exception("cli", kind, "serve", "a reason")]);
        assert_eq!(with(Kind::Feature), Vec::<String>::new());
        let problems = with(Kind::Always);
        assert_eq!(problems.len(), 2, "{problems:#?}");
        assert!(problems[0].starts_with("cli: `serve` in the dependencies, optional,"), "{problems:#?}");
        assert!(problems[1].starts_with("cli: the exception for `serve` is not needed any more"), "{problems:#?}");
    }

    #[test]
    fn folders_without_a_house_are_named() {
        let members = workspace(&[
            ("new", "crates/new", &[]),
            ("deep", "crates/engine/sql/deep", &[]),
            ("beside", "sourcesome/beside", &[]),
        ]);
        let problems = wrong_arrows(&members, &[]);
        assert_eq!(problems.len(), 3, "{problems:#?}");
        assert!(
            problems[0].starts_with("new: its folder `crates/new` is in no house; move it into one of `crates/core`")
        );
    }
}
