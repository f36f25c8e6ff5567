//! The same rows from CSV, from Parquet and from memory give the same exact totals; files that cannot be read as
//! declared are refused with their place.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use datafusion::arrow::array::{ArrayRef, BooleanArray, Decimal128Array, Int32Array, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Int8Type};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::prelude::SessionContext;
use deniable_core::exact::{parse_rational, whole};
use deniable_core::sensitivity::Caps;
use deniable_policy::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key};
use deniable_sql::{Query, Resources, Salt, Source, SourceError, Table};
use std::path::Path;
use std::sync::Arc;

fn table() -> Table {
    let column = |name: &str, kind, bounds: Option<(i64, i64, &str)>, keys| Column {
        name: name.to_owned(),
        kind,
        bounds: bounds
            .map(|(low, high, step)| Bounds::new(whole(low), whole(high), parse_rational(step).unwrap()).unwrap()),
        keys,
    };
    Table {
        name: "t".to_owned(),
        columns: vec![
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
        entity: Some(Entity { key: "who".to_owned(), caps: Caps { rows_per_group: 2, groups: 2 } }),
    }
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
    Data { table: "t".to_owned(), path: path.to_owned(), version: "1".to_owned(), format }
}

fn csv() -> Format {
    Format::Csv(CsvOptions::with_delimiter(b','))
}

fn totals(source: &Source, sql: &str) -> Vec<Vec<i128>> {
    let query = Query::new(sql, source.table()).unwrap();
    source.exact(&query, &Salt([1; 32]), &Resources::default(), &|_| {}).unwrap().reveal()
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
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let context = SessionContext::new();
        let frame = context.read_batch(batch).unwrap();
        let path = folder.join("t.parquet").to_string_lossy().into_owned();
        frame.write_parquet(&path, DataFrameWriteOptions::new(), None).await.unwrap();
    });
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
    let report = stored.check(&|_| {}).unwrap();
    assert_eq!((report.rows, report.entities, report.is_usable()), (6, Some(4), true));
}

#[test]
fn parquet_of_another_type_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    parquet(folder.path());
    let mut table = table();
    table.columns[1].kind = ColumnType::Integer;
    let source = Source::locate(table, &data("t.parquet", Format::Parquet), folder.path()).unwrap();
    assert!(matches!(source.check(&|_| {}), Err(SourceError::ColumnType { column, .. }) if column == "grp"));
    std::fs::write(folder.path().join("not.parquet"), "text").unwrap();
    let source = locate(folder.path(), "not.parquet", Format::Parquet);
    assert!(matches!(source.check(&|_| {}), Err(SourceError::Unreadable { .. })));
}

#[test]
fn dictionaries_are_texts() {
    let folder = tempfile::tempdir().unwrap();
    let grp: datafusion::arrow::array::DictionaryArray<Int8Type> =
        vec![Some("a"), None, Some("a")].into_iter().collect();
    let batch = RecordBatch::try_from_iter(vec![("grp", Arc::new(grp) as ArrayRef)]).unwrap();
    assert!(matches!(batch.schema().field(0).data_type(), DataType::Dictionary(..)));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let frame = SessionContext::new().read_batch(batch).unwrap();
        let path = folder.path().join("d.parquet").to_string_lossy().into_owned();
        frame.write_parquet(&path, DataFrameWriteOptions::new(), None).await.unwrap();
    });
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
    let report = locate(folder.path(), "t.csv", csv()).check(&|_| {}).unwrap();
    let mut problems: Vec<(u64, String)> =
        report.problems.iter().map(|problem| (problem.line, problem.what.clone())).collect();
    problems.sort();
    assert_eq!(
        problems,
        [
            (3, "3 fields where 4 are expected".to_owned()),
            (4, "the entity key `who` is missing".to_owned()),
            (5, "field 2 is not UTF-8".to_owned()),
        ]
    );
    let notes = report.notes.join("\n");
    for (column, place) in
        [("cost: 1 of 4 values do not read", ":6)"), ("cost: 1 values lie outside", ":7)"), ("grp: 1 rows", ":7)")]
    {
        let line = notes.lines().find(|line| line.starts_with(column)).unwrap_or_else(|| panic!("{column} in {notes}"));
        assert!(line.ends_with(place), "{line}");
    }
    for (name, text) in
        [("empty.csv", ""), ("semicolon.csv", "who;grp;cost;ok\n1;a;1;true\n"), ("twice.csv", "who,who,grp,cost,ok\n")]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
        let error = locate(folder.path(), name, csv()).check(&|_| {}).unwrap_err();
        println!("{error}");
        assert!(matches!(
            error,
            SourceError::Empty { .. } | SourceError::NoColumn { .. } | SourceError::TwoColumns { .. }
        ));
    }
}
