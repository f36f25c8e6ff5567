//! Assessments of anonymised tables.

use crate::call::Call;
use crate::failure::{raised, usage};
use crate::interpreter::detached;
use crate::number::Number;
use crate::rows::{all_owned, taken};
use deniable::assess::{EmptyCells, Error, OptionError, Options, Quote, Step, Table, assess as assessment, page};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The keyword arguments of Python's `assess`. A table is a path, or rows in memory.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Arguments<'py> {
    table: Bound<'py, PyAny>,
    background: Bound<'py, PyAny>,
    original: Bound<'py, PyAny>,
    auxiliary: Bound<'py, PyAny>,
    quasi: Vec<String>,
    sensitive: Vec<String>,
    hierarchy: Vec<(String, PathBuf)>,
    distance: Vec<(String, String)>,
    literal: Vec<String>,
    empty: String,
    nulls: Vec<String>,
    quote: String,
    accept: Vec<String>,
    prior: Option<String>,
    threshold: Option<Number>,
    recursive: Vec<u64>,
    require: Option<String>,
}

/// A file, or a copy of rows in memory; `None` for Python's `None`.
fn table(rows: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Table>> {
    let py = rows.py();
    if rows.is_none() {
        return Ok(None);
    }
    if let Ok(path) = rows.extract::<PathBuf>() {
        return Ok(Some(Table::File(path)));
    }
    let rows = taken(rows, &format!("`{name}`"))?;
    let rows = detached(py, || all_owned(rows)).map_err(|error| raised(py, &error.in_table(name)))?;
    Ok(Some(Table::Memory { name: name.to_owned(), rows }))
}

fn options(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<Options> {
    let wrong = |option: &str, value: &str, help: &str| usage(py, format!("{option}={value:?} is unknown"), help);
    let Some(published) = table(&arguments.table, "published table")? else {
        return Err(usage(py, "there is no table to assess", "give a file or a data frame"));
    };
    let level = |l: &u64| u32::try_from(*l).map_err(|_| raised(py, &Error::from(OptionError::Recursive(*l))));
    let recursive = arguments.recursive.iter().map(level).collect::<PyResult<Vec<u32>>>()?;
    let default = Options::of_table(published);
    Ok(Options {
        background: table(&arguments.background, "background")?,
        original: table(&arguments.original, "original")?,
        auxiliary: table(&arguments.auxiliary, "auxiliary")?,
        empty: match arguments.empty.as_str() {
            "refuse" => EmptyCells::Refuse,
            "suppressed" => EmptyCells::Suppressed,
            "value" => EmptyCells::Value,
            other => return Err(wrong("empty", other, "write empty=\"refuse\", \"suppressed\" or \"value\"")),
        },
        quote: match arguments.quote.as_str() {
            "double" => Quote::Double,
            "none" => Quote::None,
            other => return Err(wrong("quote", other, "write quote=\"double\" or \"none\"")),
        },
        quasi: arguments.quasi,
        sensitive: arguments.sensitive,
        hierarchy: arguments.hierarchy,
        distance: arguments.distance,
        literal: arguments.literal,
        nulls: arguments.nulls,
        accept: arguments.accept,
        prior: arguments.prior,
        threshold: arguments.threshold.map_or_else(|| default.threshold.clone(), |number| number.0),
        recursive: if recursive.is_empty() { default.recursive.clone() } else { recursive },
        require: arguments.require,
        ..default
    })
}

/// Assesses a table. Returns the text, the JSON, the page, possible mistakes in the tables, and `1` if every demand is
/// met.
#[pyfunction]
pub fn assess(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<Call> {
    let options = options(py, arguments)?;
    Call::begin(move |telling| {
        let found = assessment(&options, &|step| match step {
            Step::Reading(table, read) => telling.at(&format!("reading {table}"), read.rows, read.bytes, read.size),
            Step::Computing => telling.at("computing", 0, None, None),
        })?;
        for warning in &found.warnings {
            telling.keep("told", warning.text(deniable::Surface::Python));
        }
        let holds = if found.holds() { "1" } else { "" };
        Ok::<_, Error>(vec![found.to_string(), deniable::json(&found), page(&found), holds.to_owned()])
    })
}
