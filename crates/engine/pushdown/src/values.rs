//! Rows as a part of a statement, in place of a relation, to try an engine on made-up rows.

use super::StorageType;
use super::dialect::{Dialect, INTEGER, around};
use super::expression::{double, integer};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use deniable_core::schema::{Column, Key, TableSchema};
use deniable_expression::Type;
use std::collections::BTreeMap;

/// The engine's types of columns that are stored as declared. Timestamps are left out: no statement reads them.
#[must_use]
pub fn as_declared(columns: &[Column]) -> BTreeMap<String, StorageType> {
    let stored = |column: &Column| match Type::from(column.kind) {
        Type::Boolean => Some(StorageType::Boolean),
        Type::Integer => Some(StorageType::Whole),
        Type::Decimal => Some(StorageType::Double),
        Type::Text => Some(StorageType::Text),
        Type::Date => Some(StorageType::Date),
        Type::Timestamp => None,
    };
    columns.iter().filter_map(|column| Some((column.name.clone(), stored(column)?))).collect()
}

impl Dialect {
    /// Rows in memory, in the types of their table, as a relation that statements read; and the engine's type of each
    /// column.
    #[must_use]
    pub fn relation_of(self, table: &TableSchema, rows: &RecordBatch) -> (String, BTreeMap<String, StorageType>) {
        let stored = as_declared(&table.columns);
        let mut columns = Vec::new();
        for (declared, values) in table.columns.iter().zip(rows.columns()) {
            if let Some(kind) = stored.get(&declared.name) {
                columns.push((self.name(&declared.name), *kind, values));
            }
        }
        let all = 0..rows.num_rows();
        let literal = |(_, kind, values): &(String, StorageType, &ArrayRef), row| self.literal(*kind, values, row);
        let row = |row| {
            let values: Vec<String> = columns.iter().map(|column| literal(column, row)).collect();
            format!("({})", values.join(", "))
        };
        let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
        let rows: Vec<String> = all.map(row).collect();
        let relation = format!("(VALUES\n{}\n) AS made_up({})", rows.join(",\n"), names.join(", "));
        (relation, stored)
    }

    /// A value as a constant of the engine's type.
    fn literal(self, kind: StorageType, values: &ArrayRef, row: usize) -> String {
        let spelt = self.spellings();
        let nothing = |kind: &str| format!("CAST(NULL AS {kind})");
        let is_null = values.is_null(row);
        match kind {
            StorageType::Boolean if is_null => nothing("BOOLEAN"),
            StorageType::Whole if is_null => nothing(INTEGER),
            StorageType::Double if is_null => nothing(spelt.double),
            StorageType::Text if is_null => nothing(spelt.text),
            StorageType::Date if is_null => nothing("DATE"),
            StorageType::Boolean => if values.as_boolean().value(row) { "TRUE" } else { "FALSE" }.to_owned(),
            StorageType::Whole => integer(values.as_primitive::<Int64Type>().value(row).into()),
            StorageType::Double => match values.as_primitive::<Float64Type>().value(row) {
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
            StorageType::Text => around(spelt.text_of, &self.bytes(values.as_string_view().value(row).as_bytes())),
            StorageType::Date => {
                let day = Key::Date(values.as_primitive::<Date32Type>().value(row));
                format!("DATE '{day}'")
            }
        }
    }
}
