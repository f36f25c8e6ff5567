//! Answers for two keys as a grid of shaded cells.

use super::{Point, UNUSABLE};
use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::{Key, nothing};
use crate::palette::{GRID, INK, MUTED, PAPER, SHADES};
use crate::pen::{Place, ring, slab, write, write_up};
use crate::scale::{known, span};
use crate::sheet::{WIDE, Words, sheet};
use crate::words::{brief, count, fit, number, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Most width of names of rows and columns, in pixels.
const NAMES: f64 = 140.0;
/// Most rows after an exchange of rows and columns.
const MOST_ROWS: usize = 24;

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
    /// The answers of each row, one for each column; their labels and intervals are not drawn.
    pub cells: Vec<Vec<Point>>,
    /// Whether the chart explains its signs; a page with many charts has one legend for all.
    pub has_legend: bool,
}

/// What a cell shows.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    Value(f64, String),
    Unusable,
    Missing,
}

impl Grid {
    fn content(&self, row: usize, column: usize) -> Content {
        let Some(point) = self.cells.get(row).and_then(|row| row.get(column)) else { return Content::Missing };
        match point.value.and_then(known) {
            _ if point.is_unusable => Content::Unusable,
            Some(value) => Content::Value(value, point.text()),
            None => Content::Missing,
        }
    }

    /// Every position, with its content.
    fn places(&self) -> impl Iterator<Item = (usize, usize, Content)> {
        (0..self.rows.len())
            .flat_map(move |row| (0..self.columns.len()).map(move |column| (row, column, self.content(row, column))))
    }

    /// The values, with their positions and texts.
    fn values(&self) -> impl Iterator<Item = (f64, String, usize, usize)> {
        self.places().filter_map(|(row, column, content)| match content {
            Content::Value(value, text) => Some((value, text, row, column)),
            Content::Unusable | Content::Missing => None,
        })
    }

    fn description(&self) -> String {
        let at = |(_, text, row, column): (f64, String, usize, usize)| {
            let name = |names: &[String], at: usize| names.get(at).map_or(String::new(), |name| brief(name));
            format!("{text} for {}, {}", name(&self.rows, row), name(&self.columns, column))
        };
        let high = self.values().max_by(|one, other| one.0.total_cmp(&other.0)).map(at);
        let low = self.values().min_by(|one, other| one.0.total_cmp(&other.0)).map(at);
        let unusable = self.places().filter(|(_, _, content)| *content == Content::Unusable).count();
        let mut words = format!(
            "{} by {}, in {}.",
            count(self.rows.len(), "row"),
            count(self.columns.len(), "column"),
            brief(&self.value)
        );
        if let (Some(high), Some(low)) = (high, low) {
            words.push_str(&format!(" Highest {high}; lowest {low}."));
        }
        if unusable > 0 {
            words.push_str(&format!(" {} too noisy to use.", count(unusable, "cell")));
        }
        words
    }

    /// The same with rows and columns exchanged.
    fn transposed(&self) -> Self {
        let column = |at: usize| self.cells.iter().map(|row| row.get(at).cloned().unwrap_or_default()).collect();
        Self {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            cells: (0..self.columns.len()).map(column).collect(),
            ..self.clone()
        }
    }
}

/// The width of the longest name, in pixels, up to a limit.
fn widest(names: &[String]) -> f64 {
    names.iter().map(|name| width(name, TEXT)).fold(0.0, f64::max).min(NAMES)
}

/// Positions of the names and cells of a grid, in pixels.
struct Layout {
    left: f64,
    wide: f64,
    /// Whether names of columns are vertical, since they are wider than their cells.
    is_upright: bool,
}

impl Layout {
    fn of(grid: &Grid) -> Self {
        let left = widest(&grid.rows) + 18.0;
        let wide = ((f64::from(WIDE) - 10.0 - left) / grid.columns.len().max(1) as f64).min(90.0);
        Self { left, wide, is_upright: widest(&grid.columns) + 8.0 > wide }
    }
}

/// A cell for each pair of keys: the darker (on a dark page, the lighter), the higher; a cell of 0 or below is blank.
/// Rows and columns are exchanged where the names of the columns can be read only then.
#[must_use]
pub fn heatmap(grid: &Grid) -> String {
    let transposed = grid.transposed();
    let is_better =
        Layout::of(grid).is_upright && !Layout::of(&transposed).is_upright && grid.columns.len() <= MOST_ROWS;
    drawn(if is_better { &transposed } else { grid })
}

fn drawn(grid: &Grid) -> String {
    // From zero, like bars: shades that begin at the smallest value would exaggerate noise.
    let range = span(grid.values().map(|(value, ..)| value).chain([0.0]));
    let mut legend = Vec::new();
    for (content, words) in [(Content::Unusable, UNUSABLE), (Content::Missing, "no value")] {
        if grid.has_legend && grid.places().any(|(_, _, found)| found == content) {
            legend.push((if content == Content::Unusable { Key::Nothing } else { Key::Unknown }, words.to_owned()));
        }
    }

    let Layout { left, wide, is_upright } = Layout::of(grid);
    let tall = if grid.rows.len() <= 12 { 28.0 } else { 20.0 };
    let top = if is_upright { widest(&grid.columns) + 16.0 } else { 26.0 };
    // Each vertical name needs the height of a line.
    let every = if is_upright { (f64::from(TEXT) / wide).ceil() as usize } else { 1 };
    let has_numbers = grid.values().all(|(_, text, ..)| width(&text, TEXT) + 4.0 <= wide);
    let corner = |row: usize, column: usize| (left + wide * column as f64, top + tall * row as f64);
    let bottom = top + tall * grid.rows.len() as f64;

    let words = Words { title: &grid.title, otherwise: "Answers", description: &grid.description() };
    sheet(&words, bottom + 40.0, &legend, |area| {
        for (at, name) in grid.columns.iter().enumerate().step_by(every) {
            let x = corner(0, at).0 + wide / 2.0;
            let name = fit(name, TEXT, if is_upright { NAMES } else { wide });
            if is_upright {
                write_up(area, (x, top - 8.0), &name, (TEXT, INK))?;
            } else {
                write(area, (x, top - 13.0), &name, (TEXT, INK), HPos::Center)?;
            }
        }
        for (at, name) in grid.rows.iter().enumerate() {
            let y = corner(at, 0).1 + tall / 2.0;
            write(area, (left - 10.0, y), &fit(name, TEXT, NAMES), (TEXT, INK), HPos::Right)?;
        }
        for (row, column, content) in grid.places() {
            cell(area, corner(row, column), (wide, tall), &content, range, has_numbers)?;
        }
        if grid.values().next().is_some() {
            key(area, (left, bottom + 20.0), grid, range)
        } else {
            write(area, (left, bottom + 20.0), "no values", (TEXT, MUTED), HPos::Left)
        }
    })
}

/// The fill for a value in a range, and the colour of text on it. Zero is blank, and every value above it is not.
fn shade(value: f64, (_, high): (f64, f64)) -> (RGBColor, RGBColor) {
    let steps = SHADES.len() - 1;
    let step = if value <= 0.0 { 0 } else { 1 + ((value / high * steps as f64).floor() as usize).min(steps - 1) };
    SHADES.get(step).copied().unwrap_or((PAPER, INK))
}

/// A cell from its upper left corner: its shade with its number, or a sign.
fn cell(
    area: &Area<'_>,
    (x, y): Place,
    (wide, tall): (f64, f64),
    content: &Content,
    range: (f64, f64),
    has_numbers: bool,
) -> DrawResult {
    slab(area, (x, y), (x + wide, y + tall), &GRID)?;
    let (from, to) = ((x + 0.5, y + 0.5), (x + wide - 0.5, y + tall - 0.5));
    let middle = (x + wide / 2.0, y + tall / 2.0);
    match content {
        Content::Value(value, text) => {
            let (fill, colour) = shade(*value, range);
            slab(area, from, to, &fill)?;
            if has_numbers { write(area, middle, text, (TEXT, colour), HPos::Center) } else { Ok(()) }
        }
        Content::Unusable => {
            slab(area, from, to, &PAPER)?;
            nothing(area, middle)
        }
        Content::Missing => {
            slab(area, from, to, &PAPER)?;
            ring(area, middle, 3.0, MUTED)
        }
    }
}

/// The scale of shades, with the values at both ends and their label.
fn key(area: &Area<'_>, (left, y): Place, grid: &Grid, (low, high): (f64, f64)) -> DrawResult {
    let (low, high) = (number(low.min(0.0)), number(high));
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
