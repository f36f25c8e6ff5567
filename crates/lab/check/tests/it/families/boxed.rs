//! Independent entities, each with a range of its own.

use super::sized::membership;
use super::world::{attained, range, shown};
use crate::it::common::bayes::{BOTH, gain_at, outputs};
use crate::it::common::dice::{Dice, grid};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Direction;
use deniable_check::verdict::Value;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{One, Zero};

/// The largest gain about each entity over the ends of all ranges (0 and 1 for the others only).
fn at_ends(mechanism: &Mechanism, ranges: &[PriorRange], about: Direction) -> Bound {
    let mut worst = Bound::one();
    for choice in grid(ranges.len(), &[whole(0), whole(1)]) {
        let ends = choice.iter().zip(ranges).map(|(end, range)| if end.is_zero() { range.low() } else { range.high() });
        let table = Prior::Independent(ends.cloned().collect()).table();
        for t in 0..ranges.len() {
            for output in outputs(mechanism) {
                worst = worst.max(gain_at(mechanism, &table, t, output, about).unwrap_or_else(Bound::one));
            }
        }
    }
    worst
}

fn boxes(entities: usize) -> Vec<Vec<PriorRange>> {
    let some = [
        range((1, 10), (1, 2)),
        range((1, 3), (1, 3)),
        range((2, 5), (9, 10)),
        range((1, 100), (1, 5)),
        range((1, 2), (99, 100)),
    ];
    (0..5).map(|shift| (0..entities).map(|t| some[(t * 2 + shift) % 5].clone()).collect()).collect()
}

#[test]
fn the_worst_beliefs_are_ends_of_the_ranges() {
    let mut dice = Dice::new(21);
    for entities in 1..=4 {
        for ranges in boxes(entities) {
            for mechanism in dice.complete(entities, 6) {
                for about in BOTH {
                    let verdict = decide(&mechanism, &membership(about), &Family::Box(ranges.clone())).unwrap();
                    let plain = at_ends(&mechanism, &ranges, about);
                    assert_eq!(verdict.value, attained(plain.clone()));
                    assert_eq!(shown(&mechanism, &verdict, about), Some(plain.clone()));
                    // No prior inside the box is worse.
                    for _ in 0..6 {
                        let inside = ranges.iter().map(|range| {
                            let part = ratio(dice.between(0, 8), 8);
                            range.low() + (range.high() - range.low()) * part
                        });
                        let table = Prior::Independent(inside.collect()).table();
                        for t in 0..entities {
                            for output in outputs(&mechanism) {
                                assert!(gain_at(&mechanism, &table, t, output, about).is_none_or(|gain| gain <= plain));
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn ends_that_are_certainty_are_approached() {
    let mut dice = Dice::new(22);
    let mut approached = 0;
    for mechanism in dice.complete(3, 16) {
        for ranges in [
            vec![PriorRange::any(), range((1, 3), (1, 2)), PriorRange::any()],
            vec![range((0, 1), (1, 4)), range((3, 4), (1, 1)), range((1, 2), (1, 2))],
        ] {
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &Family::Box(ranges.clone())).unwrap();
                // Priors near certainty for the entity itself; the beliefs in the others may be certain.
                let near = |end: &Rational| {
                    if end.is_zero() {
                        ratio(1, 1 << 40)
                    } else if end.is_one() {
                        ratio((1 << 40) - 1, 1 << 40)
                    } else {
                        end.clone()
                    }
                };
                let mut plain = Bound::one();
                for choice in grid(3, &[whole(0), whole(1)]) {
                    for t in 0..3 {
                        let end = |(s, (end, range)): (usize, (&Rational, &PriorRange))| {
                            let end = if end.is_zero() { range.low() } else { range.high() };
                            if s == t { near(end) } else { end.clone() }
                        };
                        let beliefs = choice.iter().zip(&ranges).enumerate().map(end).collect();
                        let table = Prior::Independent(beliefs).table();
                        for output in outputs(&mechanism) {
                            plain = plain.max(gain_at(&mechanism, &table, t, output, about).unwrap_or_else(Bound::one));
                        }
                    }
                }
                let value = verdict.value.high();
                assert!(plain <= *value && *value <= plain.map(|plain| plain * ratio(1001, 1000), Bound::Infinite));
                let shown = shown(&mechanism, &verdict, about).unwrap();
                match verdict.value {
                    Value::Attained(value) => assert_eq!(shown, value),
                    Value::Approached(value) => {
                        assert!(shown <= value && plain < value);
                        approached += 1;
                    }
                    Value::Between { .. } | Value::Vacuous(_) => panic!("it is exact"),
                }
            }
        }
    }
    assert!(approached > 20);
}

#[test]
fn every_entity_needs_a_range_and_every_dataset_a_row() {
    let mut dice = Dice::new(23);
    let ask = |mechanism: &Mechanism, count| {
        decide(mechanism, &membership(Direction::Presence), &Family::Box(vec![PriorRange::any(); count]))
    };
    let mechanism = dice.partial(3, 2, 0, 0);
    assert_eq!(ask(&mechanism, 2), Err(CheckError::Ranges { found: 2, expected: 3 }));
    assert!(matches!(ask(&dice.partial(3, 2, 0, 2), 3), Err(CheckError::Missing { .. })));
    // With all priors allowed the box is F-DI.
    let family = Family::Independent(PriorRange::any());
    let plain = decide(&mechanism, &membership(Direction::Presence), &family).unwrap().value;
    assert_eq!(ask(&mechanism, 3).unwrap().value, plain);
}
