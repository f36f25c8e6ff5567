//! A chart of the usual width with the legend below it, and parts that charts of shares have in common.

use crate::canvas::{Area, DrawResult, TEXT, percent, picture, px};
use crate::legend::{self, Key};
use crate::palette::INK;
use crate::pen::write;
use crate::scale::{Scale, known};
use crate::words::fit;
use plotters::style::text_anchor::HPos;

/// The width of most charts, in pixels. A phone shows it at four fifths, where text still has 11 pixels.
pub const WIDE: u32 = 470;
/// Height above a plot for its label, in pixels.
pub const HEAD: f64 = 34.0;
/// Start and width of a legend, in pixels.
const LEGEND: (f64, f64) = (10.0, WIDE as f64 - 20.0);

/// Height of a panel's title, in pixels.
pub const TITLE: u32 = 22;

/// A position along an axis, and its label.
pub type Tick = (f64, String);

/// Text of a chart for screen readers.
pub struct Words<'a> {
    /// Title of the chart.
    pub title: &'a str,
    /// Replacement for an empty title, so that every chart has one.
    pub otherwise: &'a str,
    /// Description of the chart.
    pub description: &'a str,
}

/// A chart that is painted down to `bottom`, with a legend below.
pub fn sheet(
    words: &Words<'_>,
    bottom: f64,
    legend: &[(Key, String)],
    paint: impl FnOnce(&Area<'_>) -> DrawResult,
) -> String {
    let tall = bottom + legend::height(legend, LEGEND.1) + 4.0;
    let title = if words.title.trim().is_empty() { words.otherwise } else { words.title };
    picture((WIDE, tall as u32), title, words.description, |area| {
        paint(area)?;
        legend::draw(area, (LEGEND.0, bottom), LEGEND.1, legend)
    })
}

/// A share that can be drawn.
pub fn share(value: f64) -> Option<f64> {
    known(value).map(|value| value.clamp(0.0, 1.0))
}

/// A share in words, to tenths of a percent.
pub fn percents(share: f64) -> String {
    percent((share * 1000.0).round() / 1000.0)
}

/// Ticks of an axis from 0% to 100%, in this many steps.
pub fn shares(scale: &Scale, steps: u32) -> Vec<Tick> {
    (0..=steps).map(|at| f64::from(at) / f64::from(steps)).map(|share| (scale.at(share), percent(share))).collect()
}

/// Panels of one size side by side, each below its title.
pub fn panels<'a>(
    area: &Area<'a>,
    titles: &[&str],
    (wide, tall): (u32, u32),
    paint: impl Fn(&Area<'a>, usize) -> DrawResult,
) -> DrawResult {
    let (above, _) = area.split_vertically(px(tall));
    for (at, (title, panel)) in titles.iter().zip(above.split_evenly((1, titles.len().max(1)))).enumerate() {
        write(&panel, (8.0, 12.0), &fit(title, TEXT, f64::from(wide) - 16.0), (TEXT, INK), HPos::Left)?;
        paint(&panel.split_vertically(px(TITLE)).1, at)?;
    }
    Ok(())
}
