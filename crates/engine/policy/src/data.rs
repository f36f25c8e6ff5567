//! `[data]`: the location and format of the rows.

use crate::csv::{self};
use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section, all, did_you_mean, shown};
use crate::relation;
use crate::typical;
use deniable_core::schema::{Column, ColumnType, Compression, CsvOptions, Data, Format, ending};
use std::collections::BTreeSet;

/// The names of one table's parts in messages.
pub(crate) struct Names {
    /// `data`, or `tables.NAME`.
    pub(crate) table: String,
    /// `columns`, or `tables.NAME.columns`.
    pub(crate) columns: String,
}

impl Names {
    pub(crate) fn main() -> Self {
        Self { table: "data".to_owned(), columns: "columns".to_owned() }
    }

    /// `name` must be safe to show.
    pub(crate) fn of(name: &str) -> Self {
        Self { table: format!("tables.{name}"), columns: format!("tables.{name}.columns") }
    }

    pub(crate) fn csv(&self) -> String {
        format!("{}.csv", self.table)
    }
}

pub(crate) const KEYS: [&str; 13] = [
    "table",
    "path",
    "version",
    "period",
    "rows",
    "new_entities_only",
    "format",
    "csv",
    "partitions",
    "typical_rows",
    "relation",
    "connect",
    "engine",
];

/// Reads `[data]`.
pub(crate) fn read(field: &Field<'_>) -> ReadResult<Data> {
    let section = field.section("[data]", &KEYS)?;
    let table = section.need("table", "add `table = \"visits\"`").and_then(|field| {
        let name = field.text()?;
        if is_table_name(name) { Ok(name.to_owned()) } else { Err(field.bad_text(not_plain(name), TABLE_NAME_HELP)) }
    });
    let typical_rows = section.optional("typical_rows", typical::read_count);
    let data = read_source(&section, &Names::main(), String::new())?;
    Ok(Data { table: table?, typical_rows: typical_rows?, ..data })
}

/// Reads the location of a table's rows. `section` is open, `table` is its name in SQL.
pub(crate) fn read_source(section: &Section<'_>, names: &Names, table: String) -> ReadResult<Data> {
    if let Some(held) = relation::held(section)? {
        return relation::read(section, held, table);
    }
    relation::refuse_all(section)?;
    let version =
        section.need("version", "add `version = \"2024-06\"`").and_then(|field| field.line().map(str::to_owned));
    let partitions = section.optional("partitions", |field| partition_names(field));
    let path = section.need("path", "add `path = \"visits.csv\"`").and_then(|field| path_text(&field));
    // Without a path the format is unknown, and so is the meaning of [data.csv].
    let path = path?;
    let format = read_format(section, names, path)?;
    let partitions = partitions?.unwrap_or_default();
    if matches!(format, Format::Csv(_)) && !partitions.is_empty() {
        let kind = PolicyErrorKind::Misplaced { key: "partitions", when: "when the data is not Parquet" };
        let help = "remove it; a value that is only in a folder's name cannot be read for CSV";
        return Err(section.report.fail(&section.key_of("partitions"), kind, help));
    }
    Ok(Data { table, path: path.to_owned(), version: version?, format, partitions, typical_rows: None })
}

/// Whether a name can be used in SQL without quotes.
pub(crate) fn is_table_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(allowed) && !name.starts_with(|c: char| c.is_ascii_digit())
}

pub(crate) fn not_plain(name: &str) -> String {
    format!("= \"{}\" is not a plain name", shown(name))
}

pub(crate) const TABLE_NAME_HELP: &str =
    "use lower-case letters a-z, digits and _, beginning with a letter: it is the table's name in SQL";

/// A path with at least one character that is not a space; spaces may be part of it.
pub(crate) fn path_text<'a>(field: &Field<'a>) -> ReadResult<&'a str> {
    let path = field.text()?;
    if path.trim().is_empty() || path.contains('\0') {
        return Err(field.bad_text("does not name a file", ""));
    }
    Ok(path)
}

fn read_format(section: &Section<'_>, names: &Names, path: &str) -> ReadResult<Format> {
    let (by_path, compression) = ending(path);
    let stated = section.optional("format", |field| match field.text()? {
        "csv" => Ok("csv"),
        "parquet" => Ok("parquet"),
        other => Err(field.bad_text(
            format!("= \"{}\" is not known", shown(other)),
            did_you_mean(other, &["csv", "parquet", relation::POSTGRES]),
        )),
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
                "the format does not follow from the path: add `format = \"csv\"` or `format = \"parquet\"`",
            ));
        }
    };
    match (parquet, section.get("csv")?) {
        (true, Some(field)) => {
            let kind = PolicyErrorKind::Misplaced { key: "csv", when: "when the data is Parquet" };
            Err(section.report.fail(&field.key_span, kind, format!("remove [{}]", names.csv())))
        }
        (true, None) if compression.is_some() => {
            let kind = PolicyErrorKind::Text {
                key: "path".to_owned(),
                problem: "names Parquet inside a compressed file".to_owned(),
            };
            let help = "unpack the file: Parquet is compressed within, and read in pieces";
            Err(section.report.fail(&section.place_of("path"), kind, help))
        }
        (true, None) => Ok(Format::Parquet),
        (false, csv) => {
            let mut options = CsvOptions::with_delimiter(if by_path == Some("tsv") { b'\t' } else { b',' });
            options.compression = compression.unwrap_or(Compression::None);
            if let Some(field) = csv {
                csv::read(&field, &names.csv(), &mut options)?;
            }
            Ok(Format::Csv(options))
        }
    }
}

fn partition_names(field: &Field<'_>) -> ReadResult<Vec<String>> {
    let entries = field.list("a list of column names")?;
    if entries.is_empty() {
        let kind = PolicyErrorKind::EmptyList { key: field.key.clone() };
        let help = "name the columns whose values are in folder names, outermost first, or remove it";
        return Err(field.fail(kind, help));
    }
    let mut seen = BTreeSet::new();
    all(entries.iter().map(|entry| {
        let name = entry.text()?;
        if !seen.insert(name) {
            let kind = PolicyErrorKind::Repeated { what: format!("column `{}`", shown(name)) };
            return Err(entry.fail(kind, "remove it"));
        }
        Ok(name.to_owned())
    }))
}

/// Validates `partitions` once the columns are known: each must be one whose values can be folder names.
pub(crate) fn check_partitions(section: &Section<'_>, names: &Names, columns: &[Column]) -> ReadResult<()> {
    let Some(field) = section.get("partitions")? else { return Ok(()) };
    all(field.list("a list of column names")?.iter().map(|entry| {
        let name = entry.text()?;
        let column = find_column(entry, name, columns, names)?;
        match column.kind {
            ColumnType::Integer | ColumnType::Text | ColumnType::Boolean => Ok(()),
            ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp => {
                let help = "declare the column as `type = \"text\"`, as its folders' names are texts";
                Err(entry.bad_text("names a column that is neither integer, text nor boolean", help))
            }
        }
    }))?;
    Ok(())
}

/// The declared column with this name.
pub(crate) fn find_column<'c>(
    field: &Field<'_>,
    name: &str,
    columns: &'c [Column],
    names: &Names,
) -> ReadResult<&'c Column> {
    columns.iter().find(|column| column.name == name).ok_or_else(|| {
        let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let kind = PolicyErrorKind::NoColumn { column: shown(name), list: format!("[{}]", names.columns) };
        let help = if known.is_empty() {
            format!("add `[{}.{}]`", names.columns, shown(name))
        } else {
            did_you_mean(name, &known)
        };
        field.fail(kind, help)
    })
}
