//! How far the reading of files has come: for the curator, since it depends on private rows.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a computation has come. For the curator: it depends on private rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows read.
    pub rows: u64,
    /// Bytes read; `None` for rows in memory.
    pub bytes: Option<u64>,
    /// Bytes of all files together. Columns that are not used are not read, where the format allows that.
    pub size: Option<u64>,
}

/// Rows read, and bytes before anything is unpacked or decoded.
#[derive(Debug, Default)]
pub struct Meter {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    /// Nothing read yet.
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

    /// How far the reading of so many bytes has come.
    #[must_use]
    pub fn progress(&self, size: Option<u64>) -> Progress {
        Progress { rows: self.rows(), bytes: Some(self.bytes()).filter(|bytes| *bytes > 0), size }
    }
}

/// A reader whose bytes are counted.
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
