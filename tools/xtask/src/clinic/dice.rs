//! A small deterministic generator of numbers: SplitMix64.
//!
//! It makes example data only. Its whole state can be recovered from one output, so it must never be used for a
//! release; `deniable-core` draws noise.

/// SplitMix64 (Steele, Lea and Flood, 2014). Whole numbers only: the same bytes on every machine.
#[derive(Debug, Clone)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// A generator with a seed: the same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from `0..sides` by multiplying and keeping the high half.
    ///
    /// The bias is below `sides / 2^64`, which is harmless for made-up visits. Zero sides give 0.
    pub fn below(&mut self, sides: u32) -> u32 {
        let wide = u128::from(self.next()) * u128::from(sides);
        u32::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number from `low..=high`; `low` if `high` is smaller.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A number from `low..=high` that favours the middle: the mean of two rolls, rounded down.
    pub fn about(&mut self, low: u32, high: u32) -> u32 {
        u32::midpoint(self.between(low, high), self.between(low, high))
    }

    /// True with probability `times / of`.
    pub fn chance(&mut self, times: u32, of: u32) -> bool {
        self.below(of) < times
    }

    /// A position, chosen with probabilities proportional to the weights.
    pub fn pick(&mut self, weights: &[u32]) -> usize {
        let mut roll = self.below(weights.iter().sum());
        for (position, weight) in weights.iter().enumerate() {
            if roll < *weight {
                return position;
            }
            roll -= weight;
        }
        0
    }

    /// Shuffles the items (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(u32::try_from(last + 1).unwrap_or(u32::MAX)) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference outputs of SplitMix64 for seed 1234567, as published with the algorithm's C code.
    #[test]
    fn follows_the_reference() {
        let mut dice = Dice::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| dice.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn stays_within_bounds() {
        let mut dice = Dice::new(1);
        for _ in 0..10_000 {
            assert!(dice.below(7) < 7);
            assert!((3..=9).contains(&dice.between(3, 9)));
            assert!((3..=9).contains(&dice.about(3, 9)));
            assert_ne!(dice.pick(&[3, 0, 4]), 1);
        }
        assert!(!dice.chance(0, 5) && dice.chance(5, 5));
        assert_eq!((dice.below(0), dice.between(9, 3)), (0, 9));
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut items: Vec<u32> = (0..100).collect();
        Dice::new(5).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
