//! Several lines in one chart, distinguished by colour, dashes and marks together.

use crate::canvas::{Area, DrawResult};
use crate::palette::{BLUE, GREEN, INK, ORANGE};
use crate::pen::{Place, dashes, diamond, dot, line, shape, slab};
use plotters::style::RGBColor;

/// The number of a line in its chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Series(pub usize);

impl Series {
    /// Its colour. Red is reserved for promises.
    pub fn colour(self) -> RGBColor {
        match self.0 % 4 {
            0 => BLUE,
            1 => GREEN,
            2 => ORANGE,
            _ => INK,
        }
    }

    /// Draws a line through positions. Dashes change with every line, and differently once the colours repeat.
    pub fn line(self, area: &Area<'_>, places: &[Place]) -> DrawResult {
        match (self.0 + self.0 / 4 * 2) % 5 {
            0 => line(area, places, self.colour(), 2),
            1 => dashes(area, places, self.colour(), 2, (9, 4)),
            2 => dashes(area, places, self.colour(), 2, (3, 3)),
            3 => dashes(area, places, self.colour(), 2, (15, 5)),
            _ => dashes(area, places, self.colour(), 2, (5, 8)),
        }
    }

    /// Draws its mark.
    pub fn mark(self, area: &Area<'_>, (x, y): Place) -> DrawResult {
        let colour = self.colour();
        match self.0 % 5 {
            0 => dot(area, (x, y), 4.0, colour),
            1 => slab(area, (x - 3.5, y - 3.5), (x + 3.5, y + 3.5), &colour),
            2 => diamond(area, (x, y), 5.0, colour),
            3 => shape(area, &[(x, y - 4.5), (x + 4.5, y + 3.5), (x - 4.5, y + 3.5)], &colour),
            _ => shape(area, &[(x, y + 4.5), (x + 4.5, y - 3.5), (x - 4.5, y - 3.5)], &colour),
        }
    }
}
