//! Legends below charts. No distinction depends on colour alone.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::palette::{BLUE, INK, MUTED, ORANGE, PALE, RED};
use crate::pen::{Place, arrow, dashes, diamond, dot, line, ring, slab, write};
use crate::series::Series;
use crate::words::width;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

/// The height of a row, in pixels.
const ROW: f64 = 22.0;
/// The width of a sign, in pixels.
const SIGN: f64 = 34.0;

/// Opacity of an unreachable region: curves remain visible through it.
pub const FAINT: f64 = 0.14;
/// Opacity of a warned bar. It has no colour of its own, so that it suits light and dark pages.
const WARNED: f64 = 0.3;

/// Lengths of the dashes and gaps of promised or claimed lines, in pixels.
pub const PROMISED: (u32, u32) = (8, 5);

/// A sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    /// A bar, and the line at its end.
    Bar,
    /// The line of an interval, with its ends.
    Interval,
    /// An interval as a band behind a line.
    Band,
    /// An interval without an end.
    Open,
    /// The true value, if known.
    Truth,
    /// A mark of a value without a known interval.
    Unknown,
    Nothing,
    Line(Series),
    /// An unmarked line, among several with many points.
    Curve(Series),
    /// A line of released or attainable values.
    Reached,
    /// A line of promised or claimed values.
    Promised,
    Chance,
    /// The unreachable region, with its edge.
    Barred,
    /// A bar that is warned of.
    Warned,
    Before,
    After,
    /// A posterior without doubt: 0 or 1.
    Sure,
}

/// The position of each sign, and the total height, in rows of a width.
fn places(items: &[(Key, String)], wide: f64) -> (Vec<Place>, f64) {
    let mut at = (0.0, 0.0);
    let mut places = Vec::new();
    for (_, words) in items {
        let needed = SIGN + width(words, TEXT) + 16.0;
        if at.0 > 0.0 && at.0 + needed > wide {
            at = (0.0, at.1 + ROW);
        }
        places.push(at);
        at.0 += needed;
    }
    (places, if items.is_empty() { 0.0 } else { at.1 + ROW })
}

/// The height of a legend of a width, in pixels.
pub fn height(items: &[(Key, String)], wide: f64) -> f64 {
    places(items, wide).1
}

/// Draws the signs with their labels, from the upper left corner.
pub fn draw(area: &Area<'_>, (left, top): Place, wide: f64, items: &[(Key, String)]) -> DrawResult {
    for ((key, words), (right, down)) in items.iter().zip(places(items, wide).0) {
        let at = (left + right, top + down + ROW / 2.0);
        sign(area, *key, at)?;
        write(area, (at.0 + SIGN, at.1), words, (TEXT, INK), HPos::Left)?;
    }
    Ok(())
}

/// Draws a sign from the middle of its left side.
pub fn sign(area: &Area<'_>, key: Key, (x, y): Place) -> DrawResult {
    let (end, middle) = (x + 26.0, x + 13.0);
    match key {
        Key::Bar => bar(area, (x, end), y, 5.0, false),
        Key::Interval => whisker(area, (x, end), y),
        Key::Band => {
            slab(area, (x, y - 7.0), (end, y + 7.0), &PALE)?;
            line(area, &[(x, y), (end, y)], BLUE, 2)?;
            dot(area, (middle, y), 3.5, BLUE)
        }
        Key::Open => {
            line(area, &[(x, y), (end - 4.0, y)], INK, 2)?;
            arrow(area, (end, y), (1.0, 0.0), INK)
        }
        Key::Truth => diamond(area, (middle, y), 5.0, ORANGE),
        Key::Unknown => ring(area, (middle, y), 3.0, INK),
        Key::Nothing => nothing(area, (middle, y)),
        Key::Line(series) => {
            series.line(area, &[(x, y), (end, y)])?;
            series.mark(area, (middle, y))
        }
        Key::Curve(series) => series.line(area, &[(x, y), (end, y)]),
        Key::Reached => line(area, &[(x, y), (end, y)], BLUE, 3),
        Key::Promised => dashes(area, &[(x, y), (end, y)], RED, 2, PROMISED),
        Key::Chance => chance(area, (x, y), (end, y)),
        Key::Barred => {
            slab(area, (x, y - 7.0), (end, y + 7.0), &RED.mix(FAINT))?;
            line(area, &[(x, y + 7.0), (end, y + 7.0)], RED, 2)
        }
        Key::Warned => bar(area, (x, end), y, 5.0, true),
        Key::Before => ring(area, (middle, y), 5.0, INK),
        Key::After => dot(area, (middle, y), 4.0, BLUE),
        Key::Sure => diamond(area, (middle, y), 6.5, RED),
    }
}

/// The sign in place of a value that is not drawn.
pub fn nothing(area: &Area<'_>, (x, y): Place) -> DrawResult {
    line(area, &[(x - 5.0, y + 5.0), (x + 5.0, y - 5.0)], MUTED, 2)?;
    line(area, &[(x - 5.0, y - 5.0), (x + 5.0, y + 5.0)], MUTED, 2)
}

/// A horizontal bar of this half-height, with a line at its end.
pub fn bar(area: &Area<'_>, (from, to): (f64, f64), y: f64, half: f64, warned: bool) -> DrawResult {
    let (corners, end) = (((from, y - half), (to, y + half)), [(to, y - half), (to, y + half)]);
    if warned {
        slab(area, corners.0, corners.1, &RED.mix(WARNED))?;
        line(area, &end, RED, 3)
    } else {
        slab(area, corners.0, corners.1, &PALE)?;
        line(area, &end, BLUE, 3)
    }
}

/// The line of random guessing.
pub fn chance(area: &Area<'_>, from: Place, to: Place) -> DrawResult {
    dashes(area, &[from, to], MUTED, 1, (4, 4))
}

/// The line of an interval between two places across, with its ends.
pub fn whisker(area: &Area<'_>, (from, to): (f64, f64), y: f64) -> DrawResult {
    line(area, &[(from, y), (to, y)], INK, 2)?;
    [from, to].into_iter().try_for_each(|x| line(area, &[(x, y - 4.0), (x, y + 4.0)], INK, 2))
}
