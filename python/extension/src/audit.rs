//! Audits of functions, many outputs at a time. The function is called on the caller's thread, with the interpreter's
//! lock.

use crate::failure::{raised, usage};
use crate::interpreter::{attached, detached};
use crate::number::Number;
use deniable::audit::{
    AuditError, Cell, Error, InputAdjacency, Mechanism, MechanismError, Neighbours, Options, Outputs, Pair,
    audit as run,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// A function that draws outputs: called with an input and the number of outputs.
struct Function {
    function: Py<PyAny>,
    /// The exception that it raised, or the error of its result; raised again by the caller of the audit.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Mechanism for Function {
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        attached(|py| {
            // Also between two calls: a fast function never checks for Ctrl-C itself.
            py.check_signals()?;
            let given = self.function.bind(py).call1((input.to_vec(), times))?;
            // Arrays of NumPy convert all elements to Python's numbers at once.
            let given = if given.hasattr("tolist")? { given.call_method0("tolist")? } else { given };
            for output in given.try_iter()? {
                write(&output?, out, 0)?;
                out.end();
            }
            Ok(())
        })
        .map_err(|error: PyErr| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            MechanismError::Function
        })
    }
}

/// The deepest nesting of tuples and lists in an output: a list can hold itself.
const MAX_DEPTH: usize = 20;

/// Adds the cells of an output: a number, a text, or several of them in a tuple or list.
fn write(output: &Bound<'_, PyAny>, out: &mut Outputs, depth: usize) -> PyResult<()> {
    let py = output.py();
    if depth > MAX_DEPTH {
        return Err(usage(
            py,
            "an output is nested too deeply",
            "an output is a number, a text, None, or a tuple of such",
        ));
    }
    if let Ok(text) = output.cast::<PyString>() {
        let Ok(text) = text.to_str() else {
            return Err(usage(
                py,
                "an output is not Unicode: it has a lone surrogate",
                "give another text, or a number",
            ));
        };
        out.word(text);
    } else if output.is_instance_of::<PyBool>() {
        out.cell(Cell::Integer(i64::from(output.extract::<bool>()?)));
    } else if output.is_instance_of::<PyInt>() {
        match output.extract::<i64>() {
            Ok(number) => out.cell(Cell::Integer(number)),
            // Integers beyond 64 bits are distinguished by their digits; CPython formats any number of digits in base
            // 16 only.
            Err(_) => out.word(&output.call_method1("__format__", ("#x",))?.extract::<String>()?),
        }
    } else if output.is_instance_of::<PyFloat>() {
        out.cell(Cell::Number(output.extract()?));
    } else if output.is_none() {
        out.word("None");
    } else if output.is_instance_of::<PyTuple>() || output.is_instance_of::<pyo3::types::PyList>() {
        for cell in output.try_iter()? {
            write(&cell?, out, depth + 1)?;
        }
    } else {
        let kind = output.get_type().name()?;
        let help =
            "an output is a number, a text, None, or a tuple of such; a function gives a list or an array of outputs";
        return Err(usage(py, format!("an output is of type {kind}"), help));
    }
    Ok(())
}

/// Audits a function: the text and the JSON of the report.
#[pyfunction]
#[pyo3(signature = (function, claim, prior, confidence, samples, adjacency, entries, negative, pairs, round_to))]
#[expect(clippy::too_many_arguments, reason = "python/deniable has the names and the defaults")]
pub fn audit(
    py: Python<'_>,
    function: Py<PyAny>,
    claim: Option<String>,
    prior: Option<String>,
    confidence: Number,
    samples: u64,
    adjacency: &str,
    entries: usize,
    negative: bool,
    pairs: Vec<(Vec<i64>, Vec<i64>)>,
    round_to: Option<Number>,
) -> PyResult<(String, String)> {
    let adjacency = match adjacency {
        "each-by-one" => InputAdjacency::EachByOne,
        "same-direction" => InputAdjacency::SameDirection,
        "one-entry" => InputAdjacency::OneEntry,
        other => {
            let help = "write \"each-by-one\", \"same-direction\" or \"one-entry\", or give pairs";
            return Err(usage(py, format!("{other:?} does not define which inputs are neighbours"), help));
        }
    };
    let neighbours = if !pairs.is_empty() {
        if let Some((left, right)) = pairs.iter().find(|(left, right)| left.len() != right.len()) {
            let message = format!("{left:?} and {right:?} are not a pair of inputs");
            return Err(usage(py, message, "give as many whole numbers on both sides"));
        }
        Neighbours::listed(pairs.into_iter().map(|(left, right)| Pair::new(left, right)).collect())
    } else if negative {
        Neighbours::queries(adjacency, entries)
    } else {
        Neighbours::counts(adjacency, entries)
    };
    let round_to = round_to.map(|step| step.0);
    let options = Options { claim, prior, confidence: confidence.0, samples, neighbours, round_to };
    let slot = Arc::new(Mutex::new(None));
    let mechanism = Function { function, raised: slot.clone() };
    let audited = detached(py, move || run(vec![Box::new(mechanism)], &options));
    match audited {
        Ok(report) => Ok((report.to_string(), deniable::json(&report))),
        Err(Error::Audit(AuditError::Mechanism(MechanismError::Function))) => {
            let raised = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            Err(raised.unwrap_or_else(|| usage(py, "the function failed", "call it by hand")))
        }
        Err(error) => Err(raised(py, &error)),
    }
}
