//! Reading and verifying a ledger without writing to it, and without its key.

use crate::accounts::Draw;
use crate::answer::{self, UnreadableAnswer};
use crate::book::Book;
use crate::chain::Head;
use crate::state::Summary;
use crate::store::{self, StoreError};
use std::path::{Path, PathBuf};

/// Fewest digits that name a head: a match by chance or by search is not feasible.
const FEWEST_DIGITS: usize = 16;
/// Digits of a whole hash.
const ALL_DIGITS: usize = 64;

/// A ledger whose every entry is in order, with every file that its entries name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedLedger {
    /// The number of entries.
    pub entries: u64,
    /// The number of large answers in separate files; all of them were read.
    pub files: u64,
    /// The number of files beside them that no entry names: left by a crash, or of another ledger.
    pub strays: u64,
    /// The last entry.
    pub head: Head,
}

/// A ledger that did not verify.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file cannot be read, or an entry breaks the chain.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entries are in order, but a separate file of an answer is missing or changed.
    #[error("the answer of entry {seq} is lost: {error}")]
    Answer {
        /// The charge.
        seq: u64,
        /// The error.
        error: UnreadableAnswer,
    },
    /// The text is not a head.
    #[error("`{0}` is not a head; give SEQ:HASH or HASH as printed, or at least its first {FEWEST_DIGITS} digits")]
    HeadMalformed(String),
    /// The entries are in order, but the head is not among them.
    #[error(
        "head {wanted} is not in this ledger, which now ends at {now}: it was cut short, rewritten or restored \
         from an older backup, or the head is another ledger's; look for the backup that has it"
    )]
    HeadMissing {
        /// The head asked for.
        wanted: String,
        /// The last entry of the ledger.
        now: Head,
    },
}

/// Summarises a ledger after verifying all of it, without writing to it.
///
/// # Errors
/// When it cannot be read or does not verify.
pub fn show(path: &Path) -> Result<Summary, StoreError> {
    let book = Book::open(&store::resolve(path)?)?;
    Ok(book.state.summary(&book.head))
}

/// Verifies every entry from the first, that `head` (`SEQ:HASH`, `HASH`, or at least 16 digits of it) is among them,
/// and the files of all large answers.
///
/// # Errors
/// Names the entry at which the ledger breaks, the head that is not in it, or the answer that cannot be read.
pub fn verify(path: &Path, head: Option<&str>) -> Result<VerifiedLedger, VerifyError> {
    let wanted = head.map(parse_head).transpose()?;
    let mut book = Book::open(&store::resolve(path)?)?;
    if let Some((seq, digits)) = wanted {
        let found = book.entries_with(&digits)?;
        let there = matches!(found.as_slice(), [only] if seq.is_none_or(|seq| seq == *only));
        if !there {
            return Err(VerifyError::HeadMissing {
                wanted: head.unwrap_or_default().to_owned(),
                now: book.head.clone(),
            });
        }
    }
    let (mut files, mut answers): (Vec<PathBuf>, u64) = (Vec::new(), 0);
    for release in book.state.summary(&book.head).accounts.iter().flat_map(|account| &account.releases) {
        let lost = |error| VerifyError::Answer { seq: release.seq, error };
        if let Some((stored, file)) = release.answer.as_ref().and_then(|stored| Some((stored, stored.file()?))) {
            stored.read().map_err(lost)?;
            files.push(file);
            answers += 1;
        }
        // One file holds the numbers of every charge of its draw.
        if let Draw::Done(numbers) = &release.draw
            && let Some(file) = numbers.file().filter(|file| !files.contains(file))
        {
            numbers.read().map_err(lost)?;
            files.push(file);
        }
    }
    let strays = answer::strays(&book.path, &files)?;
    Ok(VerifiedLedger { entries: book.head.seq, files: answers, strays, head: book.head.clone() })
}

fn parse_head(text: &str) -> Result<(Option<u64>, String), VerifyError> {
    let malformed = || VerifyError::HeadMalformed(text.to_owned());
    // With or without the words that are printed before a head.
    let printed = text.trim();
    let printed = printed.strip_prefix("ledger ").unwrap_or(printed);
    let printed = printed.strip_prefix("head ").unwrap_or(printed);
    let (seq, digits) = match printed.split_once(':') {
        Some((seq, digits)) => (Some(seq.parse().map_err(|_| malformed())?), digits),
        None => (None, printed),
    };
    let long_enough = (FEWEST_DIGITS..=ALL_DIGITS).contains(&digits.len());
    if !long_enough || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(malformed());
    }
    Ok((seq, digits.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_printed_or_shortened() {
        let hash = "0123456789abcdef".repeat(4);
        assert_eq!(parse_head(&format!("12:{hash}")).unwrap(), (Some(12), hash.clone()));
        assert_eq!(parse_head(&hash).unwrap(), (None, hash.clone()));
        assert_eq!(parse_head(&format!("ledger head 12:{hash}\n")).unwrap(), (Some(12), hash.clone()));
        assert_eq!(parse_head(&format!("head {hash}")).unwrap(), (None, hash.clone()));
        assert_eq!(parse_head(" 0123456789ABCDEF\n").unwrap(), (None, "0123456789abcdef".into()));
        for bad in ["", "0123456789abcde", "x:0123456789abcdef", "0123456789abcdeg", &format!("{hash}0"), "1:2:3"] {
            assert!(matches!(parse_head(bad), Err(VerifyError::HeadMalformed(_))), "{bad}");
        }
    }
}
