//! Opening or creating a ledger.

use crate::accounts::{Account, Release};
use crate::book::Book;
use crate::chain::{Head, forge, now};
use crate::entry::{AccountId, Event, FORMAT, Genesis};
use crate::key::{Key, KeyError};
use crate::outside::HeadFiles;
use crate::people::Purpose;
use crate::state::Summary;
use crate::store::{self, StoreError};
use deniable_core::secret::Secret;
use std::path::{Path, PathBuf};

/// A population's ledger, open for writing.
///
/// The values that it returns ([`Ledger::summary`], [`Ledger::registered`], ...) are as of its last operation or
/// [`Ledger::refresh`]; decisions are taken on the current contents of the file, under its lock.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) book: Book,
    key: Key,
    created: bool,
}

/// A ledger that cannot be opened or created.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Policies over different people do not share a ledger.
    #[error(
        "{path} is the ledger of `{recorded}`, not of `{asked}`; name another ledger, or correct the population's name"
    )]
    OtherPopulation {
        /// The file.
        path: PathBuf,
        /// Its population.
        recorded: String,
        /// The policy's population.
        asked: String,
    },
    /// The ledger of a rehearsal, in place of a real one.
    #[error(
        "{0} is the ledger of a rehearsal, and real answers are never charged to it; name the real ledger, or a file \
         that does not exist yet"
    )]
    Rehearsal(PathBuf),
    /// A real ledger, in place of that of a rehearsal.
    #[error(
        "{0} is a real ledger, and a rehearsal is never charged to it; leave the ledger out, or name a file that does \
         not exist yet"
    )]
    NotRehearsal(PathBuf),
    /// The same people may have a ledger already, under another name.
    #[error(
        "{path} would begin a new budget for `{asked}`, but {known} is the ledger of `{recorded}` with the same {by}: \
         the same people are charged to one ledger, so take its `population` and `ledger`"
    )]
    SamePeople {
        /// The new ledger.
        path: PathBuf,
        /// Its population.
        asked: String,
        /// The ledger beside it.
        known: PathBuf,
        /// Its population.
        recorded: String,
        /// The policy or table that both have.
        by: String,
    },
    /// A ledger in the folder cannot be read, so that its population is unknown.
    #[error("{path} would begin a new budget beside {known}, which cannot be read: {error}")]
    UnknownPeople {
        /// The new ledger.
        path: PathBuf,
        /// The ledger beside it.
        known: PathBuf,
        /// The error of reading it.
        error: StoreError,
    },
}

impl Ledger {
    /// Opens the ledger of a population and verifies all of it; creates it if it does not exist.
    ///
    /// # Errors
    /// When the file is not a ledger, damaged, of a newer format or of another population; when it does not contain its
    /// head ([`StoreError::Older`]); when its head or its key is missing or belongs to another ledger; when it is the
    /// ledger of a rehearsal; and when the folder, the disk or a lock fails. No file remains half-written.
    pub fn open_or_create(path: &Path, population: &str) -> Result<Self, OpenError> {
        Self::open_for(path, &Purpose::people(population))
    }

    /// Opens a ledger, as [`Self::open_or_create`] does. A new ledger is compared with those in its folder, so that no
    /// population gets a second budget under another name.
    ///
    /// # Errors
    /// As above, and [`OpenError::SamePeople`], [`OpenError::UnknownPeople`], [`OpenError::Rehearsal`],
    /// [`OpenError::NotRehearsal`].
    pub fn open_for(path: &Path, purpose: &Purpose<'_>) -> Result<Self, OpenError> {
        let path = store::resolve(path)?;
        let Purpose { population, head, .. } = *purpose;
        let created = begin(&path, purpose)?;
        let book = Book::open_to_write(&path, head)?;
        match (book.state.is_rehearsal(), purpose.rehearsal) {
            (true, false) => return Err(OpenError::Rehearsal(path)),
            (false, true) => return Err(OpenError::NotRehearsal(path)),
            (true, true) | (false, false) => {}
        }
        if book.state.population() != population {
            return Err(OpenError::OtherPopulation {
                path,
                recorded: book.state.population().to_owned(),
                asked: population.to_owned(),
            });
        }
        let key = Key::settle(&path, book.state.key_check())?;
        Ok(Self { book, key, created })
    }

    /// Whether this call created the ledger. Report this to the curator: a mistyped path creates a ledger too.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.created
    }

    /// The curator's secret.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The file, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.book.path
    }

    /// The last entry; print and keep it after every release.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.book.head
    }

    /// Everything recorded, without fingerprints.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.book.state.summary(&self.book.head)
    }

    /// An account with all of its charges.
    #[must_use]
    pub fn account(&self, id: &AccountId) -> Option<&Account> {
        self.book.state.account(id)
    }

    /// Whether there is an account of this population for this secret.
    #[must_use]
    pub fn account_of(&self, population: &str, secret: Secret) -> bool {
        self.book.state.accounts().iter().any(|account| account.id.universe == population && account.id.kind == secret)
    }

    /// The charge with this number.
    #[must_use]
    pub fn release(&self, seq: u64) -> Option<&Release> {
        self.book.state.release(seq)
    }

    /// Runs `act` under the write lock, so that no other process appends between the entries of `act`.
    ///
    /// # Errors
    /// When the file cannot be locked; `act` is not run then.
    pub fn locked<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> Result<T, StoreError> {
        let kept = KeptLock(self);
        kept.0.book.begin()?.keep_lock()?;
        Ok(act(kept.0))
    }

    /// Reads the entries that other processes have added.
    ///
    /// # Errors
    /// When the file cannot be read, or was replaced or changed.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        self.book.refresh()
    }
}

/// A ledger whose lock is released when this is dropped, also by a panic.
pub(crate) struct KeptLock<'a>(pub &'a mut Ledger);

impl Drop for KeptLock<'_> {
    fn drop(&mut self) {
        // An error leaves the file locked until this process reads it or ends; no promise depends on that.
        let _ = self.0.book.give_up_lock();
    }
}

/// Creates a ledger unless it exists; returns whether it was created.
fn begin(path: &Path, purpose: &Purpose<'_>) -> Result<bool, OpenError> {
    let heads = HeadFiles::new(path, purpose.head)?;
    loop {
        // In this order: a process that is creating the ledger creates it before its head, and settles the key last.
        let mut files = std::iter::once(Key::path(path)).chain(heads.all().map(Path::to_path_buf));
        let left = files.find(|file| file.exists());
        if path.exists() {
            return Ok(false);
        }
        if let Some(left) = left {
            return Err(StoreError::Lost { ledger: path.to_path_buf(), left }.into());
        }
        let other_than = purpose.others(path)?;
        let Some(key) = Key::propose(path)? else { continue };
        let population = purpose.population.to_owned();
        let rehearsal = purpose.rehearsal;
        let genesis = Genesis { population, key_check: key.check_value(), format: FORMAT, other_than, rehearsal };
        let event = Event::Genesis(genesis);
        let payload = event.encode().map_err(StoreError::from)?;
        let (row, _) = forge(&Head::start(), now(), event.kind(), payload);
        return Ok(store::create(path, &row)?);
    }
}
