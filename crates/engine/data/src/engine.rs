//! Tables that an engine holds: their rows stay there, and whoever computes asks it for totals.

use crate::error::SourceError;
use deniable_core::schema::{EngineKind, RelationPath, TableSchema};
use deniable_core::text::shown;
use deniable_engine::{Engine, EngineColumn, EngineError, Stored};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What marks of an engine's tables are made for.
const MARKS: &[u8] = b"deniable 2026-11 marks of a table of an engine\0";
/// What marks of the engine itself are made for.
const ENGINE: &[u8] = b"deniable 2026-11 marks of an engine\0";
/// What those of their rows are made for.
const ROWS: &[u8] = b"deniable 2026-11 rows of an engine\0";

/// The engines of a run: one conversation with each.
#[derive(Debug, Default)]
pub(crate) struct Engines(BTreeMap<(EngineKind, String), Arc<Mutex<Engine>>>);

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

/// An engine does not know a relation.
fn unknown(relation: &str, error: EngineError) -> SourceError {
    SourceError::Remote {
        problem: format!("{} cannot be looked at: {}", shown(relation), error.problem),
        help: "check `relation`, and that whoever connects may read it",
    }
}

/// A table that an engine holds.
#[derive(Debug)]
pub struct EngineTable {
    engine: Arc<Mutex<Engine>>,
    kind: EngineKind,
    relation: String,
    /// All columns, by name.
    columns: Vec<EngineColumn>,
    about: String,
}

impl EngineTable {
    /// # Errors
    /// When the engine cannot be reached, or lacks the table or a declared column.
    pub(crate) fn locate(
        table: &TableSchema,
        (kind, connect): (EngineKind, &str),
        relation: &str,
        engines: &mut Engines,
    ) -> Result<Self, SourceError> {
        let path = RelationPath::parse(relation).ok_or_else(|| SourceError::Remote {
            problem: format!("`{}` names nothing that an engine holds", shown(relation)),
            help: "write one to three names with points between them, as in `clinic.visits`; what is not plain is in double quotes",
        })?;
        let engine = engines.at(kind, connect)?;
        let relation = path.in_sql(kind);
        let (found, about) = {
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            let settings: Vec<String> =
                engine.settings().iter().map(|(key, value)| format!("{key} = {value}")).collect();
            let about = format!("{} {}, {}", kind.title(), engine.version(), settings.join(", "));
            (engine.columns(&relation).map_err(|error| unknown(&relation, error))?, about)
        };
        let column = |declared: &deniable_core::schema::Column| {
            let mut named = found.iter().filter(|column| column.name == declared.name);
            match (named.next(), named.next()) {
                (Some(EngineColumn { name, type_name, stored: None }), None) => Err(SourceError::Remote {
                    problem: format!(
                        "{}: column `{}` is kept as {}, of which not all values mean the same everywhere",
                        shown(&relation),
                        shown(name),
                        shown(type_name)
                    ),
                    help: "declare only columns that are asked about, and let a view keep this one as a whole number, a double, a text, a \
                           boolean or a date",
                }),
                (Some(_), None) => Ok(()),
                (Some(_), Some(_)) => {
                    Err(SourceError::TwoColumns { path: relation.clone().into(), column: declared.name.clone() })
                }
                (None, _) => Err(SourceError::NoColumn {
                    path: relation.clone().into(),
                    column: declared.name.clone(),
                    found: found.iter().map(|column| shown(&column.name)).collect::<Vec<_>>().join(", "),
                }),
            }
        };
        for declared in &table.columns {
            column(declared)?;
        }
        let mut columns = found;
        columns.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self { engine, kind, relation, columns, about })
    }

    /// Which engine it is.
    #[must_use]
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// Its version and settings, in a line.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The table, as the engine takes it.
    #[must_use]
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// How the engine keeps each column, of those that it keeps in a type of which all values mean the same everywhere.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<String, Stored> {
        self.columns.iter().filter_map(|column| Some((column.name.clone(), column.stored?))).collect()
    }

    /// Runs a statement that has a place for a text: rows of whole numbers.
    ///
    /// # Errors
    /// When the engine fails, or answers something else.
    pub fn numbers(&self, sql: &str, salt: &str) -> Result<Vec<Vec<i128>>, SourceError> {
        self.lock().numbers(sql, salt).map_err(|error| {
            if error == EngineError::unexpected() {
                return SourceError::Lied { table: self.relation.clone(), what: error.problem };
            }
            failed(error)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A keyed hash of the engine: its address, version and settings. What was tried on one says nothing of another.
    #[must_use]
    pub fn engine_mark(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(ENGINE);
        for part in [self.lock().address(), &self.about] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// A keyed hash of what is known of it without reading rows.
    pub(crate) fn marks(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(MARKS);
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        part(self.kind.name());
        part(&self.relation);
        for column in &self.columns {
            part(&column.name);
            part(&column.type_name);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The fingerprint of a table whose rows are these: how many, and sums of hashes of them.
    #[must_use]
    pub fn fingerprint(&self, key: &[u8; 32], rows: i128, sums: &[i128]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(ROWS);
        for number in std::iter::once(&rows).chain(sums) {
            hasher.update(&number.to_le_bytes());
        }
        format!("{}.{}", self.marks(key), hasher.finalize().to_hex())
    }
}
