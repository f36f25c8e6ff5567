//! The account of all answers: always the smallest of the walk beside the filter, one filter, and certainty.

use super::dice::Dice;
use super::loss_exact::{Curve, Pair};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, power, ratio, whole};
use deniable_core::loss::filter::rho_upper;
use deniable_core::loss::{Chance, Coins, Filter, Lattice, LossAccount};
use deniable_testing::{Scale, scale};

fn rare(places: u32) -> Chance {
    Chance::new(power(&ratio(1, 10), places)).unwrap()
}

fn account(odds: i64) -> LossAccount {
    LossAccount::new(&Spend::odds(whole(odds)).unwrap()).unwrap()
}

fn coins(count: u32, exponent: Rational) -> Vec<Coins> {
    vec![Coins::new(count, exponent).unwrap()]
}

fn shown(odds: &Rational) -> String {
    decimal(odds, 3, Rounding::Up)
}

#[test]
fn readings_are_never_above_certain_odds() {
    // 24 equal answers: as chosen sizes the filter reads 3.33, so that 3 is read; as fixed sizes 2.76.
    let (mut fixed, mut chosen) = (account(3), account(3));
    for _ in 0..24 {
        fixed.charge_fixed(&coins(1, ratio(1, 24)), &ratio(1, 24)).unwrap();
        chosen.charge_chosen(&coins(1, ratio(1, 24)), &ratio(1, 24)).unwrap();
    }
    assert!(chosen.filter().odds_but_for(&rare(6)).unwrap() > whole(3));
    assert_eq!(chosen.odds_but_for(&rare(6)), Some(whole(3)));
    assert_eq!(shown(&fixed.odds_but_for(&rare(6)).unwrap()), "2.763");
    assert_eq!(fixed.surely(), Some(&whole(1)));
    // No event of odds above 3, and smaller odds with a chance.
    for account in [&fixed, &chosen] {
        assert_eq!(account.chance_above(&whole(3)), whole(0));
        assert!(account.chance_above(&ratio(299, 100)) > whole(0));
        assert_eq!(account.chance_above(&ratio(1, 2)), whole(1));
    }
    assert_eq!(account(3).odds_but_for(&rare(6)), Some(whole(1)));
    assert!(account(3).charge_fixed(&[], &whole(0)).is_err());
}

/// Each bound is the smallest somewhere, and is then what is read.
#[test]
fn the_smallest_bound_is_read() {
    let mut account = account(3);
    account.charge_fixed(&coins(50, ratio(1, 100)), &ratio(1, 2)).unwrap();
    let walk_alone = account.odds_but_for(&rare(6)).unwrap();
    let direct = account.walk().distribution().unwrap().odds_but_for(&rare(6)).unwrap();
    assert_eq!(walk_alone, direct);
    account.charge_chosen(&coins(50, ratio(1, 100)), &ratio(1, 2)).unwrap();
    let both = account.odds_but_for(&rare(6)).unwrap();
    let mut all = Filter::new(account.walk().lattice().promise()).unwrap();
    all.charge(&coins(100, ratio(1, 100))[0]);
    let filtered = all.odds_but_for(&rare(6)).unwrap();
    assert!(both > walk_alone && both <= filtered, "{both} {filtered}");
    // A large walk beside a small chosen part: better than one filter.
    let mut large = self::account(9);
    large.charge_fixed(&coins(40, ratio(1, 40)), &whole(1)).unwrap();
    large.charge_chosen(&coins(2, ratio(1, 80)), &ratio(1, 40)).unwrap();
    let mut all = Filter::new(large.walk().lattice().promise()).unwrap();
    all.charge(&coins(40, ratio(1, 40))[0]);
    all.charge(&coins(2, ratio(1, 80))[0]);
    let (read, filtered) = (large.odds_but_for(&rare(6)).unwrap(), all.odds_but_for(&rare(6)).unwrap());
    assert!(read < filtered && read < whole(9), "{} {}", shown(&read), shown(&filtered));
    // The chance above odds is the inverse of the odds but for a chance.
    let chance = large.chance_above(&read);
    assert!(chance <= power(&ratio(1, 10), 6) * ratio(11, 10), "{}", decimal(&chance, 9, Rounding::Up));
    assert!(large.chance_above(&(&read * ratio(99, 100))) > *rare(6).value());
}

/// A random strategy: at each node the next fixed coin, a chosen coin that the filter allows, or no further answer.
fn strategy(dice: &mut Dice, fixed: &[u32], rest: &Rational, promise: &Spend) -> Pair {
    let allowed: Vec<u32> = (1..=3).filter(|size| rho_upper(promise, &whole(*size)) <= *rest).collect();
    let choices = fixed.len() + allowed.len();
    let Some(last) = i64::try_from(choices).unwrap().checked_sub(1).filter(|last| *last >= 0) else {
        return Pair::nothing();
    };
    let at = usize::try_from(dice.between(0, last)).unwrap();
    let (size, fixed, rest) = match fixed.get(at) {
        Some(size) => (*size, [&fixed[..at], &fixed[at + 1..]].concat(), rest.clone()),
        None => {
            let size = allowed[at - fixed.len()];
            (size, fixed.to_vec(), rest - rho_upper(promise, &whole(size)))
        }
    };
    let [up, down] =
        [0, 1].map(|_| if dice.between(0, 9) == 0 { Pair::nothing() } else { strategy(dice, &fixed, &rest, promise) });
    Pair::coin(&power(&whole(2), size)).then(&[up, down])
}

/// Fixed and chosen coins in any order, which answers decide as well: no event exceeds the account's chance.
#[test]
fn no_interleaving_exceeds_a_walk_beside_a_filter() {
    let promise = Spend::odds(whole(2)).unwrap();
    let rounds = if scale() == Scale::Small { 60 } else { 600 };
    let mut dice = Dice::new(488);
    let (mut informative, mut closest) = (0, whole(0));
    for fixed in [vec![1_u32], vec![2, 2], vec![1, 1, 3]] {
        for sizes in [vec![1_u32, 1], vec![2], vec![2, 1]] {
            let mut account = LossAccount::on(Lattice::with_steps(&promise, 16).unwrap()).unwrap();
            for size in &fixed {
                account.charge_fixed(&coins(1, whole(*size)), &whole(*size)).unwrap();
            }
            for size in &sizes {
                account.charge_chosen(&coins(1, whole(*size)), &whole(*size)).unwrap();
            }
            let certain = power(&whole(2), fixed.iter().chain(&sizes).sum());
            let rest = account.filter().rho().clone();
            let pairs: Vec<Pair> = (0..rounds).map(|_| strategy(&mut dice, &fixed, &rest, &promise)).collect();
            let curve = Curve::hull(&pairs);
            for at in 1..40 {
                let odds = ratio(at * at, 4) + ratio(1, 2);
                let bound = account.chance_above(&odds);
                let exact = curve.beta_strict(&odds);
                // Strategies may use up the ρ of the filter with more certain odds than were charged.
                if odds < certain {
                    assert!(exact <= bound, "{fixed:?} {sizes:?} at {odds}: {exact} above {bound}");
                    if bound < whole(1) {
                        informative += 1;
                        closest = closest.max(exact / bound);
                    }
                }
            }
            for chance in [ratio(1, 100), ratio(1, 10), ratio(1, 3)].map(|chance| Chance::new(chance).unwrap()) {
                let odds = account.odds_but_for(&chance).unwrap();
                if odds < certain {
                    assert!(curve.beta_strict(&odds) <= *chance.value(), "{fixed:?} {sizes:?} but for {chance}");
                }
            }
        }
    }
    assert!(informative > 30 && closest > ratio(1, 8), "{informative} informative, {closest} of a bound attained");
}

/// One answer that is not pure: no odds are certain, and its chance is added.
#[test]
fn failing_answers_leave_no_odds_certain() {
    let mut account = account(3);
    account.charge_fixed(&coins(40, ratio(1, 40)), &whole(1)).unwrap();
    let before = account.odds_but_for(&rare(6)).unwrap();
    let failing = &coins(1, ratio(1, 40))[0];
    account.charge_failing(failing, &ratio(1, 40), &rare(8)).unwrap();
    assert_eq!(account.surely(), None);
    let after = account.odds_but_for(&rare(6)).unwrap();
    assert!(after > before, "{} {}", shown(&after), shown(&before));
    assert!(account.chance_above(&whole(100)) >= *rare(8).value());
    assert!(account.chance_above(&whole(100)) <= rare(8).value() * ratio(11, 10));
    assert_eq!(account.odds_but_for(&rare(9)), None);
}
