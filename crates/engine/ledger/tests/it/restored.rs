//! Older copies of a ledger: refused if the head outside detects them, and continued only by an act of the curator.

use super::{FORM, PEOPLE, Place, account, answer, release, request};
use deniable_core::exact::ratio;
use deniable_ledger::{
    AcceptHeadError, ChargeError, ChargeOutcome, Draw, Ledger, OpenError, Part, Purpose, Sharing, StoreError,
    VerifyError, accept_head, show, verify,
};
use serde_json::json;
use std::convert::Infallible;
use std::fs;
use std::path::Path;

impl Place {
    fn open(&self) -> Result<Ledger, OpenError> {
        Ledger::open_or_create(&self.path, PEOPLE)
    }

    fn kept(&self) -> String {
        fs::read_to_string(self.head()).unwrap()
    }
}

fn draw(ledger: &mut Ledger, seq: u64, number: i128) {
    ledger.draw(seq, &FORM, 1, || Ok::<_, Infallible>(vec![number])).unwrap().unwrap();
}

/// A ledger with entries of every kind that follows from a charge, and a copy of its file after each of them.
fn every_state() -> (Place, Ledger, Vec<Vec<u8>>) {
    let place = Place::new();
    let mut copies = Vec::new();
    let mut copy = || copies.push(fs::read(&place.path).unwrap());
    let mut ledger = place.open().unwrap();
    copy();
    ledger.open_account(&super::terms()).unwrap();
    copy();
    ledger.set_aside(&account(), "ana", &ratio(1, 4), Sharing::Reserved, None).unwrap();
    copy();
    ledger.charge(&request("open", (1, 8))).unwrap();
    copy();
    let drawn = ledger.charge(&request("drawn", (1, 8))).unwrap().seq();
    copy();
    let path = place.path.clone();
    let mut begun = Vec::new();
    let noise = || {
        begun = fs::read(&path).unwrap();
        Ok::<_, Infallible>(vec![3])
    };
    ledger.draw(drawn, &FORM, 1, noise).unwrap().unwrap();
    copies.push(begun);
    copies.push(fs::read(&place.path).unwrap());
    ledger.store_answer(drawn, &FORM, &json!(3)).unwrap();
    copies.push(fs::read(&place.path).unwrap());
    ledger.change_promise(&super::terms_of(4), "agreed").unwrap();
    copies.push(fs::read(&place.path).unwrap());
    (place, ledger, copies)
}

fn is_older(error: &StoreError, place: &Place) -> bool {
    let words = error.to_string();
    let names = ["clinic.ledger is older", "clinic.ledger.head", "accept-head"].iter().all(|name| words.contains(name));
    names && matches!(error, StoreError::Older { head, .. } if head.file_name() == place.head().file_name())
}

#[test]
fn an_older_copy_of_any_state_is_refused() {
    let (place, mut running, copies) = every_state();
    let (newest, older) = copies.split_last().unwrap();
    let kept = place.kept();
    assert_eq!(kept, format!("{}\n", running.head()));
    for (state, copy) in older.iter().enumerate() {
        // Overwritten under an open ledger, as of a server.
        fs::write(&place.path, copy).unwrap();
        let refused = running.charge(&request("new", (1, 8))).unwrap_err();
        assert!(matches!(&refused, ChargeError::Store(error) if is_older(error, &place)), "{state}: {refused}");
        let refused = running.refresh().unwrap_err();
        assert!(is_older(&refused, &place), "{state}: {refused}");
        // The same holds for a new process.
        match place.open() {
            Err(OpenError::Store(refused)) => assert!(is_older(&refused, &place), "{state}: {refused}"),
            other => panic!("{state}: {other:?}"),
        }
        assert!(matches!(show(&place.path), Err(refused) if is_older(&refused, &place)), "{state}");
        assert!(matches!(verify(&place.path, None), Err(VerifyError::Store(refused)) if is_older(&refused, &place)));
        assert_eq!(
            (&fs::read(&place.path).unwrap(), place.kept()),
            (copy, kept.clone()),
            "{state}: nothing is written"
        );
    }
    // The newest copy is put back: no charge was lost, and no acceptance is needed.
    fs::write(&place.path, newest).unwrap();
    running.charge(&request("new", (1, 8))).unwrap();
    let refused = accept_head(&place.path, None, "why").unwrap_err();
    assert!(matches!(refused, AcceptHeadError::Contained(_)), "{refused}");
    assert!(show(&place.path).unwrap().accounts[0].releases.iter().any(|release| release.is_open()));
}

/// A file moved to the ledger's name is another file for a ledger that is open.
#[test]
fn an_older_copy_that_is_moved_into_place_is_not_written_to() {
    let (place, mut running, copies) = every_state();
    let aside = place.folder.path().join("aside");
    for copy in &copies[..copies.len() - 1] {
        fs::write(&aside, copy).unwrap();
        fs::rename(&aside, &place.path).unwrap();
        let refused = running.charge(&request("new", (1, 8))).unwrap_err();
        assert!(matches!(refused, ChargeError::Store(StoreError::Moved(_) | StoreError::Older { .. })), "{refused}");
        assert_eq!(&fs::read(&place.path).unwrap(), copy);
    }
}

#[test]
fn an_older_copy_goes_on_once_it_is_accepted_and_draws_nothing_twice() {
    let (place, running, copies) = every_state();
    let lost = running.head().clone();
    drop(running);
    for (state, copy) in copies.iter().enumerate().take(copies.len() - 1) {
        fs::write(&place.path, copy).unwrap();
        fs::write(place.head(), format!("{lost}\n")).unwrap();
        assert!(matches!(accept_head(&place.path, None, " "), Err(AcceptHeadError::NoReason)));
        let accepted = accept_head(&place.path, None, "the disk died").unwrap();
        assert_eq!((accepted.from.seq as usize, accepted.kept.as_ref()), (state + 1, Some(&lost)));
        assert_eq!((accepted.head.seq, place.kept()), (accepted.from.seq + 1, format!("{}\n", accepted.head)));
        let mut ledger = place.open().unwrap();
        assert_eq!(*ledger.head(), accepted.head);
        let releases = ledger.summary().accounts.first().map(|account| account.releases.clone()).unwrap_or_default();
        assert_eq!(accepted.closed, releases.iter().filter(|release| release.draw == Draw::Closed).count(), "{state}");
        assert!(releases.iter().all(|release| !release.is_open()), "{state}");
        ledger.open_account(&super::terms()).unwrap();
        for identity in ["open", "drawn"] {
            let before = releases.iter().find(|release| release.query.identity == identity);
            let charge = ledger.charge(&request(identity, (1, 8))).unwrap();
            match before {
                // Charges with numbers keep them; the other charges are not drawn, and the query is charged anew.
                Some(release) if answer(release).is_some() => assert!(matches!(charge, ChargeOutcome::Answered { .. })),
                Some(release) if matches!(release.draw, Draw::Done(_)) => {
                    assert!(matches!(charge, ChargeOutcome::Drawn { .. }), "{state}");
                }
                _ => {
                    assert!(matches!(charge, ChargeOutcome::New { .. }), "{state}: {charge:?}");
                    draw(&mut ledger, charge.seq(), 4);
                }
            }
        }
        verify(&place.path, Some(&accepted.head.to_string())).unwrap();
    }
}

#[test]
fn a_ledger_that_is_newer_than_its_head_goes_on() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut heads = vec![place.kept()];
    for identity in ["1", "2"] {
        release(&mut ledger, identity, (1, 8));
        heads.push(place.kept());
    }
    // A crash between an entry and its head, or several.
    for older in &heads {
        let last = format!("{}\n", ledger.head());
        assert_eq!(place.kept(), last);
        fs::write(place.head(), older).unwrap();
        show(&place.path).unwrap();
        assert_eq!(&place.kept(), older, "reading does not write");
        ledger.refresh().unwrap();
        drop(place.open().unwrap());
        assert_eq!(place.kept(), last);
        // An open ledger updates the head with its next entry.
        fs::write(place.head(), older).unwrap();
        ledger.record_trial(trial(older)).unwrap();
        assert_eq!(place.kept(), format!("{}\n", ledger.head()));
    }
}

fn trial(name: &str) -> deniable_ledger::EngineTried {
    deniable_ledger::EngineTried { engine: name.into(), about: "an engine".into(), statement: "s".into(), passed: true }
}

/// The head on disk covers a charge and its draw before the first random bit.
#[test]
fn noise_is_drawn_after_its_head_is_on_disk() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = ledger.charge(&request("1", (1, 8))).unwrap().seq();
    let charged = place.kept();
    let mut while_drawing = String::new();
    let noise = || {
        while_drawing = place.kept();
        Ok::<_, Infallible>(vec![1])
    };
    ledger.draw(seq, &FORM, 1, noise).unwrap().unwrap();
    let number = |head: &str| head.split_once(':').unwrap().0.parse::<u64>().unwrap();
    assert_eq!((number(&charged), number(&while_drawing), number(&place.kept())), (seq, seq + 1, seq + 2));
}

#[test]
fn a_missing_or_strange_head_is_reported() {
    let place = Place::new();
    let mut ledger = place.ledger();
    ledger.charge(&request("1", (1, 8))).unwrap();
    let (whole, kept) = (fs::read(&place.path).unwrap(), place.kept());
    fs::remove_file(place.head()).unwrap();
    let refused = place.open().unwrap_err();
    assert!(matches!(refused, OpenError::Store(StoreError::NoHead { .. })), "{refused}");
    assert!(refused.to_string().contains("clinic.ledger.head") && refused.to_string().contains("accept-head"));
    assert!(matches!(ledger.charge(&request("2", (1, 8))), Err(ChargeError::Store(StoreError::NoHead { .. }))));
    // A copy without its head, or its key, can be read.
    show(&place.path).unwrap();
    verify(&place.path, None).unwrap();
    let other = Place::new();
    drop(other.ledger());
    for strange in ["", "a head\n", &kept[..kept.len() - 1], &kept.to_uppercase()] {
        fs::write(place.head(), strange).unwrap();
        assert!(matches!(place.open(), Err(OpenError::Store(StoreError::NotAHead { .. }))), "{strange:?}");
        assert!(matches!(show(&place.path), Err(StoreError::NotAHead { .. })));
    }
    fs::write(place.head(), other.kept()).unwrap();
    assert!(matches!(place.open(), Err(OpenError::Store(StoreError::Older { .. }))));
    assert_eq!(fs::read(&place.path).unwrap(), whole, "nothing is written");
    // Accepting a ledger without a head closes its open charges, too.
    for strange in [None, Some("a head\n")] {
        fs::write(&place.path, &whole).unwrap();
        match strange {
            None => fs::remove_file(place.head()).unwrap(),
            Some(text) => fs::write(place.head(), text).unwrap(),
        }
        let accepted = accept_head(&place.path, None, "the folder was moved").unwrap();
        assert_eq!((accepted.closed, accepted.kept, place.kept()), (1, None, format!("{}\n", accepted.head)));
    }
    place.open().unwrap();
}

#[test]
fn a_head_without_its_ledger_is_reported_as_a_lost_ledger() {
    let place = Place::new();
    drop(place.ledger());
    fs::remove_file(&place.path).unwrap();
    fs::remove_file(place.key()).unwrap();
    let refused = place.open().unwrap_err();
    assert!(
        matches!(&refused, OpenError::Store(StoreError::Lost { left, .. }) if left.ends_with("clinic.ledger.head"))
    );
    assert!(matches!(show(&place.path), Err(StoreError::Lost { .. })));
    assert_eq!(place.files(), ["clinic.ledger.head"]);
}

/// A backup of the whole folder has the head of its own time. A head that is kept elsewhere does not.
#[test]
fn a_head_elsewhere_finds_a_folder_that_was_restored_whole() {
    let (place, safe) = (Place::new(), Place::new());
    let elsewhere = safe.folder.path().join("head");
    let open = || Ledger::open_for(&place.path, &Purpose { head: Some(&elsewhere), ..Purpose::people(PEOPLE) });
    let mut ledger = open().unwrap();
    ledger.open_account(&super::terms()).unwrap();
    let backup: Vec<(String, Vec<u8>)> = place
        .files()
        .into_iter()
        .map(|name| (name.clone(), fs::read(place.folder.path().join(name)).unwrap()))
        .collect();
    release(&mut ledger, "1", (1, 2));
    let kept = fs::read_to_string(&elsewhere).unwrap();
    assert_eq!(kept, format!("{}\n", ledger.head()));
    // Another process, opened without the second file, continues the ledger.
    place.open().unwrap().charge(&request("2", (1, 4))).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), kept);
    ledger.charge(&request("3", (1, 8))).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), format!("{}\n", ledger.head()));

    for (name, bytes) in &backup {
        fs::write(place.folder.path().join(name), bytes).unwrap();
    }
    assert!(place.open().is_ok(), "no file in the folder reveals it");
    let named = |refused: &StoreError| matches!(refused, StoreError::Older { head, .. } if head.ends_with("head"));
    assert!(matches!(ledger.charge(&request("4", (1, 8))), Err(ChargeError::Store(refused)) if named(&refused)));
    assert!(matches!(open(), Err(OpenError::Store(refused)) if named(&refused)));
    assert!(matches!(accept_head(&place.path, None, "why"), Err(AcceptHeadError::Contained(_))));
    accept_head(&place.path, Some(&elsewhere), "the disk died").unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), place.kept());
    drop(open().unwrap());
    // If the ledger is missing too, it is not created anew.
    for name in place.files() {
        fs::remove_file(place.folder.path().join(name)).unwrap();
    }
    assert!(matches!(open(), Err(OpenError::Store(StoreError::Lost { left, .. })) if left.ends_with("head")));
}

/// When a head cannot be written, its entry stays, and no entry follows it.
#[test]
fn nothing_follows_an_entry_whose_head_cannot_be_written() {
    let (place, safe) = (Place::new(), Place::new());
    let folder = safe.folder.path().join("heads");
    fs::create_dir(&folder).unwrap();
    let mut ledger =
        Ledger::open_for(&place.path, &Purpose { head: Some(&folder.join("head")), ..Purpose::people(PEOPLE) })
            .unwrap();
    ledger.open_account(&super::terms()).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let refused = ledger.charge(&request("1", (1, 8))).unwrap_err();
    assert!(refused.to_string().contains("heads"), "{refused}");
    assert_eq!(verify(&place.path, None).unwrap().entries, 2);
    fs::create_dir(&folder).unwrap();
    let seq = ledger.charge(&request("1", (1, 8))).unwrap().seq();
    fs::remove_dir_all(&folder).unwrap();
    // An existing charge may be looked up, but no noise is drawn.
    assert_eq!(ledger.charge(&request("1", (1, 8))).unwrap(), ChargeOutcome::Resumed { seq });
    let noise = || -> Result<Vec<i128>, Infallible> { panic!("noise was drawn") };
    assert!(ledger.draw(seq, &FORM, 1, noise).is_err());
    fs::create_dir(&folder).unwrap();
    draw(&mut ledger, seq, 1);
}

#[cfg(unix)]
#[test]
fn heads_have_the_permissions_of_the_ledger() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mut ledger = place.ledger();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for wanted in [0o600, 0o660] {
        fs::set_permissions(&place.path, fs::Permissions::from_mode(wanted)).unwrap();
        ledger.record_trial(trial(&wanted.to_string())).unwrap();
        assert_eq!(mode(&place.head()), wanted);
    }
}

/// An open charge of a part in an older copy is closed like any other.
#[test]
fn open_charges_of_parts_are_closed_by_an_accepted_head() {
    let place = Place::new();
    let mut ledger = place.ledger();
    ledger.set_aside(&account(), "ana", &ratio(1, 2), Sharing::Reserved, None).unwrap();
    let by_ana = deniable_ledger::ChargeRequest { part: Part::Named("ana".into()), ..request("1", (1, 8)) };
    let seq = ledger.charge(&by_ana).unwrap().seq();
    let copy = fs::read(&place.path).unwrap();
    draw(&mut ledger, seq, 1);
    drop(ledger);
    fs::write(&place.path, copy).unwrap();
    assert_eq!(accept_head(&place.path, None, "why").unwrap().closed, 1);
    let mut ledger = place.open().unwrap();
    assert!(matches!(ledger.charge(&by_ana).unwrap(), ChargeOutcome::New { .. }));
}
