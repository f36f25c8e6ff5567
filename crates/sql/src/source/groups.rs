//! How often each distinct row of some columns stands in a table that somebody is about to publish, or has published.
//!
//! This is for tables that are looked at as they are (`deniable assess`), not for answers from protected data: no type is
//! declared, every value is taken as the text that is written, and nothing is capped. What comes out is exact.

use super::cause::Cause;
use super::columns::Typed;
use super::drive::{self, Parts, drive};
use super::meter::Meter;
use super::names::{csv_columns, parquet_columns};
use super::{Progress, Resources, Source};
use crate::error::SourceError;
use crate::plan::Table;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Column as PlanColumn, DataFusionError};
use datafusion::execution::memory_pool::{FairSpillPool, MemoryPool, UnboundedMemoryPool};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{self, Expr, col, lit};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use deniable_policy::{Column, ColumnType, Compression, CsvOptions, Data, Format};
use futures::StreamExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// How delimited text is written, where its name does not say so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// What stands between fields; by the name's ending when not stated.
    pub delimiter: Option<u8>,
    /// The names of all columns, where the first line is a row already.
    pub names: Option<Vec<String>>,
    /// The encoding, by its name in the WHATWG standard; UTF-8 when not stated.
    pub encoding: Option<String>,
}

/// Distinct rows, of a batch: the values of each column, NULL where there is none, and how often each row stands there.
#[derive(Debug, Clone)]
pub struct Rows {
    columns: Vec<StringViewArray>,
    times: Vec<u64>,
}

impl Rows {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// A value; nothing where there is none.
    #[must_use]
    pub fn value(&self, row: usize, column: usize) -> Option<&str> {
        let column = self.columns.get(column)?;
        (row < column.len() && column.is_valid(row)).then(|| column.value(row))
    }

    /// How often a row stands in the table.
    #[must_use]
    pub fn times(&self, row: usize) -> u64 {
        self.times.get(row).copied().unwrap_or_default()
    }
}

/// Some columns of a file, as the texts that stand there: CSV, plain or compressed, or Parquet, told by the name's ending.
/// White space around fields of CSV is dropped. An empty field is an empty text; a field that is no text, or longer than any
/// sensible value, has none.
///
/// # Errors
/// When the file is not there.
pub fn open(path: &Path, columns: &[String], layout: &Layout) -> Result<Source, SourceError> {
    let format = format_of(path, layout);
    let stored = match format {
        Format::Parquet if path.is_file() => parquet_columns(path)?,
        _ => Vec::new(),
    };
    let column = |name: &String| {
        let kind = stored.iter().find(|(stored, _)| stored == name).and_then(|(_, kind)| *kind);
        Column { name: name.clone(), kind: kind.unwrap_or(ColumnType::Text), bounds: None, keys: None, format: None }
    };
    let shown = path.display().to_string();
    let table = Table::protected(shown.clone(), columns.iter().map(column).collect(), None);
    let data = Data {
        table: "t".to_owned(),
        path: shown,
        version: String::new(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table, &data, Path::new(""))
}

/// The names of a file's columns.
///
/// # Errors
/// When it is not there, or has none.
pub fn names(path: &Path, layout: &Layout) -> Result<Vec<String>, SourceError> {
    match format_of(path, layout) {
        Format::Parquet => Ok(parquet_columns(path)?.into_iter().map(|(name, _)| name).collect()),
        Format::Csv(CsvOptions { columns: Some(names), .. }) => Ok(names),
        Format::Csv(options) => csv_columns(path, options.delimiter, options.compression),
    }
}

/// The first line of delimited text that has another number of fields than there are columns, with that number. For whoever
/// has been told that a file cannot be read to the end.
///
/// # Errors
/// When it cannot be read at all.
pub fn uneven_line(path: &Path, layout: &Layout) -> Result<Option<(u64, usize)>, SourceError> {
    let Format::Csv(options) = format_of(path, layout) else { return Ok(None) };
    let width = names(path, layout)?.len();
    let bytes = super::text::open(path, &options, &Arc::default())?;
    let mut reader = super::text::builder(&options).has_headers(false).from_reader(bytes);
    let mut record = csv::ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) if record.len() != width => {
                return Ok(Some((record.position().map_or(0, csv::Position::line), record.len())));
            }
            Ok(true) => {}
            Ok(false) | Err(_) => return Ok(None),
        }
    }
}

/// Whether an encoding has this name in the WHATWG standard.
#[must_use]
pub fn is_encoding(name: &str) -> bool {
    encoding_rs::Encoding::for_label_no_replacement(name.as_bytes()).is_some()
}

/// Whether a file is delimited text, by its name.
#[must_use]
pub fn is_text(path: &Path) -> bool {
    matches!(format_of(path, &Layout::default()), Format::Csv(_))
}

/// How a file is written, by the ending of its name.
fn format_of(path: &Path, layout: &Layout) -> Format {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let compression = Compression::of_ending(ending);
    let inner = name.trim_end_matches(".gz").trim_end_matches(".zst");
    if inner.ends_with(".parquet") {
        return Format::Parquet;
    }
    let usual = if inner.ends_with(".tsv") { b'\t' } else { b',' };
    Format::Csv(CsvOptions {
        compression: compression.unwrap_or(Compression::None),
        trim: true,
        // An empty field is an empty text; what is left without a value cannot be read at all.
        nulls: Vec::new(),
        columns: layout.names.clone(),
        encoding: layout.encoding.clone().unwrap_or_else(|| "UTF-8".to_owned()),
        ..CsvOptions::with_delimiter(layout.delimiter.unwrap_or(usual))
    })
}

/// Counts the distinct rows of a source's columns; `each` is given them batch by batch, in no particular order, and `progress`
/// is told how far it has come.
///
/// # Errors
/// When the files cannot be read to the end, lack a column, or the resources do not suffice.
pub fn groups(
    source: &Source,
    resources: &Resources,
    progress: &dyn Fn(Progress),
    each: &mut dyn FnMut(&Rows),
) -> Result<(), SourceError> {
    let table = source.table().name.clone();
    let threads = resources.threads.max(1);
    let (meter, plan): (Arc<Meter>, Arc<OnceLock<Arc<dyn ExecutionPlan>>>) = Default::default();
    let size = source.size();
    let tell = || progress(Progress { size, ..drive::progress(&meter, plan.get()) });
    let work = {
        let (source, resources, meter, plan) = (source.clone(), resources.clone(), meter.clone(), plan.clone());
        |parts| async move { count_rows(&source, &resources, &meter, &plan, &parts).await }
    };
    let done = drive(threads, work, &mut |rows| rows.as_ref().map_or_else(tell, &mut *each));
    tell();
    done.unwrap_or(Err(Cause::Rows)).map_err(|cause| cause.of_tables(table))
}

async fn count_rows(
    source: &Source,
    resources: &Resources,
    meter: &Arc<Meter>,
    plan: &OnceLock<Arc<dyn ExecutionPlan>>,
    parts: &Parts<Rows, Result<(), Cause>>,
) -> Result<(), Cause> {
    let pool: Arc<dyn MemoryPool> = match resources.memory {
        // Pools share out memory among those that can go to disk.
        Some(limit) => Arc::new(FairSpillPool::new(limit)),
        None => Arc::new(UnboundedMemoryPool::default()),
    };
    let runtime = drive::environment(pool, resources.spill.clone())?;
    let context = drive::session(resources.threads.max(1), runtime, meter);
    let columns = source.table().columns.len();
    let frame = source.frame(&context, &Typed::stored).await?;
    // Names may clash with the engine's own; positions cannot.
    let named = source.table().columns.iter().enumerate();
    let named = named.map(|(at, column)| viewed(column).alias(format!("v{at}")));
    let keys = (0..columns).map(|at| col(format!("v{at}"))).collect();
    let frame = frame.select(named)?.aggregate(keys, vec![count(lit(1_i64)).alias("times")])?;
    let physical = frame.create_physical_plan().await?;
    let physical = plan.get_or_init(|| physical).clone();
    let mut stream = execute_stream(physical, context.task_ctx())?;
    while let Some(batch) = stream.next().await {
        let rows = rows(&batch?, columns)?;
        if !parts.give(rows) {
            return Ok(());
        }
    }
    Ok(())
}

/// A column whose texts are views: most of them are told apart without a look at their bytes, and grouped in half the time.
fn viewed(column: &Column) -> Expr {
    let value = Expr::Column(PlanColumn::new_unqualified(&column.name));
    if column.kind == ColumnType::Text { logical_expr::cast(value, DataType::Utf8View) } else { value }
}

/// Rows as texts.
fn rows(batch: &RecordBatch, columns: usize) -> Result<Rows, DataFusionError> {
    let texts = (0..columns).map(|at| text(batch.column(at))).collect::<Result<_, _>>()?;
    let times = batch.column(columns).as_primitive_opt::<Int64Type>();
    let times = times.map(|times| times.values().iter().map(|times| times.unsigned_abs()).collect());
    Ok(Rows { columns: texts, times: times.unwrap_or_default() })
}

fn text(values: &ArrayRef) -> Result<StringViewArray, DataFusionError> {
    if let Some(floats) = values.as_primitive_opt::<Float64Type>() {
        // `1`, not `1.0`: whole numbers are often stored as floats.
        return Ok(floats.iter().map(|value| value.map(|value| value.to_string())).collect());
    }
    Ok(cast(values, &DataType::Utf8View)?.as_string_view().clone())
}

#[cfg(test)]
mod tests {
    use super::super::reading::LONGEST_TEXT;
    use super::*;
    use datafusion::arrow::array::{Date32Array, Float64Array, Int32Array, StringArray};
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::parquet::arrow::ArrowWriter;
    use std::collections::BTreeMap;
    use std::io::Write as _;
    use std::path::PathBuf;

    type Counted = BTreeMap<Vec<Option<String>>, u64>;

    fn counted(path: &Path, columns: &[&str], resources: &Resources) -> Result<Counted, SourceError> {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let source = open(path, &columns, &Layout::default())?;
        let mut all = Counted::new();
        groups(&source, resources, &|_| {}, &mut |rows| {
            for row in 0..rows.len() {
                let key = (0..columns.len()).map(|at| rows.value(row, at).map(str::to_owned)).collect();
                let before = all.insert(key, rows.times(row));
                assert_eq!(before, None, "a row of groups comes once");
            }
        })?;
        Ok(all)
    }

    fn file(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
        let path = folder.join(name);
        std::fs::File::create(&path).unwrap().write_all(content).unwrap();
        path
    }

    #[test]
    fn texts_stand_as_they_are_written_but_for_blanks_around() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"zip,times, flu\n021*,1,yes\n 021*,2,yes\n\"021*\",1,\n02139,01,no\n";
        let expected = [
            (vec![Some("021*"), Some("")], 1),
            (vec![Some("021*"), Some("yes")], 2),
            (vec![Some("02139"), Some("no")], 1),
        ];
        let expected: Counted = expected
            .into_iter()
            .map(|(key, times)| (key.into_iter().map(|text| text.map(str::to_owned)).collect(), times))
            .collect();
        let plain = file(folder.path(), "t.csv", text);
        assert_eq!(counted(&plain, &["zip", "flu"], &Resources::default()).unwrap(), expected);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        let packed = file(folder.path(), "t.csv.gz", &packed.finish().unwrap());
        assert_eq!(counted(&packed, &["zip", "flu"], &Resources::default()).unwrap(), expected);
        let missing = counted(&plain, &["zip", "age"], &Resources::default()).unwrap_err().to_string();
        assert!(missing.contains("no column `age`") && missing.contains("`zip`"), "{missing}");
        let layout =
            Layout { delimiter: Some(b';'), encoding: None, names: Some(vec!["a".to_owned(), "b".to_owned()]) };
        let bare = file(folder.path(), "bare.data", b"1;x\n1;x\n");
        assert_eq!(names(&bare, &layout).unwrap(), ["a", "b"]);
        let mut rows_of_two = 0;
        let source = open(&bare, &["b".to_owned()], &layout).unwrap();
        groups(&source, &Resources::default(), &|_| {}, &mut |rows| rows_of_two += rows.times(0)).unwrap();
        assert_eq!(rows_of_two, 2, "the first line is a row");
        let uneven = file(folder.path(), "uneven.csv", b"a,b\n1,2\n3\n");
        assert_eq!(uneven_line(&uneven, &Layout::default()).unwrap(), Some((3, 1)));
        assert_eq!(uneven_line(&plain, &Layout::default()).unwrap(), None);
        let latin = file(folder.path(), "latin.csv", b"a\nM\xfclheim\n");
        assert_eq!(counted(&latin, &["a"], &Resources::default()).unwrap(), [(vec![None], 1)].into());
        let layout = Layout { encoding: Some("latin1".to_owned()), ..Layout::default() };
        let source = open(&latin, &["a".to_owned()], &layout).unwrap();
        groups(&source, &Resources::default(), &|_| {}, &mut |rows| assert_eq!(rows.value(0, 0), Some("Mülheim")))
            .unwrap();
        // A name that the engine's own columns have.
        assert_eq!(counted(&plain, &["times"], &Resources::default()).unwrap().len(), 3);
    }

    #[test]
    fn parquet_columns_of_any_type_are_texts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let fields = [("age", DataType::Int32), ("dose", DataType::Float64), ("day", DataType::Date32)];
        let schema: Vec<Field> = fields.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
        let schema = Arc::new(Schema::new(schema));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![Some(30), Some(30), None])),
            Arc::new(Float64Array::from(vec![2.0, 2.0, 0.5])),
            Arc::new(Date32Array::from(vec![0, 0, 1])),
        ];
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let found = counted(&path, &["age", "dose", "day"], &Resources::default()).unwrap();
        let text = |text: &str| Some(text.to_owned());
        let expected =
            [(vec![None, text("0.5"), text("1970-01-02")], 1), (vec![text("30"), text("2"), text("1970-01-01")], 2)];
        assert_eq!(found, expected.into_iter().collect());
    }

    /// The same texts, stored in every way that Parquet has, are the same groups; what is too long to be a value has none.
    #[test]
    fn parquet_texts_are_grouped_however_they_are_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let long = "x".repeat(LONGEST_TEXT + 1);
        let alike = "more than twelve bytes that are alike: ";
        let texts: Vec<Option<String>> = ["a", "b", "a", "", &long]
            .into_iter()
            .map(|text| Some(text.to_owned()))
            .chain([None])
            .chain(["1", "2", "1"].map(|end| Some(format!("{alike}{end}"))))
            .collect();
        let plain: ArrayRef = Arc::new(texts.iter().collect::<StringArray>());
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let kinds = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, dictionary];
        let names = ["plain", "large", "view", "dictionary"];
        let columns = names.into_iter().zip(kinds).map(|(name, kind)| (name, cast(&plain, &kind).unwrap()));
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, true))).unwrap();
        let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let (one, two) = (format!("{alike}1"), format!("{alike}2"));
        let expected =
            [(Some("a"), 2), (Some("b"), 1), (Some(""), 1), (None, 2), (Some(one.as_str()), 2), (Some(&two), 1)];
        let expected = |width: usize| -> Counted {
            expected.into_iter().map(|(text, times)| (vec![text.map(str::to_owned); width], times)).collect()
        };
        for name in names {
            assert_eq!(counted(&path, &[name], &Resources::default()).unwrap(), expected(1), "{name}");
        }
        assert_eq!(counted(&path, &names, &Resources::default()).unwrap(), expected(4));
    }

    /// More groups than a batch, and than wait to be taken; and a memory limit that sends them to disk.
    #[test]
    fn many_groups_come_once_each_also_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "a,b\n".to_owned();
        for row in 0..200_000 {
            text += &format!("{},{}\n", row % 100_000, row % 7);
        }
        let path = file(folder.path(), "t.csv", text.as_bytes());
        for memory in [None, Some(8_000_000)] {
            let resources = Resources { threads: 2, memory, spill: None };
            let found = counted(&path, &["a"], &resources).unwrap();
            assert_eq!((found.len(), found.values().sum::<u64>()), (100_000, 200_000), "{memory:?}");
            assert!(found.values().all(|times| *times == 2));
        }
    }
}
