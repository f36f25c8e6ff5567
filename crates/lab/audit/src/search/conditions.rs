//! Conditions on single features to combine, and the outputs that meet them.

use super::SampledOutputs;
use crate::event::{Condition, Feature};
use crate::mechanism::{Cell, Value};
use std::collections::HashMap;

/// Number of leading entries with features; longer outputs are described by these, their last entry, length and sum.
pub(super) const ENTRIES: usize = 16;
/// Largest number of conditions: every pair of them is tried.
const MAX_CONDITIONS: usize = 360;
const MOST_CUTS: usize = 28;
/// Largest number of exact values of one entry, and of whole outputs.
const MOST_ATOMS: usize = 24;

/// Largest number of characters of a word with conditions.
const MOST_LETTERS: usize = 32;

/// Conditions with the outputs that meet them, as bits: left outputs first, right ones from `words/2` on.
pub(super) struct Conditions {
    pub(super) list: Vec<Condition>,
    pub(super) bits: Vec<Vec<u64>>,
    pub(super) half: usize,
}

/// Number of 64-bit words for the outputs of one input.
pub(super) fn words(half: usize) -> usize {
    half.div_ceil(64)
}

impl Conditions {
    fn add(&mut self, condition: Condition, holds: impl Fn(usize) -> bool) {
        let side = words(self.half);
        let mut bits = vec![0_u64; 2 * side];
        for at in 0..2 * self.half {
            if holds(at) {
                let place = if at < self.half { at } else { at - self.half + 64 * side };
                bits[place / 64] |= 1 << (place % 64);
            }
        }
        self.list.push(condition);
        self.bits.push(bits);
    }
}

/// The length of the longest output, up to a limit.
pub(super) fn width(sampled: SampledOutputs<'_>) -> usize {
    sampled.outputs.rows().map(<[Cell]>::len).max().unwrap_or(0).min(ENTRIES)
}

pub(super) fn collect(sampled: SampledOutputs<'_>) -> Conditions {
    let mut found = Conditions { list: Vec::new(), bits: Vec::new(), half: sampled.half };
    atoms(sampled, &mut found);
    letters(sampled, &mut found);
    let columns: Vec<(Feature, Vec<f64>, Vec<f64>)> = features(sampled)
        .into_iter()
        .filter_map(|feature| {
            let column: Vec<f64> = sampled.outputs.rows().map(|row| feature.of(row).unwrap_or(f64::NAN)).collect();
            let cuts = cuts(&column, MOST_CUTS);
            (!cuts.is_empty()).then_some((feature, column, cuts))
        })
        .collect();
    // Two conditions for every cut; the features share the remaining room equally.
    let room = MAX_CONDITIONS.saturating_sub(found.list.len()) / (2 * columns.len().max(1));
    for (feature, column, cuts) in &columns {
        let step = cuts.len().div_ceil(room.clamp(2, MOST_CUTS));
        for cut in cuts.iter().skip(step / 2).step_by(step.max(1)) {
            if found.list.len() + 2 > MAX_CONDITIONS + 40 {
                return found;
            }
            found.add(Condition::AtLeast(*feature, *cut), |at| column[at] >= *cut);
            found.add(Condition::Below(*feature, *cut), |at| column[at] < *cut);
        }
    }
    found
}

/// The features that differ between these outputs.
fn features(sampled: SampledOutputs<'_>) -> Vec<Feature> {
    let width = width(sampled);
    let mut list: Vec<Feature> = (0..width).map(Feature::Entry).collect();
    let floats = |at: usize| sampled.outputs.rows().any(|row| matches!(row.get(at), Some(Cell::Number(_))));
    for at in (0..width).filter(|at| floats(*at)).take(3) {
        list.extend([Feature::Size(at), Feature::ZeroBits(at), Feature::Power(at)]);
    }
    if width == 1 && !floats(0) {
        list.extend([Feature::Size(0), Feature::Power(0)]);
    }
    if width > 1 {
        list.extend([Feature::Length, Feature::Sum, Feature::Last, Feature::Numbers]);
        list.extend((1..width).map(|at| Feature::Difference(at, at - 1)));
    }
    list
}

/// Thresholds that split a column: between all its values if they are few, else at quantiles, which are denser in the
/// tails.
pub(super) fn cuts(column: &[f64], most: usize) -> Vec<f64> {
    let mut sorted: Vec<f64> = column.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(least) = sorted.first().copied() else { return vec![] };
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= most {
        // The smallest value separates the outputs without this feature.
        let skip = usize::from(sorted.len() == column.len());
        return distinct.split_off(skip);
    }
    let last = sorted.len() - 1;
    let mut cuts: Vec<f64> = (0..most)
        .map(|step| {
            // Shares 1/2 ± (1 − s^2)/2 reach far into both tails.
            let t = (step as f64 + 0.5) / most as f64;
            let share = if t < 0.5 { 2.0 * t * t } else { 1.0 - 2.0 * (1.0 - t) * (1.0 - t) };
            sorted[(share * last as f64) as usize]
        })
        .filter(|cut| *cut > least)
        .collect();
    cuts.dedup();
    cuts
}

/// Conditions for exact values that are frequent enough, and differ most.
fn atoms(sampled: SampledOutputs<'_>, found: &mut Conditions) {
    let outputs = sampled.outputs;
    let width = width(sampled);
    let budget = (MAX_CONDITIONS / 2 / (width + 1)).clamp(2, MOST_ATOMS);
    for at in 0..width {
        let mut counts: HashMap<(u8, u64), ValueHits> = HashMap::new();
        for (place, row) in outputs.rows().enumerate() {
            if let Some(cell) = row.get(at) {
                counts.entry(cell.key()).or_insert(ValueHits { first: place, hits: [0, 0] }).count(place, sampled.half);
            }
        }
        for seen in most_different(counts.into_values(), budget, sampled.half) {
            let Some(cell) = outputs.row(seen.first).get(at).copied() else { continue };
            let value = Value::of(cell, outputs.labels());
            found.add(Condition::Is(at, value), |place| {
                outputs.row(place).get(at).is_some_and(|other| other.key() == cell.key())
            });
        }
    }
    if width > 1 || outputs.rows().any(<[Cell]>::is_empty) {
        let key = |row: &[Cell]| row.iter().map(|cell| cell.key()).collect::<Vec<_>>();
        let mut counts: HashMap<Vec<(u8, u64)>, ValueHits> = HashMap::new();
        for (place, row) in outputs.rows().enumerate() {
            counts.entry(key(row)).or_insert(ValueHits { first: place, hits: [0, 0] }).count(place, sampled.half);
        }
        for seen in most_different(counts.into_values(), MOST_ATOMS, sampled.half) {
            let row = outputs.row(seen.first);
            let values = row.iter().map(|cell| Value::of(*cell, outputs.labels())).collect();
            let own = key(row);
            found.add(Condition::Whole(values), |place| {
                let other = outputs.row(place);
                other.len() == own.len() && other.iter().zip(&own).all(|(cell, key)| cell.key() == *key)
            });
        }
    }
}

/// Conditions on characters of words, if there are too many words to try each: the words have their positions in
/// common.
fn letters(sampled: SampledOutputs<'_>, found: &mut Conditions) {
    let outputs = sampled.outputs;
    let labels = outputs.labels();
    if labels.len() <= MOST_ATOMS {
        return;
    }
    // Only the first entry: outputs with words among many numbers are rare.
    let words: Vec<Vec<char>> = (0..labels.len() as u32).map(|place| labels.word(place).chars().collect()).collect();
    let word_of = |at: usize| match outputs.row(at).first() {
        Some(Cell::Label(place)) => words.get(*place as usize),
        _ => None,
    };
    let longest = words.iter().map(Vec::len).max().unwrap_or(0);
    let lengths: std::collections::BTreeSet<usize> = words.iter().map(Vec::len).collect();
    for length in lengths.into_iter().skip(1).take(MOST_ATOMS) {
        found.add(Condition::Letters(0, length), |at| word_of(at).is_some_and(|word| word.len() >= length));
    }
    for place in 0..longest.min(MOST_LETTERS) {
        let mut counts: HashMap<char, ValueHits> = HashMap::new();
        for at in 0..outputs.len() {
            if let Some(letter) = word_of(at).and_then(|word| word.get(place)) {
                counts.entry(*letter).or_insert(ValueHits { first: at, hits: [0, 0] }).count(at, sampled.half);
            }
        }
        for seen in most_different(counts.into_values(), 4, sampled.half) {
            let Some(letter) = word_of(seen.first).and_then(|word| word.get(place)).copied() else { continue };
            found.add(Condition::Letter(0, place, letter), |at| {
                word_of(at).is_some_and(|word| word.get(place) == Some(&letter))
            });
        }
    }
}

/// The number of occurrences of a value on the left and on the right, and the index of the first.
struct ValueHits {
    first: usize,
    hits: [usize; 2],
}

impl ValueHits {
    fn count(&mut self, place: usize, half: usize) {
        self.hits[usize::from(place >= half)] += 1;
    }
}

fn most_different(all: impl Iterator<Item = ValueHits>, most: usize, half: usize) -> Vec<ValueHits> {
    let rare = (half / 5000).max(8);
    let mut often: Vec<ValueHits> = all.filter(|seen| seen.hits[0].max(seen.hits[1]) >= rare).collect();
    let worth = |seen: &ValueHits| {
        let [a, b] = seen.hits;
        let n = half as u64;
        super::value(a, b, half, 2.0, n).max(super::value(b, a, half, 2.0, n))
    };
    // Ties are broken by first occurrence, so that a seed determines the choice.
    often.sort_by(|one, other| worth(other).total_cmp(&worth(one)).then(one.first.cmp(&other.first)));
    often.truncate(most);
    often
}
