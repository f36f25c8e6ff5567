//! The last head, in files outside the ledger, which detect an older copy of the ledger.
//!
//! Every copy of a ledger is a whole ledger, and gives back the budget that was spent after the copy. Therefore each
//! process that writes keeps the number and the hash of the last entry in `<ledger>.head`, and in a second file if the
//! curator names one. Both are compared with the ledger under its lock, before any decision.
//!
//! ```text
//! lock ─▶ does the ledger contain each head? ─▶ write the last entry as head ─▶ draft the new head
//!      ─▶ append, commit ─▶ lock ─▶ rename the draft
//! ```
//!
//! The entry is on disk before its head. A crash between the two leaves a ledger that is newer than its head, and the
//! next act updates the head first. So no charge is drawn whose entry the heads on disk do not cover.

use crate::book::Book;
use crate::chain::Head;
use crate::entry::{ChargesClosed, Event};
use crate::key::beside;
use crate::store::{self, StoreError};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The files that keep the head of a ledger.
#[derive(Debug, Clone)]
pub(crate) struct HeadFiles {
    ledger: PathBuf,
    beside: PathBuf,
    elsewhere: Option<PathBuf>,
}

impl HeadFiles {
    /// The file beside a ledger, whose links are resolved, and the one that the curator names.
    pub fn new(ledger: &Path, elsewhere: Option<&Path>) -> Result<Self, StoreError> {
        let elsewhere = elsewhere.map(store::resolve).transpose()?;
        let beside = Self::path(ledger);
        let elsewhere = elsewhere.filter(|file| *file != beside);
        Ok(Self { ledger: ledger.to_owned(), beside, elsewhere })
    }

    /// The file beside a ledger.
    pub fn path(ledger: &Path) -> PathBuf {
        beside(ledger, ".head")
    }

    /// The file beside the ledger.
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// All files that keep the head.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        [Some(self.beside.as_path()), self.elsewhere.as_deref()].into_iter().flatten()
    }

    /// The head in one of the files; `None` if the file does not exist.
    pub fn read(&self, file: &Path) -> Result<Option<Head>, StoreError> {
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(file, error)),
        };
        let malformed = || StoreError::NotAHead { ledger: self.ledger.clone(), head: file.to_owned() };
        std::str::from_utf8(&bytes).ok().and_then(parse).map(Some).ok_or_else(malformed)
    }

    /// Writes a head into one of the files, durably, whole or not at all. The ledger's lock is held: there is one
    /// writer.
    pub fn write(&self, file: &Path, head: &Head) -> Result<(), StoreError> {
        let draft = beside(file, ".new");
        if self.read(&draft).ok().flatten().as_ref() != Some(head) {
            self.prepare_in(&draft, file, head)?;
        }
        fs::rename(&draft, file).map_err(|error| StoreError::io(file, error))?;
        store::sync_folder_of(file)
    }

    /// Writes the next head to a draft beside each file, so that renaming it needs no room on disk.
    pub fn prepare(&self, head: &Head) -> Result<(), StoreError> {
        self.all().try_for_each(|file| self.prepare_in(&beside(file, ".new"), file, head))
    }

    /// Removes the drafts of a head that was not committed.
    pub fn forget(&self) {
        for file in self.all() {
            let _ = fs::remove_file(beside(file, ".new"));
        }
    }

    fn prepare_in(&self, draft: &Path, file: &Path, head: &Head) -> Result<(), StoreError> {
        self.write_draft(draft, head).map_err(|error| {
            let _ = fs::remove_file(draft);
            StoreError::io(file, error)
        })
    }

    fn write_draft(&self, draft: &Path, head: &Head) -> std::io::Result<()> {
        let mut new = File::create(draft)?;
        // Every user with write access to the ledger has write access to its head.
        #[cfg(unix)]
        new.set_permissions(fs::metadata(&self.ledger)?.permissions())?;
        writeln!(new, "{head}")?;
        new.sync_all()
    }
}

fn parse(text: &str) -> Option<Head> {
    let (seq, hash) = text.strip_suffix('\n')?.split_once(':')?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let head = Head { seq: seq.parse().ok()?, hash: hash.to_owned() };
    (is_hash && head.seq > 0 && head.to_string() == text.trim_end()).then_some(head)
}

/// A ledger that is continued although it does not contain its last head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedHead {
    /// The last entry of the ledger as it was found.
    pub from: Head,
    /// The head that was kept last, if any.
    pub kept: Option<Head>,
    /// The number of open charges that were closed: their noise is never drawn.
    pub closed: usize,
    /// The last entry now.
    pub head: Head,
}

/// A ledger that was not continued.
#[derive(Debug, thiserror::Error)]
pub enum AcceptHeadError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A reason is required.
    #[error("give a reason: it is kept in the ledger")]
    NoReason,
    /// The ledger contains the kept head.
    #[error(
        "{0} contains the head that was kept of it: there is nothing to accept; where `head` in serve.toml names a file, name it by \
             --head"
    )]
    Contained(PathBuf),
}

/// Continues a ledger that is older than its head, or whose head is missing. The charges after it no longer count, so
/// every open charge is closed first: a newer copy may have drawn its noise. `elsewhere` is the file besides
/// `<ledger>.head` that keeps the head, if any.
///
/// # Errors
/// When the ledger cannot be read or written, contains its head, or no reason is given.
pub fn accept_head(path: &Path, elsewhere: Option<&Path>, reason: &str) -> Result<AcceptedHead, AcceptHeadError> {
    if reason.trim().is_empty() {
        return Err(AcceptHeadError::NoReason);
    }
    let path = store::resolve(path)?;
    let mut book = Book::open_to_accept(&path, elsewhere)?;
    let act = book.begin_to_accept()?;
    let kept = match act.compare() {
        Ok(()) => return Err(AcceptHeadError::Contained(path)),
        Err(StoreError::Older { kept, .. }) => Some(kept),
        Err(StoreError::NoHead { .. } | StoreError::NotAHead { .. }) => None,
        Err(other) => return Err(other.into()),
    };
    let (from, closed) = (act.head().clone(), act.state.all_open().count());
    act.append(Event::ChargesClosed(ChargesClosed { reason: reason.to_owned() }))?;
    // Usually an entry whose head cannot be written is not an error of the act; here the head is the purpose of the
    // act.
    book.begin()?.keep_heads()?;
    Ok(AcceptedHead { from, kept, closed, head: book.head.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_written_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        fs::write(&ledger, "").unwrap();
        let files = HeadFiles::new(&ledger, None).unwrap();
        assert_eq!(files.read(files.beside()).unwrap(), None);
        let hash = "0123456789abcdef".repeat(4);
        for seq in [1, u64::MAX] {
            let head = Head { seq, hash: hash.clone() };
            files.write(files.beside(), &head).unwrap();
            assert_eq!(files.read(files.beside()).unwrap(), Some(head));
        }
        assert!(!folder.path().join("l.head.new").exists());
        let upper = hash.to_uppercase();
        let bad = [
            String::new(),
            "\n".into(),
            format!("0:{hash}\n"),
            format!("+1:{hash}\n"),
            format!("01:{hash}\n"),
            format!("1:{hash}"),
            format!("1:{hash}\n\n"),
            format!("1:{hash}0\n"),
            format!("1:{upper}\n"),
            "1:\n".into(),
        ];
        for text in bad {
            fs::write(files.beside(), &text).unwrap();
            assert!(matches!(files.read(files.beside()), Err(StoreError::NotAHead { .. })), "{text:?}");
        }
    }

    #[test]
    fn a_second_file_beside_the_ledger_is_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = fs::canonicalize(folder.path()).unwrap().join("l");
        let both = HeadFiles::new(&ledger, Some(&folder.path().join("other"))).unwrap();
        assert_eq!(both.all().count(), 2);
        let one = HeadFiles::new(&ledger, Some(&folder.path().join("l.head"))).unwrap();
        assert_eq!(one.all().count(), 1);
    }
}
