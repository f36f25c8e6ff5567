//! Keyed hashes of the entities of a version, by which a later version finds out whether it contains one of them.

use crate::error::SourceError;
use crate::memory::{Memory, Reservation};
use deniable_expression::Column;
use std::collections::HashMap;

/// A keyed hash of an entity's key: equal for equal keys of one type, and without the ledger's key for nothing of use.
pub type EntityHash = [u8; 16];

/// Bytes of memory for an entity, with its place in the table.
const BYTES: usize = 2 * (size_of::<EntityHash>() + size_of::<u64>());
/// Entities for which memory is reserved at once.
const AT_ONCE: usize = 1 << 10;

/// The distinct entities of a version, with the numbers of their rows. Rows without a key have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityHashes {
    /// The type of the keys, by its name: keys of different types have no equal hashes.
    pub key_type: String,
    /// The number of rows of each entity.
    pub rows: HashMap<EntityHash, u64>,
}

/// Computes the hashes, on several threads.
pub(crate) struct EntityHasher {
    key: [u8; 32],
    memory: Memory,
}

/// The entities in the rows of one thread.
pub(crate) struct HashedRows {
    rows: HashMap<EntityHash, u64>,
    reserved: Reservation,
    room: usize,
}

impl EntityHasher {
    pub(crate) fn new(key: [u8; 32], memory: Option<usize>) -> Self {
        Self { key, memory: Memory::new(memory) }
    }

    pub(crate) fn start(&self) -> HashedRows {
        HashedRows { rows: HashMap::new(), reserved: self.memory.reserve(), room: 0 }
    }

    /// Adds the entities of these rows.
    ///
    /// # Errors
    /// When they need more memory than allowed.
    pub(crate) fn add(&self, hashed: &mut HashedRows, keys: &Column, table: &str) -> Result<(), SourceError> {
        let full = |()| SourceError::Memory { table: table.to_owned() };
        match keys {
            Column::Integer(numbers) => numbers
                .iter()
                .flatten()
                .try_for_each(|number| hashed.add(self.hash(b"integer", &number.to_le_bytes())).map_err(full)),
            // The rows of an entity are often adjacent: equal texts that follow each other are hashed once.
            Column::Text(texts) => {
                let mut last: Option<(&str, EntityHash)> = None;
                texts.iter().flatten().try_for_each(|text| {
                    let hash = match last {
                        Some((known, hash)) if known == text => hash,
                        _ => self.hash(b"text", text.as_bytes()),
                    };
                    last = Some((text, hash));
                    hashed.add(hash).map_err(full)
                })
            }
            // Keys are whole numbers or texts.
            Column::Boolean(_) | Column::Decimal(_) | Column::Date(_) | Column::Timestamp(_) => Ok(()),
        }
    }

    fn hash(&self, key_type: &[u8], value: &[u8]) -> EntityHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(key_type).update(&[0]).update(value);
        let mut hash = EntityHash::default();
        hasher.finalize_xof().fill(&mut hash);
        hash
    }

    /// The entities of all threads.
    ///
    /// # Errors
    /// When they need more memory than allowed.
    pub(crate) fn finish(
        &self,
        all: Vec<HashedRows>,
        key_type: &str,
        table: &str,
    ) -> Result<EntityHashes, SourceError> {
        let mut whole = self.start();
        for one in all {
            for (hash, rows) in one.rows {
                whole.count(hash, rows).map_err(|()| SourceError::Memory { table: table.to_owned() })?;
            }
        }
        Ok(EntityHashes { key_type: key_type.to_owned(), rows: whole.rows })
    }
}

impl HashedRows {
    fn add(&mut self, hash: EntityHash) -> Result<(), ()> {
        self.count(hash, 1)
    }

    fn count(&mut self, hash: EntityHash, rows: u64) -> Result<(), ()> {
        if self.rows.len() == self.room {
            if !self.reserved.try_grow(AT_ONCE.saturating_mul(BYTES)) {
                return Err(());
            }
            self.room = self.room.saturating_add(AT_ONCE);
        }
        let known = self.rows.entry(hash).or_default();
        *known = known.saturating_add(rows);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringViewArray};

    fn hashes(key: u8, memory: Option<usize>, columns: &[Column]) -> Result<EntityHashes, SourceError> {
        let hasher = EntityHasher::new([key; 32], memory);
        let each = columns.iter().map(|column| {
            let mut rows = hasher.start();
            hasher.add(&mut rows, column, "t")?;
            Ok(rows)
        });
        hasher.finish(each.collect::<Result<_, SourceError>>()?, "key", "t")
    }

    #[test]
    fn entities_are_counted_over_threads_and_depend_on_the_key() {
        let texts = |texts: Vec<Option<&str>>| Column::Text(StringViewArray::from(texts));
        let (one, other) = (texts(vec![Some("a"), Some("a"), None, Some("b")]), texts(vec![Some("b"), Some("7")]));
        let found = hashes(1, None, &[one.clone(), other.clone()]).unwrap();
        let mut rows: Vec<u64> = found.rows.values().copied().collect();
        rows.sort_unstable();
        assert_eq!(rows, [1, 2, 2], "7, a and b; a row without a key is of nobody");
        assert_eq!(hashes(1, None, &[other.clone(), one]).unwrap(), found);
        let hash = |key, column: &Column| hashes(key, None, std::slice::from_ref(column)).unwrap();
        assert!(hash(2, &other).rows.keys().all(|hash| !found.rows.contains_key(hash)), "another key");
        let number = Column::Integer(Int64Array::from(vec![Some(7), None]));
        assert_eq!(hash(1, &number).rows.len(), 1);
        assert!(hash(1, &number).rows.keys().all(|hash| !found.rows.contains_key(hash)), "another type");
    }

    #[test]
    fn memory_is_limited() {
        let many = Column::Integer((0..100_000).map(Some).collect::<Int64Array>());
        let limit = 1_000_000;
        assert!(matches!(hashes(1, Some(limit), std::slice::from_ref(&many)), Err(SourceError::Memory { .. })));
        let same = Column::Integer((0..100_000).map(|at| Some(at % 100)).collect::<Int64Array>());
        assert_eq!(hashes(1, Some(limit), &[same]).unwrap().rows.len(), 100);
    }
}
