//! The files of an attack: what is read is not written over, and its faults have a place.

use crate::args::attack::Output;
use crate::args::output::Results;
use crate::error::Failure;
use crate::output::writable;
use deniable_attack::TableError;
use std::path::PathBuf;

/// Refuses, before anything is read, results that could not be written or would overwrite what is read.
pub fn outputs(output: &Output, scores: Option<&PathBuf>, own: &[PathBuf]) -> Result<(), Failure> {
    let Results { out, report, .. } = &output.results;
    let scores = scores.map(PathBuf::as_path);
    writable(&[("--out", out.as_deref()), ("--report", report.as_deref()), ("--scores", scores)], own)
}

/// A table's fault, with the place in the message and the help below.
pub fn table_failure(error: &TableError) -> Failure {
    let place = error.line.map_or_else(String::new, |line| format!(":{line}"));
    Failure::refused(format!("{}{place}: {}", error.file.display(), error.kind), error.kind.help())
}
