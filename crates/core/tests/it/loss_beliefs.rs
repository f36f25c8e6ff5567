//! B-7, B-8 and E-7: beliefs but for a chance on small worlds, the slack rule, and the tail of the loss.

use super::dice::Dice;
use super::loss_exact::{Curve, Pair, rows};
use super::prior::{Prior, independent_grid, sized_grid};
use super::world::{About, BOTH, Dataset, Mechanism, adjacent};
use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;

/// The pairs of neighbours of which the first has person `t` and the second does not; exchanged for absence.
fn neighbours(people: usize, t: usize, about: About, adjacency: Adjacency) -> Vec<(Dataset, Dataset)> {
    let has = |data: Dataset| data >> t & 1 == 1;
    let pairs = adjacent(people, adjacency).into_iter().filter(|(one, other)| has(*one) && !has(*other));
    pairs.map(|(one, other)| if about == About::Presence { (one, other) } else { (other, one) }).collect()
}

/// The curve that is nowhere above those of all neighbours.
fn hull(mechanism: &Mechanism, t: usize, about: About, adjacency: Adjacency) -> Curve {
    let pairs = neighbours(mechanism.people, t, about, adjacency);
    Curve::hull(&pairs.iter().map(|(one, other)| rows(mechanism, *one, *other)).collect::<Vec<_>>())
}

/// What an observer sees with and without the person.
fn evidence(mechanism: &Mechanism, prior: &Prior, t: usize, about: About) -> Option<Pair> {
    let (present, absent) = (prior.given(t, true)?, prior.given(t, false)?);
    let (first, second) = if about == About::Presence { (present, absent) } else { (absent, present) };
    let chance = |worlds: &[(Dataset, Rational)], answer: usize| -> Rational {
        worlds.iter().map(|(data, weight)| weight * &mechanism.row(*data)[answer]).sum()
    };
    Some(Pair((0..mechanism.row(0).len()).map(|answer| (chance(&first, answer), chance(&second, answer))).collect()))
}

/// Checks B-7 for an observer: every answer that lifts belief above a posterior, and all of them together, have at most
/// the chance β*. Returns how often belief ended above a posterior, and whether a test of the curve attains β*.
fn check_beliefs(pair: &Pair, prior: &Rational, bounds: &Curve) -> usize {
    let odds = |belief: &Rational| belief / (whole(1) - belief);
    let mut lifted = 0;
    for posterior in [ratio(1, 3), ratio(1, 2), ratio(3, 5), ratio(3, 4), ratio(9, 10)] {
        let factor = odds(&posterior) / odds(prior);
        let above = |(p, q): &&(Rational, Rational)| {
            let total = prior * p + (whole(1) - prior) * q;
            !total.is_zero() && prior * p / total > posterior
        };
        let (mut present, mut absent) = (whole(0), whole(0));
        for (p, q) in pair.0.iter().filter(above) {
            present += p;
            absent += q;
        }
        let most = bounds.beta_strict(&factor);
        assert!(present <= most && absent <= &most / &factor, "{posterior} from {prior}: {present} and {most}");
        lifted += usize::from(!present.is_zero());
        // The same for events that a coin decides.
        assert!(pair.curve().beta_strict(&factor) <= most);
    }
    lifted
}

/// All corners of priors and a grid within, all people, both hypotheses, answers as given and after random processing.
fn beliefs_are_bounded(people: usize, rounds: usize, adjacency: Adjacency, seed: u64) {
    let mut dice = Dice::new(seed);
    let beliefs = [whole(0), ratio(3, 10), ratio(1, 2), whole(1)];
    let priors = match adjacency {
        AddRemove => independent_grid(people, &beliefs),
        ReplaceOne => sized_grid(people, &beliefs),
    };
    let (mut lifted, mut attained) = (0, 0);
    for mechanism in Mechanism::several(people, rounds, &mut dice) {
        let answers = mechanism.row(0).len();
        let kernel: Vec<Vec<Rational>> = (0..answers).map(|_| dice.distribution(2, 0, 3)).collect();
        for t in 0..people {
            for about in BOTH {
                let bounds = hull(&mechanism, t, about, adjacency);
                for shown in [mechanism.clone(), mechanism.then(&kernel)] {
                    for prior in &priors {
                        let Some(pair) = evidence(&shown, prior, t, about) else { continue };
                        let belief = prior.belief(t);
                        let belief = if about == About::Presence { belief } else { whole(1) - belief };
                        lifted += check_beliefs(&pair, &belief, &bounds);
                        assert!(bounds.dominates(&pair.curve()), "{shown:?} {prior:?}");
                        attained += usize::from(bounds == pair.curve());
                    }
                }
            }
        }
    }
    assert!(lifted > 100 && attained > 10, "{lifted} lifted, {attained} attained");
}

#[test]
fn beliefs_of_independent_people_are_bounded_but_for_a_chance() {
    beliefs_are_bounded(2, 8, AddRemove, 481);
    beliefs_are_bounded(3, 3, AddRemove, 482);
}

#[test]
fn beliefs_of_people_of_a_public_size_are_bounded_but_for_a_chance() {
    beliefs_are_bounded(2, 8, ReplaceOne, 483);
    beliefs_are_bounded(3, 3, ReplaceOne, 484);
}

/// An observer who is unsure of another person tosses the coin that decides an event.
#[test]
fn a_coin_decides_events_of_a_finite_mechanism() {
    let chances = [ratio(1, 4), ratio(3, 4), ratio(3, 4), ratio(11, 12)];
    let mechanism = Mechanism::yes(2, |data| chances[data].clone());
    let bounds = hull(&mechanism, 0, About::Presence, AddRemove);
    let prior = Prior::independent(&[ratio(1, 2), ratio(3, 10)]);
    let pair = evidence(&mechanism, &prior, 0, About::Presence).unwrap();
    // Odds of exactly 2 for the first answer, so that any smaller odds are exceeded with a chance of 4/5.
    assert_eq!(pair.0[0], (ratio(4, 5), ratio(2, 5)));
    assert_eq!(bounds.beta(&whole(2)), ratio(4, 5));
    assert!(check_beliefs(&pair, &ratio(1, 2), &bounds) > 0);
    // By events of the neighbours alone it would be 3/4.
    let pairs = neighbours(2, 0, About::Presence, AddRemove);
    let events = pairs.iter().map(|(one, other)| rows(&mechanism, *one, *other).tail(&whole(2))).max().unwrap();
    assert_eq!(events, ratio(3, 4));
}

#[test]
fn the_slack_rule_is_an_equality() {
    let mut dice = Dice::new(485);
    let mut pairs: Vec<Pair> = (0..40)
        .map(|_| Pair(dice.distribution(4, 0, 9).into_iter().zip(dice.distribution(4, 0, 9)).collect()))
        .collect();
    pairs.extend([2, 3, 9].map(|odds| Pair::coin(&whole(odds)).times(3)));
    let mut smaller = 0;
    for pair in &pairs {
        let curve = pair.curve();
        for at in 1..40 {
            let odds = ratio(at * at, 16) + ratio(1, 97);
            assert_eq!(curve.slack(&odds), curve.beta(&odds), "{pair:?} at {odds}");
            smaller += usize::from(curve.delta(&odds) < curve.beta(&odds));
        }
    }
    assert!(smaller > 100, "{smaller}");
}

/// E-7: odds above 3 with a chance of 1/100; with two answers merged, with a chance of 51/100.
#[test]
fn the_tail_of_the_loss_grows_under_processing() {
    let full = Pair(vec![(ratio(1, 100), whole(0)), (ratio(1, 2), ratio(1, 6)), (ratio(49, 100), ratio(5, 6))]);
    let merged = Pair(vec![(ratio(51, 100), ratio(1, 6)), (ratio(49, 100), ratio(5, 6))]);
    let three = whole(3);
    assert_eq!((full.tail(&three), merged.tail(&three)), (ratio(1, 100), ratio(51, 100)));
    assert_eq!(&merged.0[0].0 / &merged.0[0].1, ratio(153, 50));
    // β* of the full answers bounds the processed ones; it does not change here but for events that a coin decides.
    let (beta, processed) = (full.curve().beta(&three), merged.curve().beta(&three));
    assert!(beta >= ratio(51, 100) && beta >= processed && processed >= ratio(51, 100), "{beta} {processed}");
}

#[test]
fn hockey_stick_tail_and_beta_are_in_this_order() {
    let mut dice = Dice::new(486);
    let mut strict = 0;
    for _ in 0..200 {
        let pair = Pair(dice.distribution(4, 0, 9).into_iter().zip(dice.distribution(4, 0, 9)).collect());
        for odds in [ratio(11, 10), whole(2), ratio(7, 2)] {
            let (delta, tail, beta) = (pair.curve().delta(&odds), pair.tail(&odds), pair.curve().beta(&odds));
            assert!(delta <= tail && tail <= beta, "{pair:?} at {odds}");
            strict += usize::from(delta < tail && tail < beta);
        }
    }
    assert!(strict > 50, "{strict}");
}
