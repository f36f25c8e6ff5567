//! Answers for two keys as a grid of shaded cells.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::Key;
use crate::palette::{GRID, INK, MUTED, PAPER, SHADES};
use crate::pen::{Place, dot, line, ring, slab, write, write_up};
use crate::scale::{known, span};
use crate::sheet::{WIDE, Words, sheet};
use crate::words::{brief, count, fit, number, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Most width of names of rows and columns, in pixels.
const NAMES: f64 = 130.0;

/// Answers to one query, by two keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Title of the chart: the query.
    pub title: String,
    /// Label of the values: "minutes".
    pub value: String,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The values of each row, one for each column.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Half the width of each cell's interval; 0 for an exact value.
    pub margins: Vec<Vec<Option<f64>>>,
}

/// Reliability of a cell's value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trust {
    /// The value exceeds its interval's half-width.
    Firm,
    /// The interval's half-width is at least the value, so it may include zero.
    Weak,
    Unknown,
}

impl Grid {
    fn cell(&self, row: usize, column: usize) -> Option<f64> {
        self.cells.get(row)?.get(column).copied().flatten().and_then(known)
    }

    fn trust(&self, row: usize, column: usize, value: f64) -> Trust {
        let margin = self.margins.get(row).and_then(|row| row.get(column)).copied().flatten().and_then(known);
        match margin.map(f64::abs) {
            None => Trust::Unknown,
            Some(margin) if margin > 0.0 && margin * 2.0 >= value.abs() => Trust::Weak,
            Some(_) => Trust::Firm,
        }
    }

    /// Every position, with its value and reliability.
    fn places(&self) -> impl Iterator<Item = (usize, usize, Option<(f64, Trust)>)> {
        (0..self.rows.len()).flat_map(move |row| {
            (0..self.columns.len()).map(move |column| {
                let value = self.cell(row, column);
                (row, column, value.map(|value| (value, self.trust(row, column, value))))
            })
        })
    }

    fn description(&self) -> String {
        let valued = || self.places().filter_map(|(row, column, cell)| cell.map(|(value, _)| (value, row, column)));
        let at = |(value, row, column): (f64, usize, usize)| {
            let name = |names: &[String], at: usize| names.get(at).map_or(String::new(), |name| brief(name));
            format!("{} for {}, {}", number(value), name(&self.rows, row), name(&self.columns, column))
        };
        let high = valued().max_by(|one, other| one.0.total_cmp(&other.0)).map(at);
        let low = valued().min_by(|one, other| one.0.total_cmp(&other.0)).map(at);
        let weak = self.places().filter(|(_, _, cell)| matches!(cell, Some((_, Trust::Weak)))).count();
        let mut words = format!(
            "{} by {}, in {}.",
            count(self.rows.len(), "row"),
            count(self.columns.len(), "column"),
            brief(&self.value)
        );
        if let (Some(high), Some(low)) = (high, low) {
            words.push_str(&format!(" Highest {high}; lowest {low}."));
        }
        words.push_str(&format!(" {} with an interval as wide as the value, or wider.", count(weak, "cell")));
        words
    }
}

/// A cell for each pair of keys: the darker (on a dark page, the lighter), the higher.
#[must_use]
pub fn heatmap(grid: &Grid) -> String {
    // From zero, like bars: shades that begin at the smallest value would exaggerate noise.
    let range = span(grid.places().filter_map(|(_, _, cell)| cell.map(|(value, _)| value)).chain([0.0]));
    let any = |wanted: Trust| grid.places().any(|(_, _, cell)| cell.is_some_and(|(_, trust)| trust == wanted));
    let mut legend = Vec::new();
    if any(Trust::Weak) {
        legend.push((Key::Weak, "interval as wide as the value, or wider (may include zero)".to_owned()));
    }
    if any(Trust::Unknown) {
        legend.push((Key::Unknown, "no known interval".to_owned()));
    }
    if grid.places().any(|(_, _, cell)| cell.is_none()) {
        legend.push((Key::Nothing, "no value".to_owned()));
    }

    let widest = |names: &[String]| names.iter().map(|name| width(name, TEXT)).fold(0.0, f64::max).min(NAMES);
    let left = widest(&grid.rows) + 18.0;
    let wide = ((f64::from(WIDE) - 10.0 - left) / grid.columns.len().max(1) as f64).min(90.0);
    let tall = if grid.rows.len() <= 12 { 32.0 } else { 20.0 };
    let upright = widest(&grid.columns) + 8.0 > wide;
    let top = if upright { widest(&grid.columns) + 16.0 } else { 26.0 };
    let numbers = || grid.places().filter_map(|(_, _, cell)| cell.map(|(value, _)| number(value)));
    // Each vertical name needs the height of a line.
    let every = if upright { (f64::from(TEXT) / wide).ceil() as usize } else { 1 };
    // The mark of a cell is to the right of its number.
    let size = [TEXT, TEXT - 2].into_iter().find(|size| numbers().all(|text| width(&text, *size) + 14.0 <= wide));
    let corner = |row: usize, column: usize| (left + wide * column as f64, top + tall * row as f64);
    let bottom = top + tall * grid.rows.len() as f64;

    let words = Words { title: &grid.title, otherwise: "Answers", description: &grid.description() };
    sheet(&words, bottom + 44.0, &legend, |area| {
        for (at, name) in grid.columns.iter().enumerate().step_by(every) {
            let x = corner(0, at).0 + wide / 2.0;
            let name = fit(name, TEXT, if upright { NAMES } else { wide });
            if upright {
                write_up(area, (x, top - 8.0), &name, (TEXT, INK))?;
            } else {
                write(area, (x, top - 13.0), &name, (TEXT, INK), HPos::Center)?;
            }
        }
        for (at, name) in grid.rows.iter().enumerate() {
            let y = corner(at, 0).1 + tall / 2.0;
            write(area, (left - 10.0, y), &fit(name, TEXT, NAMES), (TEXT, INK), HPos::Right)?;
        }
        for (row, column, value) in grid.places() {
            cell(area, corner(row, column), (wide, tall), value, range, size)?;
        }
        if numbers().next().is_some() {
            key(area, (left, bottom + 22.0), grid, range)
        } else {
            write(area, (left, bottom + 22.0), "no values", (TEXT, MUTED), HPos::Left)
        }
    })
}

/// The fill for a value in a range, and the colour of text on it.
fn shade(value: f64, (low, high): (f64, f64)) -> (RGBColor, RGBColor) {
    let step = ((value - low) / (high - low) * SHADES.len() as f64).floor().max(0.0) as usize;
    SHADES.get(step.min(SHADES.len() - 1)).copied().unwrap_or((PAPER, INK))
}

/// A cell from its upper left corner: its shade, its number at a font size, and its mark.
fn cell(
    area: &Area<'_>,
    (x, y): Place,
    (wide, tall): (f64, f64),
    value: Option<(f64, Trust)>,
    range: (f64, f64),
    size: Option<u32>,
) -> DrawResult {
    slab(area, (x, y), (x + wide, y + tall), &GRID)?;
    let (from, to) = ((x + 0.5, y + 0.5), (x + wide - 0.5, y + tall - 0.5));
    let Some((value, trust)) = value else {
        slab(area, from, to, &PAPER)?;
        return line(area, &[(x + 4.0, y + tall - 4.0), (x + wide - 4.0, y + 4.0)], MUTED, 1);
    };
    let (fill, text) = shade(value, range);
    slab(area, from, to, &fill)?;
    let middle = (x + wide / 2.0, y + tall / 2.0);
    let mark = match size {
        Some(size) => {
            write(area, middle, &number(value), (size, text), HPos::Center)?;
            (x + wide - 6.0, y + 6.0)
        }
        None => middle,
    };
    match trust {
        Trust::Firm => Ok(()),
        Trust::Weak => dot(area, mark, 2.5, text),
        Trust::Unknown => ring(area, mark, 2.5, text),
    }
}

/// The scale of shades, with the values at both ends and their label.
fn key(area: &Area<'_>, (left, y): Place, grid: &Grid, (low, high): (f64, f64)) -> DrawResult {
    let (low, high) = (number(low), number(high));
    let from = left + width(&low, TEXT) + 8.0;
    write(area, (left, y), &low, (TEXT, INK), HPos::Left)?;
    for (at, (fill, _)) in SHADES.iter().enumerate() {
        let x = from + 24.0 * at as f64;
        slab(area, (x, y - 7.0), (x + 24.0, y + 7.0), &GRID)?;
        slab(area, (x + 0.5, y - 6.5), (x + 23.5, y + 6.5), fill)?;
    }
    let to = from + 24.0 * SHADES.len() as f64 + 8.0;
    write(area, (to, y), &high, (TEXT, INK), HPos::Left)?;
    let label = to + width(&high, TEXT) + 14.0;
    write(area, (label, y), &fit(&grid.value, TEXT, f64::from(WIDE) - 10.0 - label), (TEXT, MUTED), HPos::Left)
}
