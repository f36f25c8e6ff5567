//! Coins of any exact probability.
//!
//! A toss is heads when a uniform real number is below the coin's probability. The first 32 bits of the number decide
//! all but one toss in four billion; otherwise the probability is refined and more bits are drawn until the two differ.
//! The result has exactly the stated probability.

use crate::exact::{Enclosure, Rational, whole};
use num_bigint::BigInt;
use num_traits::One;
use rand_core::Rng;

/// Bits of the first comparison.
const FIRST: u32 = 32;
/// Bits added by each refinement.
const STEP: u32 = 64;

/// Definition of the exact probability of a coin.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Chance {
    Fraction(Rational),
    /// `r^(2^index)`.
    Power {
        ratio: Rational,
        index: u32,
    },
    /// `r^(2^index) / (1 + r^(2^index))`: the probability that binary digit `index` of a geometric number is 1.
    Digit {
        ratio: Rational,
        index: u32,
    },
}

/// A coin with an exact probability of heads in `[0, 1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coin {
    /// First words below this are heads.
    heads_below: u64,
    /// First words at or above this are tails.
    tails_from: u64,
    chance: Box<Chance>,
}

impl Coin {
    fn new(chance: Chance) -> Self {
        let (low, high) = chance.enclose(FIRST);
        let clamp = |value: BigInt| u64::try_from(value).unwrap_or(0).min(1 << FIRST);
        Self { heads_below: clamp(low), tails_from: clamp(high), chance: Box::new(chance) }
    }

    /// Heads with the probability `chance` in `[0, 1]`.
    #[must_use]
    pub fn fraction(chance: Rational) -> Self {
        Self::new(Chance::Fraction(chance))
    }

    /// Heads with probability `ratio^(2^index)`, `0 < ratio < 1`.
    #[must_use]
    pub fn power(ratio: Rational, index: u32) -> Self {
        Self::new(Chance::Power { ratio, index })
    }

    /// Heads with the probability that digit `index` of a geometric number with this ratio is 1.
    #[must_use]
    pub fn digit(ratio: Rational, index: u32) -> Self {
        Self::new(Chance::Digit { ratio, index })
    }

    /// The exact probability; its size is `2^index`, so for small cases only.
    #[must_use]
    pub fn probability(&self) -> Rational {
        match &*self.chance {
            Chance::Fraction(value) => value.clone(),
            Chance::Power { ratio, index } => squared(ratio, *index),
            Chance::Digit { ratio, index } => {
                let power = squared(ratio, *index);
                &power / (whole(1) + &power)
            }
        }
    }

    /// Tosses the coin with random bits of `rng`.
    #[inline]
    pub fn toss<R: Rng>(&self, rng: &mut R) -> bool {
        let word = rng.next_u32();
        let beyond = u64::from(word).wrapping_sub(self.heads_below);
        // Between the two thresholds, which is very rare. There is no branch on the outcome itself, which is
        // unpredictable.
        if beyond < self.tails_from - self.heads_below {
            return self.settle(word, rng);
        }
        u64::from(word) < self.heads_below
    }

    /// Decides a toss that the first word left undecided, by refining both numbers until they differ.
    #[cold]
    fn settle<R: Rng>(&self, word: u32, rng: &mut R) -> bool {
        let mut drawn = BigInt::from(word);
        let mut bits = FIRST;
        loop {
            bits += STEP;
            drawn = (drawn << STEP) + BigInt::from(rng.next_u64());
            let (low, high) = self.chance.enclose(bits);
            if drawn < low {
                return true;
            }
            if drawn >= high {
                return false;
            }
        }
    }
}

impl Chance {
    /// Whole numbers `low ≤ 2^bits · p ≤ high`, at most a few apart.
    fn enclose(&self, bits: u32) -> (BigInt, BigInt) {
        match self {
            Self::Fraction(value) => Enclosure::of(value, bits).into_units(),
            Self::Power { ratio, index } => {
                let (low, high, work) = enclose_power(ratio, *index, bits);
                (low >> (work - bits), ceil_shift(high, work - bits))
            }
            Self::Digit { ratio, index } => {
                let (low, high, work) = enclose_power(ratio, *index, bits);
                let one = BigInt::one() << work;
                // x / (1 + x) increases with x.
                let below = (&low << bits) / (&one + &low);
                let above = ((&high << bits) + &one + &high - 1) / (&one + &high);
                (below, above)
            }
        }
    }
}

fn ceil_shift(value: BigInt, bits: u32) -> BigInt {
    -((-value) >> bits)
}

/// Encloses `ratio^(2^index)` as `[low, high] / 2^work` by repeated squaring with directed rounding.
fn enclose_power(ratio: &Rational, index: u32, bits: u32) -> (BigInt, BigInt, u32) {
    // Every squaring at most doubles the error, which the guard bits absorb.
    let work = bits + index + 16;
    let (mut low, mut high) = Enclosure::of(ratio, work).into_units();
    for _ in 0..index {
        low = (&low * &low) >> work;
        high = ceil_shift(&high * &high, work);
    }
    (low, high, work)
}

fn squared(ratio: &Rational, times: u32) -> Rational {
    (0..times).fold(ratio.clone(), |value, _| &value * &value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    /// Returns the given words, then fails: shows how many bits a toss uses.
    struct Script(Vec<u32>);

    impl rand_core::TryRng for Script {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0.remove(0))
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(u64::from(self.next_u32()) << 32 | u64::from(self.next_u32()))
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("coins draw words")
        }
    }

    fn coins() -> Vec<Coin> {
        let near_one = whole(1) - Rational::new(1.into(), BigInt::one() << 40);
        vec![
            Coin::fraction(ratio(1, 3)),
            Coin::fraction(ratio(2, 7)),
            Coin::power(ratio(2, 3), 4),
            Coin::digit(ratio(2, 3), 3),
            Coin::digit(near_one.clone(), 0),
            Coin::power(near_one, 3),
        ]
    }

    /// At every depth, the decided mass encloses the probability to the last bit but one, so the limit is exact.
    #[test]
    fn enclosures_close_in_on_the_exact_probability() {
        for coin in coins() {
            let exact = coin.probability();
            for bits in [8, 32, 96, 160, 224] {
                let (low, high) = coin.chance.enclose(bits);
                let scaled = &exact * whole(BigInt::one() << bits);
                assert!(whole(low.clone()) <= scaled && scaled <= whole(high.clone()), "{coin:?} at {bits}");
                assert!(high - low <= 2.into(), "{coin:?} at {bits} is too loose");
            }
        }
    }

    /// All first words of every coin: heads, tails and undecided sum to one, and undecided is tiny.
    #[test]
    fn first_word_decides_on_the_right_side() {
        for coin in coins() {
            let exact = coin.probability() * whole(BigInt::one() << FIRST);
            assert!(whole(coin.heads_below) <= exact && exact <= whole(coin.tails_from));
            assert!(coin.tails_from - coin.heads_below <= 2);
        }
    }

    /// A tie in the first word is decided by comparing further bits with the bits of 1/3 = 0.0101...
    #[test]
    fn ties_are_settled_by_further_bits() {
        let third = Coin::fraction(ratio(1, 3));
        let tie = 0x5555_5555;
        assert!(third.toss(&mut Script(vec![tie, 0x5555_5555, 0x5555_5554])));
        assert!(!third.toss(&mut Script(vec![tie, 0x5555_5555, 0x5555_5556])));
        assert!(!third.toss(&mut Script(vec![tie, tie, tie, 0x5555_5555, 0x5555_5556])));
        assert!(third.toss(&mut Script(vec![tie, tie, tie, 0x5555_5555, 0x5555_5554])));
    }

    #[test]
    fn certain_coins() {
        let mut words = Script(vec![0, u32::MAX, 0, u32::MAX]);
        assert!(Coin::fraction(whole(1)).toss(&mut words) && Coin::fraction(whole(1)).toss(&mut words));
        assert!(!Coin::fraction(whole(0)).toss(&mut words) && !Coin::fraction(whole(0)).toss(&mut words));
    }
}
