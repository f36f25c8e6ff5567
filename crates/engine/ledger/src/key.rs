//! The curator's secret, in a file beside the ledger.
//!
//! It hashes data files into fingerprints and salts the choice of rows that are kept, so that neither reveals
//! anything without the key.
//!
//! A key is first *proposed* (`.key.new`), then the ledger is created under it, then the key is *settled*
//! (`.key`). So a key without a ledger means that a ledger was lost, never that creating one was interrupted.

use crate::store::{self, StoreError};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// 32 secret bytes.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(secret)")
    }
}

/// A key file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The ledger exists without its key.
    #[error(
        "the ledger's key {0} is missing; restore it from a backup: without it the data cannot be compared with \
         what was registered"
    )]
    Missing(PathBuf),
    /// The key of another ledger.
    #[error("{0} is the key of another ledger; restore the right one from a backup")]
    Wrong(PathBuf),
    /// The file does not hold a key.
    #[error("{0} does not hold a key (64 hex digits); restore it from a backup")]
    Malformed(PathBuf),
    /// The operating system has no random bytes.
    #[error("the operating system returned no random bytes for a key: {0}")]
    Entropy(getrandom::Error),
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Key {
    /// A secret for one purpose; secrets of different purposes reveal nothing about each other or about the key.
    #[must_use]
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        self.hash("derive", purpose)
    }

    /// The value in the first entry by which the key is recognised.
    pub(crate) fn check_value(&self) -> String {
        blake3::Hash::from_bytes(self.hash("check", "")).to_hex().to_string()
    }

    fn hash(&self, use_of_it: &str, purpose: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(format!("deniable-key-v1 {use_of_it}\n{purpose}").as_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The settled key file of a ledger.
    pub(crate) fn path(ledger: &Path) -> PathBuf {
        beside(ledger, ".key")
    }

    /// The key under which a ledger is about to be created: a new one, or the one that another process
    /// proposed. `None` if that proposal is gone, because its ledger has been created meanwhile.
    pub(crate) fn propose(ledger: &Path) -> Result<Option<Self>, KeyError> {
        let place = beside(ledger, ".key.new");
        if let Some(key) = Self::read(&place)? {
            return Ok(Some(key));
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(KeyError::Entropy)?;
        let key = Self(bytes);
        if key.write(&place)? { Ok(Some(key)) } else { Self::read(&place) }
    }

    /// The key of an existing ledger; settles it if necessary.
    pub(crate) fn settle(ledger: &Path, check_value: &str) -> Result<Self, KeyError> {
        let (settled, proposed) = (Self::path(ledger), beside(ledger, ".key.new"));
        if let Some(key) = Self::read(&settled)? {
            return key.checked(check_value, &settled, &proposed);
        }
        if let Some(key) = Self::read(&proposed)?.filter(|key| key.check_value() == check_value) {
            // Never by renaming: by now the proposal under that name may be another process's.
            key.write(&settled)?;
            return key.checked(check_value, &settled, &proposed);
        }
        // Another process may have settled it between the two reads above.
        let key = Self::read(&settled)?.ok_or_else(|| KeyError::Missing(settled.clone()))?;
        key.checked(check_value, &settled, &proposed)
    }

    fn checked(self, check_value: &str, settled: &Path, proposed: &Path) -> Result<Self, KeyError> {
        if self.check_value() != check_value {
            return Err(KeyError::Wrong(settled.to_path_buf()));
        }
        // The ledger exists and so does its key: a remaining proposal is of no more use.
        match fs::remove_file(proposed) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                Err(StoreError::io(proposed, error).into())
            }
            _ => Ok(self),
        }
    }

    fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path, error).into()),
        };
        let digits = std::str::from_utf8(&bytes).ok().map(str::trim_end);
        let hash = digits.and_then(|digits| blake3::Hash::from_hex(digits).ok());
        hash.map(|hash| Some(Self(*hash.as_bytes()))).ok_or_else(|| KeyError::Malformed(path.to_path_buf()))
    }

    /// Writes the key, readable by this user only, unless the file exists; returns whether it was written.
    fn write(&self, path: &Path) -> Result<bool, StoreError> {
        let mut file = store::draft(path)?;
        let digits = blake3::Hash::from_bytes(self.0).to_hex();
        writeln!(file, "{digits}")
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| StoreError::io(path, error))?;
        store::publish(file.into_temp_path(), path)
    }
}

/// The ledger's path with a suffix.
pub(crate) fn beside(ledger: &Path, suffix: &str) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_apart_and_the_key_is_not_printed() {
        let key = Key([7; 32]);
        assert_ne!(key.derive("rows"), key.derive("files"));
        assert_ne!(blake3::Hash::from_bytes(key.derive("")).to_hex().to_string(), key.check_value());
        assert_eq!(format!("{key:?}"), "Key(secret)");
    }

    #[test]
    fn a_key_is_proposed_once_and_settled_once() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        let first = Key::propose(&ledger).unwrap().unwrap();
        let second = Key::propose(&ledger).unwrap().unwrap();
        assert_eq!(first.0, second.0);
        let settled = Key::settle(&ledger, &first.check_value()).unwrap();
        assert_eq!(first.0, settled.0);
        assert!(Key::path(&ledger).exists() && !beside(&ledger, ".key.new").exists());
        assert!(matches!(Key::settle(&ledger, "other"), Err(KeyError::Wrong(_))));
    }

    #[test]
    fn a_leftover_proposal_never_replaces_a_settled_key() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        let key = Key::propose(&ledger).unwrap().unwrap();
        Key::settle(&ledger, &key.check_value()).unwrap();
        let late = Key::propose(&ledger).unwrap().unwrap();
        assert_ne!(key.0, late.0);
        assert_eq!(Key::settle(&ledger, &key.check_value()).unwrap().0, key.0);
        assert!(!beside(&ledger, ".key.new").exists());
        // If the settled key is lost, the proposal of another process does not replace it.
        fs::remove_file(Key::path(&ledger)).unwrap();
        Key::propose(&ledger).unwrap();
        assert!(matches!(Key::settle(&ledger, &key.check_value()), Err(KeyError::Missing(_))));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_curator_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        let key = Key::propose(&ledger).unwrap().unwrap();
        Key::settle(&ledger, &key.check_value()).unwrap();
        assert_eq!(fs::metadata(Key::path(&ledger)).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_holds_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        for bad in ["", "abc", &"g".repeat(64), &"a".repeat(63), &"a".repeat(66)] {
            fs::write(Key::path(&ledger), bad).unwrap();
            assert!(matches!(Key::settle(&ledger, "x"), Err(KeyError::Malformed(_))), "{bad}");
        }
    }
}
