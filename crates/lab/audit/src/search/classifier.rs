//! A likelihood-ratio classifier: the log-likelihood ratios of the entries, summed, and cut at a score.
//!
//! Exact for entries that are independent given the input, as with independent noise on each; for others it is still an
//! event.

use super::conditions::{cuts, width};
use super::{Aim, Candidate, Kind, SHAPED, SampledOutputs, value};
use crate::event::{Event, Feature, Part, score};
use crate::mechanism::Value;
use std::collections::HashMap;

const INTERVALS: usize = 20;
/// Number of cut scores tried.
const LIMITS: usize = 48;
/// Added to every count, so that values that did not occur are not treated as impossible.
const UNSEEN: f64 = 2.0;

/// The classifier, cut at the scores where the confirmation is expected to certify most, in both directions.
pub(super) fn candidates(sampled: SampledOutputs<'_>, aim: Aim) -> Vec<Candidate> {
    let parts = parts(sampled);
    if parts.is_empty() {
        return vec![];
    }
    let directions: &[bool] = if aim.one_sided { &[false] } else { &[false, true] };
    directions
        .iter()
        .filter_map(|swapped| {
            let parts = if *swapped { parts.iter().map(negated).collect() } else { parts.clone() };
            let (at_least, value) = best_limit(sampled, &parts, *swapped, aim)?;
            let event = Event::Score { parts, at_least };
            Some(Candidate { event, swapped: *swapped, value, kind: Kind::Classifier })
        })
        .collect()
}

fn best_limit(sampled: SampledOutputs<'_>, parts: &[Part], swapped: bool, aim: Aim) -> Option<(f64, f64)> {
    let labels = sampled.outputs.labels();
    let scores: Vec<f64> = sampled.outputs.rows().map(|row| score(parts, row, labels)).collect();
    let (mut left, mut right) = (scores[..sampled.half].to_vec(), scores[sampled.half..].to_vec());
    left.sort_by(f64::total_cmp);
    right.sort_by(f64::total_cmp);
    let beyond = |sorted: &[f64], limit: f64| sorted.len() - sorted.partition_point(|score| *score < limit);
    let limits = cuts(&scores, LIMITS).into_iter();
    limits
        .map(|limit| {
            // Sums of the same weights may round differently elsewhere, so the limit is slightly below the score.
            let limit = limit - 1e-9;
            let hits = (beyond(&left, limit), beyond(&right, limit));
            let (a, b) = if swapped { (hits.1, hits.0) } else { hits };
            (limit, value(a, b, sampled.half, SHAPED, aim.confirm))
        })
        .max_by(|one, other| one.1.total_cmp(&other.1))
}

fn negated(part: &Part) -> Part {
    let mut part = part.clone();
    match &mut part {
        Part::Steps { weights, .. } => weights.iter_mut().for_each(|weight| *weight = -*weight),
        Part::Values { weights, .. } => weights.iter_mut().for_each(|(_, weight)| *weight = -*weight),
    }
    part
}

fn weight(hits: [usize; 2]) -> f64 {
    ((hits[0] as f64 + UNSEEN) / (hits[1] as f64 + UNSEEN)).ln()
}

/// One part for every entry, and one for the length if it varies.
fn parts(sampled: SampledOutputs<'_>) -> Vec<Part> {
    let mut parts: Vec<Part> = (0..width(sampled))
        .filter_map(|at| values(sampled, at).or_else(|| steps(sampled, Feature::Entry(at))))
        .collect();
    parts.extend(steps(sampled, Feature::Length));
    parts
}

/// A part by exact values, if there are few.
fn values(sampled: SampledOutputs<'_>, at: usize) -> Option<Part> {
    let mut counts: HashMap<(u8, u64), (usize, [usize; 2])> = HashMap::new();
    for (place, row) in sampled.outputs.rows().enumerate() {
        let Some(cell) = row.get(at) else { continue };
        let entry = counts.entry(cell.key()).or_insert((place, [0, 0]));
        entry.1[usize::from(place >= sampled.half)] += 1;
        if counts.len() > INTERVALS {
            return None;
        }
    }
    let mut counts: Vec<(usize, [usize; 2])> = counts.into_values().collect();
    counts.sort_unstable_by_key(|(place, _)| *place);
    let labels = sampled.outputs.labels();
    let named = |(place, hits): &(usize, [usize; 2])| {
        let cell = sampled.outputs.row(*place).get(at)?;
        Some((Value::of(*cell, labels), weight(*hits)))
    };
    let weights: Vec<(Value, f64)> = counts.iter().filter_map(named).collect();
    (weights.len() > 1).then_some(Part::Values { at, weights })
}

fn steps(sampled: SampledOutputs<'_>, feature: Feature) -> Option<Part> {
    let column: Vec<f64> = sampled.outputs.rows().map(|row| feature.of(row).unwrap_or(f64::NAN)).collect();
    let cuts = cuts(&column, INTERVALS);
    if cuts.is_empty() {
        return None;
    }
    let mut hits = vec![[0, 0]; cuts.len() + 1];
    for (place, number) in column.iter().enumerate().filter(|(_, number)| !number.is_nan()) {
        hits[cuts.partition_point(|cut| cut <= number)][usize::from(place >= sampled.half)] += 1;
    }
    Some(Part::Steps { feature, cuts, weights: hits.into_iter().map(weight).collect() })
}
