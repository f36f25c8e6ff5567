//! The lattice of losses: the multiples of `(ln R)/10,000`, for a promise of odds `R`.

use super::LossError;
use super::fixed::ceil_shift;
use crate::budget::Spend;
use crate::exact::{Enclosure, Rational, whole};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// Points of a lattice between losses of 0 and of `ln R`.
pub const STEPS: u32 = 10_000;
/// Fractional bits of the powers of a step, and of everything that is computed from them.
pub(super) const WORK_BITS: u32 = 384;
/// Fractional bits of exponents of another base.
const EXPONENT_BITS: u32 = 128;

/// The losses that are multiples of `(ln R)/steps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    promise: Spend,
    steps: u32,
    /// The natural logarithm of the promise's odds.
    ln: Enclosure,
}

impl Lattice {
    /// The lattice with 10,000 steps to the odds of the whole promise.
    ///
    /// # Errors
    /// When the promise is of odds 1.
    pub fn new(promise: &Spend) -> Result<Self, LossError> {
        Self::with_steps(promise, STEPS)
    }

    /// A coarser or finer lattice: `steps ≥ 1` to the odds of the whole promise. All bounds hold on any lattice; they
    /// are tighter on a finer one.
    ///
    /// # Errors
    /// When the promise is of odds 1, or there are no steps.
    pub fn with_steps(promise: &Spend, steps: u32) -> Result<Self, LossError> {
        if promise.is_nothing() {
            return Err(LossError::NoPromise);
        }
        if steps == 0 {
            return Err(LossError::NoSteps);
        }
        Ok(Self { ln: promise.ln(WORK_BITS), promise: promise.clone(), steps })
    }

    /// The promise of odds `R`; exponents are powers of these odds.
    #[must_use]
    pub fn promise(&self) -> &Spend {
        &self.promise
    }

    /// The number of steps from a loss of 0 to one of `ln R`.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The exponent `x` of odds `R^x`: exact where both are powers of one base, otherwise rounded up.
    #[must_use]
    pub fn exponent_upper(&self, odds: &Spend) -> Rational {
        odds.exact_part_of(&self.promise).unwrap_or_else(|| {
            let upper = odds.ln(WORK_BITS).high() / self.ln.low();
            Enclosure::of(&upper, EXPONENT_BITS).high()
        })
    }

    /// Encloses `x` steps of loss, as a natural logarithm.
    pub(super) fn loss(&self, steps: &Rational) -> Enclosure {
        self.ln.times(&(steps / whole(self.steps)))
    }

    /// Encloses the odds of a loss of `x` steps, `e^loss`.
    pub(super) fn odds(&self, steps: &Rational) -> Enclosure {
        self.loss(steps).exp()
    }
}

/// Bounds of `b^k` and `b^−k` for one power `k ≥ 0` after another, in units of `2^−WORK_BITS`.
pub(super) struct Powers {
    base: [BigUint; 4],
    /// At least `b^k`, at most `b^k`, at least `b^−k`, at most `b^−k`.
    pub(super) up_upper: BigUint,
    pub(super) up_lower: BigUint,
    pub(super) down_upper: BigUint,
    pub(super) down_lower: BigUint,
}

impl Powers {
    /// The powers of `b = e^(half a step)`, which starts at `k = 0`.
    pub(super) fn of_half_step(lattice: &Lattice) -> Self {
        let half = whole(1) / whole(2);
        let (up_lower, up_upper) = units(lattice.odds(&half));
        let (down_lower, down_upper) = units(lattice.odds(&-half));
        let one = || BigUint::one() << WORK_BITS;
        Self {
            base: [up_upper, up_lower, down_upper, down_lower],
            up_upper: one(),
            up_lower: one(),
            down_upper: one(),
            down_lower: one(),
        }
    }

    /// Moves on to the next power.
    pub(super) fn advance(&mut self) {
        self.up_upper = ceil_shift(&(&self.up_upper * &self.base[0]), WORK_BITS);
        self.up_lower = (&self.up_lower * &self.base[1]) >> WORK_BITS;
        self.down_upper = ceil_shift(&(&self.down_upper * &self.base[2]), WORK_BITS);
        self.down_lower = (&self.down_lower * &self.base[3]) >> WORK_BITS;
    }
}

/// Both ends of an enclosure of a positive number, in its own units.
pub(super) fn units(enclosure: Enclosure) -> (BigUint, BigUint) {
    let (low, high) = enclosure.into_units();
    let positive = |value: BigInt| value.into_parts().1;
    // A lower end below 0 is no better than 0.
    (if low.sign() == num_bigint::Sign::Minus { BigUint::ZERO } else { positive(low) }, positive(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{power, ratio};

    #[test]
    fn exponents_of_another_base_are_rounded_up() {
        let three = Spend::odds(whole(3)).unwrap();
        let lattice = Lattice::new(&three).unwrap();
        assert_eq!(lattice.exponent_upper(&three.share(&ratio(2, 7)).unwrap()), ratio(2, 7));
        assert_eq!(lattice.exponent_upper(&Spend::odds(whole(9)).unwrap()), whole(2));
        // ln 2 / ln 3 = 0.6309...
        let two = lattice.exponent_upper(&Spend::odds(whole(2)).unwrap());
        assert!(three.share(&two).unwrap().compare(&Spend::odds(whole(2)).unwrap()).unwrap().is_gt());
        assert!(two > ratio(6_309, 10_000) && two < ratio(6_310, 10_000));
    }

    #[test]
    fn powers_enclose_exact_ones() {
        // A step of odds 4, half a step of odds 2.
        let lattice = Lattice::with_steps(&Spend::odds(whole(16)).unwrap(), 2).unwrap();
        let mut powers = Powers::of_half_step(&lattice);
        for k in 0..60 {
            let exact = BigUint::from(2_u32).pow(k);
            let unit = BigUint::one() << WORK_BITS;
            let (up, down) = (&unit * &exact, &unit / &exact);
            assert!(powers.up_lower <= up && up <= powers.up_upper, "2^{k}");
            assert!(powers.down_lower <= down && down <= powers.down_upper, "2^-{k}");
            assert!((&powers.up_upper - &powers.up_lower) < (BigUint::one() << 80_u32));
            powers.advance();
        }
        assert_eq!(power(&whole(2), 3), whole(8));
    }

    #[test]
    fn a_lattice_needs_odds_and_steps() {
        assert_eq!(Lattice::new(&Spend::nothing()), Err(LossError::NoPromise));
        assert_eq!(Lattice::with_steps(&Spend::odds(whole(3)).unwrap(), 0), Err(LossError::NoSteps));
    }
}
