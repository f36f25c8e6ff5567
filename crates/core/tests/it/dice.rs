//! Seeded choices, and enumerations. Uses fractions only, because the tests of `deniable-check` include this file too.

use deniable_core::exact::{Rational, ratio};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded generator, for reproducible failures. The seeds are fixed: tests compare their numbers of informative cases
/// with numbers measured for these seeds.
pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// A whole number from `low` to `high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).unwrap();
        low + i64::try_from(self.0.next_u64() % span).unwrap()
    }

    /// A distribution over `outcomes` elements, each of weight `least` to `most` (0 if negative) before scaling.
    pub fn distribution(&mut self, outcomes: usize, least: i64, most: i64) -> Vec<Rational> {
        self.weighted(outcomes, |dice| dice.between(least, most).max(0))
    }

    /// A distribution from weights of at least 0, drawn again if all are 0.
    pub fn weighted(&mut self, outcomes: usize, weight: impl Fn(&mut Self) -> i64) -> Vec<Rational> {
        loop {
            let weights: Vec<i64> = (0..outcomes).map(|_| weight(self)).collect();
            let sum: i64 = weights.iter().sum();
            if sum > 0 {
                return weights.iter().map(|weight| ratio(*weight, sum)).collect();
            }
        }
    }
}

/// Every way to choose one of `values` for each of `places` places.
pub fn grid(places: usize, values: &[Rational]) -> Vec<Vec<Rational>> {
    (0..places).fold(vec![vec![]], |all, _| {
        let longer = all.iter().flat_map(|start| {
            values.iter().map(move |value| start.iter().cloned().chain([value.clone()]).collect::<Vec<_>>())
        });
        longer.collect()
    })
}
