//! Codebooks: public descriptions of the columns of a table, one per line.
//!
//! Two forms are read: a table of `name`, `type`, `codes`, `labels`, `bounds` and `step`, and the data dictionaries of
//! REDCap. A codebook is public, so messages quote it, with line and column.

mod cells;

use super::DraftError;
use cells::{CellFault, Cells};
use csv::{ReaderBuilder, StringRecord, StringRecordsIntoIter};
use deniable_core::diagnostic::{Code, Diagnostic};
use deniable_core::schema::ColumnType;
use deniable_core::text::shown;
use deniable_data::broken_quotes;
use deniable_policy::ColumnNotes;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

/// Most bytes of a codebook.
const MOST_BYTES: u64 = 16 << 20;
const MOST_COMPLAINTS: usize = 20;
/// Delimiters to try, in this order, until the first line has a column of names.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
const HEADER: &str = "the first line names the columns: `name` (or `variable`), and any of type, codes, labels, bounds, step and \
                      description; a data dictionary of REDCap is read as it is exported";

/// Meaning of a codebook's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Name,
    About,
    Type,
    Validation,
    Codes,
    Labels,
    /// Codes with their labels, as REDCap has them.
    Choices,
    Bounds,
    Low,
    High,
    Step,
}

impl Head {
    /// The meaning of a header; `None` for columns that are not used.
    fn named(name: &str) -> Option<Self> {
        let name = name.trim_start_matches('\u{feff}').trim().to_lowercase().replace('_', " ");
        Some(match name.as_str() {
            "name" | "variable" | "variable name" | "column" | "field name" | "variable / field name" => Self::Name,
            "label" | "description" | "field label" => Self::About,
            "type" | "field type" => Self::Type,
            "text validation type or show slider number" => Self::Validation,
            "codes" | "values" => Self::Codes,
            "labels" | "value labels" => Self::Labels,
            "choices, calculations, or slider labels" | "select choices or calculations" => Self::Choices,
            "bounds" | "range" => Self::Bounds,
            "text validation min" | "min" => Self::Low,
            "text validation max" | "max" => Self::High,
            "step" => Self::Step,
            _ => return None,
        })
    }
}

/// A codebook's entry on one column.
#[derive(Debug)]
pub(super) struct Entry {
    /// The column.
    pub name: String,
    /// The line of the codebook on which it begins.
    pub line: u64,
    /// The notes for the policy.
    pub described: ColumnNotes,
    /// The codebook's type, if the data have another.
    pub contradicted: Option<ColumnType>,
}

/// Reads a codebook. Types that are `known` from the data take precedence, and keys and bounds are parsed by them.
pub(super) fn read(path: &Path, known: &BTreeMap<&str, ColumnType>) -> Result<Vec<Entry>, DraftError> {
    let text = text(path)?;
    let delimiter = DELIMITERS.into_iter().find(|delimiter| {
        let first = records(&text, *delimiter).next();
        first.and_then(Result::ok).is_some_and(|first| first.iter().any(|name| Head::named(name) == Some(Head::Name)))
    });
    let delimiter = delimiter.unwrap_or(b',');
    if let Some((line, fault)) = broken_quotes(text.as_bytes(), delimiter, b'"') {
        let what = format!("{}:{line}: {fault}", path.display());
        return Err(refused(what, "close the quote; within a quoted cell, write a quote twice"));
    }
    let mut records = records(&text, delimiter);
    let header = records.next().transpose().map_err(|error| broken(path, &error))?.unwrap_or_default();
    let heads = heads(path, &header)?;
    let (mut found, mut complaints): (Vec<Entry>, Vec<Diagnostic>) = Default::default();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for record in records {
        let record = record.map_err(|error| broken(path, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells = Cells::new(&heads, &record);
        if cells.are_empty() {
            continue;
        }
        match cells.entries(line, known) {
            Ok(entries) => {
                for entry in entries {
                    match lines.insert(entry.name.clone(), line) {
                        Some(earlier) => {
                            let problem = format!("`{}` is already described on line {earlier}", shown(&entry.name));
                            let wrong = CellFault { head: Head::Name, problem, help: "remove one of them".to_owned() };
                            complaints.push(complaint(path, line, &header, &heads, wrong));
                        }
                        None => found.push(entry),
                    }
                }
            }
            Err(wrong) => complaints.push(complaint(path, line, &header, &heads, wrong)),
        }
        if complaints.len() == MOST_COMPLAINTS {
            break;
        }
    }
    if complaints.is_empty() { Ok(found) } else { Err(DraftError::Codebook(complaints)) }
}

fn refused(message: impl Display, help: impl Display) -> DraftError {
    DraftError::Codebook(vec![Diagnostic::new(Code::Other, message).with_help(help)])
}

fn records(text: &str, delimiter: u8) -> StringRecordsIntoIter<&[u8]> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes())
        .into_records()
}

fn text(path: &Path) -> Result<String, DraftError> {
    let unreadable = |error: &dyn Display| {
        let help = "name a CSV file in UTF-8 with one line per column; `deniable init --help` describes its format";
        refused(format!("the codebook {} cannot be read: {error}", path.display()), help)
    };
    let length = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
    if length > MOST_BYTES {
        return Err(unreadable(&"larger than 16 MiB"));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|_| unreadable(&"not UTF-8"))
}

/// The meaning of each column. A first line without a column of names is not quoted: it may be a row of data.
fn heads(path: &Path, header: &StringRecord) -> Result<Vec<Option<Head>>, DraftError> {
    let heads: Vec<Option<Head>> = header.iter().map(Head::named).collect();
    if !heads.contains(&Some(Head::Name)) {
        return Err(refused(format!("{}:1: the codebook has no column `name`", path.display()), HEADER));
    }
    for (at, head) in heads.iter().enumerate() {
        if let Some(first) = heads.iter().take(at).position(|other| head.is_some() && other == head) {
            let what = format!("{}:1: columns {} and {} have the same meaning", path.display(), first + 1, at + 1);
            return Err(refused(what, "remove or rename one of them"));
        }
    }
    Ok(heads)
}

/// The message of an error in a cell, with line, column and help.
fn complaint(path: &Path, line: u64, header: &StringRecord, heads: &[Option<Head>], wrong: CellFault) -> Diagnostic {
    let CellFault { head, problem, help } = wrong;
    let name = heads.iter().position(|other| *other == Some(head)).and_then(|at| header.get(at));
    let column = name
        .map_or_else(String::new, |name| format!(" column `{}`:", shown(name.trim_start_matches('\u{feff}').trim())));
    Diagnostic::new(Code::Other, format!("{}:{line}:{column} {problem}", path.display())).with_help(help)
}

fn broken(path: &Path, error: &csv::Error) -> DraftError {
    let line = error.position().map_or(1, csv::Position::line);
    refused(format!("{}:{line}: invalid CSV", path.display()), "quote cells that contain commas or line breaks")
}
