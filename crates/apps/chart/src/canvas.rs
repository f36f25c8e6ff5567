//! Empty charts, and their conversion to an element of a page.

use crate::words::plain;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A drawing area.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Drawing into a string cannot run out of space; the only errors are mistakes in a chart.
pub type DrawResult = Result<(), Box<dyn std::error::Error>>;

/// Drawing units per pixel. The library rounds positions to whole units, and curves on whole pixels look ragged.
const UNITS: u32 = 4;

/// Font size of axes and labels, in pixels.
pub const TEXT: u32 = 14;

/// Converts pixels at design size to the library's units; the page scales the chart.
pub const fn px(pixels: u32) -> u32 {
    pixels * UNITS
}

/// Converts a position in pixels to the library's units.
pub fn place((right, down): (f64, f64)) -> (i32, i32) {
    let units = |pixels: f64| (pixels * f64::from(UNITS)).round() as i32;
    (units(right), units(down))
}

/// Draws a chart of a width and height in pixels. Screen readers announce `title` and `description`.
///
/// A chart that fails to draw (which tests would detect) keeps its title and description, without a partial drawing.
pub fn picture(
    (width, height): (u32, u32),
    title: &str,
    description: &str,
    paint: impl FnOnce(&Area<'_>) -> DrawResult,
) -> String {
    let mut svg = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut svg, (px(width), px(height))).into_drawing_area();
        paint(&area).and_then(|()| area.present().map_err(Into::into))
    };
    let body = match drawn {
        Ok(()) => svg.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>")).map_or("", |(body, _)| body),
        Err(_) => "",
    };
    format!(
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\" \
         font-family=\"system-ui, sans-serif\"><title>{}</title><desc>{}</desc>{}</svg>",
        px(width),
        px(height),
        escaped(title),
        escaped(description),
        shortened(body)
    )
}

/// Escapes text for markup.
pub fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Removes attributes that every element repeats: the font, which the chart sets, and full opacity.
fn shortened(body: &str) -> String {
    body.replace(" font-family=\"sans-serif\"", "")
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\" stroke-width=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace('\n', "")
}

/// Text of a size in pixels, in a colour. The library divides font sizes by 1.24, which is compensated here.
pub fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", f64::from(px(size)) * 1.24).into_font().color(&colour)
}

/// Text that is anchored at its middle, start or end.
pub fn placed(size: u32, colour: RGBColor, across: HPos, down: VPos) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(across, down))
}

/// A share as a percentage, without insignificant decimals.
pub fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    if (hundredths - hundredths.round()).abs() < 1e-9 {
        format!("{hundredths:.0}%")
    } else {
        format!("{hundredths:.1}%")
    }
}
