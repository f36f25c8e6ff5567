//! The sets of entities beside the ledger's key.

use super::{Place, register};
use deniable_ledger::entities::{EntitiesError, KnownEntities};
use deniable_ledger::{Ledger, VersionName};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn version(name: &str) -> VersionName {
    VersionName { source: "visits".into(), version: name.into() }
}

fn set(first: u8, count: u8) -> KnownEntities {
    let hashes = (first..first + count).map(|at| [at; 16]);
    KnownEntities { key_type: "integer".into(), hashes: hashes.collect::<BTreeSet<_>>() }
}

fn files(place: &Place) -> Vec<PathBuf> {
    let folder = place.folder.path().join("clinic.ledger.entities");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn read(ledger: &Ledger, name: &str) -> Result<KnownEntities, EntitiesError> {
    ledger.read_entities(&version(name))
}

#[test]
fn sets_are_read_as_written_for_registered_contents_only() {
    let place = Place::new();
    let mut ledger = place.ledger();
    ledger.store_entities(&version("1"), "f00d", &set(1, 3)).unwrap();
    assert!(matches!(read(&ledger, "1"), Err(EntitiesError::Missing { .. })), "not registered");
    // Interrupted, and written again.
    ledger.store_entities(&version("1"), "f00d", &set(1, 4)).unwrap();
    register(&mut ledger, "1", "f00d").unwrap();
    assert_eq!(read(&ledger, "1").unwrap(), set(1, 4));
    ledger.store_entities(&version("2"), "bead", &set(9, 0)).unwrap();
    register(&mut ledger, "2", "bead").unwrap();
    assert_eq!(read(&place.ledger(), "2").unwrap(), set(9, 0), "a version without entities");
    // Of other contents than the registered ones.
    ledger.store_entities(&version("2"), "f00d", &set(9, 1)).unwrap();
    assert!(matches!(read(&ledger, "2"), Err(EntitiesError::Damaged { .. })));
}

#[test]
fn lost_cut_and_exchanged_sets_are_refused() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for (name, first) in [("1", 1), ("2", 50)] {
        ledger.store_entities(&version(name), "f00d", &set(first, 5)).unwrap();
        register(&mut ledger, name, "f00d").unwrap();
    }
    let [one, other] = files(&place).try_into().unwrap();
    let whole = fs::read(&one).unwrap();
    let exchanged = fs::read(&other).unwrap();
    let which = if exchanged_is(&ledger, &one, &whole) { "1" } else { "2" };
    for bad in [&whole[..whole.len() - 16], &whole[..10], &[], &exchanged[..], &[&whole[..], &[7; 16]].concat()] {
        fs::write(&one, bad).unwrap();
        assert!(matches!(read(&ledger, which), Err(EntitiesError::Damaged { .. })), "{} bytes", bad.len());
    }
    let mut edited = whole.clone();
    *edited.last_mut().unwrap() ^= 1;
    fs::write(&one, edited).unwrap();
    assert!(matches!(read(&ledger, which), Err(EntitiesError::Damaged { .. })), "edited");
    fs::remove_file(&one).unwrap();
    let missing = read(&ledger, which).unwrap_err().to_string();
    assert!(missing.contains("does not exist; restore it from a backup"), "{missing}");
    fs::write(&one, whole).unwrap();
    read(&ledger, which).unwrap();
}

/// Whether the file is that of version 1.
fn exchanged_is(ledger: &Ledger, file: &PathBuf, whole: &[u8]) -> bool {
    fs::write(file, b"").unwrap();
    let is_first = matches!(read(ledger, "1"), Err(EntitiesError::Damaged { .. }));
    fs::write(file, whole).unwrap();
    is_first
}

#[cfg(unix)]
#[test]
fn only_the_curator_can_read_them() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let ledger = place.ledger();
    ledger.store_entities(&version("1"), "f00d", &set(1, 3)).unwrap();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.folder.path().join("clinic.ledger.entities")), 0o700);
    assert!(files(&place).iter().all(|file| mode(file) == 0o600));
    // Without the key, neither names nor contents are recognised.
    let name = files(&place)[0].file_name().unwrap().to_str().unwrap().to_owned();
    assert!(!name.contains("visits") && name.len() == 64 + ".hashes".len(), "{name}");
}
