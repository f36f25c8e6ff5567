//! F-NIk: groups of people who depend on each other.

use super::sized::membership;
use super::world::attained;
use crate::it::common::bayes::{BOTH, Table, gain, given, scaled};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::{one_way, pairs, yes};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::{Value, Witness};
use deniable_core::exact::{Rational, power, ratio, whole};
use num_traits::Zero;

/// Groups of these sizes in order, independent of each other, with arbitrary dependence inside.
fn entangled(sizes: &[usize], dice: &mut Dice) -> Table {
    let mut start = 0;
    let mut table: Table = vec![(0, whole(1))];
    for size in sizes {
        let weights = dice.sparse(1 << size, 2);
        table = table
            .iter()
            .flat_map(|(data, weight)| {
                let each = weights.iter().enumerate().filter(|(_, p)| !p.is_zero());
                each.map(move |(set, p)| (data | (set as u32) << start, weight * p))
            })
            .collect();
        start += size;
    }
    table
}

#[test]
fn groups_are_pairs_of_datasets_some_steps_apart() {
    let mut dice = Dice::new(11);
    let (mut inside, mut below) = (0, 0);
    for (entities, k, sizes) in
        [(3, 1, &[1, 1, 1][..]), (3, 2, &[2, 1]), (4, 2, &[2, 2]), (4, 3, &[3, 1]), (4, 4, &[4]), (3, 9, &[3])]
    {
        for mechanism in dice.several(entities, 12) {
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &Family::Groups(k)).unwrap();
                let mut plain = Bound::one();
                for (more, less) in pairs(&mechanism) {
                    let own = if about == Direction::Presence { more & !less } else { less & !more };
                    if own != 0 && (more ^ less).count_ones() as usize <= k {
                        plain = plain.max(one_way(&mechanism, more, less));
                    }
                }
                assert_eq!(*verdict.value.high(), plain);
                if let Some(Witness::Datasets { output, more, less, probabilities: (top, bottom) }) = &verdict.witness {
                    assert_eq!(Bound::of(top, bottom), Some(plain.clone()));
                    assert_eq!(*top, mechanism.probability(*output, *more));
                    assert_eq!(*bottom, mechanism.probability(*output, *less));
                    // The observer who considers only the two datasets possible gains nearly as much.
                    let near =
                        if about == Direction::Presence { ratio(1, 1 << 30) } else { ratio((1 << 30) - 1, 1 << 30) };
                    let own = if about == Direction::Presence { (*more, *less) } else { (*less, *more) };
                    let two = vec![(own.0, near.clone()), (own.1, whole(1) - near)];
                    let shown = gain(&mechanism, &two, about).unwrap();
                    let slack = |plain: &Rational| plain * ratio(999, 1000);
                    assert!(shown >= plain.map(slack, Bound::Infinite) && shown <= plain);
                }
                for prior in (0..6).map(|_| entangled(sizes, &mut dice)).filter(|prior| given(&mechanism, prior)) {
                    inside += 1;
                    assert!(gain(&mechanism, &prior, about).is_none_or(|gain| gain <= plain));
                }
                // The theorem's bound, from the ratio of single entities: for complete tables only.
                if mechanism.is_complete() {
                    let single = decide(&mechanism, &Notion::Unbounded { sign: Sign::Both }, &Family::All).unwrap();
                    let bound = single.value.high().power(k as u32);
                    assert!(plain <= bound);
                    below += u32::from(plain < bound);
                }
            }
        }
    }
    assert!(inside > 500 && below > 30, "{inside} priors, {below} strictly below");
}

#[test]
fn a_group_that_comes_and_goes_together_attains_the_power() {
    for k in 1..=3_u32 {
        let group = (1 << k) - 1;
        let mechanism = yes(4, |data| (whole(2) * power(&whole(3), (data ^ group).count_ones())).recip());
        let verdict = decide(&mechanism, &membership(Direction::Presence), &Family::Groups(k as usize)).unwrap();
        assert_eq!(verdict.value, Value::Approached(Bound::Finite(whole(3_u64.pow(k)))));
    }
    let mechanism = Dice::new(12).partial(2, 2, 0, 0);
    assert!(matches!(
        decide(&mechanism, &membership(Direction::Presence), &Family::Groups(0)),
        Err(CheckError::OutOfRange { name: "k", .. })
    ));
    let constant = Mechanism::from_fn(3, &["x"], |_, _| whole(1)).unwrap();
    assert_eq!(
        decide(&constant, &membership(Direction::Absence), &Family::Groups(2)).unwrap().value,
        attained(Bound::one())
    );
}

/// LQS13 section 4.1: where two people are either both in or both out, PMP needs only the odds of presence, and their
/// square `R²`; a mechanism without a bound on absence approaches it arbitrarily closely.
#[test]
fn people_who_come_together_need_one_side_alone() {
    let together = |both: &Rational, third: &Rational| {
        let each = |chance: &Rational, is_in: bool| if is_in { chance.clone() } else { whole(1) - chance };
        let worlds = [0b000, 0b011, 0b100, 0b111_u32];
        scaled(worlds.map(|data| (data, each(both, data & 1 == 1) * each(third, data & 4 != 0))).to_vec()).unwrap()
    };
    let positive = Notion::Unbounded { sign: Sign::Positive };
    let rising = yes(3, |data| power(&ratio(1, 3), 3 - data.count_ones()));
    let odds =
        |mechanism: &Mechanism, notion: &Notion| decide(mechanism, notion, &Family::All).unwrap().value.high().clone();
    assert_eq!(odds(&rising, &positive), Bound::Finite(whole(3)));
    assert_eq!(odds(&rising, &Notion::Unbounded { sign: Sign::Negative }), Bound::Infinite);
    let rare = together(&ratio(1, 10_000), &ratio(1, 2));
    let near = gain(&rising, &rare, Direction::Presence).unwrap();
    assert!(near > Bound::Finite(ratio(899, 100)) && near < Bound::Finite(whole(9)), "{near}");
    let mut dice = Dice::new(41);
    let mut beyond_one = 0;
    for _ in 0..40 {
        // The more people are in, the likelier the answer.
        let mut chances: Vec<Rational> = (0..4).map(|_| ratio(dice.between(1, 9), 10)).collect();
        chances.sort();
        let mechanism = yes(3, |data| chances[data.count_ones() as usize].clone());
        let Bound::Finite(odds) = odds(&mechanism, &positive) else { continue };
        for (both, third) in [(1, 3), (1, 50), (5, 6), (49, 50)].map(|(top, of)| (ratio(top, of), ratio(1, 3))) {
            let found = gain(&mechanism, &together(&both, &third), Direction::Presence).unwrap();
            assert!(found <= Bound::Finite(&odds * &odds), "{found} {odds}");
            beyond_one += u32::from(found > Bound::Finite(odds.clone()));
        }
    }
    assert!(beyond_one > 0);
}
