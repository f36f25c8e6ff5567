//! E-1, E-3 and E-4: statements that fail as published, and the corrected ones.

use super::prior::Prior;
use super::world::{About, Bound, Dataset, Mechanism, finite};
use deniable_core::adversary::Adjacency::AddRemove;
use deniable_core::adversary::PriorRange;
use deniable_core::belief::posterior;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;

/// Every person is in with probability 1/2.
fn even(people: usize) -> Prior {
    Prior::independent(&vec![ratio(1, 2); people])
}

/// The k-Max mechanism's treatment of the empty dataset.
#[derive(Clone, Copy, PartialEq)]
enum Empty {
    /// A separate answer, as published.
    Own,
    /// As if only the lowest person were in.
    RankOne,
}

/// k-Max over people in order of value: a random rank out of the `k` from `rank(data)` upwards, or of the highest `k`.
fn k_max_by(people: usize, k: usize, empty: Empty, rank: impl Fn(Dataset) -> usize) -> Mechanism {
    Mechanism::new(people, |data| {
        let lowest = if data == 0 { 0 } else { rank(data).min(people - k) };
        let own = data == 0 && empty == Empty::Own;
        let chance =
            |place| if !own && (lowest..lowest + k).contains(&place) { ratio(1, 1) / whole(k) } else { whole(0) };
        (0..people).map(chance).chain([whole(u8::from(own))]).collect()
    })
}

/// The usual rank: the place of the largest member.
fn k_max(people: usize, k: usize, empty: Empty) -> Mechanism {
    k_max_by(people, k, empty, |data| data.ilog2() as usize)
}

#[test]
fn k_max_with_an_answer_for_the_empty_dataset_protects_nothing() {
    let mechanism = k_max(3, 2, Empty::Own);
    assert_eq!(mechanism.gain(&even(3), 0, About::Presence), Some(Bound::Infinite), "the lowest person");
    // The lowest answer occurs only if the lowest person is alone.
    let lowest: Vec<Dataset> = (0..8).filter(|data| mechanism.row(*data)[0] != whole(0)).collect();
    assert_eq!(lowest, [0b001]);
    for (people, k) in [(4, 2), (4, 3), (6, 4)] {
        assert_eq!(k_max(people, k, Empty::Own).worst_gain(&even(people), About::Presence), Some(Bound::Infinite));
    }
}

#[test]
fn k_max_with_the_empty_dataset_at_rank_one_has_the_published_gain() {
    for (k, published) in [(2, ratio(3, 2)), (3, ratio(7, 6)), (4, ratio(15, 14))] {
        let power: i64 = 1 << k;
        assert_eq!(published, ratio(power - 1, power - 2));
        for people in k + 1..=8 {
            let gain = k_max(people, k, Empty::RankOne).worst_gain(&even(people), About::Presence);
            assert_eq!(gain, Some(Bound::Finite(published.clone())), "{people} people, k = {k}");
        }
        // With k people every answer is equally likely for all datasets; about absence there is no promise.
        assert_eq!(k_max(k, k, Empty::RankOne).worst_gain(&even(k), About::Presence), Some(finite(1, 1)));
        let absence = k_max(k + 1, k, Empty::RankOne).worst_gain(&even(k + 1), About::Absence);
        assert_eq!(absence, Some(Bound::Infinite));
    }
}

/// Values 0, 0 and 1, visible as values: ranking a tie by its first place lets the answer 1 prove that person 2 is in.
#[test]
fn k_max_breaks_ties_by_a_fixed_order_of_people() {
    let seen =
        vec![vec![whole(1), whole(0)], vec![whole(1), whole(0)], vec![whole(0), whole(1)], vec![whole(1), whole(0)]];
    let first_of_a_tie = |data: Dataset| if data >> 2 == 1 { 2 } else { 0 };
    let tied = k_max_by(3, 2, Empty::RankOne, first_of_a_tie).then(&seen);
    assert_eq!(tied.gain(&even(3), 2, About::Presence), Some(Bound::Infinite));
    let ordered = k_max(3, 2, Empty::RankOne).then(&seen);
    assert!(ordered.worst_gain(&even(3), About::Presence) <= Some(finite(3, 2)));
}

#[test]
fn membership_privacy_under_one_prior_does_not_compose() {
    let any = |mask: Dataset| Mechanism::exact(3, 2, move |data| usize::from(data & mask != 0));
    let (first, second) = (any(0b011), any(0b101));
    for one in [&first, &second] {
        assert_eq!(one.worst_gain(&even(3), About::Presence), Some(finite(3, 2)));
    }
    let both = first.and(&second);
    assert_eq!(both.gain(&even(3), 2, About::Presence), Some(Bound::Infinite));
    // Without person 0, "no" and "yes" leave person 2 as the only possibility.
    let left: Vec<Dataset> = (0..8).filter(|data| both.row(*data)[1] == whole(1)).collect();
    assert!(!left.is_empty() && left.iter().all(|data| *data == 0b100));
    // For every pair of neighbours neither answer had a bound, so there was nothing to multiply.
    assert_eq!((first.odds(AddRemove), second.odds(AddRemove)), (Bound::Infinite, Bound::Infinite));
}

/// A likelihood ratio of `odds` about a single person, in both directions.
fn response(odds: &Rational) -> Mechanism {
    Mechanism::yes(1, |data| if data == 1 { odds / (whole(1) + odds) } else { (whole(1) + odds).recip() })
}

/// The highest belief after two answers of the mechanism.
fn after_two(mechanism: &Mechanism, prior: &Rational) -> Rational {
    let twice = mechanism.and(mechanism);
    match twice.likelihood(&Prior::independent(std::slice::from_ref(prior)), 0, About::Presence) {
        Some(Bound::Finite(odds)) => posterior(prior, &odds),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bounded_prior_promise_is_for_one_release() {
    let half = ratio(1, 2);
    let range = PriorRange::new(None, Some(half.clone())).unwrap();
    let ceiling = Promise::PosteriorAtMost(ratio(3, 4));
    let total = ceiling.largest_odds(&range).unwrap();
    let odds = total.exact_odds().unwrap();
    assert_eq!(odds, whole(3));

    // One release keeps the promise exactly; a second of the same kind breaks it.
    let each = response(&odds);
    assert_eq!(each.odds(AddRemove), finite(3, 1));
    assert_eq!(posterior(&half, &odds), ratio(3, 4));
    assert_eq!(after_two(&each, &half), ratio(9, 10));
    // After the first, the belief is outside the interval to which the second was calibrated.
    assert!(posterior(&half, &odds) > *range.high());

    // The budget refuses it too, and two releases that fit keep the promise.
    assert!(total.fits(&total).unwrap());
    assert!(!total.and(&total).fits(&total).unwrap());
    let smaller = ratio(17, 10);
    assert!(after_two(&response(&smaller), &half) <= ratio(3, 4), "17/10 squared is below 3");
}

/// The same for a gain: "at most doubled" at prior 1/2 allows 3 once, but 9 has no γ below 5.
#[test]
fn a_bounded_prior_gain_is_for_one_release() {
    let half = ratio(1, 2);
    let range = PriorRange::new(Some(half.clone()), Some(half.clone())).unwrap();
    let odds = Promise::Gain(whole(2)).largest_odds(&range).unwrap().exact_odds().unwrap();
    let (once, prior) = (response(&odds), Prior::independent(&[half]));
    assert_eq!(once.gain(&prior, 0, About::Presence), Some(finite(2, 1)));
    assert_eq!(once.and(&once).gain(&prior, 0, About::Presence), Some(finite(5, 1)));
}
