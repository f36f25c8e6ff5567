//! Where rows are, and how they are written.

use super::{Compression, CsvOptions, EngineKind};
use std::borrow::Cow;
use std::path::Path;

/// Where the rows are. The path stands as it was written: it is relative to the folder of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The name of the table in SQL: lower-case ASCII letters, digits and `_`, not beginning with a digit.
    pub table: String,
    /// A file, folder or glob, as written; or a table or view of a database or an engine, `clinic.visits`; not empty.
    pub path: String,
    /// The declared version, a public fact; one line, not empty.
    pub version: String,
    /// How the rows are written.
    pub format: Format,
    /// The declared columns whose values stand in folder names, `year=2024/`, outermost first; only for Parquet.
    pub partitions: Vec<String>,
    /// A public guess at the number of rows, from which errors are estimated before anything is read; main table only.
    pub typical_rows: Option<u64>,
}

/// How rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Delimited text.
    Csv(CsvOptions),
    /// Apache Parquet.
    Parquet,
    /// A table or view of PostgreSQL.
    Postgres {
        /// Where its database's address is: a variable of the environment, `env:CLINIC_PG`. The address itself may hold a password.
        connect: String,
    },
    /// What an engine holds. The rows stay there.
    Engine {
        /// Which.
        kind: EngineKind,
        /// Where its address is, as of PostgreSQL's.
        connect: String,
    },
}

impl Data {
    /// Reads the rows from another path: packed as its ending says, where it says so. Rows of a database or an engine may be in a file of Parquet,
    /// too: that is what they are written to when they are pulled.
    ///
    /// # Errors
    /// The path's format, `CSV` or `Parquet`, when its ending tells one that is not this data's; `no Parquet` of rows of a database or an engine.
    pub fn set_path(&mut self, path: String) -> Result<(), &'static str> {
        let (format, compression) = ending(&path);
        match (&mut self.format, format) {
            (Format::Csv(_), Some("parquet")) => return Err("Parquet"),
            (Format::Parquet, Some("csv" | "tsv")) => return Err("CSV"),
            (Format::Csv(options), Some(_)) => options.compression = compression.unwrap_or(Compression::None),
            (Format::Postgres { .. } | Format::Engine { .. }, Some("parquet")) => self.format = Format::Parquet,
            (Format::Postgres { .. } | Format::Engine { .. }, _) => return Err("no Parquet"),
            (Format::Csv(_), None) | (Format::Parquet, _) => {}
        }
        self.path = path;
        Ok(())
    }
}

/// What the end of a path says about the format, `csv`, `tsv` or `parquet`, and about the compression.
#[must_use]
pub fn ending(path: &str) -> (Option<&'static str>, Option<Compression>) {
    let last = |path: &Path| path.extension().and_then(|ending| ending.to_str()).map(str::to_owned);
    let path = Path::new(path);
    let compression = last(path).and_then(|ending| Compression::of_ending(&ending));
    let inner = path.file_stem().map(Path::new).filter(|_| compression.is_some()).unwrap_or(path);
    let format = last(inner)
        .and_then(|ending| ["csv", "tsv", "parquet"].into_iter().find(|known| ending.eq_ignore_ascii_case(known)));
    (format, compression)
}

/// The scheme of a URL: what stands before `://`, where that is a scheme's name. `./s3://a` is a path.
#[must_use]
pub fn url_scheme(path: &str) -> Option<&str> {
    let (scheme, _) = path.split_once("://")?;
    let others = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(others)).then_some(scheme)
}

/// Whether a URL's scheme is that of an object store: S3, Google Cloud Storage or Azure.
#[must_use]
pub fn is_store(scheme: &str) -> bool {
    ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// A path as it may be shown. Of a URL keys stand before an `@`, signatures behind a `?`: where there may be any, its scheme only.
#[must_use]
pub fn without_credentials(path: &str) -> Cow<'_, str> {
    match url_scheme(path) {
        Some(scheme) if path.contains(['@', '?', '#']) => format!("{scheme}://...").into(),
        Some(_) | None => path.into(),
    }
}
