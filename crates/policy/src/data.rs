//! `[data]`: where the rows are, and how they are written.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, Read, Section, all, did_you_mean, shown};
use std::path::Path;

/// Where the rows are. The path stands as it was written: [`crate::Policy::folder`] is what it is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The name of the table in SQL: lower-case ASCII letters, digits and `_`, not beginning with a digit.
    pub table: String,
    /// A file, folder or glob, as written; not empty.
    pub path: String,
    /// The declared version, a public fact; one line, not empty.
    pub version: String,
    /// How the rows are written.
    pub format: Format,
}

/// How rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Delimited text.
    Csv(CsvOptions),
    /// Apache Parquet.
    Parquet,
}

/// How delimited text is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The delimiter: one ASCII character, no quote or line break.
    pub delimiter: u8,
    /// Whether white space around fields is dropped.
    pub trim: bool,
    /// Texts that mean NULL.
    pub nulls: Vec<String>,
    /// The column names in file order when the file has no header; `None` when its first line names them.
    pub columns: Option<Vec<String>>,
}

impl CsvOptions {
    /// With a header, nothing trimmed, and the empty field as NULL.
    #[must_use]
    pub fn with_delimiter(delimiter: u8) -> Self {
        Self { delimiter, trim: false, nulls: vec![String::new()], columns: None }
    }
}

pub(crate) const KEYS: [&str; 5] = ["table", "path", "version", "format", "csv"];
pub(crate) const CSV_KEYS: [&str; 5] = ["header", "delimiter", "trim", "nulls", "columns"];

pub(crate) fn read(field: &Field<'_>) -> Read<Data> {
    let section = field.section("[data]", &KEYS)?;
    let table = section.need("table", "add `table = \"visits\"`").and_then(|field| table_name(&field));
    let version =
        section.need("version", "add `version = \"2024-06\"`").and_then(|field| field.line().map(str::to_owned));
    let path = section.need("path", "add `path = \"visits.csv\"`").and_then(|field| path_text(&field));
    // Without a path the format cannot be told, so neither can the meaning of [data.csv].
    let path = path?;
    let format = read_format(&section, path);
    Ok(Data { table: table?, path: path.to_owned(), version: version?, format: format? })
}

fn table_name(field: &Field<'_>) -> Read<String> {
    let name = field.text()?;
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(allowed) || name.starts_with(|c: char| c.is_ascii_digit()) {
        let help = "use lower-case letters a-z, digits and _, beginning with a letter: it is the table's name in SQL";
        return Err(field.bad_text(format!("= \"{}\" is not a plain name", shown(name)), help));
    }
    Ok(name.to_owned())
}

/// A path that names something; spaces may be part of it.
pub(crate) fn path_text<'a>(field: &Field<'a>) -> Read<&'a str> {
    let path = field.text()?;
    if path.trim().is_empty() || path.contains('\0') {
        return Err(field.bad_text("names no file", ""));
    }
    Ok(path)
}

/// What the end of a path says about the format: `csv`, `tsv` or `parquet`.
fn extension(path: &str) -> Option<&'static str> {
    let ending = Path::new(path).extension()?.to_str()?;
    ["csv", "tsv", "parquet"].into_iter().find(|known| ending.eq_ignore_ascii_case(known))
}

fn read_format(section: &Section<'_>, path: &str) -> Read<Format> {
    let by_path = extension(path);
    let stated =
        section.optional("format", |field| match field.text()? {
            "csv" => Ok("csv"),
            "parquet" => Ok("parquet"),
            other => Err(field
                .bad_text(format!("= \"{}\" is not known", shown(other)), did_you_mean(other, &["csv", "parquet"]))),
        })?;
    let parquet = match (stated, by_path) {
        (Some("parquet"), Some("csv" | "tsv")) | (Some("csv"), Some("parquet")) => {
            let kind =
                PolicyErrorKind::Text { key: "format".to_owned(), problem: "contradicts the end of `path`".to_owned() };
            return Err(section.report.fail(
                &section.place_of("format"),
                kind,
                "leave `format` out, or correct `path`",
            ));
        }
        (Some(format), _) => format == "parquet",
        (None, Some(ending)) => ending == "parquet",
        (None, None) => {
            return Err(section.missing(
                "format",
                "the path does not tell the format: add `format = \"csv\"` or `format = \"parquet\"`",
            ));
        }
    };
    match (parquet, section.get("csv")?) {
        (true, None) => Ok(Format::Parquet),
        (true, Some(field)) => {
            let kind = PolicyErrorKind::Misplaced { key: "csv", when: "when the data is Parquet" };
            Err(section.report.fail(&field.key_span, kind, "remove [data.csv]"))
        }
        (false, csv) => {
            let mut options = CsvOptions::with_delimiter(if by_path == Some("tsv") { b'\t' } else { b',' });
            if let Some(field) = csv {
                read_csv(&field, &mut options)?;
            }
            Ok(Format::Csv(options))
        }
    }
}

fn read_csv(field: &Field<'_>, options: &mut CsvOptions) -> Read<()> {
    let section = field.section("[data.csv]", &CSV_KEYS)?;
    let header = section.optional("header", Field::boolean);
    let delimiter = section.optional("delimiter", delimiter);
    let trim = section.optional("trim", Field::boolean);
    let nulls = section.optional("nulls", |field| {
        all(field.list("a list of texts")?.iter().map(|entry| entry.text().map(str::to_owned)))
    });
    let columns = section.optional("columns", column_names);
    let header = header?.unwrap_or(true);
    options.columns = match (header, columns?) {
        (true, Some(_)) => {
            let kind =
                PolicyErrorKind::Misplaced { key: "columns", when: "when the file's first line names the columns" };
            let help = "add `header = false` if the first line is data; otherwise remove `columns`";
            return Err(section.report.fail(&section.place_of("columns"), kind, help));
        }
        (false, None) => {
            return Err(section.missing(
                "columns",
                "without a header the columns need names: add `columns = [\"age\", ...]` in file order",
            ));
        }
        (_, columns) => columns,
    };
    options.delimiter = delimiter?.unwrap_or(options.delimiter);
    options.trim = trim?.unwrap_or(options.trim);
    if let Some(nulls) = nulls? {
        options.nulls = nulls;
    }
    Ok(())
}

fn delimiter(field: &Field<'_>) -> Read<u8> {
    match field.text()?.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err(field.bad_text(
            "must be one ASCII character other than a quote or a line break",
            "write \",\", \";\", \"|\" or \"\\t\"",
        )),
    }
}

fn column_names(field: &Field<'_>) -> Read<Vec<String>> {
    let entries = field.list("a list of column names")?;
    if entries.is_empty() {
        return Err(
            field.fail(PolicyErrorKind::EmptyList { key: field.key.clone() }, "name every column, in file order")
        );
    }
    let mut seen = std::collections::BTreeSet::new();
    all(entries.iter().map(|entry| {
        let name = entry.text()?;
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(entry.bad_text("has an empty name, or one with control characters", ""));
        }
        if !seen.insert(name) {
            let kind = PolicyErrorKind::Repeated { what: format!("the column `{}`", shown(name)) };
            return Err(entry.fail(kind, "every column needs a name of its own"));
        }
        Ok(name.to_owned())
    }))
}
