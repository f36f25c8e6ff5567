//! The entities of registered versions, as keyed hashes in files beside the ledger's key (C-9).
//!
//! The folder `<ledger>.entities` holds one file for each version of a table with new entities only. It is as secret as
//! the key: with both, a person's key shows whether the person is in the data. A file is written before its version is
//! registered, and is read only for registered versions: an interrupted registration leaves a file that the next one
//! replaces. A digest under the ledger's key binds it to the table, the version and the contents, so that a file that
//! is missing, cut short, or of other contents is refused.

use crate::by_version::VersionName;
use crate::key::beside;
use crate::ledger::Ledger;
use crate::store::{self, StoreError};
use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a file.
const MAGIC: &[u8] = b"deniable-entities-v1\n";
/// Bytes of a digest.
const DIGEST: usize = 32;
/// Bytes of a hash.
const WIDTH: usize = 16;

/// The hashes of the entities of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntities {
    /// The type of the keys, by its name.
    pub key_type: String,
    /// The hashes.
    pub hashes: BTreeSet<[u8; WIDTH]>,
}

/// A set of entities that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EntitiesError {
    /// The file of a registered version does not exist.
    #[error(
        "the entities of {version} are missing: {path} does not exist; restore it from a backup, together with the \
         ledger and its key. Without it no version can be compared with this one, and none is registered with \
         `new_entities_only`"
    )]
    Missing {
        /// The version.
        version: VersionName,
        /// The file.
        path: PathBuf,
    },
    /// The file is not the one that was written for the registered contents.
    #[error(
        "{path} does not hold the entities of {version}; restore it from a backup, together with the ledger and its key"
    )]
    Damaged {
        /// The version.
        version: VersionName,
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Ledger {
    /// Reads the entities of a registered version.
    ///
    /// # Errors
    /// When their file is missing, or is not the one of the registered contents.
    pub fn read_entities(&self, version: &VersionName) -> Result<KnownEntities, EntitiesError> {
        let path = self.entities_file(version);
        let missing = || EntitiesError::Missing { version: version.clone(), path: path.clone() };
        let damaged = || EntitiesError::Damaged { version: version.clone(), path: path.clone() };
        let contents = self.registered(&version.source, &version.version).ok_or_else(missing)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(missing());
            }
            Err(error) => return Err(StoreError::io(&path, error).into()),
        };
        let (digest, body) =
            bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(DIGEST)).ok_or_else(damaged)?;
        // The comparison of two `Hash` values takes constant time.
        let digest = blake3::Hash::from_slice(digest).map_err(|_| damaged())?;
        if digest != self.digest(version, contents, body) {
            return Err(damaged());
        }
        let (length, body) = body.split_first().ok_or_else(damaged)?;
        let (key_type, hashes) = body.split_at_checked(usize::from(*length)).ok_or_else(damaged)?;
        let key_type = String::from_utf8(key_type.to_vec()).map_err(|_| damaged())?;
        let (hashes, rest) = hashes.as_chunks::<WIDTH>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        Ok(KnownEntities { key_type, hashes: hashes.iter().copied().collect() })
    }

    /// Writes the entities of a version with these contents, which is about to be registered. On disk when this
    /// returns.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn store_entities(
        &self,
        version: &VersionName,
        contents: &str,
        entities: &KnownEntities,
    ) -> Result<(), EntitiesError> {
        let folder = self.entities_folder();
        let path = self.entities_file(version);
        let io = |error| StoreError::io(&path, error);
        create_private(&folder).map_err(|error| StoreError::io(&folder, error))?;
        store::sync_folder_of(&folder)?;
        let mut body = Vec::with_capacity(1 + entities.key_type.len() + entities.hashes.len() * WIDTH);
        body.push(u8::try_from(entities.key_type.len()).unwrap_or(u8::MAX));
        body.extend(entities.key_type.bytes().take(usize::from(u8::MAX)));
        entities.hashes.iter().for_each(|hash| body.extend(hash));
        let mut file = store::draft(&path)?;
        file.write_all(MAGIC)
            .and_then(|()| file.write_all(self.digest(version, contents, &body).as_bytes()))
            .and_then(|()| file.write_all(&body))
            .and_then(|()| file.as_file().sync_all())
            .map_err(io)?;
        file.persist(&path).map_err(|refused| io(refused.error))?;
        Ok(store::sync_folder_of(&path)?)
    }

    fn entities_folder(&self) -> PathBuf {
        beside(self.path(), ".entities")
    }

    /// The names of versions are of any length and characters, and so are hashed.
    fn entities_file(&self, version: &VersionName) -> PathBuf {
        let name = self.keyed("name of an entities file", version);
        self.entities_folder().join(format!("{}.hashes", name.finalize().to_hex()))
    }

    fn digest(&self, version: &VersionName, contents: &str, body: &[u8]) -> blake3::Hash {
        let mut hasher = self.keyed("digest of an entities file", version);
        hasher.update(&(contents.len() as u64).to_le_bytes()).update(contents.as_bytes());
        hasher.update(body).finalize()
    }

    fn keyed(&self, purpose: &str, version: &VersionName) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.key().derive(&format!("deniable 2026-11 {purpose}")));
        for text in [&version.source, &version.version] {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        hasher
    }
}

/// Creates a folder for this user only, unless it exists.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        created => created,
    }
}
