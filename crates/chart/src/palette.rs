//! Colours by what they stand for.
//!
//! The plotting library writes colours as attributes of each element. [`style`] replaces them by rules on those attributes,
//! so that the same picture is readable on white, on black and on paper. The light values stand in the picture itself: it
//! is right without a style sheet as well.

use plotters::style::RGBColor;

/// Text and axes.
pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
/// What should stand back: ticks, captions, the line of no change.
pub const MUTED: RGBColor = RGBColor(0x6b, 0x72, 0x80);
/// Lines of a grid.
pub const GRID: RGBColor = RGBColor(0xd9, 0xdd, 0xe3);
/// What is released or can be reached.
pub const BLUE: RGBColor = RGBColor(0x1d, 0x5f, 0xa8);
/// Fill for what is released or can be reached.
pub const PALE: RGBColor = RGBColor(0xcf, 0xe1, 0xf5);
/// The promise, and other limits.
pub const RED: RGBColor = RGBColor(0xb4, 0x2a, 0x1d);
/// A second series, and what is left.
pub const GREEN: RGBColor = RGBColor(0x1b, 0x7f, 0x5c);
/// A third series.
pub const ORANGE: RGBColor = RGBColor(0xb3, 0x5c, 0x00);
/// What is behind everything.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xfe);

/// Each colour with its value on a dark page.
const DARK: [(RGBColor, &str); 9] = [
    (INK, "#e6e9ee"),
    (MUTED, "#9aa4b2"),
    (GRID, "#343b46"),
    (BLUE, "#7db7f2"),
    (PALE, "#1f3b5a"),
    (RED, "#ff8a7a"),
    (GREEN, "#5fd0a5"),
    (ORANGE, "#f2ab5a"),
    (PAPER, "#14181e"),
];

/// Rules for a page that holds charts: they fill their place, and follow the reader's choice of light or dark on screen.
#[must_use]
pub fn style() -> String {
    let mut rules = String::from("svg.chart{width:100%;height:auto;display:block}\n");
    rules.push_str("@media screen and (prefers-color-scheme:dark){\n");
    for (colour, dark) in &DARK {
        let light = hex(*colour);
        for attribute in ["fill", "stroke"] {
            rules.push_str(&format!("svg.chart [{attribute}=\"{light}\"]{{{attribute}:{dark}}}\n"));
        }
    }
    rules.push_str("}\n");
    rules
}

/// A colour as the plotting library writes it.
fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}
