//! Finding and opening files and objects.

use crate::connections::Sources;
use crate::error::SourceError;
use crate::object::{self, Object};
use deniable_core::schema::{Compression, Data, Format, is_store, url_scheme, without_credentials};
use globset::GlobBuilder;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// A file of a table: a local file, or an object in a store.
#[derive(Debug, Clone)]
pub(crate) struct DataFile {
    /// Its path; for an object, its URL.
    path: PathBuf,
    object: Option<Arc<dyn Object>>,
}

/// A reader of a file, from its first byte.
pub(crate) type FileReader = Box<dyn Read + Send>;

impl From<PathBuf> for DataFile {
    fn from(path: PathBuf) -> Self {
        Self { path, object: None }
    }
}

impl From<&Path> for DataFile {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl DataFile {
    /// Its path; for an object, its URL.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn object(&self) -> Option<&Arc<dyn Object>> {
        self.object.as_ref()
    }

    /// Opens the file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(&self) -> std::io::Result<FileReader> {
        Ok(match &self.object {
            Some(object) => object.clone().reader(0),
            None => Box::new(File::open(&self.path)?),
        })
    }

    /// Its size in bytes, if known.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.object {
            Some(object) => Some(object.size()),
            None => Some(std::fs::metadata(&self.path).ok()?.len()),
        }
    }

    /// The error for a failed read.
    pub(crate) fn unreadable(&self, error: &std::io::Error) -> SourceError {
        let other = || SourceError::Unreadable { path: self.path.clone(), reason: error.to_string() };
        object::cause(error).unwrap_or_else(other)
    }
}

/// Maximum number of files of one table.
const MOST_FILES: usize = 100_000;

/// The files of a path, a folder or a pattern, or the objects of a URL, sorted by name.
pub(crate) fn locate(
    path: &str,
    format: &Format,
    folder: &Path,
    sources: &Sources,
) -> Result<Vec<DataFile>, SourceError> {
    let extension = match format {
        Format::Csv(options) => match options.compression {
            Compression::None => "CSV",
            Compression::Gzip => "CSV (.csv.gz)",
            Compression::Zstd => "CSV (.csv.zst)",
        },
        Format::Parquet | Format::Postgres { .. } | Format::Engine { .. } => "Parquet",
    };
    if let Some(scheme) = url_scheme(path) {
        if !is_store(scheme) {
            return Err(refused_url(path, scheme));
        }
        let found = sources.find_objects(path, &|key| has_extension(Path::new(key), format))?;
        if found.is_empty() {
            return Err(SourceError::NoFile { path: PathBuf::from(path), extension });
        }
        let file = |object: Arc<dyn Object>| DataFile { path: PathBuf::from(object.url()), object: Some(object) };
        return Ok(found.into_iter().map(file).collect());
    }
    let full = folder.join(path);
    let found = if full.is_file() {
        return Ok(vec![full.into()]);
    } else if full.is_dir() {
        let matches = |file: &Path| has_extension(file, format);
        walk(&full, &matches)?
    } else if path.contains(['*', '?', '[', '{']) {
        glob(path, &full)?
    } else {
        Vec::new()
    };
    if found.is_empty() {
        return Err(SourceError::NoFile { path: full, extension });
    }
    Ok(found.into_iter().map(DataFile::from).collect())
}

/// Whether a file, which may not exist yet, is or would be read as one of a table's local files: it is the declared file,
/// in the declared folder, or has a name of the declared pattern.
#[must_use]
pub fn is_part_of(data: &Data, folder: &Path, file: &Path) -> bool {
    if !matches!(data.format, Format::Csv(_) | Format::Parquet) || url_scheme(&data.path).is_some() {
        return false;
    }
    // Links are resolved as far as the path exists.
    let resolved = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let known = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
        let Some((part, found)) = known else { return path };
        path.strip_prefix(part).map_or(path.clone(), |rest| found.components().chain(rest.components()).collect())
    };
    let (declared, file) = (resolved(&folder.join(&data.path)), resolved(file));
    let matcher = GlobBuilder::new(&declared.to_string_lossy()).literal_separator(true).build();
    file.starts_with(&declared) || matcher.is_ok_and(|pattern| pattern.compile_matcher().is_match(&file))
}

/// The error for a URL that cannot be read.
fn refused_url(path: &str, scheme: &str) -> SourceError {
    let url = without_credentials(path).into_owned();
    let help = if scheme.eq_ignore_ascii_case("file") {
        "write the path without `file://`"
    } else {
        "copy the files into a folder of this machine, and declare that folder as the path"
    };
    SourceError::Url { url, help }
}

/// Whether a file's name has the extension of its format; compressed files have two, as in `visits.csv.gz`.
fn has_extension(file: &Path, format: &Format) -> bool {
    let last = |file: &Path| file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let is_text = |file: &Path| matches!(last(file).as_deref(), Some("csv" | "tsv" | "txt" | "data"));
    let outer = match format {
        Format::Parquet | Format::Postgres { .. } | Format::Engine { .. } => {
            return last(file).as_deref() == Some("parquet");
        }
        Format::Csv(options) => match options.compression {
            Compression::None => return is_text(file),
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
        },
    };
    last(file).as_deref() == Some(outer) && file.file_stem().is_some_and(|inner| is_text(Path::new(inner)))
}

/// The files in a folder and its subfolders, except hidden ones.
fn walk(root: &Path, matches: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, SourceError> {
    // `_x=1` is the folder of a partition, and not hidden.
    let hidden = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name.starts_with('.') || name.starts_with('_') && !name.contains('=')
    };
    let mut found = Vec::new();
    for entry in WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !hidden(entry.file_name()))
    {
        let entry = entry.map_err(|error| SourceError::Unreadable {
            path: error.path().unwrap_or(root).to_owned(),
            reason: error.io_error().map_or_else(|| "a loop of links".to_owned(), ToString::to_string),
        })?;
        if entry.path().is_file() && matches(entry.path()) {
            found.push(entry.into_path());
        }
        if found.len() > MOST_FILES {
            return Err(SourceError::Unreadable {
                path: root.to_owned(),
                reason: format!("there are more than {MOST_FILES} files"),
            });
        }
    }
    Ok(found)
}

/// Files that match a pattern. Only the folder before the first wildcard is walked.
fn glob(pattern: &str, full: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let bad = |error: globset::Error| SourceError::Pattern { pattern: pattern.to_owned(), reason: error.to_string() };
    let text = full.to_string_lossy();
    let matcher = GlobBuilder::new(&text).literal_separator(true).build().map_err(bad)?.compile_matcher();
    let wildcard = |part: &std::path::Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let root: PathBuf = full.components().take_while(|part| !wildcard(part)).collect();
    if !root.is_dir() {
        return Ok(Vec::new());
    }
    walk(&root, &|file| matcher.is_match(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::schema::CsvOptions;

    #[test]
    fn files_folders_and_patterns() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("in")).unwrap();
        for name in ["b.csv", "a.csv", "in/c.csv", "note.md", ".hidden.csv"] {
            std::fs::write(at(name), name).unwrap();
        }
        let csv = Format::Csv(CsvOptions::with_delimiter(b','));
        let names = |path: &str| -> Vec<PathBuf> {
            locate(path, &csv, folder.path(), &Sources::default()).unwrap().into_iter().map(|file| file.path).collect()
        };
        assert_eq!(names("a.csv"), [at("a.csv")]);
        assert_eq!(names("."), [at("./a.csv"), at("./b.csv"), at("./in/c.csv")]);
        assert_eq!(names("*.csv"), [at("a.csv"), at("b.csv")]);
        assert_eq!(names("**/c.csv"), [at("in/c.csv")]);
        assert!(matches!(
            locate("*.parquet", &csv, folder.path(), &Sources::default()),
            Err(SourceError::NoFile { .. })
        ));
        assert!(matches!(
            locate("missing.csv", &csv, folder.path(), &Sources::default()),
            Err(SourceError::NoFile { .. })
        ));
        assert!(matches!(locate("[", &csv, folder.path(), &Sources::default()), Err(SourceError::Pattern { .. })));
    }

    #[test]
    fn files_that_a_table_would_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("a.csv"), "a").unwrap();
        let part = |path: &str, file: &str| {
            let format = Format::Csv(CsvOptions::with_delimiter(b','));
            let data = Data {
                table: "t".to_owned(),
                path: path.to_owned(),
                version: "1".to_owned(),
                format,
                partitions: Vec::new(),
                typical_rows: None,
            };
            is_part_of(&data, folder.path(), &folder.path().join(file))
        };
        assert!(part("a.csv", "a.csv") && part("a.csv", "in/../a.csv") && part("new.csv", "new.csv"));
        assert!(part("in", "in/b.csv") && part("in", "in/deep/b.csv") && part("*.csv", "b.csv"));
        assert!(!part("a.csv", "in/a.csv") && !part("in", "out/b.csv") && !part("*.csv", "in/b.csv"));
        assert!(!part("s3://bucket/a.csv", "a.csv"));
    }

    #[test]
    fn urls_are_rejected_without_their_credentials() {
        let folder = tempfile::tempdir().unwrap();
        let csv = Format::Csv(CsvOptions::with_delimiter(b','));
        // The path that a URL would name if it were taken for a path.
        std::fs::create_dir_all(folder.path().join("s3:/bucket")).unwrap();
        std::fs::write(folder.path().join("s3:/bucket/a.csv"), "a").unwrap();
        let refused = |path: &str| match locate(path, &csv, folder.path(), &Sources::default()) {
            Err(SourceError::Url { url, help }) => (url, help),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(refused("s3://bucket/a.csv").0, "s3://bucket/a.csv");
        assert_eq!(refused("s3://bucket/*.csv").0, "s3://bucket/*.csv");
        assert!(refused("gs://bucket/a.csv").1.contains("--features objects"));
        assert!(refused("hdfs://host/a.csv").1.starts_with("copy"));
        assert_eq!(refused("File:///a.csv").1, "write the path without `file://`");
        assert_eq!(refused("https://a.example/a.csv?sig=se/cret@x").0, "https://...");
        assert_eq!(refused("s3://key:se/cret@bucket/a.csv").0, "s3://...");
        assert_eq!(locate("./s3://bucket/a.csv", &csv, folder.path(), &Sources::default()).unwrap().len(), 1);
        for path in ["://a.csv", "3s://a.csv", "a b://a.csv"] {
            assert!(
                matches!(locate(path, &csv, folder.path(), &Sources::default()), Err(SourceError::NoFile { .. })),
                "{path}"
            );
        }
    }
}
