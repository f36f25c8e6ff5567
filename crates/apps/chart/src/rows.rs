//! Rows on one line from 0% to 100%, each with its label and a text above.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::Key;
use crate::palette::{GRID, INK, MUTED};
use crate::pen::{line, write};
use crate::plot::Frame;
use crate::scale::Scale;
use crate::sheet::{WIDE, Words, shares, sheet};
use crate::words::{fit, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Above the first row, in pixels.
const TOP: f64 = 4.0;
/// The height of a row with its text above, in pixels.
const ROW: f64 = 42.0;

/// Text above a row.
pub struct Row<'a> {
    /// The label of the row.
    pub label: &'a str,
    /// A text on the right.
    pub said: String,
    /// The colour of the text.
    pub colour: RGBColor,
}

/// A chart of rows. `axis` is the label of the shares, unless each row has its own; `none` the message without rows;
/// `paint` draws a row from its number, the scale, and its height.
pub fn rows(
    words: &Words<'_>,
    rows: &[Row<'_>],
    (axis, none): (&str, &str),
    legend: &[(Key, String)],
    paint: impl Fn(&Area<'_>, usize, &Scale, f64) -> DrawResult,
) -> String {
    let page = f64::from(WIDE);
    let bottom = TOP + ROW * rows.len().max(1) as f64 + 4.0;
    let frame = Frame { left: 24.0, right: page - 28.0, top: TOP, bottom, page };
    let across = Scale::linear((0.0, 1.0), (frame.left, frame.right));
    sheet(words, bottom + if axis.is_empty() { 30.0 } else { 54.0 }, legend, |area| {
        let ticks = shares(&across, 4);
        frame.below(area, &ticks, axis)?;
        for (at, row) in rows.iter().enumerate() {
            let top = TOP + ROW * at as f64;
            let (words, y) = (top + 10.0, top + 30.0);
            let room = page - width(&row.said, TEXT) - 40.0;
            write(area, (8.0, words), &fit(row.label, TEXT, room), (TEXT, INK), HPos::Left)?;
            write(area, (page - 12.0, words), &row.said, (TEXT, row.colour), HPos::Right)?;
            line(area, &[(frame.left, y), (frame.right, y)], GRID, 1)?;
            for (x, _) in &ticks {
                line(area, &[(*x, y - 4.0), (*x, y + 4.0)], GRID, 1)?;
            }
            paint(area, at, &across, y)?;
        }
        if rows.is_empty() {
            let middle = f64::midpoint(frame.left, frame.right);
            write(area, (middle, TOP + ROW / 2.0), none, (TEXT, MUTED), HPos::Center)?;
        }
        Ok(())
    })
}
