//! Translations of promises.

use crate::call::Call;
use deniable::translate::{Options, translate as translated};
use pyo3::prelude::*;

/// Translates a promise, or several that are composed, to these notions, or to all where there are none.
#[pyfunction]
pub fn translate(from: Vec<String>, to: Vec<String>, prior: Option<String>, compose: bool) -> PyResult<Call> {
    Call::report(move || translated(&Options { from, to, prior, compose }))
}
