//! What is publicly known about a table.

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use deniable_core::sensitivity::Caps;
use deniable_expression::Type;
use deniable_policy::{Column, ColumnType, Entity};

/// What is publicly known about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name in SQL.
    pub name: String,
    /// The declared columns.
    pub columns: Vec<Column>,
    /// Whose rows belong together; `None` when one row is one person, or the table is public.
    pub entity: Option<Entity>,
    /// The unique column of a table that is about nobody; `None` for protected tables.
    pub public_key: Option<String>,
}

impl Table {
    /// A protected table.
    #[must_use]
    pub fn protected(name: impl Into<String>, columns: Vec<Column>, entity: Option<Entity>) -> Self {
        Self { name: name.into(), columns, entity, public_key: None }
    }

    /// The caps in force (S-CAP).
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.entity.as_ref().map_or(Caps::ONE_ROW, |entity| entity.caps)
    }

    /// Whether rows are about the protected people.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.public_key.is_none()
    }

    /// The column that other tables may be joined on: the entity key, or the unique key of a public table.
    #[must_use]
    pub fn join_key(&self) -> Option<&str> {
        self.public_key.as_deref().or(self.entity.as_ref().map(|entity| entity.key.as_str()))
    }

    /// The position of a declared column.
    #[must_use]
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// The declared columns in the types of rows in memory.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let field = |column: &Column| Field::new(&column.name, arrow_type(column.kind), true);
        Schema::new(self.columns.iter().map(field).collect::<Vec<_>>())
    }
}

/// The type of a declared column's values.
#[must_use]
pub fn type_of(kind: ColumnType) -> Type {
    match kind {
        ColumnType::Integer => Type::Integer,
        ColumnType::Decimal => Type::Decimal,
        ColumnType::Text => Type::Text,
        ColumnType::Boolean => Type::Boolean,
        ColumnType::Date => Type::Date,
        ColumnType::Timestamp => Type::Timestamp,
    }
}

/// How a declared column's values are stored in memory.
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
