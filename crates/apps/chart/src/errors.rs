//! Expected errors of answers in one unit under a range of promises, as a small chart.

use crate::canvas::{DrawResult, TEXT, picture};
use crate::legend::{self, Key};
use crate::palette::RED;
use crate::pen::{line, write};
use crate::plot::{Frame, Plot, room_for};
use crate::scale::{Scale, known};
use crate::series::Series;
use crate::words::{brief, count, fit, number, width};
use plotters::style::text_anchor::HPos;

/// The width of the chart, in pixels. At four fifths of it, text still has 11 pixels.
const WIDE: u32 = 225;
/// The top of the plot, below the label of the values and that of the current promise, and its bottom, in pixels.
const ROOM: (f64, f64) = (44.0, 154.0);
/// Start and width of the legend, in pixels.
const LEGEND: (f64, f64) = (6.0, WIDE as f64 - 12.0);
/// Up to this many points of a line are marked.
const MARKED: usize = 24;

/// Errors along a promise.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// Label of the swept value.
    pub x_label: String,
    /// The unit of the errors.
    pub unit: String,
    /// The swept values.
    pub x: Vec<f64>,
    /// For each answer, its name and the error at each value.
    pub lines: Vec<(String, Vec<Option<f64>>)>,
    /// The current promise.
    pub current: Option<f64>,
}

/// A line for each answer, on logarithmic axes if values span more than a factor of 30. Several lines have a legend.
#[must_use]
pub fn errors(errors: &Errors) -> String {
    let lines: Vec<Vec<(f64, Option<f64>)>> = errors.lines.iter().map(|(_, values)| placed(errors, values)).collect();
    let entry = |(at, (name, _)): (usize, &(String, _))| (Key::Line(Series(at)), fit(name, TEXT, LEGEND.1 - 50.0));
    let legend: Vec<(Key, String)> = errors.lines.iter().enumerate().filter(|_| lines.len() > 1).map(entry).collect();
    let current = errors.current.and_then(known);
    let xs: Vec<f64> = lines.iter().flatten().map(|(x, _)| *x).chain(current).collect();
    let ys: Vec<f64> = lines.iter().flatten().filter_map(|(_, y)| *y).collect();
    let up = Scale::by_span(&ys, true, (ROOM.1, ROOM.0));
    let up = if up.is_log() { up.padded(0.04) } else { up };
    let values = up.ticks(4);
    let page = f64::from(WIDE);
    let frame = Frame { left: room_for(&values), right: page - 12.0, top: ROOM.0, bottom: ROOM.1, page };
    let plot = Plot::inside(frame, up, values, |room| Scale::by_span(&xs, false, room));
    let said = |label: &str, scale: &Scale| if scale.is_log() { format!("{label} (log)") } else { label.to_owned() };
    let x_label = if ys.is_empty() { "no errors to show".to_owned() } else { said(&errors.x_label, &plot.across) };
    let y_label = said(&format!("± {}", errors.unit), &up);
    let bottom = ROOM.1 + 50.0;
    let tall = bottom + legend::height(&legend, LEGEND.1);
    picture((WIDE, tall as u32), "Expected errors", &description(errors, &lines), |area| -> DrawResult {
        plot.axes(area, (&x_label, &y_label))?;
        if let Some(current) = current {
            let x = plot.across.at(current);
            line(area, &[(x, ROOM.0 - 4.0), (x, ROOM.1)], RED, 2)?;
            let words = format!("now {}", number(current));
            let half = width(&words, TEXT) / 2.0;
            let centre = x.min(page - 4.0 - half).max(4.0 + half);
            write(area, (centre, ROOM.0 - 12.0), &words, (TEXT, RED), HPos::Center)?;
        }
        for (at, points) in lines.iter().enumerate() {
            for run in points.split(|(_, y)| y.is_none()) {
                let run: Vec<(f64, f64)> = run.iter().filter_map(|(x, y)| y.map(|y| (*x, y))).collect();
                // Marks distinguish lines, and a single point has no line.
                plot.series(area, Series(at), &run, (lines.len() > 1 && points.len() <= MARKED) || run.len() == 1)?;
            }
        }
        legend::draw(area, (LEGEND.0, bottom), LEGEND.1, &legend)
    })
}

/// The points of a line in their order on the axis.
fn placed(errors: &Errors, values: &[Option<f64>]) -> Vec<(f64, Option<f64>)> {
    let mut points: Vec<(f64, Option<f64>)> =
        errors.x.iter().zip(values).filter_map(|(x, y)| known(*x).map(|x| (x, y.and_then(known)))).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

/// Describes the chart in words: each line at the current promise if that was computed, and at both ends.
fn description(errors: &Errors, lines: &[Vec<(f64, Option<f64>)>]) -> String {
    let mut words =
        format!("{} over {}, in {}.", count(lines.len(), "line"), brief(&errors.x_label), brief(&errors.unit));
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
