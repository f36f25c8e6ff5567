//! Translations of promises.

use crate::call::Call;
use deniable::translate::{Options, but_for_a_chance, translate as translated};
use pyo3::prelude::*;

/// Translates a promise, or the composition of several, to these notions, or to all if none is given.
/// Promises that hold but for a chance have bounds of their own.
#[pyfunction]
pub fn translate(
    from: Vec<String>,
    to: Vec<String>,
    prior: Option<String>,
    compose: bool,
    chance: Option<String>,
) -> PyResult<Call> {
    let options = Options { from, to, prior, compose, chance };
    if options.is_about_a_chance() {
        return Call::report(move || but_for_a_chance(&options));
    }
    Call::report(move || translated(&options))
}
