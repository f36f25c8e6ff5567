//! Rows as a part of a statement, in place of a relation: to try an engine on rows that nobody is in.

use super::Stored;
use super::dialect::{Dialect, INTEGER, around};
use super::expression::{double, integer};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use deniable_core::schema::{Column, Key, TableSchema};
use deniable_expression::Type;
use std::collections::BTreeMap;

/// How an engine keeps columns that it keeps as they are declared. Timestamps are left out: no statement reads them.
#[must_use]
pub fn as_declared(columns: &[Column]) -> BTreeMap<String, Stored> {
    let stored = |column: &Column| match Type::from(column.kind) {
        Type::Boolean => Some(Stored::Boolean),
        Type::Integer => Some(Stored::Whole),
        Type::Decimal => Some(Stored::Double),
        Type::Text => Some(Stored::Text),
        Type::Date => Some(Stored::Date),
        Type::Timestamp => None,
    };
    columns.iter().filter_map(|column| Some((column.name.clone(), stored(column)?))).collect()
}

impl Dialect {
    /// Rows in memory, in the types of their table, as a relation that statements read; and how it keeps each column.
    #[must_use]
    pub fn relation_of(self, table: &TableSchema, rows: &RecordBatch) -> (String, BTreeMap<String, Stored>) {
        let stored = as_declared(&table.columns);
        let mut columns = Vec::new();
        for (declared, values) in table.columns.iter().zip(rows.columns()) {
            if let Some(kind) = stored.get(&declared.name) {
                columns.push((self.name(&declared.name), *kind, values));
            }
        }
        let all = 0..rows.num_rows();
        let literal = |(_, kind, values): &(String, Stored, &ArrayRef), row| self.literal(*kind, values, row);
        let row = |row| {
            let values: Vec<String> = columns.iter().map(|column| literal(column, row)).collect();
            format!("({})", values.join(", "))
        };
        let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
        let rows: Vec<String> = all.map(row).collect();
        let relation = format!("(VALUES\n{}\n) AS made_up({})", rows.join(",\n"), names.join(", "));
        (relation, stored)
    }

    /// A value as the engine keeps it.
    fn literal(self, kind: Stored, values: &ArrayRef, row: usize) -> String {
        let spelt = self.spellings();
        let nothing = |kind: &str| format!("CAST(NULL AS {kind})");
        let is_null = values.is_null(row);
        match kind {
            Stored::Boolean if is_null => nothing("BOOLEAN"),
            Stored::Whole if is_null => nothing(INTEGER),
            Stored::Double if is_null => nothing(spelt.double),
            Stored::Text if is_null => nothing(spelt.text),
            Stored::Date if is_null => nothing("DATE"),
            Stored::Boolean => if values.as_boolean().value(row) { "TRUE" } else { "FALSE" }.to_owned(),
            Stored::Whole => integer(values.as_primitive::<Int64Type>().value(row).into()),
            Stored::Double => match values.as_primitive::<Float64Type>().value(row) {
                number if number.is_finite() => double(self, number),
                number => {
                    let word = if number.is_nan() {
                        "NaN"
                    } else if number > 0.0 {
                        "Infinity"
                    } else {
                        "-Infinity"
                    };
                    format!("CAST('{word}' AS {})", spelt.double)
                }
            },
            Stored::Text => around(spelt.text_of, &self.bytes(values.as_string_view().value(row).as_bytes())),
            Stored::Date => {
                let day = Key::Date(values.as_primitive::<Date32Type>().value(row));
                format!("DATE '{day}'")
            }
        }
    }
}
