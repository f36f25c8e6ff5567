//! Tables and views of PostgreSQL as a source of rows, and their fingerprints.

use crate::contents::Contents;
use crate::copy::{CopiedRows, CopyRequest};
use crate::error::PostgresError;
use crate::relation::{Part, Relation, RelationColumn};
use crate::server::Server;
use crate::snapshot::Snapshot;
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use deniable_core::schema::{ColumnType, Data, Format, RelationName, TableSchema};
use deniable_core::text::shown;
use deniable_data::reading::ColumnReader;
use deniable_data::{
    KnownVersion, Meter, OpenTable, RemoteRows, RemoteScan, Rows, ScanError, ScanInput, Source, SourceError,
    StoredTypes, WantedColumn,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Domains of the keyed hashes for fingerprints of relations and of their rows.
const MARKS: &[u8] = b"deniable 2026-11 marks of a relation\0";
const ROWS: &[u8] = b"deniable 2026-11 rows of a relation\0";
const SUM: &[u8] = b"deniable 2026-11 sum of rows\0";

/// Opens tables of PostgreSQL for `deniable_data`.
pub const DATABASES: deniable_data::Databases = deniable_data::Databases { open, columns };

/// Opens the tables of a run.
fn open() -> OpenTable {
    let mut databases = Databases::default();
    Box::new(move |table, data| Ok(Arc::new(TableRows(Arc::new(Table::locate(table, data, &mut databases)?)))))
}

/// The databases of a run, each with one snapshot.
#[derive(Debug, Default)]
struct Databases(BTreeMap<String, Arc<Snapshot>>);

impl Databases {
    fn at(&mut self, connect: &str) -> Result<Arc<Snapshot>, SourceError> {
        if let Some(known) = self.0.get(connect) {
            return Ok(known.clone());
        }
        let snapshot = Server::named(connect).and_then(Snapshot::begin).map_err(failed)?;
        self.0.insert(connect.to_owned(), snapshot.clone());
        Ok(snapshot)
    }
}

fn named(relation: &str) -> Result<RelationName, SourceError> {
    RelationName::parse(relation).ok_or_else(|| SourceError::Remote {
        problem: format!("`{}` is not a schema and name of a table or view", shown(relation)),
        help: "write both, as in `clinic.visits`; put names that are not in lower case in double quotes",
    })
}

/// The columns of a table or view, with the type of its values in memory.
fn columns(relation: &str, connect: &str) -> Result<StoredTypes, SourceError> {
    let name = named(relation)?;
    Databases::default().at(connect)?.columns(&name).map_err(failed)
}

fn failed(error: PostgresError) -> SourceError {
    SourceError::Remote { problem: error.problem, help: error.help }
}

/// The declared columns of a table or view.
#[derive(Debug)]
struct Table {
    relation: Relation,
    /// The position of each declared column in the relation.
    positions: Vec<usize>,
    /// The names of the tables that it consists of.
    names: Vec<PathBuf>,
    /// The key and contents of the last complete scan, for a registration of the rows that it read.
    found: Mutex<Option<([u8; 32], Contents)>>,
}

impl Table {
    /// # Errors
    /// When the database cannot be reached, or the relation or a declared column is missing or has an unsuitable type.
    fn locate(table: &TableSchema, data: &Data, databases: &mut Databases) -> Result<Self, SourceError> {
        let Format::Postgres { connect } = &data.format else {
            return Err(SourceError::Rows { table: table.name.clone() });
        };
        let name = named(&data.path)?;
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let relation = databases.at(connect)?.relation(&name, &columns).map_err(failed)?;
        let mut positions = Vec::new();
        for declared in &table.columns {
            let found = relation.columns().iter().enumerate().find(|(_, column)| column.name == declared.name);
            let Some((position, column)) = found else { return Err(SourceError::Rows { table: table.name.clone() }) };
            let shown = PathBuf::from(name.shown());
            // A numeric arrives as the nearest double, which may be an integer where the numeric is not.
            let is_rounded = column.type_name.starts_with("numeric") && column.data_type() == DataType::Float64;
            let reader = ColumnReader::from_stored(declared, &column.data_type(), &shown);
            if let Err(error @ SourceError::Zone { .. }) = reader {
                return Err(error);
            }
            if reader.is_err() || (is_rounded && declared.kind == ColumnType::Integer) {
                return Err(SourceError::ColumnType {
                    path: shown,
                    column: declared.name.clone(),
                    stored: column.type_name.clone(),
                    declared: declared.kind.name(),
                });
            }
            positions.push(position);
        }
        let names = relation.places().into_iter().map(PathBuf::from).collect();
        Ok(Self { relation, positions, names, found: Mutex::default() })
    }

    /// A keyed hash of the relation's marks, without reading rows.
    fn marks(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(MARKS);
        hasher.update(&self.relation.marks());
        hasher.finalize().to_hex().to_string()
    }

    /// The fingerprint of the rows of the last scan, if it was computed under this key.
    fn fingerprint(&self, key: &[u8; 32]) -> Option<String> {
        let found = *self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.filter(|(known, _)| known == key).map(|(_, contents)| self.written(key, contents))
    }

    fn written(&self, key: &[u8; 32], contents: Contents) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(ROWS);
        hasher.update(&contents.rows.to_le_bytes());
        hasher.update(&contents.sum.to_le_bytes());
        format!("{}.{}", self.marks(key), hasher.finalize().to_hex())
    }

    /// All rows of these columns.
    fn copies(
        self: &Arc<Self>,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<KnownVersion>,
    ) -> Result<Copies, SourceError> {
        let lost = || SourceError::Rows { table: table.name.clone() };
        let (mut columns, mut places, mut readers) = (Vec::new(), Vec::new(), Vec::new());
        for wanted in wanted {
            let position = *self.positions.get(wanted.column).ok_or_else(lost)?;
            let stored = self.relation.columns().get(position).ok_or_else(lost)?;
            let declared = table.columns.get(wanted.column).ok_or_else(lost)?;
            readers.push(ColumnReader::from_stored(declared, &stored.data_type(), Path::new(&table.name))?);
            // A column that is requested twice is copied once.
            let place = columns.iter().position(|known| *known == position).unwrap_or_else(|| {
                columns.push(position);
                columns.len() - 1
            });
            places.push(place);
        }
        let (next, sum) = (AtomicUsize::new(0), Mutex::default());
        Ok(Copies { name: table.name.clone(), table: self.clone(), columns, places, readers, version, next, sum })
    }
}

fn sum_key(key: &[u8; 32]) -> [u8; 16] {
    let mut derived = [0; 16];
    derived.copy_from_slice(&blake3::keyed_hash(key, SUM).as_bytes()[..16]);
    derived
}

/// The rows of a table or view.
#[derive(Debug)]
struct TableRows(Arc<Table>);

impl Rows for TableRows {
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        Ok(ScanInput::remote(Box::new(self.0.copies(table, wanted, version.cloned())?)))
    }

    /// Reads all rows, unless the last scan did so under this key.
    fn fingerprint(&self, source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
        if let Some(known) = self.0.fingerprint(key) {
            return Ok(known);
        }
        let scan = source.clone().of_version(*key, None).scan(&[], &Meter::new())?;
        let done = scan.run(1, || (), |(), _| Ok::<(), std::convert::Infallible>(()));
        done.map_err(|error| match error {
            ScanError::Source(error) => error,
            ScanError::Work(never) => match never {},
        })?;
        self.0.fingerprint(key).ok_or_else(|| SourceError::Rows { table: source.table().name.clone() })
    }

    fn marks(&self, key: &[u8; 32]) -> Option<String> {
        Some(self.0.marks(key))
    }

    fn path(&self, file: usize) -> Option<&Path> {
        self.0.names.get(file).map(PathBuf::as_path)
    }

    fn place(&self, file: usize, line: u64) -> Option<String> {
        let name = self.0.names.get(file)?.display();
        let has_places = self.0.relation.parts().iter().any(|part| part.file == file && part.has_places());
        has_places.then(|| format!("{name}, ctid ({},{})", line >> 16, line & 0xffff))
    }

    fn stored_types(&self) -> Option<Vec<DataType>> {
        let stored = |position: &usize| self.0.relation.columns().get(*position).map(RelationColumn::data_type);
        Some(self.0.positions.iter().map(|position| stored(position).unwrap_or(DataType::Null)).collect())
    }
}

/// The parts of a relation, copied by several threads.
#[derive(Debug)]
struct Copies {
    name: String,
    table: Arc<Table>,
    columns: Vec<usize>,
    /// The index of each wanted column among the copied ones.
    places: Vec<usize>,
    readers: Vec<ColumnReader>,
    version: Option<KnownVersion>,
    next: AtomicUsize,
    sum: Mutex<Contents>,
}

impl RemoteScan for Copies {
    fn readers(&self) -> &[ColumnReader] {
        &self.readers
    }

    fn receive(
        &self,
        with_places: bool,
        most_rows: usize,
        take: &mut dyn FnMut(&RemoteRows<'_>) -> bool,
    ) -> Result<(), SourceError> {
        let relation = &self.table.relation;
        // In every pass, because rows behind a view need not be in the snapshot, such as rows of another server.
        let key = self.version.as_ref().map(|version| sum_key(&version.key));
        let copying = CopyRequest { columns: &self.columns, rows: most_rows, with_places, key: key.as_ref() };
        while let Some(part) = relation.parts().get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let copied =
                relation.copy(part, copying, &mut |copied| self.hand_over(part, &copied, take)).map_err(failed)?;
            let Some(contents) = copied else { return Ok(()) };
            let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
            *sum = sum.with(contents);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        let Some(KnownVersion { key, registered }) = self.version else { return Ok(()) };
        let sum = self.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.table.found.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, sum));
        let is_registered = registered.is_none_or(|registered| self.table.written(&key, sum) == registered);
        if is_registered { Ok(()) } else { Err(SourceError::Changed { table: self.name }) }
    }
}

impl Copies {
    fn hand_over(&self, part: &Part, copied: &CopiedRows, take: &mut dyn FnMut(&RemoteRows<'_>) -> bool) -> bool {
        let columns: Vec<ArrayRef> =
            self.places.iter().filter_map(|place| copied.columns.get(*place).cloned()).collect();
        take(&RemoteRows {
            rows: copied.rows,
            bytes: copied.bytes,
            file: part.file,
            columns: &columns,
            places: &copied.places,
        })
    }
}
