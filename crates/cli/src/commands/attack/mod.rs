//! `deniable attack`: what a known adversary learns from a release.

mod linkage;
mod membership;
mod promised;

use super::{publish, say, shown, writable};
use crate::args::LedgerFormat;
use crate::args::attack::{Attack, Output};
use crate::error::{Complaint, Failure};
use crate::render;
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
    writable(output.out.as_deref(), output.report.as_deref(), own)?;
    writable(scores.map(PathBuf::as_path), output.report.as_deref(), own)?;
    writable(scores.map(PathBuf::as_path), output.out.as_deref(), own)
}

/// Writes the results, and the page where one is wanted.
fn results(output: &Output, table: &str, written: &impl Serialize, page: &dyn Fn() -> String) -> Result<(), Failure> {
    let text = match output.format {
        LedgerFormat::Table => table.to_owned(),
        LedgerFormat::Json => render::json(written)?,
    };
    publish(&text, output.out.as_ref())?;
    if let Some(report) = &output.report {
        publish(&page(), Some(report))?;
        say(format!("the page is {}", shown(report)));
    }
    Ok(())
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
