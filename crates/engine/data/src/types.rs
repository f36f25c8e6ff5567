//! The types of declared columns in memory.

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use deniable_core::schema::{Column, ColumnType, TableSchema};

/// The declared columns of a table with their types in memory.
#[must_use]
pub fn memory_schema(table: &TableSchema) -> Schema {
    let field = |column: &Column| Field::new(&column.name, arrow_type(column.kind), true);
    Schema::new(table.columns.iter().map(field).collect::<Vec<_>>())
}

/// The type of a declared column's values in memory.
#[must_use]
pub fn arrow_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Decimal => DataType::Float64,
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}
