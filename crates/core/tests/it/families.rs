//! F-DU, F-DI, F-DI2, F-DB and F-DB2: the pairs of datasets that a mechanism must not distinguish for a family of
//! priors.

use super::coupling::all_paired;
use super::dice::Dice;
use super::prior::{Prior, independent_grid, sized_grid};
use super::world::{About, BOTH, Bound, Dataset, Mechanism, adjacent, finite, one_more, replacements};
use deniable_core::adversary::Adjacency::{AddRemove, ReplaceOne};
use deniable_core::adversary::PriorRange;
use deniable_core::belief::{gain_over, tight_gain};
use deniable_core::exact::{Rational, ratio, whole};

/// Beliefs with and without certainty, even and skewed.
fn beliefs() -> Vec<Rational> {
    vec![whole(0), ratio(1, 50), ratio(1, 2), ratio(4, 5), whole(1)]
}

/// Even beliefs, which are sufficient where the likelihood ratio does not depend on the belief.
fn halves(pairs: &[(Dataset, Dataset)]) -> Vec<Prior> {
    pairs.iter().map(|(first, second)| Prior::two(*first, *second, &ratio(1, 2))).collect()
}

/// Membership privacy over priors on these pairs alone holds with γ = `odds` and with no smaller γ.
fn smallest_gain_is(odds: &Bound, mechanism: &Mechanism, pairs: &[(Dataset, Dataset)], about: About) {
    let (upper, lower) = *pairs.iter().find(|pair| mechanism.strength(&[**pair]) == *odds).expect("it is attained");
    let differ = if about == About::Presence { upper & !lower } else { lower & !upper };
    let t = differ.trailing_zeros() as usize;
    // Skewed priors come arbitrarily close to γ = R, and never exceed it, by B-2.
    for belief in [ratio(1, 2), ratio(1, 1_000_000), ratio(1999, 2000)] {
        let gain = mechanism.gain(&Prior::two(upper, lower, &belief), t, about).unwrap();
        match odds {
            Bound::Infinite => assert_eq!(gain, Bound::Infinite),
            Bound::Finite(odds) => {
                assert_eq!(gain, Bound::Finite(tight_gain(&belief, odds)));
                let less = odds - (odds - whole(1)) / whole(1000);
                assert_eq!(gain > Bound::Finite(less), belief != ratio(1, 2) && *odds > whole(1));
            }
        }
    }
}

#[test]
fn independent_people_need_add_remove_and_nothing_more() {
    let priors = independent_grid(3, &beliefs());
    for mechanism in Mechanism::several(3, 10, &mut Dice::new(1)) {
        let mut sides = vec![];
        for about in BOTH {
            let pairs = one_more(3, about);
            let odds = mechanism.strength(&pairs);
            assert_eq!(mechanism.worst_likelihood(&priors, about), Some(odds.clone()), "{mechanism:?} {about:?}");
            assert!(priors.iter().filter_map(|prior| mechanism.worst_gain(prior, about)).all(|gain| gain <= odds));
            smallest_gain_is(&odds, &mechanism, &pairs, about);
            sides.push(odds);
        }
        assert_eq!(sides.into_iter().max(), Some(mechanism.odds(AddRemove)), "PMP and NMP together are the adjacency");
    }
}

/// B-3 and B-3n: over uncertain beliefs in a range, and certain ones, the largest gain by Bayes' rule equals the
/// formula, attained at an end of the range.
#[test]
fn the_gain_over_a_range_is_bayes_rule_at_its_ends() {
    let mut compared = 0;
    for (low, high) in [(ratio(1, 5), ratio(4, 5)), (ratio(1, 10), ratio(1, 3)), (ratio(1, 2), ratio(1, 2))] {
        let middle = (&low + &high) / whole(2);
        let priors = independent_grid(2, &[whole(0), low.clone(), middle, high.clone(), whole(1)]);
        let range = PriorRange::new(Some(low), Some(high)).unwrap();
        for mechanism in Mechanism::several(2, 12, &mut Dice::new(2)) {
            for about in BOTH {
                let own = if about == About::Presence { range.clone() } else { range.of_absence() };
                let largest = priors.iter().filter_map(|prior| mechanism.worst_gain(prior, about)).max().unwrap();
                match mechanism.strength(&one_more(2, about)) {
                    Bound::Infinite => assert_eq!(largest, Bound::Infinite),
                    Bound::Finite(odds) => {
                        assert_eq!(largest, Bound::Finite(gain_over(&own, &odds)), "{mechanism:?} {about:?}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// The bound for every mechanism: the others have the same distribution with and without `t`.
#[test]
fn independent_people_pair_up_one_step_apart() {
    let one_step = |a: Dataset, b: Dataset| (a ^ b).count_ones() == 1;
    assert_eq!(all_paired(&independent_grid(3, &beliefs()), 3, one_step), Ok(3 * 3 * 25));
    // Dependent people do not pair: two people who are both in or both out are two steps apart.
    let together = Prior::two(0b11, 0b00, &ratio(1, 2));
    assert_eq!(all_paired([&together], 2, one_step), Err((together.clone(), 0)));
}

#[test]
fn presence_alone_bounds_one_side_only() {
    let mechanism = Mechanism::yes(1, |data| if data == 1 { whole(1) } else { ratio(1, 2) });
    let prior = [Prior::independent(&[ratio(1, 2)])];
    assert_eq!(mechanism.worst_likelihood(&prior, About::Presence), Some(finite(2, 1)));
    assert_eq!(mechanism.worst_likelihood(&prior, About::Absence), Some(Bound::Infinite));
}

/// An event reveals at most as much as the most revealing of its answers, so single answers are sufficient in all
/// tests.
#[test]
fn single_answers_are_enough() {
    let mut dice = Dice::new(2);
    for _ in 0..10 {
        let mechanism = Mechanism::random(2, 3, 0, &mut dice);
        for prior in independent_grid(2, &beliefs()) {
            let single = mechanism.worst_likelihood([&prior], About::Presence);
            for event in 1..8 {
                let kernel: Vec<_> = (0..3).map(|o| if event >> o & 1 == 1 { [1, 0] } else { [0, 1] }).collect();
                let kernel: Vec<_> = kernel.iter().map(|row| row.map(whole).to_vec()).collect();
                assert!(mechanism.then(&kernel).worst_likelihood([&prior], About::Presence) <= single);
            }
        }
    }
}

/// Four datasets in a row, each with twice the odds of the answer yes of the previous one; the first and last are
/// adjacent too.
fn staircase(people: usize, steps: &[Dataset]) -> Mechanism {
    Mechanism::yes(people, |data| {
        let step = steps.iter().position(|known| *known == data).unwrap_or(0);
        ratio(1, 1 << (steps.len() - step))
    })
}

#[test]
fn two_possible_datasets_force_every_added_person() {
    for mechanism in Mechanism::several(3, 12, &mut Dice::new(3)) {
        let pairs = adjacent(3, AddRemove);
        let priors = halves(&one_more(3, About::Presence));
        for about in BOTH {
            let all = mechanism.worst_likelihood(&independent_grid(3, &beliefs()), about);
            assert_eq!(mechanism.worst_likelihood(&priors, about), all, "the part is as strong as the whole");
        }
        for pair in pairs {
            let about = if pair.0 > pair.1 { About::Presence } else { About::Absence };
            let found = mechanism.worst_likelihood(&halves(&[pair]), about);
            assert_eq!(found, Some(mechanism.strength(&[pair])), "each pair has its own prior");
        }
    }
    // Without one pair of the adjacency, a mechanism that keeps 2 on all others has 8 on that pair.
    let stairs = staircase(2, &[0b01, 0b00, 0b10, 0b11]);
    let (missing, rest): (Vec<_>, Vec<_>) = adjacent(2, AddRemove).into_iter().partition(|(a, b)| a & b == 0b01);
    assert_eq!((stairs.strength(&rest), missing.len()), (finite(2, 1), 2));
    assert_eq!(stairs.worst_likelihood(&halves(&missing), About::Presence), Some(finite(8, 1)));
}

#[test]
fn a_public_size_needs_replace_one_and_nothing_more() {
    for (people, values, count) in [(3, beliefs(), 10), (4, vec![whole(0), ratio(1, 3), whole(1)], 5)] {
        let priors = sized_grid(people, &values);
        for mechanism in Mechanism::several(people, count, &mut Dice::new(4)) {
            let odds = mechanism.odds(ReplaceOne);
            let pairs = adjacent(people, ReplaceOne);
            for about in BOTH {
                // PMP and NMP are the same here, because exchanges are symmetric.
                assert_eq!(mechanism.worst_likelihood(&priors, about), Some(odds.clone()));
                assert!(priors.iter().filter_map(|prior| mechanism.worst_gain(prior, about)).all(|gain| gain <= odds));
                smallest_gain_is(&odds, &mechanism, &pairs, about);
            }
        }
    }
}

/// The transport problem behind the bound is solvable for every prior of the grid.
#[test]
fn a_public_size_pairs_up_one_exchange_apart() {
    let exchange = |a, b| replacements(a, b) == Some(1);
    let lopsided = [whole(0), ratio(1, 50), ratio(2, 3), whole(1)];
    assert_eq!(all_paired(&sized_grid(4, &lopsided), 4, exchange), Ok(768));
    assert_eq!(all_paired(&sized_grid(5, &[ratio(1, 50), ratio(2, 3)]), 5, exchange), Ok(32 * 4 * 5));
}

#[test]
fn one_of_two_people_forces_every_exchange() {
    for mechanism in Mechanism::several(3, 12, &mut Dice::new(5)) {
        for pair in adjacent(3, ReplaceOne) {
            // Person 0 may be certain here; the person who is in the first dataset only is not.
            let t = (pair.0 & !pair.1).trailing_zeros() as usize;
            let prior = Prior::two(pair.0, pair.1, &ratio(1, 2));
            assert_eq!(mechanism.likelihood(&prior, t, About::Presence), Some(mechanism.strength(&[pair])));
        }
        let all = halves(&adjacent(3, ReplaceOne));
        assert_eq!(mechanism.worst_likelihood(&all, About::Presence), Some(mechanism.odds(ReplaceOne)));
    }
    let stairs = staircase(3, &[0b001, 0b010, 0b100]);
    let (missing, rest): (Vec<_>, Vec<_>) = adjacent(3, ReplaceOne).into_iter().partition(|(a, b)| a | b == 0b101);
    assert_eq!((stairs.strength(&rest), missing.len()), (finite(2, 1), 2));
    assert_eq!(stairs.worst_likelihood(&halves(&missing), About::Presence), Some(finite(4, 1)));
}

#[test]
fn all_priors_need_every_pair_of_datasets() {
    let mut dice = Dice::new(6);
    for mechanism in Mechanism::several(2, 12, &mut dice).into_iter().chain(Mechanism::several(3, 6, &mut dice)) {
        let worlds = 1 << mechanism.people;
        let pairs: Vec<_> = (0..worlds).flat_map(|a| (0..worlds).map(move |b| (a, b))).collect();
        let outside: Vec<_> = pairs.iter().copied().filter(|(a, b)| a & !b != 0).collect();
        let random: Vec<_> =
            (0..40).filter_map(|_| Prior::weighted((0..worlds).zip(dice.distribution(worlds, 0, 9)))).collect();
        let odds = mechanism.strength(&outside);
        assert!(mechanism.worst_likelihood(&random, About::Presence) <= Some(odds.clone()));
        assert_eq!(mechanism.worst_likelihood(&halves(&outside), About::Presence), Some(odds.clone()));
        smallest_gain_is(&odds, &mechanism, &outside, About::Presence);
        let both = BOTH.map(|about| mechanism.worst_likelihood(&halves(&outside), about).unwrap());
        assert_eq!(both.into_iter().max(), Some(mechanism.strength(&pairs)), "with NMP, all pairs of datasets");
    }
}

/// Observers outside the promise: knowledge of an unknown size costs two steps; uncertainty of a public size has no
/// bound.
#[test]
fn the_other_kind_of_observer_is_outside_the_bound() {
    for mechanism in Mechanism::several(3, 20, &mut Dice::new(7)) {
        assert!(mechanism.odds(ReplaceOne) <= mechanism.odds(AddRemove).power(2));
    }
    for odds in [ratio(3, 2), whole(2), whole(7)] {
        // More likely with person 0 than without people, and as much less likely with person 1.
        let middle = (whole(1) + &odds).recip();
        let mechanism = Mechanism::yes(2, |data| match data {
            0b01 => &middle * &odds,
            0b10 => &middle / &odds,
            _ => middle.clone(),
        });
        assert_eq!(mechanism.odds(AddRemove), Bound::Finite(odds.clone()));
        let knows = Prior::independent(&[ratio(1, 2), ratio(1, 2)]).of_size(1).unwrap();
        assert_eq!(mechanism.likelihood(&knows, 0, About::Presence), Some(Bound::Finite(&odds * &odds)));
    }
    let size = Mechanism::exact(2, 3, |data| data.count_ones() as usize);
    assert_eq!(size.odds(ReplaceOne), finite(1, 1));
    let unsure = [Prior::independent(&[ratio(1, 2), whole(1)])];
    assert_eq!(size.worst_likelihood(&unsure, About::Presence), Some(Bound::Infinite));
}
