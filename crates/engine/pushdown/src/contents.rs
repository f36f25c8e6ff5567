//! The contents of a relation, independent of the order of rows: their number, and keyed sums over them (V-1).

use super::StorageType;
use super::dialect::{Dialect, around};
use super::expression::{integer, typed, wide};
use deniable_expression::Type;
use std::collections::BTreeMap;

/// Number of sums, each over 24 bits of every row's hash: 120 bits in all. For up to 2^39 rows a sum fits in 64 bits,
/// which engines add several times as fast as wider numbers.
pub(super) const SUMS: usize = 5;
/// Number of hexadecimal digits of 24 bits.
const DIGITS: usize = 6;
/// Number of values that describe the contents: the number of rows, and the sums.
pub(super) const NUMBERS: usize = 1 + SUMS;

/// All columns with a type whose values are the same in every engine, as values, `h0`, `h1`, ... in the order of their
/// names, and the digits of a keyed hash of them, whatever the policy declares.
pub(super) fn hashed(dialect: Dialect, stored: &BTreeMap<String, StorageType>) -> (Vec<String>, String) {
    let spelt = dialect.spellings();
    let (mut values, mut parts) = (Vec::new(), String::new());
    for (at, (column, kept)) in stored.iter().enumerate() {
        let kind = match kept {
            StorageType::Boolean => Type::Boolean,
            StorageType::Whole => Type::Integer,
            StorageType::Double => Type::Decimal,
            StorageType::Text => Type::Text,
            StorageType::Date => Type::Date,
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
        values.push(format!("{} AS c", integer(0)));
    }
    (values, around(spelt.hash_digits, &format!("{} || 'f'{parts}", spelt.salt)))
}

/// The values that describe the contents, over rows whose hash is `h`.
pub(super) fn numbers(dialect: Dialect) -> Vec<String> {
    let part = |at: usize| {
        let digits = format!("substr(h, {}, {DIGITS})", 1 + at * DIGITS);
        // The sum over no rows is NULL.
        wide(&format!("COALESCE(SUM({}), 0)", around(dialect.spellings().number_of, &digits)))
    };
    std::iter::once(wide("COUNT(*)")).chain((0..SUMS).map(part)).collect()
}

/// The contents as a row of totals with this many sums, of the cell -1.
pub(super) fn as_cell(
    dialect: Dialect,
    relation: &str,
    stored: &BTreeMap<String, StorageType>,
    width: usize,
) -> String {
    let (values, hash) = hashed(dialect, stored);
    let filled = (NUMBERS..width).map(|_| wide("0"));
    let sums: Vec<String> = numbers(dialect).into_iter().chain(filled).collect();
    let (cell, one, sums) = (wide("-1"), wide("1"), sums.join(", "));
    let rows = format!("SELECT {hash} AS h FROM (\nSELECT {} FROM {relation}\n) typed_all", values.join(", "));
    format!("SELECT {cell}, {sums}, {one}, {one}, {one} FROM (\n{rows}\n) hashed")
}
