//! (ε,δ)-differential privacy against all events of all pairs.

use super::world::attained;
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::{exchanged, pairs};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{FixedParameter, Notion};
use deniable_check::verdict::{Value, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;

/// `Pr[E|T1]` and `Pr[E|T2]` of all events and neighbours.
fn events(mechanism: &Mechanism, adjacency: Adjacency) -> Vec<(Rational, Rational)> {
    let near = |a: u32, b: u32| match adjacency {
        Adjacency::AddRemove => (a ^ b).count_ones() == 1,
        Adjacency::ReplaceOne => exchanged(a, b),
    };
    let chance = |event: u32, data| {
        let each = (0..mechanism.outputs().len()).filter(|output| event >> output & 1 == 1);
        each.map(|output| mechanism.probability(output, data)).sum::<Rational>()
    };
    let mut all = vec![];
    for (a, b) in pairs(mechanism).filter(|(a, b)| near(*a, *b)) {
        all.extend((0..1 << mechanism.outputs().len()).map(|event| (chance(event, a), chance(event, b))));
    }
    all
}

fn ask(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    given: FixedParameter,
) -> Result<(Value, Option<(Rational, Rational)>), CheckError> {
    let verdict = decide(mechanism, &Notion::Approximate { adjacency, given }, &Family::All)?;
    let event = verdict.witness.map(|witness| {
        let line = witness.line(mechanism);
        let Witness::Event { outputs, partly: None, more, less, probabilities } = witness else { panic!("{line}") };
        let chance = |data| outputs.iter().map(|output| mechanism.probability(*output, data)).sum::<Rational>();
        assert_eq!(probabilities, (chance(more), chance(less)));
        probabilities
    });
    Ok((verdict.value, event))
}

#[test]
fn delta_and_odds_are_those_of_the_worst_event() {
    let mut dice = Dice::new(41);
    let (mut infinite, mut free) = (0, 0);
    for round in 0..40 {
        let mechanism = dice.partial(2 + round % 2, 2 + round % 4, [0, 5, 2][round % 3], [0, 4][round / 3 % 2]);
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            let events = events(&mechanism, adjacency);
            for odds in [whole(1), ratio(3, 2), whole(2), whole(5)] {
                let plain =
                    events.iter().map(|(top, bottom)| top - &odds * bottom).max().unwrap_or_else(Rational::zero);
                let (value, event) = ask(&mechanism, adjacency, FixedParameter::Odds(odds.clone())).unwrap();
                let plain_value = Bound::Finite(plain.clone());
                assert_eq!(value, if events.is_empty() { Value::Vacuous(plain_value) } else { attained(plain_value) });
                let shown = event.map_or_else(Rational::zero, |(top, bottom)| top - odds * bottom);
                assert_eq!(shown, plain);
            }
            for delta in [whole(0), ratio(1, 100), ratio(1, 10), ratio(1, 3), whole(1)] {
                let needs = |(top, bottom): &(Rational, Rational)| {
                    let over = top - &delta;
                    if over <= whole(0) { None } else { Bound::of(&over, bottom) }
                };
                let plain = events.iter().filter_map(needs).max().unwrap_or_else(Bound::one).max(Bound::one());
                let (value, event) = ask(&mechanism, adjacency, FixedParameter::Delta(delta.clone())).unwrap();
                let none = events.is_empty();
                assert_eq!(value, if none { Value::Vacuous(plain.clone()) } else { attained(plain.clone()) });
                assert_eq!(event.as_ref().and_then(needs).unwrap_or_else(Bound::one), plain);
                infinite += u32::from(plain == Bound::Infinite);
                free += u32::from(plain == Bound::one());
                // Both directions: at these odds the δ holds, at smaller ones it does not.
                if let Bound::Finite(odds) = plain {
                    let back = |odds| {
                        ask(&mechanism, adjacency, FixedParameter::Odds(odds))
                            .unwrap()
                            .0
                            .high()
                            .finite()
                            .unwrap()
                            .clone()
                    };
                    assert!(back(odds.clone()) <= delta);
                    let fewer = &odds - ratio(1, 1_000_000);
                    assert!(fewer < whole(1) || back(fewer) > delta);
                }
            }
        }
    }
    assert!(infinite > 20 && free > 20, "{infinite} infinite, {free} free");
}

#[test]
fn without_delta_it_is_plain_differential_privacy() {
    for mechanism in Dice::new(42).several(4, 12) {
        for (adjacency, notion) in [
            (Adjacency::AddRemove, Notion::Unbounded { sign: deniable_check::notion::Sign::Both }),
            (Adjacency::ReplaceOne, Notion::Bounded),
        ] {
            let plain = decide(&mechanism, &notion, &Family::All).unwrap().value;
            assert_eq!(ask(&mechanism, adjacency, FixedParameter::Delta(whole(0))).unwrap().0, plain);
        }
    }
}

#[test]
fn published_examples_and_invalid_parameters() {
    // With probability 1/10 the dataset is published, otherwise one bit is flipped with probability 1/4.
    let chance = |data: u32, output: usize| match output {
        0 | 1 if data as usize == output => ratio(9, 10) * ratio(3, 4),
        0 | 1 => ratio(9, 10) * ratio(1, 4),
        _ if data as usize == output - 2 => ratio(1, 10),
        _ => whole(0),
    };
    let mechanism = Mechanism::from_fn(1, &["no", "yes", "really no", "really yes"], chance).unwrap();
    let (value, event) = ask(&mechanism, Adjacency::AddRemove, FixedParameter::Odds(whole(3))).unwrap();
    assert_eq!((value, event), (attained(Bound::Finite(ratio(1, 10))), Some((ratio(1, 10), whole(0)))));
    assert_eq!(
        ask(&mechanism, Adjacency::AddRemove, FixedParameter::Delta(ratio(1, 10))).unwrap().0,
        attained(Bound::Finite(whole(3)))
    );
    assert_eq!(
        ask(&mechanism, Adjacency::AddRemove, FixedParameter::Delta(ratio(1, 20))).unwrap().0,
        attained(Bound::Infinite)
    );
    // Ratios beyond the range of floats are compared too.
    let tiny = deniable_core::exact::power(&ratio(1, 10), 400);
    let rare = |data: u32, output: usize| {
        let rare = if data == 1 { &tiny * &tiny } else { tiny.clone() };
        if output == 0 { rare } else { whole(1) - rare }
    };
    let mechanism = Mechanism::from_fn(1, &["rare", "other"], rare).unwrap();
    assert_eq!(
        ask(&mechanism, Adjacency::AddRemove, FixedParameter::Delta(whole(0))).unwrap().0,
        attained(Bound::Finite(tiny.recip()))
    );
    let refused = |given| ask(&mechanism, Adjacency::AddRemove, given).unwrap_err().to_string();
    assert_eq!(refused(FixedParameter::Odds(ratio(1, 2))), "`odds` = 1/2 must be at least 1");
    assert_eq!(refused(FixedParameter::Delta(whole(2))), "`delta` = 2 must be from 0 to 1");
}
