//! Released answers with their intervals: as bars, along an ordered axis, or as a grid of two keys.

mod bars;
mod heatmap;
mod histogram;
mod lines;

pub use bars::bars;
pub use heatmap::{Grid, heatmap};
pub use histogram::histogram;
pub use lines::lines;

use crate::canvas::picture;
use crate::legend::{Key, sign};
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
    /// Whether the chart has a legend of its own; a page with many charts has one for all ([`legend`]).
    pub has_legend: bool,
}

/// One answer. A missing or non-finite end of its interval has no bound and is drawn open; an exact value has itself as
/// both ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// The group.
    pub label: String,
    /// The value, if known.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The value as text, as a table beside the chart has it; `None` for about four digits.
    pub written: Option<String>,
    /// Whether the value is too noisy to use: neither it nor its interval is drawn.
    pub is_unusable: bool,
    /// Whether it is no answer, but a place on an ordered axis that has none: a line is interrupted there.
    pub is_gap: bool,
}

impl Point {
    /// A place on an ordered axis without an answer.
    #[must_use]
    pub fn gap(label: String) -> Self {
        Self { label, is_gap: true, ..Self::default() }
    }
}

/// The words in place of an answer that is too noisy to use.
pub const UNUSABLE: &str = "nothing can be said";

impl Point {
    /// The text beside its mark.
    fn text(&self) -> String {
        match (self.is_unusable, &self.written, self.value.and_then(known)) {
            (true, _, _) => UNUSABLE.to_owned(),
            // Also the words in place of a hidden value.
            (false, Some(written), _) => written.clone(),
            (false, None, None) => "no value".to_owned(),
            (false, None, Some(value)) => number(value),
        }
    }
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

    fn said(&self, point: &Point) -> String {
        let is_exact = self.value.is_some() && self.low == self.value && self.high == self.value;
        let value =
            if self.is_empty() || is_exact { point.text() } else { with_interval(self.value, self.low, self.high) };
        let truth = self.truth.map_or(String::new(), |truth| format!(" (simulated truth {})", number(truth)));
        format!("{}: {value}{truth}", brief(&point.label))
    }
}

/// The points to draw.
fn shown(answer: &Series) -> Vec<DrawablePoint> {
    let truth = |at: usize| answer.truth.as_ref().and_then(|truth| truth.get(at)).copied().and_then(known);
    answer
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| {
            let drawn = |value: Option<f64>| value.filter(|_| !point.is_unusable).and_then(known);
            DrawablePoint {
                value: drawn(point.value),
                // Without intervals, the value is its own interval.
                low: drawn(if answer.intervals { point.low } else { point.value }),
                high: drawn(if answer.intervals { point.high } else { point.value }),
                truth: truth(at),
            }
        })
        .collect()
}

/// Title and description for screen readers.
fn words<'a>(answer: &'a Series, description: &'a str) -> Words<'a> {
    Words { title: &answer.title, otherwise: "Answers", description }
}

/// Describes the chart in words: each answer if they are few, the extremes if they are many.
fn description(answer: &Series, shown: &[DrawablePoint]) -> String {
    let all = || shown.iter().zip(&answer.points).filter(|(_, point)| !point.is_gap);
    let answers = all().count();
    let mut words = format!("{} in {}.", count(answers, "answer"), brief(&answer.value));
    let said: Vec<(&DrawablePoint, &Point)> = if answers <= SAID {
        all().collect()
    } else {
        let valued = || all().filter_map(|(shown, point)| Some((shown.value?, shown, point)));
        let high = valued().max_by(|one, other| one.0.total_cmp(&other.0));
        let low = valued().min_by(|one, other| one.0.total_cmp(&other.0));
        words.push_str(" The highest and the lowest:");
        high.into_iter().chain(low).map(|(_, shown, point)| (shown, point)).collect()
    };
    for (shown, point) in said {
        words.push_str(&format!(" {}.", shown.said(point)));
    }
    let empty = all().filter(|(shown, _)| shown.is_empty()).count();
    if answers > SAID && empty > 0 {
        words.push_str(&format!(" {} without a value.", count(empty, "answer")));
    }
    words
}

/// The legend of one chart: its own sign first. Empty if the chart has none.
fn own_legend(answer: &Series, shown: &[DrawablePoint], signs: &[(Key, &str)]) -> Vec<(Key, String)> {
    if !answer.has_legend {
        return Vec::new();
    }
    let mut legend: Vec<(Key, String)> = signs.iter().map(|(key, words)| (*key, (*words).to_owned())).collect();
    if shown.iter().any(DrawablePoint::is_open) {
        legend.push((Key::Open, OPEN.to_owned()));
    }
    if answer.truth.is_some() {
        legend.push((Key::Truth, "simulated truth".to_owned()));
    }
    legend
}

const OPEN: &str = "no bound on that side";

/// The signs that occur in some charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signs {
    /// Bars, columns and cells.
    pub bars: bool,
    /// Intervals of bars.
    pub intervals: bool,
    /// Lines with a band.
    pub bands: bool,
    /// Answers that are too noisy to use.
    pub unusable: bool,
}

impl Signs {
    /// The signs of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            bars: self.bars || other.bars,
            intervals: self.intervals || other.intervals,
            bands: self.bands || other.bands,
            unusable: self.unusable || other.unusable,
        }
    }
}

/// One legend for all charts of a page: the signs that occur, with their words and the confidence of the intervals, such
/// as `95%`.
#[must_use]
pub fn legend(confidence: &str, signs: Signs) -> Vec<(String, String)> {
    let one = |key, words: String| {
        (picture((34, 22), "Sign", &format!("The sign of: {words}."), |area| sign(area, key, (4.0, 11.0))), words)
    };
    let all = [
        (signs.bars, Key::Bar, "answer".to_owned()),
        (signs.intervals, Key::Interval, format!("{confidence} interval of its noise")),
        (signs.bands, Key::Band, "answers in order, with their intervals".to_owned()),
        (signs.unusable, Key::Nothing, UNUSABLE.to_owned()),
    ];
    all.into_iter().filter(|(occurs, ..)| *occurs).map(|(_, key, words)| one(key, words)).collect()
}

#[cfg(test)]
mod tests;
