//! Missing, damaged and foreign files, keys and folders: a named error, and no file left behind.

use super::{PEOPLE, Place, release};
use deniable_ledger::entry::FORMAT;
use deniable_ledger::{KeyError, Ledger, OpenError, Purpose, StoreError, VerifyError, show, verify};
use deniable_testing::skipped;
use rusqlite::Connection;
use std::path::Path;

fn refusal(path: &Path) -> OpenError {
    Ledger::open_or_create(path, PEOPLE).unwrap_err()
}

#[test]
fn a_new_ledger_is_whole_and_alone() {
    let place = Place::new();
    let ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    assert!(ledger.is_new());
    assert_eq!(place.files(), ["clinic.ledger", "clinic.ledger.head", "clinic.ledger.key"]);
    let again = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    assert!(!again.is_new());
    assert_eq!(ledger.key().derive("rows"), again.key().derive("rows"));
    assert_eq!(verify(&place.path, None).unwrap().head, *ledger.head());
}

#[test]
fn racing_beginners_share_one_ledger() {
    for _ in 0..20 {
        let place = Place::new();
        let opened: Vec<_> = std::thread::scope(|scope| {
            let racers: Vec<_> =
                (0..6).map(|_| scope.spawn(|| Ledger::open_or_create(&place.path, PEOPLE).unwrap())).collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(opened.iter().filter(|ledger| ledger.is_new()).count(), 1);
        assert!(opened.iter().all(|ledger| ledger.head() == opened[0].head()));
        assert!(opened.iter().all(|ledger| ledger.key().derive("x") == opened[0].key().derive("x")));
        drop(Ledger::open_or_create(&place.path, PEOPLE).unwrap());
        assert_eq!(place.files(), ["clinic.ledger", "clinic.ledger.head", "clinic.ledger.key"]);
    }
}

#[test]
fn a_creation_that_was_interrupted_is_finished() {
    // Killed after the key was proposed.
    let place = Place::new();
    drop(Ledger::open_or_create(&place.path, PEOPLE).unwrap());
    let proposed = place.folder.path().join("clinic.ledger.key.new");
    let head = place.folder.path().join("clinic.ledger.head");
    std::fs::rename(place.key(), &proposed).unwrap();
    std::fs::remove_file(&place.path).unwrap();
    std::fs::remove_file(&head).unwrap();
    assert!(Ledger::open_or_create(&place.path, PEOPLE).unwrap().is_new());
    // Killed after the ledger was created, before the key was settled, with and without a head.
    for has_head in [true, false] {
        std::fs::rename(place.key(), &proposed).unwrap();
        if !has_head {
            std::fs::remove_file(&head).unwrap();
        }
        assert!(!Ledger::open_or_create(&place.path, PEOPLE).unwrap().is_new());
    }
    assert_eq!(place.files(), ["clinic.ledger", "clinic.ledger.head", "clinic.ledger.key"]);
}

#[test]
fn a_ledger_belongs_to_one_population() {
    let place = Place::new();
    drop(place.ledger());
    let refused = Ledger::open_or_create(&place.path, "staff").unwrap_err();
    assert!(matches!(refused, OpenError::OtherPopulation { .. }));
    let words = refused.to_string();
    assert!(words.contains("`patients`") && words.contains("`staff`"), "{words}");
}

#[test]
fn a_key_is_restored_not_replaced() {
    let place = Place::new();
    drop(place.ledger());
    let right = std::fs::read(place.key()).unwrap();

    std::fs::remove_file(place.key()).unwrap();
    let refused = refusal(&place.path);
    assert!(matches!(refused, OpenError::Key(KeyError::Missing(_))) && refused.to_string().contains("restore"));
    assert_eq!(place.files(), ["clinic.ledger", "clinic.ledger.head"]);
    verify(&place.path, None).unwrap();
    show(&place.path).unwrap();

    let other = Place::new();
    drop(other.ledger());
    std::fs::copy(other.key(), place.key()).unwrap();
    assert!(matches!(refusal(&place.path), OpenError::Key(KeyError::Wrong(_))));
    std::fs::write(place.key(), "not a key").unwrap();
    assert!(matches!(refusal(&place.path), OpenError::Key(KeyError::Malformed(_))));
    std::fs::write(place.key(), right).unwrap();
    drop(place.ledger());
}

#[test]
fn a_lost_ledger_is_not_silently_begun_anew() {
    let place = Place::new();
    drop(place.ledger());
    std::fs::remove_file(&place.path).unwrap();
    let refused = refusal(&place.path);
    assert!(matches!(refused, OpenError::Store(StoreError::Lost { .. })), "{refused}");
    assert!(matches!(show(&place.path), Err(StoreError::Lost { .. })));
    assert_eq!(place.files(), ["clinic.ledger.head", "clinic.ledger.key"]);
}

#[test]
fn other_files_are_not_ledgers() {
    let place = Place::new();
    let write = |bytes: &[u8]| std::fs::write(&place.path, bytes).unwrap();
    let mut noise = b"SQLite format 3\0".to_vec();
    noise.extend([0x5a; 5000]);
    for bytes in [&b""[..], b"x", b"name,age\nann,3\n", &[b'y'; 5000], &noise] {
        write(bytes);
        let refused = refusal(&place.path);
        assert!(matches!(refused, OpenError::Store(StoreError::NotALedger { .. })), "{refused}");
        assert!(matches!(verify(&place.path, None), Err(VerifyError::Store(StoreError::NotALedger { .. }))));
        assert_eq!(std::fs::read(&place.path).unwrap(), bytes, "left as it was");
        assert_eq!(place.files(), ["clinic.ledger"]);
    }
    write(b"");
    assert!(refusal(&place.path).to_string().contains("it is empty"));
    std::fs::remove_file(&place.path).unwrap();
    let other = "CREATE TABLE entries (seq INTEGER); PRAGMA user_version = 1";
    Connection::open(&place.path).unwrap().execute_batch(other).unwrap();
    assert!(matches!(refusal(&place.path), OpenError::Store(StoreError::NotALedger { .. })));
    assert!(matches!(refusal(place.folder.path()), OpenError::Store(StoreError::NotALedger { .. })));
}

#[test]
fn a_newer_format_is_refused() {
    let place = Place::new();
    drop(place.ledger());
    Connection::open(&place.path).unwrap().pragma_update(None, "user_version", FORMAT + 1).unwrap();
    let refused = refusal(&place.path);
    let newer = i64::from(FORMAT + 1);
    assert!(matches!(refused, OpenError::Store(StoreError::Newer { found, .. }) if found == newer), "{refused}");
    assert!(matches!(show(&place.path), Err(StoreError::Newer { .. })));
    Connection::open(&place.path).unwrap().pragma_update(None, "user_version", 0).unwrap();
    assert!(matches!(refusal(&place.path), OpenError::Store(StoreError::NotALedger { .. })));
}

/// Ledgers of versions before 0.1.0 are refused by name and stay as they are, also beside a new ledger.
#[test]
fn a_former_format_is_refused_by_name() {
    let place = Place::new();
    drop(place.ledger());
    Connection::open(&place.path).unwrap().pragma_update(None, "application_id", 0x6465_6e69).unwrap();
    let bytes = std::fs::read(&place.path).unwrap();
    let words = format!("{} has a format of versions before 0.1.0", place.path.canonicalize().unwrap().display());
    for refused in [refusal(&place.path).to_string(), show(&place.path).unwrap_err().to_string()] {
        assert!(refused.starts_with(&words) && refused.contains("begin a new ledger"), "{refused}");
    }
    let purpose = Purpose { policy: Some("clinic"), ..Purpose::people("others") };
    let beside = Ledger::open_for(&place.folder.path().join("new.ledger"), &purpose).unwrap_err();
    assert!(beside.to_string().contains("versions before 0.1.0"), "{beside}");
    assert_eq!(std::fs::read(&place.path).unwrap(), bytes, "left as it was");
}

#[test]
fn a_write_that_was_interrupted_is_rolled_back() {
    let place = Place::new();
    let head = place.ledger().head().clone();
    // A transaction larger than the cache writes to the file before it commits, its undo journal beside it.
    let mut raw = Connection::open(&place.path).unwrap();
    raw.pragma_update(None, "cache_size", 2).unwrap();
    let half = raw.transaction().unwrap();
    for seq in 3..40 {
        half.execute("INSERT INTO entries VALUES (?1, '', '', '', '', ?2)", (seq, "x".repeat(4000))).unwrap();
    }
    for writing in [false, true] {
        // A copy of both files is the state after a crash at this moment.
        let found = Place::new();
        for name in place.files() {
            std::fs::copy(place.folder.path().join(&name), found.folder.path().join(&name)).unwrap();
        }
        assert!(found.files().contains(&"clinic.ledger-journal".to_owned()));
        assert!(std::fs::metadata(&found.path).unwrap().len() > 40_000, "half of it is in the file");
        if writing {
            assert_eq!(*found.ledger().head(), head);
        }
        assert_eq!(verify(&found.path, None).unwrap().head, head);
    }
}

#[test]
fn a_cut_off_file_is_refused() {
    let place = Place::new();
    let mut ledger = place.ledger();
    release(&mut ledger, "1", (1, 2));
    drop(ledger);
    let whole = std::fs::read(&place.path).unwrap();
    for length in (1..whole.len()).step_by(509) {
        std::fs::write(&place.path, &whole[..length]).unwrap();
        assert!(verify(&place.path, None).is_err(), "{length} of {} bytes", whole.len());
        assert!(Ledger::open_or_create(&place.path, PEOPLE).is_err(), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn folders_that_do_not_exist() {
    let place = Place::new();
    let in_no_folder = place.folder.path().join("no/ledger");
    assert!(matches!(refusal(&in_no_folder), OpenError::Store(StoreError::FolderMissing(_))));
    std::fs::write(&place.path, "a file").unwrap();
    assert!(matches!(refusal(&place.path.join("ledger")), OpenError::Store(StoreError::FolderMissing(_))));
    assert!(matches!(show(&place.folder.path().join("none")), Err(StoreError::Missing(_))));
    assert!(matches!(verify(&place.folder.path().join("none"), None), Err(VerifyError::Store(StoreError::Missing(_)))));
    assert_eq!(place.files(), ["clinic.ledger"]);
}

#[cfg(unix)]
#[test]
#[allow(clippy::print_stderr)]
fn read_only_folders_and_files() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    // sysfs takes no files, not even from root.
    if Path::new("/sys/kernel").is_dir() {
        let refused = refusal(Path::new("/sys/kernel/clinic.ledger"));
        assert!(
            matches!(
                refused,
                OpenError::Store(StoreError::ReadOnly(_)) | OpenError::Key(KeyError::Store(StoreError::ReadOnly(_)))
            ),
            "{refused}"
        );
    } else {
        skipped("there is no /sys to stand for a read-only folder", "run the tests on Linux");
    }

    let place = Place::new();
    drop(place.ledger());
    std::fs::set_permissions(&place.path, std::fs::Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().append(true).open(&place.path).is_ok() {
        skipped("this user may write read-only files", "run the tests as another than root");
    } else {
        assert!(matches!(refusal(&place.path), OpenError::Store(StoreError::ReadOnly(_))));
        verify(&place.path, None).unwrap();
    }
    std::fs::set_permissions(&place.path, std::fs::Permissions::from_mode(0o600)).unwrap();

    // A link is followed, so that the key is found beside the ledger itself.
    let link = Place::new();
    symlink(&place.path, &link.path).unwrap();
    assert!(!Ledger::open_or_create(&link.path, PEOPLE).unwrap().is_new());
    assert_eq!(link.files(), ["clinic.ledger"]);
}
