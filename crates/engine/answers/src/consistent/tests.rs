//! Small cases solved by hand as fractions, and properties that hold for all inputs.
#![allow(clippy::cast_precision_loss, reason = "small numbers")]

use super::*;
use deniable_query::Nesting;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn shape(sizes: &[usize], levels: &[&[usize]]) -> Shape {
    let levels: Vec<Vec<usize>> = levels.iter().map(|level| level.to_vec()).collect();
    Shape::new(sizes.to_vec(), &Nesting::default(), &levels, 100_000).unwrap()
}

/// The nearest values of all levels in turn, in units of 1/`parts`; they must be close to integers in these units.
fn nearest(shape: &Shape, noisy: &[&[i128]], scales: &[f64], positive: bool, parts: f64) -> Vec<i64> {
    let solution = solve::nearest(shape, noisy, scales, positive).unwrap();
    let near = |value: f64| {
        let part = (value * parts).round();
        assert!((value * parts - part).abs() < 1e-4, "{value} is no multiple of 1/{parts}");
        part as i64
    };
    solution.into_iter().take(shape.asked).flatten().map(near).collect()
}

fn whole(shape: &Shape, noisy: &[&[i128]]) -> Vec<Vec<i128>> {
    consistent(shape, noisy, &vec![1.0; noisy.len()], true).unwrap()
}

#[test]
fn a_total_and_two_parts() {
    let shape = shape(&[2], &[&[0], &[]]);
    // The gap of 3 is shared by three cells of one variance.
    assert_eq!(nearest(&shape, &[&[3, 4], &[10]], &[1.0, 1.0], true, 1.0), [4, 5, 9]);
    // Parts with four times the variance take four times as much of the gap of 9.
    assert_eq!(nearest(&shape, &[&[3, 7], &[19]], &[2.0, 1.0], true, 1.0), [7, 11, 18]);
    // Without a sign constraint, -4 + 2; a count is 0 instead, and (5 + 7) / 2 remains for the others.
    assert_eq!(nearest(&shape, &[&[-4, 5], &[7]], &[1.0, 1.0], false, 1.0), [-2, 7, 5]);
    assert_eq!(nearest(&shape, &[&[-4, 5], &[7]], &[1.0, 1.0], true, 1.0), [0, 6, 6]);
    assert_eq!(whole(&shape, &[&[-4, 5], &[7]]), [vec![0, 6], vec![6]]);
    assert_eq!(whole(&shape, &[&[-4, -5], &[-7]]), [vec![0, 0], vec![0]]);
    // Values that add up stay unchanged, however large they are and however small the noise.
    let large = 1_i128 << 50;
    assert_eq!(whole(&shape, &[&[large, 1], &[large + 1]]), [vec![large, 1], vec![large + 1]]);
    assert_eq!(consistent(&shape, &[&[0, 3], &[3]], &[0.001, 0.5], true), Some(vec![vec![0, 3], vec![3]]));
}

#[test]
fn rollups() {
    let two = shape(&[2, 2], &[&[0, 1], &[0], &[]]);
    let noisy: [&[i128]; 3] = [&[5, 1, 4, 7], &[9, 8], &[20]];
    assert_eq!(nearest(&two, &noisy, &[1.0; 3], true, 7.0), [45, 17, 24, 45, 62, 69, 131]);
    // 6.4, 8.9, 12.3 and 18.7 are the running totals.
    assert_eq!(whole(&two, &noisy), [vec![6, 3, 3, 7], vec![9, 10], vec![19]]);
    let three = shape(&[2, 2, 2], &[&[0, 1, 2], &[0, 1], &[0], &[]]);
    let noisy: [&[i128]; 4] = [&[3, 1, 4, 1, 5, 9, 2, 6], &[5, 4, 13, 9], &[8, 25], &[30]];
    let nearest = nearest(&three, &noisy, &[1.0; 4], true, 21.0);
    assert_eq!(nearest, [64, 22, 71, 8, 104, 188, 55, 139, 86, 79, 292, 194, 165, 486, 651]);
}

#[test]
fn cubes_and_overlapping_levels() {
    let cube = shape(&[2, 2], &[&[0, 1], &[0], &[1], &[]]);
    let noisy: [&[i128]; 4] = [&[5, 1, 4, 7], &[9, 8], &[10, 6], &[20]];
    assert_eq!(nearest(&cube, &noisy, &[1.0; 4], true, 9.0), [61, 16, 34, 52, 77, 86, 95, 68, 163]);
    let two = shape(&[2, 2, 2], &[&[0, 1], &[0, 2], &[0]]);
    let noisy: [&[i128]; 3] = [&[5, 1, 4, 7], &[2, 6, 9, 3], &[10, 8]];
    assert_eq!(nearest(&two, &noisy, &[1.0; 3], true, 8.0), [50, 18, 27, 51, 18, 50, 63, 15, 68, 78]);
    // Rounding by running totals gives 6, 3, 3, 6 at the first level, which fixes 9 and 9; the second level is adjusted
    // to these.
    assert_eq!(whole(&two, &noisy), [vec![6, 3, 3, 6], vec![2, 7, 7, 2], vec![9, 9]]);
}

/// Found by CI: an exact total, with parts in the hundreds and parts at zero.
#[test]
fn many_parts_at_zero_and_a_total_far_off() {
    let shape = Shape::new(SIZES.to_vec(), &Nesting::default(), &[vec![2], vec![1, 2, 3]], 100_000).unwrap();
    let parts = [805, 0, 0, 0, 0, 0, 864, 0, 17, 38, 37, 20];
    let found = consistent(&shape, &[&[0], &parts], &[1.0, 2.0], true).unwrap();
    assert_adds_up(&shape, &found, true);
}

#[test]
fn values_beyond_floats_stay_unchanged() {
    let shape = shape(&[2], &[&[0], &[]]);
    let large = 1_i128 << 52;
    let try_it = |parts: &[i128], total: i128| consistent(&shape, &[parts, &[total]], &[1.0; 2], false);
    assert!(try_it(&[large, 0], large).is_some());
    assert_eq!(try_it(&[large, 1], large), None);
    assert_eq!(try_it(&[i128::MAX, i128::MIN], 0), None);
    assert_eq!(try_it(&[0, 0], i128::MIN), None);
}

/// The sums of a level's cells by the keys of a coarser level, computed cell by cell as a reference.
fn summed(shape: &Shape, fine: usize, coarse: usize, cells: &[i128]) -> Vec<i128> {
    let mut sums: BTreeMap<Vec<usize>, i128> = BTreeMap::new();
    for (at, value) in cells.iter().enumerate() {
        let mut rest = at;
        let mut keys = BTreeMap::new();
        for group in shape.levels[fine].iter().rev() {
            keys.insert(*group, rest % SIZES[*group]);
            rest /= SIZES[*group];
        }
        let own = shape.levels[coarse].iter().map(|group| keys[group]).collect();
        *sums.entry(own).or_default() += value;
    }
    sums.into_values().collect()
}

/// The keys of the four groups of random shapes.
const SIZES: [usize; 4] = [2, 3, 1, 4];

fn assert_adds_up(shape: &Shape, found: &[Vec<i128>], positive: bool) {
    assert_eq!(found.len(), shape.asked);
    for (coarse, totals) in found.iter().enumerate() {
        assert_eq!(totals.len(), shape.cells(coarse));
        assert!(!positive || totals.iter().all(|total| *total >= 0), "{totals:?}");
        for (fine, cells) in found.iter().enumerate() {
            if shape::within(&shape.levels[coarse], &shape.levels[fine]) {
                assert_eq!(&summed(shape, fine, coarse, cells), totals, "{:?}", shape.levels);
            }
        }
    }
}

/// Some of the sixteen sets of four groups, in any order.
fn levels() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let all: Vec<usize> = (0..16).collect();
    proptest::sample::subsequence(all, 1..=8).prop_shuffle().prop_map(|sets| {
        let groups = |set: usize| (0..4).filter(|group| set >> group & 1 == 1).collect();
        sets.into_iter().map(groups).collect()
    })
}

fn extremes() -> impl Strategy<Value = i128> {
    let end = 1_i128 << 126;
    prop_oneof![
        8 => -20_i128..40,
        4 => -1_000_000_i128..1_000_000_000,
        1 => -(1_i128 << 46)..(1_i128 << 46),
        1 => prop_oneof![Just(end), Just(-end), -end..end],
    ]
}

fn floats() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -3.0..10.0_f64,
        2 => Just(0.0),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(1e300), Just(-1e300)],
        1 => -1e18..1e18_f64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn everything_adds_up(
        levels in levels(),
        pool in prop::collection::vec(extremes(), 64),
        small in any::<bool>(),
        positive in any::<bool>(),
        scales in prop::collection::vec(-10_i32..40, 8),
    ) {
        let shape = Shape::new(SIZES.to_vec(), &Nesting::default(), &levels, 100_000).unwrap();
        let value = |at: usize| if small { pool[at % 64] % 1_000 } else { pool[at % 64] };
        let noisy: Vec<Vec<i128>> =
            (0..levels.len()).map(|level| (0..shape.cells(level)).map(|cell| value(7 * level + cell)).collect()).collect();
        let noisy: Vec<&[i128]> = noisy.iter().map(Vec::as_slice).collect();
        let spread = |level: usize| if small { f64::from(scales[level] % 3) } else { f64::from(scales[level]) };
        let scales: Vec<f64> = (0..levels.len()).map(|level| spread(level).exp2()).collect();
        let found = consistent(&shape, &noisy, &scales, positive);
        prop_assert_eq!(&found, &consistent(&shape, &noisy, &scales, positive), "always the same");
        prop_assert!(found.is_some() || !small, "ordinary values have a solution");
        if let Some(found) = found {
            assert_adds_up(&shape, &found, positive);
        }
    }

    #[test]
    fn results_add_up_for_any_output_of_the_solver(
        levels in levels(),
        pool in prop::collection::vec(floats(), 64),
        positive in any::<bool>(),
    ) {
        let shape = Shape::new(SIZES.to_vec(), &Nesting::default(), &levels, 100_000).unwrap();
        let solution: Vec<Vec<f64>> = (0..shape.levels.len())
            .map(|level| (0..shape.cells(level)).map(|cell| pool[(5 * level + cell) % 64]).collect())
            .collect();
        assert_adds_up(&shape, &whole::made_whole(&shape, &solution, positive), positive);
    }

    #[test]
    fn stretches_of_neighbours_are_off_by_less_than_one(values in prop::collection::vec(0.0..9.0_f64, 24)) {
        let shape = shape(&[2, 3, 4], &[&[0, 1, 2], &[0, 1], &[0], &[]]);
        let found = whole::made_whole(&shape, &[values.clone(), vec![], vec![], vec![]], true);
        for (from, upto) in (0..24).flat_map(|from| (from + 1..=24).map(move |upto| (from, upto))) {
            let exact: f64 = values[from..upto].iter().sum();
            let sum: i128 = found[0][from..upto].iter().sum();
            prop_assert!((sum as f64 - exact).abs() < 1.0 + 1e-9);
        }
    }
}

/// Measures the time: `cargo test --workspace --lib -- --ignored --nocapture times_of_large_tables`.
#[test]
#[ignore = "prints times"]
#[allow(clippy::print_stdout, reason = "it prints measurements")]
fn times_of_large_tables() {
    type Case = (&'static str, &'static [usize], &'static [&'static [usize]]);
    let cases: [Case; 7] = [
        ("rollup 10,000", &[10, 10, 100], &[&[0, 1, 2], &[0, 1], &[0], &[]]),
        ("one total of 10,000", &[10_000], &[&[0], &[]]),
        ("cube 10,000", &[100, 100], &[&[0, 1], &[0], &[1], &[]]),
        ("cube of three 10,000", &[20, 20, 25], &[&[0, 1, 2], &[0, 1], &[0, 2], &[1, 2], &[0], &[1], &[2], &[]]),
        ("pairs of 20 x 20 x 25", &[20, 20, 25], &[&[0, 1], &[0, 2], &[1, 2], &[0], &[1], &[2], &[]]),
        ("rollup 100,000", &[10, 100, 100], &[&[0, 1, 2], &[0, 1], &[0], &[]]),
        ("cube 100,000", &[100, 1_000], &[&[0, 1], &[0], &[1], &[]]),
    ];
    for (name, sizes, levels) in cases {
        let shape = Shape::new(
            sizes.to_vec(),
            &Nesting::default(),
            &levels.iter().map(|level| level.to_vec()).collect::<Vec<_>>(),
            1 << 20,
        );
        let shape = shape.unwrap();
        // Sparse counts with noise, as in a wide table.
        let mut state = 1_u64;
        let mut noise = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % 21 - 10
        };
        let noisy: Vec<Vec<i128>> = (0..levels.len())
            .map(|level| {
                let many = shape.cells(0).max(1) as i128 / shape.cells(level).max(1) as i128;
                (0..shape.cells(level)).map(|_| 3 * many + noise()).collect()
            })
            .collect();
        let noisy: Vec<&[i128]> = noisy.iter().map(Vec::as_slice).collect();
        let started = std::time::Instant::now();
        let found = consistent(&shape, &noisy, &vec![4.0; levels.len()], true);
        println!("{name}: {:?}, solved: {}", started.elapsed(), found.is_some());
    }
}
