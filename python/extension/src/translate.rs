//! Translations of promises.

use crate::call::Call;
use deniable::translate::{Options, translate as translated};
use pyo3::prelude::*;

/// Translates a promise, or the composition of several, to these notions, or to all if none is given.
#[pyfunction]
pub fn translate(from: Vec<String>, to: Vec<String>, prior: Option<String>, compose: bool) -> PyResult<Call> {
    Call::report(move || translated(&Options { from, to, prior, compose }))
}
