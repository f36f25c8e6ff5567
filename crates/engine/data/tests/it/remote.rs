//! A source that is implemented outside of the crate: rows sent by another program, in parts.

use arrow_array::{Array, ArrayRef, Int64Array};
use deniable_core::schema::{Column, ColumnType, Data, EngineKind, Format, TableSchema};
use deniable_data::reading::ColumnReader;
use deniable_data::{
    Connections, Databases, KnownVersion, Meter, OpenTable, ReadColumn, RemoteRows, RemoteScan, Resources, Rows,
    ScanError, ScanInput, Source, SourceError, Sources, StoredTypes, WantedColumn,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The parts, each with the place of its first row.
const PARTS: [(u64, &[i64]); 3] = [(1, &[0, 1, 2]), (50, &[]), (70, &[3, 1])];
const REGISTERED: &str = "three parts";

#[derive(Debug)]
struct Parts;

#[derive(Debug)]
struct Scan {
    readers: Vec<ColumnReader>,
    next: AtomicUsize,
    registered: Option<String>,
}

impl Rows for Parts {
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        let reader = |wanted: &WantedColumn| {
            let declared = &table.columns[wanted.column];
            ColumnReader::from_stored(declared, &arrow_schema::DataType::Int64, Path::new("parts"))
        };
        let readers = wanted.iter().map(reader).collect::<Result<_, _>>()?;
        let registered = version.and_then(|version| version.registered.clone());
        Ok(ScanInput::remote(Box::new(Scan { readers, next: AtomicUsize::new(0), registered })))
    }

    fn fingerprint(&self, _: &Source, _: &[u8; 32]) -> Result<String, SourceError> {
        Ok(REGISTERED.to_owned())
    }

    fn path(&self, _: usize) -> Option<&Path> {
        Some(Path::new("parts"))
    }

    fn place(&self, file: usize, line: u64) -> Option<String> {
        Some(format!("part {file}, row {line}"))
    }

    fn stored_types(&self) -> Option<Vec<arrow_schema::DataType>> {
        Some(vec![arrow_schema::DataType::Int64])
    }
}

impl RemoteScan for Scan {
    fn readers(&self) -> &[ColumnReader] {
        &self.readers
    }

    fn receive(
        &self,
        with_places: bool,
        most_rows: usize,
        take: &mut dyn FnMut(&RemoteRows<'_>) -> bool,
    ) -> Result<(), SourceError> {
        assert!(most_rows >= 3);
        while let Some((first, part)) = PARTS.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let numbers: ArrayRef = Arc::new(Int64Array::from(part.to_vec()));
            let columns: Vec<ArrayRef> = self.readers.iter().map(|_| numbers.clone()).collect();
            let places: Vec<u64> = (*first..).take(if with_places { numbers.len() } else { 0 }).collect();
            let rows = RemoteRows { rows: numbers.len(), bytes: 8, file: 0, columns: &columns, places: &places };
            if !take(&rows) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        match self.registered {
            Some(registered) if registered != REGISTERED => Err(SourceError::Changed { table: "t".to_owned() }),
            _ => Ok(()),
        }
    }
}

fn open() -> OpenTable {
    Box::new(|_, _| Ok(Arc::new(Parts)))
}

fn columns(_: &str, _: &str) -> Result<StoredTypes, SourceError> {
    Ok(Vec::new())
}

fn locate(format: Format, sources: Sources) -> Result<Source, SourceError> {
    of_table(format, sources, TableSchema::protected("t", vec![Column::new("n", ColumnType::Integer)], None))
}

fn of_table(format: Format, sources: Sources, table: TableSchema) -> Result<Source, SourceError> {
    let data = Data {
        table: "t".to_owned(),
        path: "s.parts".to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate_with(table, &data, Path::new(""), &mut Connections::new(sources))
}

fn postgres() -> Format {
    Format::Postgres { connect: "env:NOWHERE".to_owned() }
}

fn databases() -> Sources {
    Sources { databases: Some(Databases { open, columns }), ..Sources::default() }
}

fn numbers(source: &Source, threads: usize) -> Result<Vec<i64>, SourceError> {
    let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new())?;
    let found = scan.run(threads, Vec::new, |found, batch| {
        let array = batch.columns.first().map(ReadColumn::to_array).unwrap();
        found.extend(array.as_any().downcast_ref::<Int64Array>().unwrap().values());
        Ok::<(), ()>(())
    });
    let mut found: Vec<i64> = found
        .map_err(|error| match error {
            ScanError::Source(error) => error,
            ScanError::Work(()) => unreachable!("nothing fails"),
        })?
        .concat();
    found.sort_unstable();
    Ok(found)
}

#[test]
fn sources_from_outside_are_scanned_like_others() {
    let source = locate(postgres(), databases()).unwrap();
    for threads in [1, 4] {
        assert_eq!(numbers(&source, threads).unwrap(), [0, 1, 1, 2, 3]);
    }
    assert!(source.is_in_database() && source.files().is_empty() && source.engine().is_none());
    let version = |registered| source.clone().of_version([1; 32], Some(registered));
    assert_eq!(numbers(&version(REGISTERED), 2).unwrap().len(), 5);
    let error = numbers(&version("others"), 2).unwrap_err();
    assert!(matches!(error, SourceError::Changed { .. }), "{error}");
}

/// The key 1 of a public table is repeated.
#[test]
fn places_of_findings_are_those_of_the_source() {
    let mut table = TableSchema::protected("t", vec![Column::new("n", ColumnType::Integer)], None);
    table.public_key = Some("n".to_owned());
    let report = of_table(postgres(), databases(), table).unwrap().check(&Resources::default(), &|_| {}).unwrap();
    assert_eq!(report.rows, 5);
    let places: Vec<&str> = report.problems.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(places, ["part 0, row 71"], "{:?}", report.problems);
}

/// The messages name the place of the rows and the remedy.
#[test]
fn sources_that_are_not_compiled_in_are_refused() {
    let refused = |format| locate(format, Sources::default()).unwrap_err();
    match refused(postgres()) {
        SourceError::NotBuilt { table, place, help } => {
            assert_eq!((table.as_str(), place), ("t", "a PostgreSQL database"));
            assert!(help.contains("--features postgres"), "{help}");
        }
        other => panic!("{other}"),
    }
    let engine = Format::Engine { kind: EngineKind::DuckDb, connect: "env:NOWHERE".to_owned() };
    assert!(matches!(refused(engine), SourceError::NotBuilt { place: "an engine", .. }));
}
