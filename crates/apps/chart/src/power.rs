//! The power of a private selection over the number of participants.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::{self, Key};
use crate::palette::{INK, MUTED, RED};
use crate::pen::{line, write};
use crate::plot::{Frame, Plot};
use crate::scale::{Scale, known, span};
use crate::series::Series;
use crate::sheet::{HEAD, WIDE, Words, percents, share, shares, sheet};
use crate::words::{brief, count, fit, number, width};
use plotters::style::text_anchor::HPos;

/// The height of the plot of curves, in pixels.
const TALL: f64 = 260.0;
/// The height of a row if there is only one size, in pixels.
const ROW: f64 = 30.0;
/// Most width of names beside rows, in pixels.
const NAMES: f64 = 260.0;
/// Up to this many curves show intervals: more would hide each other.
const INTERVALS: usize = 4;
/// Narrower intervals are invisible.
const SEEN: f64 = 1e-3;

/// One size of a cohort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Cases and controls.
    pub participants: f64,
    /// The probability, from 0 to 1.
    pub found: f64,
    /// The lower end of its interval; the probability itself without an interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Curves over the number of participants.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// Title of the chart.
    pub title: String,
    /// Label of the probability.
    pub what: String,
    /// Each curve with its name, in any order of participants.
    pub curves: Vec<(String, Vec<Point>)>,
    /// Label of the intervals, in a few words.
    pub intervals: String,
    /// A target probability, drawn as a line.
    pub target: Option<f64>,
}

/// Probability over participants, a curve for each setting with a legend below; if all points have the same number of
/// participants, a row of dots for each setting instead.
#[must_use]
pub fn curves(power: &Curves) -> String {
    let curves: Vec<(String, Vec<Point>)> =
        power.curves.iter().map(|(name, points)| (name.clone(), placed(points))).collect();
    let sizes: Vec<f64> = curves.iter().flat_map(|(_, points)| points).map(|point| point.participants).collect();
    let one = sizes.windows(2).all(|two| matches!(two, [a, b] if a.total_cmp(b).is_eq()));
    match sizes.first() {
        Some(size) if one => dots(power, &curves, *size),
        _ => over_sizes(power, &curves, &sizes),
    }
}

/// Points that can be drawn, from few participants to many.
fn placed(points: &[Point]) -> Vec<Point> {
    let drawn = |point: &Point| {
        let found = share(point.found)?;
        let (low, high) = (share(point.low).unwrap_or(found), share(point.high).unwrap_or(found));
        known(point.participants).filter(|participants| *participants >= 0.0).map(|participants| Point {
            participants,
            found,
            low,
            high,
        })
    };
    let mut points: Vec<Point> = points.iter().filter_map(drawn).collect();
    points.sort_by(|one, other| one.participants.total_cmp(&other.participants));
    points
}

/// Whether an interval is wide enough to be visible.
fn any_interval(curves: &[(String, Vec<Point>)]) -> bool {
    curves.iter().flat_map(|(_, points)| points).any(|point| point.high - point.low > SEEN)
}

fn over_sizes(power: &Curves, curves: &[(String, Vec<Point>)], sizes: &[f64]) -> String {
    let mut legend: Vec<(Key, String)> = curves
        .iter()
        .enumerate()
        .map(|(at, (name, _))| (Key::Line(Series(at)), fit(name, TEXT, f64::from(WIDE) - 80.0)))
        .collect();
    let intervals = curves.len() <= INTERVALS && any_interval(curves);
    if intervals {
        legend.push((Key::Interval, fit(&power.intervals, TEXT, f64::from(WIDE) - 80.0)));
    }
    let up = Scale::linear((0.0, 1.0), (HEAD + 20.0 + TALL, HEAD + 20.0));
    let participants = span(sizes.iter().copied());
    let plot =
        Plot::new(up, shares(&up, 5), 16.0, |(left, right)| Scale::linear(participants, (left + 10.0, right - 10.0)));
    let label = if sizes.is_empty() { "nothing to show" } else { "participants (cases and controls)" };
    sheet(&words(power, &description(power, curves)), plot.frame.bottom + 54.0, &legend, |area| -> DrawResult {
        plot.axes(area, (label, &power.what))?;
        if let Some(target) = target(power) {
            plot.level(area, target, (RED, 1))?;
        }
        for (at, (_, points)) in curves.iter().enumerate() {
            let series = Series(at);
            for point in points.iter().filter(|_| intervals) {
                let ends = [(point.participants, point.low), (point.participants, point.high)];
                line(area, &plot.places(&ends), series.colour(), 1)?;
            }
            let found: Vec<(f64, f64)> = points.iter().map(|point| (point.participants, point.found)).collect();
            plot.series(area, series, &found, true)?;
        }
        Ok(())
    })
}

/// One size: a row for each setting, with a dot on a line from 0% to 100%.
fn dots(power: &Curves, curves: &[(String, Vec<Point>)], size: f64) -> String {
    let beside = curves.iter().map(|(name, _)| width(name, TEXT)).fold(60.0, f64::max).min(NAMES);
    let (top, rows) = (HEAD + 8.0, ROW * curves.len() as f64);
    let page = f64::from(WIDE);
    let frame = Frame { left: beside + 20.0, right: page - 64.0, top, bottom: top + rows, page };
    let across = Scale::linear((0.0, 1.0), (frame.left, frame.right));
    let mut key = vec![(Key::Interval, fit(&power.intervals, TEXT, f64::from(WIDE) - 80.0))];
    key.retain(|_| any_interval(curves));
    sheet(&words(power, &description(power, curves)), frame.bottom + 50.0, &key, |area| -> DrawResult {
        write(area, (8.0, 14.0), &fit(&power.what, TEXT, f64::from(WIDE) - 16.0), (TEXT, MUTED), HPos::Left)?;
        frame.below(area, &shares(&across, 5), &format!("{} participants", number(size)))?;
        if let Some(target) = target(power) {
            let x = across.at(target);
            line(area, &[(x, frame.top), (x, frame.bottom)], RED, 1)?;
        }
        for (at, (name, points)) in curves.iter().enumerate() {
            let y = frame.top + ROW * (at as f64 + 0.5);
            write(area, (8.0, y), &fit(name, TEXT, beside), (TEXT, INK), HPos::Left)?;
            points.iter().try_for_each(|point| dotted(area, &across, point, (at, y)))?;
            if let Some(point) = points.last() {
                write(area, (frame.right + 10.0, y), &percents(point.found), (TEXT, INK), HPos::Left)?;
            }
        }
        Ok(())
    })
}

fn dotted(area: &Area<'_>, across: &Scale, point: &Point, (at, y): (usize, f64)) -> DrawResult {
    if point.high - point.low > SEEN {
        legend::whisker(area, (across.at(point.low), across.at(point.high)), y)?;
    }
    Series(at).mark(area, (across.at(point.found), y))
}

fn target(power: &Curves) -> Option<f64> {
    power.target.and_then(known).filter(|target| (0.0..=1.0).contains(target))
}

fn words<'a>(power: &'a Curves, description: &'a str) -> Words<'a> {
    Words { title: &power.title, otherwise: "Chance of finding all", description }
}

/// Describes the chart in words: both ends of every curve.
fn description(power: &Curves, curves: &[(String, Vec<Point>)]) -> String {
    let mut words = format!("{} over participants: {}.", brief(&power.what), count(curves.len(), "setting"));
    if let Some(target) = target(power) {
        words.push_str(&format!(" A line is drawn at {}.", percents(target)));
    }
    for (name, points) in curves {
        let at = |point: &Point| format!("{} at {}", percents(point.found), number(point.participants));
        let said = match points.as_slice() {
            [] => "nothing known".to_owned(),
            [one] => at(one),
            [first, .., last] => format!("{}, {}", at(first), at(last)),
        };
        words.push_str(&format!(" {}: {said}.", brief(name)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{AWKWARD, ODD, check, texts};

    fn point(participants: f64, found: f64) -> Point {
        Point { participants, found, low: found - 0.1, high: found + 0.1 }
    }

    fn example(curves: usize, sizes: u32) -> Curves {
        let curve = |at: usize| {
            let points = (1..=sizes).map(|size| {
                let participants = 2500.0 * f64::from(size);
                point(participants, 1.0 / (1.0 + (5.0 - participants / 1500.0 - at as f64).exp()))
            });
            (format!("γ = {}, prior 1/2 (ε 1.0987)", at + 2), points.collect())
        };
        Curves {
            title: "Power".to_owned(),
            what: "probability that all planted SNPs are found".to_owned(),
            curves: (0..curves).map(curve).collect(),
            intervals: "two standard errors either way".to_owned(),
            target: Some(0.9),
        }
    }

    #[test]
    fn the_description_says_both_ends() {
        let mut two = example(2, 2);
        two.curves[0].1 = vec![point(10_000.0, 0.75), point(2500.0, 0.125)];
        let svg = curves(&two);
        check(&svg);
        for words in [
            "2 settings. A line is drawn at 90%. γ = 2, prior 1/2 (ε 1.0987): 12.5% at 2,500, 75% at 10,000.",
            ">participants (cases and controls)<",
            ">γ = 3, prior 1/2 (ε 1.0987)<",
            ">two standard errors either way<",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // Intervals of at most four curves: more would hide each other.
        assert!(!curves(&example(5, 3)).contains("two standard errors"));
    }

    #[test]
    fn one_size_is_drawn_as_dots() {
        let svg = curves(&example(3, 1));
        check(&svg);
        let rows = texts(&svg);
        assert_eq!(rows.iter().filter(|(_, _, text)| text.starts_with("γ = ")).count(), 3, "{svg}");
        assert!(svg.contains(">2,500 participants<") && !svg.contains("cases and controls"), "{svg}");
    }

    #[test]
    fn anything_can_be_drawn() {
        for (lines, sizes) in [(0, 0), (1, 0), (1, 1), (1, 2), (6, 1), (6, 5), (20, 4)] {
            check(&curves(&example(lines, sizes)));
            for odd in ODD {
                let mut one = example(lines, sizes);
                one.target = Some(odd);
                for (_, points) in &mut one.curves {
                    points.push(point(odd, 0.5));
                    points.push(Point { participants: 9000.0, found: odd, low: odd, high: -odd });
                }
                check(&curves(&one));
            }
        }
        let long = "word ".repeat(40);
        for label in AWKWARD.into_iter().chain([long.as_str()]) {
            for sizes in [1, 3] {
                let mut odd = example(3, sizes);
                odd.curves.iter_mut().for_each(|(name, _)| *name = label.to_owned());
                check(&curves(&Curves {
                    title: label.to_owned(),
                    what: label.to_owned(),
                    intervals: label.to_owned(),
                    ..odd
                }));
            }
        }
    }
}
