//! Rows scattered over shards by their entity, in memory as far as allowed and in temporary files beyond.
//!
//! All rows of an entity are in one shard.

use super::ComputeError;
use super::arena::{Arena, Chunk, Open};
use super::group::group;
use deniable_data::{Reservation, temporary_file};
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zerocopy::IntoBytes;

/// Words of a shard's first and largest chunks, in whole rows.
const SMALLEST_CHUNK: usize = 1 << 6;
const LARGEST_CHUNK: usize = 1 << 14;
/// At most 2^3 groups of shards have blocks of memory of their own.
const ARENA_BITS: u32 = 3;
/// Number of words that are read from a file at once.
const READ_AT_ONCE: usize = 1 << 15;
const WORD: usize = size_of::<u64>();

/// Collects rows of one partition in shards.
pub(crate) struct Scatter {
    /// Number of words in a row.
    width: usize,
    /// The number of identity bits that were used before, and the number used here.
    used: u32,
    bits: u32,
    /// The memory of each `2^together` shards. They are walked over one after the other, so it is free soon.
    arenas: Vec<Arena>,
    together: u32,
    /// The chunk of each shard to which rows are appended, and those that are full.
    open: Vec<Open>,
    full: Vec<Vec<Open>>,
    /// The parts of each shard on disk.
    parts: Vec<Vec<FilePart>>,
    /// The rows of a batch, those of each shard together.
    grouped: Vec<[u64; 2]>,
    /// Most bytes in memory.
    allowance: usize,
    reservation: Reservation,
    disk: Arc<Disk>,
    /// The file of this scatter, created when first needed, with the number of words written to it.
    file: Option<(Arc<Mutex<File>>, u64)>,
}

/// The place of temporary files.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// The folder; `None` is the system's folder for temporary files.
    folder: Option<PathBuf>,
    /// Number of words written so far.
    pub(super) spilled: AtomicUsize,
}

impl Disk {
    /// `None` is the system's folder for temporary files.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Creates a file for private rows, without a name in the file system.
    pub(crate) fn file(&self) -> std::io::Result<File> {
        temporary_file(self.folder.as_deref())
    }

    /// Writes rows to a file of their own.
    pub(super) fn write(self: &Arc<Self>) -> Result<RowWriter, ComputeError> {
        let file = self.file().map_err(ComputeError::Disk)?;
        Ok(RowWriter { disk: self.clone(), file: BufWriter::new(file), words: 0 })
    }
}

/// A temporary file of rows that is being written.
pub(super) struct RowWriter {
    disk: Arc<Disk>,
    file: BufWriter<File>,
    words: usize,
}

impl RowWriter {
    /// Adds one row.
    pub(super) fn push(&mut self, row: &[u64]) -> Result<(), ComputeError> {
        self.words += row.len();
        self.file.write_all(row.as_bytes()).map_err(ComputeError::Disk)
    }

    /// The written rows.
    pub(super) fn finish(self) -> Result<FilePart, ComputeError> {
        self.disk.spilled.fetch_add(self.words, Ordering::Relaxed);
        let file = self.file.into_inner().map_err(|error| ComputeError::Disk(error.into_error()))?;
        Ok(FilePart { file: Arc::new(Mutex::new(file)), start: 0, words: self.words })
    }
}

/// The rows of some entities.
#[derive(Default)]
pub(super) struct Shard {
    chunks: Vec<Chunk>,
    parts: Vec<FilePart>,
}

/// A stretch of a temporary file whose rows were not taken yet.
pub(super) struct FilePart {
    file: Arc<Mutex<File>>,
    start: u64,
    words: usize,
}

impl FilePart {
    /// Moves at most `most` words to the end of `rows`.
    pub(super) fn take(&mut self, rows: &mut Vec<u64>, most: usize) -> Result<(), ComputeError> {
        let words = self.words.min(most).min(READ_AT_ONCE);
        read(&self.file, self.start, words, rows).map_err(ComputeError::Disk)?;
        self.start += (words * WORD) as u64;
        self.words -= words;
        Ok(())
    }
}

impl Scatter {
    /// Shards by the `bits` bits of an entity's first word after the first `used`.
    pub(super) fn new(
        width: usize,
        (used, bits): (u32, u32),
        allowance: usize,
        reservation: Reservation,
        disk: Arc<Disk>,
    ) -> Self {
        let shards = 1_usize << bits;
        let parts = (0..shards).map(|_| Vec::new()).collect();
        let (open, full, grouped) = (vec![Open::default(); shards], vec![Vec::new(); shards], Vec::new());
        let together = bits.saturating_sub(ARENA_BITS);
        let arenas = (0..shards >> together).map(|_| Arena::default()).collect();
        Self {
            width,
            used,
            bits,
            arenas,
            together,
            open,
            full,
            parts,
            grouped,
            allowance,
            reservation,
            disk,
            file: None,
        }
    }

    /// Sets the most bytes in memory.
    pub(super) fn limit(&mut self, allowance: usize) {
        self.allowance = allowance;
    }

    /// Adds one row.
    #[inline]
    pub(super) fn push(&mut self, row: &[u64]) -> Result<(), ComputeError> {
        let at = self.shard_of(row[0]);
        if self.open[at].room() < self.width {
            self.make_room(at)?;
        }
        self.arenas[at >> self.together].extend(&mut self.open[at], row);
        Ok(())
    }

    /// Adds the rows of a batch, which have two words: grouped first, so that each shard is written to once.
    pub(super) fn push_pairs(&mut self, rows: &[[u64; 2]]) -> Result<(), ComputeError> {
        let mut grouped = std::mem::take(&mut self.grouped);
        grouped.resize(rows.len(), [0; 2]);
        let shard_of = |row: &&[u64; 2]| self.shard_of(row[0]);
        let ends = group(rows.iter(), self.open.len(), shard_of, |at, row| grouped[at] = *row);
        let mut start = 0;
        for (at, end) in ends.into_iter().enumerate() {
            let mut rest = &grouped[start as usize..end as usize];
            start = end;
            while !rest.is_empty() {
                if self.open[at].room() < 2 {
                    self.make_room(at)?;
                }
                let (fitting, others) = rest.split_at((self.open[at].room() / 2).min(rest.len()));
                self.arenas[at >> self.together].extend(&mut self.open[at], fitting.as_flattened());
                rest = others;
            }
        }
        self.grouped = grouped;
        Ok(())
    }

    /// The shard of the entity with this first word.
    #[inline]
    fn shard_of(&self, first: u64) -> usize {
        (first << self.used >> (64 - self.bits)) as usize
    }

    // Rarely called: inlined, it would slow down each row.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, at: usize) -> Result<(), ComputeError> {
        let (width, arena) = (self.width, at >> self.together);
        let least = SMALLEST_CHUNK.next_multiple_of(width);
        // All arenas fit at once, with several blocks each.
        let share = self.allowance / WORD / self.arenas.len() / 4;
        if let Some(mut words) = self.arenas[arena].wanted(least, 1 << self.together, share) {
            let held = self.reservation.size();
            let beyond = held > 0 && held.saturating_add(words * WORD) > self.allowance;
            if beyond || !self.reservation.try_grow(words * WORD) {
                self.spill()?;
                words = least;
                if !self.reservation.try_grow(words * WORD) {
                    return Err(ComputeError::Memory);
                }
            }
            self.arenas[arena].add(words)?;
        }
        let most = (2 * self.open[at].capacity()).clamp(least, (LARGEST_CHUNK / width * width).max(least));
        let full = std::mem::replace(&mut self.open[at], self.arenas[arena].open(least, most));
        self.full[at].push(full);
        Ok(())
    }

    /// Writes all rows in memory to the file.
    fn spill(&mut self) -> Result<(), ComputeError> {
        if self.reservation.size() == 0 {
            return Ok(());
        }
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
        let mut to = file.lock().unwrap_or_else(PoisonError::into_inner);
        to.seek(SeekFrom::Start(*end))?;
        for (at, parts) in self.parts.iter_mut().enumerate() {
            let mut words = 0;
            for chunk in self.full[at].drain(..).chain([std::mem::take(&mut self.open[at])]) {
                let rows = self.arenas[at >> self.together].words(chunk);
                to.write_all(rows.as_bytes())?;
                words += rows.len();
            }
            if words > 0 {
                parts.push(FilePart { file: file.clone(), start: *end, words });
                *end += (words * WORD) as u64;
                self.disk.spilled.fetch_add(words, Ordering::Relaxed);
            }
        }
        drop(to);
        self.arenas.iter_mut().for_each(Arena::clear);
        self.grouped = Vec::new();
        self.reservation.free();
        Ok(())
    }

    /// Returns all shards, in order, on disk.
    pub(super) fn finish_on_disk(mut self) -> Result<Vec<Shard>, ComputeError> {
        self.spill()?;
        Ok(self.finish())
    }

    /// Returns all shards, in order, in memory as far as possible.
    pub(super) fn finish(mut self) -> Vec<Shard> {
        let (together, arenas) = (self.together, self.arenas);
        let chunks: Vec<_> = arenas.into_iter().map(|arena| arena.finish(&mut self.reservation)).collect();
        let all = self.open.into_iter().zip(self.full).zip(self.parts).enumerate();
        let shards = all.map(|(at, ((open, full), parts))| {
            let chunks = full.into_iter().chain([open]).filter_map(&chunks[at >> together]);
            Shard { chunks: chunks.collect(), parts }
        });
        shards.collect()
    }
}

impl Shard {
    /// Rows in a file.
    pub(super) fn of(part: FilePart) -> Self {
        Self { parts: vec![part], ..Self::default() }
    }

    /// Adds another partition's rows of the same shard.
    pub(super) fn join(&mut self, mut other: Self) {
        self.chunks.append(&mut other.chunks);
        self.parts.append(&mut other.parts);
    }

    /// The chunks of the shard's rows, if all of them are in memory.
    pub(super) fn chunks_of_all(&self) -> Option<Vec<&[u64]>> {
        self.parts.is_empty().then(|| self.chunks.iter().map(Chunk::words).collect())
    }

    /// Number of words in rows that were not taken yet.
    pub(super) fn words(&self) -> usize {
        let in_memory: usize = self.chunks.iter().map(|chunk| chunk.words().len()).sum();
        self.parts.iter().fold(in_memory, |sum, part| sum + part.words)
    }

    /// Moves rows out, until `rows` contains `most` words or the shard is empty.
    pub(super) fn take(&mut self, rows: &mut Vec<u64>, most: usize) -> Result<(), ComputeError> {
        while rows.len() < most {
            let room = most - rows.len();
            if let Some(chunk) = self.chunks.last_mut() {
                chunk.take(rows, room);
                if chunk.words().is_empty() {
                    self.chunks.pop();
                }
            } else if let Some(part) = self.parts.last_mut() {
                part.take(rows, room)?;
                if part.words == 0 {
                    self.parts.pop();
                }
            } else {
                break;
            }
        }
        Ok(())
    }
}

fn read(file: &Mutex<File>, start: u64, words: usize, rows: &mut Vec<u64>) -> std::io::Result<()> {
    let start_of_new = rows.len();
    rows.resize(start_of_new + words, 0);
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(rows[start_of_new..].as_mut_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_data::Memory;

    fn scatter(bits: (u32, u32), memory: &Memory, disk: &Arc<Disk>) -> Scatter {
        Scatter::new(3, bits, 4_000, memory.reserve(), disk.clone())
    }

    #[test]
    fn spilled_rows_come_back_from_files_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Arc::new(Disk::new(Some(folder.path().to_owned())));
        let memory = Memory::new(Some(10_000));
        let mut scatter = scatter((8, 2), &memory, &disk);
        // The shard is chosen by the third byte of the first word.
        let row = |number: u64| [(number % 4) << 54 | number, number, !number];
        (0..2_000).for_each(|number| scatter.push(&row(number)).unwrap());
        assert!(disk.spilled.load(Ordering::Relaxed) > 3_000 && memory.used() <= 4_000);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let held = scatter.reservation.size();
        let shards = scatter.finish();
        let in_memory: usize = shards.iter().flat_map(|shard| &shard.chunks).map(|chunk| chunk.words().len()).sum();
        assert!(in_memory > 0 && memory.used() == held && held >= in_memory * WORD);
        assert_eq!(shards.len(), 4);
        for (which, mut shard) in (0..).zip(shards) {
            let mut rows = Vec::new();
            let mut part = Vec::new();
            assert_eq!(shard.words(), 500 * 3);
            while shard.words() > 0 {
                shard.take(&mut part, 33).unwrap();
                rows.append(&mut part);
            }
            let mut rows: Vec<[u64; 3]> = rows.as_chunks().0.to_vec();
            rows.sort_unstable();
            assert_eq!(rows, (0..2_000).filter(|number| number % 4 == which).map(row).collect::<Vec<_>>());
        }
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn too_little_memory_for_one_chunk_is_an_error() {
        assert!(scatter((0, 8), &Memory::new(Some(100)), &Arc::default()).push(&[1, 2, 3]).is_err());
    }
}
