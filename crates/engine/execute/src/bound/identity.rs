//! Identities of entities, and the keyed hashes that decide which of their cells and rows are kept. The keys are derived
//! from the salt.
//!
//! SipHash-1-3 with 128 bits is a pseudo-random function for short inputs: without the salt, the kept rows can be
//! neither predicted nor chosen. The privacy promise does not depend on this, only the fairness of the choice: with any
//! function of an entity's own rows and the salt, one entity's rows change only the kept rows of that entity.

use super::Salt;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use deniable_core::text::hexadecimal;
use deniable_data::identity::{EntityBits, Identity, scattered};
use deniable_query::Ranking;
use sha2::{Digest, Sha256};
use siphasher::sip128::SipHasher13;
use std::sync::Arc;

/// Domain of hashed text keys.
const TEXTS: &str = "deniable 2026-11 identity of a text key";
/// Domain of hashed integer keys.
const INTEGERS: &str = "deniable 2026-11 identity of a whole-number key";
/// Domain of the ranks of rows in joins.
const JOINED: &str = "deniable 2026-11 ranks of rows in joins";
/// Domain of the ranks of cells, and of the choice of rows.
const RANKS: &str = "deniable 2026-11 ranks of cells and choice of rows";

/// A position in a secret order of records: 128 bits of a keyed hash.
pub(crate) type Rank = u128;

/// An entity's secret order of cells.
pub(super) enum CellSeed {
    /// One keyed hash, which is mixed with each cell.
    Mixed([u64; 2]),
    /// The hash state before the cell.
    Portable(Sha256),
}

impl CellSeed {
    /// The rank of a cell. Mixing is a bijection, so no two cells of an entity have the same rank.
    #[inline(always)]
    pub(super) fn rank(&self, cell: u32) -> u64 {
        match self {
            Self::Mixed(seed) => {
                let mixed = (u64::from(cell) ^ seed[0]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                scattered((mixed ^ (mixed >> 32)).wrapping_add(seed[1]))
            }
            Self::Portable(before) => portable(before.clone().chain_update(cell.to_string()))[0],
        }
    }
}

/// The first 128 bits of a hash, as its hexadecimal digits write them.
fn portable(hasher: Sha256) -> [u64; 2] {
    let hash = hasher.finalize();
    let word = |at: usize| hash[at..].first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    [word(0), word(8)]
}

#[derive(Clone)]
pub(crate) struct Identities {
    bits: EntityBits,
    ranks: SipHasher13,
    joined: SipHasher13,
    /// The salt in hexadecimal digits, for hashing it as a text.
    portable: Option<Arc<str>>,
}

impl Identities {
    pub(crate) fn new(salt: &Salt) -> Self {
        let integers = blake3::derive_key(INTEGERS, &salt.0);
        let integers = integers.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
        let key = |what| -> [u8; 16] {
            let key = blake3::derive_key(what, &salt.0);
            *key.first_chunk().unwrap_or(&[0; 16])
        };
        let hasher = |what| SipHasher13::new_with_key(&key(what));
        let bits = EntityBits::new(&key(TEXTS), integers);
        Self { bits, ranks: hasher(RANKS), joined: hasher(JOINED), portable: None }
    }

    pub(super) fn of(ranking: Ranking, salt: &Salt) -> Self {
        let portable = (ranking == Ranking::Portable).then(|| salt.digits().into());
        Self { portable, ..Self::new(salt) }
    }

    /// The identity of an integer key.
    #[inline]
    pub(super) fn of_integer(&self, number: i64) -> Identity {
        match &self.portable {
            None => self.bits.of_integer(number),
            Some(salt) => portable(begun(salt, 'e').chain_update(format!("i{number}"))),
        }
    }

    /// The identity of a text key.
    pub(super) fn of_text(&self, text: &str) -> Identity {
        match &self.portable {
            None => self.bits.of_text(text),
            Some(salt) => portable(begun(salt, 'e').chain_update("t").chain_update(hexadecimal(text.as_bytes()))),
        }
    }

    /// The identities of a batch of rows; rows of NULL have no entity. Returns false for a type that is not a key type.
    pub(crate) fn of_column(&self, column: &ArrayRef, found: &mut Vec<Identity>) -> bool {
        found.clear();
        match column.data_type() {
            DataType::Int64 => {
                let values = column.as_primitive::<Int64Type>().values();
                match &self.portable {
                    // Word by word: a pair that is put together first is written in halves and read as a whole, which
                    // waits for both.
                    None => {
                        found.resize(values.len(), Identity::default());
                        let all = found.iter_mut().zip(values);
                        all.for_each(|(identity, value)| identity[0] = self.bits.of_integer(*value)[0]);
                    }
                    Some(_) => found.extend(values.iter().map(|value| self.of_integer(*value))),
                }
            }
            DataType::Utf8 => self.of_texts(column.as_string::<i32>(), found),
            DataType::LargeUtf8 => self.of_texts(column.as_string::<i64>(), found),
            DataType::Utf8View => self.of_texts(column.as_string_view(), found),
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary();
                let mut of_values = Vec::new();
                if !self.of_column(dictionary.values(), &mut of_values) {
                    found.resize(column.len(), Identity::default());
                    return false;
                }
                let identity = |key: usize| of_values.get(key).copied().unwrap_or_default();
                found.extend(dictionary.normalized_keys().into_iter().map(identity));
            }
            // All rows are NULL.
            DataType::Null => found.resize(column.len(), Identity::default()),
            _ => {
                found.resize(column.len(), Identity::default());
                return false;
            }
        }
        true
    }

    fn of_texts<'a>(&self, texts: impl IntoIterator<Item = Option<&'a str>>, found: &mut Vec<Identity>) {
        if self.portable.is_some() {
            found.extend(texts.into_iter().map(|text| text.map(|text| self.of_text(text)).unwrap_or_default()));
        } else {
            found.extend(self.bits.of_texts(texts).map(Option::unwrap_or_default));
        }
    }

    /// The secret order of an entity's cells.
    pub(super) fn seed(&self, identity: Identity) -> CellSeed {
        if let Some(salt) = &self.portable {
            return CellSeed::Portable(begun(salt, 'c').chain_update(named(identity)));
        }
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&identity[0].to_le_bytes());
        bytes[8..].copy_from_slice(&identity[1].to_le_bytes());
        let hash = self.ranks.hash(&bytes);
        CellSeed::Mixed([hash.h1, hash.h2])
    }

    /// The rank of an entity's row in a join with other tables: of all its used values, encoded as bytes.
    pub(crate) fn of_joined(&self, row: &[u8]) -> Rank {
        self.joined.hash(row).as_u128()
    }

    /// A number, uniform over 60 bits, from which the kept rows of an entity in a cell follow.
    pub(super) fn draw(&self, identity: Identity, cell: u32) -> u64 {
        if let Some(salt) = &self.portable {
            let hasher = begun(salt, 'r').chain_update(named(identity)).chain_update(cell.to_string());
            return portable(hasher)[0] >> 4;
        }
        // Never as long as the input of a seed.
        let mut bytes = [0; 24];
        let words = identity.into_iter().chain([u64::from(cell)]);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        self.ranks.hash(&bytes).h1 >> 4
    }
}

/// The hash state after the salt and the domain.
fn begun(salt: &str, tag: char) -> Sha256 {
    Sha256::new().chain_update(salt).chain_update([tag as u8])
}

/// The name of an entity in hashed texts.
fn named([first, second]: Identity) -> String {
    format!("{first:016x}{second:016x}:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranks_and_draws_depend_on_the_entity_and_the_cell() {
        let one = Identities::new(&Salt([1; 32]));
        let mut ranks = BTreeSet::new();
        for identities in [&one, &Identities::new(&Salt([2; 32]))] {
            for identity in [[1, 2], [1, 3], [2, 2], [2, 1]] {
                for cell in [0, 1, 1 << 31] {
                    assert!(ranks.insert(identities.seed(identity).rank(cell)));
                    let draw = identities.draw(identity, cell);
                    assert!(ranks.insert(draw) && draw < 1 << 60);
                    assert_eq!(identities.draw(identity, cell), draw);
                }
            }
        }
    }

    /// Computed by other programs: the first 32 digits of `printf %s 0101...01ei-7 | sha256sum`.
    #[test]
    fn portable_identities_match_sha256_of_other_programs() {
        let portable = Identities::of(Ranking::Portable, &Salt([1; 32]));
        let name = |identity| named(identity).trim_end_matches(':').to_owned();
        assert_eq!(name(portable.of_integer(-7)), "d33d32b406673b965a9a9996dc08002b");
        assert_eq!(name(portable.of_text("\u{e4}'")), "d63c05e09de01c24c5aa88313606c14e");
        // The first 15 digits for the text `0101...01rd33d32b406673b965a9a9996dc08002b:5`.
        assert_eq!(portable.draw(portable.of_integer(-7), 5), 0x735_ad9a_57d7_ba1b);
    }

    #[test]
    fn every_cell_comes_first_equally_often() {
        // Of 5 cells, for 50,000 entities: 10,000 expected for each cell, with a standard deviation of 89.
        let identities = Identities::new(&Salt([4; 32]));
        for cells in [[0, 1, 2, 3, 4], [0, 1 << 16, 1 << 20, 7, 1 << 31]] {
            let mut first = [0_i32; 5];
            for entity in 0..50_000 {
                let seed = identities.seed(identities.of_integer(entity));
                let lowest = (0..5).min_by_key(|at| seed.rank(cells[*at])).unwrap();
                first[lowest] += 1;
            }
            assert!(first.iter().all(|count| (count - 10_000).abs() < 450), "{first:?}");
        }
    }

    #[test]
    fn different_keys_have_different_identities() {
        let identities = Identities::new(&Salt([1; 32]));
        let mut seen = BTreeSet::new();
        let mut shards = BTreeSet::new();
        for value in (-5_000..5_000).chain([i64::MIN, i64::MAX]) {
            let identity = identities.of_integer(value);
            assert!(seen.insert(identity));
            shards.insert(identity[0] >> 56);
        }
        assert_eq!(shards.len(), 256, "numbers in a row go to all shards");
        for text in ["", "a", "A", "a ", "7", "07"] {
            assert!(seen.insert(identities.of_text(text)));
        }
        let other = Identities::new(&Salt([2; 32]));
        assert_ne!(identities.of_text("a"), other.of_text("a"));
        assert_ne!(identities.of_integer(1), other.of_integer(1));
    }
}
