//! Files of the workspace, named relative to its root so that messages read the same on every machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct FileError {
    path: String,
    source: std::io::Error,
}

/// The root of the workspace.
///
/// Cargo names the package's folder when it runs a program, so a binary that was built from another clone
/// into a shared target folder still works on the clone it was called in.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = package.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
    root.unwrap_or_else(|| PathBuf::from("."))
}

/// The cargo that runs this program.
pub fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Reads a file of the workspace.
pub fn read(root: &Path, path: &str) -> Result<String, FileError> {
    std::fs::read_to_string(root.join(path)).map_err(|source| FileError { path: path.to_owned(), source })
}

/// Writes a file of the workspace, unless it already holds these bytes (so that nothing is rebuilt for nothing).
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
