//! Tables that an engine holds: their rows stay there, and computations ask it for totals.

use crate::error::SourceError;
use deniable_core::schema::EngineKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What marks of an engine's tables are made for.
const MARKS: &[u8] = b"deniable 2026-11 marks of a table of an engine\0";
/// What marks of the engine itself are made for.
const ENGINE: &[u8] = b"deniable 2026-11 marks of an engine\0";
/// What those of their rows are made for.
const ROWS: &[u8] = b"deniable 2026-11 rows of an engine\0";

/// How an engine keeps the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageType {
    /// True and false.
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

/// A column as an engine has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineColumn {
    /// Its name, letter by letter.
    pub name: String,
    /// Its type, in the engine's words.
    pub type_name: String,
    /// What that is, where all of its values mean the same everywhere.
    pub stored: Option<StorageType>,
}

/// Runs a statement that has a place for a text, the salt: rows of whole numbers.
pub type AskEngine = Box<dyn Fn(&str, &str) -> Result<Vec<Vec<i128>>, SourceError> + Send + Sync>;

/// An engine that holds a table.
pub struct EngineConnection {
    /// Which engine it is.
    pub kind: EngineKind,
    /// Its version and settings, in a line.
    pub about: String,
    /// Where it is. It may contain a token, and is not shown.
    pub address: String,
    /// Asks it.
    pub ask: AskEngine,
}

/// Shows neither the address nor anything that holds it.
impl std::fmt::Debug for EngineConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineConnection").field("kind", &self.kind).field("about", &self.about).finish_non_exhaustive()
    }
}

/// A table that an engine holds.
#[derive(Debug)]
pub struct EngineTable {
    engine: EngineConnection,
    relation: String,
    columns: Vec<EngineColumn>,
}

impl EngineTable {
    /// A table, as its engine takes its name, with all of its columns in any order.
    #[must_use]
    pub fn new(engine: EngineConnection, relation: String, mut columns: Vec<EngineColumn>) -> Arc<Self> {
        columns.sort_by(|one, other| one.name.cmp(&other.name));
        Arc::new(Self { engine, relation, columns })
    }

    /// Which engine it is.
    #[must_use]
    pub fn kind(&self) -> EngineKind {
        self.engine.kind
    }

    /// Its version and settings, in a line.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.engine.about
    }

    /// The table, as the engine takes it.
    #[must_use]
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// How the engine keeps each column, of those that it keeps in a type of which all values mean the same everywhere.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<String, StorageType> {
        self.columns.iter().filter_map(|column| Some((column.name.clone(), column.stored?))).collect()
    }

    /// Runs a statement that has a place for a text: rows of whole numbers.
    ///
    /// # Errors
    /// When the engine fails, or answers something else.
    pub fn numbers(&self, sql: &str, salt: &str) -> Result<Vec<Vec<i128>>, SourceError> {
        (self.engine.ask)(sql, salt)
    }

    /// A keyed hash of the engine: its address, version and settings. What was tried on one says nothing of another.
    #[must_use]
    pub fn engine_mark(&self, key: &[u8; 32]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(ENGINE);
        for part in [&self.engine.address, &self.engine.about] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// A keyed hash of what is known of it without reading rows.
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
