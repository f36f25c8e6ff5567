//! Mechanisms from files: TOML, JSON or CSV, with every probability read exactly.
//!
//! ```toml
//! entities = ["ann", "bob"]      # optional: those that occur, in their order
//! outputs = ["yes", "no"]        # optional too
//!
//! [[dataset]]
//! members = ["ann"]
//! probabilities = { yes = "1/3", no = "2/3" }
//! ```
//!
//! JSON has the same shape, or is a list of `{"dataset": ["ann"], "output": "yes", "probability": "1/3"}`. CSV has the
//! columns `dataset` (members with spaces between them; empty or `{}` for none), `output` and `probability`. Every
//! format is parsed into a list of [`Record`]s, and [`mechanism`] builds a mechanism from them: a new format only needs
//! to produce records.

pub(crate) mod csv;
mod error;
mod json;
mod record;
mod toml;
pub(crate) mod tree;

pub use error::{FileError, FileErrorKind, Place};
pub(crate) use record::Names;
pub use record::{DeclaredNames, Record, mechanism};

use crate::mechanism::model::Mechanism;
use tree::{Node, Section, Shape};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML: tables with keys.
    Toml,
    /// JSON: the same tables, or a list of records.
    Json,
    /// CSV: a table with a header.
    Csv,
}

impl Format {
    /// The format that the extension of a file name indicates.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// Parses a mechanism.
///
/// # Errors
/// When the text is not of its format, or is not a mechanism; the error names the place.
pub fn read(source: &str, format: Format) -> Result<Mechanism, FileError> {
    let (declared, records) = records(source, format)?;
    mechanism(&declared, &records)
}

/// Parses the records of a mechanism, and the names that the file declares.
///
/// # Errors
/// When the text is not of its format, or a value is invalid.
pub fn records(source: &str, format: Format) -> Result<(DeclaredNames, Vec<Record>), FileError> {
    match tree(source, format)? {
        None => Ok((DeclaredNames::default(), csv::records(without_mark(source))?)),
        Some(root) => match &root.shape {
            Shape::List(items) => {
                let records = items.iter().map(single).collect::<Result<_, _>>()?;
                Ok((DeclaredNames::default(), records))
            }
            _ => document(&root),
        },
    }
}

/// The tree of a TOML or JSON file; `None` for CSV.
pub(crate) fn tree(source: &str, format: Format) -> Result<Option<Node>, FileError> {
    let source = without_mark(source);
    if source.trim().is_empty() {
        return Err(FileErrorKind::Empty.anywhere());
    }
    match format {
        Format::Toml => toml::parse(source).map(Some),
        Format::Json => json::parse(source).map(Some),
        Format::Csv => Ok(None),
    }
}

/// Removes the byte-order mark that some editors write.
pub(crate) fn without_mark(source: &str) -> &str {
    source.strip_prefix('\u{feff}').unwrap_or(source)
}

/// The declared names, and the records of all datasets.
fn document(root: &Node) -> Result<(DeclaredNames, Vec<Record>), FileError> {
    let top = root.table("the file", &["entities", "outputs", "dataset"])?;
    let names = |key: &str| top.get(key).map(|node| node.names(key)).transpose();
    let declared = DeclaredNames { entities: names("entities")?, outputs: names("outputs")? };
    let mut records = Vec::new();
    for item in datasets(&top)? {
        let section = item.table("a dataset", &["members", "probabilities"])?;
        let members: Vec<String> =
            section.need("members")?.names("members")?.into_iter().map(|(_, name)| name).collect();
        let chances = chances(&section, || format!("{{{}}}", members.join(", ")))?;
        let record = |(place, output, probability)| Record { place, members: members.clone(), output, probability };
        records.extend(chances.into_iter().map(record));
    }
    Ok((declared, records))
}

/// The list of datasets; a missing list is an empty file.
pub(crate) fn datasets<'a>(top: &Section<'a>) -> Result<&'a [Node], FileError> {
    match top.get("dataset") {
        None => Err(FileErrorKind::Empty.anywhere().hint("add a `[[dataset]]` with its probabilities")),
        Some(node) => node.list("dataset"),
    }
}

/// The probabilities of one dataset, with their places and outputs.
pub(crate) fn chances(
    section: &Section<'_>,
    data: impl Fn() -> String,
) -> Result<Vec<(Place, String, deniable_core::exact::Rational)>, FileError> {
    let members = section.need("probabilities")?.members("probabilities")?;
    if members.is_empty() {
        return Err(FileErrorKind::NoProbabilities { data: data() }.at(section.place));
    }
    let chance = |(output, node): &(String, Node)| {
        Ok((node.place, tree::printable(output, node.place)?, node.number("a probability")?))
    };
    members.iter().map(chance).collect()
}

/// One probability of a list.
fn single(item: &Node) -> Result<Record, FileError> {
    let section = item.table("a record", &["dataset", "output", "probability"])?;
    Ok(Record {
        place: item.place,
        members: section.need("dataset")?.names("dataset")?.into_iter().map(|(_, name)| name).collect(),
        output: section.need("output")?.name("output")?,
        probability: section.need("probability")?.number("probability")?,
    })
}

#[cfg(test)]
mod tests;
