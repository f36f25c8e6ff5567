//! `[data.csv]`: the reading of delimited text.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section, all, did_you_mean, shown};
use deniable_core::schema::{Compression, CsvOptions};

pub(crate) const KEYS: [&str; 9] =
    ["header", "delimiter", "quote", "decimal", "encoding", "compression", "trim", "nulls", "columns"];

/// Reads the stated options into the defaults. `name` is the table's: `data.csv`.
pub(crate) fn read(field: &Field<'_>, name: &str, options: &mut CsvOptions) -> ReadResult<()> {
    let section = field.section(&format!("[{name}]"), &KEYS)?;
    let separators = read_separators(&section, options);
    let encoding = section.optional("encoding", encoding);
    let compression = section.optional("compression", compression);
    let trim = section.optional("trim", Field::boolean);
    let nulls = section.optional("nulls", |field| {
        all(field.list("a list of texts")?.iter().map(|entry| entry.text().map(str::to_owned)))
    });
    options.columns = read_columns(&section)?;
    separators?;
    options.encoding = encoding?.unwrap_or_else(|| options.encoding.clone());
    options.compression = compression?.unwrap_or(options.compression);
    options.trim = trim?.unwrap_or(options.trim);
    if let Some(nulls) = nulls? {
        options.nulls = nulls;
    }
    Ok(())
}

/// Reads the characters with a meaning, which must all differ.
fn read_separators(section: &Section<'_>, options: &mut CsvOptions) -> ReadResult<()> {
    let delimiter = section.optional("delimiter", delimiter);
    let quote = section.optional("quote", quote);
    let comma = section.optional("decimal", decimal_comma);
    options.delimiter = delimiter?.unwrap_or(options.delimiter);
    options.quote = quote?.unwrap_or(options.quote);
    options.decimal_comma = comma?.unwrap_or(options.decimal_comma);
    let clash = |key, problem: &str, help: &str| {
        let kind = PolicyErrorKind::Text { key: String::from(key), problem: problem.to_owned() };
        Err(section.report.fail(&section.place_of(key), kind, help))
    };
    if options.quote == Some(options.delimiter) {
        return clash(
            "quote",
            "is the delimiter too",
            "look into the file, and write the character between two fields",
        );
    }
    if options.decimal_comma && options.delimiter == b',' {
        return clash("decimal", "is the delimiter too", "add the delimiter of the file, such as `delimiter = \";\"`");
    }
    Ok(())
}

/// One byte that is its own character: ASCII, and not a line break.
fn character(field: &Field<'_>) -> ReadResult<Option<u8>> {
    match field.text()?.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => Ok(Some(*byte)),
        _ => Ok(None),
    }
}

fn delimiter(field: &Field<'_>) -> ReadResult<u8> {
    character(field)?.filter(|byte| *byte != b'"').ok_or_else(|| {
        field.bad_text(
            "must be one ASCII character other than a quote or a line break",
            "write \",\", \";\", \"|\" or \"\\t\"",
        )
    })
}

fn quote(field: &Field<'_>) -> ReadResult<Option<u8>> {
    if field.text()? == "none" {
        return Ok(None);
    }
    character(field)?.map(Some).ok_or_else(|| {
        let help = "write \"'\", or \"none\" for files that are written without quoting, or leave it out for \"";
        field.bad_text("must be one ASCII character other than a line break, or \"none\"", help)
    })
}

fn decimal_comma(field: &Field<'_>) -> ReadResult<bool> {
    match field.text()? {
        "." => Ok(false),
        "," => Ok(true),
        _ => {
            let help = "write the character between the whole part and the fraction of a number";
            Err(field.bad_text("must be \".\" or \",\"", help))
        }
    }
}

/// The standard name of an encoding, such as `windows-1252`, from any of its labels; `None` for unknown ones.
#[must_use]
pub fn encoding_named(label: &str) -> Option<String> {
    encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).map(|encoding| encoding.name().to_owned())
}

fn encoding(field: &Field<'_>) -> ReadResult<String> {
    let label = field.text()?;
    // Some labels mean "cannot be decoded safely"; they would turn every text into one replacement character.
    encoding_named(label).ok_or_else(|| {
        let help = "write the encoding in which the file was saved, such as \"latin1\", \"windows-1252\" or \
                        \"utf-16le\"; leave it out for UTF-8";
        field.bad_text(format!("= \"{}\" is not known", shown(label)), help)
    })
}

fn compression(field: &Field<'_>) -> ReadResult<Compression> {
    let name = field.text()?;
    Compression::ALL.into_iter().find(|compression| compression.name() == name).ok_or_else(|| {
        let help = did_you_mean(name, &Compression::ALL.map(Compression::name));
        field.bad_text(format!("= \"{}\" is not known", shown(name)), help)
    })
}

fn read_columns(section: &Section<'_>) -> ReadResult<Option<Vec<String>>> {
    let header = section.optional("header", Field::boolean);
    let columns = section.optional("columns", column_names);
    match (header?.unwrap_or(true), columns?) {
        (true, Some(_)) => {
            let kind =
                PolicyErrorKind::Misplaced { key: "columns", when: "when the file's first line names the columns" };
            let help = "add `header = false` if the first line is data; otherwise remove `columns`";
            Err(section.report.fail(&section.place_of("columns"), kind, help))
        }
        (false, None) => Err(section.missing(
            "columns",
            "without a header the columns need names: add `columns = [\"age\", ...]` in file order",
        )),
        (_, columns) => Ok(columns),
    }
}

fn column_names(field: &Field<'_>) -> ReadResult<Vec<String>> {
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
            let kind = PolicyErrorKind::Repeated { what: format!("column `{}`", shown(name)) };
            return Err(entry.fail(kind, "every column needs a name of its own"));
        }
        Ok(name.to_owned())
    }))
}
