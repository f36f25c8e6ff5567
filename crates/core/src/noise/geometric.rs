//! Two-sided geometric noise on the integers (M-GEO): `Pr[k] = (1−r)/(1+r) · r^|k|`.
//!
//! A draw is zero with probability `(1−r)/(1+r)`; otherwise it is a fair sign times one more than a geometric number.
//! The binary digits of a geometric number are independent, digit `i` being 1 with probability `r^(2^i) / (1 +
//! r^(2^i))`, so a scale of a million costs about twenty coins and not a million. The digits beyond a limit form
//! another geometric number, with ratio `r^(2^digits)`, counted by plain coins; it is almost always zero.

use super::coin::Coin;
use super::ratio::Decay;
use crate::exact::{Rational, power, ratio, whole};
use rand_core::Rng;

/// Enough digits that the rest of the number is above zero less than once in 2^32 draws.
const TAIL_BITS: u64 = 32;

/// A source of coin tosses: random bits, or in tests the enumeration of all outcomes.
pub trait Tosses {
    /// Whether this coin comes up heads.
    fn toss(&mut self, coin: &Coin) -> bool;
}

/// Tosses from random bits.
struct Random<'a, R>(&'a mut R);

impl<R: Rng> Tosses for Random<'_, R> {
    #[inline]
    fn toss(&mut self, coin: &Coin) -> bool {
        coin.toss(self.0)
    }
}

/// A sampler, prepared once for its decay and used for many draws.
#[derive(Debug, Clone)]
pub struct TwoSidedGeometric {
    decay: Decay,
    zero: Coin,
    negative: Coin,
    digits: Vec<Coin>,
    carry: Coin,
}

impl TwoSidedGeometric {
    /// The sampler for this decay.
    #[must_use]
    pub fn new(decay: Decay) -> Self {
        let r = decay.ratio();
        let zero = Coin::fraction((whole(1) - r) / (whole(1) + r));
        let digits = digits_for(&decay);
        Self {
            zero,
            negative: Coin::fraction(ratio(1, 2)),
            digits: (0..digits).map(|index| Coin::digit(r.clone(), index)).collect(),
            carry: Coin::power(r.clone(), digits),
            decay,
        }
    }

    /// The decay of this sampler.
    #[must_use]
    pub fn decay(&self) -> &Decay {
        &self.decay
    }

    /// One draw, limited to ±2^127, which no draw reaches in practice.
    pub fn sample<R: Rng>(&self, rng: &mut R) -> i128 {
        self.draw(&mut Random(rng))
    }

    /// One draw from any source of tosses.
    #[inline]
    pub fn draw<T: Tosses>(&self, tosses: &mut T) -> i128 {
        if tosses.toss(&self.zero) {
            return 0;
        }
        let negative = tosses.toss(&self.negative);
        let (first, rest) = self.digits.split_at(self.digits.len().min(63));
        let mut low: u64 = 0;
        for (place, digit) in first.iter().enumerate() {
            low |= u64::from(tosses.toss(digit)) << place;
        }
        let mut size = i128::from(low) + 1;
        for (place, digit) in (first.len()..).zip(rest) {
            size += i128::from(tosses.toss(digit)) << place;
        }
        while tosses.toss(&self.carry) {
            size = size.saturating_add(1 << self.digits.len());
        }
        if negative { -size } else { size }
    }

    /// The exact probability of a draw of this size, for either sign separately: for small cases.
    #[must_use]
    pub fn probability(&self, value: i32) -> Rational {
        let r = self.decay.ratio();
        (whole(1) - r) / (whole(1) + r) * power(r, value.unsigned_abs())
    }
}

/// A number `n` with `r^(2^n)` near `2^−TAIL_BITS`: any `n` is correct, this one is fast.
fn digits_for(decay: &Decay) -> u32 {
    let reach = decay.scale_bound() * whole(TAIL_BITS);
    u32::try_from(reach.ceil().to_integer().bits()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::{One, Zero};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    use std::collections::BTreeMap;

    /// Replays a sampler along one branch of its decision tree, and multiplies its exact probability.
    struct Branch {
        path: Vec<bool>,
        depth: usize,
        probability: Rational,
    }

    impl Tosses for Branch {
        fn toss(&mut self, coin: &Coin) -> bool {
            if self.depth == self.path.len() {
                self.path.push(false);
            }
            let heads = self.path[self.depth];
            self.depth += 1;
            let chance = coin.probability();
            self.probability *= if heads { chance } else { whole(1) - chance };
            heads
        }
    }

    /// The exact distribution of the sampler over all branches with at most `carries` carries.
    fn walk(sampler: &TwoSidedGeometric, carries: usize) -> BTreeMap<i128, Rational> {
        let deepest = 2 + sampler.digits.len() + carries;
        let mut totals: BTreeMap<i128, Rational> = BTreeMap::new();
        let mut path = vec![];
        loop {
            let mut branch = Branch { path, depth: 0, probability: Rational::one() };
            let value = sampler.draw(&mut branch);
            path = branch.path;
            path.truncate(branch.depth);
            *totals.entry(value).or_insert_with(Rational::zero) += branch.probability;
            // The next branch: the last tails that can change become heads.
            loop {
                match path.pop() {
                    Some(false) if path.len() < deepest => {
                        path.push(true);
                        break;
                    }
                    Some(_) => {}
                    None => return totals,
                }
            }
        }
    }

    fn sampler(numerator: i64, denominator: i64) -> TwoSidedGeometric {
        TwoSidedGeometric::new(Decay::exactly(ratio(numerator, denominator)).unwrap())
    }

    #[test]
    fn the_decision_tree_gives_the_exact_distribution() {
        for (n, d) in [(1, 3), (1, 2), (2, 3), (3, 5), (1, 9)] {
            let exact = sampler(n, d);
            let totals = walk(&exact, 1);
            // With one carry every |k| ≤ 2·2^digits is complete.
            let complete = 1 << (exact.digits.len() + 1);
            assert_eq!(totals.len(), 2 * complete + 1);
            for (value, probability) in &totals {
                let value = i32::try_from(*value).unwrap();
                assert_eq!(*probability, exact.probability(value), "Pr[{value}] at r = {n}/{d}");
            }
            let covered: Rational = totals.values().sum();
            let r = ratio(n, d);
            let missing = whole(2) * power(&r, complete as u32 + 1) / (whole(1) + r);
            assert_eq!(covered, whole(1) - missing, "nothing else is lost");
        }
    }

    /// Pearson's statistic over |k| ≤ 12 and both tails for 10^7 draws.
    #[test]
    fn ten_million_draws_fit() {
        let exact = sampler(2, 3);
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(20_240_601));
        let draws = 10_000_000;
        let mut seen: BTreeMap<i128, u32> = BTreeMap::new();
        let mut sum = 0_i128;
        for _ in 0..draws {
            let value = exact.sample(&mut rng);
            sum += value;
            *seen.entry(value.clamp(-13, 13)).or_insert(0) += 1;
        }
        let float = |value: &Rational| num_traits::ToPrimitive::to_f64(value).unwrap();
        let tail = float(&(power(&ratio(2, 3), 13) / (whole(1) + ratio(2, 3))));
        let mut statistic = 0.0;
        for value in -13..=13_i32 {
            let chance = if value.abs() == 13 { tail } else { float(&exact.probability(value)) };
            let expected = chance * f64::from(draws);
            let difference = f64::from(*seen.get(&i128::from(value)).unwrap_or(&0)) - expected;
            statistic += difference * difference / expected;
        }
        // A correct sampler fails for one seed in 10⁷: the χ² tail with 26 degrees of freedom beyond 82.1.
        assert!(statistic < 82.1, "χ² = {statistic}");
        // Symmetry: the mean of 10^7 draws of variance 2r/(1−r)² = 12 is within 5.5 standard errors except for one seed
        // in 2·10⁷, by the normal tail.
        let mean = sum as f64 / f64::from(draws);
        assert!(mean.abs() < 5.5 * (12.0_f64 / f64::from(draws)).sqrt(), "mean {mean}");
    }

    /// At a scale of 10,000: the share of 10^7 draws beyond half a scale to eight scales.
    #[test]
    fn tails_at_a_large_scale() {
        let r = whole(1) - ratio(1, 10_000);
        let wide = TwoSidedGeometric::new(Decay::exactly(r.clone()).unwrap());
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(7));
        let draws = 10_000_000;
        let reaches = [5_000_i128, 10_000, 20_000, 40_000, 80_000];
        let mut counts = [0_u32; 5];
        let (mut negative, mut zero) = (0_u32, 0_u32);
        for _ in 0..draws {
            let value = wide.sample(&mut rng);
            negative += u32::from(value < 0);
            zero += u32::from(value == 0);
            for (count, reach) in counts.iter_mut().zip(reaches) {
                *count += u32::from(value.abs() > reach);
            }
        }
        for (beyond, reach) in counts.into_iter().map(f64::from).zip(reaches) {
            let decay = 0.9999_f64;
            let chance = 2.0 * decay.powi(i32::try_from(reach).unwrap() + 1) / (1.0 + decay);
            let expected = chance * f64::from(draws);
            let error = (expected * (1.0 - chance)).sqrt();
            // With the check below, six checks at 5.5 standard errors: one seed in 4 million, by the normal tail.
            assert!((beyond - expected).abs() < 5.5 * error, "{beyond} beyond {reach}, expected {expected}");
        }
        let even = (f64::from(draws) - f64::from(zero)) / 2.0;
        assert!((f64::from(negative) - even).abs() < 5.5 * f64::from(draws).sqrt() / 2.0);
    }
}
