//! Exact numbers between Python and Rust, as texts.
//!
//! Python's fractions are classes written in Python. Code that runs in Python while a Rust function waits for it may be
//! ended with the interpreter (`interpreter`), so that ordinary calls run none.

use deniable::exact::{Rational, parse_rational};
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
        parse_rational(&text).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
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
