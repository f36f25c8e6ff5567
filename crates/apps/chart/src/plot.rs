//! A plot with two axes: its frame, a grid of values with ticks on the left, ticks below, labels of both axes, and
//! points.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::palette::{GRID, INK, MUTED};
use crate::pen::{Place, line, write};
use crate::scale::{Scale, labels, stride};
use crate::series::Series;
use crate::sheet::{Tick, WIDE};
use crate::words::{fit, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// The frame of a plot inside a chart or a panel, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// The width of the chart or the panel.
    pub page: f64,
}

/// The width of the ticks on the left.
pub fn room_for(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|(_, text)| width(text, TEXT)).fold(20.0, f64::max).min(150.0) + 16.0
}

impl Frame {
    /// A frame in a chart of the usual width and the height of `up`, with room for its ticks on the left and this much
    /// on the right.
    pub fn beside(up: &Scale, ticks: &[Tick], right: f64) -> Self {
        let (bottom, top) = up.room();
        let page = f64::from(WIDE);
        Self { left: room_for(ticks), right: page - right, top, bottom, page }
    }

    /// Horizontal grid lines with their values on the left, and the label above.
    pub fn values(&self, area: &Area<'_>, ticks: &[Tick], label: &str) -> DrawResult {
        for (y, text) in ticks {
            line(area, &[(self.left, *y), (self.right, *y)], GRID, 1)?;
            write(area, (self.left - 8.0, *y), &fit(text, TEXT, 150.0), (TEXT, INK), HPos::Right)?;
        }
        let label = fit(label, TEXT, self.right - 8.0);
        write(area, (8.0, 14.0), &label, (TEXT, MUTED), HPos::Left)
    }

    /// Vertical grid lines with their values below, and the label: for horizontal bars.
    pub fn columns(&self, area: &Area<'_>, ticks: &[Tick], label: &str) -> DrawResult {
        for (x, text) in ticks {
            line(area, &[(*x, self.top), (*x, self.bottom)], GRID, 1)?;
            write(area, (*x, self.bottom + 14.0), text, (TEXT, INK), HPos::Center)?;
        }
        if label.is_empty() {
            return Ok(());
        }
        let label = fit(label, TEXT, self.page - 20.0);
        let half = width(&label, TEXT) / 2.0;
        let middle = f64::midpoint(self.left, self.right).min(self.page - 10.0 - half).max(10.0 + half);
        write(area, (middle, self.bottom + 35.0), &label, (TEXT, MUTED), HPos::Center)
    }

    /// The axis below, with as many ticks as fit, and its label.
    pub fn below(&self, area: &Area<'_>, ticks: &[Tick], label: &str) -> DrawResult {
        line(area, &[(self.left, self.bottom), (self.right, self.bottom)], MUTED, 1)?;
        let edge = self.page - 4.0;
        let ticks: Vec<Tick> = ticks.iter().map(|(x, text)| (*x, fit(text, TEXT, 110.0))).collect();
        // Words at the ends are moved inside the chart; their ticks are not.
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
        write(area, (f64::midpoint(self.left, self.right), self.bottom + 37.0), &label, (TEXT, MUTED), HPos::Center)
    }

    /// A message in place of an empty plot.
    pub fn nothing(&self, area: &Area<'_>, words: &str) -> DrawResult {
        let middle = (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        write(area, middle, words, (TEXT, MUTED), HPos::Center)
    }
}

/// A plot of points with two numbers each.
#[derive(Debug, Clone)]
pub struct Plot {
    pub frame: Frame,
    pub across: Scale,
    pub up: Scale,
    /// Ticks on the left.
    pub values: Vec<Tick>,
    /// Ticks below.
    pub ticks: Vec<Tick>,
}

impl Plot {
    /// A plot in a chart of the usual width: `up` determines its height and has ticks, `right` is reserved on the
    /// right, and `across` maps the rest.
    pub fn new(up: Scale, values: Vec<Tick>, right: f64, across: impl FnOnce((f64, f64)) -> Scale) -> Self {
        Self::inside(Frame::beside(&up, &values, right), up, values, across)
    }

    /// The same with a given frame: for panels side by side.
    pub fn inside(frame: Frame, up: Scale, values: Vec<Tick>, across: impl FnOnce((f64, f64)) -> Scale) -> Self {
        let across = across((frame.left, frame.right));
        Self { frame, across, up, values, ticks: across.ticks_across(TEXT) }
    }

    /// The grid, both axes, and their labels.
    pub fn axes(&self, area: &Area<'_>, (across, up): (&str, &str)) -> DrawResult {
        self.frame.values(area, &self.values, up)?;
        self.frame.below(area, &self.ticks, across)
    }

    /// The position of a point.
    pub fn at(&self, (x, y): (f64, f64)) -> Place {
        (self.across.at(x), self.up.at(y))
    }

    /// The positions of points.
    pub fn places(&self, points: &[(f64, f64)]) -> Vec<Place> {
        points.iter().map(|point| self.at(*point)).collect()
    }

    /// A horizontal line at a value.
    pub fn level(&self, area: &Area<'_>, value: f64, (colour, thick): (RGBColor, u32)) -> DrawResult {
        let y = self.up.at(value);
        line(area, &[(self.frame.left, y), (self.frame.right, y)], colour, thick)
    }

    /// One line of several through points, with marks if `marked`.
    pub fn series(&self, area: &Area<'_>, series: Series, points: &[(f64, f64)], marked: bool) -> DrawResult {
        let places = self.places(points);
        series.line(area, &places)?;
        if marked {
            places.iter().try_for_each(|place| series.mark(area, *place))?;
        }
        Ok(())
    }
}
