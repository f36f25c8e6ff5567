//! Positive numbers of any size, known up to a relative error, with the direction of every rounding chosen.
//!
//! Binomial weights of a million entities span a million bits. Here they are a 64-bit mantissa and an exponent; each
//! operation rounds down or up by less than `2^−63` of its result, so a chain of `10^6` of them stays within `2^−42`.
//! Nothing underflows: only exact zeros are zero.

use deniable_core::exact::Rational;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

/// The direction of rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundingMode {
    Down,
    Up,
}

/// `mantissa · 2^exponent`, with the mantissa's top bit set, or zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScaledNumber {
    mantissa: u64,
    exponent: i64,
}

impl ScaledNumber {
    pub(super) const ZERO: Self = Self { mantissa: 0, exponent: 0 };

    pub(super) fn of(value: u64) -> Self {
        // Whole numbers below 2^64 are exact.
        Self::rounded(u128::from(value), 0, false, RoundingMode::Down)
    }

    /// `value · 2^exponent` rounded to 64 bits; `rest` marks a positive remainder below one unit of `value`.
    fn rounded(value: u128, exponent: i64, rest: bool, toward: RoundingMode) -> Self {
        if value == 0 && !(rest && toward == RoundingMode::Up) {
            return Self::ZERO;
        }
        let bits = i64::from(128 - value.leading_zeros());
        let drop = bits - 64;
        if drop < 0 && rest && toward == RoundingMode::Up {
            // The remainder is less than one unit of the value, which is more than one unit of the mantissa.
            return Self::rounded(value + 1, exponent, false, toward);
        }
        if drop <= 0 {
            let exact = Self { mantissa: (value << -drop) as u64, exponent: exponent + drop };
            return if rest && toward == RoundingMode::Up { exact.next() } else { exact };
        }
        let kept = Self { mantissa: (value >> drop) as u64, exponent: exponent + drop };
        let lost = rest || value & ((1 << drop) - 1) != 0;
        if lost && toward == RoundingMode::Up { kept.next() } else { kept }
    }

    fn next(self) -> Self {
        match self.mantissa.checked_add(1) {
            Some(mantissa) => Self { mantissa, ..self },
            None => Self { mantissa: 1 << 63, exponent: self.exponent + 1 },
        }
    }

    pub(super) fn times(self, other: Self, toward: RoundingMode) -> Self {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::rounded(product, self.exponent + other.exponent, false, toward)
    }

    /// Division by a number above zero.
    pub(super) fn over(self, divisor: u64, toward: RoundingMode) -> Self {
        let (top, divisor) = (u128::from(self.mantissa) << 64, u128::from(divisor));
        Self::rounded(top / divisor, self.exponent - 64, top % divisor != 0, toward)
    }

    pub(super) fn plus(self, other: Self, toward: RoundingMode) -> Self {
        if self.mantissa == 0 || other.mantissa == 0 {
            return if self.mantissa == 0 { other } else { self };
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        // The larger number has 63 bits of room below it.
        let gap = (high.exponent - low.exponent) as u64;
        let (top, exponent) = (u128::from(high.mantissa) << 63, high.exponent - 63);
        let low = u128::from(low.mantissa) << 63;
        let (shifted, rest) = if gap < 128 { (low >> gap, low & ((1_u128 << gap) - 1) != 0) } else { (0, true) };
        Self::rounded(top + shifted, exponent, rest, toward)
    }

    /// A fraction of at least zero, rounded to 64 bits.
    pub(super) fn of_rational(value: &Rational, toward: RoundingMode) -> Self {
        if value.is_zero() {
            return Self::ZERO;
        }
        // The scaled fraction is between 2^99 and 2^101, so well over 64 bits are kept.
        let shift = 100 - (value.numer().bits() as i64 - value.denom().bits() as i64);
        let power = BigInt::one() << shift.unsigned_abs();
        let scaled =
            if shift >= 0 { value * Rational::from_integer(power) } else { value / Rational::from_integer(power) };
        let whole = scaled.to_integer();
        Self::rounded(whole.to_u128().unwrap_or(0), -shift, !scaled.is_integer(), toward)
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The same number as an exact fraction.
    pub(super) fn rational(self) -> Rational {
        self.ratio(Self { mantissa: 1, exponent: 0 })
    }

    /// `self/other` as an exact fraction; `other` is not zero.
    pub(super) fn ratio(self, other: Self) -> Rational {
        let shift = self.exponent - other.exponent;
        let power = BigInt::one() << shift.unsigned_abs();
        let (mut top, mut bottom) = (BigInt::from(self.mantissa), BigInt::from(other.mantissa));
        if shift >= 0 {
            top *= power
        } else {
            bottom *= power
        }
        Rational::new(top, bottom)
    }
}

/// A number known by a lower and an upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) low: ScaledNumber,
    pub(super) high: ScaledNumber,
}

impl Interval {
    pub(super) fn of(value: u64) -> Self {
        Self { low: ScaledNumber::of(value), high: ScaledNumber::of(value) }
    }

    pub(super) fn of_rational(value: &Rational) -> Self {
        let end = |toward| ScaledNumber::of_rational(value, toward);
        Self { low: end(RoundingMode::Down), high: end(RoundingMode::Up) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { low: self.low.times(other.low, RoundingMode::Down), high: self.high.times(other.high, RoundingMode::Up) }
    }

    pub(super) fn power(self, mut exponent: usize) -> Self {
        let (mut result, mut square) = (Self::of(1), self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            exponent >>= 1;
        }
        result
    }

    pub(super) fn over(self, divisor: u64) -> Self {
        Self { low: self.low.over(divisor, RoundingMode::Down), high: self.high.over(divisor, RoundingMode::Up) }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { low: self.low.plus(other.low, RoundingMode::Down), high: self.high.plus(other.high, RoundingMode::Up) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    fn value(number: ScaledNumber) -> Rational {
        number.rational()
    }

    /// Every operation against exact fractions: rounded in the requested direction, and near.
    #[test]
    fn results_are_rounded_in_the_requested_direction() {
        let mut random = ChaCha8Rng::seed_from_u64(deniable_testing::seed(3));
        let near = Rational::new(1.into(), BigInt::one() << 62);
        for _ in 0..2000 {
            let mut any = || ScaledNumber {
                mantissa: random.next_u64() | 1 << 63,
                exponent: (random.next_u64() % 300) as i64 - 150,
            };
            let (a, b) = (any(), any());
            let divisor = random.next_u64() >> (random.next_u64() % 63) | 1;
            let fraction = value(a) / Rational::from_integer(divisor.into());
            type Operation<'a> = &'a dyn Fn(RoundingMode) -> ScaledNumber;
            let cases: [(Rational, Operation<'_>); 4] = [
                (value(a) * value(b), &|toward| a.times(b, toward)),
                (fraction.clone(), &|toward| a.over(divisor, toward)),
                (value(a) + value(b), &|toward| a.plus(b, toward)),
                (fraction.clone(), &|toward| ScaledNumber::of_rational(&fraction, toward)),
            ];
            for (at, (exact, operation)) in cases.into_iter().enumerate() {
                let (low, high) = (value(operation(RoundingMode::Down)), value(operation(RoundingMode::Up)));
                assert!(low <= exact && exact <= high, "{at}");
                assert!((&high - &low) / &exact <= near, "{at}");
            }
        }
        assert_eq!(value(ScaledNumber::of(u64::MAX)), Rational::from_integer(u64::MAX.into()));
        assert!(ScaledNumber::of(0).is_zero());
        let tiny = ScaledNumber { mantissa: 1 << 63, exponent: -1_000_000 };
        assert!(ScaledNumber::of(1).plus(tiny, RoundingMode::Up) != ScaledNumber::of(1));
        assert_eq!(ScaledNumber::of(1).plus(tiny, RoundingMode::Down), ScaledNumber::of(1));
    }
}
