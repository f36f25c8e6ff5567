//! Tables as input and output, through Arrow's PyCapsules.

use crate::failure::{raised, usage};
use crate::interpreter::{calling, detached};
use crate::policy::Policy;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_cast::cast;
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use deniable::{Answer, Cell};
use deniable::{Code, Diagnostic};
use deniable::{KeyValue, Scalar};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of a view of a text: its length, and either a short text itself or the place of a long one.
const VIEW: usize = 16;

/// Rows that were refused.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// Declared columns are missing or ambiguous.
    #[error("declared columns are missing or occur several times")]
    Names {
        /// The missing columns.
        missing: Vec<String>,
        /// The names that several columns have.
        twice: Vec<String>,
        /// The names of all columns.
        known: Vec<String>,
    },
    /// The data violate Arrow's format: the library that exported them is broken.
    #[error("column `{column}` violates the format of Arrow: {error}")]
    Broken {
        /// The column.
        column: String,
        /// The violation.
        error: ArrowError,
    },
}

/// The columns of a table in words.
fn column_list(known: &[String]) -> String {
    if known.is_empty() {
        return "are no columns".to_owned();
    }
    let named: Vec<String> = known.iter().take(20).map(|name| format!("`{name}`")).collect();
    format!("are {}{}", named.join(", "), if known.len() > 20 { ", ..." } else { "" })
}

impl RowsError {
    /// The diagnostics, naming the table that the rows are for.
    pub fn in_table(&self, table: &str) -> Vec<Diagnostic> {
        let diagnostic = |what: String, help: &str| {
            Diagnostic::new(Code::Data, format!("the rows for `{table}`: {what}")).with_help(help)
        };
        match self {
            Self::Names { missing, twice, known } => {
                let missing = missing.iter().map(|column| {
                    diagnostic(
                        format!(
                            "there is no column `{column}`, which the policy declares; there {}",
                            column_list(known)
                        ),
                        "names are compared letter by letter: rename the column, or declare it under its name",
                    )
                });
                let twice = twice
                    .iter()
                    .map(|column| diagnostic(format!("there are several columns `{column}`"), "rename one of them"));
                missing.chain(twice).collect()
            }
            Self::Broken { .. } => {
                let help = "create the table anew, for example by writing it to Parquet and reading it back";
                vec![diagnostic(self.to_string(), help)]
            }
        }
    }
}

/// The rows of an object that exports Arrow. An exception of its library, also one raised while it computes the rows,
/// is reported by its type alone: its message can quote cells.
pub fn taken(rows: &Bound<'_, PyAny>, what: &str) -> PyResult<PyTable> {
    let py = rows.py();
    calling(py, || rows.extract()).map_err(|error: PyErr| {
        // Ctrl-C, and the end of the interpreter, do not concern the rows.
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let message = format!("{what} cannot be read as a table: exporting it as Arrow raised {}", kind(&error, py));
        let diagnostic = Diagnostic::new(Code::Data, message).with_help(
            "give a data frame of polars or pandas, a table of pyarrow or a relation of DuckDB, without columns that Arrow has no type for; \
             a Series is a table by to_frame(). The words of its library are left out, as they can quote cells: pyarrow.table(...) of the \
             same rows shows them",
        );
        raised(py, &vec![diagnostic])
    })
}

fn kind(error: &PyErr, py: Python<'_>) -> String {
    error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string())
}

/// The rows of a table, copied.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct Rows {
    /// The declared columns.
    pub batches: Vec<RecordBatch>,
    misfits: Vec<(String, &'static str, String)>,
}

#[pymethods]
impl Rows {
    /// Copies the columns that the policy declares for the table, without those of these names.
    #[new]
    fn new(
        py: Python<'_>,
        policy: &Policy,
        table: &str,
        rows: &Bound<'_, PyAny>,
        without: Vec<String>,
    ) -> PyResult<Self> {
        let declared = policy.0.tables().into_iter().find(|declared| declared.data.table == table);
        let mut columns = declared.map(|declared| declared.columns).unwrap_or_default();
        columns.retain(|column| !without.contains(&column.name));
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let rows = taken(rows, &format!("the table `{table}`"))?;
        let batches = detached(py, || owned(rows, &names)).map_err(|error| raised(py, &error.in_table(table)))?;
        let misfits = deniable::misfits(&columns, &batches).into_iter();
        let misfits = misfits.map(|misfit| (misfit.column, misfit.declared.name(), misfit.reason));
        let misfits = misfits.collect();
        Ok(Self { batches, misfits })
    }

    /// The columns whose types cannot be read as declared: name, declared type, reason.
    #[getter]
    fn misfits(&self) -> Vec<(String, &'static str, String)> {
        self.misfits.clone()
    }
}

/// Copies of the declared columns that the rows contain: no other code can change them between check and computation.
/// Undeclared columns are not copied.
pub fn owned(rows: PyTable, columns: &[String]) -> Result<Vec<RecordBatch>, RowsError> {
    let (batches, schema) = rows.into_inner();
    batches_owned(batches, &schema, columns)
}

fn batches_owned(
    batches: Vec<RecordBatch>,
    schema: &SchemaRef,
    columns: &[String],
) -> Result<Vec<RecordBatch>, RowsError> {
    let (mut wanted, mut missing, mut twice) = (Vec::new(), Vec::new(), Vec::new());
    for name in columns {
        let mut found = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => wanted.push(at),
            (Some(_), Some(_)) if twice.contains(name) => {}
            (Some(_), Some(_)) => twice.push(name.clone()),
            (None, _) => missing.push(name.clone()),
        }
    }
    if !missing.is_empty() || !twice.is_empty() {
        let known = schema.fields().iter().map(|field| field.name().clone()).collect();
        return Err(RowsError::Names { missing, twice, known });
    }
    // A table without batches still has columns.
    let empty = RecordBatch::new_empty(schema.clone());
    let batches = if batches.is_empty() { vec![empty] } else { batches };
    batches.iter().map(|batch| copied(batch, &wanted)).collect()
}

fn copied(batch: &RecordBatch, wanted: &[usize]) -> Result<RecordBatch, RowsError> {
    let mut columns = Vec::new();
    let mut fields = Vec::new();
    for (column, field) in
        wanted.iter().filter_map(|at| Some((batch.columns().get(*at)?, batch.schema_ref().fields().get(*at)?)))
    {
        let own = copy(column).map_err(|error| RowsError::Broken { column: field.name().clone(), error })?;
        fields.push(Field::new(field.name(), own.data_type().clone(), true));
        columns.push(own);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &rows)
        .map_err(|error| RowsError::Broken { column: String::new(), error })
}

/// A copy of an array that shares no memory with it, and conforms to its type. Offsets are checked before they are
/// used.
fn copy(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Utf8View => texts_of_views(&array.to_data()),
        // Each run is expanded to its rows.
        DataType::RunEndEncoded(_, values) => {
            array.to_data().validate_full()?;
            copy(&cast(array, values.data_type())?)
        }
        DataType::Dictionary(key, _) => {
            let keys = copy_plain(array)?.to_data();
            let [values] = keys.child_data() else {
                return Err(ArrowError::InvalidArgumentError("a dictionary has one array of values".to_owned()));
            };
            let values = copy(&make_array(values.clone()))?.to_data();
            let own_type = DataType::Dictionary(key.clone(), Box::new(values.data_type().clone()));
            Ok(make_array(keys.into_builder().data_type(own_type).child_data(vec![values]).build()?))
        }
        _ => copy_plain(array),
    }
}

/// The texts of an array of views, as plain texts. The view of a NULL is empty, and is not read.
fn texts_of_views(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
    let wrong = |row: usize, what: &str| Err(ArrowError::InvalidArgumentError(format!("the view of row {row} {what}")));
    let [views, texts @ ..] = data.buffers() else { return wrong(0, "is missing") };
    let mut builder = LargeStringBuilder::new();
    for row in 0..data.len() {
        if data.is_null(row) {
            builder.append_null();
            continue;
        }
        let begin = (data.offset() + row) * VIEW;
        let Some(view) = views.as_slice().get(begin..begin + VIEW) else { return wrong(row, "is missing") };
        let number = |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize;
        let length = number(0);
        let text = if length <= VIEW - 4 {
            view.get(4..4 + length)
        } else {
            let (buffer, offset) = (number(8), number(12));
            texts.get(buffer).and_then(|text| text.as_slice().get(offset..offset.checked_add(length)?))
        };
        let Some(text) = text else { return wrong(row, "does not point to a text") };
        let Ok(text) = std::str::from_utf8(text) else { return wrong(row, "is not UTF-8") };
        builder.append_value(text);
    }
    Ok(Arc::new(builder.finish()))
}

fn copy_plain(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let mut own = MutableArrayData::new(vec![&data], false, data.len());
    own.try_extend(0, 0, data.len())?;
    let own = own.freeze();
    // Texts that are not UTF-8, or offsets outside their buffer, must not be read.
    own.validate_full()?;
    Ok(make_array(own))
}

/// Copies of all columns of a table.
pub fn all_owned(rows: PyTable) -> Result<Vec<RecordBatch>, RowsError> {
    let (batches, schema) = rows.into_inner();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    batches_owned(batches, &schema, &names)
}

/// The rows of three columns as texts: a mechanism's datasets, outputs and probabilities.
#[pyfunction]
pub fn rows_as_text(py: Python<'_>, rows: &Bound<'_, PyAny>, columns: [String; 3]) -> PyResult<Vec<[String; 3]>> {
    let (batches, schema) = taken(rows, "the mechanism")?.into_inner();
    for name in &columns {
        let Ok(field) = schema.field_with_name(name) else {
            let help = "its columns are dataset, output and probability";
            return Err(usage(py, format!("the mechanism has no column `{name}`"), help));
        };
        if field.data_type().is_floating() {
            let help = "write probabilities as texts, such as \"1/4\" or \"0.25\", or as decimals";
            return Err(usage(py, format!("column `{name}` contains floats, and floats are not exact"), help));
        }
    }
    let batches = batches_owned(batches, &schema, &columns);
    let batches = batches.map_err(|error| raised(py, &error.in_table("mechanism")))?;
    let mut all = Vec::new();
    for batch in &batches {
        let mut texts = Vec::new();
        for name in &columns {
            let text = batch.column_by_name(name).map(|column| cast(column, &DataType::Utf8)).transpose();
            let text = text.map_err(|error| {
                usage(
                    py,
                    format!("column `{name}`: {error}"),
                    "datasets and outputs are texts, probabilities texts or numbers",
                )
            })?;
            texts.extend(text);
        }
        let texts: Vec<&arrow_array::StringArray> =
            texts.iter().filter_map(|text| text.as_any().downcast_ref()).collect();
        for row in 0..batch.num_rows() {
            let value = |at: usize| texts.get(at).filter(|text| text.is_valid(row)).map_or("", |text| text.value(row));
            all.push([value(0).to_owned(), value(1).to_owned(), value(2).to_owned()]);
        }
    }
    Ok(all)
}

/// An answer as a table: keys unchanged, each number with `_low` and `_high` beside it, then the ends for the
/// population and the class of quality if there are any. The numbers of a column are whole if all of them are, and the
/// nearest doubles otherwise; days and times are texts of ISO 8601.
#[pyfunction]
pub fn answer_table(py: Python<'_>, json: &str) -> PyResult<PyTable> {
    let answer: Answer = serde_json::from_str(json).map_err(|error| {
        usage(py, format!("this is not an answer: {error}"), "answers come from ask() and release()")
    })?;
    let (population, has_quality) = (answer.have_population(), answer.has_quality());
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for (at, name) in answer.columns.iter().enumerate() {
        let cells: Vec<Option<&Cell>> = answer.rows.iter().map(|row| row.get(at)).collect();
        if !cells.iter().flatten().any(|cell| matches!(cell, Cell::Number(_))) {
            columns.push((name.clone(), keys(&cells)));
            continue;
        }
        let number = |cell: &Option<&Cell>| cell.and_then(Cell::number).cloned();
        let numbers: Vec<_> = cells.iter().map(number).collect();
        let of = |pick: &dyn Fn(&deniable::NumberCell) -> Option<Scalar>| {
            scalars(&numbers.iter().map(|number| number.as_ref().and_then(pick)).collect::<Vec<_>>())
        };
        columns.push((name.clone(), of(&|number| number.value.clone().filter(|_| number.hidden.is_none()))));
        columns.push((format!("{name}_low"), of(&|number| number.low.clone())));
        columns.push((format!("{name}_high"), of(&|number| number.high.clone())));
        if population.get(at) == Some(&true) {
            columns.push((format!("{name}_population_low"), of(&|number| Some(number.population.as_ref()?.0.clone()))));
            columns
                .push((format!("{name}_population_high"), of(&|number| Some(number.population.as_ref()?.1.clone()))));
        }
        if has_quality {
            let classes = numbers.iter().map(|number| Some(number.as_ref()?.quality?.to_string()));
            columns.push((format!("{name}_quality"), texts(classes)));
        }
    }
    let mut named = BTreeSet::new();
    if let Some((twice, _)) = columns.iter().find(|(name, _)| !named.insert(name.clone())) {
        let help = "ask under other names: a number's interval is in columns that end in _low and _high; rows and \
                    intervals have it under any name";
        return Err(usage(py, format!("the table would have two columns `{twice}`"), help));
    }
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(name, column.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let rows = RecordBatchOptions::new().with_row_count(Some(answer.rows.len()));
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &rows)
        .map_err(|error| usage(py, format!("this answer cannot be a table: {error}"), "use its rows"))?;
    PyTable::try_new(vec![batch], schema)
}

fn texts(values: impl Iterator<Item = Option<String>>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    values.for_each(|value| builder.append_option(value));
    Arc::new(builder.finish())
}

fn keys(cells: &[Option<&Cell>]) -> ArrayRef {
    let keys: Vec<Option<&KeyValue>> = cells.iter().map(|cell| cell.and_then(Cell::key)).collect();
    let known = || keys.iter().flatten();
    if known().all(|key| matches!(key, KeyValue::Integer(_))) && known().next().is_some() {
        let mut builder = Int64Builder::new();
        keys.iter().for_each(|key| {
            builder.append_option(match key {
                Some(KeyValue::Integer(number)) => Some(*number),
                _ => None,
            })
        });
        return Arc::new(builder.finish());
    }
    if known().all(|key| matches!(key, KeyValue::Boolean(_))) && known().next().is_some() {
        let mut builder = BooleanBuilder::new();
        keys.iter().for_each(|key| {
            builder.append_option(match key {
                Some(KeyValue::Boolean(truth)) => Some(*truth),
                _ => None,
            })
        });
        return Arc::new(builder.finish());
    }
    texts(keys.iter().map(|key| key.map(KeyValue::text)))
}

fn scalars(values: &[Option<Scalar>]) -> ArrayRef {
    let known = || values.iter().flatten();
    if known().any(|value| matches!(value, Scalar::Time(_))) {
        return texts(values.iter().map(|value| value.as_ref().map(ToString::to_string)));
    }
    if known().all(|value| value.as_i64().is_some()) {
        let mut builder = Int64Builder::new();
        values.iter().for_each(|value| builder.append_option(value.as_ref().and_then(Scalar::as_i64)));
        return Arc::new(builder.finish());
    }
    let mut builder = Float64Builder::new();
    values.iter().for_each(|value| builder.append_option(value.as_ref().and_then(Scalar::as_f64)));
    Arc::new(builder.finish())
}
