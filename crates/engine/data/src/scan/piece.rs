//! Rows in their stored form, between the source and the consumer.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use super::{CheckedColumn, Form, ReadColumn, WantedColumn};
use crate::parquet::Place;
use crate::reading::ColumnReader;
use crate::text::{Fields, Remarks};
use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use deniable_expression::{Column, Type};

/// A batch of rows in stored form.
pub(super) struct Piece<'a> {
    pub(super) rows: usize,
    /// The file, by its index in the table.
    pub(super) file: usize,
    pub(super) lines: Lines<'a>,
    pub(super) remarks: Remarks<'a>,
    pub(super) stored: StoredColumns<'a>,
}

/// The places of rows.
#[derive(Clone, Copy)]
pub(super) enum Lines<'a> {
    /// Consecutive rows; the number is that of rows before the first.
    After(u64),
    /// The line of each row, counted from 1.
    On(&'a [u64]),
}

/// The wanted columns, as arrays or as fields of text.
pub(super) enum StoredColumns<'a> {
    Arrays(&'a [ColumnReader], &'a [ArrayRef]),
    Fields(&'a [ColumnReader], Vec<Fields<'a>>),
    /// The columns read from a file, and the position of each wanted column in it.
    Places(&'a [Place], &'a [ArrayRef]),
}

impl Piece<'_> {
    /// The values of the wanted columns; `None` if one of them is missing.
    pub(super) fn read(&self, wanted: &[WantedColumn]) -> Option<Vec<ReadColumn>> {
        match &self.stored {
            StoredColumns::Arrays(readers, arrays) => {
                let all = readers.iter().zip(*arrays).zip(wanted);
                Some(all.map(|((reader, stored), wanted)| read(reader, wanted.form, stored)).collect())
            }
            StoredColumns::Fields(readers, fields) => {
                let all = readers.iter().zip(fields).zip(wanted);
                let read = |((reader, fields), wanted): ((&ColumnReader, &Fields<'_>), &WantedColumn)| {
                    let values = reader.read_fields(*fields);
                    let is_kept = wanted.form == Form::Stored && reader.kind() == Type::Text;
                    if is_kept { ReadColumn::Stored(values.to_array()) } else { ReadColumn::Typed(values) }
                };
                Some(all.map(read).collect())
            }
            StoredColumns::Places(places, arrays) => places.iter().map(|place| place.read(self.rows, arrays)).collect(),
        }
    }

    /// The values of the columns with their presence; `None` if one of them is missing.
    pub(super) fn look(&self) -> Option<Vec<CheckedColumn>> {
        match &self.stored {
            StoredColumns::Arrays(readers, arrays) => {
                Some(readers.iter().zip(*arrays).map(|(reader, stored)| look(reader, stored)).collect())
            }
            StoredColumns::Fields(readers, fields) => {
                let look = |(reader, fields): (&ColumnReader, &Fields<'_>)| {
                    let values = reader.read_fields(*fields);
                    let present = reader.present_fields(*fields, &values);
                    CheckedColumn { unread: reader.unread(*fields, &present, &values), present, values }
                };
                Some(readers.iter().zip(fields).map(look).collect())
            }
            StoredColumns::Places(places, arrays) => places.iter().map(|place| place.look(self.rows, arrays)).collect(),
        }
    }
}

fn read(reader: &ColumnReader, form: Form, stored: &ArrayRef) -> ReadColumn {
    match form {
        Form::Stored if reader.kind() == Type::Text => ReadColumn::Stored(reader.stored(stored)),
        Form::Stored | Form::Typed => ReadColumn::Typed(reader.read(stored)),
    }
}

fn look(reader: &ColumnReader, stored: &ArrayRef) -> CheckedColumn {
    CheckedColumn { present: reader.present(stored), values: reader.read(stored), unread: Vec::new() }
}

impl Place {
    /// The values of some rows, given the columns read from the file.
    fn read(&self, rows: usize, stored: &[ArrayRef]) -> Option<ReadColumn> {
        Some(match self {
            Self::Folder { value, .. } => {
                ReadColumn::Typed(Column::repeat(value.kind(), value.value(0).as_ref(), rows))
            }
            Self::File { position, reader, form } => read(reader, *form, stored.get(*position)?),
        })
    }

    fn look(&self, rows: usize, stored: &[ArrayRef]) -> Option<CheckedColumn> {
        Some(match self {
            Self::Folder { value, is_present } => {
                let present = if *is_present { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
                let values = Column::repeat(value.kind(), value.value(0).as_ref(), rows);
                CheckedColumn { present: BooleanArray::new(present, None), values, unread: Vec::new() }
            }
            Self::File { position, reader, .. } => look(reader, stored.get(*position)?),
        })
    }
}
