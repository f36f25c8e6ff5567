//! The limit for all charges on one version of the data.

use super::{FORM, Place, account, release, request};
use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use deniable_ledger::{
    ChargeError, ChargeOutcome, ChargeRequest, Ledger, Limit, Part, Sharing, VersionLimit, VersionName,
};

fn named(source: &str, version: &str) -> VersionName {
    VersionName { source: source.into(), version: version.into() }
}

/// A query about a version of `visits`, of which all charges together may use a sixth.
fn asked(identity: &str, version: &str, part: (i64, i64)) -> ChargeRequest {
    let mut request = request(identity, part);
    request.query.version = version.into();
    let versions = vec![named("visits", version)];
    ChargeRequest { version_limit: Some(VersionLimit { share: ratio(1, 6), versions }), ..request }
}

fn is_new(ledger: &mut Ledger, request: &ChargeRequest) -> bool {
    matches!(ledger.charge(request), Ok(ChargeOutcome::New { .. }))
}

#[test]
fn each_version_has_its_own_part() {
    let place = Place::new();
    let mut ledger = place.ledger();
    assert!(is_new(&mut ledger, &asked("1", "june", (1, 12))));
    assert!(is_new(&mut ledger, &asked("2", "june", (1, 12))));
    let head = ledger.head().clone();
    let refused = ledger.charge(&asked("3", "june", (1, 1_000_000))).unwrap_err();
    let ChargeError::OverVersion { version, spent, limit, .. } = &refused else { panic!("{refused}") };
    assert_eq!((version, spent), (&named("visits", "june"), limit));
    let words = refused.to_string();
    assert!(words.contains("version \"june\" of `visits`") && words.contains("register the next version"), "{words}");
    assert_eq!(ledger.head(), &head, "nothing was charged");
    // Charges by other policies count, and the same query stays free.
    let other = ChargeRequest { policy: "another".into(), ..asked("4", "june", (1, 100)) };
    assert!(matches!(ledger.charge(&other), Err(ChargeError::OverVersion { .. })));
    assert!(matches!(ledger.charge(&asked("2", "june", (1, 12))), Ok(ChargeOutcome::Resumed { .. })));
    // The next version, up to the promise.
    for (at, version) in ["july", "august", "september", "october", "november"].into_iter().enumerate() {
        assert!(is_new(&mut ledger, &asked(&format!("next {at}"), version, (1, 6))), "{version}");
    }
    let refused = ledger.charge(&asked("more", "december", (1, 6))).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Account, .. }), "{refused}");
    let reopened = place.ledger();
    assert_eq!(reopened.account(&account()).unwrap().by_version.on(&named("visits", "july")), share((1, 6)));
}

/// A policy without the limit is not refused by it, and its charges count under a policy with the limit.
#[test]
fn the_limit_is_that_of_the_policy() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let free = ChargeRequest { version_limit: None, ..asked("1", "june", (1, 2)) };
    assert!(is_new(&mut ledger, &free));
    assert!(matches!(ledger.charge(&asked("2", "june", (1, 100))), Err(ChargeError::OverVersion { .. })));
    assert!(is_new(&mut ledger, &ChargeRequest { version_limit: None, ..asked("2", "june", (1, 100)) }));
}

/// A query about several tables counts for the version of each.
#[test]
fn joined_tables_count_for_each_version() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut both = asked("1", "june", (1, 6));
    both.query.source = "visits + stays".into();
    both.query.version = "june + 7".into();
    assert!(is_new(&mut ledger, &both));
    assert!(matches!(ledger.charge(&asked("2", "june", (1, 100))), Err(ChargeError::OverVersion { .. })));
    let mut stays = asked("3", "june", (1, 100));
    let versions = vec![named("stays", "7")];
    (stays.query.source, stays.query.version) = ("stays".into(), "7".into());
    stays.version_limit = Some(VersionLimit { share: ratio(1, 6), versions });
    assert!(
        matches!(ledger.charge(&stays), Err(ChargeError::OverVersion { version, .. }) if version.source == "stays")
    );
    assert!(is_new(&mut ledger, &asked("4", "july", (1, 6))));
}

fn share(part: (i64, i64)) -> Spend {
    super::three().share(&ratio(part.0, part.1)).unwrap()
}

/// Within a part of the budget the limit is the same share of the part. The charges of other analysts decide nothing
/// about a reserved part (C-7), and all together stay within the share of the promise.
#[test]
fn each_part_has_its_share_of_each_version() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for (name, sharing) in [("ana", Sharing::Reserved), ("bo", Sharing::Reserved), ("cy", Sharing::Overlapping)] {
        ledger.set_aside(&account(), name, &ratio(1, 4), sharing, None).unwrap();
    }
    let by = |name: &str, identity: &str, part| ChargeRequest {
        part: Part::Named(name.into()),
        ..asked(identity, "june", part)
    };
    let used = |ledger: &mut Ledger, request: &ChargeRequest| {
        matches!(ledger.charge(request), Err(ChargeError::OverVersion { .. }))
    };
    // 1/6 of 1/4 for each part, and 1/6 of the unreserved half.
    assert!(is_new(&mut ledger, &by("ana", "1", (1, 24))));
    assert!(used(&mut ledger, &by("ana", "2", (1, 1_000))));
    assert!(is_new(&mut ledger, &by("bo", "1", (1, 24))), "the same query, paid by another part");
    assert!(used(&mut ledger, &by("bo", "2", (1, 1_000))));
    assert!(is_new(&mut ledger, &by("cy", "3", (1, 24))));
    assert!(used(&mut ledger, &by("cy", "4", (1, 1_000))));
    assert!(is_new(&mut ledger, &asked("5", "june", (1, 24))));
    assert!(used(&mut ledger, &asked("6", "june", (1, 1_000))), "cy's charge is taken from the unreserved half, too");
    // Once in the whole: query 1 was paid by two parts.
    let whole = ledger.account(&account()).unwrap().by_version.on(&named("visits", "june"));
    assert_eq!(whole, share((3, 24)));
    let seen = ledger.account(&account()).unwrap().seen_by(&Part::Named("ana".into()));
    assert_eq!(seen.by_version.on(&named("visits", "june")), share((1, 24)));
}

/// A withdrawal returns nothing.
#[test]
fn a_withdrawn_answer_counts_for_its_version() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = release(&mut ledger, "1", (1, 6));
    ledger.withdraw(seq, "wrong caps").unwrap();
    let again = asked("2", "2024", (1, 100));
    assert!(matches!(ledger.charge(&again), Err(ChargeError::OverVersion { .. })));
    assert_eq!(ledger.release(seq).unwrap().answer.as_ref().unwrap().form(), &FORM);
}
