//! The same rows from CSV, from Parquet and from memory are the same values; files that cannot be read as declared are
//! refused with their place.

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringViewArray, UInt64Array,
};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Compression, CsvOptions, Data, Entity, Format, Key};
use deniable_core::sensitivity::Caps;
use deniable_data::{Meter, Resources, Source, SourceError, WantedColumn};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn table() -> TableSchema {
    let column = |name: &str, kind, bounds: Option<(i64, i64, &str)>, keys| Column {
        bounds: bounds
            .map(|(low, high, step)| Bounds::new(whole(low), whole(high), parse_rational(step).unwrap()).unwrap()),
        keys,
        ..Column::new(name, kind)
    };
    TableSchema::protected(
        "t",
        vec![
            column("who", ColumnType::Integer, None, None),
            column(
                "grp",
                ColumnType::Text,
                None,
                Some(vec![Key::Text("a".into()), Key::Text("b,\nc".into()), Key::Null]),
            ),
            column("cost", ColumnType::Decimal, Some((0, 10, "0.05")), None),
            column("ok", ColumnType::Boolean, None, Some(vec![Key::Boolean(true), Key::Boolean(false)])),
        ],
        Some(Entity::new("who", Caps { rows_per_group: 2, groups: 2 })),
    )
}

const CSV: &str = "\
extra,ok,grp,who,cost
x,true,a,1,0.05
x,false,\"b,\nc\",2,9.999
\"quoted \"\"x\"\"\",,,3,-4
x,t,a,1,1e300
x,maybe,a,2,nothing
,false,zzz,4,2.5
";

fn data(path: &str, format: Format) -> Data {
    Data {
        table: "t".to_owned(),
        path: path.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    }
}

fn csv() -> Format {
    Format::Csv(CsvOptions::with_delimiter(b','))
}

type Row = Vec<Option<String>>;

/// All rows, sorted, read by several threads; they equal those read by one thread.
fn rows(source: &Source) -> Vec<Row> {
    let mut all = read(source, 3);
    let mut in_order = read(source, 1);
    all.sort();
    in_order.sort();
    assert_eq!(all, in_order);
    all
}

fn read(source: &Source, threads: usize) -> Vec<Row> {
    let wanted: Vec<WantedColumn> = (0..source.table().columns.len()).map(WantedColumn::typed).collect();
    let meter = Meter::new();
    let parts = source.scan(&wanted, &meter).unwrap().run(threads, Vec::new, |rows: &mut Vec<Row>, batch| {
        let columns: Vec<ArrayRef> = batch.columns.iter().map(|column| column.to_array()).collect();
        assert!(columns.iter().all(|column| column.len() == batch.rows));
        let value = |column: &ArrayRef, row| column.is_valid(row).then(|| array_value_to_string(column, row).unwrap());
        rows.extend((0..batch.rows).map(|row| columns.iter().map(|column| value(column, row)).collect::<Row>()));
        Ok::<(), ()>(())
    });
    let all = parts.unwrap().concat();
    assert_eq!(meter.rows(), all.len() as u64);
    assert!(meter.bytes() <= source.size().unwrap_or(0));
    all
}

fn row(values: &[&str]) -> Row {
    values.iter().map(|value| (*value != "NULL").then(|| (*value).to_owned())).collect()
}

fn locate(folder: &Path, path: &str, format: Format) -> Source {
    Source::locate(table(), &data(path, format), folder).unwrap()
}

#[test]
fn csv_values_are_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), CSV).unwrap();
    let source = locate(folder.path(), "t.csv", csv());
    let expected = [
        row(&["1", "a", "0.05", "true"]),
        row(&["2", "b,\nc", "9.999", "false"]),
        row(&["3", "NULL", "-4.0", "NULL"]),
        row(&["1", "a", "1e300", "true"]),
        row(&["2", "a", "NULL", "NULL"]),
        row(&["4", "zzz", "2.5", "false"]),
    ];
    assert_eq!(read(&source, 1), expected);
}

#[test]
fn the_same_rows_in_other_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("t.csv"), CSV).unwrap();
    let plain = locate(folder.path(), "t.csv", csv());
    // Two files, with a byte order mark, and Windows line ends.
    let (header, body) = CSV.split_once('\n').unwrap();
    let (first, rest) = body.split_at(body.find("x,t,a").unwrap());
    std::fs::create_dir(at("parts")).unwrap();
    std::fs::write(at("parts/1.csv"), format!("\u{feff}{header}\n{first}")).unwrap();
    std::fs::write(at("parts/2.csv"), format!("{header}\n{rest}").replace("\n", "\r\n")).unwrap();
    let parts = locate(folder.path(), "parts", csv());
    // Tabs and spaces around fields, and another text for NULL. The comma inside a field is kept.
    let tabs: String = CSV
        .replace("\"b,\nc\"", "B")
        .lines()
        .map(|line| {
            line.split(',').map(|field| if field.is_empty() { " - " } else { field }).collect::<Vec<_>>().join(" \t ")
        })
        .map(|line| line + "\n")
        .collect();
    std::fs::write(at("t.tsv"), tabs).unwrap();
    let options = CsvOptions { trim: true, nulls: vec!["-".to_owned()], ..CsvOptions::with_delimiter(b'\t') };
    let spaced = locate(folder.path(), "t.tsv", Format::Csv(options));
    let memory = plain.clone().into_memory().unwrap();
    let expected = rows(&plain);
    assert_eq!(rows(&parts), expected, "in parts");
    assert_eq!(rows(&memory), expected, "in memory");
    let with_b = expected.iter().map(|row| {
        let value = |value: &Option<String>| value.as_ref().map(|value| value.replace("b,\nc", "B"));
        row.iter().map(value).collect::<Row>()
    });
    let mut with_b: Vec<Row> = with_b.collect();
    with_b.sort();
    assert_eq!(rows(&spaced), with_b, "with tabs");
}

/// The bytes of the rows in different compressions and encodings, with the options to read them.
fn coats() -> Vec<(&'static str, Vec<u8>, CsvOptions)> {
    let plain = CsvOptions::with_delimiter(b',');
    let gzip = |text: &str| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).unwrap();
        writer.finish().unwrap()
    };
    let utf_16 = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let compressed = |compression| CsvOptions { compression, ..plain.clone() };
    let encoded = |encoding: &str| CsvOptions { encoding: encoding.to_owned(), ..plain.clone() };
    let (first, rest) = CSV.split_at(40);
    let apostrophes =
        CSV.replace("\"\"", "\"").replace("\"quoted \"x\"\"", "'quoted \"x\"'").replace("\"b,\nc\"", "'b,\nc'");
    let marked = format!("\u{feff}{CSV}");
    vec![
        ("gzip.csv.gz", gzip(CSV), compressed(Compression::Gzip)),
        // As `cat` and parallel compressors write them.
        ("members.csv.gz", [gzip(first), gzip(rest)].concat(), compressed(Compression::Gzip)),
        // As tapes and some writers write them.
        ("padded.csv.gz", [gzip(CSV), vec![0; 512]].concat(), compressed(Compression::Gzip)),
        ("zstd.csv.zst", zstd::encode_all(CSV.as_bytes(), 1).unwrap(), compressed(Compression::Zstd)),
        ("marked.csv", marked.clone().into_bytes(), plain.clone()),
        ("latin.csv", CSV.as_bytes().to_vec(), encoded("windows-1252")),
        ("little.csv", utf_16(&marked, u16::to_le_bytes), encoded("UTF-16LE")),
        ("unmarked.csv", utf_16(CSV, u16::to_le_bytes), encoded("UTF-16LE")),
        ("big.csv", utf_16(&marked, u16::to_be_bytes), encoded("UTF-16BE")),
        ("apostrophes.csv", apostrophes.into_bytes(), CsvOptions { quote: Some(b'\''), ..plain.clone() }),
        ("lines.csv", CSV.replace('\n', "\r\n").replace("b,\r\n", "b,\n").into_bytes(), plain.clone()),
    ]
}

#[test]
fn the_same_rows_in_other_coats() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), CSV).unwrap();
    let plain = locate(folder.path(), "t.csv", csv());
    let report = plain.check(&Resources::default(), &|_| {}).unwrap();
    assert!(report.is_usable());
    for (name, bytes, options) in coats() {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let other = locate(folder.path(), name, Format::Csv(options));
        assert_eq!(read(&other, 1), read(&plain, 1), "{name}");
        let same = other.check(&Resources::default(), &|_| {}).unwrap();
        assert_eq!((same.rows, same.entities, same.problems), (report.rows, report.entities, Vec::new()), "{name}");
        let plainly = |notes: &[String]| notes.join("\n").replace(name, "t.csv");
        // Line numbers are equal, too.
        assert_eq!(plainly(&same.notes), plainly(&report.notes), "{name}");
    }
}

#[test]
fn compressed_files_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, _) in coats() {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let of = |compression| {
        let options = CsvOptions { compression, ..CsvOptions::with_delimiter(b',') };
        locate(folder.path(), ".", Format::Csv(options)).files().len()
    };
    assert_eq!((of(Compression::Gzip), of(Compression::Zstd), of(Compression::None)), (3, 1, 7));
    // A truncated file is an error, for the check and for a release.
    let bytes = std::fs::read(folder.path().join("gzip.csv.gz")).unwrap();
    std::fs::write(folder.path().join("half.csv.gz"), &bytes[..bytes.len() - 9]).unwrap();
    let options = CsvOptions { compression: Compression::Gzip, ..CsvOptions::with_delimiter(b',') };
    let half = locate(folder.path(), "half.csv.gz", Format::Csv(options));
    assert!(matches!(half.check(&Resources::default(), &|_| {}), Err(SourceError::Unreadable { .. })));
    assert!(matches!(half.into_memory(), Err(SourceError::Rows { .. })));
}

/// A column with a pattern, as in a German spreadsheet.
fn german() -> (TableSchema, Format) {
    let mut table = table();
    table.columns.push(Column { format: Some("%d.%m.%Y".to_owned()), ..of_kind("born", ColumnType::Date) });
    let days = |low: i64, high: i64| Bounds::new(whole(low), whole(high), whole(1)).unwrap();
    table.columns[4].bounds = Some(days(0, 10_000));
    table.columns.push(Column { format: Some("%d.%m.%Y %H:%M".to_owned()), ..of_kind("seen", ColumnType::Timestamp) });
    let options =
        CsvOptions { decimal_comma: true, encoding: "windows-1252".to_owned(), ..CsvOptions::with_delimiter(b';') };
    (table, Format::Csv(options))
}

fn of_kind(name: &str, kind: ColumnType) -> Column {
    Column::new(name, kind)
}

#[test]
fn a_foreign_export() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "who;grp;cost;ok;born;seen\n\
                1;a;0,5;true;01.01.1990;31.12.2024 18:30\n\
                2;a;1,25;true;31.12.1969;31.12.2024 24:30\n\
                3;ä;1.5;true;1990-01-01;2024-12-31 18:30\n\
                4;a;1.000,5;false;31.02.1990;\n";
    let bytes: Vec<u8> = rows.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    std::fs::write(folder.path().join("t.csv"), bytes).unwrap();
    let (mut table, format) = german();
    table.columns[1].keys = Some(vec![Key::Text("a".into()), Key::Text("ä".into())]);
    let source = Source::locate(table, &data("t.csv", format), folder.path()).unwrap();
    let expected = [
        row(&["1", "a", "0.5", "true", "1990-01-01", "2024-12-31T18:30:00"]),
        row(&["2", "a", "1.25", "true", "1969-12-31", "NULL"]),
        row(&["3", "ä", "NULL", "true", "NULL", "NULL"]),
        row(&["4", "a", "NULL", "false", "NULL", "NULL"]),
    ];
    assert_eq!(read(&source, 1), expected);
    let report = source.check(&Resources::default(), &|_| {}).unwrap();
    assert!(report.is_usable(), "{:?}", report.problems);
    for (note, place) in [
        ("cost: 2 of 4 values cannot be read as decimal", ":4)"),
        ("born: 2 of 4 values cannot be read as date", ":4)"),
        ("born: 1 values are outside", ":3)"),
        ("seen: 2 of 3 values cannot be read as timestamp", ":3)"),
    ] {
        let found = report.notes.iter().find(|found| found.starts_with(note));
        assert!(found.is_some_and(|found| found.ends_with(place)), "{note} in {:?}", report.notes);
    }
}

#[test]
fn many_files_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..50 {
        let text = format!("who,grp,cost,ok\n{number},a,0.05,true\n");
        std::fs::write(folder.path().join(format!("{number}.csv")), text).unwrap();
    }
    let source = locate(folder.path(), "*.csv", csv());
    let found = rows(&source);
    assert_eq!(found.len(), 50);
    assert!((0..50).all(|number| found.contains(&row(&[&number.to_string(), "a", "0.05", "true"]))));
    // A broken record stops a release without any detail of the row.
    std::fs::write(folder.path().join("50.csv"), "who,grp,cost,ok\n1,secret\n").unwrap();
    let source = locate(folder.path(), "*.csv", csv());
    let error = source.clone().into_memory().unwrap_err();
    assert!(matches!(&error, SourceError::Rows { .. }) && !format!("{error:?}").contains("secret"), "{error:?}");
    assert_eq!(source.check(&Resources::default(), &|_| {}).unwrap().problems.len(), 1);
}

#[test]
fn undecodable_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<u8> = "who,grp,cost,ok\n1,a,1,true\n2,".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let rest: Vec<u8> = ",1,true\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.path().join("t.csv"), [&text[..], &[0, 0xD8], &rest].concat()).unwrap();
    let options = CsvOptions { encoding: "UTF-16LE".to_owned(), ..CsvOptions::with_delimiter(b',') };
    let report = locate(folder.path(), "t.csv", Format::Csv(options)).check(&Resources::default(), &|_| {}).unwrap();
    let found: Vec<(u64, &str)> = report.problems.iter().map(|found| (found.line, found.what.as_str())).collect();
    assert_eq!(found, [(3, "field 2 is not UTF-16LE")]);
    // UTF-16 that is declared as UTF-8 is detected by its first bytes.
    std::fs::write(folder.path().join("u.csv"), [&[0xFF, 0xFE], &text[..]].concat()).unwrap();
    let error = locate(folder.path(), "u.csv", csv()).check(&Resources::default(), &|_| {}).unwrap_err();
    assert!(error.to_string().ends_with("is text in UTF-16, and not CSV"), "{error}");
}

/// The same rows in other types of Parquet: narrow integers, decimals, views, dictionaries.
fn parquet(folder: &Path) {
    let who: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 1, 2, 4]));
    let grp: ArrayRef =
        Arc::new(StringViewArray::from(vec![Some("a"), Some("b,\nc"), None, Some("a"), Some("a"), Some("zzz")]));
    let cost: ArrayRef = Arc::new(
        Decimal128Array::from(vec![Some(50), Some(9999), Some(-4000), Some(99_999_999), None, Some(2500)])
            .with_precision_and_scale(12, 3)
            .unwrap(),
    );
    let ok: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true), None, Some(false)]));
    let batch = RecordBatch::try_from_iter(vec![("ok", ok), ("grp", grp), ("who", who), ("cost", cost)]).unwrap();
    write(&folder.join("t.parquet"), &batch, 4);
}

/// Writes row groups of this size.
fn write(path: &Path, batch: &RecordBatch, group: usize) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn parquet_values_equal_those_of_csv() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), CSV).unwrap();
    parquet(folder.path());
    let text = locate(folder.path(), "t.csv", csv());
    let stored = locate(folder.path(), "*.parquet", Format::Parquet);
    assert_eq!(rows(&stored), {
        let mut rows = rows(&text);
        // Decimals of three digits cannot represent 1e300.
        for row in &mut rows {
            if row[2].as_deref() == Some("1e300") {
                row[2] = Some("99999.999".to_owned());
            }
        }
        rows.sort();
        rows
    });
    let report = stored.check(&Resources::default(), &|_| {}).unwrap();
    assert_eq!((report.rows, report.entities, report.is_usable()), (6, Some(4), true));
}

#[test]
fn parquet_of_another_type_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    parquet(folder.path());
    let mut table = table();
    table.columns[1].kind = ColumnType::Integer;
    let source = Source::locate(table, &data("t.parquet", Format::Parquet), folder.path()).unwrap();
    assert!(
        matches!(source.check(&Resources::default(), &|_| {}), Err(SourceError::ColumnType { column, .. }) if column == "grp")
    );
    std::fs::write(folder.path().join("not.parquet"), "text").unwrap();
    let source = locate(folder.path(), "not.parquet", Format::Parquet);
    assert!(matches!(
        source.check(&Resources::default(), &|_| {}),
        Err(SourceError::NotTable { wanted: "Parquet", .. })
    ));
}

#[test]
fn dictionaries_are_texts() {
    let folder = tempfile::tempdir().unwrap();
    let grp: arrow_array::DictionaryArray<Int8Type> = vec![Some("a"), None, Some("a")].into_iter().collect();
    let batch = RecordBatch::try_from_iter([("grp", Arc::new(grp) as ArrayRef)]).unwrap();
    assert!(matches!(batch.schema().field(0).data_type(), DataType::Dictionary(..)));
    write(&folder.path().join("d.parquet"), &batch, 2);
    let mut table = table();
    table.entity = None;
    table.columns.retain(|column| column.name == "grp");
    let source = Source::locate(table, &data("d.parquet", Format::Parquet), folder.path()).unwrap();
    assert_eq!(read(&source, 1), [row(&["a"]), row(&["NULL"]), row(&["a"])]);
    // In memory they remain dictionaries for users that only compare texts; from files they never do, because whether a
    // batch's values fit a type of keys would depend on the values.
    let memory = Source::memory(source.table().clone(), vec![batch]);
    for (source, stays) in [(&memory, true), (&source, false)] {
        let batches = source.scan(&[WantedColumn::stored(0)], &Meter::new()).unwrap().run(1, Vec::new, |all, batch| {
            all.push(batch);
            Ok::<(), ()>(())
        });
        for batch in batches.unwrap().concat() {
            assert!(batch.columns[0].typed().is_none());
            assert_eq!(matches!(batch.columns[0].to_array().data_type(), DataType::Dictionary(..)), stays);
        }
    }
}

/// More distinct values than the key type of their dictionary allows in one batch.
#[test]
fn more_values_than_dictionary_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.parquet");
    let grp = |from: i32| -> RecordBatch {
        let texts: Vec<String> = (from..from + 100).map(|number| format!("text {number}")).collect();
        let grp: arrow_array::DictionaryArray<Int8Type> = texts.iter().map(|text| Some(text.as_str())).collect();
        RecordBatch::try_from_iter_with_nullable([("grp", Arc::new(grp) as ArrayRef, true)]).unwrap()
    };
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), grp(0).schema(), None).unwrap();
    (0..10).for_each(|part| writer.write(&grp(100 * part)).unwrap());
    writer.close().unwrap();
    let table = TableSchema::protected("t", vec![of_kind("grp", ColumnType::Text)], None);
    let source = Source::locate(table, &data("d.parquet", Format::Parquet), folder.path()).unwrap();
    let expected: Vec<Row> = (0..1000).map(|number| row(&[&format!("text {number}")])).collect();
    assert_eq!(read(&source, 1), expected);
    let stored = source.scan(&[WantedColumn::stored(0)], &Meter::new()).unwrap().run(
        1,
        || 0,
        |rows, batch| {
            *rows += batch.rows;
            Ok::<(), ()>(())
        },
    );
    assert_eq!(stored.unwrap(), [1000]);
}

#[test]
fn the_check_names_every_broken_place() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = b"who,grp,cost,ok\n1,a,1,true\n2,a,1\n,a,1,true\n3,\xff,1,true\n4,a,x,true\n5,q,11,false\n".to_vec();
    std::fs::write(folder.path().join("t.csv"), bytes).unwrap();
    let report = locate(folder.path(), "t.csv", csv()).check(&Resources::default(), &|_| {}).unwrap();
    let mut problems: Vec<(u64, String)> =
        report.problems.iter().map(|problem| (problem.line, problem.what.clone())).collect();
    problems.sort();
    assert_eq!(problems, [(3, "3 fields where 4 are expected".to_owned()), (5, "field 2 is not UTF-8".to_owned())]);
    let notes = report.notes.join("\n");
    for (column, place) in [
        ("cost: 1 of 4 values cannot be read", ":6)"),
        ("cost: 1 values are outside", ":7)"),
        ("grp: 1 rows", ":7)"),
        // A row without a key is not broken, but belongs to no entity.
        ("1 of 6 rows have no readable entity key", ":4)"),
    ] {
        let line = notes.lines().find(|line| line.starts_with(column)).unwrap_or_else(|| panic!("{column} in {notes}"));
        assert!(line.ends_with(place), "{line}");
    }
    for (name, text) in
        [("empty.csv", ""), ("semicolon.csv", "who;grp;cost;ok\n1;a;1;true\n"), ("twice.csv", "who,who,grp,cost,ok\n")]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
        let error = locate(folder.path(), name, csv()).check(&Resources::default(), &|_| {}).unwrap_err();
        println!("{error}");
        assert!(matches!(
            error,
            SourceError::Empty { .. } | SourceError::NoColumn { .. } | SourceError::TwoColumns { .. }
        ));
    }
}

fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    write(path, &RecordBatch::try_from_iter(columns).unwrap(), 1 << 20);
}

/// Writes one row for each number.
fn write_rows(path: &Path, numbers: &[i32]) {
    write_parquet(path, vec![("n", Arc::new(Int32Array::from(numbers.to_vec())))]);
}

fn partitioned() -> TableSchema {
    let keys = |keys: &[&str]| Some(keys.iter().map(|key| Key::Text((*key).to_owned())).chain([Key::Null]).collect());
    let region = Column { keys: keys(&["north", "süd/west"]), ..of_kind("region", ColumnType::Text) };
    let number = Column {
        bounds: Some(Bounds::new(whole(0), whole(100), whole(1)).unwrap()),
        ..of_kind("n", ColumnType::Integer)
    };
    TableSchema::protected("t", vec![of_kind("year", ColumnType::Integer), number, region], None)
}

#[test]
fn values_in_folder_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join("year=7/visits").join(name);
    write_rows(&at("year=2023/region=north/a.parquet"), &[1, 2]);
    write_rows(&at("year=2024/region=north/a.parquet"), &[3]);
    write_rows(&at("year=2024/region=north/b.parquet"), &[4]);
    write_rows(&at("year=2024/region=s%C3%BCd%2Fwest/a.parquet"), &[5]);
    write_rows(&at("year=soon/region=__HIVE_DEFAULT_PARTITION__/a.parquet"), &[6]);
    // Another type, another order of columns, and one more column.
    let more: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let wide: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    write_parquet(&at("year=__HIVE_DEFAULT_PARTITION__/region=north/a.parquet"), vec![("more", more), ("n", wide)]);
    let data = |path: &str, partitions: &[&str]| Data {
        partitions: partitions.iter().map(|name| (*name).to_owned()).collect(),
        ..data(path, Format::Parquet)
    };
    // The policy itself may be in such a folder.
    let home = folder.path().join("year=7");
    let source = Source::locate(partitioned(), &data("visits", &["year", "region"]), &home).unwrap();
    let memory = source.clone().into_memory().unwrap();
    for source in [&source, &memory] {
        let mut expected = [
            row(&["2023", "1", "north"]),
            row(&["2023", "2", "north"]),
            row(&["2024", "3", "north"]),
            row(&["2024", "4", "north"]),
            row(&["2024", "5", "süd/west"]),
            row(&["NULL", "6", "NULL"]),
            row(&["NULL", "NULL", "north"]),
        ];
        expected.sort();
        assert_eq!(rows(source), expected);
    }
    // Columns that are only in folder names.
    let wanted = [WantedColumn::typed(2), WantedColumn::stored(2), WantedColumn::typed(0)];
    let parts = source.scan(&wanted, &Meter::new()).unwrap().run(
        2,
        || 0,
        |count: &mut usize, batch| {
            *count += batch.rows;
            batch
                .columns
                .iter()
                .all(|column| column.typed().is_some() && column.len() == batch.rows)
                .then_some(())
                .ok_or(())
        },
    );
    assert_eq!(parts.unwrap().iter().sum::<usize>(), 7);
    let report = source.check(&Resources::default(), &|_| {}).unwrap();
    assert_eq!((report.rows, report.is_usable()), (7, true));
    for note in ["year: 1 of 6 values cannot be read as integer", "n: 1 of 7 values cannot be read as integer"] {
        assert!(report.notes.iter().any(|found| found.starts_with(note)), "{note} in {:?}", report.notes);
    }
    // A single folder suffices, if its own name has the value.
    let one = Source::locate(partitioned(), &data("visits/year=2024", &["year", "region"]), &home).unwrap();
    assert_eq!(rows(&one).iter().filter(|row| row[0].as_deref() == Some("2024")).count(), 3);

    let refused = |path: &str, partitions: &[&str]| match Source::locate(partitioned(), &data(path, partitions), &home)
        .and_then(|source| source.check(&Resources::default(), &|_| {}))
    {
        Err(SourceError::Partition { path, column, problem }) => {
            assert!(path.is_file());
            format!("{column} {problem}")
        }
        other => panic!("{other:?}"),
    };
    write_rows(&at("stray.parquet"), &[1]);
    assert_eq!(refused("visits", &["year", "region"]), "year is in no folder name of its path");
    std::fs::remove_file(at("stray.parquet")).unwrap();
    write_rows(&at("year=2025/region=north/year=2025/a.parquet"), &[1]);
    assert_eq!(refused("visits", &["region", "year"]), "year is in two folder names of its path");
    std::fs::remove_dir_all(at("year=2025")).unwrap();
    assert_eq!(refused("visits", &["n"]), "n is in no folder name of its path");
    write_rows(&at("year=2026/region=north/n=1/a.parquet"), &[1]);
    assert_eq!(refused("visits/year=2026", &["n"]), "n is a column of the file itself, too");
}

#[test]
fn files_of_a_table_may_store_a_column_differently() {
    let folder = tempfile::tempdir().unwrap();
    let table = TableSchema::protected("t", vec![of_kind("x", ColumnType::Integer)], None);
    let arrays: [ArrayRef; 3] = [
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(Int64Array::from(vec![i64::MAX])),
        Arc::new(UInt64Array::from(vec![u64::MAX])),
    ];
    for (number, array) in arrays.into_iter().enumerate() {
        write_parquet(&folder.path().join(format!("{number}.parquet")), vec![("x", array)]);
    }
    // A cast of one file's values to another's type could fail for some values.
    let source = Source::locate(table, &data("*.parquet", Format::Parquet), folder.path()).unwrap();
    assert_eq!(read(&source, 1), [row(&["1"]), row(&["9223372036854775807"]), row(&["NULL"])]);
}

#[test]
fn rows_of_parquet_are_counted_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut numbers: Vec<i64> = (0..3_000_000).collect();
    numbers[2_999_990] = i64::MIN;
    write(
        &path,
        &RecordBatch::try_from_iter([("x", Arc::new(Int64Array::from(numbers)) as ArrayRef)]).unwrap(),
        700_000,
    );
    let bounds = Some(Bounds::new(whole(0), whole(10_000_000), whole(1)).unwrap());
    let table = TableSchema::protected("t", vec![Column { bounds, ..of_kind("x", ColumnType::Integer) }], None);
    let report = Source::locate(table, &data("t.parquet", Format::Parquet), folder.path())
        .unwrap()
        .check(&Resources::default(), &|_| {});
    let notes = report.unwrap().notes;
    assert!(notes.len() == 1 && notes[0].ends_with(":2999991)"), "{notes:?}");
}

fn lookup(kind: ColumnType) -> TableSchema {
    let keys = Some(vec![Key::Text("no such".into())]);
    let columns = vec![of_kind("town", kind), Column { keys, ..of_kind("county", ColumnType::Text) }];
    TableSchema { name: "towns".to_owned(), columns, entity: None, public_key: Some("town".to_owned()) }
}

#[test]
fn keys_of_public_tables_are_unique() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("towns")).unwrap();
    std::fs::write(folder.path().join("towns/a.csv"), "town,county\nX,a\nY,a\n x,a\n\"Z\n\",b\n").unwrap();
    let problems = |kind| {
        let source = Source::locate(lookup(kind), &data("towns", csv()), folder.path()).unwrap();
        let report = source.check(&Resources::default(), &|_| {}).unwrap();
        assert_eq!((report.entities, report.ownerless.as_ref()), (None, None));
        // No key is declared as the file spells it.
        let county = &report.columns[1];
        assert_eq!((county.undeclared.as_ref().unwrap().count, county.is_bad()), (report.rows, true));
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let found: Vec<String> = report
            .problems
            .iter()
            .map(|found| format!("{}:{} {}", name(&found.path), found.line, found.what))
            .map(|text| text.replace(&format!("{}/", folder.path().join("towns").display()), ""))
            .collect();
        found
    };
    assert_eq!(problems(ColumnType::Text), Vec::<String>::new());
    std::fs::write(folder.path().join("towns/b.csv"), "town,county\nW,a\n,c\nY,c\nX,a\nX,a\n").unwrap();
    assert_eq!(
        problems(ColumnType::Text),
        [
            "b.csv:3 the key `town` is missing",
            "b.csv:4 the key `town` is the same as at a.csv:3",
            "b.csv:5 the key `town` is the same as at a.csv:2",
            "b.csv:6 the key `town` is the same as at a.csv:2",
        ]
    );
    std::fs::write(folder.path().join("towns/a.csv"), "town,county\n1,a\n").unwrap();
    std::fs::write(folder.path().join("towns/b.csv"), "town,county\n2,a\n01,a\n1.5,a\n").unwrap();
    assert_eq!(
        problems(ColumnType::Integer),
        ["b.csv:3 the key `town` is the same as at a.csv:2", "b.csv:4 the key `town` cannot be read as its type",]
    );
}
