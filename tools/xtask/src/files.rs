//! Files of the workspace, named relative to its root so that messages read the same on every machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct FileError {
    path: String,
    source: std::io::Error,
}

/// The root of the workspace.
///
/// Cargo sets the package's folder when it runs a program, so a binary that was built from another clone into a shared
/// target folder still works on the current clone.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = package.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
    root.unwrap_or_else(|| PathBuf::from("."))
}

/// The path of the cargo that runs this program.
pub fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Removes the variables that cargo sets for the program it runs. A nested cargo would pass them to build scripts, and
/// `ring`, which watches them, would be compiled again with everything that depends on it.
pub fn without_package_variables(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if is_package_variable(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
}

fn is_package_variable(name: &str) -> bool {
    let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start));
    of_package || ["CARGO_CRATE_NAME", "CARGO_BIN_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name)
}

/// Reads a file of the workspace.
pub fn read(root: &Path, path: &str) -> Result<String, FileError> {
    std::fs::read_to_string(root.join(path)).map_err(|source| FileError { path: path.to_owned(), source })
}

/// Writes a file of the workspace, unless it already has these bytes, to avoid unnecessary rebuilds.
pub fn write(root: &Path, path: &str, text: &str) -> Result<(), FileError> {
    if read(root, path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    std::fs::write(root.join(path), text).map_err(|source| FileError { path: path.to_owned(), source })
}

/// Every file below `folder` whose name ends in `.{extension}`, by its path from the root with forward slashes.
pub fn texts(root: &Path, folder: &str, extension: &str) -> Result<BTreeMap<String, String>, FileError> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let place = |source| FileError { path: folder.clone(), source };
        for entry in std::fs::read_dir(root.join(&folder)).map_err(place)? {
            let entry = entry.map_err(place)?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(place)?.is_dir() {
                if !path.ends_with("/target") {
                    folders.push(path);
                }
            } else if Path::new(&path).extension().is_some_and(|e| e == extension) {
                let text = read(root, &path)?;
                found.insert(path, text);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_of_packages_are_removed() {
        for name in ["CARGO_PKG_VERSION", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_CRATE_NAME", "OUT_DIR"] {
            assert!(is_package_variable(name), "{name}");
        }
        for name in ["CARGO_TARGET_DIR", "CARGO_HOME", "CARGO_INCREMENTAL", "CARGO", "PATH", "RUSTUP_TOOLCHAIN"] {
            assert!(!is_package_variable(name), "{name}");
        }
    }
}
