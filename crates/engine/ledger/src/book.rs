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
mod tests {
    use super::{CHECKED, DECODED};
    use crate::answer::{Form, Json};
    use crate::chain::{Fault, Head, forge, now};
    use crate::charges::{AnswerError, ChargeError, ChargeOutcome, ChargeRequest};
    use crate::entry::{AccountId, Answered, Charge, Charged, Event, GuaranteeChanged, Part};
    use crate::ledger::Ledger;
    use crate::state::Contradiction;
    use crate::store::{self, StoreError};
    use crate::verify::{show, verify};
    use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
    use deniable_core::exact::{ratio, whole};
    use deniable_core::guarantee::{Guarantee, Subject};
    use deniable_core::loss::Chance;
    use deniable_core::promise::Promise;
    use deniable_core::secret::Secret;
    use std::path::Path;
    use std::time::Duration;

    fn ledger(path: &Path) -> (Ledger, ChargeRequest) {
        let adversary = Adversary::new(true, PriorRange::any(), MovesTogether::Alone).unwrap();
        let people = Subject::new("u", None).unwrap();
        let promises = vec![Promise::Gain(whole(3))];
        let guarantee = Guarantee::new(people, Secret::Membership, adversary, None, promises).unwrap();
        let (account, limit) = (AccountId::of(&guarantee), guarantee.limit().clone());
        let mut ledger = Ledger::open_or_create(path, "p").unwrap();
        ledger.open_account(&guarantee).unwrap();
        let query = Charge {
            name: "n".into(),
            sql: "s".repeat(3000),
            identity: "0".into(),
            canonical: crate::Canonical::default(),
            coins: Vec::new(),
            source: "t".into(),
            version: "v".into(),
        };
        let cost = limit.share(&ratio(1, 1000)).unwrap();
        (
            ledger,
            ChargeRequest {
                account,
                policy: "p".into(),
                policy_limit: limit,
                version_limit: None,
                query,
                cost,
                part: Part::Whole,
                basis: "basis".into(),
            },
        )
    }

    /// Opening a ledger again decodes only the entries added since, however many entries it has.
    #[test]
    fn a_ledger_that_is_opened_again_decodes_new_entries_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let (mut first, mut request) = ledger(&path);
        for identity in 0..20 {
            request.query.identity = identity.to_string();
            first.charge(&request).unwrap();
        }
        drop(first);
        let decoded = |act: &mut dyn FnMut()| {
            let before = DECODED.get();
            act();
            DECODED.get() - before
        };
        let mut summary = None;
        assert_eq!(decoded(&mut || summary = show(&path).ok()), 0);
        // A second process, which has no fold, computes the same summary.
        let copy = folder.path().join("copy");
        std::fs::copy(&path, &copy).unwrap();
        let mut other = None;
        assert_eq!(decoded(&mut || other = show(&copy).ok()), 22);
        assert_eq!(summary, other);
        // While one handle has it open, another one reads all of it; the next one decodes what the first one adds.
        let mut open = Ledger::open_or_create(&path, "p").unwrap();
        request.query.identity = "new".into();
        assert_eq!(decoded(&mut || drop(show(&path).unwrap())), 22);
        open.charge(&request).unwrap();
        assert_eq!(decoded(&mut || assert_eq!(show(&path).unwrap(), open.summary())), 1);
    }

    /// The fold of a process is of the entries that it read: a file with other entries in their place is read from its
    /// start.
    #[test]
    fn a_fold_is_not_kept_for_other_entries() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("l"), folder.path().join("copy"));
        let (mut own, mut request) = ledger(&path);
        std::fs::copy(&path, &copy).unwrap();
        own.charge(&request).unwrap();
        drop(own);
        assert_eq!(show(&path).unwrap().accounts[0].releases.len(), 1);
        // An earlier state, and another history of the same length.
        std::fs::remove_file(folder.path().join("l.head")).unwrap();
        std::fs::copy(&copy, &path).unwrap();
        assert_eq!(show(&path).unwrap().accounts[0].releases.len(), 0);
        for identity in ["other", "another"] {
            request.query.identity = identity.into();
            std::fs::copy(&copy, &path).unwrap();
            crate::outside::accept_head(&path, None, "a test").unwrap();
            Ledger::open_or_create(&path, "p").unwrap().charge(&request).unwrap();
            assert_eq!(show(&path).unwrap().accounts[0].releases[0].query.identity, identity);
            std::fs::remove_file(folder.path().join("l.head")).unwrap();
        }
        // An entry that was edited, with the same hash beside it.
        let edit = "DROP TRIGGER entries_are_not_changed; UPDATE entries SET payload = payload || ' ' WHERE seq = 2";
        rusqlite::Connection::open(&path).unwrap().execute_batch(edit).unwrap();
        let broken = show(&path).unwrap_err();
        assert!(matches!(broken, StoreError::Broken { seq: 2, fault: Fault::Edited, .. }), "{broken}");
    }

    /// A promise of odds 9, and of 3 but for one chance in a million.
    fn but_for() -> Guarantee {
        let adversary = Adversary::new(true, PriorRange::any(), MovesTogether::Alone).unwrap();
        let people = Subject::new("u", None).unwrap();
        let surely = vec![Promise::Gain(whole(9))];
        let guarantee = Guarantee::new(people, Secret::Membership, adversary, None, surely).unwrap();
        guarantee.but_for(Chance::new(ratio(1, 1_000_000)).unwrap(), None, vec![Promise::Gain(whole(3))]).unwrap()
    }

    /// Adds an entry without any check, and returns the head.
    fn force(path: &Path, head: &Head, event: &Event) -> Head {
        let (row, next) = forge(head, now(), event.kind(), event.encode().unwrap());
        let connection = rusqlite::Connection::open(path).unwrap();
        let transaction = connection.unchecked_transaction().unwrap();
        store::insert(&transaction, &row).unwrap();
        transaction.commit().unwrap();
        next
    }

    /// However many charges were read, their sizes are checked once; a fault is found, also one that a later promise
    /// would allow, and by a handle that was open before.
    #[test]
    fn sizes_of_charges_that_are_read_are_checked_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let (_, mut request) = ledger(&folder.path().join("other"));
        let guarantee = but_for();
        let mut own = Ledger::open_or_create(&path, "p").unwrap();
        own.open_account(&guarantee).unwrap();
        request.account = AccountId::of(&guarantee);
        request.policy_limit = guarantee.limit().clone();
        request.cost = guarantee.limit().share(&ratio(1, 100)).unwrap();
        let mut charged = 0_u32;
        let refused = loop {
            request.query.identity = charged.to_string();
            match own.charge(&request) {
                Ok(_) => charged += 1,
                Err(refused) => break refused,
            }
        };
        assert!(matches!(refused, ChargeError::OverChance { .. }) && charged > 40, "{charged}: {refused}");
        let checks = |path: &Path| {
            let copy = folder.path().join("copy");
            std::fs::copy(path, &copy).unwrap();
            let before = CHECKED.get();
            let shown = show(&copy);
            (shown, CHECKED.get() - before)
        };
        assert!(matches!(checks(&path), (Ok(_), 1)));
        // The charge that was refused, without a check.
        let charge = Event::Charged(Charged {
            account: request.account.clone(),
            policy: request.policy.clone(),
            query: request.query.clone(),
            cost: request.cost.clone(),
            part: Part::Whole,
            basis: request.basis.clone(),
        });
        let forced = force(&path, own.head(), &charge);
        let broken = |found: StoreError| match found {
            StoreError::Broken { seq, fault: Fault::Contradiction(Contradiction::OverChance(_)), .. } => seq,
            other => panic!("{other}"),
        };
        assert_eq!(broken(checks(&path).0.unwrap_err()), forced.seq);
        // The open handle does not forget that it found it.
        for _ in 0..2 {
            assert_eq!(broken(own.book.refresh().unwrap_err()), forced.seq);
            assert!(own.charge(&request).is_err());
        }
        // A promise that allows it comes too late.
        let to = Guarantee::new(
            Subject::new("u", None).unwrap(),
            Secret::Membership,
            Adversary::new(true, PriorRange::any(), MovesTogether::Alone).unwrap(),
            None,
            vec![Promise::Gain(whole(9))],
        );
        let (to, from) = (to.unwrap(), guarantee);
        let change = GuaranteeChanged { from, to, reason: "r".into(), weaker: true };
        force(&path, &forced, &Event::GuaranteeChanged(change.into()));
        assert_eq!(broken(checks(&path).0.unwrap_err()), forced.seq);
    }

    #[test]
    fn a_full_disk_leaves_nothing_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let (mut ledger, mut request) = ledger(&path);
        let pages = |ledger: &Ledger, count: u32| {
            ledger.book.connection.pragma_update_and_check(None, "max_page_count", count, |_| Ok(())).unwrap();
        };
        pages(&ledger, 6);
        let mut charged = 0_u32;
        let refused = loop {
            request.query.identity = charged.to_string();
            match ledger.charge(&request) {
                Ok(_) => charged += 1,
                Err(refused) => break refused,
            }
        };
        assert!(matches!(refused, ChargeError::Store(StoreError::DiskFull(_))), "{refused}");
        assert!(charged > 0);
        // Neither the file nor the open handle contains any of it.
        let verified = verify(&path, None).unwrap();
        assert_eq!((verified.entries, &verified.head), (u64::from(2 + charged), ledger.head()));
        assert_eq!(ledger.summary().accounts[0].releases.len(), charged as usize);
        // An answer that does not fit is not shown, however much of it fits, and its charge is resumed.
        let large = serde_json::json!("x".repeat(30_000));
        request.query.identity = "0".into();
        let mut refusals = 0;
        for room in 6.. {
            pages(&ledger, room);
            match ledger.store_answer(3, &Form::new("sql", 1), &large) {
                Ok(stored) => {
                    assert_eq!(stored, large);
                    break;
                }
                Err(refused) => assert!(matches!(refused, AnswerError::Store(StoreError::DiskFull(_))), "{refused}"),
            }
            refusals += 1;
            assert_eq!(verify(&path, None).unwrap(), verified);
            assert_eq!(ledger.charge(&request).unwrap(), ChargeOutcome::Resumed { seq: 3 });
        }
        assert!(refusals > 5, "{refusals}");
        // The same holds for a charge.
        request.query.identity = "large".into();
        request.query.sql = "s".repeat(30_000);
        let verified = verify(&path, None).unwrap();
        let mut refusals = 0;
        let seq = loop {
            match ledger.charge(&request) {
                Ok(charge) => break charge.seq(),
                Err(refused) => assert!(matches!(refused, ChargeError::Store(StoreError::DiskFull(_))), "{refused}"),
            }
            refusals += 1;
            assert_eq!(verify(&path, None).unwrap(), verified);
            let now =
                ledger.book.connection.query_row("PRAGMA max_page_count", [], |row| row.get::<_, u32>(0)).unwrap();
            pages(&ledger, now + 1);
        };
        assert!(refusals > 5 && seq == verified.entries + 1, "{refusals}");
        verify(&path, Some(&verified.head.to_string())).unwrap();
    }

    #[test]
    fn a_locked_ledger_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let (mut first, request) = ledger(&path);
        let (mut second, _) = ledger(&path);
        second.book.connection.busy_timeout(Duration::from_millis(20)).unwrap();
        let act = first.book.begin().unwrap();
        let refused = second.charge(&request).unwrap_err();
        assert!(matches!(refused, ChargeError::Store(StoreError::Locked(_))), "{refused}");
        drop(act);
        assert!(second.charge(&request).is_ok());
    }

    #[test]
    fn nothing_is_written_that_could_not_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        let (mut ledger, mut request) = ledger(&path);
        let nothing = Json::of(&serde_json::Value::Null).unwrap();
        let wrong = Event::Answered(Answered { charge: 2, form: Form::new("toy", 1), answer: nothing });
        let refused = ledger.book.begin().unwrap().append(wrong).unwrap_err();
        let contradiction = Fault::Contradiction(Contradiction::NotACharge(2));
        assert!(matches!(refused, StoreError::Broken { seq: 3, fault, .. } if fault == contradiction));
        // A cost whose fraction has more digits than can be read back.
        let parts = (1..=12).fold(ratio(1, 1000), |part, i| part * ratio(1_000_000_006, 1_000_000_006 + i));
        request.cost = request.cost.share(&parts).unwrap();
        let refused = ledger.charge(&request).unwrap_err();
        assert!(matches!(refused, ChargeError::Store(StoreError::Unstorable(_))), "{refused}");
        assert_eq!(verify(&path, None).unwrap().entries, 2);
    }
}
