//! Tables in a frame of lines, for terminals and other fonts of one width.
//!
//! Columns are as wide as their widest line, in terminal columns: a wide character takes two. Hidden characters are
//! escaped, see [`printable`].

use super::{printable, printable_lines};
use std::fmt::{self, Display, Formatter};
use unicode_width::UnicodeWidthStr;

/// A table: one header, and rows of cells. A row may have fewer cells than the header.
///
/// ```
/// use deniable_core::text::grid::{Grid, cell, right};
///
/// let mut grid = Grid::new(["ward", "visits"]);
/// grid.add_row([cell("A"), right(12)]);
/// assert_eq!(grid.to_string(), "\
/// ┌──────┬────────┐
/// │ ward ┆ visits │
/// ╞══════╪════════╡
/// │ A    ┆     12 │
/// └──────┴────────┘");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    header: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
    /// The wrapped columns, each with its most terminal columns.
    wrapped: Vec<(usize, usize)>,
}

/// A cell: its lines and their alignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    is_right: bool,
}

/// A cell of one line, aligned left.
#[must_use]
pub fn cell(text: impl Display) -> Cell {
    Cell { text: printable(&text.to_string()).into_owned(), is_right: false }
}

/// A cell of one line, aligned right: a number, or a text in a column of numbers.
#[must_use]
pub fn right(text: impl Display) -> Cell {
    cell(text).aligned_right()
}

/// A cell that keeps its line breaks, aligned left.
#[must_use]
pub fn cell_of_lines(text: &str) -> Cell {
    Cell { text: printable_lines(text).into_owned(), is_right: false }
}

impl Cell {
    /// The same cell, aligned right.
    #[must_use]
    pub fn aligned_right(self) -> Self {
        Self { is_right: true, ..self }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        cell(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        cell(text)
    }
}

impl Grid {
    /// A table without rows.
    pub fn new(header: impl IntoIterator<Item = impl Into<Cell>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new(), wrapped: Vec::new() }
    }

    /// Wraps a column, counted from 0, at this many terminal columns, at spaces if possible.
    #[must_use]
    pub fn wrapping(mut self, column: usize, width: usize) -> Self {
        self.wrapped.push((column, width.max(1)));
        self
    }

    /// Adds a row. Cells beyond the header's number are dropped.
    pub fn add_row(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().take(self.header.len()).collect());
    }

    /// The lines of a cell.
    fn lines(&self, row: &[Cell], column: usize) -> Vec<String> {
        let text = row.get(column).map_or("", |cell| cell.text.as_str());
        let most = self.wrapped.iter().find(|(wrapped, _)| *wrapped == column).map(|(_, most)| *most);
        text.split('\n').flat_map(|line| most.map_or_else(|| vec![line.to_owned()], |most| wrap(line, most))).collect()
    }
}

/// Splits a line into pieces of at most this many terminal columns. A word longer than a line is cut.
fn wrap(line: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let room = lines.last().map_or(0, |line| line.width());
        if room > 0 && room + 1 + word.width() > most {
            lines.push(String::new());
        } else if room > 0 {
            push(&mut lines, ' ');
        }
        for letter in word.chars() {
            let room = lines.last().map_or(0, |line| line.width());
            if room > 0 && room + letter.to_string().width() > most {
                lines.push(String::new());
            }
            push(&mut lines, letter);
        }
    }
    lines
}

fn push(lines: &mut [String], letter: char) {
    if let Some(last) = lines.last_mut() {
        last.push(letter);
    }
}

impl Display for Grid {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column| all().flat_map(|row| self.lines(row, column)).map(|line| line.width()).max();
        let widths: Vec<usize> = (0..self.header.len()).map(|column| width(column).unwrap_or(0).max(1)).collect();
        let rule = |f: &mut Formatter<'_>, [left, line, between, right]: [&str; 4]| {
            let parts: Vec<String> = widths.iter().map(|width| line.repeat(width + 2)).collect();
            write!(f, "{left}{}{right}", parts.join(between))
        };
        rule(f, ["┌", "─", "┬", "┐"])?;
        for (position, row) in all().enumerate() {
            let cells: Vec<Vec<String>> = (0..widths.len()).map(|column| self.lines(row, column)).collect();
            for at in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                f.write_str("\n│")?;
                for (column, (lines, width)) in cells.iter().zip(&widths).enumerate() {
                    let line = lines.get(at).map_or("", String::as_str);
                    let blank = " ".repeat(width - line.width());
                    let is_right = row.get(column).is_some_and(|cell| cell.is_right);
                    let (before, after) = if is_right { (blank.as_str(), "") } else { ("", blank.as_str()) };
                    let end = if column + 1 == widths.len() { "" } else { "┆" };
                    write!(f, " {before}{line}{after} {end}")?;
                }
                f.write_str("│")?;
            }
            if position == 0 {
                f.write_str("\n")?;
                rule(f, ["╞", "═", "╪", "╡"])?;
            }
        }
        f.write_str("\n")?;
        rule(f, ["└", "─", "┴", "┘"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_several_lines_and_wide_characters_keep_the_frame() {
        let mut grid = Grid::new(["a", "b"]).wrapping(1, 5);
        grid.add_row([cell_of_lines("x\ny"), cell("one two 漢字漢字")]);
        grid.add_row([right("1")]);
        let text = grid.to_string();
        assert_eq!(
            text,
            "┌───┬──────┐\n│ a ┆ b    │\n╞═══╪══════╡\n│ x ┆ one  │\n│ y ┆ two  │\n│   ┆ 漢字 │\n│   ┆ 漢字 │\n\
             │ 1 ┆      │\n└───┴──────┘"
        );
        assert!(text.lines().all(|line| line.width() == 12));
    }

    #[test]
    fn hidden_characters_are_escaped_and_surplus_cells_left_out() {
        let mut grid = Grid::new(["a\n"]);
        grid.add_row([cell("\u{1b}[1m"), cell("surplus")]);
        let text = grid.to_string();
        assert!(text.contains("a\\n") && text.contains("\\u{1b}[1m") && !text.contains("surplus"));
    }
}
