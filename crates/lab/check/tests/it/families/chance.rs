//! Odds that are exceeded with a chance, against all events of all pairs, and against observers who are uncertain about
//! others (B-7, E-7).

use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::{exchanged, pairs};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::{Notion, Reading};
use deniable_check::verdict::{Value, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{Signed, Zero};

const BOTH: [Adjacency; 2] = [Adjacency::AddRemove, Adjacency::ReplaceOne];

/// The probabilities of every output at both datasets.
type Pair = Vec<(Rational, Rational)>;

fn neighbours(mechanism: &Mechanism, adjacency: Adjacency) -> Vec<(Dataset, Dataset)> {
    let near = |a: u32, b: u32| match adjacency {
        Adjacency::AddRemove => (a ^ b).count_ones() == 1,
        Adjacency::ReplaceOne => exchanged(a, b),
    };
    pairs(mechanism).filter(|(a, b)| near(*a, *b)).collect()
}

fn outputs_of(mechanism: &Mechanism, a: Dataset, b: Dataset) -> Pair {
    let at = |output| (mechanism.probability(output, a), mechanism.probability(output, b));
    (0..mechanism.outputs().len()).map(at).collect()
}

/// The largest probability of an event of larger odds: all sets of outputs, and one more output in part.
fn plain(pair: &Pair, odds: &Rational) -> Rational {
    if pair.iter().all(|(top, bottom)| *top <= odds * bottom) {
        return Rational::zero();
    }
    let mut largest = Rational::zero();
    for event in 0..1_u32 << pair.len() {
        let has = |at: &usize| event >> at & 1 == 1;
        let sums = (0..pair.len())
            .filter(has)
            .fold((whole(0), whole(0)), |(top, bottom), at| (top + &pair[at].0, bottom + &pair[at].1));
        let surplus = &sums.0 - odds * &sums.1;
        if surplus.is_negative() {
            continue;
        }
        largest = largest.max(sums.0.clone());
        for at in (0..pair.len()).filter(|at| !has(at)) {
            let loss = odds * &pair[at].1 - &pair[at].0;
            if loss > surplus {
                largest = largest.max(&sums.0 + &pair[at].0 * &surplus / loss);
            }
        }
    }
    largest
}

/// The pair that an observer sees who gives each other person one of these priors.
fn seen(mechanism: &Mechanism, person: usize, beliefs: &[Rational]) -> Pair {
    let one = whole(1);
    let mut all = vec![(Rational::zero(), Rational::zero()); mechanism.outputs().len()];
    for others in (0..1_u32 << mechanism.size()).filter(|others| others >> person & 1 == 0) {
        let weights = (0..mechanism.size()).filter(|at| *at != person);
        let weight: Rational =
            weights.map(|at| if others >> at & 1 == 1 { beliefs[at].clone() } else { &one - &beliefs[at] }).product();
        for (output, (with, without)) in all.iter_mut().enumerate() {
            *with += &weight * mechanism.probability(output, others | 1 << person);
            *without += &weight * mechanism.probability(output, others);
        }
    }
    all
}

#[test]
fn the_chance_is_that_of_the_worst_event_and_holds_for_uncertain_observers() {
    let mut dice = Dice::new(47);
    let (mut brackets, mut above) = (0, 0);
    for round in 0..60 {
        let mechanism = dice.partial(2 + round % 2, 2 + round % 3, [0, 5, 2][round % 3], 0);
        for adjacency in BOTH {
            let all = neighbours(&mechanism, adjacency);
            for odds in [whole(1), ratio(5, 4), whole(2), whole(4)] {
                let notion = Notion::ButFor { adjacency, odds: odds.clone(), reading: Reading::Event };
                let verdict = decide(&mechanism, &notion, &Family::All).unwrap();
                let worst = all.iter().map(|(a, b)| plain(&outputs_of(&mechanism, *a, *b), &odds)).max();
                let Some(worst) = worst else {
                    assert_eq!(verdict.value, Value::Vacuous(Bound::Finite(whole(0))));
                    continue;
                };
                assert_eq!(verdict.value.low(), &Bound::Finite(worst.clone()), "round {round}, odds {odds}");
                let Bound::Finite(high) = verdict.value.high() else { panic!("a chance is finite") };
                match verdict.witness {
                    None => assert!(worst.is_zero()),
                    Some(Witness::Event { outputs, partly, more, less, probabilities }) => {
                        let pair = outputs_of(&mechanism, more, less);
                        let whole_ones = outputs.iter().map(|at| (whole(1), &pair[*at]));
                        let parts = partly.iter().map(|(at, part)| (part.clone(), &pair[*at]));
                        let sums = whole_ones.chain(parts).fold((whole(0), whole(0)), |sum, (part, one)| {
                            (sum.0 + &part * &one.0, sum.1 + part * &one.1)
                        });
                        assert!(sums == probabilities && sums.0 == worst && sums.0 >= &odds * &sums.1);
                    }
                    Some(other) => panic!("{other:?}"),
                }
                brackets += u32::from(*high > worst);
                if adjacency == Adjacency::ReplaceOne || round % 3 != 0 {
                    continue;
                }
                // Tables with all datasets: observers of independent people.
                for _ in 0..4 {
                    let beliefs: Vec<Rational> = (0..mechanism.size()).map(|_| ratio(dice.between(0, 8), 8)).collect();
                    for person in 0..mechanism.size() {
                        let pair = seen(&mechanism, person, &beliefs);
                        let back = pair.iter().map(|(with, without)| (without.clone(), with.clone())).collect();
                        for pair in [pair, back] {
                            let chance = plain(&pair, &odds);
                            assert!(chance <= *high, "round {round}, odds {odds}: {chance} above {high}");
                            above += u32::from(chance > worst);
                        }
                    }
                }
            }
        }
    }
    // The observers who are certain about others are not always the worst.
    assert!(brackets > 5 && above > 0, "{brackets}, {above}");
}

#[test]
fn the_tail_is_of_single_outputs_and_between_the_hockey_stick_and_the_chance() {
    let mut dice = Dice::new(48);
    for round in 0..40 {
        let mechanism = dice.partial(2 + round % 2, 2 + round % 4, [0, 5, 2][round % 3], [0, 4][round / 3 % 2]);
        for (adjacency, odds) in BOTH.into_iter().flat_map(|one| [(one, whole(1)), (one, ratio(3, 2)), (one, whole(4))])
        {
            let of = |reading| {
                let notion = Notion::ButFor { adjacency, odds: odds.clone(), reading };
                decide(&mechanism, &notion, &Family::All).unwrap().value
            };
            let (tail, chance) = (of(Reading::Output), of(Reading::Event));
            let above = |(a, b): &(Dataset, Dataset)| -> Rational {
                let pair = outputs_of(&mechanism, *a, *b);
                pair.into_iter().filter(|(top, bottom)| *top > &odds * bottom).map(|(top, _)| top).sum()
            };
            let all = neighbours(&mechanism, adjacency);
            if let Some(largest) = all.iter().map(above).max() {
                assert_eq!(tail, Value::Attained(Bound::Finite(largest)));
                assert!(tail.high() <= chance.low());
            }
        }
    }
}

/// The example of E-7: merging two outputs lifts the tail from 1/100 to 51/100; the chance is above both.
#[test]
fn computation_lifts_the_tail_and_not_the_chance() {
    let row = |parts: [(i64, i64); 3]| Some(parts.map(|(top, bottom)| ratio(top, bottom)).to_vec());
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let rows = vec![row([(0, 1), (1, 6), (5, 6)]), row([(1, 100), (1, 2), (49, 100)])];
    let mechanism = Mechanism::partial(vec!["ann".to_owned()], names, rows).unwrap();
    let of = |reading| {
        let notion = Notion::ButFor { adjacency: Adjacency::AddRemove, odds: whole(3), reading };
        decide(&mechanism, &notion, &Family::All).unwrap()
    };
    assert_eq!(of(Reading::Output).value, Value::Attained(Bound::Finite(ratio(1, 100))));
    let chance = of(Reading::Event);
    let Bound::Finite(least) = chance.value.low() else { panic!("a chance is finite") };
    assert!(*least > ratio(51, 100) && *least < ratio(52, 100), "{least}");
    let line = chance.witness.unwrap().line(&mechanism);
    assert!(line.starts_with("Pr[a or b or ") && line.contains(" of c | {ann}]"), "{line}");
    let low = Notion::ButFor { adjacency: Adjacency::AddRemove, odds: ratio(1, 2), reading: Reading::Event };
    assert!(matches!(decide(&mechanism, &low, &Family::All), Err(CheckError::OutOfRange { .. })));
}
