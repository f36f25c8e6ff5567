//! Exact two-sided geometric draws, compared with a plain baseline.
//!
//! The baseline is the method of Canonne, Kamath and Steinke (2020), which other exact libraries use, over machine
//! integers: flips of exp(−x) coins by counting uniform draws. Both use the same generator.
//!
//! `cargo bench -p deniable-bench --bench noise`
#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use deniable_core::noise::{Decay, SystemRng, TwoSidedGeometric};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand_core::Rng;

const SCALES: [u64; 3] = [10, 10_000, 100_000_000];
const DRAWS: u64 = 10_000;

fn main() {
    divan::main();
}

#[divan::bench(args = SCALES, sample_count = 50)]
fn ours(bencher: Bencher<'_, '_>, scale: u64) {
    // ε = 1/scale over a sensitivity of 1: noise of that scale.
    let odds = Spend::epsilon(ratio(1, i64::try_from(scale).unwrap())).unwrap();
    let sampler = TwoSidedGeometric::new(Decay::hiding(&odds, &1.into()).unwrap());
    let mut rng = SystemRng::new().unwrap();
    bencher
        .counter(ItemsCount::new(DRAWS))
        .bench_local(|| (0..DRAWS).fold(0_i128, |sum, _| sum.wrapping_add(sampler.sample(&mut rng))));
}

#[divan::bench(args = SCALES, sample_count = 50)]
fn baseline(bencher: Bencher<'_, '_>, scale: u64) {
    let mut rng = SystemRng::new().unwrap();
    bencher
        .counter(ItemsCount::new(DRAWS))
        .bench_local(|| (0..DRAWS).fold(0_i64, |sum, _| sum.wrapping_add(discrete_laplace(scale, &mut rng))));
}

/// Uniform below `n`, by rejection.
fn uniform(n: u64, rng: &mut SystemRng) -> u64 {
    let zone = u64::MAX - u64::MAX % n;
    loop {
        let word = rng.next_u64();
        if word < zone {
            return word % n;
        }
    }
}

/// Heads with probability exp(−numerator/denominator), for a ratio of at most 1.
fn exp_coin(numerator: u64, denominator: u64, rng: &mut SystemRng) -> bool {
    let mut k = 1;
    loop {
        // Heads with probability numerator / (denominator · k).
        if uniform(denominator * k, rng) >= numerator {
            return k % 2 == 1;
        }
        k += 1;
    }
}

fn discrete_laplace(scale: u64, rng: &mut SystemRng) -> i64 {
    loop {
        let low = uniform(scale, rng);
        if !exp_coin(low, scale, rng) {
            continue;
        }
        let mut high = 0;
        while exp_coin(1, 1, rng) {
            high += 1;
        }
        let size = i64::try_from(low + scale * high).unwrap();
        let negative = rng.next_u32() & 1 == 1;
        if negative && size == 0 {
            continue;
        }
        return if negative { -size } else { size };
    }
}
