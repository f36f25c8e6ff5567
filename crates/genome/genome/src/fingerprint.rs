//! What files hold, hashed under a key (BLAKE3): to tell later whether they are still the same.
//!
//! Genotypes are hashed block by block by the threads that count them, so that what is fingerprinted is what was counted, and
//! costs no second reading.

use crate::file_error::FileError;
use std::fs::File;
use std::path::Path;

/// A fingerprint in the making.
#[derive(Debug, Clone)]
pub struct Fingerprint {
    key: [u8; 32],
    all: blake3::Hasher,
}

impl Fingerprint {
    /// Nothing yet, under this key: without it, nobody can try whether somebody's genotypes are in the files.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, all: blake3::Hasher::new_keyed(&key) }
    }

    /// Adds a whole file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn add_file(&mut self, file: &Path) -> Result<(), FileError> {
        let unreadable = |error| FileError::unreadable(file, &error);
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update_reader(File::open(file).map_err(unreadable)?).map_err(unreadable)?;
        self.add(&hasher.finalize().into());
        Ok(())
    }

    /// Adds what was hashed elsewhere under the same key.
    pub fn add(&mut self, hash: &[u8; 32]) {
        self.all.update(hash);
    }

    /// The key of hashes that are added.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// In hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        self.all.finalize().to_hex().to_string()
    }
}
