//! The highest and lowest posterior belief.

use super::sized::sign;
use super::world::{attained, range, shown_belief};
use crate::it::common::bayes::{BOTH, Table, mixed, posteriors, table};
use crate::it::common::dice::{Dice, grid};
use crate::it::common::mechanisms::{exchanged, pairs};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;

fn ask(mechanism: &Mechanism, about: Direction, family: &Family) -> Verdict {
    decide(mechanism, &Notion::Posterior { sign: sign(about) }, family).unwrap()
}

/// The extreme posterior belief in presence over these priors.
fn farthest(mechanism: &Mechanism, priors: &[Table], about: Direction) -> Option<Rational> {
    let all = priors.iter().flat_map(|prior| posteriors(mechanism, prior));
    if about == Direction::Presence { all.max() } else { all.min() }
}

fn independent(choices: &[Vec<Rational>]) -> Vec<Table> {
    choices.iter().map(|beliefs| Prior::Independent(beliefs.clone()).table()).collect()
}

/// The verdict is exactly this value, and the witness attains it.
fn shows(mechanism: &Mechanism, verdict: &Verdict, plain: Rational) {
    assert_eq!(verdict.value, attained(Bound::Finite(plain.clone())));
    assert_eq!(shown_belief(mechanism, verdict), Some(plain));
}

#[test]
fn independent_entities_with_bounded_beliefs() {
    let values = [whole(0), ratio(1, 10), ratio(1, 3), ratio(3, 5), whole(1)];
    let priors = independent(&grid(3, &values));
    for mechanism in Dice::new(51).complete(3, 16) {
        for about in BOTH {
            for family in [Family::Independent, Family::TwoDatasets] {
                let verdict = ask(&mechanism, about, &family(range((1, 10), (3, 5))));
                shows(&mechanism, &verdict, farthest(&mechanism, &priors, about).unwrap());
            }
            // With unbounded priors, almost every posterior is possible.
            let verdict = ask(&mechanism, about, &Family::Independent(PriorRange::any()));
            let end = whole(u8::from(about == Direction::Presence));
            assert_eq!(*verdict.value.high(), Bound::Finite(end));
            for family in [Family::All, Family::Groups(2), Family::Bounded(PriorRange::any())] {
                assert_eq!(ask(&mechanism, about, &family).value.high(), verdict.value.high());
            }
        }
    }
}

#[test]
fn given_beliefs() {
    let half = independent(&[vec![ratio(1, 2); 3]]);
    let sampled = independent(&grid(3, &[whole(0), ratio(1, 5)]));
    for mechanism in Dice::new(52).complete(3, 16) {
        for about in BOTH {
            let verdict = ask(&mechanism, about, &Family::Uniform);
            shows(&mechanism, &verdict, farthest(&mechanism, &half, about).unwrap());
            let verdict = ask(&mechanism, about, &Family::Sampled(ratio(1, 5)));
            shows(&mechanism, &verdict, farthest(&mechanism, &sampled, about).unwrap());
        }
        // For one of m, the positive posterior is ρ.
        let rho = decide(&mechanism, &Notion::Rho { among: 3 }, &Family::All).unwrap();
        assert_eq!(ask(&mechanism, Direction::Presence, &Family::OneOf(3)).value, rho.value);
        let third = |certain: u32| -> Table {
            (0..3).filter(|t| certain >> t & 1 == 0).map(|t| (certain | 1 << t, ratio(1, 3))).collect()
        };
        let verdict = ask(&mechanism, Direction::Absence, &Family::OneOf(3));
        shows(&mechanism, &verdict, farthest(&mechanism, &[third(0)], Direction::Absence).unwrap());
    }
}

#[test]
fn a_box_at_its_vertices() {
    let ranges = vec![range((1, 10), (1, 2)), range((1, 3), (1, 3)), range((2, 5), (9, 10))];
    let ends = grid(3, &[whole(0), whole(1)]).into_iter().map(|choice| {
        let end =
            |(end, range): (&Rational, &PriorRange)| if end.is_zero() { range.low() } else { range.high() }.clone();
        choice.iter().zip(&ranges).map(end).collect()
    });
    let priors = independent(&ends.collect::<Vec<_>>());
    for mechanism in Dice::new(53).complete(3, 16) {
        for about in BOTH {
            let verdict = ask(&mechanism, about, &Family::Box(ranges.clone()));
            shows(&mechanism, &verdict, farthest(&mechanism, &priors, about).unwrap());
        }
    }
}

#[test]
fn a_public_size() {
    let mut open = 0;
    for mechanism in Dice::new(54).complete(4, 12) {
        let near = pairs(&mechanism).filter(|(a, b)| exchanged(*a, *b));
        let two: Vec<Table> = near.map(|(a, b)| vec![(a, ratio(1, 4)), (b, ratio(3, 4))]).collect();
        for about in BOTH {
            for family in [Family::Bounded, Family::OneOfTwo] {
                let verdict = ask(&mechanism, about, &family(range((1, 4), (3, 4))));
                shows(&mechanism, &verdict, farthest(&mechanism, &two, about).unwrap());
            }
            // 1/5 to 2/5: at least three entities are uncertain, and the bound is rarely attained.
            let verdict = ask(&mechanism, about, &Family::Bounded(range((1, 5), (2, 5))));
            let (low, high) = (verdict.value.low().clone(), verdict.value.high().clone());
            let reached = if about == Direction::Presence { &low } else { &high };
            assert_eq!(shown_belief(&mechanism, &verdict).map(Bound::Finite).as_ref(), Some(reached));
            open += u32::from(low < high);
            let values = [ratio(1, 5), ratio(3, 10), ratio(2, 5)];
            for beliefs in grid(4, &values).into_iter().filter(|beliefs| beliefs.iter().sum::<Rational>() == whole(1)) {
                for certain in [false, true] {
                    let world = |t: usize| if certain { 15 ^ 1 << t } else { 1 << t };
                    if certain {
                        continue;
                    }
                    let prior = beliefs.iter().enumerate().map(|(t, p)| (world(t), p.clone())).collect();
                    let found = Bound::Finite(farthest(&mechanism, &[prior], about).unwrap());
                    assert!(if about == Direction::Presence { found <= high } else { found >= low });
                }
            }
        }
    }
    assert!(open > 10);
}

#[test]
fn given_priors_and_mixtures() {
    let mut dice = Dice::new(55);
    let mut approached = 0;
    for round in 0..60 {
        let entities = 1 + round % 3;
        let mechanism = dice.partial(entities, 2, [0, 2, 3, 4][round % 4], 0);
        let priors: Vec<Table> = (0..1 + round % 3).map(|_| table(dice.sparse(1 << entities, 2 + round % 3))).collect();
        let family = Family::Explicit(priors.iter().cloned().map(Prior::Table).collect());
        for about in BOTH {
            let found = decide(&mechanism, &Notion::Posterior { sign: sign(about) }, &family);
            let mixtures: Vec<Table> = (0..30).map(|_| mixed(&priors, &dice.sparse(priors.len(), 3))).collect();
            let Some(plain) = farthest(&mechanism, &mixtures, about) else {
                assert!(found.unwrap().value.is_vacuous());
                continue;
            };
            let verdict = found.unwrap();
            let Bound::Finite(value) = verdict.value.high().clone() else { panic!("a belief") };
            let inside = if about == Direction::Presence { plain <= value } else { plain >= value };
            assert!(inside, "{plain} beyond {value}");
            let shown = shown_belief(&mechanism, &verdict).unwrap();
            if matches!(verdict.value, Value::Attained(_)) {
                assert_eq!(shown, value);
                if priors.len() == 1 {
                    assert_eq!(plain, value);
                }
            } else {
                approached += 1;
                let gap = &shown - &value;
                assert!(!gap.is_zero() && gap < ratio(1, 1000) && gap > ratio(-1, 1000));
                assert!(plain != value);
            }
        }
    }
    assert!(approached > 3, "{approached}");
}

#[test]
fn certainty_is_approached_or_attained() {
    let flip =
        Mechanism::new(&["ann"], &["a", "b"], vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]])
            .unwrap();
    let any = Family::Independent(PriorRange::any());
    assert_eq!(ask(&flip, Direction::Presence, &any).value, Value::Approached(Bound::one()));
    assert_eq!(ask(&flip, Direction::Absence, &any).value, Value::Approached(Bound::Finite(whole(0))));
    let most = Family::Independent(range((0, 1), (1, 10)));
    // B-4: 3/10 over 3/10 + 9/10.
    assert_eq!(ask(&flip, Direction::Presence, &most).value, attained(Bound::Finite(ratio(1, 4))));
    let exact =
        Mechanism::new(&["ann"], &["a", "b"], vec![vec![whole(1), whole(0)], vec![whole(0), whole(1)]]).unwrap();
    assert_eq!(ask(&exact, Direction::Presence, &any).value, attained(Bound::one()));
    assert_eq!(ask(&exact, Direction::Absence, &any).value, attained(Bound::Finite(whole(0))));
    let both = decide(&exact, &Notion::Posterior { sign: Sign::Both }, &any);
    assert!(matches!(both, Err(CheckError::OneSide { .. })));
}
