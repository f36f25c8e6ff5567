//! An answer as CSV.

use crate::{Answer, Cell, KeyValue, Scalar};
use deniable_core::text::spreadsheet_cell;

/// An answer that could not be written as CSV.
#[derive(Debug, thiserror::Error)]
#[error("the answer cannot be written as CSV: {0}")]
pub struct CsvError(String);

impl CsvError {
    fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl Answer {
    /// The answer as CSV. Every number is followed by its interval as `name_low` and `name_high`, the interval for the
    /// population, if any, as `name_population_low` and `name_population_high`, and its class of quality as
    /// `name_quality`. Notes, and the withdrawal of the answer, are in a last column, in the first row; a rehearsal is
    /// marked in a column. Texts that a spreadsheet would evaluate are escaped.
    ///
    /// # Errors
    /// When rows differ in their number of cells, which is a fault of this program.
    pub fn csv(&self, is_rehearsal: bool) -> Result<String, CsvError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut names = header(self);
        let withdrawn = self.withdrawn.iter().map(|on| format!("WITHDRAWN: {on}"));
        let notes: Vec<String> = withdrawn.chain(self.warnings.iter().cloned()).collect();
        let has_notes = !notes.is_empty();
        let mut further = |candidates: [&str; 2]| {
            let free = candidates.into_iter().find(|name| !names.iter().any(|known| known == name));
            names.extend(free.map(str::to_owned));
        };
        if has_notes {
            further(["notes", "notes_of_the_answer"]);
        }
        if is_rehearsal {
            further(["rehearsal", "rehearsal_of_the_answer"]);
        }
        writer.write_record(&names).map_err(CsvError::new)?;
        let (population, has_quality) = (self.have_population(), self.has_quality());
        let mut notes = has_notes.then(|| guarded(&notes.join("; ")));
        for row in &self.rows {
            let notes = has_notes.then(|| notes.take().unwrap_or_default());
            let fields = row
                .iter()
                .zip(&population)
                .flat_map(|(cell, has_population)| fields(cell, *has_population, has_quality))
                .chain(notes)
                .chain(is_rehearsal.then(|| "true".to_owned()));
            writer.write_record(fields).map_err(CsvError::new)?;
        }
        let bytes = writer.into_inner().map_err(CsvError::new)?;
        String::from_utf8(bytes).map_err(CsvError::new)
    }
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

#[cfg(test)]
mod tests {
    use crate::Answer;
    use serde_json::json;

    fn answer(more: serde_json::Value) -> Answer {
        let cell = |value: i64| json!({ "value": value, "low": 0, "high": 9, "quality": "A" });
        let mut answer = json!({
            "name": "n", "sql": "s", "share": "1", "odds": "3", "columns": ["key", "n"],
            "noise": [], "warnings": [],
            "rows": [["a,\"b\"", cell(-5)], [null, cell(1_000)], [" =1+1", cell(7)]],
        });
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(answer).unwrap()
    }

    #[test]
    fn an_answer_is_saved_as_it_was_released() {
        let plain = "key,n,n_low,n_high,n_quality\n\"a,\"\"b\"\"\",-5,0,9,A\n,1000,0,9,A\n' =1+1,7,0,9,A\n";
        assert_eq!(answer(json!({})).csv(false).unwrap(), plain);
        let noted = answer(json!({ "warnings": ["=a note"] })).csv(true).unwrap();
        let lines: Vec<&str> = noted.lines().collect();
        assert_eq!(lines[0], "key,n,n_low,n_high,n_quality,notes,rehearsal");
        assert!(lines[1].ends_with(",A,'=a note,true") && lines[2].ends_with(",A,,true"), "{noted}");
    }
}
