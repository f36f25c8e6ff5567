//! Answers as bars from zero, with their intervals.

use super::{DrawablePoint, Series, UNUSABLE, description, own_legend, shown, words};
use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::{Key, bar, whisker};
use crate::palette::{INK, MUTED, ORANGE};
use crate::pen::{arrow, diamond, line, write};
use crate::plot::Frame;
use crate::scale::{Scale, span};
use crate::sheet::{WIDE, sheet};
use crate::words::{fit, width};
use plotters::style::text_anchor::HPos;

/// Most width of names, in pixels: longer ones are cut.
const NAMES: f64 = WIDE as f64 * 0.42;
const TOP: f64 = 8.0;
/// Height below the last bar for ticks, and for their label.
const FOOT: (f64, f64) = (28.0, 22.0);

/// One bar for each answer, with its name on the left and its number on the right.
#[must_use]
pub fn bars(answer: &Series) -> String {
    let shown = shown(answer);
    // Many bars are drawn closer together, but still legible.
    let row = if shown.len() <= 24 { 26.0 } else { 19.0 };
    let signs = [(Key::Bar, "answer"), (Key::Interval, "its interval")];
    let legend = own_legend(answer, &shown, signs.get(..if answer.intervals { 2 } else { 1 }).unwrap_or_default());
    let bottom = TOP + row * shown.len().max(1) as f64;

    let numbers: Vec<String> =
        answer.points.iter().map(|point| if point.is_unusable { String::new() } else { point.text() }).collect();
    let widest = |words: &mut dyn Iterator<Item = &str>| words.map(|word| width(word, TEXT)).fold(0.0, f64::max);
    let left = widest(&mut answer.points.iter().map(|point| point.label.as_str())).min(NAMES) + 18.0;
    let right = f64::from(WIDE) - widest(&mut numbers.iter().map(String::as_str)) - 20.0;
    let values = shown.iter().flat_map(DrawablePoint::values).chain([0.0]);
    let scale = Scale::linear(span(values), (left, right));
    let scale = if shown.iter().any(DrawablePoint::is_open) { scale.padded(0.08) } else { scale };

    let frame = Frame { left, right, top: TOP, bottom, page: f64::from(WIDE) };
    // On a page, the heading of the table beside the chart is its label.
    let (label, foot) = if answer.has_legend { (answer.value.as_str(), FOOT.0 + FOOT.1) } else { ("", FOOT.0) };
    sheet(&words(answer, &description(answer, &shown)), bottom + foot, &legend, |area| {
        frame.columns(area, &scale.ticks_across(TEXT), label)?;
        for (at, ((point, shown), number)) in answer.points.iter().zip(&shown).zip(&numbers).enumerate() {
            let y = TOP + row * (at as f64 + 0.5);
            write(area, (left - 10.0, y), &fit(&point.label, TEXT, NAMES), (TEXT, INK), HPos::Right)?;
            let colour = if shown.value.is_some() { INK } else { MUTED };
            write(area, (right + 10.0, y), number, (TEXT, colour), HPos::Left)?;
            if point.is_unusable {
                let words = fit(UNUSABLE, TEXT, right - scale.at(0.0) - 8.0);
                write(area, (scale.at(0.0) + 8.0, y), &words, (TEXT, MUTED), HPos::Left)?;
            }
            lying(area, &scale, shown, y, row, (left, right))?;
        }
        line(area, &[(scale.at(0.0), TOP), (scale.at(0.0), bottom)], MUTED, 1)?;
        if shown.is_empty() { frame.nothing(area, "no answers") } else { Ok(()) }
    })
}

/// A horizontal bar at a height, its interval, and the truth.
fn lying(
    area: &Area<'_>,
    scale: &Scale,
    shown: &DrawablePoint,
    y: f64,
    row: f64,
    (left, right): (f64, f64),
) -> DrawResult {
    if let Some(value) = shown.value {
        bar(area, (scale.at(0.0), scale.at(value)), y, row * 0.34, false)?;
    }
    let inner = shown.value.or(shown.low).or(shown.high).map(|value| scale.at(value));
    match (shown.low.map(|low| scale.at(low)), shown.high.map(|high| scale.at(high)), inner) {
        (Some(low), Some(high), _) if low < high => whisker(area, (low, high), y)?,
        (Some(_), Some(_), _) => {}
        // An open end extends to the edge of the plot.
        (low, high, Some(_)) => {
            line(area, &[(low.unwrap_or(left + 4.0), y), (high.unwrap_or(right - 4.0), y)], INK, 2)?;
            for (end, tip, towards) in [(low, left, -1.0), (high, right, 1.0)] {
                match end {
                    Some(x) => line(area, &[(x, y - 4.0), (x, y + 4.0)], INK, 2)?,
                    None => arrow(area, (tip, y), (towards, 0.0), INK)?,
                }
            }
        }
        (_, _, None) => {}
    }
    shown.truth.map_or(Ok(()), |truth| diamond(area, (scale.at(truth), y), 5.0, ORANGE))
}
