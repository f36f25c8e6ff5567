//! Exact numbers between Python and Rust, as texts.
//!
//! Python's fractions are classes written in Python. Code that runs in Python while a Rust function waits for it may be
//! ended with the interpreter (`interpreter`), so that ordinary calls run none.

use deniable::exact::Rational;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::convert::Infallible;

/// An exact number: `3/4` in Python.
pub struct Number(pub Rational);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(text: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = text.extract::<String>()?;
        // Of any number of digits: what is too long for its use is refused there.
        text.parse().map(Self).map_err(|_| PyValueError::new_err(format!("{text:?} is not a fraction")))
    }
}

impl<'py> IntoPyObject<'py> for Number {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyString::new(py, &self.0.to_string()))
    }
}
