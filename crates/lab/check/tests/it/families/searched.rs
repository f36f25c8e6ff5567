//! F-DB[a,b] where pairs of datasets do not attain the bound: the verdict against random observers.

use super::sized::membership;
use super::world::{range, shown};
use crate::it::common::bayes::{BOTH, Table, belief, gain, given, of_size, scaled};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::yes;
use deniable_check::Bound;
use deniable_check::certificate::certificate;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::notion::{Direction, Notion};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_recheck::{LIMIT, UpperCheck, recheck};
use deniable_testing::sized;

fn ranges() -> Vec<PriorRange> {
    vec![
        range((1, 5), (2, 5)),
        range((1, 20), (49, 100)),
        range((1, 5), (1, 2)),
        range((3, 10), (9, 10)),
        range((51, 100), (19, 20)),
        range((1, 3), (1, 3)),
        range((0, 1), (2, 5)),
        range((3, 5), (1, 1)),
    ]
}

/// Whether all beliefs are in the range, or certain.
fn is_of(range: &PriorRange, prior: &Table, entities: usize) -> bool {
    (0..entities)
        .map(|t| belief(prior, t))
        .all(|belief| belief == whole(0) || belief == whole(1) || (range.low() <= &belief && &belief <= range.high()))
}

/// An observer who is certain of every entity learns nothing, and families need an uncertain one.
fn is_uncertain(prior: &Table, entities: usize) -> bool {
    (0..entities).map(|entity| belief(prior, entity)).any(|belief| belief != whole(0) && belief != whole(1))
}

/// Independent entities of a public size: a random factor for each entity, some of them certain.
fn observer(dice: &mut Dice, entities: usize) -> Option<Table> {
    let factor = |dice: &mut Dice| match dice.between(0, 5) {
        0 => whole(dice.between(0, 1)),
        1..=3 => ratio(dice.between(1, 8), 9),
        _ => ratio(dice.between(1, 99), 100),
    };
    let beliefs = (0..entities).map(|_| factor(dice)).collect();
    let size = dice.between(1, entities as i64 - 1) as u32;
    of_size(&Prior::Independent(beliefs).table(), size)
}

/// Weights on the three datasets of size 1 or 2, on a grid over the range, the last weight being the remainder.
fn triangle(range: &PriorRange) -> Vec<Table> {
    let steps: Vec<Rational> = (0..=12).map(|k| range.low() + (range.high() - range.low()) * ratio(k, 12)).collect();
    let steps = || steps.iter().flat_map(|step| [step.clone(), whole(1) - step]);
    let mut all = Vec::new();
    for worlds in [[1, 2, 4], [6, 5, 3], [2, 4, 1], [5, 3, 6]] {
        for first in steps() {
            for second in steps().chain([whole(0)]) {
                let third = whole(1) - &first - &second;
                if third < whole(0) {
                    continue;
                }
                let prior = worlds.into_iter().zip([first.clone(), second, third]).collect();
                all.extend(scaled(prior).filter(|prior| is_of(range, prior, 3) && is_uncertain(prior, 3)));
            }
        }
    }
    all
}

fn finite(bound: &Bound) -> Option<&Rational> {
    match bound {
        Bound::Finite(value) => Some(value),
        Bound::Infinite => None,
    }
}

/// For three people the value is decided, up to a bracket for irrational values: no observer exceeds its upper end, and
/// the witness attains its lower end. `recheck` agrees.
#[test]
fn three_people_are_decided() {
    let mut dice = Dice::new(31);
    let narrow = power(&ratio(1, 10), 9);
    let (mut inside, mut reached) = (0, 0);
    for range in ranges() {
        let observers = triangle(&range);
        for mechanism in dice.several(3, sized(5, 40)) {
            for about in BOTH {
                let family = Family::Bounded(range.clone());
                let verdict = decide(&mechanism, &membership(about), &family).unwrap();
                if verdict.value.is_vacuous() {
                    assert!(!observers.iter().any(|prior| given(&mechanism, prior)), "{range:?}");
                    continue;
                }
                let (low, high) = (verdict.value.low(), verdict.value.high());
                let text = format!("{range:?} {about:?} {low} {high}");
                let met = observers.iter().filter(|prior| given(&mechanism, prior));
                let Some(plain) = met.filter_map(|prior| gain(&mechanism, prior, about)).max() else { continue };
                assert!(plain <= *high, "{text} {plain}");
                match (finite(low), finite(high)) {
                    (Some(low), Some(high)) => assert!((high - low) / low < narrow, "{text}"),
                    (low, high) => assert!(low.is_none() && high.is_none(), "{text}"),
                }
                if verdict.witness.is_some() {
                    assert_eq!(shown(&mechanism, &verdict, about).as_ref(), Some(low), "{text}");
                }
                inside += u32::from(plain < *low);
                reached += u32::from(plain == *low);
                let proof = certificate(&mechanism, &membership(about), &family, &verdict).unwrap();
                assert_eq!(recheck(&proof, LIMIT).map(|report| report.upper), Ok(UpperCheck::Holds), "{text}");
            }
        }
    }
    assert!(reached > 30 && inside > 3, "{reached} {inside}");
}

/// `recheck` refuses an upper end of three people that is too low, however little.
#[test]
fn an_upper_end_that_an_observer_exceeds_is_refused() {
    // Three people; yes has probability 3/4 if only the first is in, and 1/4 otherwise.
    let mechanism = yes(3, |data| if data == 1 { ratio(3, 4) } else { ratio(1, 4) });
    let family = Family::Bounded(range((3, 10), (2, 5)));
    let mut verdict = decide(&mechanism, &membership(Direction::Presence), &family).unwrap();
    let high = finite(verdict.value.high()).unwrap().clone();
    let proof = |verdict: &_| certificate(&mechanism, &membership(Direction::Presence), &family, verdict).unwrap();
    assert_eq!(recheck(&proof(&verdict), LIMIT).map(|report| report.upper), Ok(UpperCheck::Holds));
    let low = Bound::Finite(whole(1));
    let less = Bound::Finite(high * ratio(999_999, 1_000_000));
    verdict.value = deniable_check::verdict::Value::Between { low, high: less, theorem: "B-3" };
    assert!(recheck(&proof(&verdict), LIMIT).unwrap_err().to_string().contains("with beliefs from"));
}

/// Exactly one of several people is in, or out, often with beliefs at the ends of the range.
fn one_of_several(dice: &mut Dice, entities: usize, range: &PriorRange) -> Table {
    let everybody = (1_u32 << entities) - 1;
    loop {
        let adds = dice.between(0, 1) == 0;
        let base = dice.between(0, i64::from(everybody)) as u32;
        let mut worlds: Vec<u32> =
            (0..entities).map(|t| 1 << t).filter(|bit| (base & bit == 0) == adds).map(|bit: u32| base ^ bit).collect();
        while worlds.len() > 2 && dice.between(0, 2) == 0 {
            worlds.swap_remove(dice.between(0, worlds.len() as i64 - 1) as usize);
        }
        let (low, high) = (range.low(), range.high());
        let (low, high) = if adds { (low.clone(), high.clone()) } else { (whole(1) - high, whole(1) - low) };
        // All but one are drawn, mostly at an end; the last is the remainder.
        let shares: Vec<Rational> = (1..worlds.len())
            .map(|_| match dice.between(0, 3) {
                0 => low.clone(),
                1 => high.clone(),
                _ => &low + (&high - &low) * ratio(dice.between(0, 8), 8),
            })
            .collect();
        let last = whole(1) - shares.iter().sum::<Rational>();
        let Some(prior) = scaled(worlds.into_iter().zip(shares.into_iter().chain([last])).collect()) else { continue };
        // A share may be outside the range; the caller discards such observers.
        if prior.iter().all(|(_, share)| *share > whole(0)) {
            return prior;
        }
    }
}

/// Whether exactly one of the uncertain people is in, or exactly one is out.
fn is_of_one(prior: &Table) -> bool {
    let (some, all) = prior.iter().fold((0, !0), |(some, all), (data, _)| (some | data, all & data));
    let uncertain = (some & !all).count_ones();
    let inside = prior.first().map_or(0, |(data, _)| (data & !all).count_ones());
    prior.len() == uncertain as usize && (inside == 1 || inside + 1 == uncertain)
}

/// For more people, random observers stay below the upper end, and hardly exceed the lower one. Where an answer is
/// impossible for some datasets, but rules no entity out, the upper end is finite, and `recheck` agrees.
#[test]
fn random_observers_stay_within_the_bracket() {
    let mut dice = Dice::new(32);
    // The factor by which a random observer may exceed the lower end.
    let tolerance = ratio(5, 4);
    let (mut met, mut beyond, mut ends, mut of_one_met) = (0, 0, 0, 0);
    for (entities, count) in [(4, sized(6, 40)), (5, sized(1, 10))] {
        for range in ranges() {
            let mut observers: Vec<Table> =
                (0..sized(600, 3_000)).filter_map(|_| observer(&mut dice, entities)).collect();
            observers.extend((0..sized(600, 1_500)).map(|_| one_of_several(&mut dice, entities, &range)));
            let observers: Vec<&Table> = observers.iter().filter(|prior| is_of(&range, prior, entities)).collect();
            for mechanism in dice.several(entities, count) {
                for about in BOTH {
                    let family = Family::Bounded(range.clone());
                    let verdict = decide(&mechanism, &membership(about), &family).unwrap();
                    let (low, high) = (verdict.value.low(), verdict.value.high());
                    let text = format!("{entities} {range:?} {about:?} {low} {high}");
                    let of_rows = observers.iter().filter(|prior| given(&mechanism, prior));
                    let plain = of_rows.filter_map(|prior| gain(&mechanism, prior, about)).max();
                    let Some(plain) = plain else { continue };
                    // Observers as the search defines them: exactly one of several entities is in, or out. None exceeds
                    // the lower end.
                    let of_one = observers.iter().filter(|prior| given(&mechanism, prior) && is_of_one(prior));
                    if let Some(plain) = of_one.filter_map(|prior| gain(&mechanism, prior, about)).max() {
                        assert!(plain <= *low, "{text} {plain}");
                        of_one_met += 1;
                    }
                    met += 1;
                    assert!(plain <= *high, "{text} {plain}");
                    if let (Some(low), Some(plain)) = (finite(low), finite(&plain)) {
                        beyond += u32::from(plain > low);
                        assert!(*plain <= low * &tolerance, "{text} {plain}");
                    } else {
                        assert!(plain <= *low, "{text} {plain}");
                    }
                    let pairs = decide(&mechanism, &Notion::Bounded, &Family::All).unwrap().value;
                    if *pairs.high() == Bound::Infinite && *high != Bound::Infinite {
                        ends += 1;
                        let proof = certificate(&mechanism, &membership(about), &family, &verdict).unwrap();
                        assert_eq!(recheck(&proof, LIMIT).map(|report| report.upper), Ok(UpperCheck::Holds), "{text}");
                    }
                }
            }
        }
    }
    assert!(met > 40 && ends > 0 && beyond * 10 < met, "{met} {beyond} {ends}");
    assert!(of_one_met > met / 2, "{of_one_met} {met}");
}
