//! Colours by role.
//!
//! The plotting library writes colours as attributes of each element. [`style`] replaces them by rules on those
//! attributes, so that the same chart is legible on white, on black and on paper. The chart itself contains the light
//! values, and is correct without a style sheet.

use plotters::style::RGBColor;

/// Text and axes.
pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
/// Secondary elements: ticks, captions, the line of no change.
pub const MUTED: RGBColor = RGBColor(0x6b, 0x72, 0x80);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xd9, 0xdd, 0xe3);
/// Released or attainable values.
pub const BLUE: RGBColor = RGBColor(0x1d, 0x5f, 0xa8);
/// Fill for released or attainable values.
pub const PALE: RGBColor = RGBColor(0xcf, 0xe1, 0xf5);
/// The promise, and other limits.
pub const RED: RGBColor = RGBColor(0xb4, 0x2a, 0x1d);
/// A second series, and remainders.
pub const GREEN: RGBColor = RGBColor(0x1b, 0x7f, 0x5c);
/// A third series.
pub const ORANGE: RGBColor = RGBColor(0xb3, 0x5c, 0x00);
/// The background.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xfe);

/// From few to many: a fill, and the colour of text on it. The steps are as even as legible text permits: between the
/// fourth and the fifth, text changes from dark to light, and no intermediate fill would have enough contrast with
/// either.
pub const SHADES: [(RGBColor, RGBColor); 6] = [
    (PAPER, INK),
    (PALE, INK),
    (RGBColor(0x9f, 0xc3, 0xe8), INK),
    (RGBColor(0x6f, 0xa3, 0xd6), INK),
    (RGBColor(0x3a, 0x74, 0xb4), PAPER),
    (BLUE, PAPER),
];

/// From little to much, in seven steps, for cells without text: the last contrasts most with the background, on light
/// and dark pages.
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
const DARK: [(RGBColor, &str); 12] = [
    (INK, "#e6e9ee"),
    (MUTED, "#9aa4b2"),
    (GRID, "#343b46"),
    (BLUE, "#7db7f2"),
    (PALE, "#1f3b5a"),
    (RED, "#ff8a7a"),
    (GREEN, "#5fd0a5"),
    (ORANGE, "#f2ab5a"),
    (PAPER, "#14181e"),
    (RGBColor(0x9f, 0xc3, 0xe8), "#2a5482"),
    (RGBColor(0x6f, 0xa3, 0xd6), "#34699e"),
    (RGBColor(0x3a, 0x74, 0xb4), "#5590cc"),
];

/// Rules for a page with charts: they fill their place, and follow the reader's choice of light or dark on screen.
#[must_use]
pub fn style() -> String {
    let mut rules = String::from("svg.chart{width:100%;height:auto;display:block}\n");
    // Without crisp edges, adjacent cells would show the background between them.
    rules.push_str("svg.cells rect{shape-rendering:crispEdges}\n");
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

/// A chart as a separate file: it contains its own style and background.
#[must_use]
pub fn standalone(picture: &str) -> String {
    let Some((opening, rest)) = picture.split_once('>') else { return picture.to_owned() };
    let style = style();
    let behind = hex(PAPER);
    format!("{opening}><style>\n{style}</style><rect width=\"100%\" height=\"100%\" fill=\"{behind}\"/>{rest}\n")
}

/// A colour in the plotting library's notation.
fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The colour on a dark page.
    fn dark(colour: RGBColor) -> RGBColor {
        let (_, hex) = DARK.iter().find(|(light, _)| *light == colour).unwrap();
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        RGBColor(part(1), part(3), part(5))
    }

    /// Relative luminance, as WCAG defines it.
    fn luminance(colour: RGBColor) -> f64 {
        let linear = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    /// Contrast of two colours, as WCAG defines it.
    fn contrast(one: RGBColor, other: RGBColor) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_is_readable_on_light_and_dark() {
        let on_paper = [INK, MUTED, RED, GREEN, ORANGE, BLUE].map(|text| (PAPER, text));
        let on_pale = [INK, BLUE].map(|text| (PALE, text));
        for (fill, text) in on_paper.into_iter().chain(on_pale).chain(SHADES) {
            let (light, dark) = (contrast(fill, text), contrast(dark(fill), dark(text)));
            assert!(light >= 4.5, "{text:?} on {fill:?}, light: {light:.2}");
            assert!(dark >= 4.5, "{text:?} on {fill:?}, dark: {dark:.2}");
        }
    }

    #[test]
    fn shades_go_one_way() {
        for pair in SHADES.windows(2) {
            assert!(luminance(pair[0].0) > luminance(pair[1].0), "light: {pair:?}");
            assert!(luminance(dark(pair[0].0)) < luminance(dark(pair[1].0)), "dark: {pair:?}");
        }
    }

    /// Rules select by the colour itself: two roles with one colour would have the same dark colour.
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
