//! Rows of files in their declared types.

use super::header::Header;
use super::{Rows, Source};
use crate::error::SourceError;
use crate::plan::table::arrow_type;
use crate::rows::as_decimal;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Column as PlanColumn, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::functions::{core, string};
use datafusion::logical_expr::{Expr, in_list, lit, try_cast, when};
use datafusion::prelude::{DataFrame, SessionContext};
use deniable_policy::{Column, ColumnType, CsvOptions, Format};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

impl Source {
    /// The declared columns, in their declared types, named as declared.
    pub(super) async fn typed(&self, context: &SessionContext) -> Result<DataFrame, SourceError> {
        let unreadable = |_| SourceError::Rows { table: self.table.name.clone() };
        match &self.rows {
            Rows::Memory(batches) => {
                let table =
                    MemTable::try_new(Arc::new(self.table.schema()), vec![batches.clone()]).map_err(unreadable)?;
                let stored = self.table.schema();
                let columns = self.table.columns.iter().map(|column| from_stored(&stored, column, Path::new("memory")));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                context.read_table(Arc::new(table)).and_then(|frame| frame.select(columns)).map_err(unreadable)
            }
            Rows::Files { files, format: Format::Csv(options) } => {
                let header = Header::of(files, options)?;
                let columns = self
                    .table
                    .columns
                    .iter()
                    .map(|column| {
                        let position = header.position(&column.name, &files[0])?;
                        Ok(from_text(raw_name(position), column, options))
                    })
                    .collect::<Result<Vec<_>, SourceError>>()?;
                // Every field is text at first: the engine's own guesses would depend on private values.
                let fields: Vec<Field> =
                    (0..header.len()).map(|position| Field::new(raw_name(position), DataType::Utf8, true)).collect();
                let format = CsvFormat::default()
                    .with_has_header(options.columns.is_none())
                    .with_delimiter(options.delimiter)
                    // A quoted field may hold a line break, so a file must not be cut at line breaks.
                    .with_newlines_in_values(true);
                let listing = ListingOptions::new(Arc::new(format)).with_file_extension("");
                let table = self.listing(files, listing, Arc::new(Schema::new(fields)))?;
                context.read_table(Arc::new(table)).and_then(|frame| frame.select(columns)).map_err(unreadable)
            }
            Rows::Files { files, format: Format::Parquet } => {
                let listing = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
                let mut stored: Option<SchemaRef> = None;
                for path in files {
                    let found = self.stored_schema(context, &listing, path).await?;
                    let columns = self.table.columns.iter().map(|column| from_stored(&found, column, path));
                    columns.collect::<Result<Vec<_>, _>>()?;
                    stored.get_or_insert(found);
                }
                let stored = stored.ok_or_else(|| SourceError::Rows { table: self.table.name.clone() })?;
                let columns = self
                    .table
                    .columns
                    .iter()
                    .map(|column| from_stored(&stored, column, &files[0]))
                    .collect::<Result<Vec<_>, _>>()?;
                let table = self.listing(files, listing, stored)?;
                context.read_table(Arc::new(table)).and_then(|frame| frame.select(columns)).map_err(unreadable)
            }
        }
    }

    fn listing(
        &self,
        files: &[PathBuf],
        options: ListingOptions,
        schema: SchemaRef,
    ) -> Result<ListingTable, SourceError> {
        let urls = files.iter().map(|path| file_url(path)).collect::<Result<_, _>>()?;
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options).with_schema(schema);
        ListingTable::try_new(config).map_err(|_| SourceError::Rows { table: self.table.name.clone() })
    }

    /// What a Parquet file says its columns are: part of its description, not of its rows.
    async fn stored_schema(
        &self,
        context: &SessionContext,
        options: &ListingOptions,
        path: &Path,
    ) -> Result<SchemaRef, SourceError> {
        let url = file_url(path)?;
        options.infer_schema(&context.state(), &url).await.map_err(|_| SourceError::Unreadable {
            path: path.to_owned(),
            reason: "it is not a Parquet file".to_owned(),
        })
    }
}

fn raw_name(position: usize) -> String {
    format!("c{position}")
}

fn file_url(path: &Path) -> Result<ListingTableUrl, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: path.to_owned(), reason };
    let full = path.canonicalize().map_err(|error| unreadable(error.to_string()))?;
    // Built from the path itself, so that characters that mean something in patterns or addresses do not here.
    let url = Url::from_file_path(&full).map_err(|()| unreadable("its name cannot be used".to_owned()))?;
    ListingTableUrl::try_new(url, None).map_err(|error| unreadable(error.strip_backtrace()))
}

/// A text field in its declared type: declared NULLs and what does not read as the type become NULL.
fn from_text(raw: String, column: &Column, options: &CsvOptions) -> Expr {
    let field = Expr::Column(PlanColumn::new_unqualified(raw));
    // The CSV reader gives NULL for an empty field; whether that means NULL is declared.
    let text = core::coalesce().call(vec![field, lit("")]);
    let text = if options.trim { string::btrim().call(vec![text]) } else { text };
    let nulls: Vec<Expr> = options.nulls.iter().map(|null| lit(null.as_str())).collect();
    let text = if nulls.is_empty() {
        text
    } else {
        // Cannot fail: one WHEN with its THEN.
        when(in_list(text.clone(), nulls, false), lit(ScalarValue::Utf8(None))).otherwise(text.clone()).unwrap_or(text)
    };
    let typed = match column.kind {
        ColumnType::Text => text,
        ColumnType::Decimal => as_decimal(text),
        ColumnType::Integer | ColumnType::Boolean | ColumnType::Date | ColumnType::Timestamp => {
            try_cast(text, arrow_type(column.kind))
        }
    };
    typed.alias(&column.name)
}

/// A stored column in its declared type, where the one can be read as the other.
fn from_stored(schema: &Schema, column: &Column, path: &Path) -> Result<Expr, SourceError> {
    let Some(field) = schema.fields().iter().find(|field| *field.name() == column.name) else {
        let mut found: Vec<String> =
            schema.fields().iter().take(12).map(|field| format!("`{}`", field.name())).collect();
        if schema.fields().len() > found.len() {
            found.push(format!("and {} more", schema.fields().len() - found.len()));
        }
        return Err(SourceError::NoColumn {
            path: path.to_owned(),
            column: column.name.clone(),
            found: found.join(", "),
        });
    };
    let mut stored = field.data_type();
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
            stored: field.data_type().to_string(),
            declared: column.kind.name(),
        });
    }
    let value = Expr::Column(PlanColumn::new_unqualified(&column.name));
    let typed = match column.kind {
        ColumnType::Decimal => as_decimal(value),
        ColumnType::Integer | ColumnType::Text | ColumnType::Boolean | ColumnType::Date | ColumnType::Timestamp => {
            try_cast(value, arrow_type(column.kind))
        }
    };
    Ok(typed.alias(&column.name))
}
