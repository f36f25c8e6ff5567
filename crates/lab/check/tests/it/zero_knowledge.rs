//! Zero-knowledge privacy with k random rows (I-ZKP): brackets with proofs, against plain definitions.

use super::common::dice::Dice;
use super::common::mechanisms::{apart, exact, mechanism, row, yes};
use super::common::{self, dp, value, zero_knowledge};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Notion;
use deniable_check::verdict::{Value, Witness};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_testing::sized;

fn finite(bound: &Bound) -> &Rational {
    bound.finite().unwrap()
}

#[test]
fn the_root_of_two_is_bracketed() {
    // (½,½) and (¼,¾): the simulator sees no member, and its answer is between the two.
    let coin = mechanism(1, 2, |data| if data == 0 { vec![ratio(1, 2); 2] } else { vec![ratio(1, 4), ratio(3, 4)] });
    for rows in 0..3 {
        let (low, high) = zero_knowledge(&coin, rows);
        assert!(finite(&low) * finite(&low) < whole(2) && whole(2) < finite(&high) * finite(&high));
    }
    assert_eq!(dp(&coin), Bound::Finite(whole(2)), "(√2)² is needed");
}

#[test]
fn exact_values_are_exact() {
    let attained = |mechanism: &Mechanism, rows| value(mechanism, &Notion::ZeroKnowledge { rows });
    for rows in 0..4 {
        // A constant distribution is simulated exactly.
        let nothing = mechanism(3, 2, |_| vec![ratio(1, 3), ratio(2, 3)]);
        assert_eq!(attained(&nothing, rows), Bound::one());
        // No simulator is within a finite factor of the exact size.
        assert_eq!(attained(&exact(3, 4, |data| data.count_ones() as usize), rows), Bound::Infinite);
    }
    // (½,½) and (1/8,7/8): the root of 4.
    let four = mechanism(1, 2, |data| if data == 0 { vec![ratio(1, 2); 2] } else { vec![ratio(1, 8), ratio(7, 8)] });
    assert_eq!(attained(&four, 1), Bound::Finite(whole(2)));
    // Three independent answers of three people, of whom one is sampled: weights in simple fractions prove exactly
    // 16/5.
    let answers = mechanism(3, 8, |data| {
        let each =
            |answer: u32| (0..3).map(move |t| if (answer ^ data) >> t & 1 == 0 { ratio(3, 4) } else { ratio(1, 4) });
        (0..8).map(|answer| each(answer).product()).collect()
    });
    assert_eq!(zero_knowledge(&answers, 1).0, Bound::Finite(ratio(16, 5)));
    // Without a sample: eight answers, each of probability 1/64 somewhere, 1/Σ min = 8. With a full sample: 1/(1/4 +
    // 1/4).
    assert_eq!((attained(&answers, 0), attained(&answers, 2)), (Bound::Finite(whole(8)), Bound::Finite(whole(2))));
}

#[test]
fn three_kinds_of_impossible_simulation_are_infinite() {
    let wrong = |mechanism: &Mechanism, rows| assert_eq!(zero_knowledge(mechanism, rows).1, Bound::Infinite);
    // A dataset forbids its neighbour's answer.
    wrong(&exact(2, 2, |data| (data & 1) as usize), 1);
    // One of three members is sampled. With `a` in the sample the answer must be able to name `a`; with all in, it
    // never may.
    let alone = mechanism(3, 2, |data| match data.count_ones() {
        0 | 3 => vec![whole(1), whole(0)],
        _ => vec![ratio(1, 2), ratio(1, 2)],
    });
    wrong(&alone, 1);
    // For every sample, each answer is forbidden by some larger dataset.
    let every = mechanism(4, 3, |data| match data.count_ones() {
        0..=2 => vec![whole(1), whole(0), whole(0)],
        _ => vec![whole(0), ratio(1, 2), ratio(1, 2)],
    });
    wrong(&every, 1);
    // If all datasets share the zeros, there is a simulator.
    let shared = mechanism(3, 3, |data| vec![whole(0), ratio(1 + i64::from(data), 9), ratio(8 - i64::from(data), 9)]);
    assert!(zero_knowledge(&shared, 1).1 < Bound::Finite(whole(8)));
}

/// With a full sample, the definition concerns each dataset of the others alone: two-sided, three terms.
#[test]
fn full_samples_agree_with_the_closed_form() {
    let mut dice = Dice::new(51);
    for number in 0..20 {
        let mechanism = dice.mechanism(3, 2 + number % 3, 1, 9);
        let mut square = whole(1);
        for t in 0..3 {
            for others in (0..8_u32).filter(|data| data >> t & 1 == 0) {
                let (p, q) = (row(&mechanism, others), row(&mechanism, others | 1 << t));
                let most: Rational = p.iter().zip(&q).map(|(p, q)| p.max(q).clone()).sum();
                let least: Rational = p.iter().zip(&q).map(|(p, q)| p.min(q).clone()).sum();
                square = square.max(&most * &most).max((&least * &least).recip());
                square = square.max(finite(&apart(&mechanism, others, others | 1 << t)).clone());
            }
        }
        let (low, high) = zero_knowledge(&mechanism, 2);
        assert!(finite(&low) * finite(&low) <= square && square <= finite(&high) * finite(&high));
        assert_eq!(zero_knowledge(&mechanism, 7), (low, high), "more than all is all");
    }
}

/// The range of the probability with which a simulator of two answers returns the first, such that it is within the
/// odds for both datasets; `None` if the range is empty. Each dataset gives four inequalities.
fn within(mechanism: &Mechanism, datasets: [u32; 2], odds: &Rational) -> Option<[Rational; 2]> {
    let [mut low, mut high] = [whole(0), whole(1)];
    for data in datasets {
        let yes = mechanism.probability(0, data);
        let no = whole(1) - &yes;
        // yes/R ≤ s ≤ R·yes, and the same for 1 − s.
        low = low.max(&yes / odds).max(whole(1) - &no * odds);
        high = high.min(&yes * odds).min(whole(1) - &no / odds);
    }
    (low <= high).then_some([low, high])
}

/// Whether, for every entity, some simulator is within the odds, if it sees each of two samples with equal probability
/// where all others are in.
fn is_simulated(mechanism: &Mechanism, odds: &Rational, free: impl Fn(usize) -> [Option<u32>; 2]) -> bool {
    (0..mechanism.size()).all(|t| {
        let of = |others: u32| within(mechanism, [others, others | 1 << t], odds);
        let all = (0..1_u32 << mechanism.size()).filter(|others| others >> t & 1 == 0 && others.count_ones() > 0);
        let largest = all.max_by_key(|others| others.count_ones()).unwrap_or(0);
        // The simulator's answer at either sample, within the bounds of the dataset that yields only this sample, if
        // there is one.
        let sights = free(t).map(|alone| match alone {
            Some(others) => of(others),
            None => Some([whole(0), whole(1)]),
        });
        let ([Some(first), Some(second)], Some(both), Some(_)) = (sights, of(largest), of(0)) else { return false };
        let mean = [0, 1].map(|end| (&first[end] + &second[end]) / whole(2));
        mean[0] <= both[1] && both[0] <= mean[1]
    })
}

/// The bracket contains the least odds with a simulator, and is narrow.
fn holds_the_least(mechanism: &Mechanism, (low, high): (&Bound, &Bound), free: impl Fn(usize) -> [Option<u32>; 2]) {
    let (low, high) = (finite(low), finite(high));
    let near = ratio(1, 10_000_000);
    assert!(low <= high && high - low < low * &near, "{low} {high}");
    assert!(is_simulated(mechanism, &(high * (whole(1) + &near)), &free), "{mechanism:?} {high}");
    assert!(!is_simulated(mechanism, &(low * (whole(1) - &near)), &free), "{mechanism:?} {low}");
}

/// Two answers and a sample of one of two others, compared with all simulators. The answer at each sample must fit that
/// entity alone, and the mean of both answers must fit both entities.
#[test]
fn no_simulator_of_one_member_is_better() {
    let mut dice = Dice::new(deniable_testing::seed(52));
    for _ in 0..sized(30, 200) {
        let mechanism = dice.mechanism(3, 2, 2, 9);
        let (low, high) = zero_knowledge(&mechanism, 1);
        holds_the_least(&mechanism, (&low, &high), |t| {
            let mut others = (0..3).filter(|other| *other != t).map(|other| 1 << other);
            [others.next(), others.next()]
        });
    }
}

#[test]
fn more_rows_are_never_worse() {
    let mut dice = Dice::new(53);
    let mut widest = whole(0);
    for number in 0..sized(8, 24) {
        // Every fourth has zeros.
        let mechanism = dice.mechanism(4, 2 + number % 3, i64::from(number % 4 != 0), 9);
        let brackets: Vec<(Bound, Bound)> = (0..4).map(|rows| zero_knowledge(&mechanism, rows)).collect();
        // A simulator that sees k rows can ignore a random one.
        assert!(brackets.windows(2).all(|pair| pair[1].0 <= pair[0].1), "{brackets:?}");
        for (low, high) in &brackets {
            if let (Bound::Finite(low), Bound::Finite(high)) = (low, high) {
                widest = widest.max((high - low) / low);
            }
        }
    }
    assert!(widest < ratio(1, 10_000_000), "{widest}");
}

#[test]
fn small_probabilities_and_larger_universes() {
    let mut dice = Dice::new(54);
    // Probabilities down to about 10⁻⁶, on six entities.
    let rare = mechanism(5, 3, |_| {
        let weights = [1, dice.between(1, 1000), dice.between(1, 1_000_000)];
        weights.iter().map(|weight| ratio(*weight, weights.iter().sum())).collect()
    });
    for rows in 0..5 {
        zero_knowledge(&rare, rows);
    }
    let noisy = yes(6, |data| ratio(2 + i64::from(data.count_ones()), 10));
    let values: Vec<Bound> = (0..6).map(|rows| zero_knowledge(&noisy, rows).0).collect();
    assert!(values.windows(2).all(|pair| pair[1] <= pair[0]), "{values:?}");
}

#[test]
fn proofs_do_not_prove_more_than_is_true() {
    let mut dice = Dice::new(55);
    let mechanism = dice.mechanism(4, 3, 1, 9);
    let (low, high) = zero_knowledge(&mechanism, 1);
    let verdict = common::verdict(&mechanism, &Notion::ZeroKnowledge { rows: 1 });
    assert!(matches!(verdict.value, Value::Between { .. }));
    let Some(Witness::Simulation(simulation)) = verdict.witness else { panic!("no simulation") };
    // Any other weights prove less, and any other simulator has a larger ratio.
    for _ in 0..40 {
        let mut other = simulation.clone();
        for weight in &mut other.weights {
            weight.above *= ratio(dice.between(0, 3), 2);
            weight.below *= ratio(dice.between(0, 3), 2);
        }
        assert!(other.lower(&mechanism) <= high);
        let entity = usize::try_from(dice.between(0, 3)).unwrap();
        let place = usize::try_from(dice.between(0, 4)).unwrap() % other.simulators[entity].len();
        other.simulators[entity][place].1 = dice.distribution(3, 0, 9);
        assert!(other.upper(&mechanism) >= low);
        other.simulators[entity][place].1[0] += whole(1);
        assert_eq!(other.upper(&mechanism), Bound::Infinite, "no distribution");
    }
    let mut negative = simulation.clone();
    negative.weights[0].above = whole(-1);
    assert_eq!(negative.lower(&mechanism), Bound::one());
    let mut short = *simulation;
    short.simulators[0].pop();
    assert_eq!(short.upper(&mechanism), Bound::Infinite);
}

#[test]
fn all_datasets_are_needed() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let half = Some(vec![ratio(1, 2); 2]);
    let partial = Mechanism::partial(names(&["a"]), names(&["x", "y"]), vec![half, None]).unwrap();
    let wrong = decide(&partial, &Notion::ZeroKnowledge { rows: 1 }, &Family::All);
    assert!(matches!(wrong, Err(CheckError::Missing { count: 1, .. })));
}

fn as_published(mechanism: &Mechanism, rows: usize) -> (Bound, Bound) {
    let verdict = decide(mechanism, &Notion::ZeroKnowledgeRows { rows }, &Family::All).unwrap();
    (verdict.value.low().clone(), verdict.value.high().clone())
}

/// I-ZKR: with no row or all rows in the sample, both definitions agree; in between, a simulator that sees a ⊥ does not
/// know which entity is absent.
#[test]
fn rows_of_absent_entities_are_visible() {
    let mut dice = Dice::new(55);
    for _ in 0..8 {
        let mechanism = dice.mechanism(3, 2, 1, 9);
        for (rows, members) in [(0, 0), (3, 2), (7, 2)] {
            assert_eq!(as_published(&mechanism, rows), zero_knowledge(&mechanism, members));
        }
        // A simulator that sees k rows can ignore a random one.
        let brackets: Vec<(Bound, Bound)> = (0..4).map(|rows| as_published(&mechanism, rows)).collect();
        assert!(brackets.windows(2).all(|pair| pair[1].0 <= pair[0].1), "{brackets:?}");
    }
    // Each member makes a no four times rarer. A simulator that sees both others answers between two datasets, at 2.
    // Two rows of three include a ⊥ if there is one, and with one member only ⊥ one time in three: the probability of
    // no for the empty dataset is then too large for one member, 1/(6R) ≤ R/32.
    let rarer = yes(3, |data| power(&ratio(1, 4), data.count_ones()) / whole(2));
    assert_eq!(value(&rarer, &Notion::ZeroKnowledge { rows: 2 }), Bound::Finite(whole(2)));
    let published = as_published(&rarer, 2);
    assert!(finite(&published.0) * finite(&published.0) > ratio(53, 10), "{published:?}");
}

/// Two entities and one row of two in the sample, by the published definition: at ⊥ the simulator must fit the empty
/// dataset, and where the other entity is in, it sees either sample with equal probability.
#[test]
fn no_simulator_of_one_row_is_better() {
    let mut dice = Dice::new(deniable_testing::seed(56));
    for _ in 0..sized(30, 200) {
        let mechanism = dice.mechanism(2, 2, 2, 9);
        let (low, high) = as_published(&mechanism, 1);
        holds_the_least(&mechanism, (&low, &high), |_| [Some(0), None]);
    }
}
