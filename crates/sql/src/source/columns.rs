//! Declared columns as expressions over what a file holds. Total: what does not read as its type is NULL.

use super::partitions::Partitions;
use super::reading::{self, Reading, read};
use crate::error::SourceError;
use crate::plan::table::arrow_type;
use crate::rows::as_decimal;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{Column as PlanColumn, ScalarValue};
use datafusion::functions::string;
use datafusion::logical_expr::expr::Alias;
use datafusion::logical_expr::{Expr, in_list, lit, try_cast, when};
use deniable_policy::{Column, ColumnType, CsvOptions};
use std::path::Path;

/// A declared column in the terms of a file.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    /// The value in its declared type, under its declared name.
    pub(super) value: Expr,
    /// Whether something that should be a value stands there. Where it does and `value` is NULL, it is unreadable.
    pub(super) present: Expr,
}

impl Typed {
    /// The value for whoever only compares and shows it: texts in whatever type they are stored, without a copy.
    pub(super) fn stored(self) -> Expr {
        let Expr::Alias(Alias { expr, name, .. }) = self.value else { return self.value };
        reading::as_stored(&expr).unwrap_or(*expr).alias(name)
    }
}

fn field(name: &str) -> Expr {
    Expr::Column(PlanColumn::new_unqualified(name))
}

/// A field of delimited text. NULL is what is no text that a value could have.
pub(super) fn from_text(raw: &str, column: &Column, options: &CsvOptions) -> Typed {
    let text = field(raw);
    let text = if options.trim { string::btrim().call(vec![text]) } else { text };
    let nulls: Vec<Expr> = options.nulls.iter().map(|null| lit(null.as_str())).collect();
    if nulls.is_empty() {
        return Typed { value: value_of(text, column, options.decimal_comma), present: lit(true) };
    }
    let is_null = in_list(text.clone(), nulls, false);
    // Cannot fail: one WHEN with its THEN.
    let left = when(is_null.clone(), lit(ScalarValue::Utf8(None))).otherwise(text.clone()).unwrap_or(text);
    Typed { value: value_of(left, column, options.decimal_comma), present: is_null.is_not_true() }
}

/// The value in a folder's name.
pub(super) fn from_folder(column: &Column) -> Typed {
    let text = field(&column.name);
    Typed { present: text.clone().is_not_null(), value: value_of(read(Reading::Text, text), column, false) }
}

fn value_of(text: Expr, column: &Column, decimal_comma: bool) -> Expr {
    let typed = match column.kind {
        ColumnType::Text => text,
        ColumnType::Decimal if decimal_comma => as_decimal(read(Reading::Comma, text)),
        ColumnType::Decimal => as_decimal(text),
        ColumnType::Date => read(Reading::Day(column.format.clone()), text),
        ColumnType::Timestamp => read(Reading::Moment(column.format.clone()), text),
        ColumnType::Integer | ColumnType::Boolean => try_cast(text, arrow_type(column.kind)),
    };
    typed.alias(&column.name)
}

/// A stored column, where its type can be read as the declared one.
pub(super) fn from_stored(schema: &Schema, column: &Column, path: &Path) -> Result<Typed, SourceError> {
    let mut stored = find(schema, column, path)?;
    if let DataType::Dictionary(_, values) = stored {
        stored = values;
    }
    let fits = match column.kind {
        ColumnType::Integer => stored.is_integer(),
        ColumnType::Decimal => stored.is_numeric(),
        ColumnType::Text => matches!(stored, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
        ColumnType::Boolean => matches!(stored, DataType::Boolean),
        ColumnType::Date => matches!(stored, DataType::Date32 | DataType::Date64),
        ColumnType::Timestamp => matches!(stored, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64),
    };
    if !fits && *stored != DataType::Null {
        return Err(SourceError::ColumnType {
            path: path.to_owned(),
            column: column.name.clone(),
            stored: stored.to_string(),
            declared: column.kind.name(),
        });
    }
    let value = field(&column.name);
    let present = value.clone().is_not_null();
    let typed = match column.kind {
        ColumnType::Decimal => as_decimal(value),
        ColumnType::Text => read(Reading::Text, value),
        ColumnType::Date => read(Reading::Day(None), value),
        ColumnType::Timestamp => read(Reading::Moment(None), value),
        ColumnType::Integer | ColumnType::Boolean => try_cast(value, arrow_type(column.kind)),
    };
    Ok(Typed { value: typed.alias(&column.name), present })
}

/// The type that a file gives a column.
fn find<'a>(schema: &'a Schema, column: &Column, path: &Path) -> Result<&'a DataType, SourceError> {
    let mut same = schema.fields().iter().filter(|field| *field.name() == column.name);
    match (same.next(), same.next()) {
        (Some(field), None) => Ok(field.data_type()),
        (Some(_), Some(_)) => Err(SourceError::TwoColumns { path: path.to_owned(), column: column.name.clone() }),
        (None, _) => {
            let mut found: Vec<String> =
                schema.fields().iter().take(12).map(|field| format!("`{}`", field.name())).collect();
            if schema.fields().len() > found.len() {
                found.push(format!("and {} more", schema.fields().len() - found.len()));
            }
            let (path, column) = (path.to_owned(), column.name.clone());
            Err(SourceError::NoColumn { path, column, found: found.join(", ") })
        }
    }
}

/// The declared columns over a file's own and those of its folders.
pub(super) fn from_file(
    schema: &Schema,
    columns: &[Column],
    partitions: &Partitions,
    path: &Path,
) -> Result<Vec<Typed>, SourceError> {
    let twice = partitions.names().iter().find(|name| schema.field_with_name(name).is_ok());
    if let Some(name) = twice {
        let problem = "is a column of the file itself, too";
        return Err(SourceError::Partition { path: path.to_owned(), column: name.clone(), problem });
    }
    let typed = |column: &Column| {
        if partitions.holds(&column.name) { Ok(from_folder(column)) } else { from_stored(schema, column, path) }
    };
    columns.iter().map(typed).collect()
}
