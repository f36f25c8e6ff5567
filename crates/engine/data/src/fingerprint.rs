//! Fingerprints: keyed hashes of rows, by which a registered version is recognised.
//!
//! For files, it is a hash of their bytes. For a table in a database it has two parts, `marks.contents`: a hash of what
//! is known without reading rows, and a keyed sum over all rows in any order (see `deniable_postgres`). For rows in
//! memory it is such a sum over the values of the declared columns (see `in_memory`).

use crate::Source;
use crate::error::SourceError;
use crate::files::DataFile;
use deniable_core::parallel::each;

/// Domain of the keyed hashes of objects.
const OBJECTS: &[u8] = b"deniable 2026-11 marks of objects\0";

impl Source {
    /// A keyed hash of the contents: of all files, independent of their names and order; of the values of rows in
    /// memory, independent of batches and order; or of the rows of a database in any order, with their relation and
    /// columns. It is useless without the key, and must not be published all the same.
    ///
    /// # Errors
    /// When a file or database cannot be read, or rows in memory lack a declared column or store it in an unsuitable
    /// type.
    pub fn fingerprint(&self, key: &[u8; 32]) -> Result<String, SourceError> {
        self.rows.fingerprint(self, key)
    }

    /// The part of the fingerprint that is known without reading rows; `None` if there is none, and the whole
    /// fingerprint must be compared. If it matches, a scan computes the rest ([`Self::of_version`]).
    #[must_use]
    pub fn marks(&self, key: &[u8; 32]) -> Option<String> {
        self.rows.marks(key)
    }

    /// Whether two fingerprints are of the same rows. Files may be moved to an object store and back, so only their
    /// contents are compared. For a database, the relation and its columns are compared as well.
    #[must_use]
    pub fn has_contents(&self, registered: &str, found: &str) -> bool {
        self.rows.has_contents(registered, found)
    }
}

/// A keyed hash that identifies objects in stores without reading them; `None` for local files.
pub(crate) fn marks_of(files: &[DataFile], key: &[u8; 32]) -> Option<String> {
    let mut marks: Vec<Vec<u8>> = files.iter().filter_map(|file| Some(file.object()?.marks())).collect();
    if marks.is_empty() {
        return None;
    }
    marks.sort_unstable();
    let mut all = blake3::Hasher::new_keyed(key);
    all.update(OBJECTS);
    for mark in marks {
        all.update(&(mark.len() as u64).to_le_bytes());
        all.update(&mark);
    }
    Some(all.finalize().to_hex().to_string())
}

/// A keyed hash over the contents of the files, independent of their order and names. Files are read on all threads.
pub(crate) fn of_files(files: &[DataFile], key: &[u8; 32]) -> Result<String, SourceError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut contents: Vec<[u8; 32]> = each(threads, files, |file| of_file(file, key))?;
    contents.sort_unstable();
    let mut all = blake3::Hasher::new_keyed(key);
    for content in contents {
        all.update(&content);
    }
    Ok(all.finalize().to_hex().to_string())
}

fn of_file(file: &DataFile, key: &[u8; 32]) -> Result<[u8; 32], SourceError> {
    let unreadable = |error: std::io::Error| file.unreadable(&error);
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update_reader(file.open().map_err(unreadable)?).map_err(unreadable)?;
    Ok(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_follow_contents_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "one").unwrap();
        std::fs::write(at("b"), "two").unwrap();
        let key = [1; 32];
        let first = of_files(&[at("a").into(), at("b").into()], &key).unwrap();
        assert_eq!(first, of_files(&[at("b").into(), at("a").into()], &key).unwrap());
        assert_ne!(first, of_files(&[at("a").into(), at("b").into()], &[2; 32]).unwrap());
        std::fs::write(at("b"), "too").unwrap();
        assert_ne!(first, of_files(&[at("a").into(), at("b").into()], &key).unwrap());
    }

    /// With more files than threads, each file counts once, and the first unreadable one is reported.
    #[test]
    fn many_files_are_hashed_as_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<DataFile> = (0..50).map(|file| folder.path().join(format!("{file}")).into()).collect();
        let mut contents = Vec::new();
        for (at, file) in files.iter().enumerate() {
            let text = format!("{at} ").repeat(1 + at * 997 % 5_000);
            std::fs::write(file.path(), &text).unwrap();
            contents.push(*blake3::keyed_hash(&[3; 32], text.as_bytes()).as_bytes());
        }
        contents.sort_unstable();
        let expected = blake3::keyed_hash(&[3; 32], contents.as_flattened()).to_hex().to_string();
        assert_eq!(of_files(&files, &[3; 32]).unwrap(), expected);
        for file in [17, 30, 49] {
            std::fs::remove_file(files[file].path()).unwrap();
        }
        for _ in 0..20 {
            let error = of_files(&files, &[3; 32]).unwrap_err();
            assert!(matches!(&error, SourceError::Unreadable { path, .. } if path == files[17].path()), "{error}");
        }
    }

    /// Ledgers store fingerprints, so they must never change.
    #[test]
    fn fingerprints_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "one").unwrap();
        std::fs::write(at("b"), "two").unwrap();
        assert_eq!(
            of_files(&[at("a").into(), at("b").into()], &[1; 32]).unwrap(),
            "b9609f183daad66b43e30d35e8c6f67005611c27ef5b57c43fe75021ad3be47d"
        );
    }
}
