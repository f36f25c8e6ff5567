//! Protocols from CSV: `party,x,y,view,output,probability`, one line for each possible view of a party at a pair of
//! inputs.

use super::{Party, Protocol, Row};
use crate::mechanism::file::csv::{column, probability, sheet};
use crate::mechanism::file::tree::printable;
use crate::mechanism::file::{FileError, FileErrorKind, without_mark};
use deniable_core::text::did_you_mean;

const COLUMNS: [&str; 6] = ["party", "x", "y", "view", "output", "probability"];

/// Parses a protocol. The party is `1` or `first`, `2` or `second`; inputs, views and outputs are names, which may be
/// empty.
///
/// # Errors
/// When a column is missing or unknown, a party or a probability is invalid, or the lines do not form a protocol.
pub fn read(source: &str) -> Result<Protocol, FileError> {
    let found = sheet(without_mark(source))?;
    if let Some(key) = found.header.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        let kind = FileErrorKind::UnknownKey { key: key.clone(), section: "the header" };
        return Err(kind.at(crate::mechanism::file::Place::Line(1)).hint(did_you_mean(key, COLUMNS)));
    }
    let mut places = [0; 6];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        *place = column(&found.header, name)?;
    }
    let [party, x, y, view, output, chance] = places;
    let mut inputs: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut position = |side: usize, name: &str| {
        let known = inputs[side].iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            inputs[side].push(name.to_owned());
            inputs[side].len() - 1
        })
    };
    let mut rows = Vec::new();
    for (place, row) in &found.rows {
        let who = match row[party].as_str() {
            "1" | "first" => Party::First,
            "2" | "second" => Party::Second,
            other => {
                let kind = FileErrorKind::Unknown { what: "party", name: other.to_owned() };
                return Err(kind.at(*place).hint("write 1 or 2".to_owned()));
            }
        };
        // Inputs, views and outputs may be empty: an empty message is a view too.
        let name = |at: usize| if row[at].is_empty() { Ok(String::new()) } else { printable(&row[at], *place) };
        rows.push(Row {
            party: who,
            x: position(0, &name(x)?),
            y: position(1, &name(y)?),
            view: name(view)?,
            output: name(output)?,
            probability: probability(&row[chance], *place)?,
        });
    }
    Protocol::new(inputs, rows).map_err(|error| FileErrorKind::Counts { problem: error.to_string() }.anywhere())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::simulate::Sides;

    #[test]
    fn a_protocol_is_read_and_its_mistakes_have_lines() {
        // The second party sends its bit by randomised response; the output is empty.
        let text = "party,x,y,view,output,probability\n1,,0,0,,3/4\n1,,0,1,,1/4\n1,,1,0,,1/4\n1,,1,1,,3/4\n2,,0,,,1\n2,,1,,,1\n";
        let protocol = read(text).unwrap();
        let found = protocol.simulate(Party::First, Sides::One).unwrap();
        assert_eq!(found.value.to_string(), "2");
        let wrong = |from: &str, to: &str| read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(wrong("1,,0,0,,3/4", "3,,0,0,,3/4").starts_with("line 2: party `3` is not among those declared"));
        // Found by fuzzing.
        assert!(wrong("1,,0,0", "1,0\0\0,0,0").contains("is not a valid name"), "{}", wrong("1,,0,0", "1,0\0\0,0,0"));
        assert!(wrong("3/4", "x").starts_with("line 2: "), "{}", wrong("3/4", "x"));
        assert!(wrong("3/4", "2/4").contains("sum to 3/4, not 1"), "{}", wrong("3/4", "2/4"));
        assert!(wrong("view", "views").contains("`views` is unknown"), "{}", wrong("view", "views"));
    }
}
