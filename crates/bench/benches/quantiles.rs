//! Several quantiles of one column: together from a tree of noisy counts, beside each chosen by its rank with its part
//! of the same budget.
//!
//! `cargo bench -p deniable-bench --bench quantiles --no-default-features` prints the mean error in rows, with fixed
//! seeds.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::tree::{Shape, quantiles, reach};
use deniable_core::noise::{Decay, Rank, choose, counted, segments};
use deniable_core::sensitivity::{Caps, RowRange, additive, ranked};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const ROWS: u64 = 10_000;
const DRAWS: u64 = 200;
const ONE: Caps = Caps { rows_per_group: 1, groups: 1 };

fn main() {
    println!("{ROWS} rows, one for each person, whose odds move by 3/2 at most; means of {DRAWS} draws.\n");
    println!("| values of the column | quantiles | together, rows off | one by one, rows off | ratio |");
    println!("|---|---|---|---|---|");
    for size in [100, 10_000, 1_000_000] {
        for count in [2, 3, 9, 19] {
            let (together, apart) = errors(size, count);
            println!("| {size} | {count} | {together:.0} | {apart:.0} | {:.1} |", apart / together);
        }
    }
}

/// The mean distance from the wanted rank, in rows, of `count` evenly spaced quantiles.
fn errors(size: i64, count: u64) -> (f64, f64) {
    let mut rng = ChaCha20Rng::seed_from_u64(size as u64 + count);
    // A hump: the mean of four even draws.
    let draw = |rng: &mut ChaCha20Rng| (0..4).map(|_| (rng.next_u64() % size as u64) as i64).sum::<i64>() / 4;
    let values = counted((0..ROWS).map(|_| draw(&mut rng)).collect());
    let shares: Vec<(u64, u64)> = (1..=count).map(|part| (part, count + 1)).collect();
    let odds = Spend::odds(ratio(3, 2)).unwrap();
    let (low, high) = (0, size - 1);

    let height = Shape::for_size(size as u64).height;
    let adjacency = Adjacency::AddRemove;
    let tree = Decay::hiding(&odds, &(additive(adjacency, ONE, RowRange::COUNT, 1) * height)).unwrap();
    let reach = reach(size as u64, &tree, &ratio(19, 20));
    let part = odds.share(&(whole(1) / whole(count))).unwrap();
    let mut off = (0, 0);
    for _ in 0..DRAWS {
        for (found, share) in quantiles(&values, (low, high), &shares, &tree, reach, &mut rng).iter().zip(&shares) {
            off.0 += rows_off(&values, found.value, *share);
        }
        for share in &shares {
            let rank = Rank::Share { part: share.0, whole: share.1 };
            let decay = Decay::hiding(&part, &(ranked(adjacency, ONE, &rank, 1) * 2)).unwrap();
            let (begins, segments): (Vec<i64>, Vec<_>) = segments(&values, low, high, &rank).into_iter().unzip();
            let (at, offset) = choose(&segments, &decay, &mut rng).unwrap();
            off.1 += rows_off(&values, begins[at] + offset as i64, *share);
        }
    }
    let draws = (DRAWS * count) as f64;
    (off.0 as f64 / draws, off.1 as f64 / draws)
}

/// How many rows lie between a value and the quantile that was wanted.
fn rows_off(values: &[(i64, u64)], found: i64, (part, whole): (u64, u64)) -> u64 {
    let less: u64 = values.iter().filter(|(value, _)| *value < found).map(|(_, count)| count).sum();
    let upto: u64 = less + values.iter().find(|(value, _)| *value == found).map_or(0, |(_, count)| *count);
    let wanted = ROWS * part / whole;
    if wanted < less { less - wanted } else { wanted.saturating_sub(upto) }
}
