//! What depends on two parameters: cells over two logarithmic axes, coloured in steps, with hatched regions.

use crate::canvas::{Area, Drawn, TEXT, axes, picture, placed, px, shift};
use crate::palette::{GRID, INK, MUTED, PAPER, RAMP, RED};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Size of a panel and of the legend below all of them, in pixels.
const PANEL: (u32, u32) = (430, 350);
const LEGEND: u32 = 74;
/// More of it where regions are explained below the colours, because there is no room beside them.
const BELOW: u32 = 50;
/// Width of a colour in the legend, in pixels: where there is one panel, and where there are more.
const SWATCH: (i32, i32) = (50, 58);

/// One parameter: its name and its values, growing and above 0.
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
    /// What is shown as a colour; nothing, or not finite, where the parameters make no sense.
    pub value: Option<f64>,
    /// Whether the cell lies in the region that is warned of.
    pub warned: bool,
}

impl Cell {
    /// The value, where there is one.
    fn finite(&self) -> Option<f64> {
        self.value.filter(|value| value.is_finite())
    }
}

/// A point that is named.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Its place, in values of the axes.
    pub at: (f64, f64),
    /// What stands beside it.
    pub name: String,
}

/// One set of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What it shows, in a few words.
    pub title: String,
    /// Rows from the lowest value of `up` to the highest, each with as many cells as `across` has values.
    pub cells: Vec<Vec<Cell>>,
    /// Points that are named.
    pub spots: Vec<Spot>,
}

/// Panels side by side over the same axes and with the same colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// What the picture is.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    /// The parameter on the horizontal axis.
    pub across: Axis,
    /// The parameter on the vertical axis.
    pub up: Axis,
    /// From left to right.
    pub panels: Vec<Panel>,
    /// What the colours stand for.
    pub colours: String,
    /// The values at which the colour changes, growing, with how each is written: at most six.
    pub limits: Vec<(f64, String)>,
    /// What the warned region is.
    pub warning: String,
    /// What it means that a cell has no value.
    pub outside: String,
}

/// The picture of a surface.
#[must_use]
pub fn cells(surface: &Surface) -> String {
    let many = u32::try_from(surface.panels.len().max(1)).unwrap_or(1);
    let legend_height = if many == 1 { LEGEND + BELOW } else { LEGEND };
    let drawn =
        picture((PANEL.0 * many, PANEL.1 + legend_height), &surface.title, &surface.description, |area| -> Drawn {
            let (panels, below) = area.split_vertically(px(PANEL.1));
            for (panel, place) in surface.panels.iter().zip(panels.split_evenly((1, many as usize))) {
                draw(panel, surface, &place)?;
            }
            legend(surface, &below)
        });
    // The style sheet draws their edges sharp.
    drawn.replacen("class=\"chart\"", "class=\"chart cells\"", 1)
}

/// The ends of each cell on a logarithmic axis: half-way between neighbours.
fn edges(values: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = values.iter().map(|value| value.log10()).collect();
    let step = match logs[..] {
        [first, second, ..] => second - first,
        _ => 1.0,
    };
    let mut edges: Vec<f64> = logs.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    edges.insert(0, logs.first().unwrap_or(&0.0) - step / 2.0);
    edges.push(logs.last().unwrap_or(&0.0) + step / 2.0);
    edges
}

/// Which colour a value has: how many limits it reaches.
fn step(value: f64, limits: &[(f64, String)]) -> usize {
    limits.iter().filter(|(limit, _)| value >= *limit).count().min(RAMP.len() - 1)
}

/// `0.001` for −3.
fn power_of_ten(log: f64) -> String {
    let places = usize::from(log < 0.0) * (-log).round() as usize;
    format!("{:.places$}", 10_f64.powf(log.round()))
}

fn draw(panel: &Panel, surface: &Surface, area: &Area<'_>) -> Drawn {
    let (across, up) = (edges(&surface.across.values), edges(&surface.up.values));
    let (Some(left), Some(right), Some(low), Some(high)) = (across.first(), across.last(), up.first(), up.last())
    else {
        return Ok(());
    };
    let mut chart = ChartBuilder::on(area)
        .margin(px(10))
        .margin_top(px(38))
        .margin_right(px(20))
        .x_label_area_size(px(50))
        .y_label_area_size(px(66))
        .build_cartesian_2d(*left..*right, *low..*high)?;
    let names = (surface.across.name.as_str(), surface.up.name.as_str());
    axes(&mut chart, names, (6, 6), &|log| power_of_ten(*log), &|log| power_of_ten(*log))?;
    for Block { from, to, colour } in blocks(&panel.cells, &surface.limits) {
        let fill = colour.map_or(GRID, |step| RAMP[step]);
        let corners = [(across[from.0], up[from.1]), (across[to.0], up[to.1])];
        chart.draw_series([Rectangle::new(corners, fill.filled())])?;
    }
    let outside = |cell: &Cell| cell.finite().is_none();
    for (stroke, hatched) in [(MUTED, &outside as &dyn Fn(&Cell) -> bool), (RED, &|cell: &Cell| cell.warned)] {
        for (from, to) in hatch(&panel.cells, hatched) {
            let line = vec![(across[from.0], up[from.1]), (across[to.0], up[to.1])];
            chart.draw_series([PathElement::new(line, stroke.stroke_width(px(1)))])?;
        }
    }
    for Spot { at, name } in &panel.spots {
        let at = (at.0.log10(), at.1.log10());
        chart.draw_series([Circle::new(at, px(6), PAPER.filled())])?;
        chart.draw_series([Circle::new(at, px(6), INK.stroke_width(px(2)))])?;
        // On a ground of its own: cells are light and dark.
        let (wide, style) =
            (8 * i32::try_from(name.len()).unwrap_or(0) + 8, placed(TEXT, INK, HPos::Left, VPos::Center));
        let ground = Rectangle::new([shift(11, -10), shift(11 + wide, 10)], PAPER.filled());
        chart.draw_series([EmptyElement::at(at) + ground + Text::new(name.clone(), shift(15, 0), style)])?;
    }
    let title = placed(TEXT, INK, HPos::Left, VPos::Center);
    area.draw(&Text::new(panel.title.clone(), shift(76, 20), title))?;
    Ok(())
}

/// A corner of cells: how many cells are left of it, and how many below.
type Corner = (usize, usize);

/// Cells of one colour that make a rectangle. Drawn one by one, they would show seams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    from: Corner,
    to: Corner,
    colour: Option<usize>,
}

/// The cells as rectangles: neighbours in a row that share a colour, with the same stretch of the rows above.
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

/// Diagonals through the cells of a region, each as long as the region lasts; every other one is enough.
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

fn legend(surface: &Surface, area: &Area<'_>) -> Drawn {
    let beside = surface.panels.len() > 1;
    let wide = if beside { SWATCH.1 } else { SWATCH.0 };
    let text = |across, down| placed(TEXT - 1, INK, across, down);
    let swatch = |at: i32, down: i32, fill: RGBColor| {
        Rectangle::new([shift(at, down), shift(at + wide, down + 14)], fill.filled())
    };
    area.draw(&Text::new(surface.colours.clone(), shift(76, 8), text(HPos::Left, VPos::Center)))?;
    for (at, colour) in (0..).zip(RAMP.iter().take(surface.limits.len() + 1)) {
        area.draw(&swatch(76 + at * wide, 20, *colour))?;
    }
    for (at, (_, name)) in (1..).zip(&surface.limits) {
        let place = shift(76 + at * wide, 45);
        area.draw(&Text::new(name.clone(), place, text(HPos::Center, VPos::Center)))?;
    }
    // Hatched regions are explained where there are any.
    let all = || surface.panels.iter().flat_map(|panel| panel.cells.iter().flatten());
    let regions = [
        (all().any(|cell| cell.warned), PAPER, RED, &surface.warning),
        (all().any(|cell| cell.finite().is_none()), GRID, MUTED, &surface.outside),
    ];
    let colours = i32::try_from(RAMP.len()).unwrap_or(0);
    let (start, first) = if beside { (76 + wide * colours + 26, 2) } else { (76, 62) };
    for (at, (_, fill, stroke, name)) in (0..).zip(regions.iter().filter(|(any, ..)| *any)) {
        let top = first + 24 * at;
        area.draw(&Rectangle::new([shift(start, top), shift(start + 32, top + 16)], fill.filled()))?;
        for line in 0..2 {
            let from = start + 16 * line;
            let ends = vec![shift(from, top + 16), shift(from + 16, top)];
            area.draw(&PathElement::new(ends, stroke.stroke_width(px(1))))?;
        }
        area.draw(&Text::new(name.as_str(), shift(start + 40, top + 8), text(HPos::Left, VPos::Center)))?;
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
        let close = found.iter().zip([-1.5, -0.5, 0.5, 1.5]).all(|(one, other)| (one - other).abs() < 1e-12);
        assert!(close && found.len() == 4, "{found:?}");
        assert_eq!([-3.0, -1.0, 0.0, 1.0].map(power_of_ten), ["0.001", "0.1", "1", "10"]);
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
