//! Statements about replace-one beliefs over a range without its mirror, against mechanisms.

use super::world::random;
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_testing::sized;
use deniable_translate::counterexample::Counterexample;
use deniable_translate::parse::{statement, target};
use deniable_translate::render::Row;
use deniable_translate::translation::{Direction, Translation, translate};

fn rows(from: &str, to: &str) -> Vec<Translation> {
    let any = PriorRange::any();
    translate(&statement(from, &any).unwrap(), &target(to, &any).unwrap()).unwrap()
}

fn first(from: &str, to: &str) -> String {
    let row = Row::new(&rows(from, to)[0]);
    format!("{} {}", row.direction, row.value)
}

#[test]
fn observers_of_the_target_among_those_of_the_statement() {
    let gain = "gain=2@replace-one@1/10..2/5";
    for (from, to, wanted) in [
        (gain, "gain@replace-one@1/5..2/5", "implies 2"),
        (gain, "posterior@replace-one@1/10..2/5", "implies 7/10"),
        (gain, "rho:3", "implies 2/3"),
        (gain, "rho:4", "implies 1/2"),
        (gain, "rho:5", "implies 2/5"),
        (gain, "rho:10", "implies 1/5"),
        // One of eleven is not in the range; one of ten is.
        (gain, "rho:11", "implies 9/49"),
        ("loss=3/2@replace-one@3/5..9/10", "loss@replace-one@3/5..4/5", "implies 3/2"),
        ("loss=3/2@replace-one@3/5..9/10", "floor@replace-one@3/5..9/10", "implies 2/5"),
        ("membership=2@replace-one@1/10..2/5", "membership@replace-one@1/10..1/5", "implies 2"),
        ("posterior=7/10@replace-one@1/10..2/5", "posterior@replace-one@..1/5", "no implication -"),
        ("posterior=7/10@replace-one@1/10..2/5", "posterior@replace-one@1/5..2/5", "implies 7/10"),
        ("posterior=7/10@replace-one@1/10..2/5", "rho:3", "implies 7/10"),
        ("gain=4@replace-one@1/10..1/2", "gain@replace-one@1/10..2/5", "implies 4"),
    ] {
        let found = first(from, to);
        // Outside the statement's range the result is unknown or negative, never an implication.
        if wanted.starts_with("no implication") {
            assert!(!found.starts_with("implies"), "{from} -> {to}: {found}");
        } else {
            assert_eq!(found, wanted, "{from} -> {to}");
        }
    }
}

#[test]
fn a_counterexample_has_an_observer_of_the_target() {
    for to in ["bounded-odds", "rho:2", "alpha-beta:1/4", "gain@replace-one@1/5..4/5"] {
        let line = &rows("gain=2@replace-one@1/10..2/5", to)[0];
        assert_eq!(line.direction, Direction::NoImplication, "{to}");
        assert_eq!(line.counterexample, Some(Counterexample::NoObserver), "{to}");
    }
    for to in ["odds", "gain@1/5..2/5", "posterior@..1/2", "free-lunch", "uniform-gain"] {
        let line = &rows("gain=2@replace-one@1/10..2/5", to)[0];
        assert_eq!(line.counterexample, Some(Counterexample::ExactSize), "{to}");
    }
    // Beliefs of a quarter need four people who can be distinguished.
    let few = &rows("positive-odds=3", "gain@replace-one@1/10..1/4")[0];
    assert_eq!(few.counterexample, Some(Counterexample::OnlyAlone));
    // Among two or three people no beliefs are from 2/5 to 9/20: an observer of one of three equally likely people may
    // learn who is in.
    assert_eq!(rows("gain=2@replace-one@2/5..9/20", "rho:3")[0].counterexample, Some(Counterexample::NoObserver));
    // Three people with beliefs 2/5, 2/5 and 1/5 are in both ranges: exact answers break both.
    let wider = &rows("gain=2@replace-one@1/10..2/5", "gain@replace-one@1/10..9/20")[0];
    assert_eq!((wider.direction, wider.counterexample), (Direction::NotKnown, None));
}

/// The tight ends of the measure, or `None` if no observer has beliefs in the range.
fn tight(mechanism: &Mechanism, notion: &Notion, range: &PriorRange) -> Option<(Rational, Rational)> {
    match decide(mechanism, notion, &Family::Bounded(range.clone())) {
        Ok(verdict) => match (verdict.value.low(), verdict.value.high()) {
            (Bound::Finite(low), Bound::Finite(high)) => Some((low.clone(), high.clone())),
            _ => None,
        },
        Err(CheckError::NoPrior { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// A statement that a mechanism satisfies is satisfied in translation; the observers of `check` never exceed it.
#[test]
fn implied_statements_hold() {
    let ranges = ["1/10..2/5", "1/5..2/5", "1/10..1/2", "3/5..9/10", "2/3..9/10", "3/10..2/5"];
    let gain = Notion::Membership { sign: Sign::Positive };
    let (each, mut implied) = (sized(4, 12), 0);
    for mechanism in random(4, 2, 0, each, 61).into_iter().chain(random(3, 3, 0, each, 62)) {
        for range in ranges {
            let Some((_, high)) = tight(&mechanism, &gain, &range.parse::<PriorRange>().unwrap()) else { continue };
            if high <= whole(1) {
                continue;
            }
            let from = format!("gain={high}@replace-one@{range}");
            for other in ranges {
                let other_range = other.parse::<PriorRange>().unwrap();
                for (name, notion) in [("gain", &gain), ("posterior", &Notion::Posterior { sign: Sign::Positive })] {
                    let line = &rows(&from, &format!("{name}@replace-one@{other}"))[0];
                    let Some(value) = &line.value else { continue };
                    let Some((reached, _)) = tight(&mechanism, notion, &other_range) else { continue };
                    assert!(reached <= value.to_string().parse().unwrap(), "{from} -> {name} over {other}: {reached}");
                    implied += 1;
                }
            }
            for among in 2..=4 {
                let Ok(verdict) = decide(&mechanism, &Notion::Rho { among }, &Family::All) else { continue };
                let Some(value) = &rows(&from, &format!("rho:{among}"))[0].value else { continue };
                assert!(*verdict.value.low() <= Bound::Finite(value.to_string().parse().unwrap()), "{from} {among}");
                implied += 1;
            }
        }
    }
    assert!(implied > sized(80, 300), "{implied}");
}

/// γ = 2 limits beliefs in one of three to 2/3, and a mechanism attains it.
#[test]
fn one_of_three_attains_the_implied_belief() {
    let mechanism = super::world::weighted(3, 2, |data, output| match (data, output) {
        (1, 0) => ratio(4, 5),
        (2 | 4, 0) => ratio(1, 5),
        (1, _) => ratio(1, 5),
        (2 | 4, _) => ratio(4, 5),
        _ => ratio(1, 2),
    });
    let rho = decide(&mechanism, &Notion::Rho { among: 3 }, &Family::All).unwrap();
    assert_eq!(*rho.value.high(), Bound::Finite(ratio(2, 3)));
    let gain = decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &Family::OneOf(3)).unwrap();
    assert_eq!(*gain.value.high(), Bound::Finite(whole(2)));
}
