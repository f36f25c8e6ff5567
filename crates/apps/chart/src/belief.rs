//! Posterior over prior belief (B-1), with the promise and the curator's adversaries.

use crate::canvas::{Area, DrawResult, TEXT, percent};
use crate::legend::PROMISED;
use crate::palette::{BLUE, INK, MUTED, PALE, RED};
use crate::pen::{dashes, dot, line, shape, slab, write};
use crate::plot::{Frame, Plot};
use crate::scale::{Scale, apart};
use crate::sheet::{HEAD, Words, shares, sheet};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

/// Points of a curve: smooth at any size that fits a page.
const POINTS: u32 = 120;
/// The height of the plot, in pixels.
const TALL: f64 = 240.0;
/// The dashes of the odds that hold but for a chance, and the gaps between them.
const CHANCE: (u32, u32) = (2, 4);
/// Width for names to the left of the plot, in pixels.
const NAMES: f64 = 78.0;

/// The height of a name, in pixels.
const NAME: f64 = 16.0;

/// An observer who is marked on the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The observer, in a word or two.
    pub name: String,
    /// The belief before, from 0 to 1.
    pub before: f64,
    /// The lowest belief after; outside the band for observers who know more than the promise assumes.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// Contents of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// The largest odds ratio, at least 1.
    pub odds: f64,
    /// A smaller odds ratio that holds but for a chance, if one is promised.
    pub but_for: Option<f64>,
    /// The interval of prior beliefs of the promise, from 0 to 1.
    pub priors: (f64, f64),
    /// The promise over that interval: pairs of a prior and the highest posterior that it allows.
    pub promised: Vec<(f64, f64)>,
    /// The same for the lowest posterior.
    pub floor: Vec<(f64, f64)>,
    /// The marked observers.
    pub marks: Vec<Mark>,
}

impl Beliefs {
    /// The beliefs under these odds, without a promise and without observers.
    #[must_use]
    pub fn of_odds(odds: f64) -> Self {
        Self { odds, but_for: None, priors: (0.0, 1.0), promised: Vec::new(), floor: Vec::new(), marks: Vec::new() }
    }
}

/// The highest belief after, from a belief before and an odds ratio (B-1).
fn after(before: f64, odds: f64) -> f64 {
    before * odds / (1.0 - before + before * odds)
}

/// Posterior over prior belief, both from 0% to 100%.
#[must_use]
pub fn curve(beliefs: &Beliefs) -> String {
    let odds = beliefs.odds;
    let before = || (0..=POINTS).map(|at| f64::from(at) / f64::from(POINTS));
    let edge = |odds: f64| -> Vec<(f64, f64)> { before().map(|p| (p, after(p, odds))).collect() };
    let (top, low) = (edge(odds), edge(1.0 / odds));
    let mut description = format!(
        "An observer who gave it 20% before can be at most {} sure after and at least {}; from 50%, at most {} and at \
        least {}.",
        percent(up(after(0.2, odds))),
        percent(1.0 - up(1.0 - after(0.2, 1.0 / odds))),
        percent(up(after(0.5, odds))),
        percent(1.0 - up(1.0 - after(0.5, 1.0 / odds))),
    );
    if let Some(odds) = beliefs.but_for {
        let (most, least) = (up(after(0.5, odds)), 1.0 - up(1.0 - after(0.5, 1.0 / odds)));
        description +=
            &format!(" But for a chance: from 50%, at most {} and at least {}.", percent(most), percent(least));
    }
    let up = Scale::linear((0.0, 1.0), (HEAD + TALL, HEAD));
    let values = shares(&up, 5);
    // Names of observers with small priors are to the left of the plot.
    let frame = Frame { left: NAMES, ..Frame::beside(&up, &values, 24.0) };
    let mut plot = Plot::inside(frame, up, values, |room| Scale::linear((0.0, 1.0), room));
    plot.ticks = shares(&plot.across, 5);
    let words = Words { title: "Belief before and after", otherwise: "", description: &description };
    sheet(&words, plot.frame.bottom + 50.0, &[], |area| -> DrawResult {
        // Outside the interval there is no promise about beliefs, but the odds are bounded.
        let (from, to) = beliefs.priors;
        slab(area, plot.at((from, 0.0)), plot.at((to, 1.0)), &PALE.mix(0.35))?;
        plot.axes(area, ("belief before", "belief after"))?;
        let band: Vec<(f64, f64)> = top.iter().copied().chain(low.iter().rev().copied()).collect();
        shape(area, &plot.places(&band), &PALE)?;
        line(area, &plot.places(&[(0.0, 0.0), (1.0, 1.0)]), MUTED, 1)?;
        for edge in [&top, &low] {
            line(area, &plot.places(edge), BLUE, 3)?;
        }
        for odds in beliefs.but_for.iter().flat_map(|odds| [*odds, 1.0 / odds]) {
            dashes(area, &plot.places(&edge(odds)), BLUE, 2, CHANCE)?;
        }
        for limit in [&beliefs.promised, &beliefs.floor] {
            dashes(area, &plot.places(limit), RED, 2, PROMISED)?;
        }
        // Names left of upper ends are moved apart where observers have similar priors.
        let (left, right): (Vec<&Mark>, Vec<&Mark>) = beliefs.marks.iter().partition(|mark| mark.before <= 0.5);
        let wanted: Vec<(f64, f64)> =
            left.iter().map(|mark| (plot.at((mark.before, mark.high)).1 - 12.0, NAME)).collect();
        let heights = apart(&wanted, 0.0, (0.0, plot.frame.bottom));
        left.into_iter().zip(heights).try_for_each(|(mark, height)| marked(area, &plot, mark, Some(height)))?;
        right.into_iter().try_for_each(|mark| marked(area, &plot, mark, None))
    })
}

/// An observer's prior, with the range of posteriors. The name is outside the band: left of the upper end at this
/// height, or below the lower end.
fn marked(area: &Area<'_>, plot: &Plot, Mark { name, before, low, high }: &Mark, height: Option<f64>) -> DrawResult {
    let (lowest, highest) = (plot.at((*before, *low)), plot.at((*before, *high)));
    line(area, &[lowest, highest], INK, 2)?;
    dot(area, highest, 5.0, INK)?;
    dot(area, lowest, 5.0, INK)?;
    let (at, side) = match height {
        Some(height) => ((highest.0 - 9.0, height), HPos::Right),
        // There is no room to the right.
        None if *before > 0.95 => ((lowest.0 + 6.0, lowest.1 + 20.0), HPos::Right),
        None => ((lowest.0, lowest.1 + 20.0), HPos::Center),
    };
    write(area, at, name, (TEXT, INK), side)
}

/// Rounds up to whole percents, with a tolerance for floating point.
fn up(share: f64) -> f64 {
    (share * 100.0 - 1e-9).ceil() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_says_what_the_curve_shows() {
        let beliefs = Beliefs { priors: (0.0, 0.5), but_for: Some(2.0), ..Beliefs::of_odds(3.0) };
        let svg = curve(&beliefs);
        assert!(svg.contains("from 50%, at most 75% and at least 25%"), "{svg}");
        assert!(svg.contains("But for a chance: from 50%, at most 67% and at least 33%."), "{svg}");
    }

    #[test]
    fn names_of_similar_observers_do_not_touch() {
        let mark = |before: f64| Mark { name: "observer".to_owned(), before, low: 0.2, high: before + 0.3 };
        let svg = curve(&Beliefs { marks: vec![mark(0.45), mark(0.5)], ..Beliefs::of_odds(3.0) });
        let names = crate::testing::texts(&svg).into_iter().filter(|(_, _, text)| text == "observer");
        let heights: Vec<f64> = names.map(|(_, y, _)| y).collect();
        assert!((heights[0] - heights[1]).abs() >= NAME, "{heights:?}");
    }
}
