//! Promises but for a chance: fixed sizes, chosen ones, and refusals.

use super::*;
use deniable_core::exact::Rational;
use deniable_core::loss::Chance;
use deniable_ledger::parts::{PartError, PartFault, Sharing};
use deniable_ledger::{
    AccountError, ChargeError, CoinsOfCost, FixError, OverChance, Reading, Size, accept_head, further_but_for_chance,
    read_but_for_chance, verify,
};

const MOVES: i64 = 100;

/// At most 90% sure for certain, and 75% but for one chance in a million: odds of 9, and of 3.
fn promise(but_for: Option<Rational>) -> Guarantee {
    let priors = PriorRange::new(None, Some(ratio(1, 2))).unwrap();
    let adversary = Adversary::new(true, priors, MovesTogether::Alone).unwrap();
    let subject = Subject::new(PEOPLE, Some("patient".to_owned())).unwrap();
    let surely = vec![Promise::PosteriorAtMost(ratio(9, 10))];
    let guarantee = Guarantee::new(subject, Secret::Membership, adversary, None, surely).unwrap();
    match but_for {
        None => guarantee,
        Some(most) => {
            let chance = Chance::new(ratio(1, 1_000_000)).unwrap();
            guarantee.but_for(chance, None, vec![Promise::PosteriorAtMost(most)]).unwrap()
        }
    }
}

/// An equal move of all moves together.
fn size(guarantee: &Guarantee, moves: i64) -> Size {
    Size { cost: guarantee.limit().share(&ratio(1, moves)).unwrap(), coins: Vec::new() }
}

fn asked(identity: &str, size: &Size, guarantee: &Guarantee) -> ChargeRequest {
    let mut request = request(identity, (1, 1));
    request.account = AccountId::of(guarantee);
    request.cost = size.cost.clone();
    request.query.coins = size.coins.clone();
    request
}

fn opened(place: &Place, guarantee: &Guarantee) -> Ledger {
    let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    ledger.open_account(guarantee).unwrap();
    ledger
}

/// Fixed beforehand, 100 moves at odds of 9 keep odds of 3 but for a chance; chosen one by one they do not.
#[test]
fn fixed_sizes_are_charged_by_their_distribution() {
    let guarantee = promise(Some(ratio(3, 4)));
    let (place, moves) = (Place::new(), MOVES as usize);
    let mut ledger = opened(&place, &guarantee);
    let own = size(&guarantee, MOVES);
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![own.clone(); moves]).unwrap();
    for at in 0..moves {
        ledger.charge(&asked(&at.to_string(), &own, &guarantee)).unwrap();
    }
    let account = ledger.account(&AccountId::of(&guarantee)).unwrap();
    assert!(account.spent == *guarantee.limit(), "all of what holds for certain is spent");
    let (but_for, Reading { odds, .. }) = account.but_for_chance().unwrap().unwrap();
    assert_eq!(but_for.limit().to_string(), "3");
    // 2.96 by the distribution of 100 coins (docs/theorems, C-11).
    assert!((ratio(295, 100)..ratio(297, 100)).contains(&odds.unwrap()));
    drop(ledger);
    verify(&place.path, None).unwrap();
}

#[test]
fn chosen_sizes_are_charged_to_the_filter() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let own = size(&guarantee, MOVES);
    let paid = (0..MOVES).find(|at| match ledger.charge(&asked(&at.to_string(), &own, &guarantee)) {
        Ok(_) => false,
        Err(ChargeError::OverChance { over: OverChance::Odds { odds: Some(odds), limit, .. } }) => {
            assert!(odds > limit.odds_at_least() && limit.fits(&Spend::odds(whole(3)).unwrap()).unwrap());
            true
        }
        Err(other) => panic!("{other}"),
    });
    let paid = paid.unwrap();
    // Odds of 3^(49/50) for certain are those of 48 moves; the filter pays for more.
    assert!((49..75).contains(&paid), "{paid}");
    let account = ledger.account(&AccountId::of(&guarantee)).unwrap();
    let (_, reading) = account.but_for_chance().unwrap().unwrap();
    assert!(reading.keeps && reading.odds.unwrap() <= reading.allowed.odds_at_least());
    let further = |account, most| further_but_for_chance(account, &guarantee, &own, most);
    assert_eq!((further(Some(account), 20), further(Some(account), 0)), (0, 0));
    // As many as before the first charge, and no more than are asked about.
    assert_eq!((further(None, 100), further(None, 20)), (u64::try_from(paid).unwrap(), 20));
    // Sizes cannot be fixed after a charge: the entry is not written.
    let before = ledger.head().clone();
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![own]).unwrap();
    assert_eq!(*ledger.head(), before);
}

#[test]
fn sizes_beyond_the_promise_are_not_fixed() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    // Ten moves of odds 9 in all: larger odds are too likely.
    let before = ledger.head().clone();
    let fixed = ledger.fix_sizes(&AccountId::of(&guarantee), vec![size(&guarantee, 10); 10]);
    assert!(matches!(fixed, Err(FixError::Over(OverChance::Odds { .. }))));
    assert_eq!(*ledger.head(), before);
}

/// What was fixed and not used counts; a second charge of a used size is a chosen one.
#[test]
fn sizes_count_once_whether_used_or_not() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let own = size(&guarantee, MOVES);
    let odds = |ledger: &Ledger| {
        ledger.account(&AccountId::of(&guarantee)).unwrap().but_for_chance().unwrap().unwrap().1.odds.unwrap()
    };
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![own.clone(); 20]).unwrap();
    let fixed = odds(&ledger);
    for at in 0..20 {
        ledger.charge(&asked(&at.to_string(), &own, &guarantee)).unwrap();
        assert_eq!(odds(&ledger), fixed);
    }
    ledger.charge(&asked("one more", &own, &guarantee)).unwrap();
    assert!(odds(&ledger) > fixed);
}

/// One coin that was fixed dominates every answer of its cost, and is used once; an equal size is preferred.
#[test]
fn a_fixed_coin_pays_for_any_answer_of_its_cost() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let one = size(&guarantee, MOVES);
    let coins = vec![CoinsOfCost { count: 2, part: deniable_core::exact::Fraction(ratio(1, 2)) }];
    let several = Size { coins, ..one.clone() };
    let id = AccountId::of(&guarantee);
    let unused = |ledger: &Ledger| {
        let sizes = ledger.account(&id).unwrap().fixed_sizes();
        sizes.iter().map(|size| size.unused).collect::<Vec<u32>>()
    };
    assert!(ledger.fix_sizes(&id, vec![one.clone(), one.clone(), several.clone()]).unwrap());
    assert!(!ledger.fix_sizes(&id, vec![one.clone()]).unwrap(), "sizes are fixed once");
    for (identity, size, left) in [("a", &several, [2, 0]), ("b", &several, [1, 0]), ("c", &one, [0, 0])] {
        ledger.charge(&asked(identity, size, &guarantee)).unwrap();
        assert_eq!(unused(&ledger), left, "{identity}");
    }
    let odds = |ledger: &Ledger| ledger.account(&id).unwrap().but_for_chance().unwrap().unwrap().1.odds;
    let fixed = odds(&ledger);
    ledger.charge(&asked("d", &several, &guarantee)).unwrap();
    assert!(odds(&ledger) > fixed);
    drop(ledger);
    verify(&place.path, None).unwrap();
}

/// Several coins of a grouped answer give less than one coin of its cost.
#[test]
fn coins_count_as_they_are_stored() {
    let guarantee = promise(Some(ratio(3, 4)));
    let odds = |coins: Vec<CoinsOfCost>| {
        let sizes = vec![Size { coins, ..size(&guarantee, 20) }; 20];
        read_but_for_chance(None, &guarantee, sizes).unwrap().unwrap().odds.unwrap()
    };
    let five = vec![CoinsOfCost { count: 5, part: ratio(1, 5).into() }];
    assert!(odds(five.clone()) < odds(Vec::new()));
    // Coins that keep less than the cost are refused when they are read.
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let too_small = vec![CoinsOfCost { count: 4, part: ratio(1, 5).into() }];
    let own = Size { coins: too_small, ..size(&guarantee, 20) };
    assert!(ledger.charge(&asked("small", &own, &guarantee)).is_err());
    ledger.charge(&asked("whole", &Size { coins: five, ..own }, &guarantee)).unwrap();
}

/// A reserved part counts for all from the beginning, and what its owner is refused follows from the owner's charges
/// alone (C-7).
#[test]
fn a_reserved_part_has_a_filter_of_its_own() {
    let guarantee = promise(Some(ratio(3, 4)));
    let id = AccountId::of(&guarantee);
    let ana = Part::Named("ana".to_owned());
    let odds = |ledger: &Ledger, part: &Part| {
        let account = ledger.account(&id).unwrap().seen_by(part);
        account.but_for_chance().unwrap().unwrap().1.odds.unwrap()
    };
    // (1/4)²/(2·38) is at most, and (1/4)²/(2·37) more than, a quarter of (0.01595/(ln 9)²), which the filter may hold.
    let whole_filter = Place::new();
    let mut ledger = opened(&whole_filter, &guarantee);
    ledger.set_aside(&id, "ana", &ratio(1, 4), Sharing::Reserved, None).unwrap();
    assert_eq!(ledger.account(&id).unwrap().part("ana").unwrap().answers, 38);
    for name in ["bo", "cy", "di"] {
        ledger.set_aside(&id, name, &ratio(1, 4), Sharing::Reserved, None).unwrap();
    }
    let (_, reading) = ledger.account(&id).unwrap().but_for_chance().unwrap().unwrap();
    assert!(reading.keeps && reading.odds.unwrap() > ratio(29, 10), "nearly all is set aside");

    // The owner of a part is charged the same and refused the same with and without the charges of others.
    let small = Size { cost: guarantee.limit().share(&ratio(1, 4 * 38)).unwrap(), coins: Vec::new() };
    let large = Size { cost: guarantee.limit().share(&ratio(1, 8)).unwrap(), coins: Vec::new() };
    let seen = |others: bool| {
        let place = Place::new();
        let mut ledger = opened(&place, &guarantee);
        ledger.set_aside(&id, "ana", &ratio(1, 4), Sharing::Reserved, None).unwrap();
        ledger.set_aside(&id, "bo", &ratio(1, 4), Sharing::Reserved, None).unwrap();
        let mut outcomes = Vec::new();
        for at in 0..40 {
            if others {
                for part in [Part::Named("bo".to_owned()), Part::Whole] {
                    let _ = ledger.charge(&ChargeRequest { part, ..asked(&format!("other {at}"), &small, &guarantee) });
                }
            }
            let size = if at == 0 { &large } else { &small };
            let paid = ledger.charge(&ChargeRequest { part: ana.clone(), ..asked(&at.to_string(), size, &guarantee) });
            outcomes.push(paid.map(|_| ()).map_err(|error| error.to_string()));
            assert!(odds(&ledger, &ana) <= ratio(3, 1));
        }
        let shown = odds(&ledger, &ana);
        drop(ledger);
        verify(&place.path, None).unwrap();
        (outcomes, shown)
    };
    let alone = seen(false);
    assert_eq!(alone, seen(true));
    // An answer of an eighth has more ρ than the part; 38 small ones have exactly its ρ.
    let refusals: Vec<&String> = alone.0.iter().filter_map(|one| one.as_ref().err()).collect();
    assert_eq!(refusals.len(), 2);
    assert!(refusals[0].contains("and 1.603 is set aside") && refusals[0].contains("a larger part"), "{}", refusals[0]);
}

/// No part is set aside that the whole could not keep, and the whole does not use what is set aside.
#[test]
fn parts_take_from_the_whole() {
    let guarantee = promise(Some(ratio(3, 4)));
    let id = AccountId::of(&guarantee);
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let before = ledger.head().clone();
    // Odds of 9^(1/2) are those of the promise but for a chance, and may come with one answer.
    let refused = ledger.set_aside(&id, "ana", &ratio(1, 2), Sharing::Reserved, Some(1));
    assert!(matches!(refused, Err(PartError::Fault(PartFault::OverChance(OverChance::Odds { .. })))));
    for answers in [0, 1_000_001] {
        let refused = ledger.set_aside(&id, "ana", &ratio(1, 2), Sharing::Reserved, Some(answers));
        assert!(matches!(refused, Err(PartError::Fault(PartFault::Answers))));
    }
    let refused = ledger.set_aside(&id, "ana", &ratio(1, 2), Sharing::Overlapping, Some(50));
    assert!(matches!(refused, Err(PartError::Fault(PartFault::Answers))));
    assert_eq!(*ledger.head(), before);
    // Sizes may still be fixed, because no part was charged yet; they count beside the part.
    ledger.set_aside(&id, "ana", &ratio(1, 2), Sharing::Reserved, None).unwrap();
    assert!(ledger.fix_sizes(&id, vec![size(&guarantee, 4)]).is_err(), "not beside half of all");
    assert!(ledger.fix_sizes(&id, vec![size(&guarantee, 400); 100]).unwrap());
    let (_, reading) = ledger.account(&id).unwrap().but_for_chance().unwrap().unwrap();
    assert!(reading.keeps);
    // A part that was used is not made smaller, also in ρ; an unused one is returned.
    let own = size(&guarantee, 400);
    let part = Part::Named("ana".to_owned());
    ledger.charge(&ChargeRequest { part, ..asked("hers", &own, &guarantee) }).unwrap();
    let smaller = ledger.set_aside(&id, "ana", &ratio(1, 2), Sharing::Reserved, Some(1_000));
    assert!(matches!(smaller, Err(PartError::Fault(PartFault::InUse(_)))));
    // Nor by a larger share in many more answers, but in few more.
    let refused = ledger.set_aside(&id, "ana", &ratio(51, 100), Sharing::Reserved, Some(1_000));
    assert!(matches!(refused, Err(PartError::Fault(PartFault::InUse(_)))));
    let answers = ledger.account(&id).unwrap().part("ana").unwrap().answers;
    ledger.set_aside(&id, "ana", &ratio(51, 100), Sharing::Reserved, Some(answers + 1)).unwrap();
    let same = ledger.set_aside(&id, "ana", &ratio(51, 100), Sharing::Reserved, None);
    assert!(matches!(same, Err(PartError::Fault(PartFault::Same(_)))));
    // The promise cannot follow from what the owner of a part has read.
    let stricter = ledger.change_promise(&promise(Some(ratio(7, 10))), "stricter");
    assert!(matches!(stricter, Err(AccountError::OverChance(OverChance::Later))));
}

/// After an answer of any part, no size counts as fixed beforehand.
#[test]
fn answers_of_parts_come_before_sizes() {
    let guarantee = promise(Some(ratio(3, 4)));
    let id = AccountId::of(&guarantee);
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    ledger.set_aside(&id, "ana", &ratio(1, 4), Sharing::Reserved, None).unwrap();
    let (own, part) = (size(&guarantee, 400), Part::Named("ana".to_owned()));
    ledger.charge(&ChargeRequest { part, ..asked("hers", &own, &guarantee) }).unwrap();
    assert!(!ledger.fix_sizes(&id, vec![own]).unwrap());
}

/// The owner of an overlapping part is charged as the whole is, and someone without a part sees nothing of it.
#[test]
fn overlapping_parts_are_charged_to_the_whole() {
    let guarantee = promise(Some(ratio(3, 4)));
    let id = AccountId::of(&guarantee);
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    ledger.set_aside(&id, "bo", &ratio(1, 2), Sharing::Overlapping, None).unwrap();
    let (bo, nobody) = (Part::Named("bo".to_owned()), Part::Named("nobody".to_owned()));
    let odds = |ledger: &Ledger, part: &Part| {
        let account = ledger.account(&id).unwrap().seen_by(part);
        account.but_for_chance().unwrap().unwrap().1.odds.unwrap()
    };
    // A first query of odds 3 is a chosen one, before it is charged and when it is.
    let large = size(&guarantee, 2);
    let seen = ledger.account(&id).unwrap().seen_by(&bo);
    assert!(!read_but_for_chance(Some(&seen), &guarantee, vec![large.clone()]).unwrap().unwrap().keeps);
    let refused = ledger.charge(&ChargeRequest { part: bo.clone(), ..asked("large", &large, &guarantee) });
    assert!(matches!(refused, Err(ChargeError::OverChance { over: OverChance::Odds { .. } })));
    let small = size(&guarantee, 20);
    ledger.charge(&ChargeRequest { part: bo.clone(), ..asked("small", &small, &guarantee) }).unwrap();
    assert!(odds(&ledger, &bo) > whole(1) && odds(&ledger, &Part::Whole) == odds(&ledger, &bo));
    assert_eq!(odds(&ledger, &nobody), whole(1));
}

/// After a chosen size, a promise about the other direction of belief is a further one.
#[test]
fn later_promises_add_no_direction() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    ledger.charge(&asked("chosen", &size(&guarantee, 100), &guarantee)).unwrap();
    let chance = Chance::new(ratio(1, 1_000_000)).unwrap();
    let falls = Promise::NegativeGain(whole(3));
    for promises in [vec![Promise::PosteriorAtMost(ratio(3, 4)), falls.clone()], vec![falls]] {
        let other = promise(None).but_for(chance.clone(), None, promises).unwrap();
        let changed = ledger.change_promise(&other, "another direction");
        assert!(matches!(changed, Err(AccountError::OverChance(OverChance::Later))), "{changed:?}");
    }
}

/// Parts of a promise without a chance count as one answer each once a chance is promised.
#[test]
fn a_chance_is_added_to_unused_parts() {
    let plain = promise(None);
    let id = AccountId::of(&plain);
    let add = |share: (i64, i64)| {
        let place = Place::new();
        let mut ledger = opened(&place, &plain);
        ledger.set_aside(&id, "ana", &ratio(share.0, share.1), Sharing::Reserved, None).unwrap();
        ledger.change_promise(&promise(Some(ratio(3, 4))), "a chance")
    };
    assert!(add((1, 4)).is_ok());
    assert!(matches!(add((1, 2)), Err(AccountError::OverChance(OverChance::Odds { .. }))));
}

/// A promise that is stated after an answer was read may follow from it: only one that promises less is accepted then.
#[test]
fn later_promises_are_only_weaker() {
    let plain = promise(None);
    let own = size(&plain, MOVES);
    // Before the first charge, and while all sizes are fixed, the chance can be added.
    let place = Place::new();
    let mut ledger = opened(&place, &plain);
    assert!(
        !ledger.change_promise(&promise(Some(ratio(3, 4))), "the board").unwrap(),
        "a further promise is not weaker"
    );
    ledger.fix_sizes(&AccountId::of(&plain), vec![own.clone(); 20]).unwrap();
    ledger.charge(&asked("fixed", &own, &plain)).unwrap();
    assert!(!ledger.change_promise(&promise(Some(ratio(7, 10))), "stricter").unwrap());
    // Not so after a size was chosen; less may be promised.
    ledger.charge(&asked("chosen", &size(&plain, 77), &plain)).unwrap();
    let stricter = ledger.change_promise(&promise(Some(ratio(2, 3))), "stricter");
    assert!(matches!(stricter, Err(AccountError::OverChance(OverChance::Later))));
    assert!(ledger.change_promise(&promise(Some(ratio(3, 4))), "looser").unwrap());
    assert!(ledger.change_promise(&plain, "without").unwrap());
    let again = ledger.change_promise(&promise(Some(ratio(3, 4))), "again");
    assert!(matches!(again, Err(AccountError::OverChance(OverChance::Later))));
}

/// Exactly the odds that are allowed are kept, also where they are irrational.
#[test]
fn odds_for_certain_are_compared_exactly() {
    let guarantee = promise(Some(ratio(3, 4)));
    let half = Size { cost: guarantee.limit().share(&ratio(1, 2)).unwrap(), coins: Vec::new() };
    assert!(read_but_for_chance(None, &guarantee, vec![half]).unwrap().unwrap().keeps);
    let thirds = vec![Size { cost: guarantee.limit().share(&ratio(1, 6)).unwrap(), coins: Vec::new() }; 3];
    assert!(read_but_for_chance(None, &guarantee, thirds).unwrap().unwrap().keeps);
}

/// A person asks first, and then according to the answer either one large query, which keeps the odds for certain, or as
/// many small ones as the filter allows. If either could end at odds of exactly 3, an event that joins both paths would
/// have odds above 3 with the chance of the first: 0.377 and not a millionth.
#[test]
fn paths_to_different_bounds_end_below_the_promise() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    let mut ledger = opened(&place, &guarantee);
    let first = size(&guarantee, 100);
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![first.clone()]).unwrap();
    ledger.charge(&asked("first", &first, &guarantee)).unwrap();
    let share = |part| Size { cost: guarantee.limit().share(&part).unwrap(), coins: Vec::new() };
    // 49/100 more would be odds of exactly 3; 3^(49/50) is 49/100 in all.
    let refused = ledger.charge(&asked("large", &share(ratio(49, 100)), &guarantee));
    assert!(matches!(refused, Err(ChargeError::OverChance { over: OverChance::Odds { .. } })));
    ledger.charge(&asked("a little less", &share(ratio(48, 100)), &guarantee)).unwrap();
}

/// A ledger that continues an older copy does not hold all answers that may have been read: nothing is fixed beforehand.
#[test]
fn an_older_copy_fixes_nothing() {
    let guarantee = promise(Some(ratio(3, 4)));
    let place = Place::new();
    drop(opened(&place, &guarantee));
    let old = std::fs::read(&place.path).unwrap();
    let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![size(&guarantee, 100)]).unwrap();
    drop(ledger);
    std::fs::write(&place.path, old).unwrap();
    accept_head(&place.path, None, "restored").unwrap();
    let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    let before = ledger.head().clone();
    ledger.fix_sizes(&AccountId::of(&guarantee), vec![size(&guarantee, 100)]).unwrap();
    assert_eq!(*ledger.head(), before);
}
