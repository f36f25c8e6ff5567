//! The column names of a file or relation, for the draft of a policy. No row is read.
//!
//! Only files that are CSV or Parquet by their first bytes are accepted. [`deniable_core::schema::are_names`] decides
//! whether the names may be a row of data.

use crate::connections::Sources;
use crate::error::SourceError;
use crate::files::{DataFile, locate};
use crate::header::names_within;
use crate::kind::expect_csv;
use crate::parquet::schema_of;
use arrow_schema::DataType;
use deniable_core::schema::{ColumnType, CsvOptions, Format, url_scheme};
use std::path::Path;

/// Maximum length of the line of names in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The file of a path; for a URL, the first object that it names.
fn file(path: &Path, format: &Format) -> Result<DataFile, SourceError> {
    let Some(url) = path.to_str().filter(|path| url_scheme(path).is_some()) else { return Ok(path.into()) };
    // `locate` returns at least one file, or an error.
    Ok(locate(url, format, Path::new(""), &Sources::installed())?.into_iter().next().unwrap_or_else(|| path.into()))
}

/// A column as its file or relation declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// The declared type that fits the stored one, if any.
    pub kind: Option<ColumnType>,
    /// Whether it stores moments, whose local time depends on a zone.
    pub has_zone: bool,
}

impl StoredColumn {
    fn new(name: String, stored: Option<&DataType>) -> Self {
        let has_zone = matches!(stored, Some(DataType::Timestamp(_, Some(_))));
        Self { name, kind: stored.and_then(column_type), has_zone }
    }
}

/// The column names of a CSV file, from its first line, decompressed if necessary.
///
/// # Errors
/// When the file is empty, is not CSV by its first bytes, is not valid text, has no second line, or has a first line of
/// more than 1 MiB.
pub fn csv_columns(path: &Path, options: &CsvOptions) -> Result<Vec<String>, SourceError> {
    let file = file(path, &Format::Csv(options.clone()))?;
    expect_csv(&file, options)?;
    names_within(&file, options, LONGEST_LINE)
}

/// The columns of a Parquet file, from its schema; their kind is `None` for unsupported types.
///
/// # Errors
/// When the file is not Parquet by its first and last bytes, or is damaged.
pub fn parquet_columns(path: &Path) -> Result<Vec<StoredColumn>, SourceError> {
    let schema = schema_of(&file(path, &Format::Parquet)?)?;
    Ok(schema.fields().iter().map(|field| StoredColumn::new(field.name().clone(), Some(field.data_type()))).collect())
}

/// The columns of a table or view of PostgreSQL, from its catalog; their kind is `None` for unsupported types.
///
/// # Errors
/// When the database cannot be reached, or this user has no such relation.
pub fn relation_columns(relation: &str, connect: &str) -> Result<Vec<StoredColumn>, SourceError> {
    let columns = Sources::installed().columns(relation, connect)?.into_iter();
    Ok(columns.map(|(name, stored)| StoredColumn::new(name, stored.as_ref())).collect())
}

/// The declared type that fits a stored type.
pub(crate) fn column_type(kind: &DataType) -> Option<ColumnType> {
    match kind {
        DataType::Dictionary(_, values) => column_type(values),
        DataType::Boolean => Some(ColumnType::Boolean),
        kind if kind.is_integer() => Some(ColumnType::Integer),
        kind if kind.is_floating() => Some(ColumnType::Decimal),
        // Eighteen digits fit an integer of 64 bits.
        DataType::Decimal32(digits, scale)
        | DataType::Decimal64(digits, scale)
        | DataType::Decimal128(digits, scale)
        | DataType::Decimal256(digits, scale)
            if *scale <= 0 && i16::from(*digits) - i16::from(*scale) <= 18 =>
        {
            Some(ColumnType::Integer)
        }
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
            Some(ColumnType::Decimal)
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Date32 | DataType::Date64 => Some(ColumnType::Date),
        DataType::Timestamp(..) => Some(ColumnType::Timestamp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::{Field, Schema, TimeUnit};
    use parquet::arrow::ArrowWriter;
    use std::fs::File;
    use std::sync::Arc;

    #[test]
    fn parquet_schemas_have_types() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let kinds = [
            ("n", DataType::UInt16, Some(ColumnType::Integer)),
            ("d", DataType::Decimal128(10, 2), Some(ColumnType::Decimal)),
            ("w", DataType::Decimal128(10, 0), Some(ColumnType::Integer)),
            ("long", DataType::Decimal128(30, 0), Some(ColumnType::Decimal)),
            ("f", DataType::Float32, Some(ColumnType::Decimal)),
            ("s", DataType::LargeUtf8, Some(ColumnType::Text)),
            ("b", DataType::Boolean, Some(ColumnType::Boolean)),
            ("day", DataType::Date32, Some(ColumnType::Date)),
            ("at", DataType::Timestamp(TimeUnit::Millisecond, None), Some(ColumnType::Timestamp)),
            ("instant", DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())), Some(ColumnType::Timestamp)),
            ("list", DataType::List(item), None),
        ];
        let fields: Vec<Field> = kinds.iter().map(|(name, kind, _)| Field::new(*name, kind.clone(), true)).collect();
        let writer = ArrowWriter::try_new(File::create(&path).unwrap(), Arc::new(Schema::new(fields)), None).unwrap();
        writer.close().unwrap();
        let column = |(name, _, kind): (&str, DataType, Option<ColumnType>)| StoredColumn {
            name: name.to_owned(),
            kind,
            has_zone: name == "instant",
        };
        let expected: Vec<StoredColumn> = kinds.into_iter().map(column).collect();
        assert_eq!(parquet_columns(&path).unwrap(), expected);
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        assert!(matches!(parquet_columns(&path), Err(SourceError::NotTable { found: "something else", .. })));
        assert_eq!(csv_columns(&path, &CsvOptions::with_delimiter(b',')).unwrap(), ["a", "b"]);
    }

    #[test]
    fn lines_without_names_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let names = |text: &str| {
            std::fs::write(&path, text).unwrap();
            csv_columns(&path, &CsvOptions::with_delimiter(b','))
        };
        for one in ["a,b", "a,b\n", "a,b\r\n", "\u{feff}a,b\n\n"] {
            let Err(SourceError::NoNames { problem, .. }) = names(one) else { panic!("{one}") };
            assert!(problem.contains("below its first line"), "{problem}");
        }
        assert_eq!(names("a,b\r\n1,2").unwrap(), ["a", "b"]);
        let at_most = "a".repeat(LONGEST_LINE as usize - 1);
        assert_eq!(names(&format!("{at_most}\n1")).unwrap(), [at_most.as_str()]);
        for long in [format!("{at_most}aa\n1"), format!("\"{at_most}\n1,2\n"), at_most.repeat(3)] {
            assert!(matches!(names(&long), Err(SourceError::NoNames { problem, .. }) if problem.contains("1 MiB")));
        }
    }
}
