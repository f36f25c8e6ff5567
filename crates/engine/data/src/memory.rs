//! A memory limit that threads share, and temporary files for data that does not fit.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A pool of bytes from which users reserve parts; without a limit, every reservation succeeds.
#[derive(Debug, Clone)]
pub struct Memory(Arc<MemoryUse>);

#[derive(Debug)]
struct MemoryUse {
    limit: usize,
    used: AtomicUsize,
}

impl Memory {
    /// A pool of this many bytes; `None` is unlimited.
    #[must_use]
    pub fn new(limit: Option<usize>) -> Self {
        Self(Arc::new(MemoryUse { limit: limit.unwrap_or(usize::MAX), used: AtomicUsize::new(0) }))
    }

    /// The number of reserved bytes.
    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The number of bytes in the pool; `None` is unlimited.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        (self.0.limit != usize::MAX).then_some(self.0.limit)
    }

    /// An empty reservation.
    #[must_use]
    pub fn reserve(&self) -> Reservation {
        Reservation { memory: self.clone(), size: 0 }
    }
}

/// Reserved bytes, returned to the pool on drop.
#[derive(Debug)]
pub struct Reservation {
    memory: Memory,
    size: usize,
}

impl Reservation {
    /// The number of reserved bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Reserves more bytes. Returns false, and reserves nothing, if the limit does not allow it.
    #[must_use]
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let Some(size) = self.size.checked_add(bytes) else { return false };
        let limit = self.memory.0.limit;
        let grown = |used: usize| used.checked_add(bytes).filter(|used| *used <= limit);
        let fits = self.memory.0.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).is_ok();
        if fits {
            self.size = size;
        }
        fits
    }

    /// Returns some bytes, at most all.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.size);
        self.size -= bytes;
        self.memory.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Changes the reservation to this size. Returns false, and changes nothing, if the limit does not allow it.
    #[must_use]
    pub fn resize(&mut self, bytes: usize) -> bool {
        match bytes.checked_sub(self.size) {
            Some(more) => self.try_grow(more),
            None => {
                self.shrink(self.size - bytes);
                true
            }
        }
    }

    /// Returns all bytes.
    pub fn free(&mut self) {
        self.shrink(self.size);
    }

    /// Splits off a part, at most all of it, as a separate reservation.
    #[must_use]
    pub fn split(&mut self, bytes: usize) -> Self {
        let size = bytes.min(self.size);
        self.size -= size;
        Self { memory: self.memory.clone(), size }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.free();
    }
}

/// An unnamed file that is deleted when it is closed, even if the process is killed; in this folder, or in the system's
/// folder for temporary files.
///
/// # Errors
/// When it cannot be created.
pub fn temporary_file(folder: Option<&Path>) -> std::io::Result<File> {
    folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_respect_the_limit_and_are_returned() {
        let memory = Memory::new(Some(100));
        let mut one = memory.reserve();
        assert!(one.try_grow(60) && !one.try_grow(41));
        let mut other = memory.reserve();
        assert!(!other.resize(41) && other.resize(40));
        assert_eq!((memory.used(), one.size(), other.size()), (100, 60, 40));
        assert!(other.resize(10));
        let part = one.split(50);
        assert_eq!((one.size(), part.size(), memory.used()), (10, 50, 70));
        drop(part);
        one.shrink(1_000);
        assert_eq!((one.size(), memory.used()), (0, 10));
        other.free();
        assert_eq!((memory.used(), memory.limit()), (0, Some(100)));
        let mut endless = Memory::new(None).reserve();
        assert!(endless.try_grow(usize::MAX) && !endless.try_grow(1));
    }

    #[test]
    fn threads_share_one_limit() {
        let memory = Memory::new(Some(1_000));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let mut mine = memory.reserve();
                        if mine.try_grow(400) {
                            assert!(memory.used() <= 1_000);
                        }
                    }
                });
            }
        });
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn temporary_files_have_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = temporary_file(Some(folder.path())).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(file);
        assert!(temporary_file(Some(&folder.path().join("none"))).is_err());
    }
}
