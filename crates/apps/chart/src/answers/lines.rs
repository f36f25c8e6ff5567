//! Answers along an ordered axis: dates, numbers, bands.

use super::{DrawablePoint, Series, description, own_legend, shown, words};
use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::{Key, nothing};
use crate::palette::{BLUE, INK, MUTED, ORANGE, PALE};
use crate::pen::{Place, arrow, diamond, dot, line, shape, write};
use crate::plot::Frame;
use crate::scale::{Scale, span};
use crate::sheet::{HEAD, Tick, sheet};
use plotters::style::text_anchor::HPos;

/// The height of the plot, in pixels.
const TALL: f64 = 200.0;

/// A line through the answers, with their intervals as a band. Points are equidistant, in their order.
#[must_use]
pub fn lines(answer: &Series) -> String {
    let shown = shown(answer);
    let legend = own_legend(answer, &shown, &[(Key::Band, "answer and its interval")]);

    let (low, high) = span(shown.iter().flat_map(DrawablePoint::values));
    // Zero is included if it is near.
    let (low, high) =
        (if low < high / 2.0 { low.min(0.0) } else { low }, if high > low / 2.0 { high } else { high.max(0.0) });
    let scale = Scale::linear((low, high), (HEAD + TALL, HEAD));
    let lies_open = shown.iter().any(DrawablePoint::is_open) || low < 0.0;
    let scale = if lies_open || low > 0.0 { scale.padded(0.06) } else { scale };
    let values = scale.ticks(6);
    let frame = Frame::beside(&scale, &values, 20.0);
    let step = (frame.right - frame.left) / shown.len().max(1) as f64;
    let x = |at: usize| frame.left + step * (at as f64 + 0.5);
    let ticks: Vec<Tick> = answer.points.iter().enumerate().map(|(at, point)| (x(at), point.label.clone())).collect();

    sheet(&words(answer, &description(answer, &shown)), frame.bottom + 36.0, &legend, |area| {
        let placed: Vec<(f64, DrawablePoint)> = shown.iter().enumerate().map(|(at, shown)| (x(at), *shown)).collect();
        // The grid is drawn over the band, so that values can be read.
        band(area, &scale, &frame, &placed)?;
        frame.values(area, &values, &answer.value)?;
        frame.below(area, &ticks, "")?;
        if low > 0.0 || high < 0.0 {
            let at = (frame.right, 14.0);
            write(area, at, "the axis does not include 0", (TEXT, MUTED), HPos::Right)?;
        }
        if low < 0.0 {
            line(area, &[(frame.left, scale.at(0.0)), (frame.right, scale.at(0.0))], MUTED, 1)?;
        }
        if shown.is_empty() {
            frame.nothing(area, "no answers")?;
        }
        through(area, &scale, &placed)?;
        let radius = if step < 8.0 { 2.0 } else { 3.5 };
        for ((x, shown), point) in placed.iter().zip(&answer.points) {
            if point.is_unusable {
                nothing(area, (*x, frame.bottom - 8.0))?;
            }
            ends(area, &scale, &frame, *x, shown)?;
            shown.value.map_or(Ok(()), |value| dot(area, (*x, scale.at(value)), radius, BLUE))?;
            shown.truth.map_or(Ok(()), |truth| diamond(area, (*x, scale.at(truth)), radius + 1.5, ORANGE))?;
        }
        Ok(())
    })
}

/// The intervals as a band, interrupted at unknown values. An open end extends to the edge of the plot.
fn band(area: &Area<'_>, scale: &Scale, frame: &Frame, placed: &[(f64, DrawablePoint)]) -> DrawResult {
    for run in placed.split(|(_, shown)| shown.is_empty()) {
        let high = run.iter().map(|(x, shown)| (*x, shown.high.map_or(frame.top, |high| scale.at(high))));
        let low = run.iter().rev().map(|(x, shown)| (*x, shown.low.map_or(frame.bottom, |low| scale.at(low))));
        let outline: Vec<Place> = high.chain(low).collect();
        match run {
            [] => {}
            // A single point has no width.
            [(x, _)] => {
                let wide = |(_, y): &Place| [(x - 5.0, *y), (x + 5.0, *y)];
                let corners: Vec<Place> = outline.iter().flat_map(wide).collect();
                if let [a, b, c, d] = corners[..] {
                    shape(area, &[a, b, d, c], &PALE)?;
                }
            }
            _ => shape(area, &outline, &PALE)?,
        }
    }
    Ok(())
}

/// The line through the values, interrupted at missing values.
fn through(area: &Area<'_>, scale: &Scale, placed: &[(f64, DrawablePoint)]) -> DrawResult {
    for run in placed.split(|(_, shown)| shown.value.is_none()) {
        let places: Vec<Place> =
            run.iter().filter_map(|(x, shown)| shown.value.map(|value| (*x, scale.at(value)))).collect();
        if places.len() > 1 {
            line(area, &places, BLUE, 2)?;
        }
    }
    Ok(())
}

/// Arrows at open ends, and a stroke for an interval without a value.
fn ends(area: &Area<'_>, scale: &Scale, frame: &Frame, x: f64, shown: &DrawablePoint) -> DrawResult {
    if shown.is_empty() {
        return Ok(());
    }
    if shown.low.is_none() {
        arrow(area, (x, frame.bottom), (0.0, 1.0), INK)?;
    }
    if shown.high.is_none() {
        arrow(area, (x, frame.top), (0.0, -1.0), INK)?;
    }
    if shown.value.is_none() {
        let end = |value: Option<f64>, edge| value.map_or(edge, |value| scale.at(value));
        line(area, &[(x, end(shown.low, frame.bottom)), (x, end(shown.high, frame.top))], INK, 2)?;
    }
    Ok(())
}
