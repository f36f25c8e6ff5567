//! Location and format of rows.

use super::{Compression, CsvOptions, EngineKind};
use std::borrow::Cow;
use std::path::Path;

/// Location and format of a table's rows. The path is unchanged: it is relative to the folder of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The name of the table in SQL: lower-case ASCII letters, digits and `_`, not beginning with a digit.
    pub table: String,
    /// A file, folder or glob, as written; or a table or view of a database or an engine, `clinic.visits`; not empty.
    pub path: String,
    /// The declared version, a public fact; one line, not empty.
    pub version: String,
    /// The format of the rows.
    pub format: Format,
    /// The declared columns whose values are in folder names, `year=2024/`, outermost first; only for Parquet.
    pub partitions: Vec<String>,
    /// A public guess at the number of rows, for estimating errors before any data is read; main table only.
    pub typical_rows: Option<u64>,
}

/// Format of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Delimited text.
    Csv(CsvOptions),
    /// Apache Parquet.
    Parquet,
    /// A table or view of PostgreSQL.
    Postgres {
        /// The environment variable with the database's address, `env:CLINIC_PG`. The address itself may contain a
        /// password.
        connect: String,
    },
    /// A table of an external engine. The rows stay there.
    Engine {
        /// The kind of engine.
        kind: EngineKind,
        /// The environment variable with the engine's address, as for PostgreSQL.
        connect: String,
    },
}

impl Data {
    /// Replaces the path, and sets the compression that its extension implies. Rows of a database or an engine may also
    /// be in a Parquet file, to which they are pulled.
    ///
    /// # Errors
    /// The format that the extension implies, `CSV` or `Parquet`, if it is not this data's; `no Parquet` for rows of a
    /// database or an engine.
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

/// The format that a path's extension implies, `csv`, `tsv` or `parquet`, and the compression.
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

/// The scheme of a URL: the part before `://`, if it is a valid scheme. `./s3://a` is a path.
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

/// A path that is safe to show. A URL may contain keys before an `@` and signatures after a `?`: only its scheme is
/// shown then.
#[must_use]
pub fn without_credentials(path: &str) -> Cow<'_, str> {
    match url_scheme(path) {
        Some(scheme) if path.contains(['@', '?', '#']) => format!("{scheme}://...").into(),
        Some(_) | None => path.into(),
    }
}
