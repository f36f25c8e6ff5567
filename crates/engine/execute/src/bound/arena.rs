//! Memory for chunks of rows: blocks that are cut into chunks, and freed with the last of these.
//!
//! Each block is four times as large as the one before. From 2 MiB on each is a mapping of one huge page where the system has them: new memory then costs few
//! page faults, and a few entries of the processor's page table cover all chunks that are being filled.

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
    /// Number of words of the next block, if there is no room for a chunk of `least` words: at least these, those of
    /// `chunks` chunks at first, and at most `most` if that is enough.
    pub(super) fn wanted(&self, least: usize, chunks: usize, most: usize) -> Option<usize> {
        let last = self.blocks.last().map_or(0, |last| last.words().len());
        let next = || (4 * last).max(least * chunks).min(most.min(LARGEST)).max(least);
        (last - self.cut < least).then(next)
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
        // A block has at most 2^18 words, or those of a few chunks.
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
