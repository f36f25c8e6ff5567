//! Axes around a plot: a grid of values, ticks below, and what both axes are.

use crate::canvas::{Area, Drawn, TEXT};
use crate::palette::{GRID, INK, MUTED};
use crate::pen::{line, write};
use crate::scale::{labels, stride};
use crate::words::{fit, width};
use plotters::style::text_anchor::HPos;

/// The width of most pictures, in pixels: that of a column of text.
pub const WIDE: u32 = 560;

/// What is said above a plot takes so much room, in pixels.
pub const HEAD: f64 = 34.0;

/// The place of a plot inside a picture, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// The room that ticks on the left take.
pub fn room_for(ticks: &[(f64, String)]) -> f64 {
    ticks.iter().map(|(_, text)| width(text, TEXT)).fold(20.0, f64::max).min(150.0) + 16.0
}

impl Frame {
    /// Lines of a grid with the values they stand for on the left, and what these are above.
    pub fn values(&self, area: &Area<'_>, ticks: &[(f64, String)], label: &str) -> Drawn {
        for (y, text) in ticks {
            line(area, &[(self.left, *y), (self.right, *y)], GRID, 1)?;
            write(area, (self.left - 8.0, *y), &fit(text, TEXT, 150.0), (TEXT, INK), HPos::Right)?;
        }
        let label = fit(label, TEXT, self.right - 8.0);
        write(area, (8.0, 14.0), &label, (TEXT, MUTED), HPos::Left)
    }

    /// The line below, as many ticks as fit, and what they are.
    pub fn below(&self, area: &Area<'_>, ticks: &[(f64, String)], label: &str) -> Drawn {
        line(area, &[(self.left, self.bottom), (self.right, self.bottom)], MUTED, 1)?;
        let edge = f64::from(WIDE) - 4.0;
        let ticks: Vec<(f64, String)> = ticks.iter().map(|(x, text)| (*x, fit(text, TEXT, 110.0))).collect();
        // Words at the ends stay inside the picture; their ticks stay where they are.
        let centres: Vec<(f64, f64)> = labels(&ticks, TEXT)
            .into_iter()
            .map(|(x, wide)| (x.min(edge - wide / 2.0).max(4.0 + wide / 2.0), wide))
            .collect();
        let every = stride(&centres);
        for ((x, text), (centre, _)) in ticks.iter().zip(&centres).step_by(every) {
            line(area, &[(*x, self.bottom), (*x, self.bottom + 5.0)], MUTED, 1)?;
            write(area, (*centre, self.bottom + 16.0), text, (TEXT, INK), HPos::Center)?;
        }
        let label = fit(label, TEXT, self.right - self.left);
        write(area, ((self.left + self.right) / 2.0, self.bottom + 37.0), &label, (TEXT, MUTED), HPos::Center)
    }
}
