//! Answers for reading.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell as GridCell, CellAlignment, ContentArrangement, Table as Grid};
use deniable_core::text::{printable, printable_lines};
use deniable_publication::Publication;
use deniable_publication::{Answer, Cell, KeyValue};
use std::fmt::Write;

/// Widest line of running text.
const WIDTH: usize = 100;

/// The whole publication.
pub fn publication(publication: &Publication) -> String {
    let mut text = String::new();
    for answer in &publication.answers {
        text.push_str(&table(answer, &publication.confidence));
        text.push('\n');
    }
    text.push_str(&guarantee(publication));
    text
}

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

/// One query's answer.
pub fn table(answer: &Answer, confidence: &str) -> String {
    let mut grid = grid();
    let numbers: Vec<bool> = (0..answer.columns.len())
        .map(|position| answer.rows.first().is_some_and(|row| matches!(row.get(position), Some(Cell::Number(_)))))
        .collect();
    let (has_quality, population) = (answer.has_quality(), answer.have_population());
    let mut header = Vec::new();
    for (position, (name, is_number)) in answer.columns.iter().zip(&numbers).enumerate() {
        header.push(cell(name));
        if *is_number {
            header.push(cell(format!("{confidence} interval")));
            if population[position] {
                header.push(cell(format!("{confidence} for the population")));
            }
            if has_quality {
                header.push(cell("quality"));
            }
        }
    }
    grid.set_header(header);
    for row in &answer.rows {
        let cells = row.iter().enumerate().flat_map(|(position, value)| match value {
            Cell::Key(key) => {
                let text = key.as_ref().map_or_else(|| "NULL".to_owned(), KeyValue::text);
                vec![cell(text)]
            }
            Cell::Number(number) => {
                let quality =
                    has_quality.then(|| cell(number.quality.map_or_else(|| "-".to_owned(), |class| class.to_string())));
                let population = population[position].then(|| right(number.population_text().unwrap_or_default()));
                let cells = [right(number.value_text()), right(number.interval_text())];
                cells.into_iter().chain(population).chain(quality).collect()
            }
        });
        grid.add_row(cells);
    }
    let mut text = format!("{} (share {})\n{grid}\n", printable(&answer.name), answer.share);
    if answer.rows.is_empty() {
        text.push_str("  (no rows: HAVING, LIMIT or OFFSET left none)\n");
    }
    for noise in &answer.noise {
        let line = format!("noise: {}", noise.sentence(confidence));
        wrapped(&mut text, "  ", &line);
    }
    for warning in &answer.warnings {
        wrapped(&mut text, "  ", &format!("note: {warning}"));
    }
    text
}

/// The guarantee in words.
pub fn guarantee(publication: &Publication) -> String {
    let guarantee = &publication.guarantee;
    let mut text = format!("What is promised about everyone in \"{}\"\n", printable(&publication.population));
    let mut list = |title: &str, lines: &[String]| {
        let _ = writeln!(text, "  {title}");
        for line in lines {
            wrapped(&mut text, "  - ", line);
        }
    };
    list("whatever is released, now and later, together:", &guarantee.promises);
    let beliefs: Vec<String> =
        guarantee.beliefs.iter().map(deniable_publication::statement::Belief::sentence).collect();
    list("so that", &beliefs);
    list("against", &guarantee.adversary);
    list("provided that", &guarantee.assumptions);
    list("outside this are", &guarantee.outside);
    let exact = format!(
        "exactly: odds change by at most a factor {}, family {}, by {}",
        guarantee.odds_in_words, guarantee.family, guarantee.theorem
    );
    wrapped(&mut text, "  ", &exact);
    text
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
