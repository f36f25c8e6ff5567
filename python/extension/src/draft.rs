//! Drafts of policies.

use crate::failure::raised;
use crate::interpreter::detached;
use deniable::draft::{DraftOptions, draft as drafted};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Drafts a policy for files or tables of a database, and writes it to `out` if that is given. Returns its text and notes.
/// No row is read.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them one by one")]
pub fn draft(
    py: Python<'_>,
    data: Vec<PathBuf>,
    out: Option<PathBuf>,
    table: Option<String>,
    delimiter: Option<char>,
    encoding: Option<String>,
    columns: Vec<String>,
    dictionary: Option<PathBuf>,
    connect: Option<String>,
) -> PyResult<(String, Vec<String>)> {
    let options = DraftOptions { data, connect, out, table, delimiter, encoding, columns, dictionary };
    let written = detached(py, || {
        let draft = drafted(&options)?;
        options.out.as_deref().map_or(Ok(()), |out| draft.write(out))?;
        Ok(draft)
    });
    written.map(|draft| (draft.text, draft.notes)).map_err(|error: deniable::draft::DraftError| raised(py, &error))
}
