//! C-1 to C-4: adaptive queries, disjoint groups, post-processing, and a public coin.

use super::dice::Dice;
use super::prior::{Prior, independent_grid};
use super::world::{About, BOTH, Bound, Dataset, Mechanism, finite};
use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::exact::{Rational, ratio, whole};

/// The same mechanism applied to the people from `first` on, of a larger universe.
pub fn on_group(mechanism: &Mechanism, people: usize, first: usize) -> Mechanism {
    let mask = (1 << mechanism.people) - 1;
    Mechanism::new(people, |data| mechanism.row(data >> first & mask).to_vec())
}

/// Two groups, the people of the first before those of the second, each with its own answer.
fn side_by_side(one: &Mechanism, other: &Mechanism) -> Mechanism {
    let people = one.people + other.people;
    on_group(one, people, 0).and(&on_group(other, people, one.people))
}

pub fn larger(a: Bound, b: Bound) -> Bound {
    a.max(b)
}

/// An answer of the first mechanism, then one of the mechanism that it selects: the transcript as one answer.
fn adaptive(first: &Mechanism, after: [&Mechanism; 2]) -> Mechanism {
    Mechanism::new(first.people, |data| {
        let each = first.row(data).iter().zip(after);
        each.flat_map(|(chance, next)| next.row(data).iter().map(move |p| chance * p)).collect()
    })
}

/// Every mechanism of two answers with probabilities from a short list, for every selection of the second by the
/// first's answer.
fn all_adaptive(people: usize, chances: &[Rational], adjacency: Adjacency) {
    let count = chances.len().pow(1 << people);
    let digit = |number: usize, data: usize| &chances[number / chances.len().pow(data as u32) % chances.len()];
    let all: Vec<(Mechanism, Bound)> = (0..count)
        .map(|number| Mechanism::yes(people, |data| digit(number, data).clone()))
        .map(|mechanism| (mechanism.clone(), mechanism.odds(adjacency)))
        .collect();
    // The selection matters: the two answers lead to different queries, and some pair attains the product by that
    // alone.
    let mut attained = 0;
    for (first, own) in &all {
        for (yes, after_yes) in &all {
            for (no, after_no) in &all {
                let total = adaptive(first, [yes, no]).odds(adjacency);
                let product = own.times(&larger(after_yes.clone(), after_no.clone()));
                assert!(total <= product, "{first:?} then {yes:?} or {no:?}");
                attained += u32::from(total == product && yes != no && *own != finite(1, 1) && product != *own);
            }
        }
    }
    assert!(attained > 0, "the product is attained by questions that depend on answers");
}

/// C-1: each second query keeps its `R_2`, whichever the first answer selected; together `R_1·R_2`, exhaustively.
#[test]
fn questions_that_depend_on_answers_cost_the_product() {
    let quarters = [ratio(0, 1), ratio(1, 4), ratio(1, 2), ratio(3, 4)];
    all_adaptive(1, &quarters, AddRemove);
    let thirds = [ratio(1, 3), ratio(2, 3)];
    all_adaptive(2, &thirds, AddRemove);
    all_adaptive(2, &thirds, ReplaceOne);
    // A selection by the data instead of the answer is not covered: two constant mechanisms reveal the data.
    let (always, never) = (Mechanism::yes(1, |_| whole(1)), Mechanism::yes(1, |_| whole(0)));
    let chosen = Mechanism::new(1, |data| if data == 1 { always.row(data) } else { never.row(data) }.to_vec());
    assert_eq!((always.odds(AddRemove), never.odds(AddRemove)), (finite(1, 1), finite(1, 1)));
    assert_eq!(chosen.odds(AddRemove), Bound::Infinite);
}

#[test]
fn disjoint_groups_cost_the_largest_under_add_remove() {
    let mut dice = Dice::new(31);
    for (left, right) in [(1, 1), (2, 1), (2, 2), (1, 3)] {
        for one in Mechanism::several(left, 5, &mut dice) {
            let other = Mechanism::random(right, 2, 1, &mut dice);
            let both = side_by_side(&one, &other);
            let (first, second) = (one.odds(AddRemove), other.odds(AddRemove));
            assert_eq!(both.odds(AddRemove), larger(first.clone(), second.clone()), "the maximum, exactly");

            let third = Mechanism::random(1, 2, 1, &mut dice);
            let three = side_by_side(&both, &third);
            assert_eq!(three.odds(AddRemove), larger(both.odds(AddRemove), third.odds(AddRemove)));

            let crossing = first.times(&second);
            let within = larger(one.odds(ReplaceOne), other.odds(ReplaceOne));
            assert!(both.odds(ReplaceOne) <= larger(crossing, within));
        }
    }
}

/// Randomized response about one person, symmetric in presence and absence.
pub fn response(odds: i64) -> Mechanism {
    Mechanism::yes(1, |data| ratio(if data == 1 { odds } else { 1 }, odds + 1))
}

#[test]
fn an_exchange_between_groups_costs_the_product() {
    let both = side_by_side(&response(2), &response(5));
    assert_eq!((both.odds(AddRemove), both.odds(ReplaceOne)), (finite(5, 1), finite(10, 1)));

    // Mechanisms that reveal more about adding than about removing stay below the product: 2 · 3/2 here.
    let coming = Mechanism::yes(1, |data| ratio(if data == 1 { 2 } else { 1 }, 4));
    let both = side_by_side(&coming, &coming);
    assert_eq!((coming.odds(AddRemove), both.odds(ReplaceOne)), (finite(2, 1), finite(3, 1)));

    // An exchange within a group can cost the most: R² there, next to a group with a constant answer.
    let pair = Mechanism::yes(2, |data| [ratio(1, 3), ratio(2, 3), ratio(1, 6), ratio(1, 3)][data].clone());
    let silent = Mechanism::yes(1, |_| ratio(1, 2));
    let both = side_by_side(&pair, &silent);
    let (alone, crossing) = (pair.odds(AddRemove), pair.odds(AddRemove).times(&silent.odds(AddRemove)));
    assert_eq!((alone, crossing, both.odds(ReplaceOne)), (finite(2, 1), finite(2, 1), finite(4, 1)));
}

#[test]
fn replace_one_ratios_of_the_groups_alone_bound_nothing() {
    let size = Mechanism::exact(2, 3, |data| data.count_ones() as usize);
    assert_eq!(size.odds(ReplaceOne), finite(1, 1), "within a group, the exact size says nothing");
    assert_eq!(side_by_side(&size, &size).odds(ReplaceOne), Bound::Infinite);
}

/// The hypothesis that groups do not overlap: a person in both groups pays for both.
#[test]
fn overlapping_groups_cost_the_product() {
    let twice = response(2).and(&response(5));
    assert_eq!(twice.odds(AddRemove), finite(10, 1));
}

/// Priors of every kind: independent, with a public size, and neither.
fn priors(people: usize, dice: &mut Dice) -> Vec<Prior> {
    let beliefs = [whole(0), ratio(1, 10), ratio(2, 3), whole(1)];
    let independent = independent_grid(people, &beliefs);
    let sized = independent.iter().filter_map(|prior| prior.of_size(1)).collect();
    let worlds = 1 << people;
    let random = (0..30).filter_map(|_| Prior::weighted((0..worlds).zip(dice.distribution(worlds, -4, 9)))).collect();
    [independent, sized, random].concat()
}

/// Every gain of `after` against the gain of `before` for the same prior and person, as PMP and as NMP.
fn compare(after: &Mechanism, before: &Mechanism, priors: &[Prior], keeps: impl Fn(&Bound, &Bound) -> bool) -> usize {
    let mut compared = 0;
    for prior in priors {
        for t in 0..before.people {
            for about in BOTH {
                let gains = (after.gain(prior, t, about), before.gain(prior, t, about));
                let (Some(after), Some(before)) = gains else { continue };
                assert!(keeps(&after, &before), "{after:?} against {before:?} about {about:?} of {t} for {prior:?}");
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn post_processing_never_gains() {
    let mut dice = Dice::new(32);
    let priors = priors(2, &mut dice);
    for before in Mechanism::several(2, 8, &mut dice) {
        let answers = before.row(0).len();
        let kernel: Vec<_> = (0..answers).map(|_| dice.distribution(3, -3, 9)).collect();
        assert!(compare(&before.then(&kernel), &before, &priors, |after, before| after <= before) > 80);

        // An invertible post-processing changes nothing, so the comparison is tight.
        let turned: Vec<Vec<Rational>> = (0..answers)
            .map(|from| (0..answers).map(|to| whole(u8::from(to == answers - 1 - from))).collect())
            .collect();
        compare(&before.then(&turned), &before, &priors, |after, before| after == before);
    }
}

/// The hypothesis that post-processing does not use the data: a "processing" that does has unbounded gain.
#[test]
fn processing_that_looks_at_the_data_gains() {
    let silent = Mechanism::yes(1, |_| ratio(1, 2));
    let peeking = silent.and(&Mechanism::exact(1, 2, |data: Dataset| data));
    let prior = Prior::independent(&[ratio(1, 2)]);
    assert_eq!(silent.gain(&prior, 0, About::Presence), Some(finite(1, 1)));
    assert_eq!(peeking.gain(&prior, 0, About::Presence), Some(Bound::Infinite));
}

/// One of two mechanisms, by `coin`, which is public.
fn tossed(one: &Mechanism, other: &Mechanism, coin: impl Fn(Dataset) -> Rational) -> Mechanism {
    Mechanism::new(one.people, |data| {
        let heads = coin(data);
        let first = one.row(data).iter().map(|p| p * &heads);
        first.chain(other.row(data).iter().map(|p| p * (whole(1) - &heads))).collect()
    })
}

#[test]
fn a_public_coin_gains_what_the_worse_mechanism_gains() {
    let mut dice = Dice::new(33);
    let priors = priors(2, &mut dice);
    for one in Mechanism::several(2, 6, &mut dice) {
        let answers = one.row(0).len();
        let other = Mechanism::random(2, answers, 0, &mut dice);
        for coin in [ratio(1, 2), ratio(1, 50)] {
            let mixed = tossed(&one, &other, |_| coin.clone());
            for prior in &priors {
                for (t, about) in [0, 1].into_iter().flat_map(|t| BOTH.map(|about| (t, about))) {
                    let each = one.gain(prior, t, about).max(other.gain(prior, t, about));
                    assert_eq!(mixed.gain(prior, t, about), each, "the worse of the two, exactly");
                }
            }
            // Hiding the coin is post-processing: the two lists of answers are merged.
            let same = |from: usize| (0..answers).map(|to| whole(u8::from(from % answers == to))).collect();
            let hidden = mixed.then(&(0..2 * answers).map(same).collect::<Vec<_>>());
            compare(&hidden, &mixed, &priors, |hidden, public| hidden <= public);
        }
    }
}

/// The hypothesis that the coin is independent of the data: two constant mechanisms and a coin that reveals the data.
#[test]
fn data_dependent_coin_reveals_the_data() {
    let silent = Mechanism::yes(1, |_| ratio(1, 2));
    let telling = tossed(&silent, &silent, |data| if data == 1 { ratio(3, 4) } else { ratio(1, 4) });
    assert_eq!((silent.odds(AddRemove), telling.odds(AddRemove)), (finite(1, 1), finite(3, 1)));
}
