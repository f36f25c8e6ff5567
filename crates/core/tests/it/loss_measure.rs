//! C-11: the coins of a measure dominate its noisy cells, for every pair of contributions of an entity.

use super::loss_exact::{Curve, Pair};
use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_core::loss::{Coins, Level, Measure, Shape};
use deniable_core::noise::Rank;
use deniable_core::sensitivity::{Caps, RowRange, additive, rank_changes, ranked};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

const BOTH: [Adjacency; 2] = [AddRemove, ReplaceOne];

/// The decay of all noise here, and the odds of a shift by one.
fn decay() -> Rational {
    ratio(1, 2)
}

/// All contributions of an entity: in each cell the changes of several numbers by at most `rows` rows, in at most `groups`
/// cells. A row changes one of the numbers by one of its values.
fn contributions(numbers: &[Vec<i64>], rows: u32, groups: u32, cells: usize) -> Vec<Vec<Vec<i64>>> {
    let mut one: BTreeSet<Vec<i64>> = BTreeSet::from([vec![0; numbers.len()]]);
    for _ in 0..rows {
        let more: Vec<Vec<i64>> = one
            .iter()
            .flat_map(|sums| {
                numbers.iter().enumerate().flat_map(move |(at, values)| {
                    values.iter().map(move |value| {
                        let mut sums = sums.clone();
                        sums[at] += value;
                        sums
                    })
                })
            })
            .collect();
        one.extend(more);
    }
    let mut all: Vec<(Vec<Vec<i64>>, u32)> = vec![(vec![], 0)];
    for _ in 0..cells {
        let longer = all.iter().flat_map(|(before, used)| {
            one.iter().map(move |cell| {
                let is_used = cell.iter().any(|value| *value != 0);
                ([before.clone(), vec![cell.clone()]].concat(), used + u32::from(is_used))
            })
        });
        all = longer.filter(|(_, used)| *used <= groups).collect();
    }
    all.into_iter().map(|(contribution, _)| contribution).collect()
}

/// The shifts of all noises between neighbours, each list in descending order; `steps` scales those of each number.
fn shifts(adjacency: Adjacency, all: &[Vec<Vec<i64>>], steps: &[u32]) -> BTreeSet<Vec<u32>> {
    let nothing = vec![vec![vec![0; steps.len()]; all[0].len()]];
    let others = if adjacency == AddRemove { &nothing } else { all };
    let moved = |one: &Vec<Vec<i64>>, other: &Vec<Vec<i64>>| {
        let cells = one.iter().zip(other);
        let each = cells.flat_map(|(one, other)| one.iter().zip(other).zip(steps));
        let mut moved: Vec<u32> =
            each.map(|((one, other), steps)| u32::try_from((one - other).abs()).unwrap() * steps).collect();
        moved.retain(|shift| *shift > 0);
        moved.sort_by(|one, other| other.cmp(one));
        moved
    };
    all.iter().flat_map(|one| others.iter().map(move |other| moved(one, other))).collect()
}

/// Independent noises with these shifts, each with the decay above.
fn noises(shifts: &[u32]) -> Pair {
    shifts.iter().fold(Pair::nothing(), |pair, shift| pair.and(&Pair::shifted_noise(&decay(), *shift)))
}

/// The coins as a curve, where the whole share is odds of `2^steps`.
fn curve_of(coins: &[Coins], share: &Rational, steps: &Rational) -> Curve {
    let pair = coins.iter().fold(Pair::nothing(), |pair, coins| {
        let size = coins.exponent() / share * steps;
        assert!(size.is_integer(), "{coins:?} of {share} in {steps} steps");
        let odds = power(&whole(2), size.to_integer().to_u32().unwrap());
        pair.and(&Pair::coin(&odds).times(coins.count()))
    });
    pair.curve()
}

/// The measure of rows of a range under caps, with the noise of S-CAP.
fn measure(adjacency: Adjacency, caps: Caps, row: RowRange, cells: usize) -> Measure {
    let single = row.low.abs().max(row.high.abs());
    let exchanged = row.high.max(0) - row.low.min(0);
    Measure {
        adjacency,
        shape: Shape::Additive,
        level: Level::Apart,
        rows: caps.rows_per_group,
        single: single.into(),
        exchanged: exchanged.into(),
        sensitivity: additive(adjacency, caps, row, cells),
        groups: caps.groups,
        cells: cells as u64,
        share: ratio(2, 3),
    }
}

fn steps(measure: &Measure) -> Rational {
    whole(measure.sensitivity.clone())
}

/// Whether the coins of the measure dominate the noises of all these shifts.
fn dominates_all(coins: &[Coins], measure: &Measure, shifts: &BTreeSet<Vec<u32>>) -> bool {
    let curve = curve_of(coins, &measure.share, &steps(measure));
    shifts.iter().all(|shifts| curve.dominates(&noises(shifts).curve()))
}

/// The coins as a list of (count, exponent over share).
fn list(measure: &Measure) -> Vec<(u32, Rational)> {
    measure.coins().unwrap().iter().map(|coins| (coins.count(), coins.exponent() / &measure.share)).collect()
}

const RANGES: [(i64, i64); 7] = [(1, 1), (0, 2), (-1, 1), (-1, 2), (-2, 0), (-2, -1), (1, 2)];

#[test]
fn coins_of_a_measure_dominate_its_cells() {
    let (mut checked, mut attained) = (0, 0);
    for (low, high) in RANGES {
        for (rows, groups) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            for cells in 1..=4 {
                let all = contributions(&[(low..=high).collect()], rows, groups, cells);
                if all.len() > 700 {
                    continue;
                }
                for adjacency in BOTH {
                    let caps = Caps { rows_per_group: rows, groups };
                    let measure = measure(adjacency, caps, RowRange { low, high }, cells);
                    let shifts = shifts(adjacency, &all, &[1]);
                    let coins = measure.coins().unwrap();
                    assert!(dominates_all(&coins, &measure, &shifts), "{measure:?} {coins:?}");
                    // A centred sum has the coins of both signs, and one coin is always right.
                    for shape in [Shape::Centred, Shape::Pure] {
                        let other = Measure { shape, ..measure.clone() };
                        assert!(dominates_all(&other.coins().unwrap(), &other, &shifts), "{other:?}");
                    }
                    checked += 1;
                    let curve = curve_of(&coins, &measure.share, &steps(&measure));
                    attained += usize::from(shifts.iter().any(|shifts| noises(shifts).curve() == curve));
                }
            }
        }
    }
    assert!(checked > 80 && attained > 10, "{checked} checked, {attained} attained");
}

/// The lists of C-11, case by case: (adjacency, range, groups, cells) and the count and part of each coin.
#[test]
fn coins_of_a_measure_are_those_of_the_theorem() {
    let coins = |adjacency, (low, high), groups, cells| {
        list(&measure(adjacency, Caps { rows_per_group: 3, groups }, RowRange { low, high }, cells))
    };
    let equal = |count: u32| vec![(count, ratio(1, count.into()))];
    // Add/remove: one coin for each group that an entity can reach, whatever the signs.
    for range in RANGES {
        assert_eq!(coins(AddRemove, range, 2, 9), equal(2));
        assert_eq!(coins(AddRemove, range, 5, 3), equal(3));
    }
    // Replace-one, one sign: twice as many, if there are as many cells.
    for range in [(1, 1), (0, 2), (-2, -1)] {
        assert_eq!(coins(ReplaceOne, range, 2, 9), equal(4));
        assert_eq!(coins(ReplaceOne, range, 2, 3), equal(3));
        assert_eq!(coins(ReplaceOne, range, 2, 1), equal(1));
    }
    // Both signs: half of that, with 2rs/Δ of the share each where cells are few.
    for range in [(-1, 1), (-1, 2)] {
        assert_eq!(coins(ReplaceOne, range, 2, 4), equal(2));
        assert_eq!(coins(ReplaceOne, range, 2, 1), equal(1));
    }
    // Δ = 3·(2·2 + 1·3) = 21 for a range of −1 to 2 with three cells.
    assert_eq!(coins(ReplaceOne, (-1, 2), 2, 3), [(2, ratio(12, 21))]);
    let one = measure(ReplaceOne, Caps { rows_per_group: 3, groups: 2 }, RowRange::COUNT, 9);
    assert_eq!(list(&Measure { shape: Shape::Centred, ..one.clone() }), equal(2));
    assert_eq!(list(&Measure { shape: Shape::Pure, ..one.clone() }), equal(1));
    assert_eq!(list(&Measure { level: Level::Above, ..one.clone() }), equal(1));
    assert_eq!(list(&Measure { level: Level::Finest, ..one.clone() }), equal(4));
    // A class: its own part once, for all its measures; the noise has twice the sensitivity of add/remove.
    let class = Measure { shape: Shape::Class, ..one };
    assert_eq!(list(&class), equal(4));
    assert_eq!(list(&Measure { cells: 3, ..class.clone() }), equal(4));
    assert_eq!(list(&Measure { exchanged: 2.into(), ..class.clone() }), equal(2));
    assert_eq!(list(&Measure { adjacency: AddRemove, ..class }), equal(2));
}

/// lo = −1, hi = 1, g = 2, R = 16 under replace-one: four coins of 2 are false.
#[test]
fn two_coins_for_each_group_are_false_for_both_signs() {
    let measure = measure(ReplaceOne, Caps { rows_per_group: 1, groups: 2 }, RowRange { low: -1, high: 1 }, 2);
    assert_eq!(measure.sensitivity, BigInt::from(4));
    let exact = noises(&[2, 2]).curve();
    let false_coins = Pair::coin(&whole(2)).times(4).curve();
    assert_eq!((false_coins.beta(&whole(15)), exact.beta(&whole(15))), (ratio(20, 99), ratio(5, 11)));
    assert_eq!(list(&measure), [(2, ratio(1, 2))]);
    let right = curve_of(&measure.coins().unwrap(), &measure.share, &steps(&measure));
    assert!(right.beta(&whole(15)) >= ratio(5, 11));
    assert!(!false_coins.dominates(&exact) && right.dominates(&exact));
}

/// Coins may be merged, but neither split nor evened out.
#[test]
fn coins_may_be_merged_only() {
    let coin = |size: u32| Pair::coin(&power(&whole(2), size));
    let merged = coin(4).curve();
    for parts in [vec![2, 2], vec![3, 1], vec![1; 4]] {
        let parts = parts.into_iter().fold(Pair::nothing(), |pair, size| pair.and(&coin(size))).curve();
        assert!(merged.dominates(&parts) && !parts.dominates(&merged));
    }
    assert!(!coin(3).and(&coin(1)).curve().dominates(&coin(2).and(&coin(2)).curve()));
    assert!(!coin(2).and(&coin(2)).curve().dominates(&coin(3).and(&coin(1)).curve()));
}

/// Conditions of which no row meets two (C-2f), each with its measures: values of a row, and the measure's part of its
/// condition in steps. All noises have the decay of their part.
#[test]
fn coins_of_a_class_dominate_all_its_measures() {
    // Counts; counts and a sum of one sign; sums of both signs: the values of a row, and s and e.
    let kinds: [(Vec<Vec<i64>>, i64, i64); 3] = [
        (vec![vec![1], vec![1]], 1, 1),
        (vec![vec![1], vec![1], vec![1]], 1, 1),
        (vec![vec![-1, 1], vec![-1, 1]], 1, 2),
    ];
    let mut checked = 0;
    for (numbers, single, exchanged) in kinds {
        for (rows, groups, cells) in [(1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 1, 1), (2, 1, 2), (1, 2, 3), (1, 2, 4)] {
            let all = contributions(&numbers, rows, groups, cells);
            if all.len() > 150 {
                continue;
            }
            for adjacency in BOTH {
                let once = additive(AddRemove, Caps { rows_per_group: rows, groups }, RowRange::COUNT, cells);
                let sensitivity = if adjacency == ReplaceOne { once * 2 } else { once };
                let class = Measure {
                    adjacency,
                    shape: Shape::Class,
                    level: Level::Apart,
                    rows,
                    single: single.into(),
                    exchanged: exchanged.into(),
                    sensitivity,
                    groups,
                    cells: cells as u64,
                    share: ratio(1, 5),
                };
                let coins = class.coins().unwrap();
                assert_eq!(coins.iter().map(Coins::total).sum::<Rational>(), class.share, "the part once");
                let shifts = shifts(adjacency, &all, &vec![1; numbers.len()]);
                assert!(dominates_all(&coins, &class, &shifts), "{class:?} {coins:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 25, "{checked}");
}

/// Levels capped together: at a coarser level the combinations of an entity can be in one cell.
#[test]
fn a_coarser_level_is_one_coin() {
    let (mut checked, mut false_coins) = (0, 0);
    for (low, high) in [(1, 1), (-1, 1)] {
        for (rows, groups) in [(1, 2), (2, 2), (1, 1)] {
            // Three combinations in one cell, or in two.
            for coarser in [vec![0, 0, 0], vec![0, 0, 1]] {
                let finest = contributions(&[(low..=high).collect()], rows, groups, 3);
                let wide = coarser.iter().max().unwrap() + 1;
                let above: Vec<Vec<Vec<i64>>> = finest
                    .iter()
                    .map(|contribution| {
                        let sum = |cell: usize| -> i64 {
                            let parts = contribution.iter().zip(&coarser).filter(|(_, of)| **of == cell);
                            parts.map(|(part, _)| part[0]).sum()
                        };
                        (0..wide).map(|cell| vec![sum(cell)]).collect()
                    })
                    .collect();
                for adjacency in BOTH {
                    let caps = Caps { rows_per_group: rows, groups };
                    let single = low.abs().max(high.abs());
                    let exchanged = high.max(0) - low.min(0);
                    // S-LEV: r·g′ rows in a cell.
                    let most = i64::from(rows) * i64::from(groups.min(3));
                    let sensitivity = match (adjacency, wide) {
                        (AddRemove, _) => most * single,
                        (ReplaceOne, 1) => most * exchanged,
                        (ReplaceOne, _) => 2 * most * single,
                    };
                    let measure = Measure {
                        level: Level::Above,
                        sensitivity: sensitivity.into(),
                        ..measure(adjacency, caps, RowRange { low, high }, wide)
                    };
                    let shifts = shifts(adjacency, &above, &[1]);
                    let coins = measure.coins().unwrap();
                    assert!(dominates_all(&coins, &measure, &shifts), "{measure:?} {coins:?}");
                    checked += 1;
                    if groups == 2 {
                        let apart = [Coins::new(2, &measure.share / whole(2)).unwrap()];
                        false_coins += usize::from(!dominates_all(&apart, &measure, &shifts));
                    }
                    // At the finest level each combination is a cell.
                    let below = Measure {
                        level: Level::Finest,
                        ..super::loss_measure::measure(adjacency, caps, RowRange { low, high }, 3)
                    };
                    let shifts = super::loss_measure::shifts(adjacency, &finest, &[1]);
                    assert!(dominates_all(&below.coins().unwrap(), &below, &shifts), "{below:?}");
                }
            }
        }
    }
    assert!(checked == 24 && false_coins > 4, "{checked} checked, {false_coins} false as g coins");
}

/// Ranks: the distance of a candidate moves by at most s for a row that comes or goes, and by e for one that is replaced.
/// The noise of a choice is for twice that.
#[test]
fn ranks_have_the_coins_of_their_own_sensitivities() {
    let rank = Rank::Share { part: 1, whole: 3 };
    let (single, exchanged) = rank_changes(&rank);
    assert_eq!((&single, &exchanged), (&2.into(), &3.into()));
    // Δ = 2·2 under add/remove; 2·2 + 3 = 7 under replace-one, with two shifts by up to 2·2.
    for (adjacency, expected) in [(AddRemove, (2, ratio(1, 2))), (ReplaceOne, (2, ratio(4, 7)))] {
        let caps = Caps { rows_per_group: 1, groups: 2 };
        for times in [1, 2] {
            let measure = Measure {
                sensitivity: ranked(adjacency, caps, &rank, 3) * times,
                single: &single * times,
                exchanged: &exchanged * times,
                ..measure(adjacency, caps, RowRange::COUNT, 3)
            };
            assert_eq!(list(&measure), std::slice::from_ref(&expected));
        }
    }
}

/// A tree of two levels: a row is counted in one of two nodes of each cell, and in their parent. Each level is a measure of
/// its own part in which cells are not limited.
#[test]
fn levels_of_a_tree_are_measures_of_their_parts() {
    let mut checked = 0;
    for (rows, groups, cells) in [(1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 1, 1), (2, 1, 2), (1, 2, 3)] {
        let leaves = contributions(&[vec![1], vec![1]], rows, groups, cells);
        let with_parents = |cell: &Vec<i64>| vec![cell[0], cell[1], cell[0] + cell[1]];
        let all: Vec<Vec<Vec<i64>>> = leaves.iter().map(|cells| cells.iter().map(with_parents).collect()).collect();
        for adjacency in BOTH {
            let caps = Caps { rows_per_group: rows, groups: groups.min(u32::try_from(cells).unwrap()) };
            let (share, height) = (ratio(1, 5), 2);
            let level = Measure {
                share: &share / whole(height),
                groups: caps.groups,
                cells: u64::MAX,
                ..measure(adjacency, caps, RowRange::COUNT, usize::MAX)
            };
            let own = level.coins().unwrap();
            let coins: Vec<Coins> =
                own.iter().map(|own| Coins::new(2 * own.count(), own.exponent().clone()).unwrap()).collect();
            let tree = Measure { share, sensitivity: &level.sensitivity * height, ..level };
            let shifts = shifts(adjacency, &all, &[1, 1, 1]);
            assert!(dominates_all(&coins, &tree, &shifts), "{tree:?} {coins:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 12);
}
