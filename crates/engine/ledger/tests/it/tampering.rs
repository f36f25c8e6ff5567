//! Edits are detected by the chain; cuts and other histories are detected by a kept head.

use super::{Place, register, release, request, terms_of};
use deniable_ledger::entry::FORMAT;
use deniable_ledger::{ChargeError, Fault, Head, Ledger, OpenError, StoreError, VerifyError, show, verify};
use rusqlite::Connection;
use std::path::Path;

/// A ledger with an entry of every kind.
fn every_kind() -> (Place, Head) {
    let place = Place::new();
    let mut ledger = place.ledger();
    register(&mut ledger, "2024", "f00d").unwrap();
    release(&mut ledger, "1", (1, 2));
    ledger.change_promise(&terms_of(9), "agreed").unwrap();
    release(&mut ledger, "2", (1, 1));
    let head = ledger.head().clone();
    (place, head)
}

/// Changes the file behind the ledger's back.
pub(super) fn tamper(path: &Path, sql: &str) {
    let raw = Connection::open(path).unwrap();
    raw.execute_batch(
        "DROP TRIGGER entries_are_added_in_order; DROP TRIGGER entries_are_not_changed; DROP TRIGGER \
         entries_are_not_removed;",
    )
    .unwrap();
    raw.execute_batch(sql).unwrap();
}

fn broken_at(place: &Place) -> (u64, Fault) {
    let found = match verify(&place.path, None) {
        Err(VerifyError::Store(StoreError::Broken { seq, fault, .. })) => (seq, fault),
        other => panic!("{other:?}"),
    };
    assert!(matches!(show(&place.path), Err(StoreError::Broken { .. })));
    let writing = Ledger::open_or_create(&place.path, super::PEOPLE);
    assert!(matches!(writing, Err(OpenError::Store(StoreError::Broken { .. }))));
    found
}

#[test]
fn accidents_are_refused_by_the_file_itself() {
    let (place, _) = every_kind();
    let raw = Connection::open(&place.path).unwrap();
    for sql in [
        "UPDATE entries SET payload = '' WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 2",
        "INSERT INTO entries VALUES (99, '', '', '', '', '')",
        "INSERT OR REPLACE INTO entries VALUES (2, '', '', '', '', '')",
    ] {
        assert!(raw.execute_batch(sql).is_err(), "{sql}");
    }
    verify(&place.path, None).unwrap();
}

#[test]
fn every_edit_of_every_entry_is_found_and_named() {
    let (place, head) = every_kind();
    let whole = std::fs::read(&place.path).unwrap();
    assert_eq!(head.seq, 8);
    for seq in 1..=head.seq {
        let edits = [
            ("seq = seq + 100", Some(Fault::Missing)),
            ("prev = 'f' || substr(prev, 2) || 'f'", Some(Fault::Unlinked)),
            ("hash = 'g' || substr(hash, 2)", Some(Fault::Edited)),
            ("at = '2001-01-01T00:00:00Z'", Some(Fault::Edited)),
            ("kind = 'charge'", Some(Fault::Edited)),
            ("payload = payload || ' '", Some(Fault::Edited)),
            ("payload = CAST(x'ff' AS TEXT)", None),
        ];
        for (edit, expected) in edits {
            tamper(&place.path, &format!("UPDATE entries SET {edit} WHERE seq = {seq}"));
            let (named, fault) = broken_at(&place);
            assert_eq!(named, seq, "{edit}: {fault}");
            match expected {
                Some(expected) => assert_eq!(fault, expected, "{edit} of entry {seq}"),
                None => assert!(matches!(fault, Fault::Unreadable(_)), "{edit} of entry {seq}: {fault}"),
            }
            std::fs::write(&place.path, &whole).unwrap();
        }
    }
    verify(&place.path, Some(&head.to_string())).unwrap();
}

#[test]
fn removed_and_added_entries_are_found() {
    let (place, head) = every_kind();
    let whole = std::fs::read(&place.path).unwrap();
    for seq in 1..head.seq {
        tamper(&place.path, &format!("DELETE FROM entries WHERE seq = {seq}"));
        assert_eq!(broken_at(&place), (seq, Fault::Missing));
        std::fs::write(&place.path, &whole).unwrap();
    }
    for seq in [-5, 0, 20] {
        tamper(
            &place.path,
            &format!("INSERT INTO entries SELECT {seq}, prev, hash, at, kind, payload FROM entries WHERE seq = 3"),
        );
        let named = if seq > 0 { head.seq + 1 } else { 1 };
        assert_eq!(broken_at(&place), (named, Fault::Missing));
        std::fs::write(&place.path, &whole).unwrap();
    }
    tamper(&place.path, "DELETE FROM entries");
    assert_eq!(broken_at(&place), (1, Fault::Missing));
}

#[test]
fn a_kept_head_detects_a_cut() {
    let (place, head) = every_kind();
    tamper(&place.path, "DELETE FROM entries WHERE seq > 5");
    assert!(matches!(verify(&place.path, None), Err(VerifyError::Store(StoreError::Older { entries: 5, .. }))));
    std::fs::remove_file(place.head()).unwrap();
    assert_eq!(verify(&place.path, None).unwrap().entries, 5, "a shorter history is a history");
    for kept in [head.to_string(), head.hash.clone(), head.hash[..16].to_owned()] {
        assert!(matches!(verify(&place.path, Some(&kept)), Err(VerifyError::HeadMissing { .. })));
    }
}

#[test]
fn a_kept_head_detects_a_restored_backup() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let first = release(&mut ledger, "1", (1, 2));
    let old = ledger.head().clone();
    let backup = std::fs::read(&place.path).unwrap();
    release(&mut ledger, "2", (1, 2));
    let new = ledger.head().clone();
    for kept in [&old, &new] {
        assert_eq!(verify(&place.path, Some(&kept.to_string())).unwrap().head, new, "older heads stay valid");
    }
    drop(ledger);
    std::fs::write(&place.path, backup).unwrap();
    deniable_ledger::accept_head(&place.path, None, "for a test").unwrap();
    assert_eq!(verify(&place.path, Some(&old.to_string())).unwrap().entries, first + 2);
    assert!(matches!(verify(&place.path, Some(&new.to_string())), Err(VerifyError::HeadMissing { .. })));
    // The same after it has grown again: another history does not contain the head.
    release(&mut place.ledger(), "3", (1, 2));
    assert!(matches!(verify(&place.path, Some(&new.to_string())), Err(VerifyError::HeadMissing { .. })));
    // The right hash under another number is not a head either.
    assert!(matches!(verify(&place.path, Some(&format!("2:{}", old.hash))), Err(VerifyError::HeadMissing { .. })));
}

#[test]
fn a_backup_restored_under_an_open_ledger_is_not_continued() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let backup = std::fs::read(&place.path).unwrap();
    release(&mut ledger, "1", (1, 2));
    std::fs::write(&place.path, &backup).unwrap();
    let refused = ledger.charge(&request("2", (1, 2))).unwrap_err();
    assert!(matches!(refused, ChargeError::Store(StoreError::Older { entries: 2, .. })), "{refused}");
    assert_eq!(std::fs::read(&place.path).unwrap(), backup, "nothing was written");
    // The same after it was accepted, and has grown beyond the same length since, by another process.
    let accepted = deniable_ledger::accept_head(&place.path, None, "for a test").unwrap().head.seq;
    let last = release(&mut place.ledger(), "3", (1, 2)) + 1;
    match ledger.charge(&request("2", (1, 2))) {
        Err(ChargeError::Store(StoreError::Broken { seq, fault, .. })) => {
            assert_eq!((seq, fault), (accepted + 1, Fault::Rewritten));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(verify(&place.path, None).unwrap().entries, last);
}

#[test]
fn a_ledger_that_is_moved_away_is_not_written_to() {
    let place = Place::new();
    let mut ledger = place.ledger();
    std::fs::rename(&place.path, place.folder.path().join("elsewhere")).unwrap();
    let refused = ledger.charge(&request("1", (1, 2))).unwrap_err();
    assert!(refused.to_string().contains("moved, replaced or deleted"), "{refused}");
    std::fs::rename(place.folder.path().join("elsewhere"), &place.path).unwrap();
    assert_eq!(verify(&place.path, None).unwrap().entries, 2);
}

/// Rewrites the chain from the payloads, as an attacker who knows the format would, and its head if there is one.
pub(super) fn rechain(path: &Path) {
    let raw = Connection::open(path).unwrap();
    let mut query = raw.prepare("SELECT seq, at, kind, payload FROM entries ORDER BY seq").unwrap();
    let rows: Vec<(i64, String, String, String)> =
        query.query_map([], |row| row.try_into()).unwrap().map(Result::unwrap).collect();
    let mut prev = String::new();
    for (seq, at, kind, payload) in rows {
        let mut hasher = blake3::Hasher::new_derive_key("deniable-ledger-v1 entry");
        for part in [&prev, &seq.to_string(), &at, &kind, &payload] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let hash = hasher.finalize().to_hex().to_string();
        raw.execute("UPDATE entries SET prev = ?1, hash = ?2 WHERE seq = ?3", (&prev, &hash, seq)).unwrap();
        if let Some(head) = head_beside(path) {
            std::fs::write(head, format!("{seq}:{hash}\n")).unwrap();
        }
        prev = hash;
    }
}

fn head_beside(ledger: &Path) -> Option<std::path::PathBuf> {
    Some(ledger.with_extension("ledger.head")).filter(|head| head.exists())
}

#[test]
fn a_kept_head_detects_a_rewritten_history() {
    let (place, head) = every_kind();
    tamper(&place.path, "");
    let kept = std::fs::read(place.head()).unwrap();
    rechain(&place.path);
    assert_eq!(verify(&place.path, None).unwrap().head, head, "the same payloads give the same chain");
    tamper_again(&place, "UPDATE entries SET payload = replace(payload, '\"1/2\"', '\"1/4\"') WHERE kind = 'charged'");
    rechain(&place.path);
    assert_eq!(verify(&place.path, None).unwrap().entries, head.seq, "the head was rewritten as well");
    std::fs::write(place.head(), kept).unwrap();
    assert!(matches!(verify(&place.path, None), Err(VerifyError::Store(StoreError::Older { .. }))));
    std::fs::remove_file(place.head()).unwrap();
    assert_eq!(verify(&place.path, None).unwrap().entries, head.seq);
    assert!(matches!(verify(&place.path, Some(&head.hash)), Err(VerifyError::HeadMissing { .. })));
}

fn tamper_again(place: &Place, sql: &str) {
    Connection::open(&place.path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_contradictory_history_is_refused_even_if_well_chained() {
    let change = |find: &str, put: &str, kind: &str| {
        format!("UPDATE entries SET payload = replace(payload, '{find}', '{put}') WHERE kind = '{kind}'")
    };
    let copy = |from: u64, to: u64| {
        format!(
            "UPDATE entries SET (kind, payload) = (SELECT kind, payload FROM entries WHERE seq = {from}) WHERE seq = {to}"
        )
    };
    let tales = [
        // (the edit, the entry that is contradictory)
        (change(r#""share":"1/2""#, r#""share":"3/2""#, "charged"), 4), // overspent
        (change(r#""identity":"2""#, r#""identity":"1""#, "charged"), 7), // charged twice
        (change(r#""charge":4"#, r#""charge":3"#, "answered"), 5),      // an answer to no charge
        (change(r#""charge":7"#, r#""charge":4"#, "answered"), 8),      // answered twice
        (change(r#""weaker":true"#, r#""weaker":false"#, "guarantee-changed"), 6), // a hidden weakening
        (change(r#""from":{"population":"patients"#, r#""from":{"population":"others"#, "guarantee-changed"), 6),
        // Promises that allow another limit than stated, and a limit that no promise allows.
        (change(r#""posterior_at_most":"3/4""#, r#""posterior_at_most":"4/5""#, "guarantee-stated"), 2),
        (change(r#""limit":[{"base":"3""#, r#""limit":[{"base":"4""#, "guarantee-stated"), 2),
        (change(r#""entity":"patient""#, r#""entity":null"#, "charged"), 4), // no such account
        (change(&format!(r#""format":{FORMAT}"#), &format!(r#""format":{}"#, FORMAT + 1), "genesis"), 1),
        (change(r#""population""#, r#""people""#, "genesis"), 1),
        (copy(1, 3), 3), // begun twice
        (copy(2, 3), 3), // opened twice
        (copy(3, 4), 4), // registered twice
        // other contents, as they are read in another way
        (
            copy(3, 4)
                + "; UPDATE entries SET payload = replace(payload, '\"f00d\"', '\"bead\",\"reading\":\"r\"') WHERE seq = 4",
            4,
        ),
        (copy(2, 1), 1), // never begun
        ("UPDATE entries SET at = 'yesterday' WHERE seq = 2".into(), 2),
        ("UPDATE entries SET kind = 'refunded' WHERE seq = 5".into(), 5),
    ];
    let (place, _) = every_kind();
    let whole = std::fs::read(&place.path).unwrap();
    for (tale, named) in tales {
        tamper(&place.path, &tale);
        rechain(&place.path);
        let (seq, fault) = broken_at(&place);
        assert!(matches!(fault, Fault::Contradiction(_) | Fault::Unreadable(_)), "{tale}: {fault}");
        assert_eq!(seq, named, "{tale}: {fault}");
        std::fs::write(&place.path, &whole).unwrap();
    }
}
