//! Reports of attacks: all measures, with `Serialize` for programs and `Display` for a terminal.

mod linkage;
mod membership;
mod warning;

pub use linkage::{LinkageReport, LinkedGroup, Method};
pub use membership::{MembershipReport, PromiseSource, Promised, Score, short_odds};
pub use warning::Warning;

use crate::intervals::Proportion;
use serde::Serialize;

/// A share of people with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// The count.
    pub hits: u64,
    /// The total.
    pub of: u64,
    /// The share, from 0 to 1; `None` without people.
    pub value: Option<f64>,
    /// The low end of its interval, from 0 to 1.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

impl Share {
    /// With the exact interval of Clopper and Pearson.
    #[must_use]
    pub fn of(share: Proportion, confidence: f64) -> Self {
        let (low, high) = share.interval(confidence);
        Self { hits: share.hits, of: share.of, value: share.value(), low, high }
    }
}

/// A confidence in words: `95%`.
#[must_use]
pub fn coverage(confidence: f64) -> String {
    // Nine digits, so that 0.999 is not written as 99.90000000000001%.
    let text = format!("{:.9}", confidence * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}
