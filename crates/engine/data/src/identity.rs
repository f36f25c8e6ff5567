//! The bits that identify an entity, wherever entities are counted or their rows are capped.

use deniable_expression::Column;
use siphasher::sip128::SipHasher13;

/// An entity: a whole number, scattered one to one over 64 bits (the second word is 0), or 128 bits of a keyed hash of
/// a text. Two texts with equal hashes would be taken for one entity: the probability for a pair is 2^-128, under a
/// secret key.
pub type Identity = [u64; 2];

/// Spreads numbers over all 64 bits. The mapping is one to one, because every step is invertible.
#[inline]
#[must_use]
pub fn scattered(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The keys with which identities are computed.
#[derive(Clone)]
pub struct EntityBits {
    texts: SipHasher13,
    integers: u64,
}

impl EntityBits {
    /// `texts` must be secret. `integers` only spreads entities evenly.
    #[must_use]
    pub fn new(texts: &[u8; 16], integers: u64) -> Self {
        Self { texts: SipHasher13::new_with_key(texts), integers }
    }

    /// The identity of a whole number.
    #[inline]
    #[must_use]
    pub fn of_integer(&self, number: i64) -> Identity {
        [scattered(number.cast_unsigned() ^ self.integers), 0]
    }

    /// The identity of a text.
    #[must_use]
    pub fn of_text(&self, text: &str) -> Identity {
        let hash = self.texts.hash(text.as_bytes());
        [hash.h1, hash.h2]
    }

    /// The identities of many texts; `None` for NULL. Consecutive equal texts are hashed once, since the rows of an
    /// entity are often adjacent.
    pub fn of_texts<'a>(
        &self,
        texts: impl IntoIterator<Item = Option<&'a str>>,
    ) -> impl Iterator<Item = Option<Identity>> {
        let mut last: Option<(&str, Identity)> = None;
        texts.into_iter().map(move |text| {
            let text = text?;
            Some(match last {
                Some((known, identity)) if known == text => identity,
                _ => last.insert((text, self.of_text(text))).1,
            })
        })
    }

    /// Calls `each` with the identity of every row that has a key. Keys are whole numbers or texts: a column of another
    /// type has none.
    pub(crate) fn each(&self, keys: &Column, each: impl FnMut(Identity)) {
        match keys {
            Column::Integer(numbers) => numbers.iter().flatten().map(|number| self.of_integer(number)).for_each(each),
            Column::Text(texts) => self.of_texts(texts.iter()).flatten().for_each(each),
            Column::Boolean(_) | Column::Decimal(_) | Column::Date(_) | Column::Timestamp(_) => {}
        }
    }
}
