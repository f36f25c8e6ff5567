//! Answers and odds for notebooks, with the pictures of reports.

use crate::failure::usage;
use crate::number::Number;
use deniable::Answer;
use deniable::report;
use pyo3::prelude::*;

fn read(py: Python<'_>, json: &str) -> PyResult<Answer> {
    serde_json::from_str(json)
        .map_err(|error| usage(py, format!("this is not an answer: {error}"), "answers come from ask() and release()"))
}

/// An answer as in a report: its table and its pictures.
#[pyfunction]
pub fn answer_html(py: Python<'_>, json: &str, confidence: &str) -> PyResult<String> {
    Ok(report::answer(&read(py, json)?, confidence))
}

/// An answer as in the terminal.
#[pyfunction]
pub fn answer_text(py: Python<'_>, json: &str, confidence: &str) -> PyResult<String> {
    Ok(read(py, json)?.in_words(&confidence))
}

/// The pictures of an answer as SVG, each with its caption.
#[pyfunction]
pub fn answer_pictures(py: Python<'_>, json: &str) -> PyResult<Vec<(String, String)>> {
    let pictures = report::pictures(&read(py, json)?);
    Ok(pictures.into_iter().map(|picture| (picture.svg, picture.caption)).collect())
}

/// The posterior for every prior under these odds, as SVG.
#[pyfunction]
pub fn belief_curve(odds: Number) -> String {
    report::beliefs(&odds.0)
}

/// The styles for pages with pictures.
#[pyfunction]
pub fn picture_style() -> String {
    report::style()
}
