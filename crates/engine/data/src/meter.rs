//! Progress of reading files; for the curator alone, since it depends on private rows.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of a computation. For the curator: it depends on private rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// The number of rows read.
    pub rows: u64,
    /// The number of bytes read; `None` for rows in memory.
    pub bytes: Option<u64>,
    /// The size of all files in bytes. Unused columns are not read, if the format allows skipping them, so fewer bytes
    /// may be read.
    pub size: Option<u64>,
}

/// Counts rows read, and bytes before decompression and decoding.
#[derive(Debug, Default)]
pub struct Meter {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    /// A meter at zero.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn add_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Rows read so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Bytes read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The progress, given the total size in bytes.
    #[must_use]
    pub fn progress(&self, size: Option<u64>) -> Progress {
        Progress { rows: self.rows(), bytes: Some(self.bytes()).filter(|bytes| *bytes > 0), size }
    }
}

/// A reader that counts its bytes.
pub(crate) struct MeteredReader<R> {
    pub(crate) inner: R,
    pub(crate) meter: Arc<Meter>,
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.meter.add_bytes(count as u64);
        Ok(count)
    }
}
