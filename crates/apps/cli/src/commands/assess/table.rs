//! An assessment for reading in a terminal.

use super::findings::{TableFindings, name};
use super::measures::{Measure, overview, secret};
use super::words::{LinkageWords, beliefs, demands, linkage, many, original, presence, readings};
use crate::render::table::{cell, grid, right, wrapped};
use comfy_table::Table as Grid;
use deniable_assess::Linking;
use std::fmt::Write;
use std::path::Path;

/// The whole assessment.
pub fn text(file: &Path, assessed: &TableFindings) -> String {
    let assessment = &assessed.assessment;
    let columns: Vec<&str> = assessment.readings.iter().map(|reading| reading.column.as_str()).collect();
    let (people, classes) = (assessment.sizes.people, assessment.sizes.classes);
    let people = many(people, "person", "people");
    let classes = many(classes, "class", "classes");
    let mut text = format!("{}: {people} in {classes} by {}\n", name(file), columns.join(", "));
    for line in readings(assessment) {
        wrapped(&mut text, "  ", &line);
    }
    let _ = writeln!(text, "{}", rows(overview(assessment)));
    for column in &assessment.sensitive {
        let _ = writeln!(
            text,
            "\n{}: {}\n{}",
            column.name,
            many(column.values, "value", "values"),
            rows(secret(assessment, column))
        );
        for line in beliefs(assessment, column) {
            wrapped(&mut text, "  ", &line);
        }
    }
    if assessment.sensitive.len() > 1 {
        wrapped(
            &mut text,
            "  ",
            "each sensitive column is looked at alone; several together may say more about a person",
        );
    }
    text.push_str("\nWho is in the table\n");
    for line in presence(assessment) {
        wrapped(&mut text, "  - ", &line);
    }
    for (title, lines) in [
        ("Beside the original", original(assessment)),
        ("Linkage", assessed.linking.as_ref().map_or_else(Vec::new, linked)),
        ("Required", demands(assessment)),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}");
            lines.iter().for_each(|line| wrapped(&mut text, "  - ", line));
        }
    }
    text
}

fn linked(linking: &Linking) -> Vec<String> {
    let LinkageWords { counted, more, .. } = linkage(linking);
    counted.into_iter().chain(more).collect()
}

/// Numbers, each with the class where it is attained.
fn rows(measures: Vec<Measure>) -> Grid {
    let mut grid = grid();
    grid.set_header(vec!["", "value", "class"]);
    for Measure { label, value, class, .. } in measures {
        grid.add_row(vec![cell(label), right(value), cell(class.unwrap_or_default())]);
    }
    grid
}
