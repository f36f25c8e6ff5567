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

/// From little to much, in seven steps: the last stands out most from what is behind, on light and on dark.
pub const RAMP: [RGBColor; 7] = [
    RGBColor(0xe8, 0xf0, 0xfa),
    RGBColor(0xc3, 0xd9, 0xf0),
    RGBColor(0x98, 0xbd, 0xe3),
    RGBColor(0x69, 0x9d, 0xd1),
    RGBColor(0x3d, 0x7c, 0xb9),
    RGBColor(0x22, 0x5b, 0x97),
    RGBColor(0x12, 0x39, 0x68),
];

/// The ramp on a dark page, in the same order.
const RAMP_DARK: [&str; 7] = ["#1b2532", "#21374f", "#285074", "#336d9c", "#4b8fc4", "#7db7ea", "#c4e0fb"];

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
    // Cells that touch would show what is behind them along their edges.
    rules.push_str("svg.chart rect{shape-rendering:crispEdges}\n");
    rules.push_str("@media screen and (prefers-color-scheme:dark){\n");
    let ramp = RAMP.iter().copied().zip(RAMP_DARK);
    for (colour, dark) in DARK.iter().copied().chain(ramp) {
        let light = hex(colour);
        for attribute in ["fill", "stroke"] {
            rules.push_str(&format!("svg.chart [{attribute}=\"{light}\"]{{{attribute}:{dark}}}\n"));
        }
    }
    rules.push_str("}\n");
    rules
}

/// A picture as a file of its own: no page styles it, and none puts anything behind it, so it carries both.
#[must_use]
pub fn standalone(picture: &str) -> String {
    let Some((opening, rest)) = picture.split_once('>') else { return picture.to_owned() };
    let style = style();
    let behind = hex(PAPER);
    format!("{opening}><style>\n{style}</style><rect width=\"100%\" height=\"100%\" fill=\"{behind}\"/>{rest}\n")
}

/// A colour as the plotting library writes it.
fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Rules go by the colour itself: two roles of one colour could not be told apart on a dark page.
    #[test]
    fn no_two_roles_share_a_colour() {
        let all: Vec<String> = DARK.iter().map(|(colour, _)| hex(*colour)).chain(RAMP.map(hex)).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn a_file_of_its_own_carries_its_style_and_its_background() {
        let file = standalone("<svg class=\"chart\" viewBox=\"0 0 4 4\"><title>A &gt; B</title></svg>");
        assert!(file.starts_with("<svg class=\"chart\" viewBox=\"0 0 4 4\"><style>\nsvg.chart{"), "{file}");
        assert!(file.ends_with("fill=\"#FFFFFE\"/><title>A &gt; B</title></svg>\n"), "{file}");
        assert!(file.contains("prefers-color-scheme:dark"), "{file}");
    }
}
