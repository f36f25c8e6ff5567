//! A function of two parameters: cells over two logarithmic axes, coloured in steps, with hatched regions.

use crate::canvas::{Area, DrawResult, TEXT, picture, px};
use crate::palette::{GRID, INK, MUTED, PAPER, RAMP, RED};
use crate::pen::{dot, line, slab, write};
use crate::plot::{Frame, Plot};
use crate::scale::Scale;
use crate::sheet::{self, HEAD, TITLE};
use crate::words::width;
use plotters::style::text_anchor::HPos;

/// Size of a panel and of the legend below all of them, in pixels.
const PANEL: (u32, u32) = (430, 370);
const LEGEND: u32 = 74;
/// Additional height if regions are explained below the colours, because there is no room beside them.
const BELOW: u32 = 50;
/// Width of a colour in the legend, in pixels: for one panel, and for several.
const SWATCH: (f64, f64) = (50.0, 58.0);
/// Start of the legend, in pixels.
const LEFT: f64 = 56.0;

/// One parameter: its name and its values, ascending and above 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The name of the parameter.
    pub name: String,
    /// The values of the cells along it.
    pub values: Vec<f64>,
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The value, shown as a colour; `None`, or not finite, where it is undefined.
    pub value: Option<f64>,
    /// Whether the cell is in the warned region.
    pub warned: bool,
}

impl Cell {
    /// The value, if it is finite.
    fn finite(&self) -> Option<f64> {
        self.value.filter(|value| value.is_finite())
    }
}

/// A named point.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Its position, in values of the axes.
    pub at: (f64, f64),
    /// Its name.
    pub name: String,
}

/// One set of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Title of the panel, in a few words.
    pub title: String,
    /// Rows from the lowest value of `up` to the highest, each with as many cells as `across` has values.
    pub cells: Vec<Vec<Cell>>,
    /// Named points.
    pub spots: Vec<Spot>,
}

/// Panels side by side over the same axes and with the same colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Title of the chart.
    pub title: String,
    /// Description of the chart, in words.
    pub description: String,
    /// The parameter on the horizontal axis.
    pub across: Axis,
    /// The parameter on the vertical axis.
    pub up: Axis,
    /// From left to right.
    pub panels: Vec<Panel>,
    /// Label of the colours.
    pub colours: String,
    /// The values at which the colour changes, ascending, with their labels: at most six.
    pub limits: Vec<(f64, String)>,
    /// Label of the warned region.
    pub warning: String,
    /// Label of cells without a value.
    pub outside: String,
}

/// The picture of a surface.
#[must_use]
pub fn cells(surface: &Surface) -> String {
    let many = u32::try_from(surface.panels.len().max(1)).unwrap_or(1);
    let legend_height = if many == 1 { LEGEND + BELOW } else { LEGEND };
    let size = (PANEL.0 * many, PANEL.1 + legend_height);
    let drawn = picture(size, &surface.title, &surface.description, |area| -> DrawResult {
        let titles: Vec<&str> = surface.panels.iter().map(|panel| panel.title.as_str()).collect();
        sheet::panels(area, &titles, PANEL, |area, at| {
            surface.panels.get(at).map_or(Ok(()), |panel| draw(area, panel, surface))
        })?;
        legend(surface, &area.split_vertically(px(PANEL.1)).1)
    });
    // The style sheet draws their edges crisp.
    drawn.replacen("class=\"chart\"", "class=\"chart cells\"", 1)
}

/// The edges of each cell on a logarithmic axis: halfway between neighbours.
fn edges(values: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = values.iter().map(|value| value.log10()).collect();
    let step = match logs[..] {
        [first, second, ..] => second - first,
        _ => 1.0,
    };
    let mut edges: Vec<f64> = logs.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    edges.insert(0, logs.first().unwrap_or(&0.0) - step / 2.0);
    edges.push(logs.last().unwrap_or(&0.0) + step / 2.0);
    edges.into_iter().map(|log| 10_f64.powf(log)).collect()
}

/// The colour of a value: the number of limits that it reaches.
fn step(value: f64, limits: &[(f64, String)]) -> usize {
    limits.iter().filter(|(limit, _)| value >= *limit).count().min(RAMP.len() - 1)
}

fn draw(area: &Area<'_>, panel: &Panel, surface: &Surface) -> DrawResult {
    let (across, up) = (edges(&surface.across.values), edges(&surface.up.values));
    let (Some(left), Some(right), Some(low), Some(high)) = (across.first(), across.last(), up.first(), up.last())
    else {
        return Ok(());
    };
    let scale = Scale::log((*low, *high), (f64::from(PANEL.1 - TITLE) - 60.0, HEAD));
    let page = f64::from(PANEL.0);
    let frame = Frame { page, right: page - 20.0, ..Frame::beside(&scale, &scale.ticks(4), 0.0) };
    let plot = Plot::inside(frame, scale, scale.ticks(4), |room| Scale::log((*left, *right), room));
    plot.axes(area, (&surface.across.name, &surface.up.name))?;
    let corner = |(column, row): Corner| plot.at((across[column], up[row]));
    for Block { from, to, colour } in blocks(&panel.cells, &surface.limits) {
        slab(area, corner(from), corner(to), &colour.map_or(GRID, |step| RAMP[step]))?;
    }
    let outside = |cell: &Cell| cell.finite().is_none();
    for (stroke, hatched) in [(MUTED, &outside as &dyn Fn(&Cell) -> bool), (RED, &|cell: &Cell| cell.warned)] {
        for (from, to) in hatch(&panel.cells, hatched) {
            line(area, &[corner(from), corner(to)], stroke, 1)?;
        }
    }
    for Spot { at, name } in &panel.spots {
        let (x, y) = plot.at(*at);
        dot(area, (x, y), 7.0, INK)?;
        dot(area, (x, y), 5.0, PAPER)?;
        // On a background, because cells are light and dark.
        slab(area, (x + 11.0, y - 10.0), (x + 19.0 + width(name, TEXT), y + 10.0), &PAPER)?;
        write(area, (x + 15.0, y), name, (TEXT, INK), HPos::Left)?;
    }
    Ok(())
}

/// A corner of cells: the numbers of cells to its left and below it.
type Corner = (usize, usize);

/// A rectangle of cells with one colour. Drawn separately, they would show seams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    from: Corner,
    to: Corner,
    colour: Option<usize>,
}

/// The cells as rectangles: neighbours in a row with one colour, merged with the same range of the rows above.
fn blocks(cells: &[Vec<Cell>], limits: &[(f64, String)]) -> Vec<Block> {
    let (mut done, mut open): (Vec<Block>, Vec<Block>) = (Vec::new(), Vec::new());
    for (row, cells) in cells.iter().enumerate() {
        let colours: Vec<Option<usize>> =
            cells.iter().map(|cell| cell.finite().map(|value| step(value, limits))).collect();
        let mut next = Vec::new();
        let mut from = 0;
        for run in colours.chunk_by(|one, next| one == next) {
            let (to, colour) = (from + run.len(), run.first().copied().flatten());
            let same = |block: &Block| (block.from.0, block.to.0, block.colour) == (from, to, colour);
            let below = open.iter().position(same).map(|at| open.swap_remove(at).from);
            next.push(Block { from: below.unwrap_or((from, row)), to: (to, row + 1), colour });
            from = to;
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done
}

/// Diagonals through the cells of a region, each as long as the region; every other diagonal suffices.
fn hatch(cells: &[Vec<Cell>], inside: &dyn Fn(&Cell) -> bool) -> Vec<(Corner, Corner)> {
    let (high, wide) = (cells.len(), cells.first().map_or(0, Vec::len));
    let at = |column: usize, row: usize| cells.get(row).and_then(|row| row.get(column)).is_some_and(inside);
    let mut lines = Vec::new();
    for row in 0..high {
        for column in 0..wide {
            let goes_on = row > 0 && column > 0 && at(column - 1, row - 1);
            if (row + column).is_multiple_of(2) && at(column, row) && !goes_on {
                let length = (1..).find(|along| !at(column + along, row + along)).unwrap_or(1);
                lines.push(((column, row), (column + length, row + length)));
            }
        }
    }
    lines
}

fn legend(surface: &Surface, area: &Area<'_>) -> DrawResult {
    let beside = surface.panels.len() > 1;
    let wide = if beside { SWATCH.1 } else { SWATCH.0 };
    let text = (TEXT - 1, INK);
    write(area, (LEFT, 8.0), &surface.colours, text, HPos::Left)?;
    for (at, colour) in RAMP.iter().take(surface.limits.len() + 1).enumerate() {
        let x = LEFT + wide * at as f64;
        slab(area, (x, 20.0), (x + wide, 34.0), colour)?;
    }
    for (at, (_, name)) in surface.limits.iter().enumerate() {
        write(area, (LEFT + wide * (at as f64 + 1.0), 45.0), name, text, HPos::Center)?;
    }
    // The legend explains hatched regions if there are any.
    let all = || surface.panels.iter().flat_map(|panel| panel.cells.iter().flatten());
    let regions = [
        (all().any(|cell| cell.warned), PAPER, RED, &surface.warning),
        (all().any(|cell| cell.finite().is_none()), GRID, MUTED, &surface.outside),
    ];
    let (start, first) = if beside { (LEFT + wide * RAMP.len() as f64 + 26.0, 2.0) } else { (LEFT, 62.0) };
    for (at, (_, fill, stroke, name)) in regions.iter().filter(|(any, ..)| *any).enumerate() {
        let top = first + 24.0 * at as f64;
        slab(area, (start, top), (start + 32.0, top + 16.0), fill)?;
        for from in [start, start + 16.0] {
            line(area, &[(from, top + 16.0), (from + 16.0, top)], *stroke, 1)?;
        }
        write(area, (start + 40.0, top + 8.0), name, text, HPos::Left)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [f64; 3]) -> Vec<Cell> {
        values
            .map(|value| Cell { value: Some(if value > 0.0 { value } else { f64::NAN }), warned: value > 50.0 })
            .to_vec()
    }

    fn surface() -> Surface {
        let axis = |name: &str, values: &[f64]| Axis { name: name.to_owned(), values: values.to_vec() };
        let spots = vec![Spot { at: (1.0, 0.1), name: "here".to_owned() }];
        Surface {
            title: "Noise".to_owned(),
            description: "More of it above.".to_owned(),
            across: axis("β", &[0.1, 1.0, 10.0]),
            up: axis("α", &[0.1, 1.0]),
            panels: vec![Panel {
                title: "one".to_owned(),
                cells: vec![row([1.0, 2.0, 20.0]), row([0.0, 60.0, 70.0])],
                spots,
            }],
            colours: "times".to_owned(),
            limits: vec![(10.0, "10".to_owned()), (50.0, "50".to_owned())],
            warning: "too much".to_owned(),
            outside: "no sense".to_owned(),
        }
    }

    #[test]
    fn colours_change_at_their_limits() {
        let limits = surface().limits;
        assert_eq!([9.9, 10.0, 49.0, 50.0, 1e9].map(|value| step(value, &limits)), [0, 1, 1, 2, 2]);
    }

    #[test]
    fn cells_meet_half_way_on_a_logarithmic_axis() {
        let found = edges(&[0.1, 1.0, 10.0]);
        let close = found.iter().zip([-1.5, -0.5, 0.5, 1.5]).all(|(one, other)| (one.log10() - other).abs() < 1e-12);
        assert!(close && found.len() == 4, "{found:?}");
        let ticks: Vec<String> =
            Scale::log((1e-3, 10.0), (0.0, 1.0)).ticks(6).into_iter().map(|(_, text)| text).collect();
        for tick in ["0.001", "0.1", "1", "10"] {
            assert!(ticks.iter().any(|text| text == tick), "{ticks:?}");
        }
    }

    #[test]
    fn regions_are_hatched_and_explained() {
        let mut drawn = surface();
        assert_eq!(hatch(&drawn.panels[0].cells, &|cell| cell.warned).len(), 1);
        let svg = cells(&drawn);
        for said in ["<title>Noise</title>", "More of it above.", "too much", "no sense", "here", "50", "#B42A1D"] {
            assert!(svg.contains(said), "{said} is missing: {svg}");
        }
        drawn.panels[0].cells = vec![row([1.0, 2.0, 20.0]), row([3.0, 4.0, 5.0])];
        let svg = cells(&drawn);
        assert!(!svg.contains("too much") && !svg.contains("no sense"), "{svg}");
    }

    #[test]
    fn cells_of_one_colour_are_one_rectangle() {
        let limits = surface().limits;
        let all = vec![row([1.0, 2.0, 20.0]), row([3.0, 4.0, 30.0]), row([5.0, 60.0, 30.0])];
        let mut found = blocks(&all, &limits);
        found.sort_by_key(|block| (block.from.1, block.from.0));
        let block = |from, to, colour| Block { from, to, colour: Some(colour) };
        let expected =
            [block((0, 0), (2, 2), 0), block((2, 0), (3, 3), 1), block((0, 2), (1, 3), 0), block((1, 2), (2, 3), 2)];
        assert_eq!(found, expected);
    }

    #[test]
    fn diagonals_last_as_long_as_their_region() {
        let all = vec![row([60.0, 60.0, 60.0]), row([60.0, 60.0, 60.0]), row([60.0, 60.0, 1.0])];
        let lines = hatch(&all, &|cell| cell.warned);
        assert_eq!(lines, [((0, 0), (2, 2)), ((2, 0), (3, 1)), ((0, 2), (1, 3))]);
    }
}
