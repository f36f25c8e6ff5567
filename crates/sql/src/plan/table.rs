//! What is publicly known about the tables of a question.

use crate::error::QueryError;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column as PlanColumn, DFSchema, TableReference};
use datafusion::logical_expr::Expr;
use deniable_core::sensitivity::Caps;
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
    pub(crate) fn join_key(&self) -> Option<&str> {
        self.public_key.as_deref().or(self.entity.as_ref().map(|entity| entity.key.as_str()))
    }

    pub(crate) fn schema(&self) -> Schema {
        Schema::new(
            self.columns
                .iter()
                .map(|column| Field::new(&column.name, arrow_type(column.kind), true))
                .collect::<Vec<_>>(),
        )
    }

    /// A column of this table as an expression.
    pub(crate) fn expr(&self, column: &str) -> Expr {
        Expr::Column(PlanColumn::new(Some(TableReference::bare(self.name.clone())), column))
    }
}

/// The declaration of a column that an expression names; names carry their table.
pub(crate) fn declared<'a>(tables: &'a [Table], column: &PlanColumn) -> Option<&'a Column> {
    let table = column.relation.as_ref()?.table();
    let table = tables.iter().find(|known| known.name == table)?;
    table.columns.iter().find(|known| known.name == column.name)
}

/// All columns of the tables, named with their tables.
pub(crate) fn schema_of(tables: &[Table]) -> Result<DFSchema, QueryError> {
    let fields = tables.iter().flat_map(|table| {
        let relation = TableReference::bare(table.name.clone());
        let fields = table.columns.iter();
        fields
            .map(move |column| (Some(relation.clone()), Field::new(&column.name, arrow_type(column.kind), true).into()))
    });
    DFSchema::new_with_metadata(fields.collect(), std::collections::HashMap::new())
        .map_err(|error| super::meaning(&error))
}

pub(crate) fn arrow_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Decimal => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Timestamp => crate::rows::calendar::TIMESTAMP,
    }
}
