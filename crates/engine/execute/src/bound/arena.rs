//! Memory for chunks of rows: blocks that are cut into chunks. Once filled, a block is freed with the last of these.
//!
//! Blocks grow fourfold, up to 2 MiB. Those of 2 MiB or more are mapped, and the system is asked for huge pages: new
//! memory then costs few page faults, and a few entries of the processor's page table cover all chunks that are being
//! filled.

use super::ComputeError;
use deniable_data::Reservation;
use memmap2::MmapMut;
use std::ops::Range;
use std::sync::Arc;
use zerocopy::FromBytes;

/// Words of the largest blocks: 2 MiB.
const LARGEST: usize = 1 << 18;

/// The chunks of some shards of one thread while they are filled.
#[derive(Default)]
pub(super) struct Arena {
    blocks: Vec<Block>,
    /// Number of words of the last block that belong to chunks.
    cut: usize,
}

enum Block {
    Heap(Box<[u64]>),
    Mapped(MmapMut),
}

/// A block whose chunks are filled.
struct Filled {
    block: Block,
    /// The memory of the block.
    _reservation: Reservation,
}

/// A chunk that is being filled.
#[derive(Clone, Copy, Default)]
pub(super) struct Open {
    block: u32,
    start: u32,
    words: u32,
    capacity: u32,
}

/// The words of a chunk.
pub(super) struct Chunk {
    block: Arc<Filled>,
    words: Range<usize>,
}

impl Arena {
    /// `None` if the last block has room for `least` words. Otherwise the number of words of the next block: four times
    /// the last, at least those of `chunks` chunks of `least` words, at most `most`, but never below `least`.
    pub(super) fn wanted(&self, least: usize, chunks: usize, most: usize) -> Option<usize> {
        let last = self.blocks.last().map_or(0, |last| last.words().len());
        if last - self.cut >= least {
            return None;
        }
        let next = (4 * last).max(least * chunks).min(most.min(LARGEST)).max(least);
        // Whole chunks, but where what is left over is little and the block is one of huge pages.
        Some(if next == LARGEST && least <= LARGEST / 8 { next } else { next / least * least })
    }

    /// Adds a block.
    pub(super) fn add(&mut self, words: usize) -> Result<(), ComputeError> {
        self.blocks.push(Block::new(words)?);
        self.cut = 0;
        Ok(())
    }

    /// A new chunk of at least `least` words, for which there is room, and of at most `most`.
    pub(super) fn open(&mut self, least: usize, most: usize) -> Open {
        let last = self.blocks.last().map_or(0, |last| last.words().len());
        let words = most.min((last - self.cut) / least * least);
        let start = self.cut;
        self.cut += words;
        // A block has at most 2^18 words, or those of one chunk or one batch.
        let block = self.blocks.len().saturating_sub(1) as u32;
        Open { block, start: start as u32, words: 0, capacity: words as u32 }
    }

    /// Adds words to a chunk that has room for them.
    #[inline]
    pub(super) fn extend(&mut self, open: &mut Open, words: &[u64]) {
        let end = (open.start + open.words) as usize;
        self.blocks[open.block as usize].words_mut()[end..end + words.len()].copy_from_slice(words);
        open.words += words.len() as u32;
    }

    /// The words of a chunk.
    pub(super) fn words(&self, open: Open) -> &[u64] {
        self.blocks.get(open.block as usize).map_or(&[], |block| &block.words()[open.range()])
    }

    /// Frees all blocks after that of a chunk.
    pub(super) fn free_after(&mut self, open: Open) {
        self.blocks.truncate(open.block as usize + 1);
        // The last block is that of a chunk, which may be its last.
        self.cut = self.blocks.last().map_or(0, |last| last.words().len());
    }

    /// Number of bytes of the blocks.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum()
    }

    /// Frees all chunks.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The filled chunks, but for those without words. The memory of blocks is split off the reservation.
    pub(super) fn finish(self, reservation: &mut Reservation) -> impl Fn(Open) -> Option<Chunk> + use<> {
        let mut filled = |block: Block| {
            debug_assert!(block.bytes() <= reservation.size(), "all blocks are reserved");
            let held = block.bytes().min(reservation.size());
            Arc::new(Filled { block, _reservation: reservation.split(held) })
        };
        let blocks: Vec<Arc<Filled>> = self.blocks.into_iter().map(&mut filled).collect();
        move |open| {
            let block = blocks.get(open.block as usize).filter(|_| open.words > 0)?.clone();
            Some(Chunk { block, words: open.range() })
        }
    }
}

impl Block {
    fn new(words: usize) -> Result<Self, ComputeError> {
        if words < LARGEST {
            return Ok(Self::Heap(vec![0; words].into_boxed_slice()));
        }
        let map = MmapMut::map_anon(words * size_of::<u64>()).map_err(|_| ComputeError::Memory)?;
        // Without huge pages it is memory all the same.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self::Mapped(map))
    }

    #[inline]
    fn words(&self) -> &[u64] {
        match self {
            Self::Heap(words) => words,
            // Mappings begin with a page and have whole words, so they are read as words.
            Self::Mapped(map) => FromBytes::ref_from_bytes(map).unwrap_or_default(),
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(self.words())
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Heap(words) => words,
            Self::Mapped(map) => FromBytes::mut_from_bytes(map).unwrap_or_default(),
        }
    }
}

impl Open {
    /// Number of words for which there is room.
    #[inline]
    pub(super) fn room(self) -> usize {
        (self.capacity - self.words) as usize
    }

    /// Number of words for which there was room at first.
    pub(super) fn capacity(self) -> usize {
        self.capacity as usize
    }

    fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.words) as usize
    }
}

impl Chunk {
    pub(super) fn words(&self) -> &[u64] {
        &self.block.block.words()[self.words.clone()]
    }

    /// Removes at most `most` words from the end, and appends them to `rows`.
    pub(super) fn take(&mut self, rows: &mut Vec<u64>, most: usize) {
        let words = self.words();
        let left = words.len().saturating_sub(most);
        rows.extend_from_slice(&words[left..]);
        self.words.end = self.words.start + left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_data::Memory;

    /// Chunks of rows of three words, filled in turn until three blocks are mapped.
    #[test]
    fn chunks_of_mapped_blocks_have_the_words_that_were_added() {
        const CHUNK: usize = 66;
        let memory = Memory::new(None);
        let (mut arena, mut reservation) = (Arena::default(), memory.reserve());
        let (mut chunks, mut expected): (Vec<Open>, Vec<Vec<u64>>) = (Vec::new(), Vec::new());
        let is_mapped = |block: &&Block| matches!(block, Block::Mapped(_));
        let mut number = 0;
        let are_of_one_block = |chunks: &[Open]| matches!(chunks, [.., one, other] if one.block == other.block);
        while arena.blocks.iter().filter(is_mapped).count() < 3 || !are_of_one_block(&chunks) {
            if let Some(words) = arena.wanted(CHUNK, 4, usize::MAX) {
                assert!(words >= CHUNK && reservation.try_grow(words * size_of::<u64>()));
                arena.add(words).unwrap();
            }
            let mut open = arena.open(CHUNK, 50 * CHUNK);
            assert!(open.capacity() >= CHUNK && open.capacity().is_multiple_of(CHUNK));
            let mut words = Vec::new();
            while open.room() >= 3 {
                let row = [number, !number, number << 32];
                arena.extend(&mut open, &row);
                words.extend(row);
                number += 1;
            }
            assert_eq!(arena.words(open), words);
            chunks.push(open);
            expected.push(words);
        }
        assert_eq!(arena.bytes(), reservation.size());
        let chunk = arena.finish(&mut reservation);
        let mut found: Vec<Chunk> = chunks.iter().filter_map(|open| chunk(*open)).collect();
        assert!(found.iter().map(Chunk::words).eq(expected.iter().map(Vec::as_slice)));
        assert!(chunk(Open::default()).is_none(), "it has no words");
        let (all, mut taken) = (memory.used(), Vec::new());
        assert!(all >= 3 * LARGEST * size_of::<u64>() && reservation.size() == 0);
        // The memory of a block is free with its last chunk.
        drop(chunk);
        found[0].take(&mut taken, 4);
        assert_eq!(taken, expected[0][expected[0].len() - 4..]);
        found.pop();
        assert_eq!(memory.used(), all, "other chunks of its block are there");
        drop(found);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn blocks_grow_to_the_allowed_size() {
        let grown = |least: usize, chunks: usize, most: usize| {
            let mut arena = Arena::default();
            (0..6)
                .map(|_| {
                    let words = arena.wanted(least, chunks, most).unwrap();
                    arena.add(words).unwrap();
                    while arena.wanted(least, chunks, most).is_none() {
                        arena.open(least, words);
                    }
                    words
                })
                .collect::<Vec<usize>>()
        };
        assert_eq!(grown(64, 32, usize::MAX), [2_048, 8_192, 32_768, 131_072, LARGEST, LARGEST]);
        // Whole chunks, where most of a block would be left over otherwise.
        assert_eq!(grown(64, 32, 150), [128; 6]);
        assert_eq!(grown(163_840, 1, usize::MAX), [163_840; 6]);
        assert_eq!(grown(100, 1, 10), [100; 6]);
    }
}
