//! Genotypes: a .bed file in the SNP-major order, read in blocks by several threads.

use crate::cohort::Counts;
use crate::counting::{Masks, count, row_bytes, to_words};
use crate::file_error::{FileError, FileErrorKind};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What a SNP-major file begins with.
const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
/// Bytes that a thread reads at once, unless one SNP takes more.
const BLOCK: usize = 1 << 20;

/// A .bed file that begins as it must, and is as long as it must be.
#[derive(Debug, Clone)]
pub(crate) struct Bed {
    file: PathBuf,
    row: usize,
    snps: u64,
}

impl Bed {
    /// Checks the beginning and the length.
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

    /// SNPs that a thread reads at once.
    fn block(&self) -> usize {
        (BLOCK / self.row.max(1)).max(1)
    }

    /// A reader for each thread. Memory is a block for each of them. With a key, they hash what they read.
    pub(crate) fn workers(&self, threads: NonZeroUsize, key: Option<[u8; 32]>) -> Result<Vec<Worker>, FileError> {
        let blocks = self.snps.div_ceil(self.block() as u64);
        let useful = usize::try_from(blocks).unwrap_or(usize::MAX).min(threads.get()).max(1);
        let worker = |_| {
            let input = File::open(&self.file).map_err(|error| FileError::unreadable(&self.file, &error))?;
            Ok(Worker { input, key, bytes: Vec::new(), words: Vec::new(), counts: Vec::new(), hash: None })
        };
        (0..useful).map(worker).collect()
    }

    /// Counts the SNPs from `first` on, a block for each worker, less at the end of the file, and does something else meanwhile.
    /// Returns the SNP to go on with.
    pub(crate) fn count(
        &self,
        workers: &mut [Worker],
        first: u64,
        masks: &Masks,
        meanwhile: &mut dyn FnMut() -> Result<(), FileError>,
    ) -> Result<u64, FileError> {
        let block = self.block();
        let mut begin = first;
        std::thread::scope(|scope| {
            let mut running = Vec::with_capacity(workers.len());
            for worker in workers {
                let snps = usize::try_from(self.snps - begin).unwrap_or(usize::MAX).min(block);
                let start = begin;
                running.push(scope.spawn(move || worker.count(self.row, start, snps, masks)));
                begin += snps as u64;
            }
            meanwhile()?;
            for thread in running {
                match thread.join() {
                    Ok(result) => result.map_err(|error| self.fault(&error))?,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(begin)
        })
    }

    /// How many SNPs the file holds.
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

/// One thread's part: its own place in the file, and its own memory.
#[derive(Debug)]
pub(crate) struct Worker {
    input: File,
    bytes: Vec<u8>,
    words: Vec<u64>,
    counts: Vec<Counts>,
    key: Option<[u8; 32]>,
    hash: Option<[u8; 32]>,
}

impl Worker {
    /// Reads and counts `snps` SNPs from SNP `first` on.
    fn count(&mut self, row: usize, first: u64, snps: usize, masks: &Masks) -> std::io::Result<()> {
        self.counts.clear();
        self.hash = None;
        if snps == 0 {
            return Ok(());
        }
        // The length of the file was checked against people and SNPs: a block is never longer than the file.
        self.bytes.resize(row * snps, 0);
        self.input.seek(SeekFrom::Start(MAGIC.len() as u64 + first * row as u64))?;
        self.input.read_exact(&mut self.bytes)?;
        self.hash = self.key.map(|key| blake3::keyed_hash(&key, &self.bytes).into());
        for bytes in self.bytes.chunks_exact(row.max(1)) {
            to_words(bytes, &mut self.words);
            self.counts.push(count(&self.words, masks));
        }
        Ok(())
    }

    /// The hash of the block, where there is a block and a key. Where blocks begin depends on the number of people alone.
    pub(crate) fn hash(&self) -> Option<&[u8; 32]> {
        self.hash.as_ref()
    }

    /// What it counted, in the order of the file.
    pub(crate) fn counts(&self) -> &[Counts] {
        &self.counts
    }
}

/// Reads one SNP after another, in any order. Memory is that of one SNP.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    bed: &'a Bed,
    input: File,
    bytes: Vec<u8>,
}

impl Rows<'_> {
    /// The packed genotypes of a SNP, by its place from 0.
    pub(crate) fn read(&mut self, snp: u64) -> Result<&[u8], FileError> {
        // A place beyond the file is found by reading on from its end.
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
