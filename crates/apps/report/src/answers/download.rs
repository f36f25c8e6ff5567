//! Links that save an answer as CSV and the guarantee as text, without a script and without another file.

use deniable_core::text::printable;
use deniable_publication::{Answer, Cell, NumberCell, Scalar};
use std::fmt::Write as _;

/// An answer as CSV: keys and numbers as they were released, each number followed by the ends of its interval and its
/// class. An interval of ranks has no ends.
pub fn csv(table: &Answer) -> String {
    let is_number = |at: usize| table.rows.iter().any(|row| matches!(row.get(at), Some(Cell::Number(_))));
    let mut lines = String::new();
    let head = table.columns.iter().enumerate().flat_map(|(at, name)| {
        let further = if is_number(at) { &["low", "high", "quality"] as &[&str] } else { &[] };
        std::iter::once(name.clone()).chain(further.iter().map(move |end| format!("{name}_{end}")))
    });
    line(&mut lines, head);
    for row in &table.rows {
        let cells = row.iter().flat_map(|cell| match cell {
            Cell::Key(key) => vec![key.as_ref().map_or_else(String::new, |key| key.text())],
            Cell::Number(number) => numbers(number),
        });
        line(&mut lines, cells);
    }
    lines
}

fn numbers(number: &NumberCell) -> Vec<String> {
    let text = |scalar: &Option<Scalar>| scalar.as_ref().map_or_else(String::new, ToString::to_string);
    let end = |end: &Option<Scalar>| if number.rows.is_some() { String::new() } else { text(end) };
    let quality = number.quality.map_or_else(String::new, |class| class.to_string());
    let value = number.hidden.clone().unwrap_or_else(|| text(&number.value));
    vec![value, end(&number.low), end(&number.high), quality]
}

fn line(lines: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            lines.push(',');
        }
        // A spreadsheet runs a text that begins like a formula, also after spaces and quotes; numbers may be negative.
        let cell = printable(&cell).into_owned();
        let bare = cell.trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        let is_formula = bare.starts_with(['=', '@', '＝', '＠', '＋', '－'])
            || (bare.starts_with(['+', '-']) && cell != "-" && cell.parse::<f64>().is_err());
        let cell = if is_formula { format!("'{cell}") } else { cell };
        if cell.contains(['"', ',', '\n', '\r', '\'']) {
            let _ = write!(lines, "\"{}\"", cell.replace('"', "\"\""));
        } else {
            lines.push_str(&cell);
        }
    }
    lines.push_str("\r\n");
}

/// An address that contains a text itself.
pub fn address(kind: &str, text: &str) -> String {
    let mut address = format!("data:{kind};charset=utf-8,");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~,;:()' ".contains(&byte) && byte != b' ' {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// A name for a file, from a title.
pub fn file_name(title: &str, ending: &str) -> String {
    let plain: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let name: String = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-").to_lowercase();
    let name: String = name.chars().take(60).collect();
    format!("{}.{ending}", if name.is_empty() { "answer" } else { &name })
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_saved_as_it_was_released() {
        let cell = |value: i64| json!({ "value": value, "low": 0, "high": 9, "quality": "A" });
        let table = table(&["key", "n"], json!([["a,\"b\"", cell(-5)], [null, cell(1_000)], [" =1+1", cell(7)]]));
        assert_eq!(
            csv(&table),
            "key,n,n_low,n_high,n_quality\r\n\"a,\"\"b\"\"\",-5,0,9,A\r\n,1000,0,9,A\r\n\"' =1+1\",7,0,9,A\r\n"
        );
    }

    #[test]
    fn addresses_and_names_are_plain() {
        assert_eq!(address("text/csv", "a b\"<é&#\r\n"), "data:text/csv;charset=utf-8,a%20b%22%3C%C3%A9%26%23%0D%0A");
        assert_eq!(file_name("Visits, by <sex>", "csv"), "visits-by-sex.csv");
        assert_eq!(file_name("???", "csv"), "answer.csv");
    }
}
