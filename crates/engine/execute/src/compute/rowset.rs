//! Rows of any columns, encoded as bytes and scattered over shards by their entity: in memory as far as allowed and in
//! temporary files beyond.
//!
//! ```text
//! record   entity (16 bytes), length of the rest (4 bytes), then for each column
//!          0, or 1 and the value: 1, 4 or 8 bytes, or a text after its length (4 bytes)
//! ```

use crate::bound::{ComputeError, Disk, Identities, Identity};
use arrow_array::{Array, ArrayRef};
use deniable_data::Reservation;
use deniable_expression::{Column, Day, Decimal, Moment, Type, Value};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of bits of the entity's hash that choose its shard, and by which a large shard is split.
pub(super) const SHARD_BITS: u32 = 8;
pub(super) const SPLIT_BITS: u32 = 4;
/// Number of bytes before the values of a record.
pub(super) const HEAD: usize = 20;
/// Number of bytes that are read from a file at once.
const READ_AT_ONCE: usize = 1 << 20;

/// The most bytes of a value of a type in a record.
pub(super) fn most_bytes(kind: Type) -> usize {
    match kind {
        Type::Boolean => 2,
        Type::Date => 5,
        Type::Integer | Type::Decimal | Type::Timestamp => 9,
        Type::Text => 5 + deniable_expression::LONGEST_TEXT,
    }
}

/// Appends the record of a row to `bytes`.
fn write(identity: Identity, columns: &[Column], row: usize, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend(identity.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend([0; 4]);
    for column in columns {
        match column.value(row) {
            None => bytes.push(0),
            Some(value) => {
                bytes.push(1);
                match value {
                    Value::Boolean(truth) => bytes.push(u8::from(truth)),
                    Value::Integer(number) => bytes.extend(number.to_le_bytes()),
                    Value::Decimal(number) => bytes.extend(number.get().to_bits().to_le_bytes()),
                    Value::Date(day) => bytes.extend(day.get().to_le_bytes()),
                    Value::Timestamp(moment) => bytes.extend(moment.get().to_le_bytes()),
                    Value::Text(text) => {
                        // Texts are at most 64 KB long.
                        bytes.extend((text.len() as u32).to_le_bytes());
                        bytes.extend(text.as_bytes());
                    }
                }
            }
        }
    }
    let length = (bytes.len() - start - HEAD) as u32;
    bytes[start + 16..start + HEAD].copy_from_slice(&length.to_le_bytes());
}

/// Scatters rows by their entities; rows without an entity are left out.
pub(super) fn scatter(
    entity: &ArrayRef,
    columns: &[Column],
    identities: &Identities,
    scatter: &mut Scatter,
    bytes: &mut Vec<u8>,
) -> Result<(), ComputeError> {
    let mut owners: Vec<Identity> = Vec::new();
    if !identities.of_column(entity, &mut owners) {
        return Ok(());
    }
    let nulls = entity.logical_nulls();
    for (row, owner) in owners.into_iter().enumerate() {
        if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            bytes.clear();
            write(owner, columns, row, bytes);
            scatter.push(bytes)?;
        }
    }
    Ok(())
}

/// Combines the shards of all threads, in order.
pub(super) fn together(scatters: impl Iterator<Item = Scatter>) -> Vec<Shard> {
    let mut all: Vec<Shard> = (0..1 << SHARD_BITS).map(|_| Shard::default()).collect();
    for scatter in scatters {
        all.iter_mut().zip(scatter.finish()).for_each(|(all, shard)| all.join(shard));
    }
    all
}

/// The values of records, column by column.
pub(super) fn columns<'r>(records: impl Iterator<Item = &'r [u8]> + Clone, kinds: &[Type]) -> Vec<Column> {
    let mut values: Vec<Vec<Option<Value>>> = kinds.iter().map(|_| Vec::new()).collect();
    for record in records {
        let mut rest = record.get(HEAD..).unwrap_or_default();
        for (kind, values) in kinds.iter().zip(&mut values) {
            values.push(value(*kind, &mut rest));
        }
    }
    kinds.iter().zip(values).map(|(kind, values)| Column::from_values(*kind, values.into_iter())).collect()
}

/// The values of a record.
pub(super) fn values(record: &[u8], kinds: &[Type], values: &mut Vec<Option<Value>>) {
    let mut rest = record.get(HEAD..).unwrap_or_default();
    values.clear();
    values.extend(kinds.iter().map(|kind| value(*kind, &mut rest)));
}

fn value(kind: Type, rest: &mut &[u8]) -> Option<Value> {
    if *rest.split_off_first()? == 0 {
        return None;
    }
    match kind {
        Type::Boolean => rest.split_off_first().map(|truth| Value::Boolean(*truth != 0)),
        Type::Integer => Some(Value::Integer(i64::from_le_bytes(fixed(rest)?))),
        Type::Decimal => Decimal::new(f64::from_bits(u64::from_le_bytes(fixed(rest)?))).map(Value::Decimal),
        Type::Date => Day::new(i32::from_le_bytes(fixed(rest)?).into()).map(Value::Date),
        Type::Timestamp => Moment::new(i64::from_le_bytes(fixed(rest)?)).map(Value::Timestamp),
        Type::Text => {
            let length = u32::from_le_bytes(fixed(rest)?) as usize;
            let text = std::str::from_utf8(rest.split_off(..length)?).ok()?;
            Value::text(text)
        }
    }
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    rest.split_off(..N)?.first_chunk().copied()
}

/// The entity of a record.
pub(super) fn identity(record: &[u8]) -> Identity {
    let word = |at: usize| record.get(at..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u64::from_le_bytes);
    [word(0), word(8)]
}

/// The length of the first record, if its head is complete.
fn length(bytes: &[u8]) -> Option<usize> {
    let length: [u8; 4] = *bytes.get(16..)?.first_chunk()?;
    Some(HEAD + u32::from_le_bytes(length) as usize)
}

/// Collects records of one thread in shards.
pub(super) struct Scatter {
    /// The number of identity bits that were used before, and the number used here.
    used: u32,
    bits: u32,
    shards: Vec<Shard>,
    held: usize,
    allowance: usize,
    reservation: Reservation,
    disk: Arc<Disk>,
    file: Option<(Arc<Mutex<File>>, u64)>,
}

/// The records of some entities.
#[derive(Default)]
pub(super) struct Shard {
    chunks: Vec<Vec<u8>>,
    parts: Vec<(Arc<Mutex<File>>, u64, usize)>,
    /// The memory of the chunks, once the shard is complete.
    reservations: Vec<Reservation>,
}

impl Scatter {
    /// Shards by the `bits` bits of an entity's first word after the first `used`.
    pub(super) fn new((used, bits): (u32, u32), allowance: usize, reservation: Reservation, disk: Arc<Disk>) -> Self {
        let shards = (0..1_usize << bits).map(|_| Shard { chunks: vec![Vec::new()], ..Shard::default() }).collect();
        Self { used, bits, shards, held: 0, allowance, reservation, disk, file: None }
    }

    pub(super) fn push(&mut self, record: &[u8]) -> Result<(), ComputeError> {
        // Vectors double their size, so twice the record is reserved.
        let wanted = record.len() * 2;
        if self.held > 0 && self.held.saturating_add(wanted) > self.allowance || !self.reservation.try_grow(wanted) {
            self.spill()?;
            if !self.reservation.try_grow(wanted) {
                return Err(ComputeError::Memory);
            }
        }
        self.held += wanted;
        let at = (identity(record)[0] << self.used >> (64 - self.bits)) as usize;
        if let Some(chunk) = self.shards[at].chunks.last_mut() {
            chunk.extend(record);
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), ComputeError> {
        self.write_out().map_err(ComputeError::Disk)
    }

    fn write_out(&mut self) -> std::io::Result<()> {
        let (file, end) = match &mut self.file {
            Some(known) => known,
            None => {
                let file = self.disk.file()?;
                self.file.insert((Arc::new(Mutex::new(file)), 0))
            }
        };
        let mut open = file.lock().unwrap_or_else(PoisonError::into_inner);
        open.seek(SeekFrom::Start(*end))?;
        for shard in &mut self.shards {
            for chunk in &mut shard.chunks {
                if !chunk.is_empty() {
                    open.write_all(chunk)?;
                    shard.parts.push((file.clone(), *end, chunk.len()));
                    *end += chunk.len() as u64;
                    *chunk = Vec::new();
                }
            }
        }
        self.held = 0;
        self.reservation.free();
        Ok(())
    }

    /// Returns all shards, in order, on disk.
    pub(super) fn finish_on_disk(mut self) -> Result<Vec<Shard>, ComputeError> {
        if self.held > 0 {
            self.spill()?;
        }
        Ok(self.shards)
    }

    /// Returns all shards, in order, in memory as far as possible.
    pub(super) fn finish(mut self) -> Vec<Shard> {
        for shard in &mut self.shards {
            let held: usize = shard.chunks.iter().map(Vec::capacity).sum();
            shard.reservations.push(self.reservation.split(held.min(self.reservation.size())));
        }
        self.shards
    }
}

impl Shard {
    /// Adds another thread's records of the same shard.
    pub(super) fn join(&mut self, mut other: Self) {
        self.chunks.append(&mut other.chunks);
        self.parts.append(&mut other.parts);
        self.reservations.append(&mut other.reservations);
    }

    pub(super) fn read(&self, take: &mut dyn FnMut(&[u8]) -> Result<(), ComputeError>) -> Result<(), ComputeError> {
        for chunk in &self.chunks {
            records(chunk, take)?;
        }
        for (file, start, size) in &self.parts {
            let (mut at, mut left, mut waiting) = (*start, *size, Vec::new());
            while left > 0 {
                let now = left.min(READ_AT_ONCE);
                let before = waiting.len();
                waiting.resize(before + now, 0);
                {
                    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    file.seek(SeekFrom::Start(at)).map_err(ComputeError::Disk)?;
                    file.read_exact(&mut waiting[before..]).map_err(ComputeError::Disk)?;
                }
                (at, left) = (at + now as u64, left - now);
                let done = records(&waiting, take)?;
                waiting.drain(..done);
            }
        }
        Ok(())
    }
}

/// Passes on the complete records in some bytes, and returns the position after the last.
fn records(bytes: &[u8], take: &mut dyn FnMut(&[u8]) -> Result<(), ComputeError>) -> Result<usize, ComputeError> {
    let mut at = 0;
    while let Some(record) = bytes.get(at..).and_then(|rest| rest.get(..length(rest)?)) {
        take(record)?;
        at += record.len();
    }
    Ok(at)
}
