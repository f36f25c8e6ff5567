//! The table of implications: no mechanism exceeds a bound, and some mechanism attains it.

use super::world::{measure, random, shapes, weighted, yes};
use deniable_check::Bound;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_translate::amount::Amount;
use deniable_translate::shape::{Shape, follows};

fn amount(bound: &Bound) -> Option<Amount> {
    bound.finite().map(|odds| Amount::of(odds.clone()))
}

fn mechanisms() -> Vec<Mechanism> {
    let mut all = random(4, 3, 0, 10, 1);
    all.extend(random(4, 2, 3, 10, 2));
    all.extend(random(3, 3, 4, 30, 3));
    all.extend(random(2, 3, 3, 40, 4));
    all.extend(random(1, 2, 4, 20, 5));
    all
}

#[test]
fn no_mechanism_goes_beyond_what_follows() {
    let shapes = shapes();
    let mut useful = vec![0; shapes.len() * shapes.len()];
    for mechanism in mechanisms() {
        let measured: Vec<Bound> = shapes.iter().map(|shape| measure(&mechanism, shape)).collect();
        for (i, from) in shapes.iter().enumerate() {
            let Some(odds) = amount(&measured[i]) else { continue };
            for (j, to) in shapes.iter().enumerate() {
                let Ok(step) = follows(from, to) else { continue };
                let (limit, _) = step.carry.apply(&odds).ends();
                assert!(measured[j] <= Bound::Finite(limit), "{from:?} -> {to:?} on {mechanism:?}");
                useful[i * shapes.len() + j] += 1;
            }
        }
    }
    for (i, from) in shapes.iter().enumerate() {
        for (j, to) in shapes.iter().enumerate() {
            assert!(follows(from, to).is_err() || useful[i * shapes.len() + j] >= 20, "{from:?} -> {to:?} untested");
        }
    }
}

/// A rare answer whose probability is `R^level` of a small one, and another whose probability hardly changes.
fn rare(people: usize, odds: &Rational, level: impl Fn(Dataset) -> i32) -> Mechanism {
    let least = ratio(1, 1_000_000);
    yes(people, |data| {
        let level = level(data);
        let factor = power(odds, level.unsigned_abs());
        if level < 0 { &least / factor } else { &least * factor }
    })
}

/// Candidates for mechanisms that attain bounds, with the shape's own extreme among them.
fn extremes(people: usize) -> Vec<Mechanism> {
    let odds = whole(3);
    let size = |data: Dataset| data.count_ones().cast_signed();
    let first = |data: Dataset| i32::from(data & 1 == 1) - i32::from(data & 2 == 2);
    let mut all = vec![
        rare(people, &odds, size),
        rare(people, &odds, |data| -size(data)),
        rare(people, &odds, first),
        rare(people, &odds, |data| i32::from(data & 1 == 1)),
        rare(people, &odds, |data| i32::from(data == 1)),
        rare(people, &odds, |data| i32::from(data != 0)),
        // One exchange more for each member in the first half.
        rare(people, &odds, |data| (data & 3).count_ones().cast_signed()),
        // Levels: no members, one or two, more than two.
        rare(people, &odds, |data| i32::from(data.count_ones() > 0) + i32::from(data.count_ones() > 2)),
        rare(people, &odds, |data| i32::from(data.count_ones() > 0) + i32::from(data.count_ones() > 3)),
        // Yes is ruled out by the first person.
        weighted(people, 2, |data, o| if data & 1 == 1 && o == 0 { whole(0) } else { whole(1) }),
    ];
    all.push(rare(people, &odds, |data| i32::from(data & 1 == 1) - i32::from(data & !1 != 0)));
    // Only the first two of four people matter: both in or both out.
    all.push(rare(people, &odds, |data| i32::from(data & 3 == 3) - i32::from(data & 3 == 0)));
    all
}

#[test]
fn tight_bounds_are_attained() {
    let mut loose = Vec::new();
    let pool: Vec<Mechanism> = (1..=4).flat_map(extremes).collect();
    let shapes = shapes();
    let measured: Vec<Vec<Bound>> =
        pool.iter().map(|mechanism| shapes.iter().map(|shape| measure(mechanism, shape)).collect()).collect();
    for (i, from) in shapes.iter().enumerate() {
        for (j, to) in shapes.iter().enumerate() {
            let Ok(step) = follows(from, to) else { continue };
            if !step.tight {
                continue;
            }
            let attained = measured.iter().any(|bounds| {
                let odds = amount(&bounds[i]);
                odds.is_some_and(|odds| !odds.is_one() && amount(&bounds[j]) == Some(step.carry.apply(&odds)))
            });
            if !attained {
                loose.push(format!("{from:?} -> {to:?}"));
            }
        }
    }
    assert!(loose.is_empty(), "nothing attains {loose:#?}");
}

#[test]
fn minimum_promise_is_tight() {
    for from in shapes() {
        for to in shapes() {
            let Ok(step) = follows(&from, &to) else { continue };
            for target in [ratio(11, 10), whole(2), whole(9)].map(Amount::of) {
                if let Some(enough) = step.carry.undo(&target) {
                    assert_eq!(step.carry.apply(&enough), target, "{from:?} -> {to:?}");
                } else {
                    // No odds are enough: even odds of 1 exceed the bound.
                    let (least, _) = step.carry.apply(&Amount::of(whole(1))).ends();
                    assert!(Amount::of(least).certainly_cmp(&target).unwrap().is_gt());
                }
            }
        }
    }
}

#[test]
fn unbounded_twice_is_bounded() {
    let follows = follows(&Shape::Both, &Shape::Replace).unwrap();
    assert_eq!(follows.carry.apply(&Amount::of(whole(3))), Amount::of(whole(9)));
    let swap = rare(2, &whole(3), |data| i32::from(data & 1 == 1) - i32::from(data & 2 == 2));
    assert_eq!(measure(&swap, &Shape::Both), Bound::Finite(whole(3)));
    assert_eq!(measure(&swap, &Shape::Replace), Bound::Finite(whole(9)));
}
