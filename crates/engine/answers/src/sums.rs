//! Sums of the same numbers over several answers, such as the periods of a running total (C-10), with intervals from the
//! law of the sum of their noises.

use crate::evaluate::{Evaluator, Noisy, ShownRow, ShownValue};
use crate::steps::Cut;
use deniable_core::exact::Rational;
use deniable_core::interval::{Law, Noises, reach_with_normal};
use deniable_core::noise::{Decay, margin};
use deniable_query::Query;
use deniable_query::output::Term;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The rows of the sums of several answers to queries that differ in their conditions only, whose columns are keys,
/// counts and sums. Every number has an interval with this confidence. `parts` is not empty.
#[must_use]
pub fn show_sums(query: &Query, parts: &[&Noisy], confidence: &Rational) -> Vec<ShownRow> {
    let Some(first) = parts.first() else { return Vec::new() };
    let mut values = first.values.clone();
    for part in &parts[1..] {
        for (sum, own) in values.iter_mut().flatten().zip(part.values.iter().flatten()) {
            *sum = sum.saturating_add(*own);
        }
    }
    let decays = |measure: usize| parts.iter().map(move |part| &part.decays[measure]);
    let margins: Vec<BigInt> = (0..values.len()).map(|measure| sum_margin(decays(measure), confidence)).collect();
    let deviations: Vec<f64> = (0..values.len()).map(|measure| deviation(decays(measure))).collect();
    let sums = Noisy { values, consistent: None, decays: first.decays.clone() };
    let laws: Vec<Law> = sums.decays.iter().map(Law::of).collect();
    let mut evaluator = Evaluator::new(query, &sums, confidence, &laws, &BTreeSet::new());
    // Each number is one measure.
    evaluator.margins = BTreeMap::from([(1, Arc::new(margins))]);
    let rows = evaluator.run(&query.output().levels, &query.output().steps, Cut::AsAsked);
    let shown = |row| {
        let cells = query.output().columns.iter().map(|term| {
            let mut shown = evaluator.shown(term, row, false);
            if let (ShownValue::Number { deviation, .. }, Term::Answer(at)) = (&mut shown, term)
                && let Some(measure) = query.answers(row.level)[*at].measures().first().copied()
            {
                let unit = query.measures()[measure].unit.to_f64().unwrap_or(f64::INFINITY);
                *deviation = Rational::from_f64(deviations[measure] * unit).map(Box::new);
            }
            shown
        });
        ShownRow(cells.collect())
    };
    rows.into_iter().map(shown).collect()
}

/// The smallest number that this law's bound gives which the magnitude of the sum of independent noises exceeds with a
/// probability of at most one minus the confidence.
#[must_use]
pub fn sum_margin<'a>(decays: impl Iterator<Item = &'a Decay>, confidence: &Rational) -> BigInt {
    let mut noises: Vec<(&Decay, u64)> = Vec::new();
    for decay in decays {
        match noises.iter_mut().find(|(known, _)| *known == decay) {
            Some((_, count)) => *count += 1,
            None => noises.push((decay, 1)),
        }
    }
    if let [(decay, 1)] = noises[..] {
        return margin(decay, confidence);
    }
    let noises: Vec<Noises> =
        noises.into_iter().map(|(decay, count)| Noises { weight: 1.0, law: Law::of(decay), count }).collect();
    let outside = (Rational::from_integer(1.into()) - confidence).to_f64().unwrap_or_default();
    // The sum is a whole number.
    BigInt::from_f64(reach_with_normal(&noises, 0.0, outside).floor()).unwrap_or_else(|| BigInt::from(i128::MAX))
}

/// The standard deviation of the sum of independent noises, rounded up.
fn deviation<'a>(decays: impl Iterator<Item = &'a Decay>) -> f64 {
    decays.map(|decay| Law::of(decay).deviation().powi(2)).sum::<f64>().sqrt() * (1.0 + 4.0 * f64::EPSILON)
}
