//! The hash chain: each entry carries the hash of the entry before it.

use crate::entry::Event;
use crate::state::Contradiction;
use jiff::Timestamp;

/// Separates these hashes from every other use of the hash function.
const DOMAIN: &str = "deniable-ledger-v1 entry";

/// The last entry, whose hash covers all before: a head that is kept shows later whether history was changed.
///
/// Printed as `SEQ:HASH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The number of the entry, counted from 1.
    pub seq: u64,
    /// Its hash, 64 hex digits.
    pub hash: String,
}

impl Head {
    pub(crate) fn start() -> Self {
        Self { seq: 0, hash: String::new() }
    }
}

impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

/// An entry as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub seq: i64,
    pub prev: String,
    pub hash: String,
    pub at: String,
    pub kind: String,
    pub payload: String,
}

/// A fault of an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The numbers skip an entry.
    #[error("it is missing")]
    Missing,
    /// Its previous hash is not that of the entry before it.
    #[error("it does not follow the entry before it")]
    Unlinked,
    /// Its contents are not those that were hashed.
    #[error("its contents were changed")]
    Edited,
    /// This process read another entry in its place before.
    #[error("it was replaced while the ledger was in use")]
    Rewritten,
    /// It is not an entry of this format.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It contradicts the entries before it.
    #[error("it contradicts the entries before it: {0}")]
    Contradiction(#[from] Contradiction),
}

/// The hash of an entry. Every part is preceded by its length, so that no two entries hash the same bytes.
fn hash(prev: &str, seq: u64, at: &str, kind: &str, payload: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
    for part in [prev, &seq.to_string(), at, kind, payload] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The entry that records `event` after `head`, ready to be stored.
pub(crate) fn forge(head: &Head, at: Timestamp, kind: &str, payload: String) -> (Row, Head) {
    let (seq, at) = (head.seq + 1, at.to_string());
    let hash = hash(&head.hash, seq, &at, kind, &payload);
    let next = Head { seq, hash: hash.clone() };
    // A ledger of 2^63 entries does not fit on any disk.
    let number = i64::try_from(seq).unwrap_or(i64::MAX);
    (Row { seq: number, prev: head.hash.clone(), hash, at, kind: kind.to_owned(), payload }, next)
}

/// Checks that a stored entry follows `head`, and decodes it.
pub(crate) fn follow(head: &Head, row: &Row) -> Result<(Timestamp, Event, Head), Fault> {
    let next = link(head, row)?;
    let at = row.at.parse().map_err(|error: jiff::Error| Fault::Unreadable(error.to_string()))?;
    let event = Event::decode(&row.kind, &row.payload).map_err(|error| Fault::Unreadable(error.to_string()))?;
    Ok((at, event, next))
}

/// Checks that a stored entry follows `head`, without decoding it, and returns the new head.
pub(crate) fn link(head: &Head, row: &Row) -> Result<Head, Fault> {
    let seq = head.seq + 1;
    if u64::try_from(row.seq) != Ok(seq) {
        return Err(Fault::Missing);
    }
    if row.prev != head.hash {
        return Err(Fault::Unlinked);
    }
    if row.hash != hash(&row.prev, seq, &row.at, &row.kind, &row.payload) {
        return Err(Fault::Edited);
    }
    Ok(Head { seq, hash: row.hash.clone() })
}

/// The current time, to the second.
pub(crate) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_keep_neighbours_apart() {
        assert_ne!(hash("", 1, "a", "bc", "d"), hash("", 1, "ab", "c", "d"));
        assert_ne!(hash("", 1, "a", "b", "cd"), hash("", 1, "a", "bc", "d"));
    }

    #[test]
    fn the_hash_is_pinned() {
        // Changing this value makes all existing ledgers unreadable.
        assert_eq!(
            hash("", 1, "2024-01-01T00:00:00Z", "genesis", "{}"),
            "454c2a6d9b150f09db3e20fe85be8e8e5f9dd24135b7fc0e93607b2bd3498054"
        );
    }

    #[test]
    fn a_forged_entry_follows_and_an_edited_one_does_not() {
        let payload = r#"{"charge":1,"form":"sql/1","answer":41}"#;
        let (row, head) = forge(&Head::start(), now(), "answered", payload.into());
        let (_, event, read) = follow(&Head::start(), &row).unwrap();
        assert_eq!((event.kind(), &read), ("answered", &head));
        let edits: [fn(&mut Row); 6] = [
            |row| row.seq = 2,
            |row| row.prev = "x".into(),
            |row| row.hash = row.hash.replace(['a', 'b', 'c'], "d"),
            |row| row.at = "2024-01-01T00:00:00Z".into(),
            |row| row.kind = "charged".into(),
            |row| row.payload = row.payload.replace("41", "42"),
        ];
        for edit in edits {
            let mut edited = row.clone();
            edit(&mut edited);
            assert!(follow(&Head::start(), &edited).is_err());
        }
        let mut relinked = row;
        relinked.prev = "x".into();
        assert_eq!(follow(&Head::start(), &relinked).unwrap_err(), Fault::Unlinked);
    }
}
