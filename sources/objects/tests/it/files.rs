//! Objects of S3 as files of a table: `scripts/s3 cargo test -p deniable-objects`.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_core::schema::{Column, ColumnType, Compression, CsvOptions, Data, Format, TableSchema};
use deniable_data::{Connections, Meter, Resources, ScanError, Source, SourceError, Sources, WantedColumn};
use deniable_testing::{s3, s3_put};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const KEY: [u8; 32] = [1; 32];
const ROWS: i64 = 30_000;

fn table() -> TableSchema {
    let columns = [("n", ColumnType::Integer), ("x", ColumnType::Text)];
    TableSchema::protected("t", columns.map(|(name, kind)| Column::new(name, kind)).to_vec(), None)
}

fn located(table: TableSchema, data: &Data, folder: &Path) -> Result<Source, SourceError> {
    let sources = Sources { objects: Some(deniable_objects::find), ..Sources::default() };
    Source::locate_with(table, data, folder, &mut Connections::new(sources))
}

fn locate(path: &str, format: Format, folder: &Path) -> Result<Source, SourceError> {
    let data = Data {
        table: "t".to_owned(),
        path: path.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    located(table(), &data, folder)
}

fn csv(compression: Compression) -> Format {
    Format::Csv(CsvOptions { compression, ..CsvOptions::with_delimiter(b',') })
}

fn text(numbers: std::ops::Range<i64>) -> Vec<u8> {
    let rows: String = numbers.map(|number| format!("{number},text {number}\n")).collect();
    format!("n,x\n{rows}").into_bytes()
}

fn columns(numbers: std::ops::Range<i64>) -> Vec<u8> {
    let texts: StringArray = numbers.clone().map(|number| Some(format!("text {number}"))).collect();
    let numbers: ArrayRef = Arc::new(numbers.collect::<Int64Array>());
    let batch = RecordBatch::try_from_iter([("n", numbers), ("x", Arc::new(texts) as ArrayRef)]).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(6_000)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn rows(source: &Source) -> BTreeSet<(i64, String)> {
    let scan = source.scan(&[WantedColumn::typed(0), WantedColumn::typed(1)], &Meter::new()).unwrap();
    let parts = scan.run(2, BTreeSet::new, |seen, batch| {
        for row in 0..batch.rows {
            let value = |column: usize| batch.columns[column].typed().unwrap().value(row).unwrap();
            let (deniable_expression::Value::Integer(number), deniable_expression::Value::Text(text)) =
                (value(0), value(1))
            else {
                panic!("other types");
            };
            assert!(seen.insert((number, text.to_string())));
        }
        Ok::<(), ()>(())
    });
    parts.unwrap().into_iter().flatten().collect()
}

/// Local files and objects with the same contents give the same rows, reports and contents.
#[test]
fn objects_are_read_like_files() {
    let Some(_) = s3() else { return };
    let folder = tempfile::tempdir().unwrap();
    let gzip = |bytes: &[u8]| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut writer, bytes).unwrap();
        writer.finish().unwrap()
    };
    let files: [(&str, Vec<u8>); 7] = [
        ("like/a.csv", text(0..100)),
        ("like/in/b.csv", text(100..ROWS)),
        ("like/c.csv.gz", gzip(&text(0..ROWS))),
        ("like/d.csv.zst", zstd::encode_all(text(0..ROWS).as_slice(), 1).unwrap()),
        ("like/1.parquet", columns(0..1)),
        ("like/2.parquet", columns(1..ROWS)),
        ("like/_hidden/3.parquet", columns(5..9)),
    ];
    for (key, bytes) in &files {
        let path = folder.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        s3_put(key, bytes);
    }
    let expected: BTreeSet<(i64, String)> = (0..ROWS).map(|number| (number, format!("text {number}"))).collect();
    for (path, format) in [
        ("like", csv(Compression::None)),
        ("like/", csv(Compression::None)),
        ("like/**/*.csv", csv(Compression::None)),
        ("like/c.csv.gz", csv(Compression::Gzip)),
        ("like/*.zst", csv(Compression::Zstd)),
        ("like/[12].parquet", Format::Parquet),
        ("like", Format::Parquet),
    ] {
        let here = locate(path, format.clone(), folder.path()).unwrap();
        let there = locate(&format!("s3://deniable/{path}"), format, folder.path()).unwrap();
        assert_eq!(rows(&there), expected, "{path}");
        assert_eq!(there.size(), here.size(), "{path}");
        let report = |source: &Source| {
            let report = source.check(&Resources::default(), &|_| {}).unwrap();
            (report.rows, report.notes, report.columns, report.problems.len())
        };
        assert_eq!(report(&there), report(&here), "{path}");
        let (here, there) = (here.fingerprint(&KEY).unwrap(), (there.fingerprint(&KEY).unwrap(), there));
        assert!(there.1.has_contents(&here, &there.0), "{path}");
        assert!(there.0.starts_with(&there.1.marks(&KEY).unwrap()), "{path}");
    }
    for nothing in ["s3://deniable/nothing/", "s3://deniable/nothing.csv", "s3://deniable/like/*.tsv"] {
        let error = locate(nothing, csv(Compression::None), folder.path()).unwrap_err();
        assert!(matches!(error, SourceError::NoFile { .. }), "{nothing}: {error}");
    }
}

/// Partition values in keys are read like those in folder names.
#[test]
fn partitions_of_objects() {
    let Some(_) = s3() else { return };
    for (year, numbers) in [(2023, 0..10), (2024, 10..40)] {
        s3_put(&format!("parts/year={year}/part-0.parquet"), &columns(numbers));
    }
    let mut table = table();
    table.columns.push(Column::new("year", ColumnType::Integer));
    let data = Data {
        table: "t".to_owned(),
        path: "s3://deniable/parts".to_owned(),
        version: "1".to_owned(),
        format: Format::Parquet,
        partitions: vec!["year".to_owned()],
        typical_rows: None,
    };
    let source = located(table, &data, Path::new("")).unwrap();
    let scan = source.scan(&[WantedColumn::typed(2)], &Meter::new()).unwrap();
    let counts = scan.run(
        1,
        || [0, 0],
        |counts, batch| {
            let deniable_expression::Column::Integer(years) = batch.columns[0].typed().unwrap() else {
                panic!("no years")
            };
            years.values().iter().for_each(|year| counts[usize::try_from(*year - 2023).unwrap()] += 1);
            Ok::<(), ()>(())
        },
    );
    assert_eq!(counts.unwrap(), [[10, 30]]);
}

/// More objects than one page of a listing.
#[test]
fn thousands_of_objects() {
    let Some(_) = s3() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for part in 0..4 {
            scope.spawn(move || {
                (0..300).for_each(|at| {
                    s3_put(&format!("many/{part}-{at:04}.csv"), &text(part * 300 + at..part * 300 + at + 1))
                })
            });
        }
    });
    let source = locate("s3://deniable/many/", csv(Compression::None), folder.path()).unwrap();
    assert_eq!(source.files().len(), 1_200);
    assert_eq!(rows(&source).len(), 1_200);
}

#[test]
fn a_replaced_object_is_not_read() {
    let Some(_) = s3() else { return };
    let folder = tempfile::tempdir().unwrap();
    let replaced = |key: &str, first: Vec<u8>, second: Vec<u8>, format: Format| {
        s3_put(key, &first);
        let source = locate(&format!("s3://deniable/{key}"), format, folder.path()).unwrap();
        let marks = source.marks(&KEY).unwrap();
        // Replaced after it is opened, and while it is read.
        let done = AtomicBool::new(false);
        let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
        let run = scan.run(
            1,
            || (),
            |(), _| {
                if !done.swap(true, Ordering::Relaxed) {
                    s3_put(key, &second);
                }
                Ok::<(), ()>(())
            },
        );
        match run {
            Err(ScanError::Source(SourceError::Remote { problem, .. })) => {
                assert_eq!(problem, format!("s3://deniable/{key} was replaced after it was found"));
            }
            other => panic!("{key}: {other:?}"),
        }
        assert_ne!(
            locate(&format!("s3://deniable/{key}"), Format::Parquet, folder.path()).unwrap().marks(&KEY).unwrap(),
            marks
        );
    };
    // Several blocks and several row groups, of the same sizes before and after.
    let long =
        |with: char| format!("n,x\n{}", format!("1,{}\n", with.to_string().repeat(1_000)).repeat(40_000)).into_bytes();
    replaced("replaced/a.csv", long('a'), long('b'), csv(Compression::None));
    replaced("replaced/a.parquet", columns(0..ROWS), columns(1..ROWS + 1), Format::Parquet);
    let before = locate("s3://deniable/replaced/a.parquet", Format::Parquet, folder.path()).unwrap();
    s3_put("replaced/a.parquet", &columns(5..6));
    assert!(matches!(before.fingerprint(&KEY), Err(SourceError::Remote { .. })));
    assert!(matches!(before.check(&Resources::default(), &|_| {}), Err(SourceError::Remote { .. })));
}

#[test]
fn malformed_parquet_is_reported() {
    let Some(_) = s3() else { return };
    let folder = tempfile::tempdir().unwrap();
    let whole = columns(0..100);
    for (name, bytes) in
        [("cut", &whole[..whole.len() - 9]), ("text", b"a,b\n" as &[u8]), ("short", b"PAR1"), ("empty", b"")]
    {
        let key = format!("bad/{name}.parquet");
        s3_put(&key, bytes);
        let path = folder.path().join(format!("{name}.parquet"));
        std::fs::write(&path, bytes).unwrap();
        let said = |path: &str| {
            let source = locate(path, Format::Parquet, folder.path()).unwrap();
            source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap_err().to_string()
        };
        let there =
            said(&format!("s3://deniable/{key}")).replace(&format!("s3://deniable/{key}"), &path.to_string_lossy());
        assert_eq!(there, said(&path.to_string_lossy()), "{name}");
    }
}
