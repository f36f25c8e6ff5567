//! Crowd-blending privacy (I-CBP), against the definition; counterexamples to composition.

use super::common::dice::Dice;
use super::common::mechanisms::{and, apart, exact, mixture, then, yes};
use super::common::{dp, value, verdict};
use deniable_check::Bound;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Notion;
use deniable_check::verdict::Witness;
use deniable_core::exact::{Rational, ratio, whole};

fn crowd(mechanism: &Mechanism, crowd: usize) -> Bound {
    value(mechanism, &Notion::CrowdBlending { crowd })
}

/// The definition, for a given ε: counts the members with whom an entity blends, and compares removal.
fn holds(mechanism: &Mechanism, crowd: usize, claim: &Bound) -> bool {
    let n = mechanism.size();
    let blends = |one: usize, other: usize| {
        let neither = (0..1_u32 << n).filter(|data| data >> one & 1 == 0 && data >> other & 1 == 0);
        neither.into_iter().all(|data| apart(mechanism, data | 1 << one, data | 1 << other) <= *claim)
    };
    (0..1_u32 << n).all(|data| {
        let members: Vec<usize> = (0..n).filter(|t| data >> t & 1 == 1).collect();
        members.iter().all(|t| {
            members.iter().filter(|other| blends(*t, **other)).count() >= crowd
                || apart(mechanism, data, data & !(1 << t)) <= *claim
        })
    })
}

#[test]
fn the_value_is_the_least_that_holds() {
    let mut dice = Dice::new(61);
    let mut by_crowd = 0;
    for number in 0..40 {
        let mechanism = if number % 2 == 0 {
            dice.mechanism(3, 2 + number % 3, i64::from(number % 6 != 0), 9)
        } else {
            // The rows depend nearly on the size alone, so crowds matter.
            let chances: Vec<i64> = (0..4).map(|_| dice.between(1, 98)).collect();
            let wobble: Vec<i64> = (0..8).map(|_| dice.between(0, 1)).collect();
            yes(3, |data| ratio(chances[data.count_ones() as usize] + wobble[data as usize], 100))
        };
        for size in 1..4 {
            let tight = crowd(&mechanism, size);
            assert!(holds(&mechanism, size, &tight));
            if let Bound::Finite(tight) = &tight
                && *tight > whole(1)
            {
                let less = Bound::Finite(tight - ratio(1, 1_000_000_000));
                assert!(!holds(&mechanism, size, &less));
            }
            assert!(tight <= dp(&mechanism), "add/remove DP implies it");
            by_crowd += usize::from(tight < dp(&mechanism) && size > 1);
        }
        assert_eq!(crowd(&mechanism, 1), Bound::one(), "everybody is a crowd of one");
    }
    assert!(by_crowd > 5, "crowds must matter: {by_crowd}");
}

#[test]
fn replace_one_is_not_enough() {
    let size = exact(3, 4, |data| data.count_ones() as usize);
    assert_eq!(value(&size, &Notion::Bounded), Bound::one());
    assert_eq!(crowd(&size, 2), Bound::Infinite);
    let shown = verdict(&size, &Notion::CrowdBlending { crowd: 2 });
    let line = shown.witness.unwrap().line(&size);
    assert_eq!(line, "t0 in {t0}: removing it: Pr[o0 | {}] / Pr[o0 | {t0}] = 1 / 0 = ∞");
    // Sizes below 2 are not released, so all have a crowd, but no DP.
    let told = exact(3, 3, |data| (data.count_ones() as usize).saturating_sub(1));
    assert_eq!((crowd(&told, 2), dp(&told)), (Bound::one(), Bound::Infinite));
    assert_eq!(crowd(&told, 3), Bound::Infinite);
}

/// "Are both a and b in?" blends these two, "a and c?" blends those two; both questions together blend a with no other.
#[test]
fn it_neither_composes_nor_mixes() {
    let first = exact(3, 2, |data| usize::from(data & 0b011 == 0b011));
    let second = exact(3, 2, |data| usize::from(data & 0b101 == 0b101));
    assert_eq!((crowd(&first, 2), crowd(&second, 2)), (Bound::one(), Bound::one()));
    assert_eq!(crowd(&and(&first, &second), 2), Bound::Infinite);
    for public in [true, false] {
        assert_eq!(crowd(&mixture(&first, &second, public), 2), Bound::Infinite);
    }
    let verdict = verdict(&and(&first, &second), &Notion::CrowdBlending { crowd: 2 });
    let Some(Witness::Crowd { entity, data, removed, outside }) = verdict.witness else { panic!("no witness") };
    assert_eq!((entity, data, removed.probabilities), (0, 0b011, (whole(1), whole(0))));
    assert_eq!(outside.iter().map(|(other, _)| *other).collect::<Vec<_>>(), [1]);
    // The same with noise at finite values: each answer has e^ε = 1, both together have more.
    let noisy = |exact: &Mechanism| then(exact, &[vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]]);
    let (first, second) = (noisy(&first), noisy(&second));
    assert_eq!((crowd(&first, 2), crowd(&second, 2)), (Bound::one(), Bound::one()));
    assert_eq!(crowd(&and(&first, &second), 2), Bound::Finite(whole(3)));
    assert_eq!(crowd(&mixture(&first, &second, true), 2), Bound::Finite(whole(3)));
    assert_eq!(crowd(&mixture(&first, &second, false), 2), Bound::Finite(whole(2)));
}

#[test]
fn post_processing_helps() {
    let mut dice = Dice::new(62);
    for number in 0..40 {
        let mechanism = dice.mechanism(3, 3, i64::from(number % 4 != 0), 6);
        let kernel: Vec<Vec<Rational>> = (0..3).map(|_| dice.distribution(2, 0, 3)).collect();
        let after = then(&mechanism, &kernel);
        for size in 1..4 {
            assert!(crowd(&after, size) <= crowd(&mechanism, size));
        }
    }
}
