//! A fingerprint of a multiset of rows: a keyed sum.

use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

/// The number of rows read, and the sum of a keyed hash of each. It is independent of the order of rows and the number
/// of connections. Without the key, it can be neither computed nor matched by other rows. It must not be published all
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contents {
    /// The number of rows.
    pub rows: u64,
    /// The sum of hashes modulo 2^128.
    pub sum: u128,
}

impl Contents {
    /// Adds the bytes of a row in the server's format: the length and bytes of each column, so that different rows have
    /// different bytes.
    pub(crate) fn add(&mut self, key: &[u8; 16], row: &[u8]) {
        let mut hasher = SipHasher24::new_with_key(key);
        hasher.write(row);
        self.rows = self.rows.wrapping_add(1);
        self.sum = self.sum.wrapping_add(hasher.finish128().as_u128());
    }

    /// The sum over both sets of rows.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { rows: self.rows.wrapping_add(other.rows), sum: self.sum.wrapping_add(other.sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_any_order_have_the_same_contents() {
        let of = |key: u8, rows: &[&str]| {
            rows.iter().fold(Contents::default(), |mut all, row| {
                all.add(&[key; 16], row.as_bytes());
                all
            })
        };
        let known = of(1, &["a", "b", "b"]);
        assert_eq!(known, of(1, &["b", "a", "b"]));
        assert_eq!(known, of(1, &["b"]).with(of(1, &["b", "a"])));
        for other in [of(2, &["a", "b", "b"]), of(1, &["a", "b"]), of(1, &["a", "b", "c"]), of(1, &["a", "a", "b"])] {
            assert_ne!(known, other);
        }
    }

    /// Ledgers store fingerprints that are derived from it: it must never change.
    #[test]
    fn contents_are_stable() {
        let mut one = Contents::default();
        one.add(&[1; 16], b"a row");
        assert_eq!(one, Contents { rows: 1, sum: 235_549_495_016_714_905_986_681_961_635_909_041_861 });
    }
}
