//! All rows with their places, for the curator.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use super::{Opened, Scan};
use crate::error::SourceError;
use crate::parquet::Place;
use crate::reading::ColumnReader;
use crate::text::Records;
use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use deniable_expression::{Column, LONGEST_TEXT};
use std::path::{Path, PathBuf};

/// What [`Scan::in_order`] comes across.
#[derive(Debug)]
pub enum Seen<'a> {
    /// A record that is no row: it has more or fewer fields than there are columns, or is no text.
    Broken {
        /// The file.
        path: &'a Path,
        /// The line on which it begins, counted from 1.
        line: u64,
        /// What is wrong with it, without a value.
        what: String,
    },
    /// Rows.
    Rows {
        /// The file; `memory` for rows in memory.
        path: &'a Path,
        /// The line of each (CSV), or its number in the file (Parquet) or in memory; counted from 1.
        lines: &'a [u64],
        /// The wanted columns, in their order.
        columns: &'a [Looked],
    },
}

/// A column, and where its values should be.
#[derive(Debug, Clone)]
pub struct Looked {
    /// Whether something that should be a value stands there. Where it does and the value is NULL, it cannot be read.
    pub present: BooleanArray,
    /// The values.
    pub values: Column,
}

impl Place {
    fn look(&self, rows: usize, stored: &[ArrayRef]) -> Option<Looked> {
        Some(match self {
            Self::Folder { value, is_present } => {
                let present = if *is_present { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
                let values = Column::repeat(value.kind(), value.value(0).as_ref(), rows);
                Looked { present: BooleanArray::new(present, None), values }
            }
            Self::File { position, reader, .. } => look(reader, stored.get(*position)?),
        })
    }
}

fn look(reader: &ColumnReader, stored: &ArrayRef) -> Looked {
    Looked { present: reader.present(stored), values: reader.read(stored) }
}

impl Scan {
    /// Looks at all rows in the order of the files, on this thread, with their places: for the curator. `see` is given typed
    /// columns, whatever the form that was wanted.
    ///
    /// # Errors
    /// When a file cannot be read to its end, or `see` says so.
    pub fn in_order(self, see: &mut dyn FnMut(Seen<'_>) -> Result<(), SourceError>) -> Result<(), SourceError> {
        match self.rows {
            Opened::Memory(slices) => {
                let mut before = 0_u64;
                for slice in slices {
                    let rows = slice.rows.num_rows();
                    let lines = lines(&mut before, rows);
                    self.meter.add_rows(rows);
                    let columns = slice.readers.iter().zip(slice.rows.columns());
                    let columns: Vec<Looked> = columns.map(|(reader, stored)| look(reader, stored)).collect();
                    see(Seen::Rows { path: Path::new("memory"), lines: &lines, columns: &columns })?;
                }
            }
            Opened::Text { files, layout, readers } => {
                for path in &files {
                    let mut records = Records::open(path, layout.clone(), LONGEST_TEXT, self.meter.clone())?;
                    loop {
                        let mut keep = |line: u64, record: &csv::ByteRecord| {
                            let Some(what) = layout.broken(record) else { return Ok(true) };
                            see(Seen::Broken { path, line, what }).map(|()| false)
                        };
                        let Some(chunk) = records.next(&mut keep)? else { break };
                        let columns = readers.iter().zip(&chunk.texts);
                        let columns: Vec<Looked> = columns.map(|(reader, stored)| look(reader, stored)).collect();
                        see(Seen::Rows { path, lines: &chunk.lines, columns: &columns })?;
                    }
                }
            }
            Opened::Parquet(units) => {
                let mut before = (PathBuf::new(), 0_u64);
                for unit in &units {
                    let path = unit.path();
                    let damaged = || {
                        let reason = "its rows cannot be read to the end".to_owned();
                        SourceError::Unreadable { path: path.to_owned(), reason }
                    };
                    if before.0 != path {
                        before = (path.to_owned(), 0);
                    }
                    let mut reader = unit.open(&self.declared, &self.meter).ok_or_else(damaged)?;
                    while let Some((rows, stored)) = reader.next().ok_or_else(damaged)? {
                        let lines = lines(&mut before.1, rows);
                        let columns = unit.places().iter().map(|place| place.look(rows, &stored));
                        let columns: Vec<Looked> = columns.collect::<Option<_>>().ok_or_else(damaged)?;
                        see(Seen::Rows { path, lines: &lines, columns: &columns })?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The numbers of the next rows.
fn lines(before: &mut u64, rows: usize) -> Vec<u64> {
    let first = before.saturating_add(1);
    *before = before.saturating_add(rows as u64);
    (first..=*before).collect()
}
