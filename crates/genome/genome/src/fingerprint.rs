//! Keyed hashes (BLAKE3) of the contents of files, to check later that they are unchanged.
//!
//! Genotypes are hashed block by block by the threads that count them, so the fingerprint covers exactly the counted
//! bytes, without reading them again.

use crate::file_error::FileError;
use std::fs::File;
use std::path::Path;

/// An incremental fingerprint.
#[derive(Debug, Clone)]
pub struct Fingerprint {
    key: [u8; 32],
    all: blake3::Hasher,
}

impl Fingerprint {
    /// An empty fingerprint under this key: without the key, guesses of a person's genotypes in the files cannot be
    /// tested.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, all: blake3::Hasher::new_keyed(&key) }
    }

    /// Adds the contents of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add_file(&mut self, file: &Path) -> Result<(), FileError> {
        let unreadable = |error| FileError::unreadable(file, &error);
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update_reader(File::open(file).map_err(unreadable)?).map_err(unreadable)?;
        self.add(&hasher.finalize().into());
        Ok(())
    }

    /// Adds a hash that was computed elsewhere under the same key.
    pub fn add(&mut self, hash: &[u8; 32]) {
        self.all.update(hash);
    }

    /// The key for hashes to add.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The fingerprint in hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        self.all.finalize().to_hex().to_string()
    }
}
