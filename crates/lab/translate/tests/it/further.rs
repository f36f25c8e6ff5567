//! Simulators, crowds and public facts: implied bounds are never exceeded, and are attained if they are tight.

use super::world::{measure, random, yes};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Notion;
use deniable_check::verdict::Value;
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_testing::sized;
use deniable_translate::amount::Amount;
use deniable_translate::shape::{Shape, follows};

fn asked(mechanism: &Mechanism, notion: &Notion) -> (Bound, Bound) {
    let value: Value = decide(mechanism, notion, &Family::All).unwrap().value;
    (value.low().clone(), value.high().clone())
}

/// A lower and an upper bound: `check` for the further shapes, enumeration for the others.
fn bounds(mechanism: &Mechanism, shape: &Shape) -> (Bound, Bound) {
    let count = |value: &u32| *value as usize;
    match shape {
        Shape::Simulated(rows) => asked(mechanism, &Notion::ZeroKnowledge { rows: count(rows) }),
        Shape::SimulatedRows(rows) => asked(mechanism, &Notion::ZeroKnowledgeRows { rows: count(rows) }),
        Shape::Crowd(crowd) => asked(mechanism, &Notion::CrowdBlending { crowd: count(crowd) }),
        Shape::Induced(apart) if mechanism.size() < count(apart) => (Bound::one(), Bound::one()),
        Shape::Induced(apart) => asked(mechanism, &Notion::Induced { allowed: vec![0, (1 << apart) - 1] }),
        // Facts that leave two datasets, one with `moves` more people, or with `moves` people exchanged if there are as
        // many others.
        Shape::Exchanged(moves) if mechanism.size() < count(moves) => (Bound::one(), Bound::one()),
        Shape::Exchanged(moves) => {
            let these: Dataset = (1 << moves) - 1;
            let ask = |allowed| asked(mechanism, &Notion::InducedExchange { allowed });
            let more = ask(vec![0, these]);
            if mechanism.size() < 2 * count(moves) { more } else { more.max(ask(vec![these, these << moves])) }
        }
        other => {
            let measured = measure(mechanism, other);
            (measured.clone(), measured)
        }
    }
}

fn further() -> Vec<Shape> {
    vec![
        Shape::Simulated(0),
        Shape::Simulated(1),
        Shape::Simulated(2),
        Shape::SimulatedRows(1),
        Shape::SimulatedRows(2),
        Shape::SimulatedRows(3),
        Shape::Crowd(2),
        Shape::Crowd(3),
        Shape::Induced(2),
        Shape::Induced(3),
        Shape::Exchanged(1),
    ]
}

fn plain() -> Vec<Shape> {
    let mut all = super::world::shapes();
    all.push(Shape::Group(4));
    all
}

/// A simulator that sees k rows bounds neighbours by R², and any two datasets by R^(4k+4): with k = 0, by R².
#[test]
fn a_simulator_bounds_any_two_datasets() {
    let mut finite = 0;
    for mechanism in random(3, 2, 0, 10, 101).into_iter().chain(random(2, 3, 0, 10, 102)) {
        for rows in 0..=2 {
            let (_, most) = bounds(&mechanism, &Shape::Simulated(rows));
            let Bound::Finite(most) = most else { continue };
            assert!(measure(&mechanism, &Shape::Both) <= Bound::Finite(power(&most, 2)));
            let anywhere = if rows == 0 { 2 } else { 4 * rows + 4 };
            assert!(measure(&mechanism, &Shape::All) <= Bound::Finite(power(&most, anywhere)));
            let step = follows(&Shape::Simulated(rows), &Shape::All).unwrap();
            assert_eq!(step.carry.apply(&Amount::of(most.clone())), Amount::of(power(&most, anywhere)));
            finite += 1;
        }
    }
    assert!(finite >= 50, "{finite}");
}

#[test]
fn no_mechanism_goes_beyond_what_follows() {
    let (further, plain) = (further(), plain());
    let all: Vec<&Shape> = further.iter().chain(&plain).collect();
    let mut useful = 0;
    let [one, two, three] = sized([2, 2, 3], [8, 6, 10]);
    let mechanisms =
        random(3, 2, 0, one, 103).into_iter().chain(random(3, 3, 3, two, 104)).chain(random(2, 2, 2, three, 105));
    for mechanism in mechanisms {
        let known: Vec<(Bound, Bound)> = all.iter().map(|shape| bounds(&mechanism, shape)).collect();
        for (i, from) in all.iter().enumerate() {
            let Bound::Finite(odds) = &known[i].1 else { continue };
            for (j, to) in all.iter().enumerate().filter(|(j, _)| i.min(*j) < further.len()) {
                let Ok(step) = follows(from, to) else { continue };
                let (_, limit) = step.carry.apply(&Amount::of(odds.clone())).ends();
                assert!(known[j].0 <= Bound::Finite(limit), "{from:?} -> {to:?} on {mechanism:?}");
                useful += 1;
            }
        }
    }
    assert!(useful > sized(250, 1_000), "{useful}");
}

/// A rare yes whose probability is `4^level` of a small one.
fn rare(people: usize, level: impl Fn(Dataset) -> i32) -> Mechanism {
    let least = ratio(1, 1_000_000);
    yes(people, |data| {
        let factor = power(&whole(4), level(data).unsigned_abs());
        if level(data) < 0 { &least / factor } else { &least * factor }
    })
}

fn extremes() -> Vec<Mechanism> {
    let size = |data: Dataset| data.count_ones().cast_signed();
    let mut all = Vec::new();
    for people in 1..=3 {
        all.push(rare(people, size));
        all.push(rare(people, |data| -size(data)));
        all.push(rare(people, |data| i32::from(data & 1 == 1) - i32::from(data & 2 == 2)));
        all.push(rare(people, |data| i32::from(size(data) > 0) + i32::from(size(data) > 2)));
        all.push(rare(people, |data| i32::from(data != 0)));
    }
    all
}

/// For every tight step, some mechanism is within a thousandth of the bound.
#[test]
fn tight_steps_are_attained() {
    let (further, plain) = (further(), plain());
    let all: Vec<&Shape> = further.iter().chain(&plain).collect();
    let known: Vec<Vec<(Bound, Bound)>> =
        extremes().iter().map(|mechanism| all.iter().map(|shape| bounds(mechanism, shape)).collect()).collect();
    let nearly = |value: &Rational| value * ratio(999, 1000);
    let (mut loose, mut tight) = (Vec::new(), 0);
    for (i, from) in all.iter().enumerate() {
        for (j, to) in all.iter().enumerate().filter(|(j, _)| i != *j && i.min(*j) < further.len()) {
            let Ok(step) = follows(from, to) else { continue };
            if !step.tight {
                continue;
            }
            tight += 1;
            let attained = known.iter().any(|bounds| {
                let Bound::Finite(odds) = &bounds[i].1 else { return false };
                let (limit, _) = step.carry.apply(&Amount::of(odds.clone())).ends();
                *odds > ratio(11, 10) && bounds[j].0 >= Bound::Finite(nearly(&limit))
            });
            if !attained {
                loose.push(format!("{from:?} -> {to:?}"));
            }
        }
    }
    assert!(loose.is_empty() && tight > 40, "{tight}, of which nothing attains {loose:#?}");
}

/// Exchanges change two people each: one answer can have the odds of all who leave and of all who join.
#[test]
fn exchanges_have_the_odds_of_all_who_move() {
    for moves in 1..=2_u32 {
        let these: Dataset = (1 << moves) - 1;
        let count = |data: Dataset| data.count_ones().cast_signed();
        let mechanism = rare(2 * moves as usize, |data| count(data & these) - count(data & these << moves));
        let (reached, _) = bounds(&mechanism, &Shape::Exchanged(moves));
        for from in [Shape::Both, Shape::Move, Shape::Group(2)] {
            let Bound::Finite(odds) = measure(&mechanism, &from) else { panic!("{from:?}") };
            let step = follows(&from, &Shape::Exchanged(moves)).unwrap();
            let (limit, _) = step.carry.apply(&Amount::of(odds)).ends();
            assert_eq!(reached, Bound::Finite(limit), "{from:?}, {moves}");
        }
    }
}
