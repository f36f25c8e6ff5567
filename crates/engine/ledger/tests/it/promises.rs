//! Accounts, changes of promise and versions.

use super::{PEOPLE, Place, register, release, request, stated, terms, terms_of};
use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::exact::whole;
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::promise::Promise;
use deniable_ledger::{
    AccountError, ChargeOutcome, ComparedEntities, Contents, RegistrationOutcome, Secret, VersionError, verify,
};
use std::collections::BTreeSet;

#[test]
fn one_promise_for_one_secret() {
    let place = Place::new();
    let mut ledger = place.ledger();
    ledger.open_account(&terms()).unwrap();
    assert_eq!(ledger.head().seq, 2, "opening it again records nothing");

    let refused = ledger.open_account(&terms_of(4)).unwrap_err();
    assert!(matches!(refused, AccountError::TermsDiffer { .. }), "{refused}");
    assert!(refused.to_string().contains("deniable ledger change-promise"));

    let known_size = Adversary::new(true, PriorRange::any(), MovesTogether::Alone).unwrap();
    let patients = terms().subject().clone();
    let replace_one =
        Guarantee::new(patients, Secret::Membership, known_size, None, vec![Promise::Gain(whole(2))]).unwrap();
    let others = [
        replace_one.clone(),
        terms().of(Subject::new(PEOPLE, None).unwrap()),
        terms().of(Subject::new(PEOPLE, Some("visit".into())).unwrap()),
    ];
    for other in &others {
        let refused = ledger.open_account(other).unwrap_err();
        assert!(matches!(refused, AccountError::AccountDiffers { .. }), "{refused}");
    }

    ledger.open_account(&replace_one.about(Secret::Label)).unwrap();
    assert_eq!(ledger.summary().accounts.len(), 2);
}

#[test]
fn a_promise_is_changed_on_the_record_only() {
    let place = Place::new();
    let mut ledger = place.ledger();
    release(&mut ledger, "1", (1, 1));
    assert!(matches!(ledger.change_promise(&terms_of(9), " \n"), Err(AccountError::NoReason)));
    assert!(matches!(ledger.change_promise(&terms(), "why"), Err(AccountError::NothingChanged)));
    let refused = ledger.change_promise(&terms_of(2), "stricter").unwrap_err();
    assert!(matches!(refused, AccountError::BelowSpent { .. }) && refused.to_string().contains("3 is already spent"));
    let absent = terms_of(9).of(Subject::new("absent", None).unwrap());
    assert!(matches!(ledger.change_promise(&absent, "why"), Err(AccountError::NoAccount(_))));
    assert_eq!(ledger.head().seq, 4, "nothing was recorded");

    assert!(ledger.change_promise(&terms_of(9), "the board agreed").unwrap());
    ledger.open_account(&terms_of(9)).unwrap();
    assert!(matches!(ledger.open_account(&terms()), Err(AccountError::TermsDiffer { .. })));
    assert!(matches!(ledger.charge(&request("2", (1, 1))), Ok(ChargeOutcome::New { .. })));
    // The same odds in other words, and another promise beside it that allows more.
    let more = [terms_of(9).promises(), &[Promise::Epsilon(whole(100))]].concat();
    assert!(!ledger.change_promise(&stated(MovesTogether::Alone, more), "wording").unwrap());

    let summary = ledger.summary();
    let changes: Vec<_> = summary.accounts[0].changes.iter().map(|c| (c.reason.as_str(), c.weaker)).collect();
    assert_eq!(changes, [("the board agreed", true), ("wording", false)]);
    verify(&place.path, None).unwrap();
}

#[test]
fn a_version_has_one_content() {
    let place = Place::new();
    let mut ledger = place.ledger();
    assert_eq!(register(&mut ledger, "2024", "c0ffee").unwrap(), RegistrationOutcome::New);
    assert_eq!(register(&mut ledger, "2024", "c0ffee").unwrap(), RegistrationOutcome::Same);
    assert_eq!(register(&mut ledger, "2025", "bead").unwrap(), RegistrationOutcome::New);
    let refused = register(&mut ledger, "2024", "bead").unwrap_err();
    assert!(matches!(refused, VersionError::VersionDiffers { .. }));
    let words = format!("{refused} {refused:?}");
    assert!(words.contains("2024") && !words.contains("bead") && !words.contains("c0ffee"), "{words}");
    assert_eq!(ledger.registered("visits", "2024"), Some("c0ffee"));
    assert_eq!(ledger.registered("patients", "2024"), None);
}

/// A registration is of contents with their reading: another reading is another entry, and so are further accepted
/// columns.
#[test]
fn a_version_is_registered_for_each_way_of_reading_it() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let contents = |fingerprint, reading| Contents {
        source: "visits",
        version: "1",
        fingerprint,
        reading,
        entities: ComparedEntities::Any,
    };
    let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let steps: [(&str, &[&str], RegistrationOutcome); 8] = [
        ("text", &[], RegistrationOutcome::New),
        ("text", &[], RegistrationOutcome::Same),
        ("text", &["cost"], RegistrationOutcome::Again),
        ("text", &["cost"], RegistrationOutcome::Same),
        ("text", &[], RegistrationOutcome::Same),
        ("text", &["day"], RegistrationOutcome::Again),
        ("integer", &["age"], RegistrationOutcome::Again),
        // Policies that read the same files in two ways do not affect each other.
        ("text", &["cost", "day"], RegistrationOutcome::Same),
    ];
    for (reading, accepted, registered) in steps {
        let result = ledger.register_contents(&contents("f00d", reading), &columns(accepted)).unwrap();
        assert_eq!(result, registered, "{reading} {accepted:?}");
    }
    for reading in ["text", "new"] {
        let refused = ledger.register_contents(&contents("bead", reading), &columns(&["cost"]));
        assert!(matches!(refused, Err(VersionError::VersionDiffers { .. })));
    }
    drop(ledger);
    let ledger = place.ledger();
    assert_eq!(ledger.accepted("visits", "1", "text"), Some(&columns(&["cost", "day"])));
    assert_eq!(ledger.accepted("visits", "1", "integer"), Some(&columns(&["age"])));
    assert_eq!(ledger.accepted("visits", "1", "new"), None);
    assert_eq!(ledger.accepted("visits", "2", "text"), None);
    assert_eq!(ledger.summary().versions[0].accepted, columns(&["age", "cost", "day"]));
    assert_eq!(verify(&place.path, None).unwrap().entries, ledger.head().seq);
}

#[test]
fn a_promise_does_not_grow_to_larger_groups() {
    let place = Place::new();
    let of = |group: u32| stated(MovesTogether::UpTo(group), terms().promises().to_vec());
    let mut ledger = place.ledger();
    ledger.open_account(&of(1)).unwrap();
    // Nothing is spent yet: any promise can still be made.
    assert!(!ledger.change_promise(&of(3), "families").unwrap());
    assert!(matches!(ledger.charge(&request("1", (1, 2))).unwrap(), ChargeOutcome::New { .. }));
    let refused = ledger.change_promise(&of(4), "larger families").unwrap_err();
    assert!(matches!(refused, AccountError::GroupGrew { recorded: 3, asked: 4 }), "{refused}");
    // Fewer may move together: a weaker promise, on the record.
    assert!(ledger.change_promise(&of(2), "couples").unwrap());
    assert!(matches!(ledger.change_promise(&of(3), "back"), Err(AccountError::GroupGrew { .. })));
    verify(&place.path, None).unwrap();
}
