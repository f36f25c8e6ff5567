//! Queries that need an approval: visibility, decisions and charges.

use super::{FORM, PEOPLE, Place, account, request};
use crate::approvals::MOST_WAITING;
use deniable_core::exact::ratio;
use deniable_ledger::{
    Account, ApprovalError, ChargeError, ChargeOutcome, ChargeRequest, Ledger, Part, Sharing, show, verify,
};

fn named(name: &str) -> Part {
    Part::Named(name.into())
}

fn divided(place: &Place) -> Ledger {
    let mut ledger = place.ledger();
    for name in ["ana", "bo"] {
        ledger.set_aside(&account(), name, &ratio(1, 4), Sharing::Reserved, None).unwrap();
    }
    ledger
}

fn asked_by(name: &str, identity: &str) -> ChargeRequest {
    ChargeRequest { part: named(name), ..request(identity, (1, 40)) }
}

fn now(ledger: &Ledger) -> Account {
    ledger.summary().accounts.remove(0)
}

#[test]
fn a_request_is_recorded_once_and_decided_either_way() {
    let place = Place::new();
    let mut ledger = divided(&place);
    let first = ledger.request_approval(&asked_by("ana", "q")).unwrap();
    assert_eq!((first.part.as_str(), &first.decision), ("ana", &None));
    let head = ledger.head().clone();
    assert_eq!(ledger.request_approval(&asked_by("ana", "q")).unwrap(), first, "it is one request");
    assert_eq!(ledger.head(), &head, "nothing was written");
    ledger.decide(first.seq, false, "eve", "too fine").unwrap();
    let again = ledger.decide(first.seq, false, "eve", "once more");
    assert!(matches!(again, Err(ApprovalError::Same(seq)) if seq == first.seq), "{again:?}");
    let refused = ledger.request_approval(&asked_by("ana", "q")).unwrap().decision.unwrap();
    assert_eq!((refused.allowed, refused.by.as_str(), refused.reason.as_str()), (false, "eve", "too fine"));
    // A decision can be reversed.
    ledger.decide(first.seq, true, "eve", "").unwrap();
    drop(ledger);
    let account = &show(&place.path).unwrap().accounts[0];
    assert!(account.request(&named("ana"), "q").unwrap().decision.as_ref().unwrap().allowed);
    assert!(account.spent.is_nothing() && account.releases.is_empty(), "nothing is charged by it");
    assert_eq!(verify(&place.path, None).unwrap().entries, 7);
}

/// An approval allows one charge: a query whose charge died needs another approval.
#[test]
fn an_approval_allows_one_charge() {
    let place = Place::new();
    let mut ledger = divided(&place);
    let asked = asked_by("ana", "q");
    let seq = ledger.request_approval(&asked).unwrap().seq;
    let allowed = |ledger: &Ledger| {
        let account = now(ledger).seen_by(&named("ana"));
        account.decision(&account.requests[0]).map(|decision| decision.allowed)
    };
    for round in 0..2 {
        assert_eq!(allowed(&ledger), None, "{round}");
        ledger.decide(seq, true, "eve", "").unwrap();
        assert_eq!(allowed(&ledger), Some(true), "{round}");
        let ChargeOutcome::New { seq: charge } = ledger.charge(&asked).unwrap() else { panic!("{round}") };
        // It resumes without another approval, until its draw breaks off.
        assert_eq!(allowed(&ledger), Some(true), "{round}");
        assert!(matches!(ledger.decide(seq, true, "eve", ""), Err(ApprovalError::Same(_))), "{round}");
        assert_eq!(ledger.draw(charge, &FORM, 1, || Err(())).unwrap(), Err(()));
    }
    assert_eq!(allowed(&ledger), None);
    ledger.decide(seq, false, "eve", "").unwrap();
    assert_eq!(allowed(&place.ledger()), Some(false));
    verify(&place.path, None).unwrap();
}

#[test]
fn invalid_requests_and_decisions_are_refused() {
    let place = Place::new();
    let mut ledger = divided(&place);
    let absent = ledger.request_approval(&asked_by("cy", "q"));
    assert!(matches!(absent, Err(ApprovalError::Charge(ChargeError::NoPart(ref name))) if name == "cy"), "{absent:?}");
    assert!(ledger.request_approval(&request("q", (1, 40))).is_err(), "public queries need no approval");
    assert!(matches!(ledger.decide(1, true, "eve", ""), Err(ApprovalError::NoRequest(1))));
    for at in 0..MOST_WAITING {
        ledger.request_approval(&asked_by("ana", &at.to_string())).unwrap();
    }
    let one = now(&ledger).requests[0].seq;
    let over = ledger.request_approval(&asked_by("ana", "more"));
    assert!(matches!(over, Err(ApprovalError::TooMany(MOST_WAITING))), "{over:?}");
    ledger.request_approval(&asked_by("bo", "more")).unwrap();
    ledger.decide(one, false, "eve", "").unwrap();
    ledger.request_approval(&asked_by("ana", "more")).unwrap();
    assert!(matches!(ledger.decide(one, true, "eve", &"x".repeat(1_001)), Err(ApprovalError::Reason)));
}

/// Requests of one analyst and their decisions do not change another analyst's view, including the number of entries
/// (C-7).
#[test]
fn requests_are_invisible_to_other_analysts() {
    let (place, quiet) = (Place::new(), Place::new());
    let (mut ledger, alone) = (divided(&place), divided(&quiet));
    let seq = ledger.request_approval(&asked_by("ana", "q")).unwrap().seq;
    ledger.decide(seq, true, "eve", "").unwrap();
    let seen = |ledger: &Ledger, part: &Part| {
        let mut seen = ledger.summary().seen_by(part);
        for account in &mut seen.accounts {
            account.opened = jiff::Timestamp::UNIX_EPOCH;
        }
        seen
    };
    for part in [named("bo"), Part::Whole] {
        assert_eq!(seen(&ledger, &part), seen(&alone, &part));
    }
    assert_eq!(seen(&ledger, &named("ana")).accounts[0].requests.len(), 1);
    assert_eq!(ledger.summary().population, PEOPLE);
}
