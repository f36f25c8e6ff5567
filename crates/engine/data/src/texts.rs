//! A small public Parquet table as texts, for values that must be parsed exactly, such as a mechanism's probabilities.

use crate::error::SourceError;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

/// The rows of these columns, in their order; NULL is an empty text. Whole numbers and decimals keep every digit.
///
/// # Errors
/// When the file is not Parquet, a column is missing, or a column contains floats, which are rounded, or another type
/// without an exact text.
pub fn texts(path: &Path, columns: &[&str]) -> Result<Vec<Vec<String>>, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.build())
        .map_err(|_| unreadable("it is not a Parquet file, or damaged".to_owned()))?;
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|_| unreadable("it is damaged".to_owned()))?;
        let mut texts = Vec::with_capacity(columns.len());
        for name in columns {
            let column =
                batch.column_by_name(name).ok_or_else(|| unreadable(format!("there is no column `{name}`")))?;
            let kind = column.data_type();
            if !is_exact(kind) {
                let help = "store fractions (1/3) or decimals as text, or as DECIMAL";
                return Err(unreadable(format!("column `{name}` has the type {kind}, which is not exact: {help}")));
            }
            texts.push(cast(column, &DataType::Utf8).map_err(|error| unreadable(error.to_string()))?);
        }
        for row in 0..batch.num_rows() {
            let text = |column: &dyn Array| {
                let column = column.as_string::<i32>();
                if column.is_null(row) { String::new() } else { column.value(row).to_owned() }
            };
            rows.push(texts.iter().map(|column| text(column.as_ref())).collect());
        }
    }
    Ok(rows)
}

fn is_exact(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_exact(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => true,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => true,
        kind => kind.is_integer(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::RecordBatch;
    use arrow_array::{ArrayRef, Decimal128Array, Float64Array, StringArray};
    use arrow_schema::{Field, Schema};
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;

    fn file(folder: &Path, columns: Vec<(&str, ArrayRef)>) -> std::path::PathBuf {
        let path = folder.join("t.parquet");
        let fields: Vec<Field> =
            columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    }

    #[test]
    fn texts_and_decimals_are_exact_and_floats_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let names: ArrayRef = Arc::new(StringArray::from(vec![Some("ann bob"), None]));
        let decimals = Decimal128Array::from(vec![1_i128, 25]).with_precision_and_scale(20, 10).unwrap();
        let path = file(folder.path(), vec![("dataset", names.clone()), ("probability", Arc::new(decimals))]);
        let rows = texts(&path, &["probability", "dataset"]).unwrap();
        assert_eq!(rows, [["0.0000000001", "ann bob"], ["0.0000000025", ""]]);
        assert!(texts(&path, &["output"]).unwrap_err().to_string().contains("no column `output`"));
        let path = file(folder.path(), vec![("probability", Arc::new(Float64Array::from(vec![0.1])))]);
        let error = texts(&path, &["probability"]).unwrap_err().to_string();
        assert!(error.contains("Float64, which is not exact"), "{error}");
    }
}
