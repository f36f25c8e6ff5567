//! Tables held by an engine: computations query it for totals, and read no rows.

use crate::error::SourceError;
use deniable_core::schema::EngineKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Domain of the keyed hashes of an engine's tables.
const MARKS: &[u8] = b"deniable 2026-11 marks of a table of an engine\0";
/// Domain of the keyed hashes of engines.
const ENGINE: &[u8] = b"deniable 2026-11 marks of an engine\0";
/// Domain of the keyed hashes of rows.
const ROWS: &[u8] = b"deniable 2026-11 rows of an engine\0";

/// The type in which an engine stores the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageType {
    /// Booleans.
    Boolean,
    /// Whole numbers of at most 64 bits.
    Whole,
    /// Binary floating-point numbers of at most 64 bits.
    Double,
    /// Texts.
    Text,
    /// Days.
    Date,
}

/// A column as its engine declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineColumn {
    /// Its name, with exact case.
    pub name: String,
    /// Its type, as the engine names it.
    pub type_name: String,
    /// The storage type, if its values have the same meaning in all systems.
    pub stored: Option<StorageType>,
}

/// Runs a statement with a parameter for the salt, a text. It returns rows of whole numbers.
pub type AskEngine = Box<dyn Fn(&str, &str) -> Result<Vec<Vec<i128>>, SourceError> + Send + Sync>;

/// A connection to an engine.
pub struct EngineConnection {
    /// The kind of the engine.
    pub kind: EngineKind,
    /// Its version and settings, in one line.
    pub about: String,
    /// Its address, which may contain a token and is not shown.
    pub address: String,
    /// Runs a statement.
    pub ask: AskEngine,
}

/// Omits the address and the connection.
impl std::fmt::Debug for EngineConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineConnection").field("kind", &self.kind).field("about", &self.about).finish_non_exhaustive()
    }
}

/// A table held by an engine.
#[derive(Debug)]
pub struct EngineTable {
    engine: EngineConnection,
    relation: String,
    columns: Vec<EngineColumn>,
}

impl EngineTable {
    /// A table with its name in the engine's syntax, and all of its columns in any order.
    #[must_use]
    pub fn new(engine: EngineConnection, relation: String, mut columns: Vec<EngineColumn>) -> Arc<Self> {
        columns.sort_by(|one, other| one.name.cmp(&other.name));
        Arc::new(Self { engine, relation, columns })
    }

    /// The kind of the engine.
    #[must_use]
    pub fn kind(&self) -> EngineKind {
        self.engine.kind
    }

    /// The engine's version and settings, in one line.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.engine.about
    }

    /// The name of the table in the engine's syntax.
    #[must_use]
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// The storage types of the columns whose values have the same meaning in all systems.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<String, StorageType> {
        self.columns.iter().filter_map(|column| Some((column.name.clone(), column.stored?))).collect()
    }

    /// Runs a statement with a parameter for a text. It returns rows of whole numbers.
    ///
    /// # Errors
    /// When the engine fails, or its reply is invalid.
    pub fn numbers(&self, sql: &str, salt: &str) -> Result<Vec<Vec<i128>>, SourceError> {
        (self.engine.ask)(sql, salt)
    }

    /// A keyed hash of the engine's address, version and settings. A trial passed on one engine does not apply to
    /// another.
    #[must_use]
    pub fn engine_mark(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(ENGINE);
        for part in [&self.engine.address, &self.engine.about] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// A keyed hash of the engine and the table's declaration, without reading rows.
    #[must_use]
    pub fn marks(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(MARKS);
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        part(self.engine.kind.name());
        part(&self.relation);
        for column in &self.columns {
            part(&column.name);
            part(&column.type_name);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The fingerprint of the table, from the number of its rows and sums of their hashes.
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
