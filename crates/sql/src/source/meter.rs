//! How much of text files was read so far: for the curator, since it depends on private rows.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows, and bytes before anything is unpacked or decoded.
#[derive(Debug, Default)]
pub(super) struct Meter {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    pub(super) fn add_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A reader whose bytes are counted.
pub(super) struct Metered<R> {
    pub(super) inner: R,
    pub(super) meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.meter.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
