//! The report as text for a terminal.

use crate::assessment::Assessment;
use crate::measures::{Measure, overview, secret};
use crate::words::{beliefs, counted, kept, linkage, many, original, presence, readings};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use std::fmt::{self, Display, Formatter, Write};

/// The report as text; it ends with a newline.
impl Display for Assessment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.readings.iter().map(|reading| reading.column.as_str()).collect();
        let people = many(self.sizes.people, "person", "people");
        let classes = many(self.sizes.classes, "class", "classes");
        let mut text = format!("{}: {people} in {classes} by {}\n", self.name(), columns.join(", "));
        for line in readings(self) {
            push_paragraph(&mut text, "  ", &line);
        }
        writeln!(text, "{}", rows(overview(self)))?;
        for column in &self.sensitive {
            let values = many(column.values, "value", "values");
            writeln!(text, "\n{}: {values}\n{}", column.name, rows(secret(column)))?;
            for line in beliefs(column) {
                push_paragraph(&mut text, "  ", &line);
            }
        }
        if self.sensitive.len() > 1 {
            let line = "each sensitive column is assessed alone; several together may reveal more about a person";
            push_paragraph(&mut text, "  ", line);
        }
        let linked = self.linkage.iter().flat_map(|linking| counted(linking).into_iter().chain(linkage(linking)));
        for (title, lines) in [
            ("Presence", presence(self)),
            ("Compared with the original", original(self)),
            ("Linkage", linked.collect()),
            ("Required", self.verdicts.iter().map(|verdict| kept(self, verdict)).collect()),
        ] {
            if !lines.is_empty() {
                writeln!(text, "\n{title}")?;
                lines.iter().for_each(|line| push_paragraph(&mut text, "  - ", line));
            }
        }
        f.write_str(&text)
    }
}

/// A grid of numbers, each with the class that attains it.
fn rows(measures: Vec<Measure>) -> Grid {
    let mut grid = Grid::new(["", "value", "class"]);
    for Measure { label, value, class, .. } in measures {
        grid.add_row([cell(label), right(value), cell(class.unwrap_or_default())]);
    }
    grid
}
