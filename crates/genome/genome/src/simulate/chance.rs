//! Random choices with integers, the same on every machine.

use rand_core::Rng;

/// Length of the table of gaps: longer gaps are drawn in several steps.
const LONGEST: usize = 4096;

/// A uniform number below `limit`, which is between 1 and `2^31`, by rejection.
pub(super) fn below<R: Rng>(limit: u32, rng: &mut R) -> u32 {
    let mask = limit.next_power_of_two() - 1;
    loop {
        let drawn = rng.next_u32() & mask;
        if drawn < limit {
            return drawn;
        }
    }
}

/// True with probability `chance` in `[0, 1]`, up to `2^−64`.
pub(super) fn happens<R: Rng>(chance: f64, rng: &mut R) -> bool {
    chance >= 1.0 || rng.next_u64() < threshold(chance)
}

/// `chance · 2^64`, for a chance below 1: multiplying by a power of two is exact.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^64, where casts saturate")]
fn threshold(chance: f64) -> u64 {
    (chance * 18_446_744_073_709_551_616.0) as u64
}

/// The number of failures before a success, for rare successes: one draw for each success and not for each trial.
#[derive(Debug, Clone)]
pub(super) struct Gaps {
    /// `2^64` times the probability that the first `i + 1` trials fail; empty if no trial succeeds.
    survive: Vec<u64>,
}

impl Gaps {
    /// For trials that succeed with probability `chance` in `[0, 1]`.
    pub fn new(chance: f64) -> Self {
        let success = if chance >= 1.0 { u64::MAX } else { threshold(chance) };
        let fail = u128::from(u64::MAX - success);
        let mut survive = vec![];
        let mut left = u128::from(u64::MAX);
        while success > 0 && survive.len() < LONGEST && left > 0 {
            left = if chance >= 1.0 { 0 } else { (left * fail) >> 64 };
            survive.push(u64::try_from(left).unwrap_or(u64::MAX));
        }
        Self { survive }
    }

    /// The number of failures before the next success, at most `limit`.
    pub fn next<R: Rng>(&self, limit: usize, rng: &mut R) -> usize {
        if self.survive.is_empty() {
            return limit;
        }
        let mut gap = 0;
        while gap < limit {
            let drawn = rng.next_u64();
            let here = self.survive.partition_point(|left| *left > drawn);
            gap += here;
            if here < self.survive.len() {
                break;
            }
        }
        gap.min(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    /// Means and shares of gaps: six checks at 5.5 standard errors fail for one seed in 3 million, by the normal tail
    /// and the correction for the skewness of a geometric sum.
    #[test]
    fn gaps_are_geometric() {
        let mut rng = ChaCha8Rng::seed_from_u64(deniable_testing::seed(1));
        for chance in [0.5, 0.01, 0.0001] {
            let gaps = Gaps::new(chance);
            let draws = 40_000;
            let drawn: Vec<usize> = (0..draws).map(|_| gaps.next(usize::MAX, &mut rng)).collect();
            let mean = drawn.iter().sum::<usize>() as f64 / f64::from(draws);
            let (expected, deviation) = ((1.0 - chance) / chance, (1.0 - chance).sqrt() / chance);
            assert!((mean - expected).abs() < 5.5 * deviation / f64::from(draws).sqrt(), "{mean} at {chance}");
            let none = drawn.iter().filter(|gap| **gap == 0).count() as f64 / f64::from(draws);
            assert!((none - chance).abs() < 5.5 * (chance * (1.0 - chance) / f64::from(draws)).sqrt() + 1e-12);
        }
        assert_eq!(Gaps::new(0.0).next(77, &mut rng), 77);
        assert_eq!((0..9).map(|_| Gaps::new(1.0).next(77, &mut rng)).max(), Some(0));
        assert_eq!(Gaps::new(1e-9).next(5, &mut rng), 5);
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = ChaCha8Rng::seed_from_u64(deniable_testing::seed(2));
        let mut seen = [0_i32; 5];
        for _ in 0..50_000 {
            seen[usize::try_from(below(5, &mut rng)).unwrap()] += 1;
        }
        // Five checks at 5.5 standard errors of 89.4: one seed in 5 million, by the normal tail.
        assert!(seen.iter().all(|count| (count - 10_000).abs() < 492), "{seen:?}");
        assert_eq!(below(1, &mut rng), 0);
        assert!(happens(1.0, &mut rng) && !happens(0.0, &mut rng));
    }
}
