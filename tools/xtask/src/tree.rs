//! The files of the repository, as they are on disk or at a commit.

use crate::{Failure, files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A set of files and their contents.
#[derive(Debug)]
pub enum Tree {
    /// The files of the working tree at this root that git does not ignore.
    Working(PathBuf),
    /// The files of a commit of the repository at this root.
    Commit(PathBuf, String),
    /// All files below a folder, in a repository or not.
    Folder(PathBuf),
}

impl Tree {
    /// Paths from the root, with forward slashes.
    pub fn paths(&self) -> Result<Vec<String>, Failure> {
        let (root, listed) = match self {
            Self::Working(root) => {
                (root, git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?)
            }
            Self::Commit(root, revision) => (root, git(root, &["ls-tree", "-r", "-z", "--name-only", revision])?),
            Self::Folder(root) => return Ok(files::texts(root, ".", "rs")?.into_keys().collect()),
        };
        let listed = listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned);
        Ok(match self {
            Self::Working(_) => listed.filter(|path| root.join(path).is_file()).collect(),
            Self::Commit(..) | Self::Folder(_) => listed.collect(),
        })
    }

    pub fn read(&self, path: &str) -> Result<String, Failure> {
        match self {
            Self::Working(root) | Self::Folder(root) => Ok(files::read(root, path)?),
            Self::Commit(root, revision) => git(root, &["show", &format!("{revision}:{path}")]),
        }
    }

    /// The names of the workspace's members, by their folders with a final slash.
    pub fn members(&self, paths: &[String]) -> Result<BTreeMap<String, String>, Failure> {
        let mut members = BTreeMap::new();
        for path in paths.iter().filter(|path| *path == "Cargo.toml" || path.ends_with("/Cargo.toml")) {
            if let Some(name) = member_name(&self.read(path)?) {
                members.insert(path.trim_end_matches("Cargo.toml").to_owned(), name);
            }
        }
        Ok(members)
    }
}

/// The folder and name of the member that contains a file.
pub fn owner<'a>(members: &'a BTreeMap<String, String>, path: &str) -> Option<(&'a str, &'a str)> {
    let around = members.iter().filter(|(folder, _)| path.starts_with(folder.as_str()));
    around.max_by_key(|(folder, _)| folder.len()).map(|(folder, name)| (folder.as_str(), name.as_str()))
}

/// Whether a path has this extension, in lower case.
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let failed = |why: String| Failure::Found(format!("git {}: {why}", arguments.join(" ")));
    let output = Command::new("git").args(arguments).current_dir(root).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_members() {
        assert_eq!(member_name("[package]\nname = \"a\"\n").as_deref(), Some("a"));
        assert_eq!(member_name("[workspace]\nmembers = []\n"), None);
        assert_eq!(member_name("[package]\nname = \"fuzz\"\n[workspace]\n"), None);
    }

    #[test]
    fn the_innermost_member_owns_a_file() {
        let members = [("a/".to_owned(), "outer".to_owned()), ("a/b/".to_owned(), "inner".to_owned())].into();
        assert_eq!(owner(&members, "a/b/src/lib.rs"), Some(("a/b/", "inner")));
        assert_eq!(owner(&members, "a/src/lib.rs"), Some(("a/", "outer")));
        assert_eq!(owner(&members, "c/src/lib.rs"), None);
    }
}
