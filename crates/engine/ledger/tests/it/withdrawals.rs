//! Withdrawn answers: marked everywhere, and unchanged otherwise.

use super::{FORM, Place, account, answer, register, release, request};
use deniable_core::exact::ratio;
use deniable_ledger::chain::Fault;
use deniable_ledger::entry::{AnswerWithdrawn, Event};
use deniable_ledger::withdrawals::LONGEST_REASON;
use deniable_ledger::{
    Account, ChargeOutcome, ChargeRequest, Contradiction, Ledger, Part, Sharing, StoreError, WithdrawError, show,
    verify,
};
use serde_json::json;

fn now(ledger: &Ledger) -> Account {
    ledger.summary().accounts.remove(0)
}

fn asked_by(name: &str, identity: &str) -> ChargeRequest {
    ChargeRequest { part: Part::Named(name.into()), ..request(identity, (1, 40)) }
}

/// Charges and answers a query for a part of the budget.
fn answered(ledger: &mut Ledger, request: &ChargeRequest) -> u64 {
    let ChargeOutcome::New { seq } = ledger.charge(request).unwrap() else { panic!("{request:?} is not new") };
    ledger.store_answer(seq, &FORM, &json!({ "cells": [1, 2.5] })).unwrap();
    seq
}

#[test]
fn a_withdrawn_answer_stays_charged_and_stored() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let (first, other) = (release(&mut ledger, "1", (1, 4)), release(&mut ledger, "2", (1, 4)));
    let before = now(&ledger);
    let withdrawal = ledger.withdraw(first, " wrong caps ").unwrap();
    assert_eq!((withdrawal.seq, withdrawal.reason.as_str()), (ledger.head().seq, "wrong caps"));
    let mut after = now(&ledger);
    assert_eq!(after.withdrawal("1"), Some(&withdrawal));
    assert_eq!((after.withdrawal("2"), after.releases[1].seq), (None, other));
    // Only the mark differs.
    after.releases[0].withdrawn = None;
    assert_eq!(after, before);
    let again = ledger.charge(&request("1", (1, 4))).unwrap();
    assert_eq!(again, ChargeOutcome::Answered { seq: first, answer: json!({ "cells": [1, 2.5] }) });
    let shown = show(&place.path).unwrap();
    assert_eq!(shown.withdrawal(&account(), "1"), Some(&withdrawal));
    assert_eq!(answer(&shown.accounts[0].releases[0]), Some(json!({ "cells": [1, 2.5] })));
    verify(&place.path, Some(&ledger.head().to_string())).unwrap();
}

#[test]
fn invalid_withdrawals_are_refused_and_change_nothing() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = release(&mut ledger, "1", (1, 4));
    let ChargeOutcome::New { seq: open } = ledger.charge(&request("2", (1, 4))).unwrap() else { panic!("not new") };
    let head = ledger.head().clone();
    for reason in ["", "  ", "two\nlines", "\u{202e}reversed", &"x".repeat(LONGEST_REASON + 1)] {
        assert!(matches!(ledger.withdraw(seq, reason), Err(WithdrawError::Reason)), "{reason:?}");
    }
    // The genesis, the answer's own entry, and an entry that does not exist.
    for entry in [1, seq + 1, 99] {
        assert!(matches!(ledger.withdraw(entry, "why"), Err(WithdrawError::NotACharge(named)) if named == entry));
    }
    assert!(matches!(ledger.withdraw(open, "why"), Err(WithdrawError::NotAnswered(named)) if named == open));
    assert_eq!(ledger.head(), &head);
    let longest = "é".repeat(LONGEST_REASON);
    let withdrawal = ledger.withdraw(seq, &longest).unwrap();
    let twice = ledger.withdraw(seq, "again").unwrap_err();
    assert!(matches!(&twice, WithdrawError::Twice { charge, earlier } if *charge == seq && *earlier == withdrawal));
    let message = twice.to_string();
    assert!(message.contains(&format!("withdrawn on {} already", withdrawal.day())), "{message}");
    assert_eq!(ledger.head().seq, head.seq + 1);
}

/// The numbers are the same in all parts, so all answers of a query are withdrawn together. A part that is charged
/// later sees no mark: it would reveal that another analyst had the answer (C-7).
#[test]
fn all_answers_of_a_query_are_withdrawn_together() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for name in ["ana", "bo", "cy"] {
        ledger.set_aside(&account(), name, &ratio(1, 8), Sharing::Reserved, None).unwrap();
    }
    let ana = answered(&mut ledger, &asked_by("ana", "q"));
    answered(&mut ledger, &asked_by("bo", "q"));
    ledger.withdraw(ana, "wrong caps").unwrap();
    let cy = answered(&mut ledger, &asked_by("cy", "q"));
    let marked = |ledger: &Ledger, name: &str| {
        let seen = now(ledger).seen_by(&Part::Named(name.into()));
        seen.withdrawal("q").map(|withdrawal| withdrawal.reason.clone())
    };
    assert_eq!(marked(&ledger, "ana").as_deref(), Some("wrong caps"));
    assert_eq!(marked(&ledger, "bo").as_deref(), Some("wrong caps"));
    assert_eq!(marked(&ledger, "cy"), None);
    assert_eq!(now(&ledger).seen_by(&Part::Whole).withdrawal("q"), None, "no public answer");
    ledger.withdraw(cy, "wrong caps, again").unwrap();
    assert_eq!(marked(&ledger, "cy").as_deref(), Some("wrong caps, again"));
    assert_eq!(marked(&ledger, "ana").as_deref(), Some("wrong caps"));
    verify(&place.path, None).unwrap();
}

/// Entries that another program appended are checked as those of this one are.
#[test]
fn an_appended_withdrawal_must_be_of_all_answers_of_a_query() {
    let refused = |charges: Vec<u64>, reason: &str| {
        let place = Place::new();
        let mut ledger = place.ledger();
        register(&mut ledger, "1", "f00d").unwrap();
        let (first, second) = (release(&mut ledger, "1", (1, 4)), release(&mut ledger, "2", (1, 4)));
        assert_eq!((first, second), (4, 6));
        let act = ledger.book.begin().unwrap();
        let event = Event::AnswerWithdrawn(AnswerWithdrawn { charges, reason: reason.into() });
        let failed = |error: &StoreError| {
            matches!(error, StoreError::Broken { fault: Fault::Contradiction(Contradiction::NotWithdrawable), .. })
        };
        act.append(event).is_err_and(|error| failed(&error))
    };
    assert!(!refused(vec![4], "why"));
    for charges in [vec![], vec![3], vec![5], vec![4, 6], vec![6, 4], vec![4, 4], vec![99]] {
        assert!(refused(charges.clone(), "why"), "{charges:?}");
    }
    assert!(refused(vec![4], "") && refused(vec![4], "two\nlines"));
}
