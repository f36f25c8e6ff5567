//! Files of large answers: named by the hash of their bytes, and in place before anything refers to them.

use super::{MOST, UnreadableAnswer};
use crate::entry::EncodeError;
use crate::key::beside;
use crate::store::{self, StoreError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Separates the hashes of files from every other use of the hash function.
const DOMAIN: &str = "deniable-ledger-v1 answer file";
/// zstd's default compromise between speed and size.
const LEVEL: i32 = 3;

/// A file in the folder of answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ClaimedFile")]
pub struct AnswerFile {
    hash: String,
    bytes: u64,
}

/// The same before validation: the hash may be malformed, or the length above the limit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimedFile {
    hash: String,
    bytes: u64,
}

impl TryFrom<ClaimedFile> for AnswerFile {
    type Error = &'static str;

    fn try_from(ClaimedFile { hash, bytes }: ClaimedFile) -> Result<Self, Self::Error> {
        Self::new(hash, bytes).ok_or("its hash is malformed, or its length is above the limit")
    }
}

impl AnswerFile {
    /// The file whose bytes have this hash and hold a text of `bytes` bytes; `None` if the hash or the length is
    /// invalid.
    fn new(hash: String, bytes: u64) -> Option<Self> {
        let is_hash = blake3::Hash::from_hex(&hash).is_ok_and(|read| read.to_hex().as_str() == hash);
        (is_hash && bytes <= MOST).then_some(Self { hash, bytes })
    }

    /// The file's name in the folder of answers.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.json.zst", self.hash)
    }

    /// The file of an answer's text, with the compressed bytes.
    pub(super) fn of(text: &[u8]) -> Result<(Self, Vec<u8>), EncodeError> {
        let packed = zstd::bulk::compress(text, LEVEL).map_err(|_| EncodeError::Altered)?;
        let file = Self::new(hash(&packed), text.len() as u64).ok_or(EncodeError::TooLong)?;
        Ok((file, packed))
    }

    /// Writes the file beside a ledger, durably. It replaces a file of the same name, left by a crash or written for
    /// another answer with the same text.
    pub(super) fn write(&self, ledger: &Path, packed: &[u8]) -> Result<(), StoreError> {
        let path = make_folder(ledger)?.join(self.name());
        let mut draft = store::draft(&path)?;
        let io = |error| StoreError::io(&path, error);
        draft.write_all(packed).map_err(io)?;
        #[cfg(unix)]
        draft.as_file().set_permissions(fs::metadata(ledger).map_err(io)?.permissions()).map_err(io)?;
        draft.as_file().sync_all().map_err(io)?;
        draft.persist(&path).map_err(|refused| io(refused.error))?;
        store::sync_folder_of(&path)
    }

    pub(super) fn read(&self, folder: &Path) -> Result<Vec<u8>, UnreadableAnswer> {
        let path = folder.join(self.name());
        let packed = self.packed(&path)?;
        unpacked(&packed, self.bytes).ok_or(UnreadableAnswer::Length { path, bytes: self.bytes })
    }

    /// The compressed bytes, after their hash was compared.
    fn packed(&self, path: &Path) -> Result<Vec<u8>, UnreadableAnswer> {
        let io = |source: std::io::Error| match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => UnreadableAnswer::Missing(path.to_path_buf()),
            _ => UnreadableAnswer::Io { path: path.to_path_buf(), source },
        };
        let opened = File::open(path).map_err(io)?;
        // No text of this length is compressed to more bytes: a longer file is a different one, and is not read to its
        // end.
        let most = self.bytes + self.bytes / 128 + 1024;
        let mut bytes = Vec::new();
        opened.take(most + 1).read_to_end(&mut bytes).map_err(io)?;
        if hash(&bytes) == self.hash { Ok(bytes) } else { Err(UnreadableAnswer::Changed(path.to_path_buf())) }
    }
}

/// The decompressed text, if it has exactly this length.
fn unpacked(packed: &[u8], bytes: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
    decoder.take(bytes + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 == bytes).then_some(text)
}

fn hash(bytes: &[u8]) -> String {
    blake3::Hasher::new_derive_key(DOMAIN).update(bytes).finalize().to_hex().to_string()
}

/// The folder of a ledger's large answers.
pub(crate) fn folder(ledger: &Path) -> PathBuf {
    beside(ledger, ".answers")
}

/// Creates the folder of large answers if it is missing, with the permissions of the ledger.
fn make_folder(ledger: &Path) -> Result<PathBuf, StoreError> {
    let folder = folder(ledger);
    let io = |error| StoreError::io(&folder, error);
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(&folder) {
        Ok(()) => {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::metadata(ledger).map_err(io)?.permissions().mode();
                // Users who may read the ledger may enter the folder.
                let mode = (mode | ((mode & 0o444) >> 2)) & 0o777;
                fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).map_err(io)?;
            }
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
        Err(error) => return Err(io(error)),
    }
    // Also if the folder existed: the process that created it may have died before it was durable.
    store::sync_folder_of(&folder)?;
    Ok(folder)
}

/// The path of a file in the folder of answers. Creates the folder.
pub(crate) fn answers_file(ledger: &Path, name: &str) -> Result<PathBuf, StoreError> {
    Ok(make_folder(ledger)?.join(name))
}

/// The number of files in the folder of answers that are not among `known`.
pub(crate) fn strays(ledger: &Path, known: &[PathBuf]) -> Result<u64, StoreError> {
    let folder = folder(ledger);
    let io = |error| StoreError::io(&folder, error);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(io(error)),
    };
    let mut strays = 0;
    for entry in entries {
        strays += u64::from(!known.contains(&entry.map_err(io)?.path()));
    }
    Ok(strays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Event;

    #[test]
    fn files_of_answers_are_named_by_a_hash_and_have_a_possible_length() {
        let written = |hash: &str, bytes: &str| {
            format!(r#"{{"charge":1,"form":"sql/1","file":{{"hash":"{hash}","bytes":{bytes}}}}}"#)
        };
        let hash = "0123456789abcdef".repeat(4);
        let good = written(&hash, "70000");
        assert_eq!(Event::decode("answered-in-file", &good).unwrap().encode().unwrap(), good);
        let long = format!("../{}", &hash[3..]);
        for bad in [
            written(&long, "70000"),
            written(&hash.to_uppercase(), "70000"),
            written(&hash[1..], "70000"),
            written(&hash, "1000000001"),
            written(&hash, "18446744073709551615"),
            written(&hash, "-1"),
            good.replace("sql/1", "sql"),
            good.replace(r#""bytes""#, r#""byte""#),
            good.replace(r#","form":"sql/1""#, ""),
        ] {
            assert!(Event::decode("answered-in-file", &bad).is_err(), "{bad}");
        }
    }

    /// Decompression stops at the stated length.
    #[test]
    fn a_text_of_another_length_is_refused() {
        let text = "x".repeat(1_000_000);
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL).unwrap();
        assert_eq!(unpacked(&packed, 1_000_000).as_deref(), Some(text.as_bytes()));
        for other in [0, 1, 999_999, 1_000_001, MOST] {
            assert_eq!(unpacked(&packed, other), None, "{other}");
        }
        assert_eq!(unpacked(b"no zstd", 7), None);
    }
}
