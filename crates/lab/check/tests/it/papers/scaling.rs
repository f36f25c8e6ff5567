//! LQS13 Definitions 3.5 and 3.9, decided: by the definition on scaled priors, and by the conclusions of Theorems 3.6
//! and 3.10.

use super::chance::{largest_ratio, random, random_prior, scaled, smallest_gain};
use crate::it::common::bayes::mixed;
use crate::it::common::dice::{Dice, grid};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Dataset;
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::scalable::{Obstacle, Scale, TooManyPriors, obstacle};
use deniable_check::words;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};

fn found(family: &Family, scale: Scale) -> Option<Obstacle> {
    obstacle(family, 3, scale).unwrap()
}

/// The named families: the range of beliefs determines which are scalable; in F-DB with a range the other beliefs
/// prevent it.
#[test]
fn named_families_are_scalable_where_their_beliefs_are_free() {
    let range = |low, high| PriorRange::new(low, high).unwrap();
    let low = || Some(ratio(1, 5));
    let high = || Some(ratio(4, 5));
    for (name, priors, down, up) in [
        ("all", None, true, true),
        ("groups:2", None, true, true),
        ("independent", None, true, true),
        ("two-datasets", None, true, true),
        ("bounded", None, true, true),
        ("one-of-two", None, true, true),
        ("independent", Some(range(low(), high())), false, false),
        ("independent", Some(range(None, high())), true, false),
        ("two-datasets", Some(range(low(), None)), false, true),
        ("bounded", Some(range(None, high())), false, false),
        ("one-of-two", Some(range(low(), None)), false, false),
        ("uniform", None, false, false),
        ("sampled:1/3", None, false, false),
        ("one-of:3", None, false, false),
    ] {
        let family = words::family(name, priors.as_ref()).unwrap();
        let each = [Scale::Down, Scale::Up].map(|scale| found(&family, scale).is_none());
        assert_eq!(each, [down, up], "{name} {priors:?}");
    }
    // If no beliefs of the range are possible together, no entity is uncertain and the family is scalable: three
    // beliefs up to 3/10 sum to less than 1, up to 2/5 they can sum to 1.
    for (high, scalable) in [(ratio(3, 10), true), (ratio(2, 5), false)] {
        assert_eq!(found(&Family::Bounded(range(None, Some(high))), Scale::Down).is_none(), scalable);
    }
    assert_eq!(found(&Family::OneOfTwo(range(None, Some(ratio(2, 5)))), Scale::Down), None);
    assert_eq!(found(&Family::OneOf(4), Scale::Up), None);
    // One of two with a range from 1/5 on: x and 1 − x are both in it, and neither is below 1/5.
    let stopped = found(&Family::OneOfTwo(range(low(), None)), Scale::Up);
    assert_eq!(stopped, Some(Obstacle::Others));
}

/// On a scalable family the gain is the largest ratio (3.6, 3.10); otherwise some mechanism has a smaller gain.
#[test]
fn the_gain_is_the_ratio_where_a_family_is_scalable() {
    let mut dice = Dice::new(35);
    let range = PriorRange::new(None, Some(ratio(3, 5))).unwrap();
    let mut apart = 0;
    for _ in 0..40 {
        let mechanism = random(3, 2, &mut dice);
        for family in [Family::Independent(range.clone()), Family::Uniform, Family::Sampled(ratio(1, 3)), Family::All] {
            for (sign, scale) in [(Sign::Positive, Scale::Down), (Sign::Negative, Scale::Up)] {
                let gain = decide(&mechanism, &Notion::Membership { sign }, &family).unwrap().value.high().clone();
                // Some prior of the family, for its ratio.
                let direction = sign.directions()[0];
                let odds = match &family {
                    Family::Independent(_) => {
                        decide(&mechanism, &Notion::Unbounded { sign }, &Family::All).unwrap().value.high().clone()
                    }
                    Family::All => gain.clone(),
                    Family::Uniform => largest_ratio(&mechanism, &Prior::Independent(vec![ratio(1, 2); 3]), direction),
                    _ => {
                        let priors = grid(3, &[whole(0), ratio(1, 3)]).into_iter().map(Prior::Independent);
                        priors.map(|prior| largest_ratio(&mechanism, &prior, direction)).max().unwrap()
                    }
                };
                match found(&family, scale) {
                    None => assert_eq!(gain, odds, "{family:?} {scale:?}"),
                    Some(_) => {
                        assert!(gain <= odds);
                        apart += u32::from(gain < odds);
                    }
                }
            }
        }
    }
    assert!(apart > 100, "{apart}");
}

/// Explicit priors and their mixtures: all distributions on some datasets are scalable, a single prior is not. If the
/// answer is no, the prior scaled far about that entity is not a mixture on a fine grid; if it is yes, it is one.
#[test]
fn given_priors_are_scalable_where_their_limits_are_mixtures() {
    let point = |data: Dataset| Prior::Table(vec![(data, whole(1))]);
    let mut dice = Dice::new(39);
    for _ in 0..20 {
        let some: Vec<Prior> = (0..8).filter(|_| dice.below(2) == 0).map(point).collect();
        let family = Family::Explicit(some);
        assert_eq!([Scale::Down, Scale::Up].map(|scale| found(&family, scale)), [None, None]);
    }
    // Two datasets that differ by one entity: with only the empty one beside them, beliefs can be scaled down, but not
    // up.
    let half = Prior::Table(vec![(0, ratio(1, 2)), (1, ratio(1, 2))]);
    let down = Family::Explicit(vec![half.clone(), point(0)]);
    assert_eq!(found(&down, Scale::Down), None);
    assert_eq!(found(&down, Scale::Up), Some(Obstacle::Prior { prior: 0, entity: 0 }));
    let (mut yes, mut no) = (0, 0);
    for _ in 0..120 {
        let first = random_prior(2, &mut dice);
        let limit = scaled_to_nothing(&first, 0);
        let others = match dice.below(3) {
            0 => vec![limit, point(0), point(2)],
            1 => (0..4).map(point).collect(),
            _ => vec![random_prior(2, &mut dice)],
        };
        let priors: Vec<Prior> = std::iter::once(first).chain(others).collect();
        let family = Family::Explicit(priors.clone());
        let stopped = found(&family, Scale::Down);
        let tables: Vec<_> = priors.iter().map(Prior::table).collect();
        match stopped {
            Some(Obstacle::Prior { prior, entity }) => {
                let wanted = scaled_to_nothing(&priors[prior], entity).table();
                let shares = grid(tables.len(), &(0..=6).map(|n| ratio(n, 6)).collect::<Vec<_>>());
                let mut sums = shares.into_iter().filter(|shares| shares.iter().sum::<Rational>() == whole(1));
                assert!(sums.all(|shares| sorted(mixed(&tables, &shares)) != sorted(wanted.clone())));
                no += 1;
            }
            // A prior that is certain of the first entity has nothing to scale.
            None if priors[0].belief(0) == whole(0) || priors[0].belief(0) == whole(1) => yes += 1,
            None => {
                // Then some mechanism that attains the ratio has that gain: Theorem 3.6, near the limit.
                let mechanism = random(2, 2, &mut dice);
                let far = scaled(&priors[0], 0, &ratio(1, 100_000));
                if let Bound::Finite(odds) =
                    super::chance::ratio_about(&mechanism, &far, 0, Direction::Presence).unwrap_or_else(Bound::one)
                {
                    let gain = decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &family).unwrap();
                    let near = smallest_gain(&mechanism, &far, Direction::Presence);
                    assert!(*gain.value.high() >= Bound::Finite(odds) && near <= *gain.value.high());
                }
                yes += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(yes > 10 && no > 30, "{yes} {no}");
    // All eight datasets and a dozen more priors, which are mixtures of these; without the full dataset the last
    // beliefs cannot be scaled up.
    let mut many: Vec<Prior> = (0..8).map(point).collect();
    many.extend((0..12).map(|_| random_prior(3, &mut dice)));
    assert_eq!([Scale::Down, Scale::Up].map(|scale| found(&Family::Explicit(many.clone()), scale)), [None, None]);
    many.remove(7);
    assert!(matches!(found(&Family::Explicit(many), Scale::Up), Some(Obstacle::Prior { prior: 7.., .. })));
    let many = Family::Explicit((0..33).map(|_| point(0)).collect());
    assert_eq!(obstacle(&many, 3, Scale::Up), Err(TooManyPriors { found: 33 }));
}

/// The prior given that the entity is out.
fn scaled_to_nothing(prior: &Prior, t: usize) -> Prior {
    let out: Vec<(Dataset, Rational)> = prior.table().into_iter().filter(|(data, _)| data >> t & 1 == 0).collect();
    let sum: Rational = out.iter().map(|(_, mass)| mass).sum();
    if sum == whole(0) {
        prior.clone()
    } else {
        Prior::Table(out.into_iter().map(|(data, mass)| (data, mass / &sum)).collect())
    }
}

fn sorted(mut table: Vec<(Dataset, Rational)>) -> Vec<(Dataset, Rational)> {
    table.retain(|(_, mass)| *mass != whole(0));
    let mut sums = std::collections::BTreeMap::new();
    for (data, mass) in table {
        *sums.entry(data).or_insert_with(|| whole(0)) += mass;
    }
    sums.into_iter().collect()
}
