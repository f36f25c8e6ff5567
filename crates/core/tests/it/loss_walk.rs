//! C-11: products of coins on the lattice, against exact binomials, and the values of the design.

use super::loss_exact::{Pair, assert_tight, tiny};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, power, ratio, whole};
use deniable_core::loss::{Chance, Coins, Lattice, LossDistribution, Walk};
use deniable_testing::{Scale, scale};
use num_bigint::BigInt;
use std::time::Instant;

fn chance(top: i64, bottom: i64) -> Chance {
    Chance::new(ratio(top, bottom)).unwrap()
}

/// A promise that 10^−places may break.
fn rare(places: u32) -> Chance {
    Chance::new(power(&ratio(1, 10), places)).unwrap()
}

/// The distribution of coins, as (count, exponent), on a lattice of this many steps to the odds.
fn on_lattice(odds: &Rational, steps: u32, coins: &[(u32, Rational)]) -> LossDistribution {
    let lattice = Lattice::with_steps(&Spend::odds(odds.clone()).unwrap(), steps).unwrap();
    let mut walk = Walk::on(lattice);
    coins.iter().for_each(|(count, exponent)| walk.add(&Coins::new(*count, exponent.clone()).unwrap()));
    walk.distribution().unwrap()
}

/// `count` equal coins that share odds of `odds`.
fn equal(odds: i64, count: u32) -> LossDistribution {
    let mut walk = Walk::new(&Spend::odds(whole(odds)).unwrap()).unwrap();
    walk.add(&Coins::new(count, ratio(1, count.into())).unwrap());
    walk.distribution().unwrap()
}

/// All bounds of a distribution against those of an exact pair; `compare` gets the bound, the exact value and a name.
fn compare_all(
    bounds: &LossDistribution,
    pair: &Pair,
    odds: &[Rational],
    compare: impl Fn(&Rational, &Rational, &str),
) {
    let curve = pair.curve();
    for odds in odds {
        compare(&bounds.beta_upper(odds), &curve.beta(odds), &format!("β* at {odds}"));
        compare(&bounds.delta_upper(odds), &curve.delta(odds), &format!("δ at {odds}"));
    }
    compare(&bounds.advantage_upper(), &curve.delta(&whole(1)), "total variation");
    for chance in [chance(1, 1000), rare(9), rare(30), chance(1, 3), chance(9, 10)] {
        // Times the chance, since the odds are the chance over a mass that is computed to 10^−60.
        let exact = (chance.value() / curve.at(chance.value())).max(whole(1)) * chance.value();
        let bound = bounds.odds_but_for(&chance).unwrap() * chance.value();
        compare(&bound, &exact, &format!("odds but for {chance}"));
    }
}

/// The composition of `count` coins of odds `top/bottom`, outcome by outcome: `C(n, j)·top^(n−j)·bottom^j/(top+bottom)^n`.
fn binomial(top: i64, bottom: i64, count: u32) -> Pair {
    let all = BigInt::from(top + bottom).pow(count);
    let mut ways = BigInt::from(1);
    let masses: Vec<Rational> = (0..=count)
        .map(|downs| {
            let mass = &ways * BigInt::from(top).pow(count - downs) * BigInt::from(bottom).pow(downs);
            ways = &ways * (count - downs) / (downs + 1);
            Rational::new(mass, all.clone())
        })
        .collect();
    Pair(masses.iter().cloned().zip(masses.iter().rev().cloned()).collect())
}

#[test]
fn equal_coins_are_exact_binomials() {
    assert_eq!(binomial(4, 3, 5).curve(), Pair::coin(&ratio(4, 3)).times(5).curve());
    let counts: Vec<u32> = if scale() == Scale::Small { vec![1, 2, 3, 10, 31, 100, 200] } else { (1..=200).collect() };
    for count in counts {
        let each = ratio(33, 32);
        let all = power(&each, count);
        let exact = binomial(33, 32, count);
        let odds = [1, 2, 5].map(|part| power(&each, (count * part / 8).max(1)) + ratio(1, 1_000));
        // Each coin is a step of the lattice, or five.
        for steps in [count, 5 * count] {
            let bounds = on_lattice(&all, steps, &[(count, ratio(1, count.into()))]);
            compare_all(&bounds, &exact, &odds, assert_tight);
        }
    }
}

#[test]
fn coins_of_several_sizes_are_exact_on_points_of_the_lattice() {
    let each = ratio(9, 8);
    let sizes = [(5, 1), (4, 2), (1, 3), (2, 7), (1, 20)];
    let all: u32 = sizes.iter().map(|(count, size)| count * size).sum();
    let coins: Vec<(u32, Rational)> =
        sizes.iter().map(|(count, size)| (*count, ratio(i64::from(*size), i64::from(all)))).collect();
    let bounds = on_lattice(&power(&each, all), all, &coins);
    let exact = sizes
        .iter()
        .fold(Pair::nothing(), |pair, (count, size)| pair.and(&Pair::coin(&power(&each, *size)).times(*count)));
    let odds: Vec<Rational> = (0..all).map(|steps| power(&each, steps) * ratio(101, 100)).collect();
    compare_all(&bounds, &exact, &odds, assert_tight);
}

/// The pair on ±a and ±b that replaces a coin of odds `odds` between them, as a mixture of the coins of a and b.
fn four_points(low: &Rational, high: &Rational, odds: &Rational) -> Pair {
    let one = whole(1);
    let upper = (odds - low) * (&one + high) / ((&one + odds) * (high - low));
    let part = |weight: Rational, pair: Pair| pair.0.into_iter().map(move |(p, q)| (&weight * p, &weight * q));
    Pair(part(&one - &upper, Pair::coin(low)).chain(part(upper, Pair::coin(high))).collect())
}

/// Points of odds 1, 16, 256, and coins of odds 2 to 128 between them.
#[test]
fn coins_between_points_are_dominated_and_touched_at_the_points() {
    let (odds, steps) = (whole(256), 2);
    for size in 1..8_u32 {
        let coin = Pair::coin(&power(&whole(2), size));
        let (low, high) = if size < 4 { (whole(1), whole(16)) } else { (whole(16), whole(256)) };
        let pair = four_points(&low, &high, &power(&whole(2), size));
        assert!(pair.curve().dominates(&coin.curve()), "2^{size}");
        for point in [&low, &high, &low.recip(), &high.recip()] {
            assert_eq!(pair.curve().delta(point), coin.curve().delta(point), "2^{size} at {point}");
        }
        // A nearer point, and the point below, are not enough.
        assert!(!Pair::coin(&low).curve().dominates(&coin.curve()) || size == 4);
        let bounds = on_lattice(&odds, steps, &[(1, ratio(size.into(), 8))]);
        let grid: Vec<Rational> = (1..300).map(|at| ratio(at, 1)).collect();
        compare_all(&bounds, &pair, &grid, assert_tight);
    }
}

/// Products of coins between points stay above exact products, and above by no more than a finer lattice allows.
#[test]
fn products_of_coins_between_points_are_dominated() {
    let cases: [&[(u32, u32)]; 5] =
        [&[(3, 1)], &[(2, 3), (1, 1)], &[(5, 1), (2, 2), (1, 5)], &[(7, 3)], &[(1, 5), (1, 6), (1, 7)]];
    for sizes in cases {
        let coins: Vec<(u32, Rational)> =
            sizes.iter().map(|(count, size)| (*count, ratio(i64::from(*size), 8))).collect();
        let exact = sizes
            .iter()
            .fold(Pair::nothing(), |pair, (count, size)| pair.and(&Pair::coin(&power(&whole(2), *size)).times(*count)));
        let grid: Vec<Rational> = (1..40).map(|at| ratio(at * at, 4)).collect();
        let never_below = |bound: &Rational, exact: &Rational, of: &str| assert!(bound >= exact, "{sizes:?} {of}");
        for steps in [1, 2, 3, 5, 64] {
            compare_all(&on_lattice(&whole(256), steps, &coins), &exact, &grid, never_below);
        }
        let fine = on_lattice(&whole(256), 4_001, &coins);
        for odds in grid {
            let (bound, exact) = (fine.delta_upper(&odds), exact.curve().delta(&odds));
            assert!(bound >= exact && bound <= &exact + ratio(1, 10_000), "{sizes:?} at {odds}");
        }
    }
}

/// Losses that are no multiples of a step, at a count of coins that is not small.
#[test]
fn many_small_coins_between_points_stay_tight() {
    // 150 coins of odds 33/32 on a lattice with three steps to each four of them.
    let (each, count) = (ratio(33, 32), 150);
    let bounds = on_lattice(&power(&each, 4), 3, &[(count, ratio(1, 4))]);
    let exact = binomial(33, 32, count);
    for odds in [ratio(11, 10), ratio(3, 2), whole(3), whole(8)] {
        let (bound, exact) = (bounds.beta_upper(&odds), exact.curve().beta(&odds));
        assert!(bound >= exact && bound < &exact * ratio(110, 100), "{odds}");
    }
}

/// Steps too small to split: the exponent is rounded up.
#[test]
fn steps_below_the_precision_round_exponents_up() {
    let promise = Spend::odds(whole(1) + power(&ratio(1, 2), 300)).unwrap();
    let mut walk = Walk::on(Lattice::with_steps(&promise, 2).unwrap());
    walk.add(&Coins::new(3, ratio(3, 4)).unwrap());
    let distribution = walk.distribution().unwrap();
    let odds = distribution.odds_but_for(&chance(1, 10)).unwrap();
    assert!(odds > whole(1) && odds < whole(1) + power(&ratio(1, 2), 240), "{odds}");
    let all = power(&(whole(1) + power(&ratio(1, 2), 300)), 2);
    assert!(distribution.delta_upper(&whole(1)) >= Pair::coin(&all).curve().delta(&whole(1)));
}

/// The hockey stick's ε at a chance: the least whole number of 1/100,000 whose hockey stick is within the chance.
fn epsilon(distribution: &LossDistribution, chance: &Chance) -> String {
    let is_within = |steps: i64| {
        let odds = deniable_core::exact::Enclosure::of(&ratio(steps, 100_000), 256).exp();
        distribution.delta_upper(&odds.low()) <= *chance.value()
    };
    let (mut low, mut high) = (0, 1_000_000);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if is_within(middle) { high = middle } else { low = middle }
    }
    decimal(&ratio(high, 100_000), 5, Rounding::Nearest)
}

#[test]
fn values_of_the_design() {
    let hundred = equal(3, 100);
    assert_eq!(
        (epsilon(&hundred, &rare(6)), epsilon(&hundred, &rare(22))),
        ("0.43344".to_owned(), "0.94195".to_owned())
    );
    let shown = |odds: i64, count: u32, places: u32, digits: u32| {
        decimal(&equal(odds, count).odds_but_for(&rare(places)).unwrap(), digits, Rounding::Up)
    };
    let table: Vec<(String, String)> =
        [24, 40, 100, 500].iter().map(|count| (shown(3, *count, 6, 3), shown(3, *count, 9, 3))).collect();
    let expected = [("2.763", "3.001"), ("2.3", "2.698"), ("1.715", "1.934"), ("1.276", "1.353")];
    assert_eq!(table, expected.map(|(one, other)| (one.to_owned(), other.to_owned())));
    assert_eq!((shown(9, 99, 6, 3), shown(9, 98, 6, 3)), ("2.977".to_owned(), "3.004".to_owned()));
}

/// Always δ ≤ tail ≤ β*; and the least odds are the inverse of β*.
#[test]
fn readings_of_one_distribution_agree() {
    for distribution in
        [equal(3, 100), equal(9, 7), on_lattice(&whole(5), 10_000, &[(3, ratio(1, 7)), (11, ratio(1, 23))])]
    {
        for odds in [ratio(101, 100), ratio(3, 2), ratio(5, 2)] {
            let (delta, tail, beta) =
                (distribution.delta_upper(&odds), distribution.tail_upper(&odds), distribution.beta_upper(&odds));
            assert!(delta <= tail && tail <= &beta + tiny(), "{odds}");
        }
        for chance in [chance(1, 2), rare(3), rare(6), rare(20)] {
            let odds = distribution.odds_but_for(&chance).unwrap();
            assert!(distribution.beta_upper(&odds) <= chance.value() + tiny(), "{odds} but for {chance}");
            let smaller = &odds - &tiny() * whole(1000);
            assert!(distribution.beta_upper(&smaller) > *chance.value(), "{odds} is the least but for {chance}");
        }
    }
}

#[test]
fn a_base_without_common_powers_is_rounded_up() {
    let promise = Spend::odds(whole(3)).unwrap();
    let lattice = Lattice::new(&promise).unwrap();
    let two = lattice.exponent_upper(&Spend::odds(whole(2)).unwrap());
    let bounds = on_lattice(&whole(3), 10_000, &[(4, two)]);
    let exact = Pair::coin(&whole(2)).times(4);
    for odds in [ratio(3, 2), whole(3), whole(7), whole(15)] {
        let (bound, exact) = (bounds.delta_upper(&odds), exact.curve().delta(&odds));
        assert!(bound >= exact && bound <= &exact + ratio(1, 1_000_000), "{odds}");
    }
}

/// Equal exponents are one group, however they are added; and more coins than are counted become one coin.
#[test]
fn coins_are_grouped_by_exponent() {
    let lattice = Lattice::with_steps(&Spend::odds(whole(2)).unwrap(), 10).unwrap();
    let mut walk = Walk::on(lattice);
    (0..3).for_each(|_| walk.add(&Coins::new(2, ratio(1, 10)).unwrap()));
    assert_eq!(walk.coins().collect::<Vec<_>>(), [(&ratio(1, 10), 6)]);
    walk.add(&Coins::new(u32::MAX, ratio(1, 10)).unwrap());
    assert_eq!(walk.total(), ratio(1, 10) * whole(u64::from(u32::MAX) + 6));
    assert!(walk.distribution().is_err(), "odds of 2^429,496,730 are no bound");
}

/// Fixed sizes of a policy of 50 queries, none of which is a multiple of a step.
#[test]
fn a_policy_of_fifty_queries_is_read_at_once() {
    let weights: Vec<i64> = (0..50).map(|at| 3 + at * at % 17).collect();
    let all: i64 = weights.iter().sum();
    let coins: Vec<(u32, Rational)> =
        weights.iter().map(|weight| (1 + u32::try_from(weight % 3).unwrap(), ratio(2 * weight, all))).collect();
    let started = Instant::now();
    let distribution = on_lattice(&whole(3), 10_000, &coins);
    let odds = distribution.odds_but_for(&rare(6)).unwrap();
    let took = started.elapsed();
    assert!(odds > whole(2) && odds < whole(40), "{odds}");
    assert!(took.as_secs() < 5, "{took:?}");
}

/// cargo test --release -p deniable-core -- --ignored --nocapture a_thousand_answers
#[test]
#[ignore = "a measurement in release"]
fn a_thousand_answers_are_read_in_fifty_milliseconds() {
    // On points: 12 sizes. Between points: 12 sizes, and 1,000 different ones.
    let sizes = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30];
    let on_points: Vec<(u32, Rational)> = sizes.iter().map(|size| (83, ratio(*size, 10_000))).collect();
    let between: Vec<(u32, Rational)> = sizes.iter().map(|size| (83, ratio(*size, 9_628))).collect();
    let different: Vec<(u32, Rational)> = (0..1_000).map(|at| (1, ratio(500 + at, 1_000_000))).collect();
    for (name, coins) in [("on points", on_points), ("between", between), ("different", different)] {
        let started = Instant::now();
        let odds = on_lattice(&whole(3), 10_000, &coins).odds_but_for(&rare(6)).unwrap();
        println!("{name}: {} in {:?}", decimal(&odds, 4, Rounding::Up), started.elapsed());
    }
}
