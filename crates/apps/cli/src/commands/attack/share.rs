//! Shares of people with their intervals, as they are asked for and written.

use crate::args::attack::Output;
use crate::error::Failure;
use deniable_attack::Proportion;
use deniable_core::exact::{parse_rational, ratio, whole};
use num_traits::ToPrimitive;
use serde::Serialize;

/// The coverage of intervals.
pub fn confidence(output: &Output) -> Result<f64, Failure> {
    let text = &output.confidence;
    let help = "write --confidence 95%";
    let value = parse_rational(text).map_err(|error| Failure::usage(format!("--confidence {error}"), help))?;
    if value < ratio(1, 2) || value >= whole(1) {
        return Err(Failure::usage(format!("--confidence {text} is not from 50% to less than 100%"), help));
    }
    Ok(value.to_f64().unwrap_or(0.95))
}

/// A confidence in words: `95%`.
pub fn coverage(confidence: f64) -> String {
    // Eleven digits, so that 0.999 does not read 99.90000000000001%.
    let text = format!("{:.9}", confidence * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A share with its interval, for programs.
#[derive(Debug, Serialize)]
pub struct WrittenShare {
    hits: u64,
    of: u64,
    value: Option<f64>,
    low: f64,
    high: f64,
}

impl WrittenShare {
    /// With its interval.
    pub fn of(share: Proportion, confidence: f64) -> Self {
        let (low, high) = share.interval(confidence);
        Self { hits: share.hits, of: share.of, value: share.value(), low, high }
    }
}
