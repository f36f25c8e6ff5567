//! The end of scans: at the last row, when the consumer wants no more, when a file is damaged, and when a thread
//! panics.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, CsvOptions, Data, Format};
use deniable_data::scan::BATCH_ROWS;
use deniable_data::{Meter, ScanError, Source, SourceError, WantedColumn, watch};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn columns() -> Vec<Column> {
    [("n", ColumnType::Integer), ("x", ColumnType::Text)]
        .into_iter()
        .map(|(name, kind)| Column::new(name, kind))
        .collect()
}

fn locate(folder: &Path, path: &str, format: Format) -> Source {
    let data = Data {
        table: "t".to_owned(),
        path: path.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(TableSchema::protected("t", columns(), None), &data, folder).unwrap()
}

const ROWS: i64 = 20_000;

fn batch(numbers: std::ops::Range<i64>) -> RecordBatch {
    let texts: StringArray = numbers.clone().map(|number| Some(format!("text {number}"))).collect();
    let numbers: ArrayRef = Arc::new(numbers.collect::<Int64Array>());
    RecordBatch::try_from_iter([("n", numbers), ("x", Arc::new(texts) as ArrayRef)]).unwrap()
}

/// The same rows as files of CSV, as Parquet of several row groups, and in memory.
fn sources(folder: &Path) -> Vec<Source> {
    let csv = |numbers: std::ops::Range<i64>| -> String {
        "n,x\n".to_owned() + &numbers.map(|number| format!("{number},text {number}\n")).collect::<String>()
    };
    std::fs::write(folder.join("1.csv"), csv(0..ROWS / 4)).unwrap();
    std::fs::write(folder.join("2.csv"), csv(ROWS / 4..ROWS)).unwrap();
    std::fs::write(folder.join("one.data"), csv(0..ROWS)).unwrap();
    let parquet = |name: &str, numbers: std::ops::Range<i64>| {
        let batch = batch(numbers);
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(6_000)).build();
        let file = std::fs::File::create(folder.join(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    };
    parquet("1.parquet", 0..1);
    parquet("2.parquet", 1..ROWS);
    let text = Format::Csv(CsvOptions::with_delimiter(b','));
    let memory = Source::memory(TableSchema::protected("t", columns(), None), vec![batch(0..10), batch(10..ROWS)]);
    vec![
        locate(folder, "*.csv", text.clone()),
        locate(folder, "one.data", text),
        locate(folder, "*.parquet", Format::Parquet),
        memory,
    ]
}

#[test]
fn every_row_comes_once_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for source in sources(folder.path()) {
        for count in [0, 1, 2, 7] {
            let meter = Meter::new();
            let scan = source.scan(&[WantedColumn::stored(1), WantedColumn::typed(0)], &meter).unwrap();
            let parts = scan.run(count, BTreeSet::new, |seen: &mut BTreeSet<(i64, String)>, batch| {
                assert!(batch.rows <= BATCH_ROWS);
                let (texts, numbers) = (batch.columns[0].to_array(), batch.columns[1].to_array());
                let texts = arrow_cast::cast(&texts, &arrow_schema::DataType::Utf8).unwrap();
                let texts = texts.as_any().downcast_ref::<StringArray>().unwrap();
                let numbers = numbers.as_any().downcast_ref::<Int64Array>().unwrap();
                for (number, text) in numbers.iter().zip(texts) {
                    assert!(seen.insert((number.unwrap(), text.unwrap().to_owned())));
                }
                Ok::<(), ()>(())
            });
            let parts = parts.unwrap();
            assert_eq!(parts.len(), count.max(1));
            let all: BTreeSet<(i64, String)> = parts.iter().flatten().cloned().collect();
            assert_eq!((all.len() as i64, parts.iter().map(BTreeSet::len).sum::<usize>() as i64), (ROWS, ROWS));
            assert!(all.iter().all(|(number, text)| *text == format!("text {number}")));
            assert_eq!(meter.rows(), ROWS as u64);
            if let Some(size) = source.size() {
                assert!(meter.bytes() > size / 2 && meter.bytes() <= size, "{} of {size}", meter.bytes());
            }
        }
        // Without columns, rows still count.
        let rows = source.scan(&[], &Meter::new()).unwrap().run(
            2,
            || 0,
            |rows, batch| {
                *rows += batch.rows;
                Ok::<(), ()>(())
            },
        );
        assert_eq!(rows.unwrap().iter().sum::<usize>() as i64, ROWS);
        assert!(matches!(source.scan(&[WantedColumn::typed(2)], &Meter::new()), Err(SourceError::Rows { .. })));
    }
}

#[test]
fn places_are_those_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    for (number, source) in sources(folder.path()).iter().enumerate() {
        let name = |file: usize| {
            let path = source.files().get(file).cloned().unwrap_or_else(|| PathBuf::from("memory"));
            path.file_name().unwrap().to_string_lossy().into_owned()
        };
        let places = |threads: usize| -> Vec<(String, u64, i64)> {
            let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
            let seen = scan.look(threads, Vec::new, |places, seen| {
                let numbers = seen.columns[0].values.to_array();
                let numbers = numbers.as_any().downcast_ref::<Int64Array>().unwrap();
                assert_eq!((seen.rows, numbers.len()), (numbers.len(), seen.columns[0].present.true_count()));
                places.extend((0..seen.rows).map(|row| (name(seen.file), seen.line(row), numbers.value(row))));
                Ok(())
            });
            seen.unwrap().into_iter().flatten().collect()
        };
        // The line with the names is line 1.
        let place = |row: i64| match number {
            0 if row < ROWS / 4 => ("1.csv", row + 2),
            0 => ("2.csv", row - ROWS / 4 + 2),
            1 => ("one.data", row + 2),
            2 if row == 0 => ("1.parquet", 1),
            2 => ("2.parquet", row),
            _ => ("memory", row + 1),
        };
        let expected: Vec<_> = (0..ROWS).map(|row| (place(row).0.to_owned(), place(row).1 as u64, row)).collect();
        assert!(places(1) == expected);
        let mut seen = places(3);
        seen.sort_by_key(|(.., row)| *row);
        assert!(seen == expected);
    }
}

#[test]
fn an_error_of_a_consumer_stops_the_other_threads() {
    let folder = tempfile::tempdir().unwrap();
    for source in sources(folder.path()) {
        let taken = AtomicUsize::new(0);
        let ended = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap().run(
            3,
            || (),
            |(), _| {
                if taken.fetch_add(1, Ordering::SeqCst) == 1 { Err("enough") } else { Ok(()) }
            },
        );
        assert!(matches!(ended, Err(ScanError::Work("enough"))));
        assert!(taken.into_inner() <= 6, "the other threads stopped soon");
        let ended = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap().run(
            2,
            || (),
            |(), _| -> Result<(), ()> { panic!("of a test") },
        );
        assert!(matches!(ended, Err(ScanError::Source(SourceError::Rows { .. }))));
    }
}

#[test]
fn damaged_files_are_errors_that_quote_nothing() {
    let folder = tempfile::tempdir().unwrap();
    drop(sources(folder.path()));
    let bytes = std::fs::read(folder.path().join("2.parquet")).unwrap();
    let read = |source: &Source, threads| {
        source.scan(&[WantedColumn::typed(0), WantedColumn::typed(1)], &Meter::new()).and_then(|scan| {
            scan.run(threads, || (), |(), _| Ok::<(), ()>(())).map_err(|error| match error {
                ScanError::Source(error) => error,
                ScanError::Work(()) => panic!("nobody stopped"),
            })
        })
    };
    let in_order = |source: &Source| {
        source.scan(&[WantedColumn::typed(0)], &Meter::new()).and_then(|scan| scan.look(1, || (), |(), _| Ok(())))
    };
    let name = folder.path().join("damaged.parquet");
    let (mut failed, mut refused) = (0, 0);
    for place in (100..bytes.len()).step_by(deniable_testing::sized(2_999, 1_499)) {
        let mut damaged = bytes.clone();
        for byte in &mut damaged[place..(place + 40).min(bytes.len())] {
            *byte ^= 0x5a;
        }
        std::fs::write(&name, &damaged).unwrap();
        let source = locate(folder.path(), "damaged.parquet", Format::Parquet);
        match read(&source, 2) {
            Err(SourceError::Rows { table }) => {
                failed += 1;
                assert_eq!(table, "t");
                drop(in_order(&source));
            }
            Err(_) => refused += 1,
            Ok(_) => {}
        }
    }
    assert!(failed > 10 && refused > 0, "{failed} failed, {refused} refused");
    std::fs::write(&name, &bytes[..bytes.len() / 2]).unwrap();
    let cut = locate(folder.path(), "damaged.parquet", Format::Parquet);
    assert!(matches!(read(&cut, 1), Err(SourceError::NotTable { found: "cut off, or damaged", .. })));
    // The file changes between planning and reading.
    std::fs::write(&name, &bytes).unwrap();
    let source = locate(folder.path(), "damaged.parquet", Format::Parquet);
    let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
    std::fs::write(&name, &bytes[..1000]).unwrap();
    let ended = scan.run(2, || (), |(), _| Ok::<(), ()>(()));
    assert!(matches!(ended, Err(ScanError::Source(SourceError::Rows { .. }))));
    // The footer states more rows than the file has.
    let about = ParquetMetaDataReader::new().parse_and_finish(&File::open(folder.path().join("2.parquet")).unwrap());
    let mut about = about.unwrap().into_builder();
    let groups = about.take_row_groups().into_iter().map(|group| {
        let rows = group.num_rows() + 5;
        group.into_builder().set_num_rows(rows).build().unwrap()
    });
    let groups = groups.collect();
    let about = about.set_row_groups(groups).build();
    let mut longer = bytes.clone();
    ParquetMetaDataWriter::new(&mut longer, &about).finish().unwrap();
    std::fs::write(&name, &longer).unwrap();
    assert!(matches!(read(&source, 2), Err(SourceError::Rows { .. })));
    assert!(matches!(in_order(&source), Err(SourceError::Unreadable { .. })));
    // A line with another number of fields, at the end of the last file.
    let mut text = std::fs::read_to_string(folder.path().join("2.csv")).unwrap();
    text += "1,secret,3\n";
    std::fs::write(folder.path().join("2.csv"), text).unwrap();
    let source = locate(folder.path(), "*.csv", Format::Csv(CsvOptions::with_delimiter(b',')));
    for threads in [1, 4] {
        let error = read(&source, threads).unwrap_err();
        assert!(matches!(error, SourceError::Rows { .. }) && !format!("{error:?}").contains("secret"));
    }
}

#[test]
fn progress_of_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    for source in sources(folder.path()) {
        let (meter, size) = (Meter::new(), source.size());
        let last = std::cell::Cell::new(None);
        let rows = watch(&meter, size, &|progress| last.set(Some(progress)), || {
            let scan = source.scan(&[WantedColumn::typed(0), WantedColumn::typed(1)], &meter).unwrap();
            let rows = scan.run(
                2,
                || 0,
                |rows, batch| {
                    *rows += batch.rows;
                    Ok::<(), ()>(())
                },
            );
            rows.unwrap().iter().sum::<usize>()
        });
        let told = last.take().unwrap();
        assert_eq!((told.rows, told.size), (rows as u64, size));
        assert_eq!(told.bytes.is_some(), size.is_some());
    }
}
