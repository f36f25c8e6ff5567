//! The sources that a program is compiled with, and the connections of a run.

use crate::error::SourceError;
use crate::object::Object;
use crate::rows::Rows;
use arrow_schema::DataType;
use deniable_core::schema::{Data, TableSchema, without_credentials};
use std::sync::{Arc, OnceLock};

/// Opens tables of one kind of source: each database in one snapshot, and each engine over one connection.
pub type OpenTable = Box<dyn FnMut(&TableSchema, &Data) -> Result<Arc<dyn Rows>, SourceError> + Send>;

/// The names of a relation's columns, and the types in which they are sent; `None` for an unsupported type.
pub type StoredTypes = Vec<(String, Option<DataType>)>;

/// Finds the objects of a URL, sorted by key; below a folder, only those for whose keys the function returns true.
pub type FindObjects = fn(&str, &dyn Fn(&str) -> bool) -> Result<Vec<Arc<dyn Object>>, SourceError>;

/// Functions that open tables of PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct Databases {
    /// Starts a run.
    pub open: fn() -> OpenTable,
    /// The columns of a relation, given its name and `connect`, without reading rows.
    pub columns: fn(&str, &str) -> Result<StoredTypes, SourceError>,
}

/// The sources that a program is compiled with, besides files and rows in memory. Tables of other sources are refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sources {
    /// Tables and views of PostgreSQL.
    pub databases: Option<Databases>,
    /// Tables of engines: starts a run.
    pub engines: Option<fn() -> OpenTable>,
    /// Objects of S3, Azure and Google Cloud Storage.
    pub objects: Option<FindObjects>,
}

/// The installed sources. They are a property of the program, like its list of crates, and not a setting of a run.
static INSTALLED: OnceLock<Sources> = OnceLock::new();

impl Sources {
    /// Makes these the sources of all runs of the program that do not name their own. Only the first call has an
    /// effect.
    pub fn install(self) {
        let _ = INSTALLED.set(self);
    }

    /// The installed sources; by default none.
    #[must_use]
    pub fn installed() -> Self {
        INSTALLED.get().copied().unwrap_or_default()
    }

    /// The objects of a URL.
    pub(crate) fn find_objects(
        &self,
        url: &str,
        fits: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Arc<dyn Object>>, SourceError> {
        let help = "build the command with `cargo install --path crates/apps/cli --features objects`, or copy the files into a folder of this machine";
        let absent = || SourceError::Url { url: without_credentials(url).into_owned(), help };
        self.objects.ok_or_else(absent)?(url, fits)
    }

    /// The columns of a table or view of PostgreSQL.
    pub(crate) fn columns(&self, relation: &str, connect: &str) -> Result<StoredTypes, SourceError> {
        (self.databases.ok_or_else(|| no_databases(relation))?.columns)(relation, connect)
    }
}

fn no_databases(table: &str) -> SourceError {
    SourceError::NotBuilt {
        table: table.to_owned(),
        place: "a PostgreSQL database",
        help: "build the command with `cargo install --path crates/apps/cli --features postgres`, or export the rows to Parquet",
    }
}

fn no_engines(table: &str) -> SourceError {
    SourceError::NotBuilt {
        table: table.to_owned(),
        place: "an engine",
        help: "install the source of engines in this program, or export the rows from the engine as Parquet",
    }
}

/// The connections of a run: each database in one snapshot, and one connection to each engine.
pub struct Connections {
    sources: Sources,
    databases: Option<OpenTable>,
    engines: Option<OpenTable>,
}

impl Default for Connections {
    fn default() -> Self {
        Self::new(Sources::installed())
    }
}

impl Connections {
    /// Connections with these sources.
    #[must_use]
    pub fn new(sources: Sources) -> Self {
        Self { sources, databases: None, engines: None }
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Opens a table of a database.
    pub(crate) fn database(&mut self, table: &TableSchema, data: &Data) -> Result<Arc<dyn Rows>, SourceError> {
        let source = self.sources.databases.ok_or_else(|| no_databases(&table.name))?;
        self.databases.get_or_insert_with(source.open)(table, data)
    }

    /// Opens a table of an engine.
    pub(crate) fn engine(&mut self, table: &TableSchema, data: &Data) -> Result<Arc<dyn Rows>, SourceError> {
        let open = self.sources.engines.ok_or_else(|| no_engines(&table.name))?;
        self.engines.get_or_insert_with(open)(table, data)
    }
}
