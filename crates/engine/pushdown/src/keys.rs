//! Computes the cell of a row from the declared keys of its groups.

use super::dialect::{Dialect, INTEGER};
use super::expression::{Text, Writer, integer};
use super::refusal::{MATERIALISE, Refusal};
use deniable_core::schema::Key;
use deniable_expression::{Day, Type};
use deniable_query::Query;

/// Most keys of all groups together: every row is compared with each.
const MOST_KEYS: usize = 2_000;

/// The combination of a row's keys, NULL where one is not declared. The last group's keys vary fastest.
pub(super) fn combination(query: &Query, dialect: Dialect, writer: &mut Writer<'_>) -> Result<Text, Refusal> {
    let keys: usize = query.groups().iter().map(|group| group.keys.len()).sum();
    if keys > MOST_KEYS {
        return Err(Refusal::new("a grouping by this many keys", "every row would be compared with each", MATERIALISE));
    }
    let mut whole = Text { sql: integer(0), layer: 0 };
    for group in query.groups() {
        let value = writer.value(group.value)?;
        let value = writer.column(format!("g{}", group.value.position()), &value);
        let place = place(dialect, &group.keys, query.rows().program.kind(group.value), &value.sql)?;
        let sql = format!("({} * {} + {place})", whole.sql, group.keys.len());
        whole = Text { sql, layer: whole.layer.max(value.layer) };
    }
    Ok(whole)
}

/// The position of a value among keys; NULL if it is not a key.
pub(super) fn place(dialect: Dialect, keys: &[Key], kind: Type, value: &str) -> Result<String, Refusal> {
    let (mut null, mut other) = ("NULL".to_owned(), "NULL".to_owned());
    let mut branches = String::new();
    for (at, key) in keys.iter().enumerate() {
        let constant = match (key, kind) {
            (Key::Null, _) => {
                null = at.to_string();
                continue;
            }
            (Key::Other, _) => {
                other = at.to_string();
                continue;
            }
            (Key::Boolean(truth), Type::Boolean) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
            (Key::Integer(number), Type::Integer) => integer((*number).into()),
            (Key::Text(text), Type::Text) => dialect.bytes(text.as_bytes()),
            (Key::Date(day), Type::Date) => integer(Day::new((*day).into()).map_or(0, |day| day.get().into())),
            _ => return Err(Refusal::new("a key of this type", "engines do not agree on its values", MATERIALISE)),
        };
        branches.push_str(&format!(" WHEN {value} = {constant} THEN {at}"));
    }
    Ok(format!("CAST(CASE WHEN {value} IS NULL THEN {null}{branches} ELSE {other} END AS {INTEGER})"))
}
