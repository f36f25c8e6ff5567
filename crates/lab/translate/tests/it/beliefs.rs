//! Translated parameters against the beliefs of observers, one mechanism at a time.

use super::world::{measure, random, yes};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_core::adversary::PriorRange;
use deniable_core::belief::posterior;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_translate::amount::Amount;
use deniable_translate::bounds::{Value, demanding, implied};
use deniable_translate::parse::target;
use deniable_translate::statement::Target;

fn of(text: &str) -> Target {
    target(text, &PriorRange::any()).unwrap()
}

fn number(value: Option<Value>) -> Rational {
    match value {
        Some(Value::Number(number)) if number.low == number.high => number.low,
        Some(Value::Odds(Amount::Exact(odds))) => odds.exact_odds().unwrap(),
        other => panic!("no exact number: {other:?}"),
    }
}

/// The odds of the target's shape, if they are finite.
fn odds(mechanism: &Mechanism, target: &Target) -> Option<Amount> {
    measure(mechanism, &target.shape()).finite().map(|odds| Amount::of(odds.clone()))
}

#[test]
fn membership_privacy_is_decided_as_translated() {
    let mut useful = 0;
    for mechanism in random(2, 3, 1, 40, 21) {
        for range in ["1/5..4/5", "1/10..1/2", "1/2", "2/3..9/10", "..1/3", "any"] {
            for (name, sign) in [("gain", Sign::Positive), ("loss", Sign::Negative), ("membership", Sign::Both)] {
                let target = of(&format!("{name}@{range}"));
                let Some(odds) = odds(&mechanism, &target) else { continue };
                let family = Family::Independent(range.parse::<PriorRange>().unwrap());
                let decided = decide(&mechanism, &Notion::Membership { sign }, &family).unwrap();
                let translated = Bound::Finite(number(implied(&target, &odds)));
                // If presence and absence have different odds, one γ for both is only a bound.
                let close = if name == "membership" {
                    *decided.value.high() <= translated
                } else {
                    *decided.value.high() == translated
                };
                assert!(close, "{target}: {} is not {translated}", decided.value);
                useful += 1;
            }
        }
    }
    // By enumeration of its zeros, a mechanism has 18 useful cases with probability 0.499, 6 with 0.227 and none with
    // 0.274. The sum over 40 mechanisms has mean 414 and is at most 168 with probability 4.3·10⁻⁷.
    assert!(useful > 168, "{useful}");
}

#[test]
fn families_of_one_prior_are_decided_as_translated() {
    for mechanism in random(3, 2, 1, 20, 22) {
        for rate in [ratio(1, 10), ratio(1, 3), ratio(3, 4)] {
            let target = of(&format!("sampled-gain:{rate}"));
            if let Some(odds) = odds(&mechanism, &target) {
                let decided =
                    decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &Family::Sampled(rate.clone()));
                assert_eq!(*decided.unwrap().value.high(), Bound::Finite(number(implied(&target, &odds))));
            }
            let sampling = Notion::Sampling { rate: rate.clone(), sign: Sign::Both };
            let decided = decide(&mechanism, &sampling, &Family::All).unwrap();
            assert_eq!(*decided.value.high(), measure(&mechanism, &of(&format!("sampling:{rate}")).shape()));
        }
        let target = of("uniform-gain");
        if let Some(odds) = odds(&mechanism, &target) {
            let decided = decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &Family::Uniform).unwrap();
            assert_eq!(*decided.value.high(), Bound::Finite(number(implied(&target, &odds))));
        }
    }
}

/// F-DFβ: γ = max(E, (E−1+β)/(βE)).
#[test]
fn the_gain_under_sampling_has_the_published_form() {
    for (top, bottom) in [(11, 10), (3, 2), (3, 1), (20, 1)] {
        for rate in [ratio(1, 10), ratio(1, 3), ratio(3, 4)] {
            let e = ratio(top, bottom);
            let published = e.clone().max((&e - whole(1) + &rate) / (&rate * &e));
            let target = of(&format!("sampled-gain:{rate}"));
            assert_eq!(number(implied(&target, &Amount::of(e))), published);
        }
    }
}

#[test]
fn ceilings_and_floors_are_reached_at_the_ends() {
    // Two datasets, one person: any odds up and down at once.
    for (up, down) in [(ratio(3, 2), ratio(2, 1)), (whole(3), ratio(5, 4))] {
        let mechanism = yes(1, |data| if data == 1 { &up * ratio(1, 4) } else { ratio(1, 4) });
        let absent = yes(1, |data| if data == 0 { &down * ratio(1, 4) } else { ratio(1, 4) });
        let grid: Vec<Rational> = (4..=16).map(|n| ratio(n, 20)).collect();
        let odds = Amount::of(measure(&mechanism, &of("posterior@1/5..4/5").shape()).finite().unwrap().clone());
        let highest = grid.iter().map(|p| posterior(p, &odds.ends().0)).max().unwrap();
        assert_eq!(number(implied(&of("posterior@1/5..4/5"), &odds)), highest);
        let odds = Amount::of(measure(&absent, &of("floor@1/5..4/5").shape()).finite().unwrap().clone());
        let lowest = grid.iter().map(|p| posterior(p, &odds.ends().0.recip())).min().unwrap();
        assert_eq!(number(implied(&of("floor@1/5..4/5"), &odds)), lowest);
        assert_eq!(implied(&of("posterior"), &odds), None, "no ceiling without an upper end");
        assert_eq!(implied(&of("floor@..1/2"), &odds), None, "no floor without a lower end");
    }
}

/// The enumerated belief in one of `m` is at most the bound by odds; for two it equals it.
#[test]
fn identifiability_is_enumerated() {
    for mechanism in random(4, 2, 0, 15, 23) {
        let bounded = odds(&mechanism, &of("bounded-odds")).unwrap();
        for among in 2..=4_u32 {
            let mut highest = whole(0);
            for candidates in (0..16_u32).filter(|c| c.count_ones() == among) {
                for certain in (0..16_u32).filter(|c| c & candidates == 0) {
                    for o in 0..2 {
                        let each: Vec<Rational> = (0..4)
                            .filter(|t| candidates >> t & 1 == 1)
                            .map(|t| mechanism.probability(o, certain | 1 << t))
                            .collect();
                        let sum: Rational = each.iter().sum();
                        highest = highest.max(each.iter().max().unwrap() / sum);
                    }
                }
            }
            let target = of(&format!("rho:{among}"));
            assert!(highest <= number(implied(&target, &bounded)));
            if among == 2 {
                assert_eq!(highest, number(implied(&target, &bounded)));
            } else {
                assert_eq!(highest, number(implied(&target, &odds(&mechanism, &target).unwrap())));
            }
        }
    }
}

/// Two worlds of priors P and 1−P: the extremes of belief are α and β.
#[test]
fn worlds_are_enumerated() {
    for mechanism in random(3, 2, 0, 15, 24) {
        let bounded = odds(&mechanism, &of("bounded-odds")).unwrap();
        for least in [ratio(1, 4), ratio(1, 3), ratio(1, 2)] {
            let (mut low, mut high) = (whole(1), whole(1));
            for a in 0..8_u32 {
                for b in (0..8_u32).filter(|b| b.count_ones() == a.count_ones() && (a ^ b).count_ones() == 2) {
                    for o in 0..2 {
                        for prior in [least.clone(), ratio(1, 2), whole(1) - &least] {
                            let odds = mechanism.probability(o, a) / mechanism.probability(o, b);
                            let multiple = posterior(&prior, &odds) / &prior;
                            low = low.min(multiple.clone());
                            high = high.max(multiple);
                        }
                    }
                }
            }
            let Some(Value::Pair(alpha, beta)) = implied(&of(&format!("alpha-beta:{least}")), &bounded) else {
                panic!("a pair")
            };
            assert_eq!((alpha.high, beta.high), (whole(1) - low, high - whole(1)));
        }
    }
}

/// Under replace-one, two people have beliefs p and 1−p: only pairs inside the range attain the gain.
#[test]
fn pairs_bound_what_follows_under_replace_one() {
    for range in ["1/5..4/5", "1/10..1/2", "2/5..9/10", "1/2"] {
        let target = of(&format!("gain@{range}@replace-one"));
        let range = range.parse::<PriorRange>().unwrap();
        let odds = whole(3);
        let mut worst = whole(1);
        for n in 1..120 {
            let p = ratio(n, 120);
            let rest = whole(1) - &p;
            if [&p, &rest].iter().all(|belief| range.low() <= *belief && *belief <= range.high()) {
                worst = worst.max(deniable_core::belief::tight_gain(&p, &odds));
            }
        }
        assert_eq!(number(demanding(&target, &Amount::of(odds.clone()))), worst);
        assert!(number(implied(&target, &Amount::of(odds))) >= worst);
    }
    let narrow = of("gain@1/10..2/5@replace-one");
    assert_eq!(demanding(&narrow, &Amount::of(whole(3))), None);
}
