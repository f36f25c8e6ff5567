//! What rows hold, as a keyed hash: by it a registered version is known again.
//!
//! Of files it is of their bytes. Of a table in a database it has two parts, `marks.contents`: what is known without reading rows, and a keyed
//! sum over all of them, in whatever order they come (see `database`). Rows in memory have none that would stay the same: there it is of the declared columns'
//! values, as they are read, in their order.

use crate::error::SourceError;
use crate::files::DataFile;
use crate::meter::Meter;
use crate::scan::{Looked, ScanError, Wanted};
use crate::{Rows, Source};
use deniable_core::parallel::each;
use deniable_expression::Value;

/// What marks of objects begin with.
const OBJECTS: &[u8] = b"deniable 2026-11 marks of objects\0";
/// What those of rows in memory begin with, so that no file has the same.
const MEMORY: &[u8] = b"deniable 2026-11 rows in memory\0";

impl Source {
    /// A keyed hash of the contents of all files, whatever their names and order; of the values of rows in memory in their
    /// order, whatever their batches; or of the rows of a database in any order, with their relation and columns. It is worth nothing without the key, and must not be published all the same.
    ///
    /// # Errors
    /// When a file or database cannot be read, or rows in memory lack a declared column or hold it in a type that cannot be read as its own.
    pub fn fingerprint(&self, key: &[u8; 32]) -> Result<String, SourceError> {
        match &self.rows {
            Rows::Files { files, .. } => {
                let contents = of_files(files, key)?;
                Ok(marks_of(files, key).map_or(contents.clone(), |marks| format!("{marks}.{contents}")))
            }
            Rows::Memory(_) => self.of_memory(key),
            // The engine tells with the statement that adds them up, under a salt that is not known here.
            Rows::Engine(_) => Err(SourceError::in_engine(&self.table().name)),
            Rows::Database(found) => match found.fingerprint(key) {
                Some(known) => Ok(known),
                None => {
                    self.read_all(key)?;
                    found.fingerprint(key).ok_or_else(|| SourceError::Rows { table: self.table().name.clone() })
                }
            },
        }
    }

    /// What can be told of rows without reading any, as the beginning of their fingerprint, up to a point. `None` where that is nothing: there
    /// the whole fingerprint is to be compared. Where it agrees, a scan tells the rest ([`Self::of_version`]).
    #[must_use]
    pub fn marks(&self, key: &[u8; 32]) -> Option<String> {
        match &self.rows {
            Rows::Files { files, .. } => marks_of(files, key),
            Rows::Memory(_) => None,
            Rows::Database(found) => Some(found.marks(key)),
            Rows::Engine(found) => Some(found.marks(key)),
        }
    }

    /// Whether two fingerprints are of the same rows. Files may be copied, to a store of objects and back: their contents decide. Of a database
    /// the relation and its columns do, too.
    #[must_use]
    pub fn has_contents(&self, registered: &str, found: &str) -> bool {
        let contents = |fingerprint: &str| fingerprint.rsplit('.').next().map(str::to_owned);
        match &self.rows {
            Rows::Files { .. } => contents(registered) == contents(found),
            Rows::Memory(_) | Rows::Database(_) | Rows::Engine(_) => registered == found,
        }
    }

    /// Reads all rows of a database, for what they are.
    fn read_all(&self, key: &[u8; 32]) -> Result<(), SourceError> {
        let scan = self.clone().of_version(*key, None).scan(&[], &Meter::new())?;
        let done = scan.run(1, || (), |(), _| Ok::<(), std::convert::Infallible>(()));
        done.map(drop).map_err(|error| match error {
            ScanError::Source(error) => error,
            ScanError::Work(never) => match never {},
        })
    }

    fn of_memory(&self, key: &[u8; 32]) -> Result<String, SourceError> {
        let columns = &self.table().columns;
        let wanted: Vec<Wanted> = (0..columns.len()).map(Wanted::typed).collect();
        // On one thread they come in their order; rows in memory have no other form, and are never broken.
        let start = || (0_u64, columns.iter().map(|_| blake3::Hasher::new_keyed(key)).collect::<Vec<_>>());
        let hashed = self.scan(&wanted, &Meter::new())?.look(1, start, |(rows, hashers), seen| {
            *rows += seen.rows as u64;
            hashers.iter_mut().zip(&seen.columns).for_each(|(hasher, column)| add(hasher, column));
            Ok(())
        })?;
        let (rows, hashers) = hashed.into_iter().next().unwrap_or_else(start);
        let mut all = blake3::Hasher::new_keyed(key);
        all.update(MEMORY);
        all.update(&rows.to_le_bytes());
        for (column, hasher) in columns.iter().zip(hashers) {
            all.update(&(column.name.len() as u64).to_le_bytes());
            all.update(column.name.as_bytes());
            all.update(hasher.finalize().as_bytes());
        }
        Ok(all.finalize().to_hex().to_string())
    }
}

/// Adds the values of a column: each in bytes that no other sequence of values of its type has.
fn add(hasher: &mut blake3::Hasher, column: &Looked) {
    for row in 0..column.values.len() {
        match column.values.value(row) {
            // What stands there and cannot be read is a matter of its own: `data check` counts it.
            None => hasher.update(&[u8::from(column.present.value(row))]),
            Some(value) => {
                hasher.update(&[2]);
                match value {
                    Value::Integer(number) => hasher.update(&number.to_le_bytes()),
                    // One zero, as it is compared.
                    Value::Decimal(number) => hasher.update(&(number.get() + 0.0).to_bits().to_le_bytes()),
                    Value::Text(text) => {
                        hasher.update(&(text.len() as u64).to_le_bytes());
                        hasher.update(text.as_bytes())
                    }
                    Value::Boolean(truth) => hasher.update(&[u8::from(truth)]),
                    Value::Date(day) => hasher.update(&day.get().to_le_bytes()),
                    Value::Timestamp(moment) => hasher.update(&moment.get().to_le_bytes()),
                }
            }
        };
    }
}

/// A keyed hash of what tells objects of stores from others without reading them; `None` of files on this machine.
fn marks_of(files: &[DataFile], key: &[u8; 32]) -> Option<String> {
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
    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
    use deniable_core::schema::{Column, ColumnType, TableSchema};
    use std::sync::Arc;

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

    /// More files than there are threads: each counts once, and the first that cannot be read is told.
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

    /// Ledgers remember fingerprints: they may never change.
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
        let rows = batch(&[Some(1), None], &[Some("a"), None], &[0.5, f64::NAN]);
        assert_eq!(
            source(vec![rows]).fingerprint(&[1; 32]).unwrap(),
            "75b3e04b45493d347e3a66a9b6017d7a5218c566b99ddfd035f8a30bb99a63bc"
        );
    }

    fn column(name: &str, kind: ColumnType) -> Column {
        Column::new(name, kind)
    }

    fn source(batches: Vec<RecordBatch>) -> Source {
        let columns =
            vec![column("n", ColumnType::Integer), column("t", ColumnType::Text), column("x", ColumnType::Decimal)];
        Source::memory(TableSchema::protected("t", columns, None), batches)
    }

    fn batch(n: &[Option<i64>], t: &[Option<&str>], x: &[f64]) -> RecordBatch {
        let arrays: [(&str, ArrayRef); 3] = [
            ("n", Arc::new(Int64Array::from(n.to_vec()))),
            ("t", Arc::new(StringArray::from(t.to_vec()))),
            ("x", Arc::new(Float64Array::from(x.to_vec()))),
        ];
        RecordBatch::try_from_iter(arrays).unwrap()
    }

    #[test]
    fn of_rows_in_memory_it_follows_values_and_not_batches() {
        let of = |batches: Vec<RecordBatch>| source(batches).fingerprint(&[1; 32]).unwrap();
        let whole = batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.0, f64::NAN]);
        let known = of(vec![whole.clone()]);
        assert_eq!(known, of(vec![whole.slice(0, 1), whole.slice(1, 2)]));
        assert_eq!(
            known,
            of(vec![batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, -0.0, f64::NAN])])
        );
        assert_ne!(known, source(vec![whole.clone()]).fingerprint(&[2; 32]).unwrap());
        for other in [
            batch(&[Some(1), Some(0), Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.0, f64::NAN]),
            batch(&[Some(1), None, Some(3)], &[Some("a"), None, None], &[0.5, 0.0, f64::NAN]),
            batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.25, f64::NAN]),
            whole.slice(0, 2),
        ] {
            assert_ne!(known, of(vec![other]));
        }
        assert_ne!(of(Vec::new()), of_files(&[], &[1; 32]).unwrap(), "no rows are not no files");
    }
}
