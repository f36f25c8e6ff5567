//! Rows, scattered over shards by their entity, in memory as far as allowed and in temporary files beyond.
//!
//! All rows of an entity are in one shard. Reading and writing blocks the thread: the threads of this runtime have
//! nothing else to do.

use datafusion::arrow::buffer::{Buffer, MutableBuffer};
use datafusion::common::{Result, exec_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{DiskManager, SpillFile, SpillWriter};
use datafusion::physical_plan::metrics::SpillMetrics;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// Marks failures of temporary files, apart from failures to read the data.
pub(crate) const SPILLING: &str = "temporary files";
/// Words of a buffer's first and largest chunks.
const SMALLEST_CHUNK: usize = 1 << 6;
const LARGEST_CHUNK: usize = 1 << 14;
/// Words that are read from a file at once.
const READ_AT_ONCE: usize = 1 << 15;
const WORD: usize = size_of::<u64>();

/// Rows on their way into shards, from one partition.
pub(super) struct Scatter {
    /// Words of a row.
    width: usize,
    /// Bits of the identity that were used before, and that are used here.
    used: u32,
    bits: u32,
    /// The chunk of each shard that rows are added to.
    open: Vec<Vec<u64>>,
    shards: Vec<Shard>,
    /// Most bytes to hold in memory.
    allowance: usize,
    reservation: MemoryReservation,
    disk: Arc<DiskManager>,
    /// The one file of this scatter, once it was needed, with how much was written to it.
    file: Option<(Arc<TemporaryFile>, Box<dyn SpillWriter>, u64)>,
    metrics: SpillMetrics,
}

/// The rows of some entities.
#[derive(Default)]
pub(super) struct Shard {
    chunks: Vec<Vec<u64>>,
    parts: Vec<FilePart>,
    /// What the chunks take of the memory pool, once the shard is complete.
    reservations: Vec<MemoryReservation>,
}

/// A stretch of a temporary file.
struct FilePart {
    file: Arc<TemporaryFile>,
    start: u64,
    words: usize,
}

/// A file of private rows. It has no name any more where the system allows that, and goes when it is dropped.
struct TemporaryFile {
    file: Mutex<File>,
    _accounted: Arc<dyn SpillFile>,
}

impl Scatter {
    /// Shards by the `bits` bits after the first `used` ones of an entity's first word.
    pub(super) fn new(
        width: usize,
        (used, bits): (u32, u32),
        allowance: usize,
        reservation: MemoryReservation,
        disk: Arc<DiskManager>,
        metrics: SpillMetrics,
    ) -> Self {
        let shards = (0..1_usize << bits).map(|_| Shard::default()).collect();
        let open = vec![Vec::new(); 1 << bits];
        Self { width, used, bits, open, shards, allowance, reservation, disk, file: None, metrics }
    }

    /// Takes in one row.
    #[inline]
    pub(super) fn push(&mut self, row: &[u64]) -> Result<()> {
        self.push_with(row[0], &mut |chunk| chunk.extend_from_slice(row))
    }

    /// Takes in one row of the entity with this first word; `write` writes it to the end of its chunk.
    #[inline]
    pub(super) fn push_with(&mut self, first: u64, write: &mut impl FnMut(&mut Vec<u64>)) -> Result<()> {
        let at = (first << self.used >> (64 - self.bits)) as usize;
        let chunk = &self.open[at];
        if chunk.capacity() - chunk.len() < self.width {
            self.make_room(at)?;
        }
        write(&mut self.open[at]);
        Ok(())
    }

    /// Opens a new chunk for a shard.
    fn make_room(&mut self, at: usize) -> Result<()> {
        let width = self.width;
        let words =
            |last: &Vec<u64>| (last.capacity() * 2).clamp(SMALLEST_CHUNK, LARGEST_CHUNK).next_multiple_of(width);
        let mut wanted = words(&self.open[at]);
        let held = self.reservation.size();
        let beyond = held > 0 && held.saturating_add(wanted * WORD) > self.allowance;
        if beyond || self.reservation.try_grow(wanted * WORD).is_err() {
            self.spill()?;
            wanted = words(&self.open[at]);
            self.reservation.try_grow(wanted * WORD)?;
        }
        let full = std::mem::replace(&mut self.open[at], Vec::with_capacity(wanted));
        self.shards[at].add(full);
        Ok(())
    }

    /// Adds what is open to the shards.
    fn close(&mut self) {
        for (shard, open) in self.shards.iter_mut().zip(&mut self.open) {
            shard.add(std::mem::take(open));
        }
    }

    /// Writes everything in memory to a file.
    fn spill(&mut self) -> Result<()> {
        if self.reservation.size() == 0 {
            return Ok(());
        }
        self.write_out().map_err(|error| error.context(SPILLING))
    }

    fn write_out(&mut self) -> Result<()> {
        if self.file.is_none() {
            let (file, writer) = TemporaryFile::create(&self.disk)?;
            self.file = Some((file, writer, 0));
            self.metrics.spill_file_count.add(1);
        }
        self.close();
        let Some((file, writer, end)) = &mut self.file else { return Ok(()) };
        for shard in &mut self.shards {
            let words = shard.chunks.iter().map(Vec::len).sum();
            if words == 0 {
                continue;
            }
            for chunk in shard.chunks.drain(..) {
                writer.write_all(Buffer::from_vec(chunk).as_slice())?;
            }
            shard.parts.push(FilePart { file: file.clone(), start: *end, words });
            *end += (words * WORD) as u64;
            self.metrics.spilled_rows.add(words / self.width);
            self.metrics.spilled_bytes.add(words * WORD);
        }
        writer.flush()?;
        self.reservation.free();
        Ok(())
    }

    /// All shards, in order, on disk.
    pub(super) fn finish_on_disk(mut self) -> Result<Vec<Shard>> {
        self.spill()?;
        Ok(self.shards)
    }

    /// All shards, in order, as far as possible in memory.
    pub(super) fn finish(mut self) -> Vec<Shard> {
        self.close();
        for shard in &mut self.shards {
            let held: usize = shard.chunks.iter().map(|chunk| chunk.capacity() * WORD).sum();
            if held > 0 {
                shard.reservations.push(self.reservation.split(held.min(self.reservation.size())));
            }
        }
        self.shards
    }
}

impl Shard {
    fn add(&mut self, chunk: Vec<u64>) {
        if !chunk.is_empty() {
            self.chunks.push(chunk);
        }
    }

    /// Adds another partition's rows of the same shard.
    pub(super) fn join(&mut self, mut other: Self) {
        self.chunks.append(&mut other.chunks);
        self.parts.append(&mut other.parts);
        self.reservations.append(&mut other.reservations);
    }

    /// Words of all rows that were not taken yet.
    pub(super) fn words(&self) -> usize {
        let in_memory: usize = self.chunks.iter().map(Vec::len).sum();
        self.parts.iter().fold(in_memory, |sum, part| sum + part.words)
    }

    /// Moves rows out, until there are `most` words in `rows` or none left here.
    pub(super) fn take(&mut self, rows: &mut Vec<u64>, most: usize) -> Result<()> {
        while rows.len() < most {
            let room = most - rows.len();
            if let Some(chunk) = self.chunks.last_mut() {
                let start = chunk.len().saturating_sub(room);
                rows.extend_from_slice(&chunk[start..]);
                chunk.truncate(start);
                if chunk.is_empty() {
                    self.chunks.pop();
                }
                if self.chunks.is_empty() {
                    self.reservations.clear();
                }
            } else if let Some(part) = self.parts.last_mut() {
                let words = part.words.min(room).min(READ_AT_ONCE);
                part.file.read(part.start, words, rows).map_err(|error| error.context(SPILLING))?;
                part.start += (words * WORD) as u64;
                part.words -= words;
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

impl TemporaryFile {
    fn create(disk: &Arc<DiskManager>) -> Result<(Arc<Self>, Box<dyn SpillWriter>)> {
        let accounted = disk.create_tmp_file("capping the rows of each entity")?;
        let Some(path) = accounted.path() else { return exec_err!("temporary files must be local") };
        let file = Mutex::new(File::open(path)?);
        let writer = accounted.open_writer()?;
        // Without a name it cannot outlive this process, however that ends. Where the system refuses, the file goes
        // when it is dropped.
        let _ = std::fs::remove_file(path);
        Ok((Arc::new(Self { file, _accounted: accounted }), writer))
    }

    fn read(&self, start: u64, words: usize, rows: &mut Vec<u64>) -> Result<()> {
        let mut bytes = MutableBuffer::from_len_zeroed(words * WORD);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes.as_slice_mut())?;
        rows.extend_from_slice(bytes.typed_data());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
    use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;

    fn scatter(bits: (u32, u32), pool: &Arc<dyn MemoryPool>, disk: &Arc<DiskManager>) -> Scatter {
        let reservation = MemoryConsumer::new("test").register(pool);
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
        Scatter::new(3, bits, 4_000, reservation, disk.clone(), metrics)
    }

    #[test]
    fn spilled_rows_come_back_from_files_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let mode = DiskManagerMode::Directories(vec![folder.path().to_owned()]);
        let disk = Arc::new(DiskManagerBuilder::default().with_mode(mode).build().unwrap());
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(10_000));
        let mut scatter = scatter((8, 2), &pool, &disk);
        // The third byte of the first word is where the bits are.
        let row = |number: u64| [(number % 4) << 54 | number, number, !number];
        (0..2_000).for_each(|number| scatter.push(&row(number)).unwrap());
        assert!(scatter.metrics.spilled_rows.value() > 1_000 && pool.reserved() <= 4_000);
        if cfg!(unix) {
            let inside = std::fs::read_dir(folder.path())
                .unwrap()
                .flat_map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap());
            assert_eq!(inside.count(), 0);
        }
        let shards = scatter.finish();
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
        assert_eq!((pool.reserved(), disk.used_disk_space()), (0, 0));
    }

    #[test]
    fn too_little_memory_for_one_chunk_is_an_error() {
        let disk = Arc::new(DiskManagerBuilder::default().build().unwrap());
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(100));
        assert!(scatter((0, 8), &pool, &disk).push(&[1, 2, 3]).is_err());
    }
}
