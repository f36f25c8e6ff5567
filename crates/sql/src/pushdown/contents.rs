//! What all rows of a relation are, in whatever order: how many, and a keyed sum over them (V-1).

use super::Stored;
use super::dialect::{Dialect, around};
use super::expression::{integer, typed, wide};
use deniable_core::schema::TableSchema;
use deniable_expression::Type;
use std::collections::BTreeMap;

/// Numbers that tell it: how many rows, and two sums.
pub(super) const NUMBERS: usize = 3;
/// Hexadecimal digits of a hash that make a number: 60 bits, of which 2^63 have a sum of less than 38 digits.
const DIGITS: usize = 15;

/// The declared columns as values, `c0`, `c1`, ..., and the digits of a keyed hash of what they hold. Columns that the engine keeps in
/// types of their own are not part of it.
pub(super) fn hashed(
    table: &TableSchema,
    dialect: Dialect,
    stored: &BTreeMap<String, Stored>,
) -> (Vec<String>, String) {
    let spelt = dialect.spellings();
    let (mut values, mut parts) = (Vec::new(), String::new());
    for (at, column) in table.columns.iter().enumerate() {
        let kind = deniable_data::type_of(column.kind);
        let found = stored.get(&column.name).and_then(|found| typed(dialect, kind, *found, &column.name));
        let Some(value) = found else { continue };
        let name = format!("c{at}");
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
pub(super) fn as_cell(
    table: &TableSchema,
    dialect: Dialect,
    relation: &str,
    stored: &BTreeMap<String, Stored>,
    width: usize,
) -> String {
    let (values, hash) = hashed(table, dialect, stored);
    let filled = (NUMBERS..width).map(|_| wide(dialect, "0"));
    let sums: Vec<String> = numbers(dialect).into_iter().chain(filled).collect();
    let (cell, one, sums) = (wide(dialect, "-1"), wide(dialect, "1"), sums.join(", "));
    let rows = format!("SELECT {hash} AS h FROM (\nSELECT {} FROM {relation}\n) typed_all", values.join(", "));
    format!("SELECT {cell}, {sums}, {one}, {one}, {one} FROM (\n{rows}\n) hashed")
}
