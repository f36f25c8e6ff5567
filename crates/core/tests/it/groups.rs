//! F-NIk: groups of people who move together.
//!
//! The bounds are decided for all mechanisms at once by pairing datasets (see `coupling`), and checked on random ones;
//! mechanisms that decay with the distance from one dataset attain them.

use super::coupling::all_paired;
use super::dice::{Dice, grid};
use super::prior::Prior;
use super::world::{About, BOTH, Bound, Dataset, Mechanism, finite, replacements};
use deniable_core::adversary::Adjacency::{AddRemove, ReplaceOne};
use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::exact::{Rational, power, ratio, whole};

/// The people of each group, in order.
fn members(sizes: &[u32]) -> Vec<Dataset> {
    let starts = sizes.iter().scan(0, |next, size| {
        let start = *next;
        *next += size;
        Some(((1 << size) - 1) << start)
    });
    starts.collect()
}

fn people(sizes: &[u32]) -> usize {
    sizes.iter().sum::<u32>() as usize
}

/// Groups that are all in or all out, each with one of these beliefs.
fn together(sizes: &[u32], beliefs: &[Rational]) -> Vec<Prior> {
    let choices = grid(sizes.len(), beliefs);
    let prior = |beliefs: &Vec<Rational>| {
        let groups = members(sizes).into_iter().zip(beliefs);
        Prior::product(&groups.map(|(group, p)| vec![(group, p.clone()), (0, whole(1) - p)]).collect::<Vec<_>>())
    };
    choices.iter().map(prior).collect()
}

/// Groups that are independent of each other, with arbitrary dependence inside a group.
fn entangled(sizes: &[u32], count: usize, dice: &mut Dice) -> Vec<Prior> {
    let mut prior = || {
        let groups = members(sizes).into_iter().map(|group| {
            let subsets: Vec<Dataset> = (0..=group).filter(|set| set & !group == 0).collect();
            let weights = dice.distribution(subsets.len(), -5, 9);
            subsets.into_iter().zip(weights).collect()
        });
        Prior::product(&groups.collect::<Vec<_>>())
    };
    (0..count).map(|_| prior()).collect()
}

/// Beliefs of those observers once they know the size.
fn of_all_sizes(priors: &[Prior], people: usize) -> Vec<Prior> {
    let sizes = 0..=u32::try_from(people).unwrap();
    priors.iter().flat_map(|prior| sizes.clone().filter_map(|size| prior.of_size(size))).collect()
}

fn beliefs() -> Vec<Rational> {
    vec![whole(0), ratio(1, 20), ratio(2, 3), whole(1)]
}

/// Answers yes with probability 1/2 on `centre`, and with odds smaller by the factor `odds` for every step away from
/// it.
fn decay(people: usize, odds: &Rational, steps: impl Fn(Dataset) -> u32) -> Mechanism {
    Mechanism::yes(people, |data| (whole(2) * power(odds, steps(data))).recip())
}

#[test]
fn groups_cost_the_kth_power_when_the_size_is_unknown() {
    let mut dice = Dice::new(21);
    for sizes in [&[2, 1][..], &[2, 2], &[3, 1], &[1, 1, 1], &[2, 1, 1]] {
        let (people, k) = (people(sizes), sizes.iter().copied().max().unwrap());
        let priors = [together(sizes, &beliefs()), entangled(sizes, 8, &mut dice)].concat();
        let near = |a: Dataset, b: Dataset| (a ^ b).count_ones() <= k;
        assert!(all_paired(&priors, people, near).expect("all pair up") > 20);
        for mechanism in Mechanism::several(people, 3, &mut dice) {
            let bound = mechanism.odds(AddRemove).power(k);
            assert!(BOTH.iter().all(|about| mechanism.worst_likelihood(&priors, *about) <= Some(bound.clone())));
        }
        // Adding or removing a whole group attains it, about any of its members.
        let odds = whole(3);
        let largest = members(sizes)[0];
        let mechanism = decay(people, &odds, |data| (data ^ largest).count_ones());
        assert_eq!(mechanism.odds(AddRemove), finite(3, 1));
        let whole_group = [Prior::two(largest, 0, &ratio(1, 2))];
        assert_eq!(mechanism.worst_likelihood(&whole_group, About::Presence), Some(finite(3, 1).power(k)));
    }
}

#[test]
fn one_group_among_singles_costs_the_kth_power_when_the_size_is_public() {
    let mut dice = Dice::new(22);
    for sizes in [&[2, 1, 1][..], &[2, 1, 1, 1], &[3, 1], &[3, 1, 1], &[1, 1, 1]] {
        let (people, k) = (people(sizes), sizes[0]);
        // The members of the one group may depend on each other in any way, not only be all in or all out.
        let priors = of_all_sizes(&[together(sizes, &beliefs()), entangled(sizes, 6, &mut dice)].concat(), people);
        let near = |a, b| replacements(a, b).is_some_and(|steps| steps <= k);
        assert!(all_paired(&priors, people, near).expect("all pair up") > 20);
        for mechanism in Mechanism::several(people, 2, &mut dice) {
            let bound = mechanism.odds(ReplaceOne).power(k);
            assert!(BOTH.iter().all(|about| mechanism.worst_likelihood(&priors, *about) <= Some(bound.clone())));
        }
    }
    // A pair that moves together against two single people: the pair is in, or both single people are.
    let prior = together(&[2, 1, 1], &[ratio(1, 2)])[0].of_size(2).unwrap();
    let mechanism = decay(4, &whole(3), |data| replacements(data, 0b0011).unwrap_or(0));
    assert_eq!(mechanism.odds(ReplaceOne), finite(3, 1));
    assert_eq!(mechanism.likelihood(&prior, 0, About::Presence), Some(finite(9, 1)));
}

#[test]
fn groups_of_equal_size_cost_the_kth_power_when_the_size_is_public() {
    let mut dice = Dice::new(23);
    for (sizes, k) in [(&[2, 2][..], 2), (&[2, 2, 2], 2), (&[3, 3], 3)] {
        let people = people(sizes);
        let priors = of_all_sizes(&together(sizes, &beliefs()), people);
        let near = |a, b| replacements(a, b).is_some_and(|steps| steps <= k);
        assert!(all_paired(&priors, people, near).expect("all pair up") > 4);
        for mechanism in Mechanism::several(people, 2, &mut dice) {
            let bound = mechanism.odds(ReplaceOne).power(k);
            assert!(BOTH.iter().all(|about| mechanism.worst_likelihood(&priors, *about) <= Some(bound.clone())));
        }
        let first = members(sizes)[0];
        let prior = together(sizes, &[ratio(1, 2)])[0].of_size(k).unwrap();
        let mechanism = decay(people, &whole(3), |data| replacements(data, first).unwrap_or(0));
        assert_eq!(mechanism.odds(ReplaceOne), finite(3, 1));
        assert_eq!(mechanism.likelihood(&prior, 0, About::Presence), Some(finite(3, 1).power(k)));
    }
}

/// Groups of 3, 1, 2 and 2 with a public size of 4: either the three and the single are in, or both pairs.
#[test]
fn groups_of_mixed_sizes_reach_the_fourth_power() {
    let sizes = [3, 1, 2, 2];
    let prior = together(&sizes, &[ratio(1, 2)])[0].of_size(4).unwrap();
    assert_eq!(prior, Prior::two(0b0000_1111, 0b1111_0000, &ratio(1, 2)));
    for odds in [ratio(3, 2), whole(2), whole(5)] {
        let mechanism = decay(8, &odds, |data| replacements(data, 0b0000_1111).unwrap_or(0));
        assert_eq!(mechanism.odds(ReplaceOne), Bound::Finite(odds.clone()));
        let (three, single) = (0, 3);
        for t in [three, single] {
            let found = mechanism.likelihood(&prior, t, About::Presence).unwrap();
            assert_eq!(found, Bound::Finite(power(&odds, 4)), "person {t}");
            assert!(found > Bound::Finite(odds.clone()).power(3), "beyond the power of the largest group");
        }
    }
    let within = |k: u32| move |a, b| replacements(a, b).is_some_and(|steps| steps <= k);
    assert!(all_paired([&prior], 8, within(3)).is_err());
    assert_eq!(all_paired([&prior], 8, within(4)), Ok(8));
    // A policy rejects this combination.
    assert!(Adversary::new(true, PriorRange::any(), MovesTogether::UpTo(3)).is_err());
}

/// Groups of exactly k people are all in or all out: certain absentees would turn equal sizes into mixed ones.
#[test]
fn groups_of_equal_size_with_certain_absentees_are_mixed() {
    let groups = members(&[3, 3, 3, 3]);
    // The first keeps three members, the others one, two and two; the rest are certainly out.
    let kept = [0b111, 0b1 << 3, 0b11 << 6, 0b11 << 9];
    assert!(groups.iter().zip(kept).all(|(group, kept)| kept & !group == 0));
    let half = |set| vec![(set, ratio(1, 2)), (0, ratio(1, 2))];
    let prior = Prior::product(&kept.map(half)).of_size(4).unwrap();
    assert!(all_paired([&prior], 12, |a, b| replacements(a, b).is_some_and(|steps| steps <= 3)).is_err());
}
