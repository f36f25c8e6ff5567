//! Counts of the distinct rows of some columns, in a table that is published, or about to be.
//!
//! This is for tables that are assessed unprotected (`deniable assess`), not for answers from protected data: no types
//! are declared, every value is taken as its text, and rows are not capped. The counts are exact.

mod distinct;
mod spill;

use crate::drive::{Parts, drive};
use crate::error::SourceError;
use crate::memory::{Memory, Reservation};
use crate::meter::{Meter, Progress};
use crate::names::{column_type, csv_columns, parquet_columns};
use crate::scan::{ScanError, WantedColumn};
use crate::text::Quirk;
use crate::{Resources, Source};
use arrow_array::RecordBatch;
use arrow_schema::DataType;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, Compression, CsvOptions, Data, Format};
use deniable_core::zone::Zone;
use deniable_expression::Type;
use distinct::Distinct;
use spill::{Partition, Partitions};
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The layout of delimited text, where the file's name does not determine it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The delimiter; by default from the extension.
    pub delimiter: Option<u8>,
    /// The names of all columns, if the first line is already a row.
    pub names: Option<Vec<String>>,
    /// The encoding, by its name in the WHATWG standard; by default UTF-8.
    pub encoding: Option<String>,
    /// Whether fields are never quoted.
    pub is_unquoted: bool,
}

/// Distinct rows, as the numbers of their values: each value of a column has one number among these rows, and 0 is NULL.
pub struct Rows(Distinct);

impl Rows {
    /// The number of distinct rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `each` with the numbers of each row's values, column by column, and the number of times that it occurs in the
    /// table. Rows have no order.
    pub fn each(&self, each: &mut dyn FnMut(&[u32], u64)) {
        let all: Result<(), Infallible> = self.0.each(|numbers, times| {
            each(numbers, times);
            Ok(())
        });
        all.unwrap_or_default();
    }

    /// Calls `each` with the number and the text of every value of a column, by ascending numbers, which have no gaps; with
    /// `None` for NULL, if a row has it.
    pub fn each_value(&self, column: usize, each: &mut dyn FnMut(u32, Option<&str>)) {
        self.0.each_text(column, each);
    }
}

/// Some columns of rows in memory, as the texts of their values, as for a Parquet file with the same types. A column of
/// an unsupported type is refused when the rows are read.
#[must_use]
pub fn of_memory(name: &str, columns: &[String], batches: Vec<RecordBatch>) -> Source {
    let schema = batches.first().map(RecordBatch::schema);
    let column = |name: &String| {
        let stored = schema.as_ref().and_then(|schema| Some(schema.field_with_name(name).ok()?.data_type()));
        of_published(name, stored.and_then(column_type), matches!(stored, Some(DataType::Timestamp(_, Some(_)))))
    };
    Source::memory(TableSchema::protected(name, columns.iter().map(column).collect(), None), batches)
}

/// A column of an unprotected, undeclared table. Timestamps with a zone are read in UTC, in which distinct moments stay
/// distinct.
fn of_published(name: &str, kind: Option<ColumnType>, has_zone: bool) -> Column {
    let zone = if has_zone { Zone::named("UTC") } else { None };
    Column { zone, ..Column::new(name, kind.unwrap_or(ColumnType::Text)) }
}

/// Some columns of a file, as the texts of their values: CSV, plain or compressed, or Parquet, depending on the
/// extension. White space around fields of CSV is dropped. An empty field is an empty text; a field that is not valid
/// text, or is too long for a value, is NULL.
///
/// # Errors
/// When the file does not exist.
pub fn open(path: &Path, columns: &[String], layout: &Layout) -> Result<Source, SourceError> {
    let format = format_of(path, layout);
    let stored = match format {
        Format::Parquet if path.is_file() => parquet_columns(path)?,
        _ => Vec::new(),
    };
    let column = |name: &String| {
        let stored = stored.iter().find(|stored| stored.name == *name);
        let zone = stored.is_some_and(|stored| stored.has_zone);
        of_published(name, stored.and_then(|stored| stored.kind), zone)
    };
    let shown = path.display().to_string();
    let table = TableSchema::protected(shown.clone(), columns.iter().map(column).collect(), None);
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
/// When the file does not exist, or has no names.
pub fn names(path: &Path, layout: &Layout) -> Result<Vec<String>, SourceError> {
    match format_of(path, layout) {
        Format::Parquet | Format::Postgres { .. } | Format::Engine { .. } => {
            Ok(parquet_columns(path)?.into_iter().map(|column| column.name).collect())
        }
        Format::Csv(CsvOptions { columns: Some(names), .. }) => Ok(names),
        Format::Csv(options) => csv_columns(path, &options),
    }
}

/// Checks that every record of delimited text is a row: it has one field per column, and its quotes are closed, also in
/// columns that are not read. Quirks are errors, unless they are among the `accepted`. Rows in memory and Parquet have
/// no text, and always pass.
///
/// # Errors
/// The first record that is not a row, or has a quirk that is not accepted, with its line; or an error of reading the
/// file.
pub fn expect_rows(source: &Source, resources: &Resources, accepted: &[Quirk]) -> Result<(), SourceError> {
    if !source.rows.is_delimited() {
        return Ok(());
    }
    let scan = source.scan(&[], &Meter::new())?;
    type First = Option<((usize, u64), String, Option<Quirk>)>;
    let keep = |first: &mut First, place, what: String, quirk| {
        if first.as_ref().is_none_or(|(known, ..)| place < *known) {
            *first = Some((place, what, quirk));
        }
    };
    let found = scan.look(
        resources.threads,
        || None,
        |first: &mut First, seen| {
            for broken in seen.remarks.broken {
                keep(first, (seen.file, broken.line), broken.what.clone(), None);
            }
            for (line, quirks) in seen.remarks.quirks {
                let quirk = Quirk::ALL.into_iter().find(|quirk| quirks.has(*quirk) && !accepted.contains(quirk));
                if let Some(quirk) = quirk {
                    keep(first, (seen.file, *line), quirk.of_a_record().to_owned(), Some(quirk));
                }
            }
            Ok(())
        },
    )?;
    match found.into_iter().flatten().min_by_key(|(place, ..)| *place) {
        None => Ok(()),
        Some(((file, line), what, quirk)) => {
            let path = source.files().into_iter().nth(file).unwrap_or_default();
            Err(SourceError::NoRow { path, line, what, quirk })
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

/// The format of a file, by its extension.
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
        // An empty field is an empty text; only unreadable fields have no value.
        nulls: Vec::new(),
        columns: layout.names.clone(),
        encoding: layout.encoding.clone().unwrap_or_else(|| "UTF-8".to_owned()),
        quote: (!layout.is_unquoted).then_some(b'"'),
        ..CsvOptions::with_delimiter(layout.delimiter.unwrap_or(usual))
    })
}

/// Counts the distinct rows of a source's columns. `each` is called with all of them, or, if they do not fit in memory,
/// with parts of them that have no row in common; `progress` with the progress so far.
///
/// # Errors
/// When the files cannot be read completely, lack a column, or the resources do not suffice.
pub fn groups(
    source: &Source,
    resources: &Resources,
    progress: &dyn Fn(Progress),
    each: &mut dyn FnMut(&Rows),
) -> Result<(), SourceError> {
    let table = source.table().name.clone();
    let meter = Meter::new();
    let size = source.size();
    let tell = || progress(meter.progress(size));
    let done = drive(|parts| count_rows(source, resources, &meter, parts), &mut |rows| {
        rows.as_ref().map_or_else(tell, &mut *each)
    });
    tell();
    done.unwrap_or(Err(Cause::Rows)).map_err(|cause| match cause {
        Cause::Source(error) => error,
        Cause::Rows => SourceError::Rows { table },
        Cause::Memory => SourceError::Memory { table },
        Cause::Spill(error) => SourceError::Spill { table, reason: error.to_string() },
    })
}

/// The reason why rows could not be counted.
enum Cause {
    Source(SourceError),
    /// The columns read do not match the requested ones.
    Rows,
    Memory,
    Spill(io::Error),
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        Self::Spill(error)
    }
}

/// The distinct rows of one thread, and their memory reservation.
struct DistinctCounter {
    distinct: Distinct,
    reserved: Reservation,
}

fn count_rows(source: &Source, resources: &Resources, meter: &Arc<Meter>, parts: &Parts<Rows>) -> Result<(), Cause> {
    let columns = &source.table().columns;
    let empty = Distinct::new(columns.iter().map(|column| Type::from(column.kind)).collect());
    let memory = Memory::new(resources.memory);
    let wanted: Vec<WantedColumn> = (0..columns.len()).map(WantedColumn::stored).collect();
    let spilled = Partitions::new(resources.spill.clone());
    let scan = source.scan(&wanted, meter).map_err(Cause::Source)?;
    let start = || DistinctCounter { distinct: empty.clone(), reserved: memory.reserve() };
    let mut all = scan
        .run(resources.threads.max(1), start, |counting: &mut DistinctCounter, batch| {
            counting.distinct.add(&batch).ok_or(Cause::Rows)?;
            if !counting.reserved.resize(counting.distinct.bytes()) {
                spilled.write(&mut counting.distinct)?;
                counting.reserved.free();
            }
            Ok(())
        })
        .map_err(|error| match error {
            ScanError::Source(error) => Cause::Source(error),
            ScanError::Work(cause) => cause,
        })?;
    // The largest set absorbs the others.
    all.sort_by_key(|counting| counting.distinct.bytes());
    let mut whole = all.pop().unwrap_or_else(start);
    while let Some(other) = all.pop() {
        if spilled.are_empty() {
            whole.distinct.merge(&other.distinct).ok_or(Cause::Rows)?;
            drop(other);
            if !whole.reserved.resize(whole.distinct.bytes()) {
                spilled.write(&mut whole.distinct)?;
                whole.reserved.free();
            }
        } else {
            let mut other = other;
            spilled.write(&mut other.distinct)?;
        }
    }
    if spilled.are_empty() {
        parts.give(Rows(whole.distinct));
        return Ok(());
    }
    spilled.write(&mut whole.distinct)?;
    drop(whole);
    let mut left: Vec<Partition> = spilled.into_parts();
    while let Some(partition) = left.pop() {
        let mut counting = start();
        let mut rows = partition.rows()?;
        let finer = loop {
            let Some(row) = rows.next(columns.len())? else { break None };
            counting.distinct.add_row(&row).ok_or(Cause::Rows)?;
            if !counting.reserved.resize(counting.distinct.bytes()) {
                // Still too many: partition again, by other bits of the hash.
                let finer = partition.finer().ok_or(Cause::Memory)?;
                finer.write(&mut counting.distinct)?;
                finer.copy(&mut rows, columns.len())?;
                break Some(finer);
            }
        };
        match finer {
            Some(finer) => left.extend(finer.into_parts()),
            None if !parts.give(Rows(counting.distinct)) => return Ok(()),
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, RecordBatch, StringArray,
        TimestampMillisecondArray,
    };
    use arrow_cast::cast;
    use arrow_schema::{Field, Schema};
    use deniable_expression::LONGEST_TEXT;
    use parquet::arrow::ArrowWriter;
    use std::collections::BTreeMap;
    use std::io::Write as _;
    use std::path::PathBuf;

    type GroupCounts = BTreeMap<Vec<Option<String>>, u64>;

    fn counted(path: &Path, columns: &[&str], resources: &Resources) -> Result<GroupCounts, SourceError> {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let source = open(path, &columns, &Layout::default())?;
        let mut all = GroupCounts::new();
        groups(&source, resources, &|_| {}, &mut |rows| {
            let values: Vec<BTreeMap<u32, Option<String>>> = (0..columns.len()).map(|at| values(rows, at)).collect();
            rows.each(&mut |numbers, times| {
                let numbers = numbers.iter().zip(&values);
                let key = numbers.map(|(number, values)| values[number].clone()).collect();
                let before = all.insert(key, times);
                assert_eq!(before, None, "a row of groups comes once");
            });
        })?;
        Ok(all)
    }

    fn values(rows: &Rows, column: usize) -> BTreeMap<u32, Option<String>> {
        let mut all = BTreeMap::new();
        rows.each_value(column, &mut |number, value| {
            assert_eq!(all.insert(number, value.map(str::to_owned)), None);
        });
        assert!(all.iter().all(|(number, value)| (*number == 0) == value.is_none()));
        all
    }

    fn file(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
        let path = folder.join(name);
        std::fs::File::create(&path).unwrap().write_all(content).unwrap();
        path
    }

    #[test]
    fn texts_are_unchanged_except_for_surrounding_blanks() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"zip,times, flu\n021*,1,yes\n 021*,2,yes\n\"021*\",1,\n02139,01,no\n";
        let expected = [
            (vec![Some("021*"), Some("")], 1),
            (vec![Some("021*"), Some("yes")], 2),
            (vec![Some("02139"), Some("no")], 1),
        ];
        let expected: GroupCounts = expected
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
            Layout { delimiter: Some(b';'), names: Some(vec!["a".to_owned(), "b".to_owned()]), ..Layout::default() };
        let bare = file(folder.path(), "bare.data", b"1;x\n1;x\n");
        assert_eq!(names(&bare, &layout).unwrap(), ["a", "b"]);
        let mut rows_of_two = 0;
        let source = open(&bare, &["b".to_owned()], &layout).unwrap();
        groups(&source, &Resources::default(), &|_| {}, &mut |rows| {
            rows.each(&mut |_, times| rows_of_two += times);
        })
        .unwrap();
        assert_eq!(rows_of_two, 2, "the first line is a row");
        let uneven = file(folder.path(), "uneven.csv", b"a,b\n1,2\n3\n");
        let rows = |path: &Path, accepted: &[Quirk]| {
            let source = open(path, &["a".to_owned()], &Layout::default()).unwrap();
            expect_rows(&source, &Resources::default(), accepted).map_err(|error| error.to_string())
        };
        let line = |path: &Path| rows(path, &[]).unwrap_err().rsplit_once("csv:").unwrap().1.to_owned();
        assert_eq!(line(&uneven), "3: 1 fields where 2 are expected");
        // Also in a column that is not read.
        let open_quote = file(folder.path(), "open.csv", b"a,b\n1,2\n3,\"x\n4,y\n");
        assert_eq!(line(&open_quote), "3: field 2 begins with a quote that is never closed");
        let long = file(folder.path(), "long.csv", b"a,b\n1,2\n3,\"x\n4\"\n");
        assert_eq!(line(&long), "3: a quoted field has a line end within it");
        assert_eq!(rows(&long, &[Quirk::LineEnd]), Ok(()));
        let latin = file(folder.path(), "latin.csv", b"a\nM\xfclheim\n");
        assert_eq!(counted(&latin, &["a"], &Resources::default()).unwrap(), [(vec![None], 1)].into());
        let layout = Layout { encoding: Some("latin1".to_owned()), ..Layout::default() };
        let source = open(&latin, &["a".to_owned()], &layout).unwrap();
        groups(&source, &Resources::default(), &|_| {}, &mut |rows| {
            rows.each(&mut |numbers, _| assert_eq!(numbers, [1]));
            assert_eq!(values(rows, 0), [(1, Some("Mülheim".to_owned()))].into());
        })
        .unwrap();
        // A name that is also used by internal columns.
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
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("ok", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
            ("at", Arc::new(TimestampMillisecondArray::from(vec![Some(1_500), Some(0), Some(-86_400_000)]))),
            ("dose", Arc::new(Float64Array::from(vec![1e21, -0.25, f64::NAN]))),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
        let path = folder.path().join("u.parquet");
        let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let found = counted(&path, &["ok", "at", "dose"], &Resources::default()).unwrap();
        let expected = [
            (vec![text("true"), text("1970-01-01T00:00:01.500"), text("1000000000000000000000")], 1),
            (vec![text("false"), text("1970-01-01T00:00:00"), text("-0.25")], 1),
            (vec![None, text("1969-12-31T00:00:00"), None], 1),
        ];
        assert_eq!(found, expected.into_iter().collect());
    }

    /// Equal texts form the same groups, in every way that Parquet stores them; a text that is too long for a value is
    /// NULL.
    #[test]
    fn parquet_texts_are_grouped_in_all_storage_forms() {
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
        let expected = |width: usize| -> GroupCounts {
            expected.into_iter().map(|(text, times)| (vec![text.map(str::to_owned); width], times)).collect()
        };
        for name in names {
            assert_eq!(counted(&path, &[name], &Resources::default()).unwrap(), expected(1), "{name}");
        }
        assert_eq!(counted(&path, &names, &Resources::default()).unwrap(), expected(4));
    }

    /// More groups than a batch holds and than may wait, and a memory limit that spills them to disk.
    #[test]
    fn many_groups_are_returned_once_each_also_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "a,b\n".to_owned();
        for row in 0..60_000 {
            text += &format!("{},{}\n", row % 30_000, row % 7);
        }
        let path = file(folder.path(), "t.csv", text.as_bytes());
        // The last limit is so low that partitions are partitioned again.
        for (memory, threads) in [(None, 2), (Some(1_000_000), 2), (Some(50_000), 3)] {
            let resources = Resources { threads, memory, spill: Some(folder.path().to_owned()) };
            let found = counted(&path, &["a"], &resources).unwrap();
            assert_eq!((found.len(), found.values().sum::<u64>()), (30_000, 60_000), "{memory:?}");
            assert!(found.values().all(|times| *times == 2));
        }
        let resources = Resources { threads: 2, memory: Some(1_000_000), spill: None };
        let found = counted(&path, &["b", "a"], &resources).unwrap();
        assert_eq!((found.len(), found.values().sum::<u64>()), (60_000, 60_000));
        let resources = Resources { threads: 1, memory: Some(100), spill: Some(folder.path().to_owned()) };
        assert!(matches!(counted(&path, &["a"], &resources), Err(SourceError::Memory { .. })));
        let nowhere = Some(folder.path().join("none"));
        let resources = Resources { threads: 1, memory: Some(1_000_000), spill: nowhere };
        assert!(matches!(counted(&path, &["a"], &resources), Err(SourceError::Spill { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files have no name");
    }
}
