//! Expected errors of answers under a range of promises.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::Key;
use crate::palette::{INK, MUTED, RED};
use crate::pen::{Place, line, write};
use crate::plot::{Frame, Plot};
use crate::scale::{Scale, apart, known};
use crate::series::Series;
use crate::sheet::{HEAD, WIDE, Words, sheet};
use crate::words::{brief, count, fit, number, width};
use plotters::style::text_anchor::HPos;

/// The height of the plot, in pixels.
const TALL: f64 = 260.0;
/// Most width of names at the right ends of lines, in pixels.
const NAMES: f64 = 130.0;
/// Up to this many lines are named at their ends; more are named in the legend.
const AT_ENDS: usize = 5;
/// Up to this many points of a line are marked.
const MARKED: usize = 24;

/// Errors along a promise.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// Label of the swept value.
    pub x_label: String,
    /// Label of the errors.
    pub y_label: String,
    /// The swept values.
    pub x: Vec<f64>,
    /// For each kind of answer, its name and the error at each value.
    pub lines: Vec<(String, Vec<Option<f64>>)>,
    /// The current promise.
    pub current: Option<f64>,
}

/// A line for each kind of answer, on logarithmic axes if values span more than a factor of 30.
#[must_use]
pub fn errors(errors: &Errors) -> String {
    let lines: Vec<Vec<(f64, Option<f64>)>> = errors.lines.iter().map(|(_, values)| placed(errors, values)).collect();
    let at_ends = lines.len() <= AT_ENDS;
    let names = || errors.lines.iter().map(|(name, _)| name.as_str());
    let legend: Vec<(Key, String)> = if at_ends {
        Vec::new()
    } else {
        names().enumerate().map(|(at, name)| (Key::Line(Series(at)), fit(name, TEXT, 220.0))).collect()
    };
    let current = errors.current.and_then(known);
    let xs: Vec<f64> = lines.iter().flatten().map(|(x, _)| *x).chain(current).collect();
    let ys: Vec<f64> = lines.iter().flatten().filter_map(|(_, y)| *y).collect();
    let rows = Scale::by_span(&ys, true, (HEAD + TALL, HEAD + 20.0));
    let rows = if rows.is_log() { rows.padded(0.04) } else { rows };
    let values = rows.ticks(6);
    let beside =
        if at_ends { names().map(|name| width(name, TEXT)).fold(0.0, f64::max).min(NAMES) + 18.0 } else { 8.0 };
    let plot = Plot::new(rows, values, 8.0 + beside, |room| Scale::by_span(&xs, false, room));
    let frame = plot.frame;
    let said =
        |label: &str, scale: &Scale| if scale.is_log() { format!("{label} (log scale)") } else { label.to_owned() };
    let label = if ys.is_empty() { "no errors to show".to_owned() } else { said(&errors.x_label, &plot.across) };
    let words = Words { title: "Expected errors", otherwise: "", description: &description(errors, &lines) };
    sheet(&words, frame.bottom + 54.0, &legend, |area| -> DrawResult {
        plot.axes(area, (&label, &said(&errors.y_label, &rows)))?;
        if let Some(current) = current {
            let x = plot.across.at(current);
            line(area, &[(x, frame.top - 6.0), (x, frame.bottom)], RED, 2)?;
            let words = format!("now: {}", number(current));
            let half = width(&words, TEXT) / 2.0;
            let centre = x.min(f64::from(WIDE) - 8.0 - half).max(8.0 + half);
            write(area, (centre, frame.top - 15.0), &words, (TEXT, RED), HPos::Center)?;
        }
        let mut ends: Vec<(Series, Place, &str)> = Vec::new();
        for (at, (points, name)) in lines.iter().zip(names()).enumerate() {
            let series = Series(at);
            for run in points.split(|(_, y)| y.is_none()) {
                let run: Vec<(f64, f64)> = run.iter().filter_map(|(x, y)| y.map(|y| (*x, y))).collect();
                // A single point has no line, so it is marked.
                plot.series(area, series, &run, points.len() <= MARKED || run.len() == 1)?;
                if let Some(last) = run.last() {
                    ends.retain(|(kept, _, _)| *kept != series);
                    ends.push((series, plot.at(*last), name));
                }
            }
        }
        if at_ends { named(area, &frame, &ends) } else { Ok(()) }
    })
}

/// The points of a line in their order on the axis.
fn placed(errors: &Errors, values: &[Option<f64>]) -> Vec<(f64, Option<f64>)> {
    let mut points: Vec<(f64, Option<f64>)> =
        errors.x.iter().zip(values).filter_map(|(x, y)| known(*x).map(|x| (x, y.and_then(known)))).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

/// Names beside the right ends of lines, with a line to the end, and moved apart if ends are close.
fn named(area: &Area<'_>, frame: &Frame, ends: &[(Series, Place, &str)]) -> DrawResult {
    let wanted: Vec<(f64, f64)> = ends.iter().map(|(_, (_, y), _)| (*y, 16.0)).collect();
    for ((series, end, name), y) in ends.iter().zip(apart(&wanted, 1.0, (frame.top - 8.0, frame.bottom + 8.0))) {
        let start = frame.right + 15.0;
        line(area, &[*end, (start - 3.0, y)], MUTED, 1)?;
        series.mark(area, *end)?;
        write(area, (start, y), &fit(name, TEXT, NAMES), (TEXT, INK), HPos::Left)?;
    }
    Ok(())
}

/// Describes the chart in words: each line at the current promise if that was computed, and at both ends.
fn description(errors: &Errors, lines: &[Vec<(f64, Option<f64>)>]) -> String {
    let mut words =
        format!("{} over {}, in {}.", count(lines.len(), "line"), brief(&errors.x_label), brief(&errors.y_label));
    if let Some(current) = errors.current.and_then(known) {
        words.push_str(&format!(" The current promise is at {}.", number(current)));
    }
    for (points, (name, _)) in lines.iter().zip(&errors.lines) {
        let mut valued = points.iter().filter_map(|(x, y)| y.map(|y| (*x, y)));
        let Some(first) = valued.next() else {
            words.push_str(&format!(" {}: no errors.", brief(name)));
            continue;
        };
        let at = |(x, y): (f64, f64)| format!("{} at {}", number(y), number(x));
        let last = valued.next_back().map_or(String::new(), |last| format!(", {}", at(last)));
        words.push_str(&format!(" {}: {}{last}.", brief(name), at(first)));
    }
    words
}

#[cfg(test)]
mod tests;
