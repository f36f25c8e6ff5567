//! C-11 and C-12: sizes fixed beforehand, and sizes chosen from earlier answers.

use super::dice::Dice;
use super::loss_exact::{Curve, Pair, rows};
use super::world::{Bound, Mechanism, adjacent};
use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, power, ratio, whole};
use deniable_core::loss::filter::{most_rho_lower, rho_upper};
use deniable_core::loss::{Chance, Coins, Filter};

fn coin(odds: i64) -> Pair {
    Pair::coin(&whole(odds))
}

/// At R = 16: a coin of 4; after "up" a coin of 8, after "down" two coins of 4.
#[test]
fn sizes_that_depend_on_answers_exceed_fixed_ones() {
    let (one, two) = (coin(4).and(&coin(8)), coin(4).times(3));
    let fixed = one.curve().beta(&whole(16)).max(two.curve().beta(&whole(16)));
    assert_eq!(fixed, ratio(16, 21));
    let chosen = coin(4).then(&[coin(8), coin(4).times(2)]);
    assert_eq!(chosen.curve().beta(&whole(16)), ratio(112, 135));
    // The filter covers both courses: it is charged the larger sum.
    let promise = Spend::odds(whole(16)).unwrap();
    let mut filter = Filter::new(&promise).unwrap();
    filter.charge(&Coins::new(1, ratio(1, 2)).unwrap());
    filter.charge(&Coins::new(1, ratio(3, 4)).unwrap());
    assert!(filter.chance_upper(&whole(16)) >= ratio(112, 135));
}

fn finite_odds(mechanism: &Mechanism, adjacency: Adjacency) -> Rational {
    match mechanism.odds(adjacency) {
        Bound::Finite(odds) => odds,
        Bound::Infinite => panic!("{mechanism:?} is not pure"),
    }
}

fn curve_of(mechanism: &Mechanism, adjacency: Adjacency) -> Curve {
    let pairs = adjacent(mechanism.people, adjacency);
    Curve::hull(&pairs.iter().map(|(one, other)| rows(mechanism, *one, *other)).collect::<Vec<_>>())
}

/// Answers of one mechanism, then of the mechanism that each of them selects, as one answer.
fn adaptive(first: &Mechanism, after: &[Mechanism]) -> Mechanism {
    Mechanism::new(first.people, |data| {
        let each = first.row(data).iter().zip(after);
        each.flat_map(|(chance, next)| next.row(data).iter().map(move |p| chance * p)).collect()
    })
}

/// Random mechanisms on two and three people: each is dominated by the coin of its odds, an adaptive choice of questions
/// of one size by the product, and so are sizes whose order, or omission, depends on answers.
#[test]
fn products_of_coins_dominate_adaptive_questions_of_fixed_sizes() {
    let mut dice = Dice::new(487);
    for (people, adjacency, rounds) in [(2, AddRemove, 12), (2, ReplaceOne, 8), (3, AddRemove, 4), (3, ReplaceOne, 4)] {
        for _ in 0..rounds {
            let first = Mechanism::random(people, 2, 1, &mut dice);
            let pool: Vec<Mechanism> = (0..4).map(|_| Mechanism::random(people, 2, 2, &mut dice)).collect();
            let odds: Vec<Rational> = pool.iter().map(|next| finite_odds(next, adjacency)).collect();
            let own = Pair::coin(&finite_odds(&first, adjacency));
            assert!(own.curve().dominates(&curve_of(&first, adjacency)), "{first:?}");
            for (one, other) in [(0, 1), (2, 3), (1, 2)] {
                let questions = adaptive(&first, &[pool[one].clone(), pool[other].clone()]);
                let size = odds[one].clone().max(odds[other].clone());
                let product = own.and(&Pair::coin(&size));
                assert!(product.curve().dominates(&curve_of(&questions, adjacency)), "{first:?} {pool:?}");
                // Both, in an order that the first answer decides; or none after the second answer of the first.
                let orders = [pool[one].and(&pool[other]), pool[other].and(&pool[one])];
                let product = own.and(&Pair::coin(&odds[one])).and(&Pair::coin(&odds[other]));
                assert!(product.curve().dominates(&curve_of(&adaptive(&first, &orders), adjacency)));
                let silent = Mechanism::yes(people, |_| ratio(1, 2));
                let stopped = adaptive(&first, &[orders[0].clone(), silent]);
                assert!(product.curve().dominates(&curve_of(&stopped, adjacency)));
                // Processed at random, and merged.
                let kernel: Vec<Vec<Rational>> = (0..8).map(|_| dice.distribution(3, 0, 4)).collect();
                let shown = adaptive(&first, &orders).then(&kernel);
                assert!(product.curve().dominates(&curve_of(&shown, adjacency)));
            }
        }
    }
}

/// The filter of a promise of 2 after coins of odds 2^size.
fn charged(sizes: &[i64]) -> Filter {
    let mut filter = Filter::new(&Spend::odds(whole(2)).unwrap()).unwrap();
    sizes.iter().for_each(|size| filter.charge(&Coins::new(1, whole(*size)).unwrap()));
    filter
}

/// All trees of coins of odds 2, 4 and 8 whose `Σρ` is at most `rest` on every path.
fn trees(rest: &Rational, depth: u32) -> Vec<Pair> {
    let mut all = vec![Pair::nothing()];
    if depth == 0 {
        return all;
    }
    let promise = Spend::odds(whole(2)).unwrap();
    for size in 1..=3_u32 {
        let left = rest - rho_upper(&promise, &whole(size));
        if left < whole(0) {
            continue;
        }
        let after = trees(&left, depth - 1);
        for up in &after {
            for down in &after {
                all.push(Pair::coin(&power(&whole(2), size)).then(&[up.clone(), down.clone()]));
            }
        }
    }
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all.dedup();
    all
}

/// Every adaptive choice of coins within a filter: no event of odds above R has a chance above the bound.
#[test]
fn no_choice_of_sizes_exceeds_the_filter() {
    let mut closest = whole(0);
    for (sizes, depth) in [(vec![2], 3), (vec![2, 1], 3), (vec![3, 1], 3), (vec![1, 1, 1, 1], 4)] {
        let filter = charged(&sizes);
        let trees = trees(filter.rho(), depth);
        assert!(trees.len() > 5, "{sizes:?}");
        for steps in 1..=9 {
            let odds = power(&whole(2), steps) * ratio(99, 100);
            let bound = filter.chance_upper(&odds);
            for tree in &trees {
                let exact = tree.curve().beta_strict(&odds);
                assert!(exact <= bound, "{tree:?} at {odds}: {exact} above {bound}");
                // About absence the same.
                assert!(tree.exchanged().curve().beta_strict(&odds) <= bound, "{tree:?}");
                if bound < whole(1) {
                    closest = closest.max(&exact / &bound);
                }
            }
        }
    }
    assert!(closest > ratio(1, 8), "{closest} of the bound is attained");
}

/// `D_α ≤ α·ρ` for the coin, at whole α, with the exact moment `Σ P^α·Q^(1−α)`; and the divergence at α → 1 is ρ itself.
#[test]
fn a_coin_has_this_rho_and_no_less() {
    let promise = Spend::odds(whole(2)).unwrap();
    let ln = promise.ln(256);
    for size in 1..=6_u32 {
        let odds = power(&whole(2), size);
        let rho = rho_upper(&promise, &whole(size)) * ln.high() * ln.high();
        for order in 2..=9_u32 {
            let less = (whole(1) + &odds).recip();
            let moment = (power(&odds, order) + power(&odds.recip(), order - 1)) * less;
            let most = deniable_core::exact::Enclosure::of(&(&rho * whole(order * (order - 1))), 256).exp().high();
            assert!(moment <= most, "2^{size} at {order}");
        }
        let divergence = whole(size) * ln.low() * (&odds - whole(1)) / (&odds + whole(1));
        assert!(rho >= divergence && rho < divergence * ratio(1_000_001, 1_000_000), "2^{size}");
    }
}

fn rare(places: u32) -> Chance {
    Chance::new(power(&ratio(1, 10), places)).unwrap()
}

#[test]
fn values_of_the_design() {
    let promise = Spend::odds(whole(3)).unwrap();
    let shown = |count: u32| {
        let mut filter = Filter::new(&promise).unwrap();
        filter.charge(&Coins::new(count, ratio(1, count.into())).unwrap());
        assert_eq!(*filter.rho(), ratio(1, 2 * i64::from(count)), "an exact multiple");
        decimal(&filter.odds_but_for(&rare(6)).unwrap(), 3, Rounding::Nearest)
    };
    assert_eq!((shown(100), shown(24)), ("1.792".to_owned(), "3.333".to_owned()));
    let most = most_rho_lower(&promise, &whole(2), &rare(6));
    let mut filter = Filter::new(&promise).unwrap();
    let mut count = 0;
    while &most - filter.rho() >= ratio(1, 20_000) {
        filter.charge(&Coins::new(1, ratio(1, 100)).unwrap());
        count += 1;
    }
    assert!(filter.odds_but_for(&rare(6)).unwrap() <= whole(2));
    filter.charge(&Coins::new(1, ratio(1, 100)).unwrap());
    assert!(filter.odds_but_for(&rare(6)).unwrap() > whole(2), "{count} answers");
}

/// An answer that proves presence with a chance, or absence, and is a coin otherwise: `Σρ` of the coin alone is no bound.
#[test]
fn answers_that_are_not_pure_add_their_chances() {
    let chance = ratio(1, 50);
    let rest = whole(1) - &chance;
    let mut pair = Pair::coin(&whole(2));
    pair.0.iter_mut().for_each(|(p, q)| {
        *p *= &rest;
        *q *= &rest;
    });
    pair.0.extend([(chance.clone(), whole(0)), (whole(0), chance.clone())]);
    let promise = Spend::odds(whole(2)).unwrap();
    let coin = Coins::new(1, whole(1)).unwrap();
    let mut wrong = 0;
    for count in 1..=4 {
        let exact = pair.times(count).curve();
        let (mut filter, mut pure) = (Filter::new(&promise).unwrap(), Filter::new(&promise).unwrap());
        for _ in 0..count {
            filter.charge_but_for(&coin, &Chance::new(chance.clone()).unwrap());
            pure.charge(&coin);
        }
        for odds in [4, 16, 64, 1024].map(whole) {
            let bound = filter.chance_upper(&odds);
            assert!(exact.beta_strict(&odds) <= bound, "{count} at {odds}");
            wrong += usize::from(exact.beta_strict(&odds) > pure.chance_upper(&odds));
        }
        // The least odds for a chance are no less than those of the exact curve.
        for chance in [ratio(1, 10), ratio(1, 5), ratio(1, 2)].map(|chance| Chance::new(chance).unwrap()) {
            let Some(odds) = filter.odds_but_for(&chance) else { continue };
            assert!(exact.beta_strict(&odds) <= *chance.value(), "{count} but for {chance}");
        }
        assert_eq!(filter.odds_but_for(&Chance::new(ratio(1, 100)).unwrap()), None);
    }
    assert!(wrong > 6, "{wrong}");
}
