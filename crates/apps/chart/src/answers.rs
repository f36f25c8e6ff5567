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

/// Up to this many answers, the description lists each.
const SAID: usize = 12;

/// Answers to one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Title of the chart: the query.
    pub title: String,
    /// Label of the values, as on an axis: "minutes".
    pub value: String,
    /// The answers, in drawing order.
    pub points: Vec<Point>,
    /// The true values, one for each point; for simulated data only.
    pub truth: Option<Vec<f64>>,
    /// Whether the answers have intervals in the same units; if not, no intervals are drawn.
    pub intervals: bool,
}

/// One answer. A missing or non-finite end of its interval has no bound and is drawn open; an exact value has itself as
/// both ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The group.
    pub label: String,
    /// The value, if known.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A point without values that cannot be drawn.
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

    /// All values on the axis.
    fn values(&self) -> impl Iterator<Item = f64> {
        [self.value, self.low, self.high, self.truth].into_iter().flatten()
    }

    fn said(&self, label: &str) -> String {
        let value = with_interval(self.value, self.low, self.high);
        let truth = self.truth.map_or(String::new(), |truth| format!(" (simulated truth {})", number(truth)));
        format!("{}: {value}{truth}", brief(label))
    }
}

/// The points to draw.
fn shown(answer: &Series) -> Vec<DrawablePoint> {
    let truth = |at: usize| answer.truth.as_ref().and_then(|truth| truth.get(at)).copied().and_then(known);
    answer
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| DrawablePoint {
            value: point.value.and_then(known),
            // Without intervals, the value is its own interval.
            low: if answer.intervals { point.low } else { point.value }.and_then(known),
            high: if answer.intervals { point.high } else { point.value }.and_then(known),
            truth: truth(at),
        })
        .collect()
}

/// Title and description for screen readers.
fn words<'a>(answer: &'a Series, description: &'a str) -> Words<'a> {
    Words { title: &answer.title, otherwise: "Answers", description }
}

/// Describes the chart in words: each answer if they are few, the extremes if they are many.
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

/// Legend entries of bars and lines, after the sign of a value.
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
