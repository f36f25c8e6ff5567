//! F-EXPL: given priors and their mixtures.

use super::sized::membership;
use super::world::{attained, shown};
use crate::it::common::bayes::{BOTH, Table, gain, mixed, table};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::yes;
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Direction;
use deniable_check::verdict::Value;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_testing::sized;

/// A random prior over all datasets, about one in `zeros` of which is impossible.
fn prior(entities: usize, zeros: usize, dice: &mut Dice) -> Table {
    table(dice.sparse(1 << entities, zeros))
}

fn family(priors: &[Table]) -> Family {
    Family::Explicit(priors.iter().cloned().map(Prior::Table).collect())
}

#[test]
fn one_prior_is_bayes_rule() {
    let mut dice = Dice::new(31);
    for entities in 1..=3 {
        for mechanism in dice.complete(entities, 30) {
            let prior = prior(entities, 3, &mut dice);
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &family(std::slice::from_ref(&prior))).unwrap();
                let plain = gain(&mechanism, &prior, about);
                assert_eq!(verdict.value, plain.clone().map_or(Value::Vacuous(Bound::one()), attained));
                assert_eq!(shown(&mechanism, &verdict, about), plain);
            }
        }
    }
}

#[test]
fn mixtures_stay_below_the_value_and_the_witness_is_one_of_them() {
    let mut dice = Dice::new(32);
    let (mut open, mut near, mut exact) = (0, 0, 0);
    for round in 0..sized(24, 60) {
        let entities = 1 + round % 3;
        let priors: Vec<Table> = (0..2 + round % 2).map(|_| prior(entities, 2 + round % 4, &mut dice)).collect();
        for mechanism in dice.complete(entities, 4) {
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &family(&priors)).unwrap();
                let high = verdict.value.high();
                let mut plain = Bound::one();
                for step in 0..=40 {
                    let weights = if priors.len() == 2 {
                        vec![ratio(step, 40), ratio(40 - step, 40)]
                    } else {
                        dice.sparse(priors.len(), 4)
                    };
                    let found = gain(&mechanism, &mixed(&priors, &weights), about).unwrap_or_else(Bound::one);
                    assert!(found <= *high, "{found} at {weights:?}, {:?}", verdict.value);
                    plain = plain.max(found);
                }
                let shown = shown(&mechanism, &verdict, about);
                match &verdict.value {
                    Value::Attained(value) => {
                        exact += 1;
                        assert!(shown.is_none_or(|shown| shown == *value));
                    }
                    Value::Approached(value) => {
                        near += 1;
                        let most = value.map(|value| value * ratio(999, 1000), Bound::Finite(whole(1000)));
                        assert!(
                            shown.as_ref().is_some_and(|shown| shown <= value && *shown >= most),
                            "{value} {shown:?}"
                        );
                    }
                    Value::Vacuous(_) => assert_eq!((plain.clone(), shown), (Bound::one(), None)),
                    Value::Between { low, high, .. } => {
                        open += 1;
                        assert_eq!(shown.as_ref(), Some(low));
                        let width = high.finite().unwrap() - low.finite().unwrap();
                        assert!(width < ratio(1, 1_000_000_000) && low > &plain);
                    }
                }
            }
        }
    }
    assert!(
        open > sized(1, 10) && near > sized(3, 10) && exact > sized(40, 100),
        "{exact} exact, {near} near, {open} irrational"
    );
}

/// The grid is so fine that its largest gain is near the true one: the value is tight from above too.
#[test]
fn no_mixture_is_missed() {
    let mut dice = Dice::new(33);
    for _ in 0..sized(8, 25) {
        let priors = [prior(2, 0, &mut dice), prior(2, 0, &mut dice)];
        let mechanism = dice.partial(2, 2, 0, 0);
        for about in BOTH {
            let high = decide(&mechanism, &membership(about), &family(&priors)).unwrap().value.high().clone();
            let at = |step| gain(&mechanism, &mixed(&priors, &[ratio(step, 500), ratio(500 - step, 500)]), about);
            let plain = (0..=500).filter_map(at).max().unwrap();
            let slack = plain.map(|plain| plain * ratio(10_001, 10_000), Bound::Infinite);
            assert!(plain <= high && high <= slack, "{plain} {high}");
        }
    }
}

/// One person who answers yes with probability 1 if in and 1/2 if not.
fn half() -> Mechanism {
    Mechanism::new(&["ann"], &["yes", "no"], vec![vec![ratio(1, 2), ratio(1, 2)], vec![whole(1), whole(0)]]).unwrap()
}

#[test]
fn ends_that_are_certain_are_approached() {
    // Mixtures of "out" and "in" are all priors. After yes, LR is 2, and the gain tends to 2 at either end.
    let priors = [vec![(0, whole(1))], vec![(1, whole(1))]];
    let verdict = decide(&half(), &membership(Direction::Presence), &family(&priors)).unwrap();
    assert_eq!(verdict.value, Value::Approached(Bound::Finite(whole(2))));
    // After no, presence is ruled out.
    let verdict = decide(&half(), &membership(Direction::Absence), &family(&priors)).unwrap();
    assert_eq!(verdict.value, attained(Bound::Infinite));
    // A certain prior alone has no uncertain entity: vacuous.
    let verdict = decide(&half(), &membership(Direction::Presence), &family(&priors[..1])).unwrap();
    assert_eq!(verdict.value, Value::Vacuous(Bound::one()));
}

/// A peak inside an edge at an irrational weight.
#[test]
fn an_irrational_peak_is_bracketed() {
    // The answer depends on whether exactly one of the second and third is in, each of whom alone does not change its
    // probability; and on the first only through the prior. Prior 1: the first is rarely in, and the answer is rarely
    // yes. Prior 2: linked.
    let mechanism = yes(3, |data| if (data >> 1).count_ones() == 1 { ratio(9, 10) } else { ratio(1, 10) });
    let split = |first: u32, one: bool, weight: Rational| {
        let half = weight / whole(2);
        let others = if one { [0b010_u32, 0b100] } else { [0b000, 0b110] };
        others.map(|others| (others | first, half.clone()))
    };
    let priors = [
        [split(0, false, ratio(99, 100)), split(1, false, ratio(1, 100))].concat(),
        [split(0, false, ratio(1, 2)), split(1, true, ratio(1, 2))].concat(),
    ];
    let verdict = decide(&mechanism, &membership(Direction::Presence), &family(&priors)).unwrap();
    let Value::Between { low, high, theorem } = &verdict.value else { panic!("{:?}", verdict.value) };
    assert_eq!((*theorem, low.decimal(6), high.decimal(6)), ("F-EXPL", low.decimal(6), low.decimal(6)));
    let ends = [0, 1].map(|k| gain(&mechanism, &priors[k], Direction::Presence).unwrap());
    assert!(ends.iter().all(|end| end < low));
    assert_eq!(shown(&mechanism, &verdict, Direction::Presence).as_ref(), Some(low));
}

#[test]
fn invalid_priors_are_refused() {
    let mechanism = Dice::new(34).partial(2, 2, 0, 0);
    let ask = |prior| {
        decide(&mechanism, &membership(Direction::Presence), &Family::Explicit(vec![prior])).unwrap_err().to_string()
    };
    let half = Prior::Table(vec![(0, ratio(1, 2))]);
    assert_eq!(ask(half), "prior number 1 is invalid: its probabilities sum to 1/2, not 1");
    assert_eq!(
        ask(Prior::Table(vec![(0, ratio(3, 2)), (1, ratio(-1, 2))])),
        "prior number 1 is invalid: the probability of dataset {t0} is -1/2, below 0"
    );
    assert!(ask(Prior::Table(vec![(4, whole(1))])).contains("dataset number 4"));
    assert!(ask(Prior::Independent(vec![ratio(1, 2)])).contains("beliefs in 1 entities"));
    assert!(ask(Prior::Independent(vec![ratio(1, 2), whole(2)])).contains("belief 2"));
    let none = decide(&mechanism, &membership(Direction::Presence), &Family::Explicit(vec![]));
    assert!(matches!(none, Err(CheckError::NoPrior { .. })));
    let rows = vec![Some(vec![whole(1)]), None];
    let partial = Mechanism::partial(vec!["ann".into()], vec!["x".into()], rows).unwrap();
    let prior = Prior::Independent(vec![ratio(1, 2)]);
    let error = decide(&partial, &membership(Direction::Presence), &Family::Explicit(vec![prior])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "prior number 1 is invalid: dataset {ann} is possible, but the mechanism has no row for it"
    );
}
