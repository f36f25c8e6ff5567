//! LQS13, section 3: the relation of a bounded likelihood ratio to beliefs.

use super::chance::{largest_ratio, random, random_prior, ratio_about, scaled, smallest_gain};
use crate::it::common::bayes::{BOTH, gain_at, likelihoods};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::{one_way, pairs};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::{Value, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{ratio, whole};
use num_traits::{One, Zero};

/// Lemma 3.2, over 600 random mechanisms and arbitrary priors.
#[test]
fn a_bounded_ratio_bounds_the_gain() {
    let mut dice = Dice::new(32);
    let mut tighter = 0;
    for _ in 0..600 {
        let (mechanism, prior) = (random(3, 3, &mut dice), random_prior(3, &mut dice));
        for side in BOTH {
            let (odds, gain) = (largest_ratio(&mechanism, &prior, side), smallest_gain(&mechanism, &prior, side));
            assert!(gain <= odds, "{gain} {odds} {prior:?}");
            tighter += u32::from(gain < odds);
        }
    }
    // The bound is sufficient and not necessary: most priors gain less.
    assert!(tighter > 600, "{tighter}");
}

/// Lemma 3.4: scaling a prior about `t` does not change the two likelihoods.
#[test]
fn scaling_about_an_entity_keeps_its_likelihoods() {
    let mut dice = Dice::new(34);
    let mut seen = 0;
    for _ in 0..300 {
        let (mechanism, prior) = (random(3, 2, &mut dice), random_prior(3, &mut dice));
        for t in (0..3).filter(|t| !prior.belief(*t).is_zero() && !prior.belief(*t).is_one()) {
            for belief in [ratio(1, 1000), ratio(1, 2), ratio(98, 99)] {
                let other = scaled(&prior, t, &belief);
                assert!(other.is_distribution() && other.belief(t) == belief);
                for output in 0..2 {
                    let same = likelihoods(&mechanism, &prior.table(), t, output);
                    assert_eq!(likelihoods(&mechanism, &other.table(), t, output), same);
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 1500, "{seen}");
}

/// Theorems 3.6 and 3.10: scaled far enough down (up), a prior refutes every γ below its likelihood ratio.
#[test]
fn scaling_reaches_the_likelihood_ratio() {
    let mut dice = Dice::new(36);
    let mut reached = 0;
    for _ in 0..300 {
        let (mechanism, prior) = (random(2, 3, &mut dice), random_prior(2, &mut dice));
        for (side, belief) in [(Direction::Presence, ratio(1, 100_000)), (Direction::Absence, ratio(99_999, 100_000))] {
            for t in (0..2).filter(|t| !prior.belief(*t).is_zero() && !prior.belief(*t).is_one()) {
                // About this entity alone: the beliefs in the others change too, and are tested separately.
                let odds = ratio_about(&mechanism, &prior, t, side).unwrap();
                let far = scaled(&prior, t, &belief);
                assert_eq!(ratio_about(&mechanism, &far, t, side).as_ref(), Some(&odds));
                let Bound::Finite(odds) = odds else { continue };
                // By Bayes' rule at the scaled prior, not by a formula.
                let gains = (0..3).filter_map(|output| gain_at(&mechanism, &far.table(), t, output, side));
                let Some(Bound::Finite(gain)) = gains.max() else { panic!("{odds} and no finite gain") };
                assert!(gain <= odds && &odds - &gain <= (&odds - whole(1)) * &odds / whole(50_000), "{odds} {gain}");
                reached += 1;
            }
        }
    }
    assert!(reached > 700, "{reached}");
}

/// Proposition 3.7, decided: all priors together need every pair in which one dataset has an entity that the other
/// lacks.
#[test]
fn all_priors_ask_for_every_pair() {
    let mut dice = Dice::new(37);
    for _ in 0..200 {
        let mechanism = random(3, 3, &mut dice);
        for (sign, side) in [(Sign::Positive, Direction::Presence), (Sign::Negative, Direction::Absence)] {
            let verdict = decide(&mechanism, &Notion::Membership { sign }, &Family::All).unwrap();
            let apart =
                pairs(&mechanism).filter(|(a, b)| if side == Direction::Presence { a & !b > 0 } else { b & !a > 0 });
            assert_eq!(*verdict.value.high(), apart.map(|(a, b)| one_way(&mechanism, a, b)).max().unwrap());
            // Two datasets with an uneven prior approach the value.
            let Some(Witness::Datasets { more, less, .. }) = verdict.witness else { panic!("{verdict:?}") };
            let belief = if side == Direction::Presence { ratio(1, 1_000_000) } else { ratio(999_999, 1_000_000) };
            let prior = Prior::Table(vec![(more, belief.clone()), (less, whole(1) - belief)]);
            let prior = if side == Direction::Presence {
                prior
            } else {
                let Prior::Table(table) = prior else { unreachable!() };
                Prior::Table(vec![(table[0].0, table[1].1.clone()), (table[1].0, table[0].1.clone())])
            };
            let gain = smallest_gain(&mechanism, &prior, side);
            match (verdict.value, gain) {
                (Value::Attained(Bound::Infinite), gain) => assert_eq!(gain, Bound::Infinite),
                (Value::Approached(Bound::Finite(odds)), Bound::Finite(gain)) => {
                    assert!(gain < odds && &odds - gain < &odds * &odds / whole(500_000));
                }
                (Value::Attained(Bound::Finite(odds)), _) => assert!(odds.is_one()),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Theorem 4.5, decided: no prior of the family exceeds the checker's value, and the witness approaches it.
#[test]
fn independent_priors_never_exceed_the_verdict() {
    let mut dice = Dice::new(45);
    for _ in 0..150 {
        let mechanism = random(3, 3, &mut dice);
        for (sign, side) in [(Sign::Positive, Direction::Presence), (Sign::Negative, Direction::Absence)] {
            let notion = Notion::Membership { sign };
            let any = decide(&mechanism, &notion, &Family::Independent(PriorRange::any())).unwrap();
            let udp = decide(&mechanism, &Notion::Unbounded { sign }, &Family::All).unwrap();
            assert_eq!(any.value.high(), udp.value.high());
            let range = PriorRange::new(Some(ratio(1, 5)), Some(ratio(4, 5))).unwrap();
            let within = decide(&mechanism, &notion, &Family::Independent(range)).unwrap();
            let mut nearest = Bound::one();
            for _ in 0..40 {
                // Certain, or with a belief between a fifth and four fifths.
                let belief = |dice: &mut Dice| [0, 10, 2, 3, 5, 8][dice.below(6)];
                let beliefs = (0..3).map(|_| ratio(belief(&mut dice), 10)).collect();
                let gain = smallest_gain(&mechanism, &Prior::Independent(beliefs), side);
                assert!(gain <= *within.value.high() && gain <= *any.value.high());
                nearest = nearest.max(gain);
            }
            assert!(nearest > Bound::one() || *within.value.high() == Bound::one());
        }
    }
}

/// The uniform prior, decided by sums over halves, agrees with the definition on the table of all datasets.
#[test]
fn the_uniform_prior_is_bayes_rule() {
    let mut dice = Dice::new(50);
    for _ in 0..300 {
        let mechanism = random(3, 3, &mut dice);
        let prior = Prior::Independent(vec![ratio(1, 2); 3]);
        for (sign, side) in [(Sign::Positive, Direction::Presence), (Sign::Negative, Direction::Absence)] {
            let verdict = decide(&mechanism, &Notion::Membership { sign }, &Family::Uniform).unwrap();
            assert_eq!(verdict.value, Value::Attained(smallest_gain(&mechanism, &prior, side)));
        }
    }
}

/// A mechanism whose ratio is far larger than its gain under one prior: Lemma 3.2 has no converse.
#[test]
fn a_bounded_gain_does_not_bound_the_ratio() {
    // At prior 1/2 odds of 3 give 3/4: a gain of 2 for absence, and of 3/2 for presence.
    let table = vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]];
    let mechanism = Mechanism::new(&["ann"], &["no", "yes"], table).unwrap();
    let prior = Prior::Independent(vec![ratio(1, 2)]);
    assert_eq!(largest_ratio(&mechanism, &prior, Direction::Presence), Bound::Finite(whole(3)));
    assert_eq!(smallest_gain(&mechanism, &prior, Direction::Presence), Bound::Finite(whole(2)));
}

/// I-FLP: PMP and NMP over all priors together are free-lunch privacy.
#[test]
fn free_lunch_is_all_priors_in_both_directions() {
    let mut dice = Dice::new(9);
    for _ in 0..200 {
        let mechanism = random(3, 3, &mut dice);
        let both = decide(&mechanism, &Notion::Membership { sign: Sign::Both }, &Family::All).unwrap();
        let lunch = decide(&mechanism, &Notion::FreeLunch, &Family::All).unwrap();
        assert_eq!(both.value.high(), lunch.value.high());
        assert_eq!(*lunch.value.high(), pairs(&mechanism).map(|(a, b)| one_way(&mechanism, a, b)).max().unwrap());
    }
}
