//! C-9: parts of the population that share nobody. Each person is absent, or in one part, and the observer may be unsure
//! in which.
//!
//! A dataset has a bit for each person and part: bit `part · people + t`. An observer gives each dataset in which every
//! person is in at most one part a probability, independently for each person or each group.

use super::composition::{larger, on_group, response};
use super::dice::{Dice, grid};
use super::prior::Prior;
use super::world::{Bound, Dataset, Mechanism, finite};
use deniable_core::adversary::Adjacency::{AddRemove, ReplaceOne};
use deniable_core::exact::{Rational, ratio, whole};

/// Separate answers about each part.
fn about_parts(each: &[&Mechanism]) -> Mechanism {
    let people = each[0].people;
    let all = each.len() * people;
    let mut parts = each.iter().enumerate().map(|(part, mechanism)| on_group(mechanism, all, part * people));
    let first = parts.next().unwrap();
    parts.fold(first, |so_far, next| so_far.and(&next))
}

/// Distributions of one person over absence and the parts: certain, and unsure in every way of a short list.
fn states(parts: usize) -> Vec<Vec<Rational>> {
    let weights = grid(parts + 1, &[whole(0), whole(1), whole(3)]);
    let sums = weights.into_iter().map(|weights| (weights.iter().sum::<Rational>(), weights));
    sums.filter(|(sum, _)| *sum > whole(0))
        .map(|(sum, weights)| weights.into_iter().map(|weight| weight / &sum).collect())
        .collect()
}

/// The bit of a person in a part: state 0 is absence.
fn bit(people: usize, t: usize, state: usize) -> Dataset {
    if state == 0 { 0 } else { 1 << ((state - 1) * people + t) }
}

/// The state of a person in a dataset.
fn state(people: usize, parts: usize, t: usize, data: Dataset) -> usize {
    (1..=parts).find(|state| data & bit(people, t, *state) != 0).unwrap_or(0)
}

/// The largest ratio of the chances of an answer between two hypotheses; `None` if either is impossible.
fn ratio_between(
    mechanism: &Mechanism,
    prior: &Prior,
    first: impl Fn(Dataset) -> bool,
    second: impl Fn(Dataset) -> bool,
) -> Option<Bound> {
    let (first, second) = (prior.given_that(first)?, prior.given_that(second)?);
    let chance = |worlds: &[(Dataset, Rational)], answer: usize| -> Rational {
        worlds.iter().map(|(data, weight)| weight * &mechanism.row(*data)[answer]).sum()
    };
    let answers = 0..mechanism.row(0).len();
    let each = answers.filter_map(|answer| {
        let (top, bottom) = (chance(&first, answer), chance(&second, answer));
        Some(Bound::of(&top, &bottom)?.max(Bound::of(&bottom, &top).unwrap_or_else(|| finite(1, 1))))
    });
    each.max()
}

/// What the worst of these observers learns about any person: whether in at all, and in which part (one part rather than
/// another, or than anything else).
fn learned(mechanism: &Mechanism, priors: &[Prior], people: usize, parts: usize) -> (Bound, Bound) {
    let (mut at_all, mut which) = (finite(1, 1), finite(1, 1));
    for prior in priors {
        for t in 0..people {
            let of = |data| state(people, parts, t, data);
            let about = |first: &dyn Fn(usize) -> bool, second: &dyn Fn(usize) -> bool| {
                let found = ratio_between(mechanism, prior, |data| first(of(data)), |data| second(of(data)));
                found.unwrap_or_else(|| finite(1, 1))
            };
            at_all = larger(at_all, about(&|state| state > 0, &|state| state == 0));
            for one in 1..=parts {
                which = larger(which, about(&|state| state == one, &|state| state != one));
                for other in one + 1..=parts {
                    which = larger(which, about(&|state| state == one, &|state| state == other));
                }
            }
        }
    }
    (at_all, which)
}

fn independent(people: usize, parts: usize) -> Vec<Prior> {
    let states = states(parts);
    let indices: Vec<Rational> = (0..states.len()).map(|at| whole(i64::try_from(at).unwrap())).collect();
    let person = |t: usize, at: &Rational| {
        let chances = &states[usize::try_from(at.to_integer()).unwrap()];
        chances.iter().enumerate().map(|(state, p)| (bit(people, t, state), p.clone())).collect()
    };
    let prior = |chosen: &Vec<Rational>| {
        Prior::product(&chosen.iter().enumerate().map(|(t, at)| person(t, at)).collect::<Vec<Vec<_>>>())
    };
    grid(people, &indices).iter().map(prior).collect()
}

/// The largest odds of a part, and the product of the two largest.
fn bounds(each: &[&Mechanism]) -> (Bound, Bound) {
    let mut odds: Vec<Bound> = each.iter().map(|mechanism| mechanism.odds(AddRemove)).collect();
    odds.sort();
    odds.reverse();
    (odds[0].clone(), odds[0].times(&odds[1]))
}

/// All datasets of one person in up to four parts, and of two people in two parts, for random and exact mechanisms and a
/// grid of observers.
#[test]
fn a_person_of_one_part_costs_the_worst_part_or_the_two_worst() {
    let mut dice = Dice::new(46);
    for (people, parts, rounds) in [(1, 2, 12), (1, 3, 12), (1, 4, 4), (2, 2, 4)] {
        let priors = independent(people, parts);
        for _ in 0..rounds {
            let each: Vec<Mechanism> = (0..parts).map(|_| Mechanism::random(people, 2, 0, &mut dice)).collect();
            let each: Vec<&Mechanism> = each.iter().collect();
            let (worst, two) = bounds(&each);
            let (at_all, which) = learned(&about_parts(&each), &priors, people, parts);
            assert_eq!(at_all, worst, "{each:?}");
            assert!(which <= two, "{each:?}: {which:?} and {two:?}");
            assert!(which >= worst, "a part is as secret as membership");
        }
    }
}

/// Symmetric answers of odds 2, 3, 5: the two largest multiply, for the question in which part, and never all three.
#[test]
fn the_two_largest_parts_are_attained() {
    let each = [response(2), response(3), response(5)];
    let each: Vec<&Mechanism> = each.iter().collect();
    assert_eq!(bounds(&each), (finite(5, 1), finite(15, 1)));
    assert_eq!(learned(&about_parts(&each), &independent(1, 3), 1, 3), (finite(5, 1), finite(15, 1)));
    // Without the hypothesis, a person in all three parts is learned at the product of all.
    assert_eq!(each.iter().fold(finite(1, 1), |all, part| all.times(&part.odds(AddRemove))), finite(30, 1));
    let everywhere = Prior::two(0b111, 0, &ratio(1, 2));
    let found = ratio_between(&about_parts(&each), &everywhere, |data| data == 0b111, |data| data == 0);
    assert_eq!(found, Some(finite(30, 1)));
}

/// Answers about other tables multiply with those about parts.
#[test]
fn other_tables_multiply() {
    let (parts, people) = (2, 1);
    let about = about_parts(&[&response(2), &response(3)]);
    let other = Mechanism::yes(2, |data| ratio(if data == 0 { 1 } else { 7 }, 8));
    let (at_all, which) = learned(&about.and(&other), &independent(people, parts), people, parts);
    assert_eq!((at_all, which), (finite(21, 1), finite(21, 1)), "7 · 3: the other table does not depend on the part");
    let moved = Mechanism::yes(2, |data| ratio([1, 7, 4, 4][data], 8));
    let (_, which) = learned(&about.and(&moved), &independent(people, parts), people, parts);
    assert!(which > finite(6, 1) && which <= finite(42, 1), "{which:?}");
}

/// A query about a part that an earlier answer selected: on every course, the two largest accounts bound the odds.
#[test]
fn parts_may_be_chosen_by_earlier_answers() {
    let priors = independent(1, 2);
    let (first, second) = (on_group(&response(2), 2, 0), on_group(&response(2), 2, 1));
    for (yes, no) in [(&first, &second), (&second, &first), (&second, &second)] {
        let adaptive = Mechanism::new(2, |data| {
            let each = first.row(data).iter().zip([yes, no]);
            each.flat_map(|(chance, next)| next.row(data).iter().map(move |p| chance * p)).collect()
        });
        let (at_all, which) = learned(&adaptive, &priors, 1, 2);
        assert!(at_all <= finite(4, 1) && which <= finite(4, 1), "{at_all:?} {which:?}");
        assert_eq!(which, finite(4, 1), "4 in one part, or 2 in each");
    }
}

/// F-NIk: a group of two people who are in or out together, each in any part, costs the square: of the worst part for
/// whether in at all, of the two worst for in which part. Groups in different parts cost no more than groups in one.
#[test]
fn groups_cost_the_power() {
    let (people, parts) = (2, 2);
    let count = |odds: i64| {
        Mechanism::new(2, move |data| {
            // Decays with the distance from nobody: attains the square.
            let weights = [odds * odds, odds, odds, 1];
            let decays = [weights[data], weights[3 - data]];
            let total = whole(decays[0] + decays[1] + 2 * odds * odds);
            let rest = whole(1) - (whole(decays[0]) + whole(decays[1])) / &total;
            decays.iter().map(|decay| whole(*decay) / &total).chain([rest]).collect()
        })
    };
    let each = [count(2), count(3)];
    let each: Vec<&Mechanism> = each.iter().collect();
    let (worst, two) = bounds(&each);
    let mechanism = about_parts(&each);
    let placed: Vec<Dataset> = (1..=parts)
        .flat_map(|first| (1..=parts).map(move |second| bit(people, 0, first) | bit(people, 1, second)))
        .collect();
    let priors: Vec<Prior> = grid(placed.len() + 1, &[whole(0), whole(1), whole(3)])
        .into_iter()
        .filter_map(|weights| Prior::weighted([0].into_iter().chain(placed.iter().copied()).zip(weights)))
        .collect();
    let (at_all, which) = learned(&mechanism, &priors, people, parts);
    assert!(at_all <= worst.power(2) && which <= two.power(2), "{at_all:?} {worst:?} {which:?} {two:?}");
    assert!(at_all > worst && which > two, "a bound for one person is too small for groups");
    // Both in one part cost at least as much as one in each.
    let cost = |state: Dataset| {
        ratio_between(&mechanism, &Prior::two(state, 0, &ratio(1, 2)), |data| data == state, |data| data == 0).unwrap()
    };
    assert!(cost(0b1100) >= cost(0b0110) && cost(0b0110) >= cost(0b0011), "{placed:?}");
}

/// Replace-one: the size of all parts together is public, and the size of one part proves in which a person is.
#[test]
fn the_size_of_a_part_is_not_public() {
    let size = Mechanism::exact(2, 3, |data| data.count_ones() as usize);
    assert_eq!(size.odds(ReplaceOne), finite(1, 1), "within a part of public size, its size adds nothing");
    // One of two people is in part 1, or the other in part 2.
    let prior = Prior::two(bit(2, 0, 1), bit(2, 1, 2), &ratio(1, 2));
    let silent = Mechanism::yes(2, |_| whole(1));
    let learned = ratio_between(
        &about_parts(&[&size, &silent]),
        &prior,
        |data| state(2, 2, 0, data) > 0,
        |data| state(2, 2, 0, data) == 0,
    );
    assert_eq!(learned, Some(Bound::Infinite));
}
