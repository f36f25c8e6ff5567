//! Several quantiles of one column: together from a tree of noisy counts, compared with separate choices by rank, each
//! with its part of the same budget.
//!
//! `cargo bench -p deniable-bench --bench quantiles` prints the mean error in rows, with fixed
//! seeds.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::tree::{Shape, quantiles, reach};
use deniable_core::noise::{Decay, Rank, counted, flip_margin, permute_and_flip, segments};
use deniable_core::sensitivity::{Caps, RowRange, additive, ranked};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const DRAWS: u64 = 200;
const ONE: Caps = Caps { rows_per_group: 1, groups: 1 };

fn main() {
    println!("One row for each person, whose odds move by 3/2 at most; means of {DRAWS} draws, in rows.\n");
    println!(
        "| rows | values of the column | quantiles | off: together | one by one | 95% interval: together | one by one |"
    );
    println!("|---|---|---|---|---|---|---|");
    for rows in [1_000, 100_000] {
        for size in [100, 10_000, 1_000_000] {
            for count in [2, 4, 9, 19] {
                let [together, apart, band, interval] = errors(rows, size, count);
                println!("| {rows} | {size} | {count} | {together:.1} | {apart:.1} | ±{band:.0} | ±{interval:.0} |");
            }
        }
    }
}

/// The mean distance from the target rank of `count` evenly spaced quantiles, together and separately, and half the
/// mean width of their 95% intervals.
fn errors(rows: u64, size: i64, count: u64) -> [f64; 4] {
    let mut rng = ChaCha20Rng::seed_from_u64(rows + size as u64 + count);
    // A unimodal column: the mean of four uniform draws.
    let draw = |rng: &mut ChaCha20Rng| (0..4).map(|_| (rng.next_u64() % size as u64) as i64).sum::<i64>() / 4;
    let values = counted((0..rows).map(|_| draw(&mut rng)).collect());
    let shares: Vec<(u64, u64)> = (1..=count).map(|part| (part, count + 1)).collect();
    let odds = Spend::odds(ratio(3, 2)).unwrap();
    let (low, high) = (0, size - 1);

    let height = Shape::for_size(size as u64).height;
    let adjacency = Adjacency::AddRemove;
    let tree = Decay::hiding(&odds, &(additive(adjacency, ONE, RowRange::COUNT, 1) * height)).unwrap();
    let reaches: Vec<i128> =
        shares.iter().map(|share| reach(size as u64, *share, &tree, &ratio(19, 20)).to_i128().unwrap()).collect();
    let part = odds.share(&(whole(1) / whole(count))).unwrap();
    let ranks: Vec<(Rank, Decay)> = shares
        .iter()
        .map(|(part_of, all)| {
            let rank = Rank::Share { part: *part_of, whole: *all };
            let decay = Decay::hiding(&part, &(ranked(adjacency, ONE, &rank, 1) * 2)).unwrap();
            (rank, decay)
        })
        .collect();
    // Distances are in parts of a row.
    let margin = |(_, decay): &(Rank, Decay)| flip_margin(&BigInt::from(size), decay, &ratio(1, 20));
    let margins: BigInt = ranks.iter().map(margin).sum();
    let interval = margins.to_f64().unwrap() / (count * (count + 1)) as f64;

    let mut off = [0, 0, 0];
    for _ in 0..DRAWS {
        for (found, share) in quantiles(&values, (low, high), &shares, &tree, &reaches, &mut rng).iter().zip(&shares) {
            off[0] += rows_off(&values, rows, found.value, *share);
            off[2] += below(&values, found.high) - below(&values, found.low);
        }
        for ((rank, decay), share) in ranks.iter().zip(&shares) {
            let (begins, segments): (Vec<i64>, Vec<_>) = segments(&values, low, high, rank).into_iter().unzip();
            let (at, offset) = permute_and_flip(&segments, decay, &mut rng).unwrap();
            off[1] += rows_off(&values, rows, begins[at] + offset as i64, *share);
        }
    }
    let mean = |sum: u64| sum as f64 / (DRAWS * count) as f64;
    [mean(off[0]), mean(off[1]), mean(off[2]) / 2.0, interval]
}

fn below(values: &[(i64, u64)], found: i64) -> u64 {
    values.iter().filter(|(value, _)| *value < found).map(|(_, count)| count).sum()
}

/// The number of rows between a value and the target quantile.
fn rows_off(values: &[(i64, u64)], rows: u64, found: i64, (part, whole): (u64, u64)) -> u64 {
    let less = below(values, found);
    let upto: u64 = less + values.iter().find(|(value, _)| *value == found).map_or(0, |(_, count)| *count);
    let wanted = rows * part / whole;
    if wanted < less { less - wanted } else { wanted.saturating_sub(upto) }
}
