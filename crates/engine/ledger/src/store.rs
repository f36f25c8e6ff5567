//! The SQLite file of a ledger, with its one table, and its failures.

use crate::answer::UnreadableAnswer;
use crate::chain::{Fault, Head, Row};
use crate::entry::{EncodeError, FORMAT};
use crate::key::Key;
use crate::outside::HeadFiles;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a SQLite file as a ledger ("dnbl").
const APPLICATION_ID: u32 = 0x646e_626c;
/// Marks ledgers of versions before 0.1.0 ("deni").
const FORMER_ID: u32 = 0x6465_6e69;
/// Longest wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The one table, and guards against accidents. The triggers do not protect against deliberate changes.
const SCHEMA: &str = "
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE TRIGGER entries_are_added_in_order BEFORE INSERT ON entries
    WHEN NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'a ledger only grows at its end'); END;
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'a ledger entry is never changed'); END;
CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'a ledger entry is never removed'); END;
";

/// A ledger file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file does not exist.
    #[error("there is no ledger at {0}; the first release or data check of a policy creates it")]
    Missing(PathBuf),
    /// The file does not exist, but its key or head does.
    #[error(
        "there is no ledger at {ledger}, but {left} exists: the ledger was moved or lost. Restore it from a backup, or \
         delete that file, but only if nothing was ever released under it"
    )]
    Lost {
        /// The ledger.
        ledger: PathBuf,
        /// Its key or its head.
        left: PathBuf,
    },
    /// The ledger does not contain the entry of a kept head.
    #[error(
        "{ledger} is older than its head, or another ledger: it has {entries} entries, and not entry {seq} of the head in \
         {head}; put the newest copy of the ledger in its place; only if that is lost, `deniable ledger accept-head {ledger} --head \
         {head} --reason TEXT` goes on from this one, and does not count what was charged since",
        seq = .kept.seq
    )]
    Older {
        /// The ledger.
        ledger: PathBuf,
        /// The file that keeps its head.
        head: PathBuf,
        /// The head.
        kept: Head,
        /// The number of entries of the ledger.
        entries: u64,
    },
    /// The head that was kept is missing.
    #[error(
        "the head of {ledger} is missing: without {head} an older copy cannot be distinguished from the newest \
         ledger; put it back, or accept the ledger as the newest one with `deniable ledger accept-head`"
    )]
    NoHead {
        /// The ledger.
        ledger: PathBuf,
        /// The file that kept its head.
        head: PathBuf,
    },
    /// The file in place of a head holds something else.
    #[error(
        "{head} does not hold a head of {ledger} (SEQ:HASH); put it back, or accept the ledger as the newest one with \
         `deniable ledger accept-head`"
    )]
    NotAHead {
        /// The ledger.
        ledger: PathBuf,
        /// The file.
        head: PathBuf,
    },
    /// The folder is missing.
    #[error("{0} cannot be created: its folder does not exist, or is not a folder; create it, or name another place")]
    FolderMissing(PathBuf),
    /// No permission.
    #[error(
        "{0} cannot be written; make the file and its folder readable and writable for you, or keep the ledger in \
         another folder"
    )]
    ReadOnly(PathBuf),
    /// No space. Nothing was written.
    #[error("the disk of {0} is full; nothing was added to it: make space and try again")]
    DiskFull(PathBuf),
    /// A write failed for another reason than space. Nothing was written.
    #[error(
        "{0} could not be written: a quota, a limit on the size of files or a failing disk is in the way; nothing was \
         added to it: fix that and try again"
    )]
    Unwritable(PathBuf),
    /// Another process kept it locked.
    #[error("{0} has been in use by another process for over a minute; wait for it to finish and try again")]
    Locked(PathBuf),
    /// The file is not a ledger.
    #[error("{path} is not a ledger: {why}; name another file, or restore the ledger from a backup")]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// The reason why it is not a ledger.
        why: &'static str,
    },
    /// Written by a version before 0.1.0.
    #[error(
        "{0} has a format of versions before 0.1.0, which this version does not read; keep it and its key in another \
         folder, and begin a new ledger whose promise is smaller by what the old one had spent"
    )]
    Former(PathBuf),
    /// Written by a later version.
    #[error("{path} has format {found}, and this version knows up to {FORMAT}; use a newer version of deniable")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// Moved or deleted while in use.
    #[error("{0} was moved, replaced or deleted while in use; nothing was written: put it back and try again")]
    Moved(PathBuf),
    /// An entry that was changed or contradicts others.
    #[error(
        "{path} is damaged at entry {seq}: {fault}; restore it from a backup, and check that with `deniable ledger \
         verify --head`"
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first entry with a fault.
        seq: u64,
        /// The fault.
        fault: Fault,
    },
    /// An answer that cannot be read.
    #[error(transparent)]
    Unread(#[from] UnreadableAnswer),
    /// A value that cannot be stored exactly.
    #[error("this cannot be recorded exactly: {0}; use numbers of fewer digits, or ask for less at once")]
    Unstorable(#[from] EncodeError),
    /// The operating system.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// SQLite.
    #[error("{path}: {source}; if the file is damaged, restore it from a backup")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Classifies an error of the operating system.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::FolderMissing(path),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(path),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull(path),
            ErrorKind::FileTooLarge => Self::Unwritable(path),
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        let extended = source.sqlite_error().map(|error| error.extended_code);
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(path),
            // Before the commit: the journal contains what was written, and undoes it.
            _ if extended == Some(rusqlite::ffi::SQLITE_IOERR_WRITE) => Self::Unwritable(path),
            Some(ErrorCode::NotADatabase) => Self::NotALedger { path, why: "it is not a SQLite file" },
            Some(ErrorCode::ReadOnly) if extended == Some(rusqlite::ffi::SQLITE_READONLY_DBMOVED) => Self::Moved(path),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => Self::ReadOnly(path),
            _ => Self::Sqlite { path, source },
        }
    }
}

/// The path with links resolved, so that SQLite's journal and the key are beside the file itself.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, StoreError> {
    match fs::canonicalize(path) {
        Ok(found) => Ok(found),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = path.file_name().ok_or_else(|| StoreError::Missing(path.to_path_buf()))?;
            Ok(fs::canonicalize(folder).map_err(|error| StoreError::io(path, error))?.join(name))
        }
        Err(error) => Err(StoreError::io(path, error)),
    }
}

/// Moves a complete file to its name, unless that name is taken; returns whether it was moved.
///
/// # Errors
/// When the file cannot be moved for another reason, or the folder cannot be synced.
pub(crate) fn publish(file: tempfile::TempPath, path: &Path) -> Result<bool, StoreError> {
    match file.persist_noclobber(path) {
        Ok(()) => {}
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(refused) => return Err(StoreError::io(path, refused.error)),
    }
    sync_folder_of(path)?;
    Ok(true)
}

/// Makes a file name durable by syncing its folder.
#[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, reason = "folders cannot be synced there"))]
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    fs::File::open(folder_of(path))
        .and_then(|folder| folder.sync_all())
        .map_err(|error| StoreError::io(path, error))?;
    Ok(())
}

/// A new file beside `path`, for this user only and under a name of its own; removed unless published.
pub(crate) fn draft(path: &Path) -> Result<tempfile::NamedTempFile, StoreError> {
    tempfile::Builder::new()
        .prefix(".deniable-")
        .tempfile_in(folder_of(path))
        .map_err(|error| StoreError::io(path, error))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Creates a ledger with its first entry, whole or not at all; `false` when another process was first.
pub(crate) fn create(path: &Path, first: &Row) -> Result<bool, StoreError> {
    let draft = draft(path)?.into_temp_path();
    write_draft(&draft, first).map_err(|error| StoreError::sqlite(path, error))?;
    publish(draft, path)
}

fn write_draft(draft: &Path, first: &Row) -> Result<(), rusqlite::Error> {
    let mut connection = Connection::open_with_flags(draft, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    careful(&connection)?;
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.execute_batch(SCHEMA)?;
    insert(&transaction, first)?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

/// Opens an existing ledger.
///
/// Reading also opens the file for writing if it may: only so can SQLite complete the recovery after a killed
/// process. `query_only` prevents all other writes.
pub(crate) fn open(path: &Path, writing: bool) -> Result<Connection, StoreError> {
    let about = fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => match [Key::path(path), HeadFiles::path(path)].into_iter().find(|file| file.is_file()) {
            Some(left) => StoreError::Lost { ledger: path.to_path_buf(), left },
            None => StoreError::Missing(path.to_path_buf()),
        },
        _ => StoreError::io(path, error),
    })?;
    let stranger = |why| StoreError::NotALedger { path: path.to_path_buf(), why };
    if !about.is_file() {
        return Err(stranger("it is not a file"));
    }
    if about.len() == 0 {
        // SQLite would treat this as a new database. A ledger is never empty, so it must have been lost.
        return Err(stranger("it is empty"));
    }
    let sqlite = |error| StoreError::sqlite(path, error);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(sqlite)?;
    connection.busy_timeout(PATIENCE).map_err(sqlite)?;
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(sqlite);
    match number("application_id")? {
        id if id == i64::from(APPLICATION_ID) => {}
        id if id == i64::from(FORMER_ID) => return Err(StoreError::Former(path.to_path_buf())),
        _ => return Err(stranger("it is another program's database")),
    }
    match number("user_version")? {
        found if found > i64::from(FORMAT) => return Err(StoreError::Newer { path: path.to_path_buf(), found }),
        found if found < i64::from(FORMAT) => return Err(stranger("its format number is unknown")),
        _ => {}
    }
    if writing {
        if connection.is_readonly("main").map_err(sqlite)? {
            return Err(StoreError::ReadOnly(path.to_path_buf()));
        }
        careful(&connection).map_err(sqlite)?;
    } else {
        connection.pragma_update(None, "query_only", true).map_err(sqlite)?;
    }
    Ok(connection)
}

/// Makes each commit durable before it returns: the file, the end of its journal, and the folder that names them.
fn careful(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", true)
}

/// Whether locks outlive a transaction (`EXCLUSIVE`) or not (`NORMAL`).
pub(crate) fn set_locking(connection: &Connection, mode: &str) -> Result<(), rusqlite::Error> {
    connection.pragma_update_and_check(None, "locking_mode", mode, |_| Ok(()))
}

/// Reserves room in the file for a later act: pages of an otherwise empty table.
pub(crate) fn reserve(transaction: &Transaction<'_>, bytes: usize) -> Result<(), rusqlite::Error> {
    transaction.execute_batch("CREATE TABLE IF NOT EXISTS room (bytes BLOB NOT NULL) STRICT; DELETE FROM room")?;
    transaction.execute("INSERT INTO room (bytes) VALUES (?1)", [vec![0_u8; reserved(bytes)]])?;
    Ok(())
}

/// Overwrites every reserved page: SQLite skips pages that an update leaves as they are.
pub(crate) fn rewrite_reserve(transaction: &Transaction<'_>, bytes: usize) -> Result<(), rusqlite::Error> {
    transaction.execute("UPDATE room SET bytes = ?1", [vec![1_u8; reserved(bytes)]])?;
    Ok(())
}

/// Room for JSON text, and for an index page or two that may split.
fn reserved(bytes: usize) -> usize {
    bytes + (16 << 10)
}

/// Frees the reserved room within this act.
pub(crate) fn release_reserve(transaction: &Transaction<'_>) -> Result<(), rusqlite::Error> {
    transaction.execute("DELETE FROM room", [])?;
    Ok(())
}

pub(crate) fn insert(transaction: &Transaction<'_>, row: &Row) -> Result<(), rusqlite::Error> {
    transaction.execute(
        "INSERT INTO entries (seq, prev, hash, at, kind, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (row.seq, &row.prev, &row.hash, &row.at, &row.kind, &row.payload),
    )?;
    Ok(())
}
