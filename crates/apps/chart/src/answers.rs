//! Released answers with their intervals: as bars, along an ordered axis, or as a grid of two keys.

mod bars;
mod heatmap;
mod lines;

pub use bars::bars;
pub use heatmap::{Grid, heatmap};
pub use lines::lines;

use crate::legend::Key;
use crate::scale::known;
use crate::sheet::Words;
use crate::words::{brief, count, number, with_interval};

/// Up to so many answers, a description says each.
const SAID: usize = 12;

/// Answers to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What was asked.
    pub title: String,
    /// What the values are, as on an axis: "minutes".
    pub value: String,
    /// The answers, in the order in which they are drawn.
    pub points: Vec<Point>,
    /// The true values where there are any to show, which is for simulated data only; one for each point.
    pub truth: Option<Vec<f64>>,
    /// Whether the answers have intervals in the same units; without, none are drawn.
    pub intervals: bool,
}

/// One answer. An end of its interval that is missing (or not finite) has no bound there, and is drawn open: whoever has
/// an exact value gives it as both ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Of which group.
    pub label: String,
    /// The value, if there is one.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A point with what cannot be drawn left out.
#[derive(Debug, Clone, Copy)]
struct DrawablePoint {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    truth: Option<f64>,
}

impl DrawablePoint {
    fn is_empty(&self) -> bool {
        self.value.is_none() && self.low.is_none() && self.high.is_none()
    }

    /// Whether an end of its interval is missing.
    fn is_open(&self) -> bool {
        !self.is_empty() && (self.low.is_none() || self.high.is_none())
    }

    /// All that has a place on the axis.
    fn values(&self) -> impl Iterator<Item = f64> {
        [self.value, self.low, self.high, self.truth].into_iter().flatten()
    }

    fn said(&self, label: &str) -> String {
        let value = with_interval(self.value, self.low, self.high);
        let truth = self.truth.map_or(String::new(), |truth| format!(" (simulated truth {})", number(truth)));
        format!("{}: {value}{truth}", brief(label))
    }
}

/// The points as they are drawn.
fn shown(answer: &Series) -> Vec<DrawablePoint> {
    let truth = |at: usize| answer.truth.as_ref().and_then(|truth| truth.get(at)).copied().and_then(known);
    answer
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| DrawablePoint {
            value: point.value.and_then(known),
            // Without intervals a value stands for itself.
            low: if answer.intervals { point.low } else { point.value }.and_then(known),
            high: if answer.intervals { point.high } else { point.value }.and_then(known),
            truth: truth(at),
        })
        .collect()
}

/// What is said to those who do not see it.
fn words<'a>(answer: &'a Series, description: &'a str) -> Words<'a> {
    Words { title: &answer.title, otherwise: "Answers", description }
}

/// What the picture shows, in words: each answer if they are few, and the extremes if they are many.
fn description(answer: &Series, shown: &[DrawablePoint]) -> String {
    let all = || shown.iter().zip(&answer.points).map(|(shown, point)| (shown, point.label.as_str()));
    let mut words = format!("{} in {}.", count(shown.len(), "answer"), brief(&answer.value));
    let said: Vec<(&DrawablePoint, &str)> = if shown.len() <= SAID {
        all().collect()
    } else {
        let valued = || all().filter_map(|(shown, label)| Some((shown.value?, shown, label)));
        let high = valued().max_by(|one, other| one.0.total_cmp(&other.0));
        let low = valued().min_by(|one, other| one.0.total_cmp(&other.0));
        words.push_str(" The highest and the lowest:");
        high.into_iter().chain(low).map(|(_, shown, label)| (shown, label)).collect()
    };
    for (shown, label) in said {
        words.push_str(&format!(" {}.", shown.said(label)));
    }
    let empty = shown.iter().filter(|shown| shown.is_empty()).count();
    if shown.len() > SAID && empty > 0 {
        words.push_str(&format!(" {} without a value.", count(empty, "answer")));
    }
    words
}

/// Legend entries that bars and lines share, after the sign of a value.
fn signs(answer: &Series, shown: &[DrawablePoint]) -> Vec<(Key, String)> {
    let mut signs = Vec::new();
    if shown.iter().any(DrawablePoint::is_open) {
        signs.push((Key::Open, "no bound on that side".to_owned()));
    }
    if answer.truth.is_some() {
        signs.push((Key::Truth, "simulated truth".to_owned()));
    }
    signs
}

#[cfg(test)]
mod tests;
