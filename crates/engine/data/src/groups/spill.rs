//! Distinct rows that do not fit into memory: in temporary files, equal rows in the same one.
//!
//! A row is stored as its count, and for each value its length in bytes and the bytes; all numbers are little-endian.

use super::distinct::{Distinct, Row};
use crate::memory::temporary_file;
use foldhash::fast::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bits of the hash that choose the partition at each level.
const BITS: u32 = 6;
/// Number of levels for which the hash has bits.
const LEVELS: u32 = 8;
/// Bytes written at once.
const WRITE: usize = 16 << 10;
/// Bytes read at once.
const READ: usize = 64 << 10;
/// The length that denotes NULL.
const NULL: u32 = u32::MAX;

/// Files by the hash of their rows, for several threads.
pub(super) struct Partitions {
    folder: Option<PathBuf>,
    hasher: RandomState,
    level: u32,
    files: Vec<Mutex<Option<File>>>,
    is_used: AtomicBool,
}

pub(super) struct Partition {
    folder: Option<PathBuf>,
    hasher: RandomState,
    level: u32,
    file: File,
}

/// A reader of the rows of a file.
pub(super) struct StoredRows {
    file: BufReader<File>,
    bytes: Vec<u8>,
}

impl Partitions {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self::at(folder, RandomState::default(), 0)
    }

    fn at(folder: Option<PathBuf>, hasher: RandomState, level: u32) -> Self {
        let files = (0..1 << BITS).map(|_| Mutex::new(None)).collect();
        Self { folder, hasher, level, files, is_used: AtomicBool::new(false) }
    }

    pub(super) fn are_empty(&self) -> bool {
        !self.is_used.load(Ordering::Relaxed)
    }

    /// Moves all rows to the files.
    pub(super) fn write(&self, distinct: &mut Distinct) -> io::Result<()> {
        let mut writer = Writer::to(self);
        distinct.each_row(|row| writer.row(row))?;
        writer.finish()?;
        distinct.clear();
        Ok(())
    }

    /// Copies the remaining rows of a file.
    pub(super) fn copy(&self, rows: &mut StoredRows, width: usize) -> io::Result<()> {
        let mut writer = Writer::to(self);
        while let Some(row) = rows.next(width)? {
            writer.row(&row)?;
        }
        writer.finish()
    }

    /// The files that contain rows.
    pub(super) fn into_parts(self) -> Vec<Partition> {
        let Self { folder, hasher, level, files, .. } = self;
        let files = files.into_iter().filter_map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner));
        files.map(|file| Partition { folder: folder.clone(), hasher: hasher.clone(), level, file }).collect()
    }

    /// Adds encoded rows to a file.
    fn append(&self, partition: usize, rows: &[u8]) -> io::Result<()> {
        let Some(file) = self.files.get(partition) else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_used.store(true, Ordering::Relaxed);
        if file.is_none() {
            *file = Some(temporary_file(self.folder.as_deref())?);
        }
        file.as_mut().map_or(Ok(()), |file| file.write_all(rows))
    }
}

/// Encodes rows, for one thread.
struct Writer<'a> {
    partitions: &'a Partitions,
    row: Vec<u8>,
    /// Encoded rows of each partition that are not written yet.
    waiting: Vec<Vec<u8>>,
}

impl<'a> Writer<'a> {
    fn to(partitions: &'a Partitions) -> Self {
        Self { partitions, row: Vec::new(), waiting: vec![Vec::new(); partitions.files.len()] }
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.row.clear();
        for value in &row.values {
            // No text is that long.
            let length = value.and_then(|value| u32::try_from(value.len()).ok());
            self.row.extend(length.unwrap_or(NULL).to_le_bytes());
            self.row.extend_from_slice(value.unwrap_or_default());
        }
        let hash = self.partitions.hasher.hash_one(self.row.as_slice());
        let partition = (hash >> (BITS * self.partitions.level)) as usize % self.waiting.len().max(1);
        let Some(waiting) = self.waiting.get_mut(partition) else { return Ok(()) };
        waiting.extend(row.times.to_le_bytes());
        waiting.extend_from_slice(&self.row);
        if waiting.len() >= WRITE {
            self.partitions.append(partition, waiting)?;
            waiting.clear();
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        let mut left = self.waiting.iter().enumerate().filter(|(_, waiting)| !waiting.is_empty());
        left.try_for_each(|(partition, waiting)| self.partitions.append(partition, waiting))
    }
}

impl Partition {
    /// Reads its rows from the first one.
    pub(super) fn rows(&self) -> io::Result<StoredRows> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(StoredRows { file: BufReader::with_capacity(READ, file), bytes: Vec::new() })
    }

    /// Partitions of this file, by other bits of the hash; `None` if no bits remain.
    pub(super) fn finer(&self) -> Option<Partitions> {
        let level = self.level + 1;
        (level < LEVELS).then(|| Partitions::at(self.folder.clone(), self.hasher.clone(), level))
    }
}

impl StoredRows {
    /// The next row, of `width` values.
    pub(super) fn next(&mut self, width: usize) -> io::Result<Option<Row<'_>>> {
        if self.file.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut times = [0; 8];
        self.file.read_exact(&mut times)?;
        let mut ends = Vec::with_capacity(width);
        self.bytes.clear();
        for _ in 0..width {
            let mut length = [0; 4];
            self.file.read_exact(&mut length)?;
            let length = u32::from_le_bytes(length);
            if length == NULL {
                ends.push(None);
                continue;
            }
            let begin = self.bytes.len();
            let read = self.file.by_ref().take(length.into()).read_to_end(&mut self.bytes)?;
            if read != length as usize {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            ends.push(Some(begin..self.bytes.len()));
        }
        let values = ends.into_iter().map(|range| self.bytes.get(range?)).collect();
        Ok(Some(Row { times: u64::from_le_bytes(times), values }))
    }
}
