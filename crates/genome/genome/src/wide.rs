//! Fractions of integers, compared exactly without big integers.

use std::cmp::Ordering;

/// Compares `a·b` with `c·d`, for all sizes.
///
/// The products of a cohort of 10,000 people fit into 128 bits, which is the fast path; longer ones are built from
/// halves.
pub(crate) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => product(a, b).cmp(&product(c, d)),
    }
}

/// The product as (high, low) words of 128 bits.
fn product(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = (1 << 64) - 1;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let low = a_low * b_low;
    // Each of the cross products is at most (2^64−1)², so adding two more halves cannot overflow.
    let cross = a_high * b_low + (low >> 64);
    let other = a_low * b_high + (cross & HALF);
    (a_high * b_high + (cross >> 64) + (other >> 64), (other << 64) | (low & HALF))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    #[test]
    fn extremes() {
        assert_eq!(product(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert_eq!(compare_products(u128::MAX, u128::MAX, u128::MAX - 1, u128::MAX), Ordering::Greater);
        assert_eq!(compare_products(u128::MAX, 0, 1, 1), Ordering::Less);
        assert_eq!(compare_products(1 << 127, 4, 1 << 126, 8), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn products_compare_as_big_integers(a: u128, b: u128, c: u128, shift in 0_u32..127) {
            let big = |x: u128, y: u128| BigUint::from(x) * BigUint::from(y);
            let d = b >> shift;
            prop_assert_eq!(compare_products(a, b, c, d), big(a, b).cmp(&big(c, d)));
            let (high, low) = product(a, b);
            prop_assert_eq!((BigUint::from(high) << 128_u32) + low, big(a, b));
        }
    }
}
