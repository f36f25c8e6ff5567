//! Values in the names of folders: `visits/year=2024/region=north/part-0.parquet`.

use crate::error::SourceError;
use std::path::{Component, Path, PathBuf};

/// The folder name for rows without a value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The values of the declared partition columns, for every file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Partitions {
    names: Vec<String>,
    /// One entry per file; in it, one per name.
    values: Vec<Vec<Option<String>>>,
}

impl Partitions {
    /// Parses the folders of every file, except those that contain `folder` itself.
    ///
    /// # Errors
    /// When a file is in no folder with a name, or in several.
    pub(crate) fn of(files: &[PathBuf], names: &[String], folder: &Path) -> Result<Self, SourceError> {
        let values = files.iter().map(|path| {
            let found = folders(path.strip_prefix(folder).unwrap_or(path));
            names.iter().map(|name| value(path, name, &found)).collect()
        });
        Ok(Self { names: names.to_vec(), values: values.collect::<Result<_, _>>()? })
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether a column's values are in folder names.
    pub(crate) fn holds(&self, column: &str) -> bool {
        self.names.iter().any(|name| name == column)
    }

    /// The value of a partition column in a file; `Some(None)` is NULL, and `None` is not a partition column.
    pub(crate) fn value(&self, file: usize, column: &str) -> Option<Option<&str>> {
        let at = self.names.iter().position(|name| name == column)?;
        Some(self.values(file).get(at).and_then(|value| value.as_deref()))
    }

    /// The values of a file, in the order of the names.
    pub(crate) fn values(&self, file: usize) -> &[Option<String>] {
        self.values.get(file).map_or(&[], Vec::as_slice)
    }
}

/// Names and values of the folders in a path; `None` for a name or value that is not valid text.
fn folders(path: &Path) -> Vec<(Option<String>, Option<String>)> {
    let parents = path.parent().into_iter().flat_map(Path::components);
    let pair = |part: Component<'_>| {
        let Component::Normal(part) = part else { return None };
        let (name, value) = part.to_str()?.split_once('=')?;
        Some((decode(name), decode(value)))
    };
    parents.filter_map(pair).collect()
}

fn value(path: &Path, name: &str, found: &[(Option<String>, Option<String>)]) -> Result<Option<String>, SourceError> {
    let wrong = |problem| SourceError::Partition { path: path.to_owned(), column: name.to_owned(), problem };
    let mut matching = found.iter().filter(|(other, _)| other.as_deref() == Some(name));
    match (matching.next(), matching.next()) {
        (Some((_, value)), None) => {
            let value = value.as_deref().ok_or_else(|| wrong("has a value that is not UTF-8"))?;
            Ok((value != NULL).then(|| value.to_owned()))
        }
        (None, _) => Err(wrong("is in no folder name of its path")),
        (Some(_), Some(_)) => Err(wrong("is in two folder names of its path")),
    }
}

/// The name of the folder of rows with this value.
pub(crate) fn folder_name(name: &str, value: Option<&str>) -> String {
    format!("{}={}", encode(name), value.map_or_else(|| NULL.to_owned(), encode))
}

/// Escapes everything but the characters that all file systems take.
fn encode(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let escaped = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(escaped).collect()
}

/// Decodes the escapes of characters that folder names cannot contain.
fn decode(text: &str) -> Option<String> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = (*byte == b'%').then(|| digit(bytes.get(at + 1)).zip(digit(bytes.get(at + 2)))).flatten();
        match escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, names: &[&str]) -> Result<Vec<Option<String>>, SourceError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = Partitions::of(&[PathBuf::from(path)], &names, Path::new("/data/year=1"))?;
        Ok(found.values(0).to_vec())
    }

    #[test]
    fn values_are_read_from_folder_names() {
        let text = |text: &str| Some(text.to_owned());
        let path = "/data/year=1/visits/year=2024/region=a%2Fb%20%C3%A4%zz=/x=1.parquet";
        assert_eq!(of(path, &["region", "year"]).unwrap(), [text("a/b ä%zz="), text("2024")]);
        assert_eq!(of(&format!("v/region={NULL}/f"), &["region"]).unwrap(), [None]);
        assert_eq!(of("v/region=/my%20name=1/f", &["region", "my name"]).unwrap(), [text(""), text("1")]);
        let written = format!("v/{}/{}/f", folder_name("a=b", Some("1/2 ä%")), folder_name("c", None));
        assert_eq!(of(&written, &["a=b", "c"]).unwrap(), [text("1/2 ä%"), None]);
        let problem = |path: &str, name| match of(path, &[name]) {
            Err(SourceError::Partition { path: found, column, problem }) => {
                assert_eq!((found.as_path(), column.as_str()), (Path::new(path), name));
                problem
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(problem(path, "x"), "is in no folder name of its path", "a file is no folder");
        assert_eq!(problem("v/region=1/region=1/f", "region"), "is in two folder names of its path");
        assert_eq!(problem("v/region=%ff/f", "region"), "has a value that is not UTF-8");
    }
}
