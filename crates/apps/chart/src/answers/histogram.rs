//! Answers for bands of numbers as adjacent columns.

use super::{DrawablePoint, Series, description, own_legend, shown, words};
use crate::canvas::{Area, DrawResult};
use crate::legend::{Key, nothing};
use crate::palette::{BLUE, INK, MUTED, ORANGE, PALE};
use crate::pen::{arrow, diamond, line, slab};
use crate::plot::Frame;
use crate::scale::{Scale, span};
use crate::sheet::{HEAD, Tick, sheet};

/// The height of the plot, in pixels.
const TALL: f64 = 200.0;

/// One column for each answer, from zero, in their order and without gaps between them.
#[must_use]
pub fn histogram(answer: &Series) -> String {
    let shown = shown(answer);
    let signs = [(Key::Bar, "answer"), (Key::Interval, "its interval")];
    let legend = own_legend(answer, &shown, signs.get(..if answer.intervals { 2 } else { 1 }).unwrap_or_default());
    let range = span(shown.iter().flat_map(DrawablePoint::values).chain([0.0]));
    let scale = Scale::linear(range, (HEAD + TALL, HEAD));
    let scale = if shown.iter().any(DrawablePoint::is_open) { scale.padded(0.06) } else { scale };
    let values = scale.ticks(5);
    let frame = Frame::beside(&scale, &values, 20.0);
    let step = (frame.right - frame.left) / shown.len().max(1) as f64;
    let x = |at: usize| frame.left + step * (at as f64 + 0.5);
    let ticks: Vec<Tick> = answer.points.iter().enumerate().map(|(at, point)| (x(at), point.label.clone())).collect();

    sheet(&words(answer, &description(answer, &shown)), frame.bottom + 30.0, &legend, |area| {
        frame.values(area, &values, &answer.value)?;
        frame.below(area, &ticks, "")?;
        let zero = scale.at(0.0);
        for (at, (shown, point)) in shown.iter().zip(&answer.points).enumerate() {
            if let Some(value) = shown.value {
                let (left, right, top) = (x(at) - step / 2.0 + 0.5, x(at) + step / 2.0 - 0.5, scale.at(value));
                slab(area, (left, zero), (right, top), &PALE)?;
                line(area, &[(left, top), (right, top)], BLUE, 3)?;
            }
            if point.is_unusable {
                nothing(area, (x(at), frame.bottom - 8.0))?;
            }
            interval(area, &scale, &frame, x(at), shown)?;
            shown.truth.map_or(Ok(()), |truth| diamond(area, (x(at), scale.at(truth)), 5.0, ORANGE))?;
        }
        line(area, &[(frame.left, zero), (frame.right, zero)], MUTED, 1)?;
        if shown.is_empty() { frame.nothing(area, "no answers") } else { Ok(()) }
    })
}

/// The interval of a column: a vertical line with its ends, and an arrow at an open end.
fn interval(area: &Area<'_>, scale: &Scale, frame: &Frame, x: f64, shown: &DrawablePoint) -> DrawResult {
    if shown.is_empty() || shown.low.zip(shown.high).is_some_and(|(low, high)| low >= high) {
        return Ok(());
    }
    let end = |value: Option<f64>, edge: f64| value.map_or(edge, |value| scale.at(value));
    line(area, &[(x, end(shown.low, frame.bottom)), (x, end(shown.high, frame.top))], INK, 2)?;
    for (value, edge, towards) in [(shown.low, frame.bottom, 1.0), (shown.high, frame.top, -1.0)] {
        match value {
            Some(value) => line(area, &[(x - 4.0, scale.at(value)), (x + 4.0, scale.at(value))], INK, 2)?,
            None => arrow(area, (x, edge), (0.0, towards), INK)?,
        }
    }
    Ok(())
}
