//! What stands for databases in a build that reads none: their tables are refused, so that there are none.

use crate::KnownVersion;
use crate::error::SourceError;
use crate::reading::ColumnReader;
use crate::scan::Wanted;
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use deniable_core::schema::TableSchema;
use std::path::PathBuf;
use std::sync::Arc;

/// The databases of a run: none.
#[derive(Debug, Default)]
pub struct Databases {}

fn not_built(table: &str) -> SourceError {
    SourceError::NotBuilt {
        table: table.to_owned(),
        place: "a PostgreSQL database",
        help: "build the command with `cargo install --path crates/apps/cli --features postgres`, or export the rows to Parquet",
    }
}

pub(crate) fn columns(relation: &str, _: &str) -> Result<Vec<(String, Option<DataType>)>, SourceError> {
    Err(not_built(relation))
}

/// There is none.
#[derive(Debug)]
pub(crate) enum Table {}

impl Table {
    pub(crate) fn locate(table: &TableSchema, _: &str, _: &str, _: &mut Databases) -> Result<Self, SourceError> {
        Err(not_built(&table.name))
    }

    pub(crate) fn names(&self) -> &[PathBuf] {
        match *self {}
    }

    pub(crate) fn stored_types(&self) -> Vec<DataType> {
        match *self {}
    }

    pub(crate) fn place(&self, _: usize, _: u64) -> Option<String> {
        match *self {}
    }

    pub(crate) fn marks(&self, _: &[u8; 32]) -> String {
        match *self {}
    }

    pub(crate) fn fingerprint(&self, _: &[u8; 32]) -> Option<String> {
        match *self {}
    }

    pub(crate) fn copies(
        self: &Arc<Self>,
        _: &TableSchema,
        _: &[Wanted],
        _: Option<KnownVersion>,
    ) -> Result<Copies, SourceError> {
        match **self {}
    }
}

/// Rows on their way: of nothing.
pub(crate) struct Pulled<'a> {
    pub(crate) rows: usize,
    pub(crate) bytes: u64,
    pub(crate) file: usize,
    pub(crate) columns: &'a [ArrayRef],
    pub(crate) places: &'a [u64],
}

/// There are none.
#[derive(Debug)]
pub(crate) enum Copies {}

impl Copies {
    pub(crate) fn readers(&self) -> &[ColumnReader] {
        match *self {}
    }

    pub(crate) fn pull(&self, _: bool, _: usize, _: &mut dyn FnMut(&Pulled<'_>) -> bool) -> Result<(), SourceError> {
        match *self {}
    }

    pub(crate) fn finish(self) -> Result<(), SourceError> {
        match self {}
    }
}
