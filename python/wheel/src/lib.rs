//! The module `deniable._deniable`: the functions of `deniable-python`, and the command `deniable`, linked together so that the wheel contains the
//! library once.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line with these arguments, the program's name first, on the process's own standard output and error. Returns the exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    deniable_python::detached(py, || deniable_cli::main(&words)).code()
}

/// The module.
#[pymodule]
mod _deniable {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use super::command;
    #[pymodule_export]
    use deniable_python::functions::{assess, audit, check, draft, forked, gwas, interpreter_ends, translate};
    #[pymodule_export]
    use deniable_python::{Call, Findings, Policy, QueryPlan, Rows, Session};
    #[pymodule_export]
    use deniable_python::{answer_html, answer_pictures, answer_table, answer_text, belief_curve, picture_style};
    #[pymodule_export]
    use deniable_python::{plan_count, rows_as_text};
}
