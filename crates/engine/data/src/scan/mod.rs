//! Rows as columns of the six types, on several threads.
//!
//! Every check that needs no rows is made before a row is read. Later, a scan fails only if a file or database cannot
//! be read completely, with an error that does not depend on rows; or if the rows of a database are not the registered
//! ones, which is known only at the end.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

mod look;
mod piece;
mod threads;

pub use look::{CheckedColumn, CheckedRows};

use crate::Source;
use crate::error::SourceError;
use crate::files::DataFile;
use crate::meter::Meter;
use crate::parquet::{self, Unit};
use crate::reading::ColumnReader;
use crate::rows::RemoteScan;
use crate::text::Layout;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use deniable_core::schema::Column as DeclaredColumn;
use deniable_expression::Column;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of rows of a batch.
pub const BATCH_ROWS: usize = 8_192;

/// A column that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedColumn {
    /// Its position among the declared ones.
    pub column: usize,
    /// The form of its values.
    pub form: Form,
}

/// The form of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As values of one of the six types.
    Typed,
    /// Texts in their stored form, for users that only compare and display them: see [`ColumnReader::stored`]. Other
    /// columns as [`Form::Typed`].
    Stored,
}

impl WantedColumn {
    /// A column whose values are typed.
    #[must_use]
    pub fn typed(column: usize) -> Self {
        Self { column, form: Form::Typed }
    }

    /// A column whose values are only compared and displayed.
    #[must_use]
    pub fn stored(column: usize) -> Self {
        Self { column, form: Form::Stored }
    }
}

/// A batch of at most [`BATCH_ROWS`] rows.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The number of rows. There may be no columns.
    pub rows: usize,
    /// The wanted columns, in the requested order.
    pub columns: Vec<ReadColumn>,
}

/// The values of a column.
#[derive(Debug, Clone)]
pub enum ReadColumn {
    /// As values.
    Typed(Column),
    /// Texts, as `Utf8View` or as a dictionary of any text type. The form may differ between batches.
    Stored(ArrayRef),
}

impl ReadColumn {
    /// The values, if they are typed.
    #[must_use]
    pub fn typed(&self) -> Option<&Column> {
        match self {
            Self::Typed(column) => Some(column),
            Self::Stored(_) => None,
        }
    }

    /// The values as an array.
    #[must_use]
    pub fn to_array(&self) -> ArrayRef {
        match self {
            Self::Typed(column) => column.to_array(),
            Self::Stored(array) => array.clone(),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Typed(column) => column.len(),
            Self::Stored(array) => array.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The reason why a scan ended early.
#[derive(Debug)]
pub enum ScanError<E, S = SourceError> {
    /// The rows could not be read completely.
    Source(S),
    /// The consumer of the rows returned an error.
    Work(E),
}

/// A prepared scan. Its files contain the wanted columns in readable types.
#[derive(Debug)]
pub struct Scan {
    table: String,
    declared: Vec<DeclaredColumn>,
    wanted: Vec<WantedColumn>,
    meter: Arc<Meter>,
    rows: ScanInput,
}

/// The input of a prepared scan.
#[derive(Debug)]
pub struct ScanInput(Kind);

#[derive(Debug)]
enum Kind {
    Memory(Vec<Slice>),
    Text { files: Vec<DataFile>, layout: Arc<Layout>, readers: Vec<ColumnReader> },
    Parquet(Vec<Unit>),
    Remote(Box<dyn RemoteScan>),
}

impl ScanInput {
    /// Rows sent by another program.
    #[must_use]
    pub fn remote(scan: Box<dyn RemoteScan>) -> Self {
        Self(Kind::Remote(scan))
    }

    pub(crate) fn memory(slices: Vec<Slice>) -> Self {
        Self(Kind::Memory(slices))
    }

    pub(crate) fn text(files: Vec<DataFile>, layout: Arc<Layout>, readers: Vec<ColumnReader>) -> Self {
        Self(Kind::Text { files, layout, readers })
    }

    pub(crate) fn parquet(units: Vec<Unit>) -> Self {
        Self(Kind::Parquet(units))
    }
}

/// A range of rows in memory, with the wanted columns only.
#[derive(Debug)]
pub(crate) struct Slice {
    /// Number of rows before it.
    before: u64,
    rows: RecordBatch,
    readers: Arc<[ColumnReader]>,
}

impl Source {
    /// Opens the files for these columns. `meter` counts rows and bytes while they are read.
    ///
    /// # Errors
    /// When files are missing, unreadable or empty, or a declared column is missing or has an unsuitable type.
    pub fn scan(&self, wanted: &[WantedColumn], meter: &Arc<Meter>) -> Result<Scan, SourceError> {
        let declared = &self.table().columns;
        let table = self.table().name.clone();
        if wanted.iter().any(|wanted| wanted.column >= declared.len()) {
            return Err(SourceError::Rows { table });
        }
        let rows = self.rows.scan(self.table(), wanted, self.version.as_ref())?;
        Ok(Scan { table, declared: declared.clone(), wanted: wanted.to_vec(), meter: meter.clone(), rows })
    }
}

pub(crate) fn slices(
    batches: &[RecordBatch],
    declared: &[DeclaredColumn],
    wanted: &[WantedColumn],
) -> Result<Vec<Slice>, SourceError> {
    let path = Path::new("memory");
    let mut slices = Vec::new();
    let mut before = 0_u64;
    for batch in batches {
        let schema = batch.schema_ref();
        let mut all = Vec::new();
        for column in declared {
            let position = parquet::find(schema, column, path)?;
            let stored = schema.fields().get(position).map_or(&DataType::Null, |field| field.data_type());
            all.push((position, ColumnReader::from_stored(column, stored, path)?));
        }
        let (positions, readers): (Vec<usize>, Vec<ColumnReader>) =
            wanted.iter().filter_map(|wanted| all.get(wanted.column).cloned()).unzip();
        let readers: Arc<[ColumnReader]> = readers.into();
        let whole = batch.project(&positions).map_err(|_| SourceError::Rows { table: path.display().to_string() })?;
        let mut begin = 0_usize;
        while begin < whole.num_rows() {
            let rows = whole.num_rows().saturating_sub(begin).min(BATCH_ROWS);
            slices.push(Slice { before, rows: whole.slice(begin, rows), readers: readers.clone() });
            before = before.saturating_add(rows as u64);
            begin = begin.saturating_add(rows);
        }
    }
    Ok(slices)
}
