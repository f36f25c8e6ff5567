//! The open file with the fold of its entries; the only module that reads or appends entries.

use crate::chain::{Fault, Head, Row, follow, forge, link, now};
use crate::entry::{AccountId, Event};
use crate::key::Key;
use crate::outside::HeadFiles;
use crate::state::{Contradiction, State};
use crate::store::{self, StoreError};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Most ledgers whose folds a process keeps.
const MOST_FOLDS: usize = 8;

/// The folds of ledgers that this process closed. To open one of them again, all hashes are checked, and only the
/// entries after the head of its fold are decoded.
static FOLDS: Mutex<BTreeMap<PathBuf, (State, Head)>> = Mutex::new(BTreeMap::new());

/// `None` when the lock is not free within a fifth of a second: a fork copies the lock, but not the thread that holds
/// it, so that waiting could take for ever.
fn folds() -> Option<MutexGuard<'static, BTreeMap<PathBuf, (State, Head)>>> {
    for _ in 0..200 {
        match FOLDS.try_lock() {
            Ok(folds) => return Some(folds),
            Err(TryLockError::Poisoned(folds)) => return Some(folds.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

#[cfg(test)]
thread_local! {
    /// Entries that this thread decoded.
    pub(crate) static DECODED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    /// Accounts whose sizes this thread checked.
    static CHECKED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// An open ledger file, and the fold of its entries when it was last read.
#[derive(Debug)]
pub(crate) struct Book {
    pub connection: Connection,
    pub path: PathBuf,
    pub state: State,
    pub head: Head,
    heads: HeadFiles,
    access: Access,
}

/// The purpose for which a ledger is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// Continuing a ledger that does not contain its head.
    Accept,
}

/// One write: the file is locked and the state is current until this is dropped or appended to.
pub(crate) struct Act<'a> {
    connection: &'a Connection,
    transaction: Transaction<'a>,
    pub path: &'a Path,
    pub state: &'a mut State,
    head: &'a mut Head,
    heads: &'a HeadFiles,
    access: Access,
}

impl Book {
    /// Opens a ledger file for reading, verifies all of it, and checks that it contains the head beside it, if any.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut book = Self::unread(path, None, Access::Read)?;
        book.refresh()?;
        Ok(book)
    }

    /// Opens a ledger file for writing. It must contain its head.
    pub fn open_to_write(path: &Path, elsewhere: Option<&Path>) -> Result<Self, StoreError> {
        let mut book = Self::unread(path, elsewhere, Access::Write)?;
        book.begin()?.keep_heads()?;
        Ok(book)
    }

    /// Opens a ledger file for one act, [`Self::begin_to_accept`]; reads no entries.
    pub fn open_to_accept(path: &Path, elsewhere: Option<&Path>) -> Result<Self, StoreError> {
        Self::unread(path, elsewhere, Access::Write)
    }

    fn unread(path: &Path, elsewhere: Option<&Path>, access: Access) -> Result<Self, StoreError> {
        let connection = store::open(path, access != Access::Read)?;
        let heads = HeadFiles::new(path, elsewhere)?;
        let state = State::before_any(path);
        Ok(Self { connection, path: path.to_path_buf(), state, head: Head::start(), heads, access })
    }

    /// Reads and verifies the entries added since the last read.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        self.lock(TransactionBehavior::Deferred, self.access).map(drop)
    }

    /// Locks the file for one write.
    pub fn begin(&mut self) -> Result<Act<'_>, StoreError> {
        self.lock(TransactionBehavior::Immediate, self.access)
    }

    /// Locks the file for one write that makes its last entry the head, without comparing it with the kept head.
    pub fn begin_to_accept(&mut self) -> Result<Act<'_>, StoreError> {
        self.lock(TransactionBehavior::Immediate, Access::Accept)
    }

    fn lock(&mut self, behavior: TransactionBehavior, access: Access) -> Result<Act<'_>, StoreError> {
        let Self { connection, path, state, head, heads, .. } = self;
        Act::begin(connection, behavior, path, state, head, heads, access)
    }

    /// Releases the lock that [`Act::keep_lock`] kept.
    pub fn give_up_lock(&mut self) -> Result<(), StoreError> {
        store::set_locking(&self.connection, "NORMAL").map_err(|error| StoreError::sqlite(&self.path, error))?;
        // SQLite releases it when the file is next read.
        self.refresh()
    }

    /// The entries whose hash begins with these digits.
    pub fn entries_with(&mut self, digits: &str) -> Result<Vec<u64>, StoreError> {
        let sqlite = |error| StoreError::sqlite(&self.path, error);
        let mut query = self
            .connection
            .prepare("SELECT seq FROM entries WHERE substr(hash, 1, length(?1)) = ?1")
            .map_err(sqlite)?;
        let found = query.query_map([digits], |row| row.get::<_, i64>(0)).map_err(sqlite)?;
        found.map(|seq| seq.map(i64::unsigned_abs).map_err(sqlite)).collect()
    }
}

/// The accounts of charges that were read and whose sizes were not checked yet.
///
/// Sizes add up: if all charges keep the promise but for a chance, each of them did when it was made. One check of many
/// charges takes as long as that of one.
#[derive(Default)]
struct Unchecked(Vec<(AccountId, u64)>);

impl Unchecked {
    fn add(&mut self, seq: u64, event: &Event) {
        if let Event::Charged(charge) = event {
            match self.0.iter_mut().find(|(account, _)| *account == charge.account) {
                Some((_, last)) => *last = seq,
                None => self.0.push((charge.account.clone(), seq)),
            }
        }
    }

    /// Checks them. A fault is that of the last charge of an account.
    fn check(&mut self, state: &State) -> Result<(), (u64, Contradiction)> {
        for (account, seq) in std::mem::take(&mut self.0) {
            #[cfg(test)]
            CHECKED.set(CHECKED.get() + 1);
            state.check_sizes(&account).map_err(|wrong| (seq, wrong))?;
        }
        Ok(())
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        // A panic may have interrupted the fold between two entries.
        if std::thread::panicking() || self.head.seq == 0 {
            return;
        }
        let Some(mut folds) = folds() else { return };
        let state = std::mem::replace(&mut self.state, State::before_any(&self.path));
        if folds.len() >= MOST_FOLDS {
            folds.clear();
        }
        folds.insert(self.path.clone(), (state, self.head.clone()));
    }
}

impl<'a> Act<'a> {
    fn begin(
        connection: &'a Connection,
        behavior: TransactionBehavior,
        path: &'a Path,
        state: &'a mut State,
        head: &'a mut Head,
        heads: &'a HeadFiles,
        access: Access,
    ) -> Result<Self, StoreError> {
        let transaction =
            Transaction::new_unchecked(connection, behavior).map_err(|error| StoreError::sqlite(path, error))?;
        let mut act = Self { connection, transaction, path, state, head, heads, access };
        if let Err(replaced) = act.check_head() {
            // An older copy put in place meanwhile is reported as such.
            act.compare()?;
            return Err(replaced);
        }
        act.catch_up()?;
        if access != Access::Accept {
            act.compare()?;
        }
        Ok(act)
    }

    /// The last entry.
    pub fn head(&self) -> &Head {
        self.head
    }

    /// Checks that the file contains each head that is kept outside of it: an older copy is not continued.
    pub fn compare(&self) -> Result<(), StoreError> {
        // Locks the file, so that no head is of an entry that is added after the comparison.
        let entries = self.entries()?;
        for file in self.heads.all() {
            let Some(kept) = self.heads.read(file)? else { continue };
            if self.hash_of(kept.seq)?.as_deref() != Some(kept.hash.as_str()) {
                let (ledger, head) = (self.path.to_path_buf(), file.to_path_buf());
                return Err(StoreError::Older { ledger, head, kept, entries });
            }
        }
        let is_missing = self.access != Access::Read && self.heads.read(self.heads.beside())?.is_none();
        // A ledger gets its first head before its key is settled and before its second entry.
        let is_new = entries == 1 && !Key::path(self.path).exists();
        if is_missing && !is_new {
            let (ledger, head) = (self.path.to_path_buf(), self.heads.beside().to_path_buf());
            return Err(StoreError::NoHead { ledger, head });
        }
        Ok(())
    }

    /// Updates the heads outside the ledger to the last entry. Entries are appended, and noise is drawn, only after
    /// that.
    pub fn keep_heads(&self) -> Result<(), StoreError> {
        for file in self.heads.all() {
            let kept = match self.heads.read(file) {
                Err(StoreError::NotAHead { .. }) if self.access == Access::Accept => None,
                kept => kept?,
            };
            if kept.as_ref() != Some(self.head) {
                self.heads.write(file, self.head)?;
            }
        }
        Ok(())
    }

    fn entries(&self) -> Result<u64, StoreError> {
        let last = self.transaction.query_row("SELECT MAX(seq) FROM entries", [], |row| row.get::<_, Option<i64>>(0));
        Ok(last.map_err(|error| self.sqlite(error))?.unwrap_or(0).unsigned_abs())
    }

    fn hash_of(&self, seq: u64) -> Result<Option<String>, StoreError> {
        let seq = i64::try_from(seq).unwrap_or(i64::MAX);
        self.transaction
            .query_row("SELECT hash FROM entries WHERE seq = ?1", [seq], |row| row.get(0))
            .optional()
            .map_err(|error| self.sqlite(error))
    }

    /// The last entry that was read must still exist: a file restored during use is not continued.
    fn check_head(&self) -> Result<(), StoreError> {
        if self.head.seq == 0 {
            return Ok(());
        }
        match self.hash_of(self.head.seq)? {
            Some(hash) if hash == self.head.hash => Ok(()),
            Some(_) => Err(self.broken(self.head.seq, Fault::Rewritten)),
            None => Err(self.broken(self.head.seq, Fault::Missing)),
        }
    }

    /// Continues from the fold that this process keeps, if the file begins with the entries of that fold. The hash of
    /// the last of them covers all of them.
    fn continue_fold(&mut self) -> Result<(), StoreError> {
        let kept = folds().and_then(|mut folds| folds.remove(self.path));
        if let Some((state, head)) = kept
            && self.begins_with(&head)?
        {
            (*self.state, *self.head) = (state, head);
        }
        Ok(())
    }

    /// Whether the hashes of the first entries lead to this head.
    fn begins_with(&self, head: &Head) -> Result<bool, StoreError> {
        let mut query = self
            .transaction
            .prepare("SELECT seq, prev, hash, at, kind, payload FROM entries WHERE seq <= ?1 ORDER BY seq")
            .map_err(|error| self.sqlite(error))?;
        let last = i64::try_from(head.seq).unwrap_or(i64::MAX);
        let rows = query.query_map([last], read_row).map_err(|error| self.sqlite(error))?;
        let mut linked = Head::start();
        for row in rows {
            // A fault is reported where the entries are decoded.
            let Some(next) = row.ok().and_then(|row| link(&linked, &row).ok()) else { return Ok(false) };
            linked = next;
        }
        Ok(linked == *head)
    }

    /// Follows the chain from the last entry that was read to the end of the file.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        if self.head.seq == 0 {
            self.continue_fold()?;
        }
        if self.head.seq > 0 && self.entries()? <= self.head.seq {
            return Ok(());
        }
        // What is read counts once all of it is checked.
        (*self.state, *self.head) = self.read_on(self.state.clone(), self.head.clone())?;
        Ok(())
    }

    /// The state and the head after all entries that follow these.
    fn read_on(&self, mut state: State, mut head: Head) -> Result<(State, Head), StoreError> {
        // From the start all rows are read, so that none can hide below number 1.
        let after = if head.seq == 0 { i64::MIN } else { i64::try_from(head.seq).unwrap_or(i64::MAX) };
        let mut query = self
            .transaction
            .prepare_cached("SELECT seq, prev, hash, at, kind, payload FROM entries WHERE seq > ?1 ORDER BY seq")
            .map_err(|error| self.sqlite(error))?;
        let mut rows = query.query([after]).map_err(|error| self.sqlite(error))?;
        let mut charged = Unchecked::default();
        while let Some(row) = rows.next().map_err(|error| self.sqlite(error))? {
            let seq = head.seq + 1;
            let (at, event, next) = read_row(row)
                .map_err(|error| Fault::Unreadable(error.to_string()))
                .and_then(|row| follow(&head, &row))
                .map_err(|fault| self.broken(seq, fault))?;
            if event.changes_sizes_allowed() {
                charged.check(&state).map_err(|(seq, wrong)| self.broken(seq, wrong.into()))?;
            }
            state.check_but_sizes(&event).map_err(|wrong| self.broken(seq, wrong.into()))?;
            charged.add(seq, &event);
            state.record(seq, at, event);
            head = next;
            #[cfg(test)]
            DECODED.set(DECODED.get() + 1);
        }
        charged.check(&state).map_err(|(seq, wrong)| self.broken(seq, wrong.into()))?;
        if head.seq == 0 { Err(self.broken(1, Fault::Missing)) } else { Ok((state, head)) }
    }

    /// Keeps the lock of this act beyond its end, until [`Book::give_up_lock`].
    ///
    /// Must not be called before the act begins: a connection that keeps its locks while it waits for another one
    /// deadlocks with it.
    pub fn keep_lock(&self) -> Result<(), StoreError> {
        store::set_locking(&self.transaction, "EXCLUSIVE").map_err(|error| self.sqlite(error))
    }

    /// Grows the file so that later acts have room in it for an entry of `bytes` bytes; ends this act.
    pub fn reserve(self, bytes: usize) -> Result<(), StoreError> {
        store::reserve(&self.transaction, bytes).map_err(|error| self.sqlite(error))?;
        self.transaction.commit().map_err(|error| StoreError::sqlite(self.path, error))
    }

    /// Overwrites the reserved room, so that the journal of this act holds all of it.
    pub fn rewrite_reserve(&self, bytes: usize) -> Result<(), StoreError> {
        store::rewrite_reserve(&self.transaction, bytes).map_err(|error| self.sqlite(error))
    }

    /// Returns the room to the entry that is appended in this act.
    pub fn release_reserve(&self) -> Result<(), StoreError> {
        store::release_reserve(&self.transaction).map_err(|error| self.sqlite(error))
    }

    /// Appends an entry, makes it durable, and returns its number.
    pub fn append(self, event: Event) -> Result<u64, StoreError> {
        let payload = event.encode()?;
        let at = now();
        let (row, head) = forge(self.head, at, event.kind(), payload);
        self.state.check(&event).map_err(|wrong| self.broken(head.seq, wrong.into()))?;
        if self.access != Access::Accept {
            self.keep_heads()?;
        }
        store::insert(&self.transaction, &row).map_err(|error| self.sqlite(error))?;
        self.heads.prepare(&head)?;
        let Self { connection, transaction, path, state, head: last, heads, access } = self;
        if let Err(error) = transaction.commit() {
            heads.forget();
            return Err(StoreError::sqlite(path, error));
        }
        let seq = head.seq;
        state.record(seq, at, event);
        *last = head;
        // The entry is on disk even if this fails: when its head cannot be written now, the next act writes it or
        // fails. Under a lock of its own, so that no process replaces a later head by an earlier one.
        let _ = Self::begin(connection, TransactionBehavior::Immediate, path, state, last, heads, access)
            .and_then(|act| act.keep_heads());
        Ok(seq)
    }

    fn sqlite(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path, error)
    }

    fn broken(&self, seq: u64, fault: Fault) -> StoreError {
        StoreError::Broken { path: self.path.to_path_buf(), seq, fault }
    }
}

pub(crate) fn read_row(row: &rusqlite::Row<'_>) -> Result<Row, rusqlite::Error> {
    Ok(Row {
        seq: row.get(0)?,
        prev: row.get(1)?,
        hash: row.get(2)?,
        at: row.get(3)?,
        kind: row.get(4)?,
        payload: row.get(5)?,
    })
}

#[cfg(test)]
mod tests;
