//! `deniable attack`: what a known adversary learns from a release.

mod linkage;
mod membership;
mod promised;

use super::writable;
use crate::args::attack::{Attack, Output};
use crate::args::output::Results;
use crate::error::{Complaint, Failure};
use deniable_attack::{Share, TableError, Test};
use deniable_core::exact::{parse_rational, ratio, whole};
use num_traits::ToPrimitive;
use serde::Serialize;
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Attack) -> Result<(), Failure> {
    match args {
        Attack::Homer(membership) => membership::run(Test::Homer, membership),
        Attack::Lr(membership) => membership::run(Test::LikelihoodRatio, membership),
        Attack::Linkage(linkage) => linkage::by_columns(linkage),
        Attack::Ratings(ratings) => linkage::by_ratings(ratings),
    }
}

fn usage(message: impl std::fmt::Display, help: impl std::fmt::Display) -> Failure {
    Failure::Usage(Complaint::new(message).help(help))
}

/// A table's fault, with the place in the message and the mend below.
fn table_failure(error: &TableError) -> Failure {
    let place = error.line.map_or_else(String::new, |line| format!(":{line}"));
    Failure::refused(format!("{}{place}: {}", error.file.display(), error.kind), error.kind.help())
}

/// The coverage of intervals.
fn confidence(output: &Output) -> Result<f64, Failure> {
    let text = &output.confidence;
    let help = "write --confidence 95%";
    let value = parse_rational(text).map_err(|error| usage(format!("--confidence {error}"), help))?;
    if value < ratio(1, 2) || value >= whole(1) {
        return Err(usage(format!("--confidence {text} is not from 50% to less than 100%"), help));
    }
    Ok(value.to_f64().unwrap_or(0.95))
}

/// Refuses, before anything is read, results that could not be written or would overwrite what is read.
fn outputs(output: &Output, scores: Option<&PathBuf>, own: &[PathBuf]) -> Result<(), Failure> {
    let Results { out, report, .. } = &output.results;
    let scores = scores.map(PathBuf::as_path);
    writable(&[("--out", out.as_deref()), ("--report", report.as_deref()), ("--scores", scores)], own)
}

/// A share with its interval, for programs.
#[derive(Debug, Serialize)]
struct WrittenShare {
    hits: u64,
    of: u64,
    value: Option<f64>,
    low: f64,
    high: f64,
}

impl WrittenShare {
    fn of(share: Share, confidence: f64) -> Self {
        let (low, high) = share.interval(confidence);
        Self { hits: share.hits, of: share.of, value: share.value(), low, high }
    }
}

/// A confidence in words: `95%`.
fn coverage(confidence: f64) -> String {
    // Eleven digits, so that 0.999 does not read 99.90000000000001%.
    let text = format!("{:.9}", confidence * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}
