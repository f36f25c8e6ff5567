//! Errors as exceptions: of the class that `deniable._errors` has for their code, with message, place and help.

use crate::interpreter::calling;
use deniable::{Code, Diagnose, Diagnostic, Surface};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception of an error.
pub fn raised(py: Python<'_>, error: &impl Diagnose) -> PyErr {
    made(py, &error.diagnostics(Surface::Python))
}

/// The exception of a call with invalid arguments, with help.
pub fn usage(py: Python<'_>, message: impl std::fmt::Display, help: impl std::fmt::Display) -> PyErr {
    made(py, &[Diagnostic::new(Code::Usage, message).with_help(help)])
}

/// The exception of diagnostics: of the class of the first code that is not [`Code::Other`].
fn made(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
    static MADE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let code = diagnostics.iter().map(|diagnostic| diagnostic.code).find(|code| *code != Code::Other);
    let problem = |diagnostic: &Diagnostic| {
        let place = diagnostic.place().map(|place| {
            let (line, column) = place.line_and_column();
            (place.name.clone(), line, column)
        });
        (diagnostic.message().to_owned(), diagnostic.help().map(str::to_owned), place, diagnostic.to_string())
    };
    let problems: Vec<_> = diagnostics.iter().map(problem).collect();
    let failed = || Ok::<_, PyErr>(py.import("deniable._errors")?.getattr("failed")?.unbind());
    let code = code.unwrap_or(Code::Other).as_str();
    match calling(py, || MADE.get_or_try_init(py, failed).and_then(|made| made.call1(py, (code, problems)))) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}
