//! F-DB, F-DB2, F-DCm and (α,β)-differential identifiability.

use super::world::{attained, range, shown, shown_belief, witness};
use crate::it::common::bayes::{BOTH, Table, belief, gain, given, posteriors, sized_grid};
use crate::it::common::dice::{Dice, grid};
use crate::it::common::mechanisms::{exchanged, one_way, pairs, yes};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::{Value, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{One, Zero};

pub fn membership(about: Direction) -> Notion {
    Notion::Membership { sign: sign(about) }
}

pub fn sign(about: Direction) -> Sign {
    if about == Direction::Presence { Sign::Positive } else { Sign::Negative }
}

/// The replace-one ratio, pair by pair.
fn replace_one(mechanism: &Mechanism) -> Option<Bound> {
    let near = pairs(mechanism).filter(|(a, b)| exchanged(*a, *b));
    near.map(|(a, b)| one_way(mechanism, a, b)).max()
}

/// Whether only the first is in, answered truthfully three times out of four.
fn first_alone(entities: usize) -> Mechanism {
    yes(entities, |data| if data == 1 { ratio(3, 4) } else { ratio(1, 4) })
}

fn lopsided() -> Vec<Rational> {
    vec![whole(0), ratio(1, 50), ratio(1, 3), ratio(4, 5), whole(1)]
}

#[test]
fn any_prior_of_a_public_size_gains_the_replace_one_ratio() {
    let priors = sized_grid(3, &lopsided());
    let mut partial = 0;
    for mechanism in Dice::new(1).several(3, 24) {
        partial += u32::from(!mechanism.is_complete());
        let odds = replace_one(&mechanism).unwrap_or_else(Bound::one);
        for about in BOTH {
            for family in [Family::Bounded(PriorRange::any()), Family::OneOfTwo(PriorRange::any())] {
                let verdict = decide(&mechanism, &membership(about), &family).unwrap();
                assert_eq!(*verdict.value.high(), odds);
                let learned = odds != Bound::one() && odds != Bound::Infinite;
                assert_eq!(matches!(verdict.value, Value::Approached(_)), learned);
            }
            for prior in priors.iter().filter(|prior| given(&mechanism, prior)) {
                assert!(gain(&mechanism, prior, about).is_none_or(|gain| gain <= odds));
            }
        }
    }
    assert!(partial > 3);
}

/// Priors of F-DB[a,b] from the grid.
fn within(priors: &[Table], entities: usize, range: &PriorRange) -> Vec<Table> {
    let fits =
        |belief: Rational| belief.is_zero() || belief.is_one() || (range.low() <= &belief && &belief <= range.high());
    priors.iter().filter(|prior| (0..entities).all(|t| fits(belief(prior, t)))).cloned().collect()
}

#[test]
fn bounded_priors_of_a_public_size_stay_below_the_bound_and_the_witness_is_one_of_them() {
    let values: Vec<Rational> = (0..=4).map(|k| ratio(k, 4)).chain([ratio(1, 10)]).collect();
    let priors = sized_grid(4, &values);
    let (mut exact, mut open, mut met, mut three) = (0, 0, 0, 0);
    for range in [
        range((1, 4), (3, 4)),
        range((1, 5), (1, 2)),
        range((1, 5), (2, 5)),
        range((0, 1), (1, 3)),
        range((2, 3), (1, 1)),
    ] {
        let family = within(&priors, 4, &range);
        met += family.len();
        for mechanism in Dice::new(2).several(4, 10) {
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &Family::Bounded(range.clone())).unwrap();
                for prior in family.iter().filter(|prior| given(&mechanism, prior)) {
                    assert!(gain(&mechanism, prior, about).is_none_or(|gain| gain <= *verdict.value.high()));
                }
                if let Some((prior, ..)) = witness(&mechanism, &verdict) {
                    assert_eq!(within(std::slice::from_ref(&prior), 4, &range).len(), 1, "{prior:?}");
                    assert_eq!(shown(&mechanism, &verdict, about).as_ref(), Some(verdict.value.low()));
                    three += u32::from(prior.len() > 2);
                }
                match verdict.value {
                    Value::Attained(_) => exact += 1,
                    Value::Between { low, high, .. } => {
                        assert!(low < high);
                        open += 1;
                    }
                    Value::Approached(_) | Value::Vacuous(_) => panic!("the ends are beliefs"),
                }
            }
        }
    }
    assert!(
        exact > 20 && open > 20 && met > 300 && three > 20,
        "{exact} exact, {open} open, {met} priors, {three} larger"
    );
}

#[test]
fn two_entities_need_both_beliefs_in_the_range() {
    for (range, ends) in [
        (range((1, 4), (3, 4)), Some((1, 4))),
        (range((1, 5), (1, 2)), Some((1, 2))),
        (range((3, 10), (4, 5)), Some((3, 10))),
        (range((1, 5), (2, 5)), None),
    ] {
        for mechanism in Dice::new(3).several(3, 12) {
            for about in BOTH {
                let found = decide(&mechanism, &membership(about), &Family::OneOfTwo(range.clone()));
                let Some((top, bottom)) = ends else {
                    assert_eq!(found.unwrap().value, Value::Vacuous(Bound::one()));
                    continue;
                };
                // Every pair, at both ends of the beliefs whose complements are in the range.
                let near = pairs(&mechanism).filter(|(a, b)| exchanged(*a, *b));
                let end = ratio(top, bottom);
                let two = near.map(|(a, b)| vec![(a, end.clone()), (b, whole(1) - &end)]);
                let plain = two.filter_map(|prior| gain(&mechanism, &prior, about)).max().unwrap_or_else(Bound::one);
                let verdict = found.unwrap();
                assert_eq!(verdict.value, attained(plain.clone()));
                assert_eq!(shown(&mechanism, &verdict, about), Some(plain));
            }
        }
    }
}

#[test]
fn presence_and_absence_differ_in_bounded_ranges() {
    // R = 3. Priors of presence in [1/5, 1/2]: γ = max(3/(1+2/5), 1+1) = 15/7, at 1/5, whose complement is outside the
    // range: with two entities both beliefs are 1/2, and the gain is only 2.
    let mechanism = first_alone(2);
    let family = Family::Bounded(range((1, 5), (1, 2)));
    let found = BOTH.map(|about| decide(&mechanism, &membership(about), &family).unwrap().value);
    assert_eq!(found, [attained(Bound::Finite(whole(2))), attained(Bound::Finite(whole(2)))]);
    // With three entities the beliefs can be 1/5, 2/5 and 2/5, and the bound is attained.
    let mechanism = first_alone(3);
    let verdict = decide(&mechanism, &membership(Direction::Presence), &family).unwrap();
    assert_eq!(verdict.value, attained(Bound::Finite(ratio(15, 7))));
    let nobody = decide(&mechanism, &membership(Direction::Presence), &Family::Bounded(range((8, 20), (9, 20))));
    assert_eq!(nobody.unwrap().value, Value::Vacuous(Bound::one()));
}

/// Every prior of F-DCm.
fn one_in(entities: usize, m: u32) -> Vec<Table> {
    let sets = 0..1_u32 << entities;
    let choices = sets.clone().filter(|candidates| candidates.count_ones() == m);
    let each = choices.flat_map(|candidates| {
        let certain = sets.clone().filter(move |certain| certain & candidates == 0);
        certain.map(move |certain| {
            let bits = (0..entities).filter(|t| candidates >> t & 1 == 1).map(|t| certain | 1 << t);
            bits.map(|data| (data, ratio(1, i64::from(m)))).collect()
        })
    });
    each.collect()
}

#[test]
fn one_of_m_agrees_with_all_sets_of_candidates() {
    let mut dice = Dice::new(4);
    for (entities, m) in [(3, 2), (3, 3), (4, 2), (4, 3), (5, 3), (5, 4)] {
        let priors = one_in(entities, m);
        for mechanism in dice.several(entities, 12) {
            let family: Vec<_> = priors.iter().filter(|prior| given(&mechanism, prior)).collect();
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &Family::OneOf(m as usize));
                let Some(plain) = family.iter().filter_map(|prior| gain(&mechanism, prior, about)).max() else {
                    assert_eq!(verdict.unwrap().value, Value::Vacuous(Bound::one()));
                    continue;
                };
                let verdict = verdict.unwrap();
                assert_eq!(verdict.value, attained(plain.clone()));
                assert_eq!(shown(&mechanism, &verdict, about), Some(plain));
            }
            let Some(rho) = family.iter().flat_map(|prior| posteriors(&mechanism, prior)).max() else { continue };
            let verdict = decide(&mechanism, &Notion::Rho { among: m as usize }, &Family::All).unwrap();
            assert_eq!(verdict.value, attained(Bound::Finite(rho.clone())));
            assert_eq!(shown_belief(&mechanism, &verdict), Some(rho));
        }
    }
}

/// LQS13 Theorem 5.6 on the family of the paper (5.5), in which all others are in: the highest belief is at most ρ
/// exactly where the gains of presence and absence are at most γ = max(ρm, (m−1)/(m(1−ρ))); the family is a proper part
/// of F-DCm.
#[test]
fn one_of_the_rest_is_the_family_of_the_paper() {
    let mut dice = Dice::new(55);
    let mut less = 0;
    for (entities, m) in [(2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (5, 3)] {
        let everybody = (1_u32 << entities) - 1;
        let mut priors = one_in(entities, m);
        priors.retain(|prior| prior.iter().fold(0, |all, (data, _)| all | data) == everybody);
        assert_eq!(priors.len(), (0..1_u32 << entities).filter(|set| set.count_ones() == m).count());
        for mechanism in dice.several(entities, 12) {
            let family: Vec<_> = priors.iter().filter(|prior| given(&mechanism, prior)).collect();
            let mut gains = Vec::new();
            for about in BOTH {
                let verdict = decide(&mechanism, &membership(about), &Family::OneOfRest(m as usize)).unwrap();
                let Some(plain) = family.iter().filter_map(|prior| gain(&mechanism, prior, about)).max() else {
                    assert_eq!(verdict.value, Value::Vacuous(Bound::one()));
                    continue;
                };
                assert_eq!(verdict.value, attained(plain.clone()));
                assert_eq!(shown(&mechanism, &verdict, about), Some(plain.clone()));
                let all = decide(&mechanism, &membership(about), &Family::OneOf(m as usize)).unwrap();
                assert!(*all.value.high() >= plain);
                less += u32::from(*all.value.high() > plain);
                gains.push(plain);
            }
            let Some(highest) = family.iter().flat_map(|prior| posteriors(&mechanism, prior)).max() else { continue };
            let m = whole(m as usize);
            for rho in (1..20).map(|rho| ratio(rho, 20)).chain([highest.clone()]).filter(|rho| *rho > m.recip()) {
                if rho >= whole(1) {
                    continue;
                }
                let gamma = (&rho * &m).max((&m - whole(1)) / (&m * (whole(1) - &rho)));
                // γ limits a belief in presence from above in two ways (B-2), both checked here.
                let keeps = gains[0] <= Bound::Finite(gamma);
                assert_eq!(highest <= rho, keeps, "{rho} {highest} {:?}", gains[0]);
            }
        }
    }
    assert!(less > 20, "{less}");
}

#[test]
fn more_candidates_than_entities_are_vacuous() {
    let mechanism = Dice::new(5).partial(3, 2, 0, 0);
    let nobody = decide(&mechanism, &Notion::Rho { among: 4 }, &Family::All).unwrap();
    assert_eq!(nobody.value, Value::Vacuous(Bound::Finite(whole(0))));
    let error = decide(&mechanism, &membership(Direction::Presence), &Family::OneOf(1)).unwrap_err();
    assert_eq!(error.to_string(), "`m` = 1 must be at least 2");
}

/// The named entity is ruled out: identifiability of 1/(m−1) without a bound on odds (B-5, Thm 5.7).
#[test]
fn naming_an_absent_entity_identifies_no_member() {
    for m in 3..=5_usize {
        let names: Vec<String> = (0..m).map(|t| format!("not {t}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mechanism = Mechanism::from_fn(m, &names, |data, t| {
            let lone = data.count_ones() == 1;
            if !lone {
                ratio(1, m as i64)
            } else if data >> t & 1 == 1 {
                whole(0)
            } else {
                ratio(1, m as i64 - 1)
            }
        });
        let mechanism = mechanism.unwrap();
        let rho = decide(&mechanism, &Notion::Rho { among: m }, &Family::All).unwrap().value;
        assert_eq!(rho, attained(Bound::Finite(ratio(1, m as i64 - 1))));
        assert_eq!(decide(&mechanism, &Notion::Bounded, &Family::All).unwrap().value, attained(Bound::Infinite));
    }
}

/// Worlds `D ∪ {x}` with priors of at least `least`, on a grid.
fn worlds(entities: usize, least: &Rational, steps: i64) -> Vec<Table> {
    let mut all = vec![];
    for certain in 0..1_u32 << entities {
        let outside: Vec<u32> = (0..entities).map(|t| 1 << t).filter(|bit| certain & bit == 0).collect();
        for weights in grid(outside.len(), &(0..=steps).map(|k| ratio(k, steps)).collect::<Vec<_>>()) {
            let sum: Rational = weights.iter().sum();
            let two = weights.iter().filter(|weight| !weight.is_zero()).count() >= 2;
            if sum.is_one() && two && weights.iter().all(|weight| weight.is_zero() || weight >= least) {
                all.push(
                    outside
                        .iter()
                        .zip(weights)
                        .map(|(bit, weight)| (certain | bit, weight))
                        .filter(|(_, weight)| !weight.is_zero())
                        .collect(),
                );
            }
        }
    }
    all
}

#[test]
fn worlds_rise_and_fall_by_the_replace_one_ratio() {
    let mut dice = Dice::new(6);
    for (top, bottom) in [(1, 10), (1, 5), (3, 10), (1, 2)] {
        let least = ratio(top, bottom);
        let priors = worlds(3, &least, 10);
        assert!(priors.len() >= 6);
        for mechanism in dice.several(3, 14) {
            let family = priors.iter().filter(|prior| given(&mechanism, prior));
            let multiples: Vec<Rational> = family
                .flat_map(|prior| {
                    let after = (0..mechanism.outputs().len()).flat_map(|output| {
                        let total: Rational =
                            prior.iter().map(|(data, weight)| weight * mechanism.probability(output, *data)).sum();
                        let each = prior.iter().filter(|_| !total.is_zero());
                        each.map(|(data, _)| mechanism.probability(output, *data) / &total).collect::<Vec<_>>()
                    });
                    after.collect::<Vec<_>>()
                })
                .collect();
            let (Some(high), Some(low)) = (multiples.iter().max(), multiples.iter().min()) else { continue };
            for (sign, plain) in [(Sign::Positive, high - whole(1)), (Sign::Negative, whole(1) - low)] {
                let verdict =
                    decide(&mechanism, &Notion::AlphaBeta { least: least.clone(), sign }, &Family::All).unwrap();
                assert_eq!(verdict.value, attained(Bound::Finite(plain.clone())));
                let (prior, entity, output) = witness(&mechanism, &verdict).unwrap();
                let (before, after) = (belief(&prior, entity), shown_belief(&mechanism, &verdict).unwrap());
                assert!(output < mechanism.outputs().len() && before == least);
                let moved = if sign == Sign::Positive { after / before - whole(1) } else { whole(1) - after / before };
                assert_eq!(moved, plain);
            }
        }
    }
}

#[test]
fn worlds_of_any_prior_are_approached() {
    let mechanism = first_alone(2);
    let ask = |sign, least| decide(&mechanism, &Notion::AlphaBeta { least, sign }, &Family::All);
    let verdict = ask(Sign::Positive, whole(0)).unwrap();
    assert_eq!(verdict.value, Value::Approached(Bound::Finite(whole(2))));
    assert!(matches!(verdict.witness, Some(Witness::Datasets { .. })));
    assert_eq!(ask(Sign::Negative, whole(0)).unwrap().value, Value::Approached(Bound::Finite(ratio(2, 3))));
    assert!(matches!(ask(Sign::Negative, ratio(3, 5)), Err(CheckError::OutOfRange { .. })));
    assert!(matches!(ask(Sign::Both, ratio(1, 5)), Err(CheckError::OneSide { .. })));
    // An exact answer: belief in the wrong world falls to 0 from any prior, in the right one it rises to 1.
    let exact =
        Mechanism::from_fn(2, &["a", "b"], |data, output| whole(u8::from((data == 1) == (output == 0)))).unwrap();
    let ask = |sign, least| decide(&exact, &Notion::AlphaBeta { least, sign }, &Family::All).unwrap().value;
    assert_eq!(ask(Sign::Negative, whole(0)), attained(Bound::one()));
    assert_eq!(ask(Sign::Positive, whole(0)), Value::Approached(Bound::Infinite));
    assert_eq!(ask(Sign::Positive, ratio(1, 5)), attained(Bound::Finite(whole(4))));
}
