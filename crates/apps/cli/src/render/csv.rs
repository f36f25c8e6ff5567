//! One query as CSV. Every number is followed by its interval as `name_low` and `name_high`, the interval for the
//! population, if any, as `name_population_low` and `name_population_high`, and its class of quality as `name_quality`.
//! Notes, and the withdrawal of the answer, are in a last column, in the first row. Texts that a spreadsheet would
//! evaluate are escaped.

use crate::error::Failure;
use deniable_core::text::spreadsheet_cell;
use deniable_publication::Publication;
use deniable_publication::{Answer, Cell, KeyValue, Scalar};

/// The rows of a publication's first query; further answers are about its caps, and its notes contain them.
pub fn publication(publication: &Publication) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::refused(format!("the answers cannot be written as CSV: {error}"), "choose another --format")
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some(answer) = publication.answers.first() {
        let mut names = header(answer);
        let all: Vec<String> = answer
            .withdrawn
            .iter()
            .map(|on| format!("WITHDRAWN: {on}"))
            .chain(answer.warnings.iter().cloned())
            .collect();
        let has_notes = !all.is_empty();
        if has_notes {
            let is_free = |name: &String| !names.contains(name);
            names.extend(["notes", "notes_of_the_answer"].map(str::to_owned).into_iter().find(is_free));
        }
        if publication.rehearsal {
            let is_free = |name: &String| !names.contains(name);
            names.extend(["rehearsal", "rehearsal_of_the_answer"].map(str::to_owned).into_iter().find(is_free));
        }
        writer.write_record(&names).map_err(|error| failed(&error))?;
        let (population, has_quality) = (answer.have_population(), answer.has_quality());
        let mut notes = has_notes.then(|| guarded(&all.join("; ")));
        for row in &answer.rows {
            let notes = has_notes.then(|| notes.take().unwrap_or_default());
            let fields = row
                .iter()
                .enumerate()
                .flat_map(|(position, cell)| fields(cell, population[position], has_quality))
                .chain(notes)
                .chain(publication.rehearsal.then(|| "true".to_owned()));
            writer.write_record(fields).map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// The header, from the types of the first row, which all rows share; without rows, the names alone.
fn header(answer: &Answer) -> Vec<String> {
    let (first, population) = (answer.rows.first(), answer.have_population());
    answer
        .columns
        .iter()
        .enumerate()
        .flat_map(|(position, name)| match first.and_then(|row| row.get(position)) {
            Some(Cell::Number(_)) => {
                let mut names = vec![name.clone(), format!("{name}_low"), format!("{name}_high")];
                if population[position] {
                    names.extend([format!("{name}_population_low"), format!("{name}_population_high")]);
                }
                if answer.has_quality() {
                    names.push(format!("{name}_quality"));
                }
                names.iter().map(|name| guarded(name)).collect()
            }
            Some(Cell::Key(_)) | None => vec![guarded(name)],
        })
        .collect()
}

fn guarded(text: &str) -> String {
    spreadsheet_cell(text).into_owned()
}

fn fields(cell: &Cell, has_population: bool, has_quality: bool) -> Vec<String> {
    let text = |number: &Option<Scalar>| number.as_ref().map_or_else(String::new, ToString::to_string);
    match cell {
        Cell::Key(Some(key @ (KeyValue::Text(_) | KeyValue::Labelled(_)))) => vec![guarded(&key.text())],
        Cell::Key(key) => vec![key.as_ref().map_or_else(String::new, KeyValue::text)],
        Cell::Number(number) => {
            // A hidden number has its label in place of its value.
            let value = number.hidden.as_ref().map_or_else(|| text(&number.value), |label| guarded(label));
            let quality = has_quality.then(|| number.quality.map_or_else(String::new, |class| class.to_string()));
            let (least, most) = number.population.as_deref().cloned().unzip();
            let population = [least, most].into_iter().filter(|_| has_population).map(|end| text(&end));
            [value, text(&number.low), text(&number.high)].into_iter().chain(population).chain(quality).collect()
        }
    }
}
