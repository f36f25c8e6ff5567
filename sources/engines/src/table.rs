//! Tables of engines as a source of rows that returns totals only.

use crate::engine::Engine;
use crate::error::EngineError;
use deniable_core::schema::{Column, Data, EngineKind, Format, RelationPath, TableSchema};
use deniable_core::text::shown;
use deniable_data::{
    EngineColumn, EngineConnection, EngineTable, KnownVersion, OpenTable, Rows, ScanInput, Source, SourceError,
    WantedColumn,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Opens the tables of a run: see [`deniable_data::Sources`].
#[must_use]
pub fn open() -> OpenTable {
    let mut engines = Engines::default();
    Box::new(move |table, data| Ok(Arc::new(locate(table, data, &mut engines)?)))
}

/// The engines of a run, with one connection each.
#[derive(Debug, Default)]
struct Engines(BTreeMap<(EngineKind, String), Arc<Mutex<Engine>>>);

impl Engines {
    fn at(&mut self, kind: EngineKind, connect: &str) -> Result<Arc<Mutex<Engine>>, SourceError> {
        let key = (kind, connect.to_owned());
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let engine = Arc::new(Mutex::new(Engine::named(kind, connect).map_err(failed)?));
        self.0.insert(key, engine.clone());
        Ok(engine)
    }
}

fn failed(error: EngineError) -> SourceError {
    SourceError::Remote { problem: error.problem, help: error.help }
}

/// The error for a relation that the engine does not know.
fn unknown(relation: &str, error: &EngineError) -> SourceError {
    SourceError::Remote {
        problem: format!("cannot read the columns of {}: {}", shown(relation), error.problem),
        help: "check `relation`, and that the connecting user may read it",
    }
}

fn lock(engine: &Mutex<Engine>) -> MutexGuard<'_, Engine> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the table of a policy.
///
/// # Errors
/// When the engine cannot be reached, or lacks the table or a declared column.
fn locate(table: &TableSchema, data: &Data, engines: &mut Engines) -> Result<HeldRows, SourceError> {
    let Format::Engine { kind, connect } = &data.format else {
        return Err(SourceError::Rows { table: table.name.clone() });
    };
    let path = RelationPath::parse(&data.path).ok_or_else(|| SourceError::Remote {
        problem: format!("`{}` does not name a table of an engine", shown(&data.path)),
        help: "write one to three names separated by points, as in `clinic.visits`; put unusual names in double quotes",
    })?;
    let engine = engines.at(*kind, connect)?;
    let relation = path.in_sql(*kind);
    let (columns, about, address) = {
        let mut engine = lock(&engine);
        let settings: Vec<String> = engine.settings().iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let about = format!("{} {}, {}", kind.title(), engine.version(), settings.join(", "));
        let columns = engine.columns(&relation).map_err(|error| unknown(&relation, &error))?;
        (columns, about, engine.address().to_owned())
    };
    table.columns.iter().try_for_each(|declared| expect(declared, &columns, &relation))?;
    let name = relation.clone();
    let ask = move |sql: &str, salt: &str| {
        lock(&engine).numbers(sql, salt).map_err(|error| {
            if error == EngineError::unexpected() {
                return SourceError::Lied { table: name.clone(), what: error.problem };
            }
            failed(error)
        })
    };
    let connection = EngineConnection { kind: *kind, about, address, ask: Box::new(ask) };
    Ok(HeldRows(EngineTable::new(connection, relation, columns)))
}

/// Checks that exactly one column has the declared name, and that its type has the same meaning in all systems.
fn expect(declared: &Column, columns: &[EngineColumn], relation: &str) -> Result<(), SourceError> {
    let mut named = columns.iter().filter(|column| column.name == declared.name);
    match (named.next(), named.next()) {
        (Some(EngineColumn { name, type_name, stored: None }), None) => Err(SourceError::Remote {
            problem: format!(
                "{}: column `{}` is kept as {}, of which not all values mean the same everywhere",
                shown(relation),
                shown(name),
                shown(type_name)
            ),
            help: "declare only columns that are asked about, and let a view keep this one as a whole number, a double, a text, a \
                   boolean or a date",
        }),
        (Some(_), None) => Ok(()),
        (Some(_), Some(_)) => Err(SourceError::TwoColumns { path: relation.into(), column: declared.name.clone() }),
        (None, _) => Err(SourceError::NoColumn {
            path: relation.into(),
            column: declared.name.clone(),
            found: columns.iter().map(|column| shown(&column.name)).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Rows that an engine stores and aggregates: none of them is read here.
#[derive(Debug)]
struct HeldRows(Arc<EngineTable>);

impl Rows for HeldRows {
    fn scan(
        &self,
        table: &TableSchema,
        _wanted: &[WantedColumn],
        _version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        Err(SourceError::in_engine(&table.name))
    }

    /// Not supported: the statement that adds up the rows computes their fingerprint, under a salt that is not known
    /// here.
    fn fingerprint(&self, source: &Source, _key: &[u8; 32]) -> Result<String, SourceError> {
        Err(SourceError::in_engine(&source.table().name))
    }

    fn marks(&self, key: &[u8; 32]) -> Option<String> {
        Some(self.0.marks(key))
    }

    fn engine(&self) -> Option<&Arc<EngineTable>> {
        Some(&self.0)
    }
}
