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
        let now = ledger.book.connection.query_row("PRAGMA max_page_count", [], |row| row.get::<_, u32>(0)).unwrap();
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
