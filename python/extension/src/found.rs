//! The commands that look at something, each on a thread of its own, and the command line.

use crate::call::Call;
use crate::failure::raised;
use crate::rows::{all_owned, taken};
use deniable_cli::calls::{self, CallOutcome};
use deniable_cli::error::Failure;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What a call gives: the text, JSON, and the page or nothing; and whether all that was claimed or demanded holds.
fn begin(find: impl FnOnce() -> Result<CallOutcome, Failure> + Send + 'static) -> PyResult<Call> {
    Call::begin(move |_| {
        let found = find().map_err(|failure| failure.diagnostics().to_vec());
        found.map(|CallOutcome { text, json, page, exit }| {
            vec![text, json, page.unwrap_or_default(), exit.code().to_string()]
        })
    })
}

/// Finds out what an anonymised table gives away; tables that are no files go by the names that stand for them.
#[pyfunction]
pub fn assess(py: Python<'_>, words: Vec<OsString>, tables: Vec<(PathBuf, Bound<'_, PyAny>)>) -> PyResult<Call> {
    let mut given = BTreeMap::new();
    for (name, rows) in tables {
        let shown = name.display().to_string();
        let rows = taken(&rows, &format!("`{shown}`"))?;
        let rows = py.detach(|| all_owned(rows)).map_err(|error| raised(py, &error.in_table(&shown)))?;
        given.insert(name, rows);
    }
    begin(move || calls::assess(&words, &given))
}
