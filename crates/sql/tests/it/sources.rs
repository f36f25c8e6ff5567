//! The same rows from CSV, from Parquet and from memory give the same exact totals; files that cannot be read as
//! declared are refused with their place.

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringViewArray, UInt64Array,
};
use arrow_schema::DataType;
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Compression, CsvOptions, Data, Entity, Format, Key};
use deniable_core::sensitivity::Caps;
use deniable_sql::{Query, Resources, Salt, Source, SourceError, exact};
use parquet::arrow::ArrowWriter;
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

fn totals(source: &Source, sql: &str) -> Vec<Vec<i128>> {
    let query = Query::new(sql, std::slice::from_ref(source.table())).unwrap();
    let resources = Resources::default();
    let found = exact(std::slice::from_ref(source), &query, &Salt([1; 32]), &resources, &|_| {}).unwrap().reveal();
    found.into_iter().map(|cells| cells.into_iter().flatten().collect()).collect()
}

fn locate(folder: &Path, path: &str, format: Format) -> Source {
    Source::locate(table(), &data(path, format), folder).unwrap()
}

const QUESTIONS: [&str; 5] = [
    "SELECT grp, COUNT(*), SUM(cost) FROM t GROUP BY grp",
    "SELECT ok, COUNT(cost) FROM t GROUP BY ok",
    "SELECT AVG(cost) FROM t WHERE ok",
    "SELECT COUNT(DISTINCT who) FROM t WHERE grp IS NOT NULL",
    "SELECT COUNT(*) FROM t",
];

#[test]
fn csv_says_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), CSV).unwrap();
    let source = locate(folder.path(), "t.csv", csv());
    // Measures come in the canonical order: rows before sums. Units of 0.05: 0.05 → 1, 9.999 → 200, −4 → 0, 1e300 → 200.
    assert_eq!(totals(&source, QUESTIONS[0]), [vec![3, 1, 1], vec![201, 200, 0]]);
    assert_eq!(totals(&source, QUESTIONS[1]), [vec![2, 2]]);
    assert_eq!(totals(&source, QUESTIONS[3]), [vec![3]]);
    assert_eq!(totals(&source, QUESTIONS[4]), [vec![6]]);
    assert_eq!(totals(&source, "SELECT COUNT(*) FROM t WHERE ok IS NULL"), [vec![2]], "`maybe` and empty");
}

#[test]
fn the_same_rows_in_other_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("t.csv"), CSV).unwrap();
    let plain = locate(folder.path(), "t.csv", csv());
    // In two files, with a byte order mark, and Windows line ends.
    let (header, rows) = CSV.split_once('\n').unwrap();
    let (first, rest) = rows.split_at(rows.find("x,t,a").unwrap());
    std::fs::create_dir(at("parts")).unwrap();
    std::fs::write(at("parts/1.csv"), format!("\u{feff}{header}\n{first}")).unwrap();
    std::fs::write(at("parts/2.csv"), format!("{header}\n{rest}").replace("\n", "\r\n")).unwrap();
    let parts = locate(folder.path(), "parts", csv());
    // With tabs and spaces around fields, and another text for NULL. The comma inside a field stays.
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
    for question in QUESTIONS {
        let expected = totals(&plain, question);
        assert_eq!(totals(&parts, question), expected, "in parts: {question}");
        assert_eq!(totals(&memory, question), expected, "in memory: {question}");
        // `B` is not a declared group.
        if question != QUESTIONS[0] {
            assert_eq!(totals(&spaced, question), expected, "with tabs: {question}");
        }
    }
}

/// Bytes of the rows in another coat, and how to undo it.
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
        // As `cat` and parallel compressors make them.
        ("members.csv.gz", [gzip(first), gzip(rest)].concat(), compressed(Compression::Gzip)),
        ("zstd.csv.zst", zstd::encode_all(CSV.as_bytes(), 1).unwrap(), compressed(Compression::Zstd)),
        ("marked.csv", marked.clone().into_bytes(), plain.clone()),
        ("latin.csv", CSV.as_bytes().to_vec(), encoded("windows-1252")),
        ("little.csv", utf_16(&marked, u16::to_le_bytes), encoded("UTF-16LE")),
        ("unmarked.csv", utf_16(CSV, u16::to_le_bytes), encoded("UTF-16LE")),
        ("big.csv", utf_16(&marked, u16::to_be_bytes), encoded("UTF-16BE")),
        ("apostrophes.csv", apostrophes.into_bytes(), CsvOptions { quote: b'\'', ..plain.clone() }),
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
        for question in QUESTIONS {
            assert_eq!(totals(&other, question), totals(&plain, question), "{name}: {question}");
        }
        let same = other.check(&Resources::default(), &|_| {}).unwrap();
        assert_eq!((same.rows, same.entities, same.problems), (report.rows, report.entities, Vec::new()), "{name}");
        let plainly = |notes: &[String]| notes.join("\n").replace(name, "t.csv");
        // Line numbers are the same, too.
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
    assert_eq!((of(Compression::Gzip), of(Compression::Zstd), of(Compression::None)), (2, 1, 7));
    // Half a file is no file, for the check and for a release.
    let bytes = std::fs::read(folder.path().join("gzip.csv.gz")).unwrap();
    std::fs::write(folder.path().join("half.csv.gz"), &bytes[..bytes.len() - 9]).unwrap();
    let options = CsvOptions { compression: Compression::Gzip, ..CsvOptions::with_delimiter(b',') };
    let half = locate(folder.path(), "half.csv.gz", Format::Csv(options));
    assert!(matches!(half.check(&Resources::default(), &|_| {}), Err(SourceError::Unreadable { .. })));
    assert!(matches!(half.into_memory(), Err(SourceError::Rows { .. })));
}

/// A column with a pattern, as a German spreadsheet would have it.
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
    assert_eq!(totals(&source, "SELECT grp, COUNT(*), SUM(cost) FROM t GROUP BY grp"), [vec![3, 1], vec![35, 0]]);
    let counts = |filter: &str| totals(&source, &format!("SELECT COUNT(*) FROM t WHERE {filter}"));
    assert_eq!(counts("born = DATE '1990-01-01'"), [vec![1]]);
    assert_eq!(counts("born < DATE '1970-01-01'"), [vec![1]]);
    assert_eq!(counts("born IS NULL"), [vec![2]]);
    assert_eq!(counts("seen >= TIMESTAMP '2024-12-31 18:30:00'"), [vec![1]]);
    assert_eq!(counts("seen IS NULL"), [vec![3]]);
    let report = source.check(&Resources::default(), &|_| {}).unwrap();
    assert!(report.is_usable(), "{:?}", report.problems);
    for (note, place) in [
        ("cost: 2 of 4 values do not read as decimal", ":4)"),
        ("born: 2 of 4 values do not read as date", ":4)"),
        ("born: 1 values lie outside", ":3)"),
        ("seen: 2 of 3 values do not read as timestamp", ":3)"),
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
    assert_eq!(totals(&source, "SELECT COUNT(*), SUM(cost) FROM t"), [vec![50], vec![50]]);
    // What is broken stops a release without a word about the row.
    std::fs::write(folder.path().join("50.csv"), "who,grp,cost,ok\n1,secret\n").unwrap();
    let source = locate(folder.path(), "*.csv", csv());
    let error = source.clone().into_memory().unwrap_err();
    assert!(matches!(&error, SourceError::Rows { .. }) && !format!("{error:?}").contains("secret"), "{error:?}");
    assert_eq!(source.check(&Resources::default(), &|_| {}).unwrap().problems.len(), 1);
}

#[test]
fn what_no_decoder_knows_is_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<u8> = "who,grp,cost,ok\n1,a,1,true\n2,".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let rest: Vec<u8> = ",1,true\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.path().join("t.csv"), [&text[..], &[0, 0xD8], &rest].concat()).unwrap();
    let options = CsvOptions { encoding: "UTF-16LE".to_owned(), ..CsvOptions::with_delimiter(b',') };
    let report = locate(folder.path(), "t.csv", Format::Csv(options)).check(&Resources::default(), &|_| {}).unwrap();
    let found: Vec<(u64, &str)> = report.problems.iter().map(|found| (found.line, found.what.as_str())).collect();
    assert_eq!(found, [(3, "field 2 is not UTF-16LE")]);
    // UTF-16 that is said to be UTF-8 is found by its first bytes.
    std::fs::write(folder.path().join("u.csv"), [&[0xFF, 0xFE], &text[..]].concat()).unwrap();
    let error = locate(folder.path(), "u.csv", csv()).check(&Resources::default(), &|_| {}).unwrap_err();
    assert!(error.to_string().ends_with("is text in UTF-16, and not CSV"), "{error}");
}

/// The same rows as Parquet stores them: narrow integers, decimals, views, dictionaries.
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
    write_batch(&folder.join("t.parquet"), &batch);
}

#[test]
fn parquet_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), CSV).unwrap();
    parquet(folder.path());
    let text = locate(folder.path(), "t.csv", csv());
    let stored = locate(folder.path(), "*.parquet", Format::Parquet);
    for question in QUESTIONS {
        assert_eq!(totals(&stored, question), totals(&text, question), "{question}");
    }
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
    let batch = RecordBatch::try_from_iter(vec![("grp", Arc::new(grp) as ArrayRef)]).unwrap();
    assert!(matches!(batch.schema().field(0).data_type(), DataType::Dictionary(..)));
    write_batch(&folder.path().join("d.parquet"), &batch);
    let mut table = table();
    table.entity = None;
    table.columns.retain(|column| column.name == "grp");
    let source = Source::locate(table, &data("d.parquet", Format::Parquet), folder.path()).unwrap();
    assert_eq!(totals(&source, "SELECT grp, COUNT(*) FROM t GROUP BY grp"), [vec![2, 0, 1]]);
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
    assert_eq!(problems, [(3, "3 fields where 4 are expected".to_owned()), (5, "field 2 is not UTF-8".to_owned()),]);
    let notes = report.notes.join("\n");
    for (column, place) in [
        ("cost: 1 of 4 values do not read", ":6)"),
        ("cost: 1 values lie outside", ":7)"),
        ("grp: 1 rows", ":7)"),
        // A row without a key is no broken row, but belongs to nobody.
        ("1 of 6 rows have no entity key", ":4)"),
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
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_batch(path, &RecordBatch::try_from_iter(columns).unwrap());
}

fn write_batch(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// One row for each number.
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
    // The policy itself may lie in such a folder.
    let home = folder.path().join("year=7");
    let source = Source::locate(partitioned(), &data("visits", &["year", "region"]), &home).unwrap();
    let memory = source.clone().into_memory().unwrap();
    for source in [&source, &memory] {
        assert_eq!(
            totals(source, "SELECT region, COUNT(*), SUM(n) FROM t GROUP BY region"),
            [vec![5, 1, 1], vec![10, 5, 6]]
        );
        assert_eq!(totals(source, "SELECT COUNT(*), SUM(n) FROM t WHERE year = 2024"), [vec![3], vec![12]]);
        assert_eq!(totals(source, "SELECT COUNT(*) FROM t WHERE year IS NULL"), [vec![2]]);
        assert_eq!(totals(source, "SELECT COUNT(*) FROM t WHERE year < 2024 AND region = 'north'"), [vec![2]]);
        assert_eq!(totals(source, "SELECT COUNT(*) FROM t"), [vec![7]]);
    }
    let report = source.check(&Resources::default(), &|_| {}).unwrap();
    assert_eq!((report.rows, report.is_usable()), (7, true));
    for note in ["year: 1 of 6 values do not read as integer", "n: 1 of 7 values do not read as integer"] {
        assert!(report.notes.iter().any(|found| found.starts_with(note)), "{note} in {:?}", report.notes);
    }
    // One folder is enough, where its own name says the rest.
    let one = Source::locate(partitioned(), &data("visits/year=2024", &["year", "region"]), &home).unwrap();
    assert_eq!(totals(&one, "SELECT COUNT(*) FROM t WHERE year = 2024"), [vec![3]]);

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
    // A cast of one file's values to another's type could fail on them.
    let source = Source::locate(table, &data("*.parquet", Format::Parquet), folder.path()).unwrap();
    assert_eq!(totals(&source, "SELECT COUNT(x) FROM t"), [vec![2]]);
    assert_eq!(totals(&source, "SELECT COUNT(*) FROM t WHERE x = 9223372036854775807"), [vec![1]]);
}

#[test]
fn rows_of_parquet_are_counted_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut numbers: Vec<i64> = (0..3_000_000).collect();
    numbers[2_999_990] = i64::MIN;
    write_parquet(&path, vec![("x", Arc::new(Int64Array::from(numbers)))]);
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
