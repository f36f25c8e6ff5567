//! Parts of a budget: shares, charges and visibility.

use super::{FORM, PEOPLE, Place, account, answer, request, terms_of, three};
use deniable_core::exact::{Rational, ratio};
use deniable_ledger::{
    Account, AccountError, ChargeError, ChargeOutcome, ChargeRequest, ComparedEntities, Contents, Ledger, Limit, Part,
    PartError, PartFault, Sharing, show, verify,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn named(name: &str) -> Part {
    Part::Named(name.into())
}

/// A ledger with these parts set aside.
fn divided(place: &Place, parts: &[(&str, Rational, Sharing)]) -> Ledger {
    let mut ledger = place.ledger();
    for (name, share, sharing) in parts {
        ledger.set_aside(&account(), name, share, *sharing, None).unwrap();
    }
    ledger
}

fn asked_by(name: &str, identity: &str, part: (i64, i64)) -> ChargeRequest {
    ChargeRequest { part: named(name), ..request(identity, part) }
}

/// Charges a query and stores this answer, or returns the existing one.
fn asked(ledger: &mut Ledger, request: &ChargeRequest, value: i64) -> Result<Value, ChargeError> {
    match ledger.charge(request)? {
        ChargeOutcome::Answered { answer, .. } => Ok(answer),
        ChargeOutcome::New { seq } | ChargeOutcome::Resumed { seq } => {
            Ok(ledger.store_answer(seq, &FORM, &json!([value])).unwrap())
        }
        ChargeOutcome::Drawn { seq, .. } => panic!("no test draws for {seq}"),
    }
}

fn now(ledger: &Ledger) -> Account {
    ledger.summary().accounts.remove(0)
}

fn fault(refused: Result<(), PartError>) -> PartFault {
    match refused {
        Err(PartError::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_part_is_spent_exactly() {
    let place = Place::new();
    let half = |name| (name, ratio(1, 4), Sharing::Reserved);
    let mut ledger = divided(&place, &[half("ana"), half("bo")]);
    for (at, part) in [(1, "ana"), (2, "bo")] {
        asked(&mut ledger, &asked_by(part, &format!("{part} 1"), (1, 8)), at).unwrap();
        asked(&mut ledger, &asked_by(part, &format!("{part} 2"), (1, 8)), at).unwrap();
        let refused = asked(&mut ledger, &asked_by(part, "more", (1, 1000)), 0).unwrap_err();
        assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Part, .. }), "{refused}");
        assert!(refused.to_string().contains("set aside for you"), "{refused}");
    }
    // The unreserved share is the other half, and no more.
    asked(&mut ledger, &request("public", (1, 2)), 3).unwrap();
    let refused = asked(&mut ledger, &request("more", (1, 1000)), 0).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Account, .. }), "{refused}");
    assert_eq!(now(&ledger).spent, three(), "used up exactly");
    let refused = ledger.charge(&asked_by("absent", "x", (1, 1000))).unwrap_err();
    assert!(matches!(refused, ChargeError::NoPart(ref name) if name == "absent"), "{refused}");
    assert_eq!(verify(&place.path, None).unwrap().entries, 14);
}

/// A query that another part has paid for costs the same, has the same answer, and costs the whole nothing more.
#[test]
fn a_query_has_one_answer_and_each_part_pays_for_it() {
    let place = Place::new();
    let third = |name| (name, ratio(1, 3), Sharing::Reserved);
    let mut ledger = divided(&place, &[third("ana"), third("bo")]);
    let first = asked(&mut ledger, &asked_by("ana", "q", (1, 6)), 7).unwrap();
    let before = now(&ledger).seen_by(&named("bo"));
    assert!(before.release("q").is_none() && before.releases.is_empty() && before.spent.is_nothing());
    // Computed anew, as any new query; the existing answer is used, rewritten for this charge.
    let ChargeOutcome::New { seq } = ledger.charge(&asked_by("bo", "q", (1, 6))).unwrap() else { panic!() };
    let own = |other: &Value| Ok(json!([other[0], "for bo"]));
    let second = ledger.store_answer_of_all(seq, &FORM, &json!([1000]), &own).unwrap();
    assert_eq!((first, second.clone()), (json!([7]), json!([7, "for bo"])));
    assert_eq!(answer(ledger.release(seq).unwrap()), Some(second));
    let after = now(&ledger);
    let sixth = three().share(&ratio(1, 6)).unwrap();
    assert_eq!(
        (&after.spent, &after.part("ana").unwrap().spent, &after.part("bo").unwrap().spent),
        (&sixth, &sixth, &sixth)
    );
    // The same holds for the unreserved share; a public answer is free for parts that have not paid for it.
    assert_eq!(asked(&mut ledger, &request("q", (1, 6)), 1000).unwrap(), json!([7]));
    assert_eq!((now(&ledger).spent, now(&ledger).seen_by(&Part::Whole).spent), (sixth.clone(), sixth));
    ledger.set_aside(&account(), "cy", &ratio(1, 6), Sharing::Reserved, None).unwrap();
    assert!(matches!(ledger.charge(&asked_by("cy", "q", (1, 6))).unwrap(), ChargeOutcome::Answered { .. }));
    assert!(now(&ledger).part("cy").unwrap().spent.is_nothing());
}

/// A charge without an answer: the part that is answered first determines the answer of both.
#[test]
fn a_charge_without_an_answer_takes_that_of_another() {
    let place = Place::new();
    let third = |name| (name, ratio(1, 3), Sharing::Reserved);
    let mut ledger = divided(&place, &[third("ana"), third("bo")]);
    let ChargeOutcome::New { seq } = ledger.charge(&asked_by("ana", "q", (1, 6))).unwrap() else { panic!() };
    assert_eq!(asked(&mut ledger, &asked_by("bo", "q", (1, 6)), 8).unwrap(), json!([8]));
    assert_eq!(ledger.charge(&asked_by("ana", "q", (1, 6))).unwrap(), ChargeOutcome::Resumed { seq });
    assert_eq!(asked(&mut ledger, &asked_by("ana", "q", (1, 6)), 9).unwrap(), json!([8]));
}

/// An analyst sees public charges and those of the own part: nothing else, including the number of entries.
#[test]
fn charges_are_invisible_to_other_analysts() {
    let place = Place::new();
    let parts = [("ana", ratio(1, 4), Sharing::Reserved), ("bo", ratio(1, 4), Sharing::Reserved)];
    let (mut ledger, quiet) = (divided(&place, &parts), Place::new());
    let mut alone = divided(&quiet, &parts);
    asked(&mut ledger, &asked_by("ana", "secret", (1, 8)), 1).unwrap();
    for both in [&mut ledger, &mut alone] {
        asked(both, &request("public", (1, 4)), 2).unwrap();
        asked(both, &asked_by("bo", "own", (1, 8)), 3).unwrap();
    }
    // Which names the curator accepted may depend on the data.
    let contents = Contents {
        source: "visits",
        version: "accepted",
        fingerprint: "f00d",
        reading: "text",
        entities: ComparedEntities::Any,
    };
    let accepted = ["cost", "loss:tests by kind#00"].map(str::to_owned);
    ledger.register_contents(&contents, &BTreeSet::from(accepted)).unwrap();
    alone.register_contents(&contents, &BTreeSet::new()).unwrap();
    for part in [named("bo"), Part::Whole] {
        let seen = |ledger: &Ledger| {
            let mut seen = ledger.summary().seen_by(&part);
            for account in &mut seen.accounts {
                account.opened = jiff::Timestamp::UNIX_EPOCH;
                for release in &mut account.releases {
                    (release.at, release.seq, release.answered) = (jiff::Timestamp::UNIX_EPOCH, 0, None);
                }
            }
            seen
        };
        assert_eq!(seen(&ledger), seen(&alone), "{part:?}");
    }
    assert_eq!(ledger.summary().seen_by(&named("bo")).accounts[0].releases.len(), 2);
    let seen = now(&ledger).seen_by(&named("bo"));
    assert_eq!(seen.seen_by(&named("bo")), seen, "the view of a view is the same");
    assert!(seen.seen_by(&named("ana")).allowances().iter().all(|all| all.limit.is_nothing()), "another view");
    assert!(now(&ledger).seen_by(&named("absent")).allowances().iter().all(|all| all.limit.is_nothing()));
}

#[test]
fn overlapping_parts_take_from_the_unreserved_share() {
    let place = Place::new();
    let overlapping = |name| (name, ratio(2, 3), Sharing::Overlapping);
    let mut ledger = divided(&place, &[overlapping("ana"), overlapping("bo"), ("cy", ratio(1, 6), Sharing::Reserved)]);
    asked(&mut ledger, &asked_by("ana", "a", (1, 3)), 1).unwrap();
    // The same query takes from the cap of each part, and once from the unreserved share.
    asked(&mut ledger, &asked_by("bo", "a", (1, 3)), 1).unwrap();
    assert_eq!(now(&ledger).spent, three().share(&ratio(1, 3)).unwrap());
    asked(&mut ledger, &asked_by("bo", "b", (1, 3)), 1).unwrap();
    let refused = asked(&mut ledger, &asked_by("bo", "c", (1, 100)), 1).unwrap_err();
    assert!(matches!(refused, ChargeError::OverBudget { which: Limit::Part, .. }), "the cap: {refused}");
    let place = Place::new();
    let mut ledger = divided(&place, &[overlapping("ana"), overlapping("bo"), ("cy", ratio(1, 6), Sharing::Reserved)]);
    asked(&mut ledger, &asked_by("ana", "a", (2, 3)), 1).unwrap();
    let refused = asked(&mut ledger, &asked_by("bo", "b", (1, 3)), 1).unwrap_err();
    assert!(
        matches!(refused, ChargeError::OverBudget { which: Limit::Account, .. }),
        "others have spent it: {refused}"
    );
    asked(&mut ledger, &asked_by("bo", "b", (1, 6)), 1).unwrap();
    asked(&mut ledger, &asked_by("cy", "c", (1, 6)), 1).unwrap();
    assert_eq!(now(&ledger).spent, three());
}

#[test]
fn used_parts_are_not_reduced() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut set = |name: &str, share: (i64, i64), sharing| {
        ledger.set_aside(&account(), name, &ratio(share.0, share.1), sharing, None)
    };
    for name in ["", "a b", "a\n", &"x".repeat(64)] {
        assert_eq!(fault(set(name, (1, 4), Sharing::Reserved)), PartFault::Name);
    }
    assert!(matches!(fault(set("ana", (5, 4), Sharing::Reserved)), PartFault::Share(_)));
    assert!(matches!(fault(set("ana", (-1, 4), Sharing::Reserved)), PartFault::Share(_)));
    assert!(matches!(fault(set("ana", (0, 1), Sharing::Reserved)), PartFault::Nothing(_)));
    set("ana", (3, 4), Sharing::Reserved).unwrap();
    assert!(matches!(fault(set("ana", (3, 4), Sharing::Reserved)), PartFault::Same(_)));
    assert!(matches!(fault(set("bo", (1, 3), Sharing::Reserved)), PartFault::TooMuch { .. }));
    // No query was answered yet: nothing depends on answers.
    set("ana", (1, 2), Sharing::Overlapping).unwrap();
    set("ana", (0, 1), Sharing::Overlapping).unwrap();
    set("ana", (1, 4), Sharing::Reserved).unwrap();
    set("bo", (1, 4), Sharing::Reserved).unwrap();
    asked(&mut ledger, &asked_by("ana", "q", (1, 100)), 1).unwrap();
    asked(&mut ledger, &request("public", (1, 4)), 1).unwrap();
    let mut set = |name: &str, share: (i64, i64), sharing| {
        ledger.set_aside(&account(), name, &ratio(share.0, share.1), sharing, None)
    };
    assert!(matches!(fault(set("ana", (1, 5), Sharing::Reserved)), PartFault::InUse(_)));
    assert!(matches!(fault(set("ana", (0, 1), Sharing::Reserved)), PartFault::InUse(_)));
    assert!(matches!(fault(set("ana", (1, 4), Sharing::Overlapping)), PartFault::InUse(_)));
    assert!(matches!(fault(set("bo", (3, 4), Sharing::Reserved)), PartFault::Spent { .. }));
    set("ana", (1, 2), Sharing::Reserved).unwrap();
    set("bo", (0, 1), Sharing::Reserved).unwrap();
    verify(&place.path, None).unwrap();
    assert_eq!(show(&place.path).unwrap().population, PEOPLE);
}

/// The charges of each part must fit its share of the new promise.
#[test]
fn a_promise_is_not_tightened_below_a_part() {
    let place = Place::new();
    let mut ledger = divided(&place, &[("ana", ratio(1, 10), Sharing::Reserved)]);
    asked(&mut ledger, &asked_by("ana", "q", (1, 10)), 1).unwrap();
    // 3^(1/10) is within 2, and not within 2^(1/10).
    let refused = ledger.change_promise(&terms_of(2), "less").unwrap_err();
    assert!(matches!(refused, AccountError::PartBelowSpent { .. }), "{refused}");
    assert!(ledger.change_promise(&terms_of(4), "more").unwrap());
    assert_eq!(now(&ledger).part("ana").unwrap().share, ratio(1, 10), "a part is a share of what is promised");
    let more = ChargeRequest { policy_limit: terms_of(4).limit().clone(), ..asked_by("ana", "r", (1, 100)) };
    assert!(matches!(ledger.charge(&more).unwrap(), ChargeOutcome::New { .. }));
}

const WHO: [&str; 3] = ["ana", "bo", "everybody"];

/// The part of an analyst; the last one asks public queries.
fn part_of(who: usize) -> Part {
    if who == 2 { Part::Whole } else { named(WHO[who]) }
}

#[derive(Debug, Clone)]
enum Step {
    SetAside { who: usize, twelfths: i64, sharing: Sharing },
    Ask { who: usize, question: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let sharing = prop_oneof![3 => Just(Sharing::Reserved), 1 => Just(Sharing::Overlapping)];
    prop_oneof![
        1 => (0..2_usize, 0..8_i64, sharing).prop_map(|(who, twelfths, sharing)| Step::SetAside { who, twelfths, sharing }),
        4 => (0..3_usize, 0..10_u8).prop_map(|(who, question)| Step::Ask { who, question }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: deniable_testing::sized(16, 48), failure_persistence: None, ..ProptestConfig::default() })]
    /// In any order of setting parts aside and charging: each part stays within its share, all together within the
    /// whole, each query has one answer; and while Bo's part is reserved, Bo's answers and refusals do not depend on
    /// Ana's queries.
    #[test]
    fn each_stays_within_its_part(steps in prop::collection::vec(step(), 1..40)) {
        let (place, quiet) = (Place::new(), Place::new());
        let (mut ledger, mut without) = (place.ledger(), quiet.ledger());
        let mut answers: BTreeMap<u8, Value> = BTreeMap::new();
        let mut paid: [BTreeSet<u8>; 3] = Default::default();
        let cost = |question: u8| (1, 12 + i64::from(question % 4));
        // Ana may have drawn from the unreserved share, after which the two ledgers differ.
        let mut apart = false;
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::SetAside { who, twelfths, sharing } => {
                    let set = |ledger: &mut Ledger| ledger.set_aside(&account(), WHO[who], &ratio(twelfths, 12), sharing, None);
                    let (done, other) = (set(&mut ledger), set(&mut without));
                    // Ana's part cannot be reduced below Ana's charges.
                    apart |= sharing == Sharing::Overlapping || done.is_ok() != other.is_ok();
                }
                Step::Ask { who, question } => {
                    let request = ChargeRequest { part: part_of(who), ..request(&question.to_string(), cost(question)) };
                    let done = asked(&mut ledger, &request, at as i64);
                    if who != 0 && !apart {
                        prop_assert_eq!(done.is_ok(), asked(&mut without, &request, at as i64).is_ok());
                    }
                    if let Ok(answer) = done {
                        prop_assert_eq!(answers.entry(question).or_insert_with(|| answer.clone()), &answer);
                        let is_public = who != 2 && paid[2].contains(&question);
                        if is_public && !paid[who].contains(&question) {
                            continue;
                        }
                        paid[who].insert(question);
                    }
                }
            }
            let sum = |questions: &BTreeSet<u8>| {
                questions.iter().fold(ratio(0, 1), |sum, question| sum + ratio(cost(*question).0, cost(*question).1))
            };
            let known = now(&ledger);
            let (mut unreserved, mut reserved) = (paid[2].clone(), ratio(0, 1));
            for who in 0..2 {
                let Some(part) = known.part(WHO[who]) else { prop_assert!(paid[who].is_empty()); continue };
                prop_assert_eq!(part.spent.exact_part_of(&three()).unwrap(), sum(&paid[who]));
                prop_assert!(sum(&paid[who]) <= part.share);
                match part.sharing {
                    Sharing::Reserved => reserved += &part.share,
                    Sharing::Overlapping => unreserved.extend(&paid[who]),
                }
            }
            prop_assert!(reserved <= ratio(1, 1));
            prop_assert!(sum(&unreserved) <= ratio(1, 1) - reserved);
            let all: BTreeSet<u8> = paid.iter().flatten().copied().collect();
            prop_assert_eq!(known.spent.exact_part_of(&three()).unwrap(), sum(&all));
        }
        let summary = Ledger::open_or_create(&place.path, PEOPLE).unwrap().summary();
        prop_assert_eq!(&summary, &ledger.summary());
        verify(&place.path, None).unwrap();
    }
}

#[test]
fn a_part_that_is_not_set_aside_pays_for_nothing() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let mut request = request("1", (1, 2));
    request.part = Part::Named("analyst".into());
    assert!(matches!(ledger.charge(&request), Err(ChargeError::NoPart(name)) if name == "analyst"));
}
