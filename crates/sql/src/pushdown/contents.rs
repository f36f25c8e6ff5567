//! What all rows of a relation are, in whatever order: how many, and a keyed sum over them (V-1).

use super::Stored;
use super::dialect::{Dialect, around};
use super::expression::{integer, typed, wide};
use deniable_expression::Type;
use std::collections::BTreeMap;

/// Numbers that tell it: how many rows, and two sums.
pub(super) const NUMBERS: usize = 3;
/// Hexadecimal digits of a hash that make a number: 60 bits, of which 2^63 have a sum of less than 38 digits.
const DIGITS: usize = 15;

/// All columns that the engine keeps in a type of which all values mean the same everywhere, as values, `h0`, `h1`, ... by their names; and
/// the digits of a keyed hash of what they hold, whatever is declared of them.
pub(super) fn hashed(dialect: Dialect, stored: &BTreeMap<String, Stored>) -> (Vec<String>, String) {
    let spelt = dialect.spellings();
    let (mut values, mut parts) = (Vec::new(), String::new());
    for (at, (column, kept)) in stored.iter().enumerate() {
        let kind = match kept {
            Stored::Boolean => Type::Boolean,
            Stored::Whole => Type::Integer,
            Stored::Double => Type::Decimal,
            Stored::Text => Type::Text,
            Stored::Date => Type::Date,
        };
        let Some(value) = typed(dialect, kind, *kept, column) else { continue };
        let name = format!("h{at}");
        let written = match kind {
            Type::Boolean => format!("CASE WHEN {name} THEN 't' ELSE 'f' END"),
            Type::Text => around(spelt.digits_of, &name),
            Type::Integer | Type::Decimal | Type::Date | Type::Timestamp => format!("CAST({name} AS {})", spelt.text),
        };
        values.push(format!("{value} AS {name}"));
        parts += &format!(" || ':' || CASE WHEN {name} IS NULL THEN '-' ELSE {written} END");
    }
    if values.is_empty() {
        values.push(format!("{} AS c", integer(dialect, 0)));
    }
    (values, around(spelt.hash_digits, &format!("{} || 'f'{parts}", spelt.salt)))
}

/// The numbers, over rows whose hash is `h`.
pub(super) fn numbers(dialect: Dialect) -> [String; NUMBERS] {
    let part = |from: usize| {
        let number = around(dialect.spellings().number_of, &format!("substr(h, {from}, {DIGITS})"));
        // There may be no rows.
        format!("COALESCE(SUM({}), {})", wide(dialect, &number), wide(dialect, "0"))
    };
    [wide(dialect, "COUNT(*)"), part(1), part(1 + DIGITS)]
}

/// As a row of totals of so many sums, of the cell -1.
pub(super) fn as_cell(dialect: Dialect, relation: &str, stored: &BTreeMap<String, Stored>, width: usize) -> String {
    let (values, hash) = hashed(dialect, stored);
    let filled = (NUMBERS..width).map(|_| wide(dialect, "0"));
    let sums: Vec<String> = numbers(dialect).into_iter().chain(filled).collect();
    let (cell, one, sums) = (wide(dialect, "-1"), wide(dialect, "1"), sums.join(", "));
    let rows = format!("SELECT {hash} AS h FROM (\nSELECT {} FROM {relation}\n) typed_all", values.join(", "));
    format!("SELECT {cell}, {sums}, {one}, {one}, {one} FROM (\n{rows}\n) hashed")
}
