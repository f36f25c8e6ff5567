//! Tables and paragraphs.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell as GridCell, CellAlignment, ContentArrangement, Table as Grid};
use deniable_core::text::{printable, printable_lines};
use std::fmt::Write;

/// Widest line of running text.
const WIDTH: usize = 100;

/// An empty grid in the house style.
pub fn grid() -> Grid {
    let mut grid = Grid::new();
    grid.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    grid
}

/// A cell of a grid: one line, whatever is in it.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn cell(text: impl std::fmt::Display) -> GridCell {
    GridCell::new(printable(&text.to_string()))
}

/// A cell with a number, or what stands in a column of them.
pub fn right(text: impl std::fmt::Display) -> GridCell {
    cell(text).set_alignment(CellAlignment::Right)
}

/// A cell of several lines, which are meant.
#[expect(clippy::disallowed_methods, reason = "this is the other place")]
pub fn cell_of_lines(text: &str) -> GridCell {
    GridCell::new(printable_lines(text))
}

/// Adds a paragraph, wrapped, with hanging indentation.
pub fn wrapped(text: &mut String, lead: &str, paragraph: &str) {
    let hang = " ".repeat(lead.chars().count() + if lead.trim().is_empty() { 2 } else { 0 });
    let mut line = lead.to_owned();
    let mut empty = true;
    for word in paragraph.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = hang.clone();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(text, "{line}");
}
