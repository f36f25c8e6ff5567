//! Chooses events that separate two inputs, on outputs that serve no other purpose.
//!
//! The choice is not certified and need not be: a bad one only weakens the bound. Conditions on single features are
//! combined by *and* and *or*, and a likelihood-ratio classifier (naive Bayes over the entries) is cut at a score. All
//! candidates are ranked by the odds ratio that fresh samples are expected to certify, and ranked again on samples that
//! did not shape them.

mod classifier;
mod combine;
mod conditions;

use crate::event::Event;
use crate::mechanism::Outputs;

/// An event that may separate two inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The event.
    pub event: Event,
    /// Whether it is likelier on the right input than on the left one.
    pub swapped: bool,
    /// Logarithm of the odds ratio that the confirmation is expected to certify.
    pub value: f64,
    /// The method that built it, so that choices can vary.
    kind: Kind,
}

/// The method that built a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Both,
    Deep,
    Union,
    Classifier,
}

/// Outputs of two inputs: the first half of the rows is from the left one, the second half from the right one.
#[derive(Debug, Clone, Copy)]
pub struct SampledOutputs<'a> {
    outputs: &'a Outputs,
    half: usize,
}

impl<'a> SampledOutputs<'a> {
    /// Outputs whose first half is from the left input, and the rest from the right one.
    #[must_use]
    pub fn new(outputs: &'a Outputs) -> Self {
        Self { outputs, half: outputs.len() / 2 }
    }

    /// The number of occurrences of an event on the left, and on the right.
    fn hits(&self, event: &Event) -> (usize, usize) {
        let count = |rows: std::ops::Range<usize>| {
            rows.filter(|at| event.holds(self.outputs.row(*at), self.outputs.labels())).count()
        };
        (count(0..self.half), count(self.half..2 * self.half))
    }
}

/// The purpose of a search.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// Number of fresh samples of each input that will confirm the choice.
    pub confirm: u64,
    /// Whether only events count that are likelier on the left.
    pub one_sided: bool,
}

/// Standard errors by which a share is reduced: on samples that shaped the event, and on other samples.
const SHAPED: f64 = 3.5;
const UNSHAPED: f64 = 1.5;
/// The approximate quantile of the confirmation.
const CONFIRMED: f64 = 3.8;

/// The logarithm of the odds ratio that `n` fresh samples of each input are expected to certify, after `a` and `b` hits in
/// `m` samples each: Wilson bounds, first on these samples, then on those to come.
fn value(a: usize, b: usize, m: usize, z: f64, n: u64) -> f64 {
    let (low, high) = (wilson(a, m, -z), wilson(b, m, z));
    let n = n.max(1) as f64;
    let (low, high) = (wilson_share(low, n, -CONFIRMED), wilson_share(high, n, CONFIRMED));
    if low <= 0.0 { f64::NEG_INFINITY } else { (low / high).ln() }
}

fn wilson(hits: usize, trials: usize, z: f64) -> f64 {
    let n = trials.max(1) as f64;
    wilson_share(hits as f64 / n, n, z)
}

/// An end of Wilson's interval: the upper one for positive `z`.
fn wilson_share(share: f64, n: f64, z: f64) -> f64 {
    let square = z * z / n;
    let centre = share + square / 2.0;
    let reach = z * (share * (1.0 - share) / n + square / (4.0 * n)).max(0.0).sqrt();
    ((centre + reach) / (1.0 + square)).clamp(0.0, 1.0)
}

/// The events that separate the inputs best on `shaping` samples, ranked on `ranking` samples, best first.
///
/// The rankings' values predict the certified logarithm of the odds ratio; they are not bounds.
#[must_use]
pub fn candidates(shaping: SampledOutputs<'_>, ranking: SampledOutputs<'_>, aim: Aim) -> Vec<Candidate> {
    let conditions = conditions::collect(shaping);
    let mut found = combine::candidates(&conditions, aim);
    found.extend(classifier::candidates(shaping, aim));
    for candidate in &mut found {
        let (left, right) = ranking.hits(&candidate.event);
        let (a, b) = if candidate.swapped { (right, left) } else { (left, right) };
        candidate.value = value(a, b, ranking.half, UNSHAPED, aim.confirm);
    }
    found.sort_by(|one, other| other.value.total_cmp(&one.value));
    found
}

/// At most `most` candidates: the best of every kind first, then the best of the rest, in descending order.
#[must_use]
pub fn varied(found: &[Candidate], most: usize) -> Vec<Candidate> {
    let mut chosen: Vec<&Candidate> = Vec::new();
    for candidate in found {
        if chosen.len() < most && chosen.iter().all(|other| other.kind != candidate.kind) {
            chosen.push(candidate);
        }
    }
    for candidate in found {
        if chosen.len() < most && !chosen.iter().any(|other| other.event == candidate.event) {
            chosen.push(candidate);
        }
    }
    chosen.sort_by(|one, other| other.value.total_cmp(&one.value));
    chosen.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests;
