//! The odds of many answers but for one chance in a million, from the distribution of their losses (C-11).
//!
//! `cargo bench -p deniable-bench --bench losses`
#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::loss::{Chance, Coins, Walk};
use divan::Bencher;

fn main() {
    divan::main();
}

/// The least odds of a walk below a promise of odds 9, whose answers use the whole promise together, with exponents
/// proportional to these weights.
fn odds(weights: &[i64]) -> Rational {
    let mut walk = Walk::new(&Spend::odds(whole(9)).unwrap()).unwrap();
    let all: i64 = weights.iter().sum();
    for weight in weights {
        walk.add(&Coins::new(1, ratio(*weight, all)).unwrap());
    }
    let chance = Chance::new(ratio(1, 1_000_000)).unwrap();
    walk.distribution().unwrap().odds_but_for(&chance).unwrap()
}

/// Answers of one size.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 20)]
fn equal(bencher: Bencher<'_, '_>, answers: usize) {
    let weights = vec![1; answers];
    bencher.bench_local(|| odds(&weights));
}

/// Answers of ten sizes, in equal numbers.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 20)]
fn ten_sizes(bencher: Bencher<'_, '_>, answers: i64) {
    let weights: Vec<i64> = (0..answers).map(|at| 10 + at % 10).collect();
    bencher.bench_local(|| odds(&weights));
}

/// Answers that all differ in size, by up to a factor 2.
#[divan::bench(args = [100, 1_000], sample_count = 10)]
fn different(bencher: Bencher<'_, '_>, answers: i64) {
    let weights: Vec<i64> = (0..answers).map(|at| answers + at).collect();
    bencher.bench_local(|| odds(&weights));
}
