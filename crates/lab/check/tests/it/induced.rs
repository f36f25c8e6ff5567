//! Induced neighbours (I-INP), against the definition and its special cases.

use super::common::dice::Dice;
use super::common::mechanisms::{apart, exact, mechanism};
use super::common::{dp, value, verdict};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Notion;
use deniable_core::exact::{ratio, whole};

fn induced(mechanism: &Mechanism, allowed: &[Dataset]) -> Bound {
    value(mechanism, &Notion::Induced { allowed: allowed.to_vec() })
}

#[test]
fn neighbours_are_pairs_without_a_dataset_between() {
    let mut dice = Dice::new(71);
    for number in 0..60 {
        let mechanism = dice.mechanism(4, 2, i64::from(number % 4 != 0), 9);
        let allowed: Vec<Dataset> = (0..16).filter(|_| dice.between(0, 2) > 0).collect();
        let mut worst = Bound::one();
        for a in &allowed {
            for b in allowed.iter().filter(|b| *b != a) {
                // A dataset between: an allowed c whose moves are some of those from a to b, but neither none nor all.
                let between = allowed.iter().any(|c| c != a && c != b && (a ^ c) & !(a ^ b) == 0);
                if !between {
                    worst = worst.max(apart(&mechanism, *a, *b));
                }
            }
        }
        assert_eq!(induced(&mechanism, &allowed), worst);
    }
}

#[test]
fn it_contains_other_notions() {
    let mut dice = Dice::new(72);
    let all: Vec<Dataset> = (0..16).collect();
    for _ in 0..10 {
        let mechanism = dice.mechanism(4, 3, 1, 9);
        assert_eq!(induced(&mechanism, &all), dp(&mechanism));
        // All sizes, each public in turn: one entity exchanged for another.
        let sized = (0..5).map(|size| all.iter().copied().filter(|data| data.count_ones() == size).collect::<Vec<_>>());
        let worst = sized.map(|allowed| induced(&mechanism, &allowed)).max().unwrap();
        assert_eq!(worst, value(&mechanism, &Notion::Bounded));
        // Two possible datasets are neighbours, at any distance.
        assert_eq!(induced(&mechanism, &[0b0001, 0b1110]), apart(&mechanism, 0b0001, 0b1110));
        assert_eq!(induced(&mechanism, &[7]), Bound::one());
    }
    // A couple that is in or out together: DP of 3 for each of them is 9 for the two.
    let answers = |data: Dataset, person: u32| if data >> person & 1 == 1 { ratio(3, 4) } else { ratio(1, 4) };
    let couple = mechanism(2, 4, |data| {
        let (a, b) = (answers(data, 0), answers(data, 1));
        let (not_a, not_b) = (whole(1) - &a, whole(1) - &b);
        vec![&not_a * &not_b, &a * &not_b, &not_a * &b, &a * &b]
    });
    assert_eq!((dp(&couple), induced(&couple, &[0b00, 0b11])), (Bound::Finite(whole(3)), Bound::Finite(whole(9))));
    let shown = verdict(&couple, &Notion::Induced { allowed: vec![0b00, 0b11] });
    assert_eq!(shown.witness.unwrap().line(&couple), "Pr[o0 | {}] / Pr[o0 | {t0, t1}] = 9/16 / 1/16 = 9");
}

#[test]
fn allowed_datasets_must_be_of_the_universe() {
    let size = exact(2, 3, |data| data.count_ones() as usize);
    let wrong = decide(&size, &Notion::Induced { allowed: vec![0, 4] }, &Family::All).unwrap_err();
    assert_eq!(wrong, CheckError::Outside { data: 4, entities: 2 });
    assert_eq!(wrong.to_string(), "dataset 0b100 has entities beyond the 2 of the mechanism");
}

/// All datasets that a proper part of some smallest set of moves leads to, where an exchange is a move: the sets are
/// enumerated.
fn on_the_way(a: Dataset, b: Dataset) -> Vec<Dataset> {
    let bits = |set: Dataset| (0..8).map(|t| 1 << t).filter(|bit| set & bit != 0).collect::<Vec<Dataset>>();
    let (gone, new) = (bits(a & !b), bits(b & !a));
    // Each of the fewer is paired with another one of the more: every choice of partners, and the rest as single moves.
    let (few, many) = if gone.len() <= new.len() { (gone, new) } else { (new, gone) };
    let mut choices: Vec<Vec<Dataset>> = vec![vec![]];
    for _ in &few {
        let longer = |chosen: &Vec<Dataset>| {
            let free = many.iter().filter(|bit| !chosen.contains(bit));
            free.map(|bit| chosen.iter().copied().chain([*bit]).collect()).collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    let mut all = Vec::new();
    for partners in choices {
        let exchanges = few.iter().zip(&partners).map(|(one, other)| one | other);
        let alone = many.iter().copied().filter(|bit| !partners.contains(bit));
        let moves: Vec<Dataset> = exchanges.chain(alone).collect();
        for part in 1..(1_usize << moves.len()) - 1 {
            all.push(
                moves.iter().enumerate().filter(|(at, _)| part >> at & 1 == 1).fold(a, |data, (_, bits)| data ^ bits),
            );
        }
    }
    all
}

/// I-INX: neighbours are the allowed pairs for which no part of a smallest set of moves leads to an allowed dataset.
#[test]
fn an_exchange_is_one_move() {
    let mut dice = Dice::new(73);
    let mut other = 0;
    for number in 0..60 {
        let mechanism = dice.mechanism(4, 2, i64::from(number % 4 != 0), 9);
        let allowed: Vec<Dataset> = (0..16).filter(|_| dice.between(0, 2) > 0).collect();
        let pairs = allowed.iter().flat_map(|a| allowed.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b);
        let neighbours = pairs.filter(|(a, b)| !on_the_way(*a, *b).iter().any(|data| allowed.contains(data)));
        let worst = neighbours.map(|(a, b)| apart(&mechanism, a, b)).max().unwrap_or_else(Bound::one);
        let found = value(&mechanism, &Notion::InducedExchange { allowed: allowed.clone() });
        assert_eq!(found, worst, "{allowed:?}");
        // At least as many pairs: a dataset between by exchanges is also between by single moves.
        assert!(found >= induced(&mechanism, &allowed));
        other += u32::from(found > induced(&mechanism, &allowed));
        // All datasets allowed: one more, one less, one exchanged. One size: exchanges alone, by either definition.
        let all: Vec<Dataset> = (0..16).collect();
        let of_all = value(&mechanism, &Notion::InducedExchange { allowed: all });
        assert_eq!(of_all, dp(&mechanism).max(value(&mechanism, &Notion::Bounded)));
        let pairs_of_two: Vec<Dataset> = (0..16).filter(|data: &Dataset| data.count_ones() == 2).collect();
        let sized = value(&mechanism, &Notion::InducedExchange { allowed: pairs_of_two.clone() });
        assert_eq!(sized, induced(&mechanism, &pairs_of_two));
    }
    assert!(other > 5, "{other} differ from single moves");
    // With the empty dataset allowed, {a} and {b} are two single moves apart with {} between, or one exchange.
    let who = exact(2, 3, |data| [0, 1, 2, 0][data as usize]);
    let coins = mechanism(2, 3, |data| match data {
        0b01 => vec![ratio(1, 2), ratio(1, 3), ratio(1, 6)],
        0b10 => vec![ratio(1, 2), ratio(1, 6), ratio(1, 3)],
        _ => vec![ratio(1, 2), ratio(1, 4), ratio(1, 4)],
    });
    let all: Vec<Dataset> = (0..4).collect();
    assert_eq!(value(&who, &Notion::InducedExchange { allowed: all.clone() }), Bound::Infinite);
    assert_eq!(induced(&coins, &all), Bound::Finite(ratio(3, 2)));
    assert_eq!(value(&coins, &Notion::InducedExchange { allowed: all }), Bound::Finite(whole(2)));
}
