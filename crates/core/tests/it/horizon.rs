//! C-10: repeated numbers over a horizon cost their share together, and never more, for any rows in the periods
//! are.

use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::horizon::{Schedule, Span, Weight};
use deniable_core::noise::Decay;
use deniable_core::sensitivity::{Caps, RowRange, additive};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// The rows of one entity: for each period, those in each of two groups.
type Stream = Vec<[u32; 2]>;

/// All rows of an entity with at most `rows` in each group of each period; with [`Weight::OnePeriod`], at most one row.
fn streams(periods: u32, rows: u32, weight: Weight) -> Vec<Stream> {
    let one: Vec<[u32; 2]> = (0..=rows).flat_map(|first| (0..=rows).map(move |second| [first, second])).collect();
    let mut all: Vec<Stream> = vec![Vec::new()];
    for _ in 0..periods {
        all = all.iter().flat_map(|stream| one.iter().map(|rows| [stream.clone(), vec![*rows]].concat())).collect();
    }
    if weight == Weight::OnePeriod {
        all.retain(|stream| stream.iter().flatten().sum::<u32>() <= 1);
    }
    all
}

/// The counts of a node with the caps of its periods.
fn counts(stream: &Stream, node: Span, cap: u32) -> [u32; 2] {
    [0, 1].map(|group| node.periods().map(|period| stream[period as usize][group]).sum::<u32>().min(cap))
}

/// The largest product of the odds of all nodes over neighbouring streams, as the product of their decays: 1/R where the
/// promise is attained.
fn least_product(schedule: &Schedule, weight: Weight, rows: u32, adjacency: Adjacency, odds: &Spend) -> Rational {
    let nodes: Vec<(Span, u32, Decay)> = schedule
        .nodes()
        .map(|node| {
            let cap = rows * weight.sensitivity(node.length);
            // In one period an entity has rows in both groups, or one row.
            let groups = if weight == Weight::OnePeriod { 1 } else { 2 };
            let caps = Caps { rows_per_group: cap, groups };
            let sensitivity = additive(adjacency, caps, RowRange::COUNT, 2);
            (node, cap, Decay::hiding(&odds.share(&schedule.part(node)).unwrap(), &sensitivity).unwrap())
        })
        .collect();
    let scales: Vec<f64> = nodes.iter().map(|(_, _, decay)| -decay.ratio().to_f64().unwrap().ln()).collect();
    assert!(scales.iter().all(|scale| (scale / scales[0] - 1.0).abs() < 1e-6), "one scale: {scales:?}");
    let all = streams(schedule.periods(), rows, weight);
    let counted: Vec<Vec<[u32; 2]>> =
        all.iter().map(|stream| nodes.iter().map(|(node, cap, _)| counts(stream, *node, *cap)).collect()).collect();
    let without_rows = vec![vec![[0; 2]; nodes.len()]];
    let others = if adjacency == AddRemove { &without_rows } else { &counted };
    let moved = |one: &Vec<[u32; 2]>, other: &Vec<[u32; 2]>| -> Vec<u32> {
        let each = one.iter().zip(other);
        each.map(|(one, other)| one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).sum()).collect()
    };
    let pairs = counted.iter().flat_map(|one| others.iter().map(move |other| moved(one, other)));
    let distinct: BTreeSet<Vec<u32>> = pairs.collect();
    let product = |moved: &Vec<u32>| -> Rational {
        // Geometric noise of ratio r has odds of r^-d between results that differ by d, and attains them.
        let each = nodes.iter().zip(moved);
        each.map(|((_, _, decay), moved)| decay.ratio().pow(i32::try_from(*moved).unwrap())).product()
    };
    distinct.iter().map(product).min().unwrap()
}

#[test]
fn repeated_numbers_cost_their_share_and_attain_it() {
    let odds = Spend::odds(whole(3)).unwrap();
    let mut trees = 0;
    for (weight, horizons, rows) in
        [(Weight::EveryPeriod, 1..=4, 1), (Weight::EveryPeriod, 1..=2, 2), (Weight::OnePeriod, 1..=6, 1)]
    {
        for periods in horizons {
            let deep = (2..=periods).flat_map(|branching| {
                (2..).map_while(move |levels| Schedule::with_levels(periods, branching, levels, weight))
            });
            for schedule in std::iter::once(Schedule::flat(periods, weight)).chain(deep) {
                for adjacency in [AddRemove, ReplaceOne] {
                    let product = least_product(&schedule, weight, rows, adjacency, &odds);
                    assert!(product >= ratio(1, 3), "{schedule:?} {adjacency} {product}");
                    let attained = (product.to_f64().unwrap() * 3.0).recip();
                    // An entity in every period attains the promise; one row is in the nodes of its period only.
                    if weight == Weight::EveryPeriod {
                        assert!(attained > 1.0 - 1e-6, "{schedule:?} {adjacency} {attained}");
                        trees += usize::from(schedule.levels() > 1);
                    }
                }
            }
        }
    }
    assert!(trees > 5, "{trees}");
}

/// Within the caps of its periods no row of an entity is left out of a longer node, so totals are those of the periods.
#[test]
fn longer_nodes_count_what_their_periods_count() {
    for schedule in [
        Schedule::with_levels(4, 2, 3, Weight::EveryPeriod).unwrap(),
        Schedule::with_levels(3, 3, 2, Weight::EveryPeriod).unwrap(),
    ] {
        for stream in streams(schedule.periods(), 1, Weight::EveryPeriod) {
            for node in schedule.nodes() {
                let parts = node.periods().map(|period| counts(&stream, Span::period(period), 1));
                let sum = parts.fold([0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
                assert_eq!(counts(&stream, node, Weight::EveryPeriod.sensitivity(node.length)), sum);
            }
        }
    }
}

/// At the same share, totals of released numbers are more exact than totals that each release measures anew: all of them
/// from periods alone, and on the mean from the best levels.
#[test]
fn a_total_measured_anew_costs_more() {
    for periods in 2..=60 {
        // Of t periods the sensitivity is t times that of one, and each of T totals has one part of T.
        let anew: Vec<u64> = (1..=periods).map(|length| (u64::from(periods) * u64::from(length)).pow(2)).collect();
        let flat = Schedule::flat(periods, Weight::EveryPeriod).variances();
        let best = Schedule::best(periods, Weight::EveryPeriod).variances();
        assert!(flat[1..].iter().zip(&anew[1..]).all(|(flat, anew)| flat < anew), "{periods}");
        let sum = |variances: &[u64]| variances.iter().sum::<u64>();
        assert!(sum(&best) <= sum(&flat) && sum(&flat) < sum(&anew), "{periods}");
    }
}
