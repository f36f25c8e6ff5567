//! A picture of the usual width, with the legend below it, and what charts of shares have in common.

use crate::canvas::{Area, DrawResult, TEXT, percent, picture, px};
use crate::legend::{self, Key};
use crate::palette::INK;
use crate::pen::write;
use crate::scale::{Scale, known};
use crate::words::fit;
use plotters::style::text_anchor::HPos;

/// The width of most pictures, in pixels: that of a column of text.
pub const WIDE: u32 = 560;
/// What is said above a plot takes so much room, in pixels.
pub const HEAD: f64 = 34.0;
/// The room of a legend, in pixels: where it starts, and how wide it is.
const LEGEND: (f64, f64) = (10.0, WIDE as f64 - 20.0);

/// The title of a panel takes so much room, in pixels.
pub const TITLE: u32 = 22;

/// Where something is along an axis, and what is written there.
pub type Tick = (f64, String);

/// What a picture says to those who do not see it.
pub struct Words<'a> {
    /// What the picture is.
    pub title: &'a str,
    /// What it is where the title is empty: a picture without one would have nothing to be announced by.
    pub otherwise: &'a str,
    /// What it shows.
    pub description: &'a str,
}

/// A picture that is painted down to `bottom`, and a legend below.
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

/// Ticks of an axis from 0% to 100%, in so many steps.
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
