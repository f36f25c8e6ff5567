//! Decisions about mechanisms.

use crate::call::Call;
use crate::failure::{raised, usage};
use deniable::check::{Error, Options, Party, Source, check as decide};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Decides about a mechanism: a built-in one or a file by its name, or one given as JSON or as rows.
#[pyfunction]
#[pyo3(signature = (name, json, rows, parameters, notion, family, prior, priors, claim, certificate, party))]
#[expect(clippy::too_many_arguments, reason = "python/deniable has the names and the defaults")]
pub fn check(
    py: Python<'_>,
    name: String,
    json: Option<String>,
    rows: Option<Vec<[String; 3]>>,
    parameters: BTreeMap<String, String>,
    notion: Option<String>,
    family: Option<String>,
    prior: Option<String>,
    priors: Option<PathBuf>,
    claim: Option<String>,
    certificate: Option<PathBuf>,
    party: Option<u64>,
) -> PyResult<Call> {
    let party = match party {
        None => None,
        Some(1) => Some(Party::First),
        Some(2) => Some(Party::Second),
        Some(other) => {
            return Err(usage(py, format!("party={other} is not a party of a protocol"), "write party=1 or party=2"));
        }
    };
    let source = match (json, rows, parameters.keys().next()) {
        (None, None, _) => Source::Named { name, parameters },
        (_, _, Some(parameter)) => return Err(raised(py, &Error::ParameterOfFile(parameter.clone()))),
        (Some(json), ..) => Source::Json(json),
        (None, Some(rows), None) => Source::Rows(rows),
    };
    let options = Options { notion, family, prior, priors, claim, certificate, party, ..Options::default() };
    Call::report(move || decide(&source, &options))
}
