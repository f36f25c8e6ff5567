//! Fixed-point numbers of 256 bits that are rounded up: upper bounds of masses.

use num_bigint::BigUint;

/// Fractional bits: the other four leave room for sums of masses, which are at most 1 each.
pub(super) const FRACTION_BITS: u32 = 252;
const LIMBS: usize = 4;
/// `FRACTION_BITS` as whole limbs and bits.
const SHIFT: (usize, u32) = (3, 60);

/// A number from 0 to below 16 in units of `2^−252`, lowest limb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fixed([u64; LIMBS]);

impl Fixed {
    pub(super) const ZERO: Self = Self([0; LIMBS]);

    /// The number `units / 2^bits` with `bits ≥ 252`, rounded up to a unit. Larger numbers than masses can be become the
    /// largest one.
    pub(super) fn ceil(units: &BigUint, bits: u32) -> Self {
        let digits = ceil_shift(units, bits - FRACTION_BITS).to_u64_digits();
        let mut limbs = [0; LIMBS];
        if digits.len() > LIMBS {
            return Self([u64::MAX; LIMBS]);
        }
        limbs[..digits.len()].copy_from_slice(&digits);
        Self(limbs)
    }

    /// The number in units of `2^−252`.
    pub(super) fn units(self) -> BigUint {
        self.0.iter().rev().fold(BigUint::ZERO, |all, limb| (all << 64_u32) + limb)
    }

    pub(super) fn is_zero(self) -> bool {
        self.0 == [0; LIMBS]
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let mut limbs = [0; LIMBS];
        let mut carry = false;
        for (at, limb) in limbs.iter_mut().enumerate() {
            let (sum, over) = self.0[at].overflowing_add(other.0[at]);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = over || again;
        }
        // Masses are at most 1; a larger sum would still be an upper bound.
        if carry { Self([u64::MAX; LIMBS]) } else { Self(limbs) }
    }
}

/// `value / 2^bits`, rounded up.
pub(super) fn ceil_shift(value: &BigUint, bits: u32) -> BigUint {
    let down = value >> bits;
    let is_exact = value.trailing_zeros().is_none_or(|zeros| zeros >= u64::from(bits));
    if is_exact { down } else { down + 1_u32 }
}

/// An exact sum of products, rounded up once. The sum is below 256.
#[derive(Default)]
pub(super) struct Sum([u64; 2 * LIMBS]);

impl Sum {
    /// Fastest where `sparse` has limbs of 0.
    #[inline]
    pub(super) fn add_product(&mut self, sparse: Fixed, other: Fixed) {
        for (at, digit) in sparse.0.into_iter().enumerate() {
            if digit == 0 {
                continue;
            }
            let mut carry = 0;
            for (place, factor) in other.0.into_iter().enumerate() {
                // At most (2^64 − 1)² + 2·(2^64 − 1), which is below 2^128.
                let sum = u128::from(digit) * u128::from(factor) + u128::from(self.0[at + place]) + carry;
                self.0[at + place] = sum as u64;
                carry = sum >> 64;
            }
            let mut carry = carry as u64;
            for limb in &mut self.0[at + LIMBS..] {
                let (sum, over) = limb.overflowing_add(carry);
                *limb = sum;
                carry = u64::from(over);
            }
            debug_assert!(carry == 0, "sums of masses are below 256");
        }
    }

    pub(super) fn rounded_up(&self) -> Fixed {
        let limbs = &self.0;
        let (whole_limbs, bits) = SHIFT;
        let below = limbs[..whole_limbs].iter().any(|limb| *limb != 0) || limbs[whole_limbs] << (64 - bits) != 0;
        let limb = |at: usize| limbs.get(at).copied().unwrap_or(0);
        let shifted =
            std::array::from_fn(|at| limb(at + whole_limbs) >> bits | limb(at + whole_limbs + 1) << (64 - bits));
        let down = Fixed(shifted);
        if below { down.plus(Fixed([1, 0, 0, 0])) } else { down }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one() -> BigUint {
        BigUint::from(1_u32) << FRACTION_BITS
    }

    #[test]
    fn products_are_rounded_up() {
        let third = Fixed::ceil(&((one() << 8_u32) / 3_u32), FRACTION_BITS + 8);
        let mut sum = Sum::default();
        sum.add_product(third, third);
        assert_eq!(sum.rounded_up().units(), (third.units() * third.units() + one() - 1_u32) >> FRACTION_BITS);
        // The smallest positive product is one unit, not 0.
        let unit = Fixed([1, 0, 0, 0]);
        let mut sum = Sum::default();
        sum.add_product(unit, unit);
        assert_eq!(sum.rounded_up(), unit);
        assert_eq!(Fixed::ceil(&BigUint::from(1_u32), 1000), unit);
    }

    proptest! {
        #[test]
        fn sums_of_products_equal_those_of_big_integers(
            numbers in proptest::collection::vec((any::<[u64; 4]>(), any::<[u64; 4]>()), 1..40)
        ) {
            let mut sum = Sum::default();
            let mut exact = BigUint::ZERO;
            for (one, other) in numbers {
                // Masses: below 1/8, so that 40 products stay below 1.
                let [one, other] = [one, other].map(|[a, b, c, d]| Fixed([a, b, c, d >> 7]));
                sum.add_product(one, other);
                exact += one.units() * other.units();
            }
            prop_assert_eq!(sum.rounded_up().units(), ceil_shift(&exact, FRACTION_BITS));
        }

        #[test]
        fn sums_equal_those_of_big_integers(one in any::<[u64; 4]>(), other in any::<[u64; 4]>()) {
            let [one, other] = [one, other].map(|[a, b, c, d]| Fixed([a, b, c, d >> 1]));
            prop_assert_eq!(one.plus(other).units(), one.units() + other.units());
        }
    }
}
