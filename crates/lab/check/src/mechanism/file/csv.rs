//! CSV with the columns `dataset`, `output` and `probability`.

use super::error::{FileError, FileErrorKind, Place};
use super::record::Record;
use super::tree::printable;
use deniable_core::exact::{Rational, parse_rational};
use deniable_core::text::{did_you_mean, shown};

/// The columns, in any order.
const COLUMNS: [&str; 3] = ["dataset", "output", "probability"];

/// A header and the rows below it, each with its line.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<(Place, Vec<String>)>,
}

/// Parses a whole sheet; every row must be as long as the header.
pub(crate) fn sheet(source: &str) -> Result<Sheet, FileError> {
    let mut reader = reader(source);
    let header = header_of(&mut reader)?;
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| syntax(&error))?;
        let line = row.position().map_or(1, ::csv::Position::line);
        rows.push((Place::Line(line as usize), row.iter().map(str::to_owned).collect()));
    }
    Ok(Sheet { header, rows })
}

type Reader<'a> = ::csv::Reader<&'a [u8]>;

fn reader(source: &str) -> Reader<'_> {
    ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(source.as_bytes())
}

pub(crate) fn header(source: &str) -> Result<Vec<String>, FileError> {
    header_of(&mut reader(source))
}

fn header_of(reader: &mut Reader<'_>) -> Result<Vec<String>, FileError> {
    let header: Vec<String> = reader.headers().map_err(|error| syntax(&error))?.iter().map(str::to_owned).collect();
    if header.iter().all(String::is_empty) {
        return Err(FileErrorKind::Empty.anywhere());
    }
    if let Some((_, key)) = header.iter().enumerate().find(|(at, key)| header[..*at].contains(key)) {
        return Err(FileErrorKind::RepeatedKey { key: key.clone() }.at(Place::Line(1)));
    }
    Ok(header)
}

fn syntax(error: &::csv::Error) -> FileError {
    let line = error.position().map_or(1, ::csv::Position::line) as usize;
    let message = match error.kind() {
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this row has {len} fields, but the header has {expected_len}")
        }
        _ => error.to_string(),
    };
    FileErrorKind::Syntax { format: "CSV", message }.at(Place::Line(line))
}

/// The position of a required column.
pub(crate) fn column(header: &[String], key: &'static str) -> Result<usize, FileError> {
    let missing = || {
        let error = FileErrorKind::MissingKey { key, section: "the header" }.at(Place::Line(1));
        // A single field that contains another delimiter is a row of several fields.
        let delimiter = [(';', "`;`"), ('\t', "a tab"), ('|', "`|`")].into_iter();
        let other = delimiter.filter(|(sign, _)| header.len() == 1 && header[0].contains(*sign)).map(|(_, name)| name);
        match other.into_iter().next() {
            Some(name) => error.hint(format!("the delimiter looks like {name}: write commas")),
            None => error.hint(format!(
                "the columns here are {}",
                header.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
            )),
        }
    };
    header.iter().position(|name| name == key).ok_or_else(missing)
}

/// The probability in a field.
pub(crate) fn probability(text: &str, place: Place) -> Result<Rational, FileError> {
    parse_rational(text).map_err(|error| FileErrorKind::from(error).at(place))
}

pub(super) fn records(source: &str) -> Result<Vec<Record>, FileError> {
    let Sheet { header, rows } = sheet(source)?;
    if let Some(key) = header.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        let kind = FileErrorKind::UnknownKey { key: key.clone(), section: "the header" };
        return Err(kind.at(Place::Line(1)).hint(did_you_mean(key, COLUMNS)));
    }
    let [dataset, output, chance] = COLUMNS;
    let [dataset, output, chance] = [column(&header, dataset)?, column(&header, output)?, column(&header, chance)?];
    rows.into_iter().map(|(place, row)| record(place, &row[dataset], &row[output], &row[chance])).collect()
}

/// Parses one row: members with spaces between them, or `{}`; the output; its probability.
pub(crate) fn record(place: Place, dataset: &str, output: &str, chance: &str) -> Result<Record, FileError> {
    let members = if dataset == "{}" { "" } else { dataset };
    Ok(Record {
        place,
        members: members.split_whitespace().map(|name| printable(name, place)).collect::<Result<_, _>>()?,
        output: printable(output, place)?,
        probability: probability(chance, place)?,
    })
}
