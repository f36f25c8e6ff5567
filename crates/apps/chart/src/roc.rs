//! ROC curves of tests of membership, with chance and the bound of a promise on any test.

use crate::canvas::{Area, DrawResult, TEXT, percent, place};
use crate::legend::{self, FAINT, Key};
use crate::palette::RED;
use crate::pen::{Place, line, shape};
use crate::plot::{Frame, Plot};
use crate::scale::{Scale, known};
use crate::series::Series;
use crate::sheet::{HEAD, WIDE, Words, percents, share, shares, sheet};
use crate::words::{brief, count, fit, number};
use plotters::style::Color;

/// The height of the plot, in pixels.
const TALL: f64 = 380.0;
/// Largest distance of a thinned curve from the whole one, in pixels: less than half its stroke.
const UNSEEN: f64 = 0.3;
/// Rates of false positives at which a description gives the height of a curve.
const SAID: [f64; 3] = [0.01, 0.05, 0.5];

/// One test.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Points as (rate of false positives, rate of true positives), each from 0 to 1, in any order. Both ends, (0, 0)
    /// and (1, 1), are implied.
    pub points: Vec<(f64, f64)>,
}

/// Tests on the same people.
#[derive(Debug, Clone, PartialEq)]
pub struct Roc {
    /// Title of the chart.
    pub title: String,
    /// The tests.
    pub curves: Vec<Curve>,
    /// The largest odds ratio R of a promise that bounds every test, at least 1: the region above its bound is shaded.
    pub odds: Option<f64>,
}

/// The curves, with the diagonal of random guessing.
#[must_use]
pub fn roc(roc: &Roc) -> String {
    let odds = roc.odds.and_then(known).filter(|odds| *odds >= 1.0);
    let curves: Vec<(String, Vec<Place>)> =
        roc.curves.iter().map(|curve| (curve.name.clone(), placed(&curve.points))).collect();
    let words = |text: &str| fit(text, TEXT, f64::from(WIDE) - 80.0);
    let mut legend: Vec<(Key, String)> = (0..)
        .zip(&curves)
        .map(|(at, (name, points))| (Key::Curve(Series(at)), words(&format!("{} ({})", short(name), said(points)))))
        .collect();
    legend.push((Key::Chance, "a coin (area 0.5)".to_owned()));
    if let Some(odds) = odds {
        let limit = format!("more than odds of at most {} allow any test", number(odds));
        legend.push((Key::Barred, words(&limit)));
    }
    let top = HEAD + 8.0;
    let up = Scale::linear((0.0, 1.0), (top + TALL, top));
    let mut plot = Plot::new(up, shares(&up, 5), 24.0, |room| Scale::linear((0.0, 1.0), room));
    plot.ticks = shares(&plot.across, 5);
    let edge = odds.map(|odds| limit(odds).map(|corner| plot.at(corner)));
    let words = Words { title: &roc.title, otherwise: "ROC curves", description: &description(&curves, odds) };
    sheet(&words, plot.frame.bottom + 54.0, &legend, |area| -> DrawResult {
        if let Some(edge) = &edge {
            barred(area, &plot.frame, edge)?;
        }
        let labels =
            ("false positives: others who are called members", "true positives: members who are called members");
        plot.axes(area, labels)?;
        legend::chance(area, plot.at((0.0, 0.0)), plot.at((1.0, 1.0)))?;
        if let Some(edge) = &edge {
            line(area, edge, RED, 2)?;
        }
        for (series, (_, points)) in curves.iter().enumerate().filter(|(_, (_, points))| !points.is_empty()) {
            Series(series).line(area, &thinned(&plot.places(points)))?;
        }
        Ok(())
    })
}

/// The highest curve under odds of at most R: `min(R·α, 1 − (1 − α)/R)`, from corner to corner.
fn limit(odds: f64) -> [Place; 3] {
    [(0.0, 0.0), (1.0 / (odds + 1.0), odds / (odds + 1.0)), (1.0, 1.0)]
}

/// The region above the bound.
fn barred(area: &Area<'_>, frame: &Frame, edge: &[Place; 3]) -> DrawResult {
    let mut region = edge.to_vec();
    region.push((frame.left, frame.top));
    shape(area, &region, &RED.mix(FAINT))
}

/// Points that can be drawn, by increasing false positives, with both ends; empty if there are no points.
fn placed(points: &[(f64, f64)]) -> Vec<Place> {
    let drawn = |(wrong, right): &(f64, f64)| share(*wrong).zip(share(*right));
    let mut points: Vec<Place> = points.iter().filter_map(drawn).collect();
    if !points.is_empty() {
        points.extend([(0.0, 0.0), (1.0, 1.0)]);
    }
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    points
}

/// Fewer points with a line that looks the same (Ramer, Douglas and Peucker).
fn thinned(places: &[Place]) -> Vec<Place> {
    let mut places = places.to_vec();
    places.dedup_by_key(|at| place(*at));
    let mut kept = vec![false; places.len()];
    let mut parts = vec![(0, places.len().saturating_sub(1))];
    while let Some((first, last)) = parts.pop() {
        for end in [first, last] {
            if let Some(kept) = kept.get_mut(end) {
                *kept = true;
            }
        }
        let ends = places.get(first).copied().zip(places.get(last).copied());
        let inner = places.iter().enumerate().take(last).skip(first + 1);
        let farthest = ends.and_then(|ends| {
            inner
                .map(|(at, place)| (at, distance(*place, ends)))
                .max_by(|one, other| one.1.total_cmp(&other.1))
                .filter(|(_, distance)| *distance > UNSEEN)
        });
        if let Some((at, _)) = farthest {
            parts.extend([(first, at), (at, last)]);
        }
    }
    places.into_iter().zip(kept).filter_map(|(place, kept)| kept.then_some(place)).collect()
}

/// The distance of a position from a straight line between two others.
fn distance((x, y): Place, (from, to): (Place, Place)) -> f64 {
    let (right, down) = (to.0 - from.0, to.1 - from.1);
    let length = right * right + down * down;
    let along = if length > 0.0 { ((x - from.0) * right + (y - from.1) * down) / length } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    (x - from.0 - along * right).hypot(y - from.1 - along * down)
}

/// The area under a curve, in words.
fn said(points: &[Place]) -> String {
    if points.is_empty() {
        return "nothing known".to_owned();
    }
    let part = |pair: &[Place]| match pair {
        [one, other] => (other.0 - one.0) * f64::midpoint(one.1, other.1),
        _ => 0.0,
    };
    format!("area {}", number(rounded(points.windows(2).map(part).sum())))
}

/// The height of a curve at a rate of false positives; on a vertical part, its highest.
fn height(points: &[Place], rate: f64) -> f64 {
    let at = |pair: &[Place]| match pair {
        [one, other] if (one.0..=other.0).contains(&rate) => {
            let wide = other.0 - one.0;
            let along = if wide > 0.0 { (rate - one.0) / wide } else { 1.0 };
            Some(one.1 + along * (other.1 - one.1))
        }
        _ => None,
    };
    points.windows(2).filter_map(at).fold(0.0, f64::max)
}

fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// Rounds up to thousandths, with a tolerance for floating point.
fn up(share: f64) -> f64 {
    (share * 1000.0 - 1e-9).ceil() / 1000.0
}

/// A name shortened to leave room for its area.
fn short(name: &str) -> String {
    fit(name, TEXT, f64::from(WIDE) - 240.0)
}

/// Describes the chart in words.
fn description(curves: &[(String, Vec<Place>)], odds: Option<f64>) -> String {
    let mut words = format!("ROC curves of {}: true positives over false positives.", count(curves.len(), "test"));
    for (name, points) in curves {
        words.push_str(&format!(" {}: {}", brief(name), said(points)));
        if !points.is_empty() {
            for rate in SAID {
                words.push_str(&format!(", {} at {}", percents(height(points, rate)), percent(rate)));
            }
        }
        words.push('.');
    }
    words.push_str(" A dashed diagonal is what a coin reaches, area 0.5.");
    if let Some(odds) = odds {
        let most: Vec<String> = SAID
            .iter()
            .map(|rate| format!("{} at {}", percent(up((odds * rate).min(1.0 - (1.0 - rate) / odds))), percent(*rate)))
            .collect();
        words.push_str(&format!(
            " Under odds of at most {} no test reaches more than {}, or an area above {}, on average over releases.",
            number(odds),
            most.join(", "),
            number(up(odds / (odds + 1.0)))
        ));
    }
    words
}

#[cfg(test)]
mod tests;
