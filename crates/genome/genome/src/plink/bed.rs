//! Genotypes: a .bed file in the SNP-major order, read in blocks by several threads.

use crate::cohort::Counts;
use crate::counting::{Masks, count_bytes, row_bytes};
use crate::file_error::{FileError, FileErrorKind};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

/// The first bytes of a SNP-major file.
const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
/// Bytes that a thread reads at once, unless one SNP needs more.
const BLOCK: usize = 1 << 20;

/// A .bed file with the right first bytes and length.
#[derive(Debug, Clone)]
pub(crate) struct Bed {
    file: PathBuf,
    row: usize,
    snps: u64,
}

impl Bed {
    /// Checks the first bytes and the length.
    pub(crate) fn open(file: &Path, people: usize, snps: u64) -> Result<Self, FileError> {
        let unreadable = |error| FileError::unreadable(file, &error);
        let mut opened = File::open(file).map_err(unreadable)?;
        let mut start = Vec::with_capacity(MAGIC.len());
        (&mut opened).take(MAGIC.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
        match start.as_slice() {
            [0x6c, 0x1b, 0x01] => {}
            [0x6c, 0x1b, mode] => return Err(FileError::whole(file, FileErrorKind::SampleMajor { mode: *mode })),
            _ => return Err(FileError::whole(file, FileErrorKind::Magic { found: hexadecimal(&start) })),
        }
        let found = opened.metadata().map_err(unreadable)?.len();
        let row = row_bytes(people);
        let expected = MAGIC.len() as u128 + u128::from(snps) * row as u128;
        if u128::from(found) != expected {
            let (people, row) = (people as u64, row as u64);
            return Err(FileError::whole(file, FileErrorKind::Length { found, snps, people, row, expected }));
        }
        Ok(Self { file: file.to_owned(), row, snps })
    }

    /// Number of SNPs that a thread reads at once.
    fn block(&self) -> usize {
        (BLOCK / self.row.max(1)).max(1)
    }

    /// Counts all SNPs, in blocks by several threads, and passes the blocks to the visitor in the order of the file.
    /// Memory is that of three blocks for each thread: one being counted, and the counts of one or two in the queue.
    /// With a key, blocks are hashed too.
    pub(crate) fn count(
        &self,
        threads: NonZeroUsize,
        key: Option<[u8; 32]>,
        masks: &Masks,
        show: &mut dyn FnMut(&Block) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let blocks = self.snps.div_ceil(self.block() as u64);
        let threads = usize::try_from(blocks).unwrap_or(usize::MAX).min(threads.get());
        let files = (0..threads).map(|_| File::open(&self.file)).collect::<std::io::Result<Vec<_>>>();
        let files = files.map_err(|error| FileError::unreadable(&self.file, &error))?;
        std::thread::scope(|scope| {
            // Threads take blocks in turn, so the next block of each thread is the next one needed from it.
            let counted = |(first, input): (u64, File)| {
                let (send, receive) = sync_channel(1);
                scope.spawn(move || {
                    let mut worker = Worker { input, key, bytes: Vec::new() };
                    for block in (first..blocks).step_by(threads) {
                        let result = worker.count(self, block, masks);
                        let failed = result.is_err();
                        // The receiver is gone if another thread has failed.
                        if send.send(result).is_err() || failed {
                            return;
                        }
                    }
                });
                receive
            };
            let receivers: Vec<_> = (0..).zip(files).map(counted).collect();
            for (_, receiver) in (0..blocks).zip(receivers.iter().cycle()) {
                // A thread that panicked ends the scope with its panic, whatever is returned.
                let block = receiver.recv().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
                show(&block.map_err(|error| self.fault(&error))?)?;
            }
            Ok(())
        })
    }

    /// Number of SNPs in the file.
    pub(crate) fn snps(&self) -> u64 {
        self.snps
    }

    /// A reader of single SNPs.
    pub(crate) fn rows(&self) -> Result<Rows<'_>, FileError> {
        let input = File::open(&self.file).map_err(|error| FileError::unreadable(&self.file, &error))?;
        Ok(Rows { bed: self, input, bytes: vec![0; self.row] })
    }

    fn fault(&self, error: &std::io::Error) -> FileError {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => FileError::whole(&self.file, FileErrorKind::Changed),
            _ => FileError::unreadable(&self.file, error),
        }
    }
}

/// The part of one thread: its position in the file, and its memory.
#[derive(Debug)]
struct Worker {
    input: File,
    key: Option<[u8; 32]>,
    bytes: Vec<u8>,
}

/// The counts of a block of SNPs.
#[derive(Debug)]
pub(crate) struct Block {
    /// In the order of the file.
    pub(crate) counts: Vec<Counts>,
    /// The hash of the genotypes, if there is a key. Block boundaries depend only on the number of people.
    pub(crate) hash: Option<[u8; 32]>,
}

impl Worker {
    /// Reads and counts a block.
    fn count(&mut self, bed: &Bed, block: u64, masks: &Masks) -> std::io::Result<Block> {
        let (row, most) = (bed.row, bed.block());
        let first = block * most as u64;
        let snps = usize::try_from(bed.snps - first).unwrap_or(usize::MAX).min(most);
        // The file's length was checked against people and SNPs, so a block is never longer than the file.
        self.bytes.resize(row * snps, 0);
        self.input.seek(SeekFrom::Start(MAGIC.len() as u64 + first * row as u64))?;
        self.input.read_exact(&mut self.bytes)?;
        let hash = self.key.map(|key| blake3::keyed_hash(&key, &self.bytes).into());
        let counts = self.bytes.chunks_exact(row.max(1)).map(|row| count_bytes(row, masks)).collect();
        Ok(Block { counts, hash })
    }
}

/// Reads single SNPs, in any order. Memory is that of one SNP.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    bed: &'a Bed,
    input: File,
    bytes: Vec<u8>,
}

impl Rows<'_> {
    /// The packed genotypes of a SNP, by its index from 0.
    pub(crate) fn read(&mut self, snp: u64) -> Result<&[u8], FileError> {
        // An index beyond the file is detected when reading past its end.
        let start = snp.saturating_mul(self.bed.row as u64).saturating_add(MAGIC.len() as u64);
        let read = self.input.seek(SeekFrom::Start(start)).and_then(|_| self.input.read_exact(&mut self.bytes));
        read.map_err(|error| self.bed.fault(&error))?;
        Ok(&self.bytes)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing at all".to_owned();
    }
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::simulate::{Settings, write};
    use crate::{Fileset, Fingerprint};
    use std::num::NonZeroUsize;

    /// Ledgers store fingerprints: they must never change, and must not depend on threads.
    #[test]
    fn fingerprints_are_of_blocks_in_the_order_of_the_file() {
        const PEOPLE: u32 = 40_001;
        let settings = Settings { cases: PEOPLE - 9, controls: 9, snps: 310, causes: vec![], ..Settings::default() };
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        write(&settings, 1, &file("t")).unwrap();
        let mut expected = Fingerprint::new([7; 32]);
        expected.add_file(&file("t.bim")).unwrap();
        expected.add_file(&file("t.fam")).unwrap();
        let genotypes = std::fs::read(file("t.bed")).unwrap();
        // 104 rows of 10,001 bytes are the most that fit into 2^20.
        let blocks = genotypes[3..].chunks(104 * 10_001);
        assert_eq!(blocks.len(), 3);
        blocks.for_each(|block| expected.add(blake3::keyed_hash(&[7; 32], block).as_bytes()));
        for threads in 1..5 {
            let mut found = Fingerprint::new([7; 32]);
            let files = Fileset::open(&file("t"), None).unwrap();
            let log = files.scan_into(&mut found, NonZeroUsize::new(threads).unwrap(), &mut |_| {}).unwrap();
            assert_eq!((found.hex(), log.used), (expected.hex(), 310));
        }
    }
}
