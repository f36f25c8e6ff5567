//! Intervals with fixed-point ends that certainly contain a real number.
//!
//! Only the required operations: logarithms of positive rationals, exponentials, sums, products and comparisons. Every
//! operation rounds outward, so a result "less" or "greater" is proved; overlapping intervals are undecided at this
//! precision.

use super::{Rational, whole};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Number of precisions for which ln 2 is cached.
const MOST_PRECISIONS: usize = 64;

/// The closed interval `[lo, hi] / 2^bits`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    lo: BigInt,
    hi: BigInt,
    bits: u32,
}

/// `value / 2^bits`, rounded up.
fn shift_ceil(value: BigInt, bits: u32) -> BigInt {
    -((-value) >> bits)
}

/// The quotient, rounded down and up; the divisor is positive.
fn quotients(value: &BigInt, divisor: &BigInt) -> (BigInt, BigInt) {
    let (down, rest) = value.div_mod_floor(divisor);
    let up = if rest.is_zero() { down.clone() } else { &down + 1 };
    (down, up)
}

/// `numerator / 2^bits` in lowest terms. Only powers of two can be common factors, so no greatest common divisor is
/// computed.
fn dyadic(numerator: &BigInt, bits: u32) -> Rational {
    let bits = u64::from(bits);
    let common = numerator.trailing_zeros().map_or(bits, |zeros| zeros.min(bits));
    Rational::new_raw(numerator >> common, BigInt::one() << (bits - common))
}

impl Enclosure {
    /// Encloses a rational at `bits` fractional bits.
    #[must_use]
    pub fn of(value: &Rational, bits: u32) -> Self {
        let (lo, hi) = quotients(&(value.numer() << bits), value.denom());
        Self { lo, hi, bits }
    }

    /// Both ends as multiples of `2^-bits`.
    pub(crate) fn into_units(self) -> (BigInt, BigInt) {
        (self.lo, self.hi)
    }

    /// The lower end, a dyadic rational no larger than the number.
    #[must_use]
    pub fn low(&self) -> Rational {
        dyadic(&self.lo, self.bits)
    }

    /// The upper end, a dyadic rational no smaller than the number.
    #[must_use]
    pub fn high(&self) -> Rational {
        dyadic(&self.hi, self.bits)
    }

    /// `Some` when the intervals do not overlap.
    #[must_use]
    pub fn certainly_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        if self.high() < other.low() {
            Some(std::cmp::Ordering::Less)
        } else if self.low() > other.high() {
            Some(std::cmp::Ordering::Greater)
        } else {
            None
        }
    }

    /// The sum; both must have the same precision.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        debug_assert_eq!(self.bits, other.bits);
        Self { lo: &self.lo + &other.lo, hi: &self.hi + &other.hi, bits: self.bits }
    }

    /// The product with an exact rational.
    #[must_use]
    pub fn times(&self, factor: &Rational) -> Self {
        let (numerator, denominator) = (factor.numer(), factor.denom());
        let (first, second) = (&self.lo * numerator, &self.hi * numerator);
        let (low, high) = if factor.is_negative() { (second, first) } else { (first, second) };
        Self { lo: low.div_floor(denominator), hi: -((-high).div_floor(denominator)), bits: self.bits }
    }

    /// Natural logarithm of a positive rational at `bits` fractional bits. Other values are a programming error.
    ///
    /// `ln x = k ln 2 + 2 atanh((m−1)/(m+1))` with `x = 2^k m`, `2/3 ≤ m < 4/3` or thereabouts.
    #[must_use]
    pub fn ln(value: &Rational, bits: u32) -> Self {
        debug_assert!(value.is_positive());
        let guard = bits + 16;
        let size = |n: &BigInt| i64::try_from(n.bits()).unwrap_or(i64::MAX);
        let exponent = size(value.numer()) - size(value.denom());
        let (mut numerator, mut denominator) = (value.numer().clone(), value.denom().clone());
        if exponent >= 0 {
            denominator <<= exponent.unsigned_abs();
        } else {
            numerator <<= exponent.unsigned_abs();
        }
        let fraction_part = twice_atanh(&(&numerator - &denominator), &(numerator + denominator), guard);
        fraction_part.plus(&ln_two(guard).times(&whole(exponent))).coarsened(bits)
    }

    /// Exponential of every point of the interval, at the interval's own precision.
    #[must_use]
    pub fn exp(&self) -> Self {
        let guard = self.bits + 32;
        let lo = exp_end(&self.low(), guard, false) >> (guard - self.bits);
        let hi = shift_ceil(exp_end(&self.high(), guard, true), guard - self.bits);
        Self { lo, hi, bits: self.bits }
    }

    /// The same interval, widened to fewer bits.
    #[must_use]
    fn coarsened(self, bits: u32) -> Self {
        let drop = self.bits - bits;
        Self { lo: self.lo >> drop, hi: shift_ceil(self.hi, drop), bits }
    }
}

/// ln 2, cached for the precisions used last.
fn ln_two(bits: u32) -> Enclosure {
    static KEPT: Mutex<BTreeMap<u32, Enclosure>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MOST_PRECISIONS && !kept.contains_key(&bits) {
        kept.clear();
    }
    kept.entry(bits).or_insert_with(|| twice_atanh(&BigInt::one(), &BigInt::from(3), bits)).clone()
}

/// `2 atanh(z)` for `z` = `numerator / denominator`, `|z| ≤ 1/2` and a positive denominator, by its power series with
/// directed rounding.
fn twice_atanh(numerator: &BigInt, denominator: &BigInt, bits: u32) -> Enclosure {
    let (z_lo, z_hi) = quotients(&(numerator.abs() << bits), denominator);
    let square_lo = (&z_lo * &z_lo) >> bits;
    let square_hi = shift_ceil(&z_hi * &z_hi, bits);
    let (mut power_lo, mut power_hi) = (z_lo, z_hi);
    let (mut sum_lo, mut sum_hi) = (BigInt::zero(), BigInt::zero());
    let mut odd = 1_u32;
    // Each term is at most a quarter of the last, so `bits` rounds suffice.
    for _ in 0..bits {
        sum_lo += &power_lo / odd;
        sum_hi += (&power_hi + (odd - 1)) / odd;
        power_lo = (power_lo * &square_lo) >> bits;
        power_hi = shift_ceil(power_hi * &square_hi, bits);
        odd += 2;
        if power_hi <= BigInt::one() {
            break;
        }
    }
    // The remaining terms sum to less than 1/(1 − z²) ≤ 4/3 of the next term: two units cover them.
    sum_hi += 2 * &power_hi;
    let lo: BigInt = sum_lo * 2;
    let hi: BigInt = sum_hi * 2;
    if numerator.is_negative() { Enclosure { lo: -hi, hi: -lo, bits } } else { Enclosure { lo, hi, bits } }
}

/// `e^x` for one rational, in units of `2^-bits`, rounded up or down.
fn exp_end(x: &Rational, bits: u32, up: bool) -> BigInt {
    if x.is_zero() {
        return BigInt::one() << bits;
    }
    // x = k ln 2 + f with 0 ≤ f < 3/2; k is exact enough because ln 2 is taken with as many bits as x has.
    let size = u32::try_from(x.to_integer().bits()).unwrap_or(u32::MAX / 8);
    let k = if x.is_negative() || x.numer() > x.denom() {
        (x.numer() << (size + 64)).div_floor(&(x.denom() * ln_two(size + 64).lo)) - BigInt::one()
    } else {
        // The smaller f, the fewer terms.
        BigInt::ZERO
    };
    let shift = k.to_i64().unwrap_or(if k.is_negative() { i64::MIN / 2 } else { i64::MAX / 2 });
    if shift < -i64::from(bits) - 8 {
        // Far below the last bit: between zero and one unit.
        return BigInt::from(u8::from(up));
    }
    // For a large 2^k the rounding errors grow by that factor, so the precision is increased by as much.
    let work = bits + size + 8 + u32::try_from(shift.max(0)).unwrap_or(u32::MAX / 8);
    let f = Enclosure::of(x, work);
    let f = if k.is_zero() { f } else { f.plus(&ln_two(work).times(&whole(-k))) };
    debug_assert!(!f.lo.is_negative());
    let series = exp_series(if up { &f.hi } else { &f.lo }, work, up);
    // Two right shifts round like a single one.
    match (u32::try_from(shift), up) {
        (Ok(left), false) => (series << left) >> (work - bits),
        (Ok(left), true) => shift_ceil(series << left, work - bits),
        (Err(_), false) => (series >> shift.unsigned_abs()) >> (work - bits),
        (Err(_), true) => shift_ceil(-((-series) >> shift.unsigned_abs()), work - bits),
    }
}

/// Taylor series of `e^(f/2^bits)` for `0 ≤ f/2^bits < 3/2`, rounded down or up.
fn exp_series(f: &BigInt, bits: u32, up: bool) -> BigInt {
    let mut term = BigInt::one() << bits;
    let mut sum = term.clone();
    for n in 1..=bits {
        // Dividing by 2^bits and then by n rounds like a single division by the product.
        let product = term * f;
        term = if up { (shift_ceil(product, bits) + (n - 1)) / n } else { (product >> bits) / n };
        sum += &term;
        if term <= BigInt::one() {
            break;
        }
    }
    // The remaining terms sum to less than the last term: from n = 3 on each term is at most half of the previous one.
    if up { sum + term + 2 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use num_traits::Pow;
    use proptest::prelude::*;

    fn width(e: &Enclosure) -> Rational {
        e.high() - e.low()
    }

    #[test]
    fn known_logarithms() {
        // ln 2 = 0.693147180559945309417232..., ln 3 = 1.098612288668109691395245...
        let ln2 = Enclosure::ln(&whole(2), 128);
        assert!(ln2.low() > Rational::new(693_147_180_559_945_309_i64.into(), 1_000_000_000_000_000_000_i64.into()));
        assert!(ln2.high() < Rational::new(693_147_180_559_945_310_i64.into(), 1_000_000_000_000_000_000_i64.into()));
        let ln3 = Enclosure::ln(&whole(3), 128);
        assert!(ln3.low() > ratio(1_098_612_288_668_109_691, 1_000_000_000_000_000_000));
        assert!(ln3.high() < ratio(1_098_612_288_668_109_692, 1_000_000_000_000_000_000));
        assert!(width(&ln3) < Rational::new(1.into(), BigInt::one() << 120));
    }

    #[test]
    fn e_itself() {
        let e = Enclosure::of(&whole(1), 128).exp();
        assert!(e.low() > ratio(2_718_281_828_459_045_235, 1_000_000_000_000_000_000));
        assert!(e.high() < ratio(2_718_281_828_459_045_236, 1_000_000_000_000_000_000));
        assert!(width(&e) < Rational::new(1.into(), BigInt::one() << 100));
    }

    #[test]
    fn far_exponents_stay_bounded() {
        let tiny = Enclosure::of(&whole(-1_000_000), 64).exp();
        assert!(tiny.low() >= whole(0) && tiny.high() <= Rational::new(1.into(), BigInt::one() << 64));
        let big = Enclosure::of(&whole(100), 64).exp();
        assert!(big.low() < big.high() && big.low() > whole(10).pow(43));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn exp_undoes_ln(n in 1_i64..1_000_000, d in 1_i64..1_000_000) {
            let x = ratio(n, d);
            let back = Enclosure::ln(&x, 160).exp();
            prop_assert!(back.low() <= x && x <= back.high());
            prop_assert!(width(&back) < Rational::new(1.into(), BigInt::one() << 120));
        }

        #[test]
        fn ln_adds_over_products(a in 1_i64..1_000_000, b in 1_i64..1_000_000, c in 1_i64..1_000_000) {
            let (x, y) = (ratio(a, b), ratio(b, c));
            let sum = Enclosure::ln(&x, 128).plus(&Enclosure::ln(&y, 128));
            prop_assert_eq!(sum.certainly_cmp(&Enclosure::ln(&(x * y), 128)), None);
        }

        #[test]
        fn ln_is_certainly_monotone(a in 1_i64..1_000_000, b in 1_i64..1_000_000) {
            let order = Enclosure::ln(&ratio(a, 7), 128).certainly_cmp(&Enclosure::ln(&ratio(b, 7), 128));
            if a == b { prop_assert_eq!(order, None) } else { prop_assert_eq!(order, Some(a.cmp(&b))) }
        }
    }
}
