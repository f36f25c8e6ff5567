//! Coins: the pair `P = (r, 1)/(1+r)`, `Q = (1, r)/(1+r)` dominates every pure answer of odds `r` (C-11).
//!
//! A symmetric pair is a mixture of coins, so that its P-mass at a loss `x` is `T(x)·e^(x/2)`, with the *even mass*
//! `T(x) = T(−x)`. The even masses of a composition are the convolution of those of its parts. This module computes the
//! even masses of equal coins on a lattice, rounded up.

use super::LossError;
use super::fixed::{Fixed, ceil_shift};
use super::lattice::{Lattice, WORK_BITS, units};
use super::walk::checked_reach;
use crate::exact::{Rational, whole};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Most equal coins that are composed exactly.
const MOST_COINS: u32 = 1 << 18;
/// Fewest bits of a step, of the `WORK_BITS`, with which parts of it are computed.
const LEAST_BITS: u64 = 128;

/// Equal coins, each of odds `R^exponent` for a promise of odds `R`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coins {
    count: u32,
    exponent: Rational,
}

impl Coins {
    /// `count ≥ 1` coins of odds `R^exponent` each, `exponent > 0`.
    ///
    /// # Errors
    /// When there are no coins, or the exponent is not positive.
    pub fn new(count: u32, exponent: Rational) -> Result<Self, LossError> {
        if count == 0 {
            return Err(LossError::NoCoins);
        }
        if !exponent.is_positive() {
            return Err(LossError::ExponentNotPositive(exponent));
        }
        Ok(Self { count, exponent })
    }

    /// The number of coins, at least 1.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The power of `R` that is the odds of each coin.
    #[must_use]
    pub fn exponent(&self) -> &Rational {
        &self.exponent
    }

    /// The exponent of all of them together: the odds that they keep for certain.
    #[must_use]
    pub fn total(&self) -> Rational {
        &self.exponent * whole(self.count)
    }
}

/// The even masses `T(k)` of the composition of equal coins, for losses of `k ≥ 0` steps, rounded up.
///
/// The composition of `n` coins of loss `c` is exactly the mixture of coins of losses `m·c`, `m = n, n − 2, …`. Such a
/// coin of loss `x` between two points `a < x < b` of the lattice is replaced by the pair on `±a` and `±b` whose hockey
/// stick equals that of the coin at `±a` and `±b` and is linear between. A hockey stick is convex in the odds, so it is
/// below its chord: the pair dominates the coin. It is a mixture of the coins of `a` and `b`, with even masses
/// `T(a) = T(x)·sinh((b−x)/2)/sinh((b−a)/2)` and `T(b) = T(x)·sinh((x−a)/2)/sinh((b−a)/2)`.
///
/// Of more coins than `MOST_COINS`, several are merged into one.
///
/// Without `share`, where steps are too small to compute these parts, the whole mass counts at `b`: the exponent is rounded
/// up.
///
/// # Errors
/// When the losses reach too far ([`checked_reach`]).
pub(super) fn even_masses(
    lattice: &Lattice,
    share: Option<&Interpolation<'_>>,
    coins: &Coins,
) -> Result<Vec<Fixed>, LossError> {
    let merged = coins.count.div_ceil(MOST_COINS);
    let n = coins.count.div_ceil(merged);
    let exponent = coins.exponent() * whole(merged);
    let reach = checked_reach(lattice, &(&exponent * whole(n)))?;
    let step = exponent * whole(lattice.steps());
    let mut masses = vec![BigUint::ZERO; reach + 1];
    let damping = power_upper(&sech_upper(lattice, &step), n);
    // C(n, k)/2^n from the middle outwards: each is the one before it times k/(n − k + 1), rounded up. Losses grow by
    // two coins each time.
    let mut fair = middle_upper(n);
    let part_of = |loss: &Rational| loss - loss.floor();
    let mut loss = &step * whole(n % 2);
    let (mut part, growth) = (part_of(&loss), &step * whole(2));
    let grown = part_of(&growth);
    let mut power = share.map(|share| share.power(&part));
    let power_grown = share.filter(|_| n > 1).map(|share| share.power(&grown));
    for k in (0..=n / 2).rev() {
        let mass = ceil_shift(&(&fair * &damping), WORK_BITS);
        fair = (fair * k).div_ceil(&BigUint::from(n - k + 1));
        let at = loss.to_integer().to_usize().unwrap_or(reach).min(reach);
        match (share, &power) {
            _ if part.is_zero() => masses[at] += mass,
            (Some(share), Some(power)) => {
                let (upper, lower) = share.parts_upper(power);
                masses[at + 1] += ceil_shift(&(&mass * upper), WORK_BITS);
                let lower = ceil_shift(&(mass * lower), WORK_BITS);
                // Both x and −x have a part at 0.
                masses[at] += if at == 0 { lower * 2_u32 } else { lower };
            }
            _ => masses[at + 1] += mass,
        }
        loss += &growth;
        part += &grown;
        power = power.zip(power_grown.as_ref()).map(|(power, grown)| power.times(grown));
        if part >= whole(1) {
            part -= whole(1);
            power = power.zip(share).map(|(power, share)| power.times(&share.whole_step.inverse()));
        }
    }
    Ok(masses.iter().map(|mass| Fixed::ceil(mass, WORK_BITS)).collect())
}

/// At least `C(n, ⌊n/2⌋)/2^n`, in units of `2^−WORK_BITS`.
fn middle_upper(n: u32) -> BigUint {
    let half = n / 2;
    let start = BigUint::one() << WORK_BITS;
    let even = (1..=half).fold(start, |mass, i| (mass * (2 * u64::from(i) - 1)).div_ceil(&(2 * u64::from(i)).into()));
    if n.is_even() { even } else { (even * n).div_ceil(&(2 * (u64::from(half) + 1)).into()) }
}

/// At least `1/cosh(x/2)` for a loss `x` of this many steps, in units of `2^−WORK_BITS`.
fn sech_upper(lattice: &Lattice, steps: &Rational) -> BigUint {
    // 2e/(e² + 1) falls as e = e^(x/2) ≥ 1 rises.
    let low = units(lattice.odds(&(steps / whole(2)))).0.max(BigUint::one() << WORK_BITS);
    let one = BigUint::one() << (2 * WORK_BITS);
    let square = &low * &low + &one;
    ((low * one) << 1_u32).div_ceil(&square)
}

/// At least `value^exponent`, in units of `2^−WORK_BITS`.
fn power_upper(value: &BigUint, exponent: u32) -> BigUint {
    let mut result = BigUint::one() << WORK_BITS;
    for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
        result = ceil_shift(&(&result * &result), WORK_BITS);
        if exponent >> bit & 1 == 1 {
            result = ceil_shift(&(result * value), WORK_BITS);
        }
    }
    result
}

/// The parts of a mass at the two points around its loss.
pub(super) struct Interpolation<'a> {
    lattice: &'a Lattice,
    whole_step: HalfPower,
    /// At most `2·sinh(half a step)`, in units of `2^−WORK_BITS`.
    divisor: BigUint,
}

/// Upper bounds of `e^(x/2)` and `e^(−x/2)` for a part `x` of a step, in units of `2^−WORK_BITS`.
#[derive(Clone)]
struct HalfPower {
    up: BigUint,
    down: BigUint,
}

impl HalfPower {
    fn times(&self, other: &Self) -> Self {
        let product = |one: &BigUint, other: &BigUint| ceil_shift(&(one * other), WORK_BITS);
        Self { up: product(&self.up, &other.up), down: product(&self.down, &other.down) }
    }

    fn inverse(&self) -> Self {
        Self { up: self.down.clone(), down: self.up.clone() }
    }

    /// At least `2·sinh(x/2)`: `e − 1/e` rises with `e`.
    fn sinh_upper(&self) -> BigUint {
        let inverse = (BigUint::one() << (2 * WORK_BITS)) / &self.up;
        // For x = 0 both can be 1, or the power below it by a unit.
        if self.up > inverse { &self.up - inverse } else { BigUint::ZERO }
    }
}

impl<'a> Interpolation<'a> {
    /// `None` where a step is so small that parts of it would be rounded by more than `2^−LEAST_BITS` of it.
    pub(super) fn new(lattice: &'a Lattice) -> Option<Self> {
        let low = units(lattice.odds(&(whole(1) / whole(2)))).0.max(BigUint::one() << WORK_BITS);
        let divisor = &low - (BigUint::one() << (2 * WORK_BITS)).div_ceil(&low);
        (divisor.bits() > LEAST_BITS).then(|| Self { lattice, whole_step: half_power(lattice, &whole(1)), divisor })
    }

    /// The powers of a part of a step, from 0 to 1.
    fn power(&self, part: &Rational) -> HalfPower {
        half_power(self.lattice, part)
    }

    /// At least `sinh(x/2)/sinh(step/2)` and `sinh((step−x)/2)/sinh(step/2)` for the part `x` of a step with these powers,
    /// in units of `2^−WORK_BITS`.
    fn parts_upper(&self, power: &HalfPower) -> (BigUint, BigUint) {
        let ratio = |power: &HalfPower| (power.sinh_upper() << WORK_BITS).div_ceil(&self.divisor);
        (ratio(power), ratio(&self.whole_step.times(&power.inverse())))
    }
}

fn half_power(lattice: &Lattice, part: &Rational) -> HalfPower {
    let (low, up) = units(lattice.odds(&(part / whole(2))));
    HalfPower { up, down: (BigUint::one() << (2 * WORK_BITS)).div_ceil(&low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Spend;
    use crate::exact::{power, ratio};

    /// Where a step is too small to compute its parts, the whole mass is at the point above: the exponent is rounded up.
    #[test]
    fn parts_of_tiny_steps_are_rounded_up() {
        let tiny = whole(1) + whole(1) / power(&whole(2), 300);
        let lattice = Lattice::with_steps(&Spend::odds(tiny).unwrap(), 1).unwrap();
        let masses =
            even_masses(&lattice, Interpolation::new(&lattice).as_ref(), &Coins::new(1, ratio(1, 2)).unwrap()).unwrap();
        assert!(masses[0].is_zero() && !masses[1].is_zero());
    }

    /// Half a million coins of a millionth of a step each are composed as a third of them, each three times as large.
    #[test]
    fn too_many_coins_are_merged() {
        let lattice = Lattice::with_steps(&Spend::odds(whole(2)).unwrap(), 100).unwrap();
        let masses = |count: u32, exponent: Rational| -> Vec<BigUint> {
            let coins = Coins::new(count, exponent).unwrap();
            even_masses(&lattice, Interpolation::new(&lattice).as_ref(), &coins)
                .unwrap()
                .into_iter()
                .map(Fixed::units)
                .collect()
        };
        let many = masses(2 * MOST_COINS + 1, ratio(1, 100_000_000));
        let merged = masses((2 * MOST_COINS + 1).div_ceil(3), ratio(3, 100_000_000));
        assert_eq!(many, merged);
    }
}
