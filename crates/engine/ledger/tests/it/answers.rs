//! Large answers in files of their own: written before their entries, read on demand, and rejected when missing or
//! changed.

use super::tampering::{rechain, tamper};
use super::{FORM, PEOPLE, Place, answer, request};
use deniable_ledger::answer::MOST_IN_ENTRY;
use deniable_ledger::{
    ChargeError, ChargeOutcome, Fault, Form, Ledger, StoreError, StoredAnswer, UnreadableAnswer, VerifyError, show,
    verify,
};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// An answer that does not compress to nothing.
fn large(seed: u64) -> Value {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        json!(state >> 33)
    };
    json!({ "cells": (0..20_000).map(number).collect::<Vec<_>>() })
}

fn charge(ledger: &mut Ledger, identity: &str) -> u64 {
    let ChargeOutcome::New { seq } = ledger.charge(&request(identity, (1, 10))).unwrap() else { panic!("{identity}") };
    seq
}

/// A ledger with one large answer, and its file.
fn answered() -> (Place, u64, PathBuf) {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = charge(&mut ledger, "1");
    assert_eq!(ledger.store_answer(seq, &FORM, &large(1)).unwrap(), large(1));
    let file = stored(&ledger).file().unwrap();
    (place, seq, file)
}

fn stored(ledger: &Ledger) -> StoredAnswer {
    ledger.summary().accounts[0].releases[0].answer.clone().unwrap()
}

/// The error of reading the answer, which verifying the ledger and asking again also return.
fn refused(place: &Place, seq: u64) -> UnreadableAnswer {
    let summary = show(&place.path).unwrap();
    let reading = summary.accounts[0].releases[0].answer.as_ref().unwrap().read().unwrap_err();
    match verify(&place.path, None) {
        Err(VerifyError::Answer { seq: named, error }) => {
            assert_eq!((named, error.to_string()), (seq, reading.to_string()));
        }
        other => panic!("{other:?}"),
    }
    // The answer is neither returned nor computed anew: the query would have two answers.
    let mut ledger = place.ledger();
    match ledger.charge(&request("1", (1, 10))) {
        Err(ChargeError::Store(StoreError::Unread(error))) => assert_eq!(error.to_string(), reading.to_string()),
        other => panic!("{other:?}"),
    }
    assert!(ledger.store_answer(seq, &FORM, &json!(1)).is_err());
    reading
}

#[test]
fn large_answers_are_stored_beside_the_ledger() {
    let place = Place::new();
    let mut ledger = place.ledger();
    // The JSON text of an answer has two more bytes for its quotes.
    for (at, more) in [(0, 0), (1, 1)] {
        let text = json!("x".repeat(MOST_IN_ENTRY - 2 + more));
        let seq = charge(&mut ledger, &at.to_string());
        ledger.store_answer(seq, &FORM, &text).unwrap();
        let release = ledger.summary().accounts[0].releases[at].clone();
        assert_eq!((release.answer.as_ref().unwrap().file().is_some(), answer(&release)), (more > 0, Some(text)));
        assert_eq!(*release.answer.unwrap().form(), FORM);
    }
    assert_eq!(place.files(), ["clinic.ledger", "clinic.ledger.answers", "clinic.ledger.head", "clinic.ledger.key"]);
    assert!(fs::metadata(&place.path).unwrap().len() < 2 * MOST_IN_ENTRY as u64);
    let verified = verify(&place.path, None).unwrap();
    assert_eq!((verified.files, verified.strays), (1, 0));
    // Another process reads the same.
    assert_eq!(show(&place.path).unwrap(), ledger.summary());
    let again = place.ledger().charge(&request("1", (1, 10))).unwrap();
    assert!(
        matches!(again, ChargeOutcome::Answered { answer: Value::String(text), .. } if text.len() == MOST_IN_ENTRY - 1)
    );
}

#[cfg(unix)]
#[test]
fn files_have_the_permissions_of_the_ledger() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (ledger, folder) in [(0o600, 0o700), (0o640, 0o750)] {
        let place = Place::new();
        let mut open = place.ledger();
        fs::set_permissions(&place.path, fs::Permissions::from_mode(ledger)).unwrap();
        let seq = charge(&mut open, "1");
        open.store_answer(seq, &FORM, &large(1)).unwrap();
        let file = stored(&open).file().unwrap();
        assert_eq!((mode(&file), mode(&file.parent().unwrap().to_path_buf())), (ledger, folder));
    }
}

/// Opening a ledger does not read its answers, and reading an answer whose file is missing names the file.
#[test]
fn a_missing_file_is_named() {
    let (place, seq, file) = answered();
    let folder = file.parent().unwrap().to_path_buf();
    let aside = place.folder.path().join("aside");
    for moved in [&file, &folder] {
        fs::rename(moved, &aside).unwrap();
        let lost = refused(&place, seq);
        assert!(matches!(&lost, UnreadableAnswer::Missing(path) if *path == file), "{lost}");
        assert!(lost.to_string().contains("restore"), "{lost}");
        // The ledger remains usable.
        assert_eq!(show(&place.path).unwrap().accounts[0].releases[0].seq, seq);
        place.ledger().charge(&request("2", (1, 10))).unwrap();
        fs::rename(&aside, moved).unwrap();
        verify(&place.path, None).unwrap();
    }
    // A file in place of the folder is reported in the same way.
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    assert!(matches!(refused(&place, seq), UnreadableAnswer::Missing(_)));
    let refused = place.ledger().store_answer(seq + 2, &FORM, &large(2)).unwrap_err();
    assert!(refused.to_string().contains("clinic.ledger.answers"), "{refused}");
    assert_eq!(place.ledger().charge(&request("2", (1, 10))).unwrap(), ChargeOutcome::Resumed { seq: seq + 2 });
}

#[test]
fn any_changed_byte_is_seen() {
    let (place, seq, file) = answered();
    let whole = fs::read(&file).unwrap();
    assert!(whole.len() > 50_000);
    let last = whole.len() - 1;
    for at in (0..40).chain((40..last).step_by(last / 20)).chain([last]) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&file, changed).unwrap();
        let found = show(&place.path).unwrap().accounts[0].releases[0].answer.as_ref().unwrap().read();
        assert!(matches!(found, Err(UnreadableAnswer::Changed(_))), "{at}: {found:?}");
    }
    assert!(matches!(refused(&place, seq), UnreadableAnswer::Changed(_)));
    // Too few bytes, too many, and far too many, which are not all read.
    for bytes in [&whole[..last], &[&whole[..], b"\x50\x2a\x4d\x18\0\0\0\0"].concat(), b""] {
        fs::write(&file, bytes).unwrap();
        assert!(matches!(refused(&place, seq), UnreadableAnswer::Changed(_)));
    }
    fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(refused(&place, seq), UnreadableAnswer::Changed(_)));
    fs::write(&file, whole).unwrap();
    verify(&place.path, None).unwrap();
}

/// An attacker who knows the format rewrites the chain: the length that an entry states bounds the decompression.
#[test]
fn wrong_lengths_are_refused() {
    let (place, seq, _) = answered();
    let whole = [fs::read(&place.path).unwrap(), fs::read(place.head()).unwrap()];
    let restore = || {
        fs::write(&place.path, &whole[0]).unwrap();
        fs::write(place.head(), &whole[1]).unwrap();
    };
    let bytes = large(1).to_string().len();
    let state = |bytes: &str, path: &PathBuf| {
        let put = format!("replace(payload, '\"bytes\":{}', '\"bytes\":{bytes}')", large(1).to_string().len());
        tamper(path, &format!("UPDATE entries SET payload = {put} WHERE kind = 'answered-in-file'"));
        rechain(path);
    };
    // No zstd frame of this length decompresses to that length.
    state("1", &place.path);
    assert!(matches!(refused(&place, seq), UnreadableAnswer::Changed(_)));
    restore();
    for other in [bytes - 1, bytes + 1, 1_000_000_000] {
        state(&other.to_string(), &place.path);
        let found = refused(&place, seq);
        assert!(matches!(found, UnreadableAnswer::Length { bytes, .. } if bytes == other as u64), "{found}");
        restore();
    }
    // Lengths above the limit, and malformed ones.
    for other in ["1000000001", "18446744073709551615", "1e3", "-1"] {
        state(other, &place.path);
        match verify(&place.path, None) {
            Err(VerifyError::Store(StoreError::Broken { seq: named, fault: Fault::Unreadable(_), .. })) => {
                assert_eq!(named, seq + 1, "{other}");
            }
            found => panic!("{other}: {found:?}"),
        }
        restore();
    }
}

/// A crash between writing the file and its entry: the earlier ledger with the later folder.
#[test]
fn a_file_without_an_entry_is_left_alone() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = charge(&mut ledger, "1");
    let before = [fs::read(&place.path).unwrap(), fs::read(place.head()).unwrap()];
    ledger.store_answer(seq, &FORM, &large(1)).unwrap();
    let left = stored(&ledger).file().unwrap();
    drop(ledger);
    for (again, strays) in [(2, 1), (1, 0)] {
        fs::write(&place.path, &before[0]).unwrap();
        fs::write(place.head(), &before[1]).unwrap();
        let verified = verify(&place.path, None).unwrap();
        assert_eq!((verified.files, verified.strays > 0), (0, true));
        let mut ledger = place.ledger();
        assert_eq!(ledger.charge(&request("1", (1, 10))).unwrap(), ChargeOutcome::Resumed { seq });
        // The earlier numbers were never shown; the answer is the one that is stored now.
        assert_eq!(ledger.store_answer(seq, &FORM, &large(again)).unwrap(), large(again));
        assert_eq!(answer(&ledger.summary().accounts[0].releases[0]), Some(large(again)));
        let verified = verify(&place.path, None).unwrap();
        assert_eq!((verified.files, verified.strays), (1, strays));
        let own = stored(&ledger).file().unwrap();
        assert_eq!(own == left, again == 1);
        // The same answer once more replaces the remaining file, whatever that contains.
        if again == 2 {
            fs::remove_file(own).unwrap();
            fs::write(&left, "half").unwrap();
        }
    }
}

#[test]
fn the_first_of_several_answers_is_stored() {
    for _ in 0..10 {
        let place = Place::new();
        let seq = charge(&mut place.ledger(), "1");
        let shown: Vec<Value> = std::thread::scope(|scope| {
            let store = |seed| {
                let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
                ledger.store_answer(seq, &FORM, &large(seed)).unwrap()
            };
            let racers: Vec<_> = (0..6).map(|seed| scope.spawn(move || store(seed))).collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        assert!(shown.iter().all(|one| *one == shown[0]));
        assert_eq!(answer(&show(&place.path).unwrap().accounts[0].releases[0]).as_ref(), Some(&shown[0]));
        // The later processes have written no file.
        let verified = verify(&place.path, None).unwrap();
        assert_eq!((verified.files, verified.strays), (1, 0));
    }
}

#[test]
fn an_answer_that_is_no_json_is_refused_when_it_is_read() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = charge(&mut ledger, "1");
    // Nested too deeply to be parsed, and still JSON: the entry is in order, and the answer cannot be read.
    ledger.store_answer(seq, &Form::new("toy", 2), &json!([7])).unwrap();
    drop(ledger);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    tamper(
        &place.path,
        &format!("UPDATE entries SET payload = replace(payload, '[7]', '{deep}') WHERE kind = 'answered'"),
    );
    rechain(&place.path);
    let summary = show(&place.path).unwrap();
    let stored = summary.accounts[0].releases[0].answer.as_ref().unwrap();
    assert_eq!(stored.form(), &Form::new("toy", 2));
    assert!(matches!(stored.read(), Err(UnreadableAnswer::Json(_))));
}
