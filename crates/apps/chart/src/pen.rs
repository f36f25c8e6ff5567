//! Strokes, fills and words at positions in pixels.

use crate::canvas::place as units;
use crate::canvas::{Area, DrawResult, placed, px};
use crate::words::plain;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// A position in pixels: right, down.
pub type Place = (f64, f64);

/// A line through positions.
pub fn line(area: &Area<'_>, places: &[Place], colour: RGBColor, thick: u32) -> DrawResult {
    let places: Vec<_> = places.iter().copied().map(units).collect();
    area.draw(&PathElement::new(places, colour.stroke_width(px(thick)))).map_err(Into::into)
}

/// A dashed line with these lengths of dashes and gaps, in pixels.
pub fn dashes(area: &Area<'_>, places: &[Place], colour: RGBColor, thick: u32, (on, off): (u32, u32)) -> DrawResult {
    let places: Vec<_> = places.iter().copied().map(units).collect();
    area.draw(&DashedPathElement::new(places, px(on), px(off), colour.stroke_width(px(thick)))).map_err(Into::into)
}

/// A filled shape.
pub fn shape(area: &Area<'_>, places: &[Place], fill: &impl Color) -> DrawResult {
    let places: Vec<_> = places.iter().copied().map(units).collect();
    area.draw(&Polygon::new(places, fill.filled())).map_err(Into::into)
}

/// A filled box between two corners.
pub fn slab(area: &Area<'_>, one: Place, other: Place, fill: &impl Color) -> DrawResult {
    let corners = [(one.0.min(other.0), one.1.min(other.1)), (one.0.max(other.0), one.1.max(other.1))];
    area.draw(&Rectangle::new(corners.map(units), fill.filled())).map_err(Into::into)
}

/// A filled dot, with its radius in pixels.
pub fn dot(area: &Area<'_>, at: Place, radius: f64, colour: RGBColor) -> DrawResult {
    area.draw(&Circle::new(units(at), units((radius, 0.0)).0, colour.filled())).map_err(Into::into)
}

/// The outline of a dot.
pub fn ring(area: &Area<'_>, at: Place, radius: f64, colour: RGBColor) -> DrawResult {
    area.draw(&Circle::new(units(at), units((radius, 0.0)).0, colour.stroke_width(px(1)))).map_err(Into::into)
}

/// A filled diamond with this half-width.
pub fn diamond(area: &Area<'_>, (x, y): Place, reach: f64, colour: RGBColor) -> DrawResult {
    shape(area, &[(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], &colour)
}

/// An arrowhead with its tip at a position, along a direction of length 1.
pub fn arrow(area: &Area<'_>, (x, y): Place, (right, down): (f64, f64), colour: RGBColor) -> DrawResult {
    let (back, side) = ((x - right * 8.0, y - down * 8.0), (down * 4.0, right * 4.0));
    shape(area, &[(x, y), (back.0 + side.0, back.1 + side.1), (back.0 - side.0, back.1 - side.1)], &colour)
}

/// Words of a size and colour. `across` is their horizontal anchor; they are centred vertically.
pub fn write(area: &Area<'_>, at: Place, words: &str, (size, colour): (u32, RGBColor), across: HPos) -> DrawResult {
    area.draw(&Text::new(plain(words), units(at), placed(size, colour, across, VPos::Center))).map_err(Into::into)
}

/// Vertical words, upwards from a position.
pub fn write_up(area: &Area<'_>, at: Place, words: &str, (size, colour): (u32, RGBColor)) -> DrawResult {
    let style = placed(size, colour, HPos::Left, VPos::Center).transform(FontTransform::Rotate270);
    area.draw(&Text::new(plain(words), units(at), style)).map_err(Into::into)
}
