//! Budgets are used up exactly, and each query has one answer.

use super::{FORM, Place, account, answer, register, release, request, terms, three};
use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use deniable_ledger::{AnswerError, ChargeError, ChargeOutcome, Ledger, Limit, verify};
use serde_json::json;

#[test]
fn a_budget_is_used_up_exactly_and_then_refused() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for i in 0..10 {
        release(&mut ledger, &format!("{i:x}"), (1, 10));
    }
    assert_eq!(ledger.summary().accounts[0].spent, three());
    let refused = ledger.charge(&request("ff", (1, 1_000_000))).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Account, .. }), "{refused}");
    let words = refused.to_string();
    assert!(
        words.contains("odds ratio of 3, 3 is spent") && words.contains("3^(1/1000000) (at most 1.0001)"),
        "{words}"
    );
    assert_eq!(verify(&place.path, None).unwrap().entries, 2 + 20);
}

#[test]
fn a_policy_keeps_to_its_part() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut half = request("1", (1, 2));
    half.policy_limit = half.cost.clone();
    assert!(matches!(ledger.charge(&half), Ok(ChargeOutcome::New { .. })));
    half.query.identity = "2".into();
    let refused = ledger.charge(&half).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Policy, .. }), "{refused}");
    half.policy = "another".into();
    assert!(matches!(ledger.charge(&half), Ok(ChargeOutcome::New { .. })));
    half.query.identity = "3".into();
    half.policy = "a third".into();
    let refused = ledger.charge(&half).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Account, .. }), "{refused}");
}

#[test]
fn undecidable_comparisons_are_refused() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut odd = request("1", (1, 1));
    // 2 × 3/2 = 3, which interval arithmetic cannot decide.
    odd.cost = Spend::parse("2", "1").unwrap().and(&Spend::parse("3/2", "1").unwrap());
    assert!(matches!(ledger.charge(&odd), Err(ChargeError::Undecided(_))));
    odd.cost = Spend::nothing();
    assert!(matches!(ledger.charge(&odd), Err(ChargeError::CostsNothing)));
    let mut odd = request("1", (1, 1));
    odd.query.version.clear();
    assert!(matches!(ledger.charge(&odd), Err(ChargeError::NoVersion(_))));
    odd.account.entity = None;
    odd.cost = three();
    assert!(matches!(ledger.charge(&odd), Err(ChargeError::NoAccount(_))));
    assert_eq!(ledger.head().seq, 2, "nothing was charged");
}

#[test]
fn the_identical_query_is_free() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = release(&mut ledger, "1", (1, 1));
    for mut ledger in [ledger, Ledger::open_or_create(&place.path, super::PEOPLE).unwrap()] {
        let mut again = request("1", (1, 1));
        again.policy = "whichever".into();
        assert_eq!(
            ledger.charge(&again).unwrap(),
            ChargeOutcome::Answered { seq, answer: json!({ "cells": [1, 2.5] }) }
        );
        assert_eq!(ledger.summary().accounts[0].spent, three());
    }
}

#[test]
fn a_charge_without_an_answer_is_resumed_at_no_cost() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let ChargeOutcome::New { seq } = ledger.charge(&request("1", (1, 1))).unwrap() else { panic!() };
    drop(ledger);
    let mut ledger = place.ledger();
    assert_eq!(ledger.charge(&request("1", (1, 1))).unwrap(), ChargeOutcome::Resumed { seq });
    assert_eq!(ledger.store_answer(seq, &FORM, &json!(7)).unwrap(), json!(7));
    assert_eq!(ledger.charge(&request("1", (1, 1))).unwrap(), ChargeOutcome::Answered { seq, answer: json!(7) });
    assert_eq!(ledger.summary().accounts[0].spent, three());
}

#[test]
fn a_charge_resumes_at_its_price_and_on_its_basis_only() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let ChargeOutcome::New { seq } = ledger.charge(&request("1", (1, 8))).unwrap() else { panic!() };
    assert_eq!(ledger.charge(&request("1", (1, 8))).unwrap(), ChargeOutcome::Resumed { seq });
    let mut other = request("1", (1, 8));
    other.basis = "another".into();
    let mut last = seq;
    for changed in [request("1", (1, 7)), request("1", (1, 9)), other.clone()] {
        let charge = ledger.charge(&changed).unwrap();
        assert!(matches!(charge, ChargeOutcome::New { seq } if seq > last), "{charge:?}");
        last = charge.seq();
        assert_eq!(ledger.charge(&changed).unwrap(), ChargeOutcome::Resumed { seq: last });
    }
    // The earlier ones are closed, and stay spent.
    let spent = [(1, 8), (1, 7), (1, 9), (1, 8)].map(|(of, parts)| three().share(&ratio(of, parts)).unwrap());
    let spent = spent.iter().fold(Spend::nothing(), |sum, one| sum.and(one));
    assert_eq!(ledger.summary().accounts[0].spent, spent);
    assert!(matches!(ledger.store_answer(seq, &FORM, &json!(1)), Err(AnswerError::Closed(_))));
    ledger.store_answer(last, &FORM, &json!(1)).unwrap();
    assert!(matches!(ledger.charge(&request("1", (1, 8))).unwrap(), ChargeOutcome::Answered { .. }));
}

#[test]
fn only_charges_are_answered() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for seq in [0, 1, 2, 3, u64::MAX] {
        assert!(matches!(ledger.store_answer(seq, &FORM, &json!(1)), Err(AnswerError::NotACharge(_))), "{seq}");
    }
    let ChargeOutcome::New { seq } = ledger.charge(&request("1", (1, 2))).unwrap() else { panic!() };
    ledger.store_answer(seq, &FORM, &json!(1)).unwrap();
    assert!(matches!(ledger.store_answer(seq + 1, &FORM, &json!(1)), Err(AnswerError::NotACharge(_))));
    assert_eq!(ledger.head().seq, 4);
}

#[test]
fn racing_answers_come_out_as_one() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let ChargeOutcome::New { seq } = ledger.charge(&request("1", (1, 1))).unwrap() else { panic!() };
    let shown: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|i| {
                let path = &place.path;
                scope.spawn(move || {
                    let mut ledger = Ledger::open_or_create(path, super::PEOPLE).unwrap();
                    assert_eq!(
                        ledger.charge(&request("1", (1, 1))).unwrap_or(ChargeOutcome::Resumed { seq }).seq(),
                        seq
                    );
                    ledger.store_answer(seq, &FORM, &json!(i)).unwrap()
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    assert!(shown.iter().all(|answer| *answer == shown[0]), "{shown:?}");
    ledger.refresh().unwrap();
    assert_eq!(answer(&ledger.summary().accounts[0].releases[0]).as_ref(), Some(&shown[0]));
    assert_eq!(verify(&place.path, None).unwrap().entries, 4);
}

#[test]
fn racing_threads_cannot_overspend() {
    let place = Place::new();
    drop(place.ledger());
    let charged: usize = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|thread| {
                let path = &place.path;
                scope.spawn(move || {
                    let mut ledger = Ledger::open_or_create(path, super::PEOPLE).unwrap();
                    let queries = (0..4).map(|i| request(&format!("{thread}{i}"), (1, 10)));
                    queries
                        .filter(|query| match ledger.charge(query) {
                            Ok(charge) => matches!(charge, ChargeOutcome::New { .. }),
                            Err(ChargeError::OverBudget { .. }) => false,
                            Err(other) => panic!("{other}"),
                        })
                        .count()
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).sum()
    });
    assert_eq!(charged, 10);
    assert_eq!(verify(&place.path, None).unwrap().entries, 12);
}

#[test]
fn racing_asks_that_are_identical_are_charged_once() {
    let place = Place::new();
    drop(place.ledger());
    let seqs: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| place.ledger().charge(&request("1", (1, 1))).unwrap())).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(seqs.iter().filter(|charge| matches!(charge, ChargeOutcome::New { .. })).count(), 1);
    assert_eq!(verify(&place.path, None).unwrap().entries, 3);
}

#[test]
fn the_summary_lists_everything() {
    let place = Place::new();
    let mut ledger = place.ledger();
    release(&mut ledger, "1", (1, 4));
    ledger.charge(&request("2", (1, 8))).unwrap();
    register(&mut ledger, "2024", "f00d").unwrap();
    let summary = deniable_ledger::show(&place.path).unwrap();
    assert_eq!(summary, ledger.summary());
    assert_eq!(summary.population, super::PEOPLE);
    assert_eq!((&summary.accounts[0].id, &summary.accounts[0].guarantee), (&account(), &terms()));
    assert_eq!(summary.accounts[0].spent, three().share(&ratio(3, 8)).unwrap());
    let releases: Vec<_> =
        summary.accounts[0].releases.iter().map(|r| (r.seq, r.query.name.as_str(), r.answer.is_some())).collect();
    assert_eq!(releases, [(3, "ask 1", true), (5, "ask 2", false)]);
    assert_eq!(summary.versions[0].version, "2024");
    assert!(!format!("{summary:?}").contains("f00d"));
}
