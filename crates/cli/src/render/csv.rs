//! One ask as CSV: every number has its interval beside it, as `name_low` and `name_high`, and how good it is as
//! `name_quality`. Texts are guarded, so that a
//! spreadsheet computes none of them.

use crate::error::Failure;
use deniable_core::text::spreadsheet_cell;
use deniable_publication::Publication;
use deniable_publication::{Answer, Cell, KeyValue, Scalar};

/// The rows of a publication's only ask.
pub fn publication(publication: &Publication) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::refused(format!("the answers cannot be written as CSV: {error}"), "choose another --format")
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for ask in &publication.asks {
        writer.write_record(header(ask)).map_err(|error| failed(&error))?;
        for row in &ask.rows {
            writer
                .write_record(row.iter().flat_map(|cell| fields(cell, ask.has_quality())))
                .map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// Whether each column holds numbers is the same in all rows; a table without rows has plain columns.
fn header(ask: &Answer) -> Vec<String> {
    let first = ask.rows.first();
    ask.columns
        .iter()
        .enumerate()
        .flat_map(|(position, name)| match first.and_then(|row| row.get(position)) {
            Some(Cell::Number(_)) => {
                let mut names = vec![name.clone(), format!("{name}_low"), format!("{name}_high")];
                if ask.has_quality() {
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

fn fields(cell: &Cell, has_quality: bool) -> Vec<String> {
    let text = |number: &Option<Scalar>| number.as_ref().map_or_else(String::new, ToString::to_string);
    match cell {
        Cell::Key(Some(KeyValue::Text(text))) => vec![guarded(text)],
        Cell::Key(key) => vec![key.as_ref().map_or_else(String::new, KeyValue::text)],
        Cell::Number(number) => {
            // A hidden number has its label where its value would be.
            let value = number.hidden.as_ref().map_or_else(|| text(&number.value), |label| guarded(label));
            let quality = has_quality.then(|| number.quality.map_or_else(String::new, |class| class.to_string()));
            [value, text(&number.low), text(&number.high)].into_iter().chain(quality).collect()
        }
    }
}
