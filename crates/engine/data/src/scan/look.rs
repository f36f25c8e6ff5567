//! A scan of all rows with their places, for the curator's check.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use super::piece::Lines;
use super::{Scan, ScanError};
use crate::error::SourceError;
use crate::text::{Remarks, UnevenRecords};
use arrow_array::BooleanArray;
use deniable_expression::Column;

/// A column, and which of its rows have a text or value in the source.
#[derive(Debug, Clone)]
pub struct CheckedColumn {
    /// Whether each row contains a value, readable or not. A present value that is read as NULL is unreadable.
    pub present: BooleanArray,
    /// The values.
    pub values: Column,
    /// The texts that are not read as values, shortened.
    pub unread: Vec<String>,
}

/// A run of rows with their places in the source.
pub struct CheckedRows<'a> {
    /// The number of rows. There may be no columns.
    pub rows: usize,
    /// The file, by its index in the table; 0 for rows in memory.
    pub file: usize,
    lines: Lines<'a>,
    /// Broken records and quirks of delimited text.
    pub(crate) remarks: Remarks<'a>,
    /// The wanted columns, in their order.
    pub columns: Vec<CheckedColumn>,
}

impl CheckedRows<'_> {
    /// The line of a row (CSV), or its number in the file (Parquet) or in memory; counted from 1.
    #[must_use]
    pub fn line(&self, row: usize) -> u64 {
        match self.lines {
            Lines::On(lines) => lines.get(row).copied().unwrap_or_default(),
            Lines::After(before) => before.saturating_add(row as u64).saturating_add(1),
        }
    }
}

impl Scan {
    /// Reads all rows with their places on this number of threads, for the curator. Each thread creates a state with
    /// `start`, updates it in `see`, and returns it. Columns are typed, whatever form was requested. With one thread,
    /// rows are in the order of the files.
    ///
    /// # Errors
    /// When a file cannot be read completely, or `see` returns an error.
    pub fn look<W: Send>(
        self,
        threads: usize,
        start: impl Fn() -> W + Sync,
        see: impl Fn(&mut W, &CheckedRows<'_>) -> Result<(), SourceError> + Sync,
    ) -> Result<Vec<W>, SourceError> {
        let table = self.table.clone();
        let done = self.pieces(threads, UnevenRecords::Told, start, |made, piece| {
            let columns = piece.look()?;
            let (rows, file, lines, remarks) = (piece.rows, piece.file, piece.lines, piece.remarks);
            Some(see(made, &CheckedRows { rows, file, lines, remarks, columns }))
        });
        done.map_err(|error| match error {
            ScanError::Source(error) => error.unwrap_or(SourceError::Rows { table }),
            ScanError::Work(error) => error,
        })
    }
}
