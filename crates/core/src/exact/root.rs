//! Square roots, rounded in a named direction.

use super::{Rational, Rounding, whole};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// The square root of `value ≥ 0`. A negative value is a programming error and returns 0.
///
/// A rational root is returned exactly. Any other root is a decimal of `places` digits after the point, below the root
/// for [`Rounding::Down`], above it for [`Rounding::Up`], each by less than `10^−places`, and at most half of that away
/// for [`Rounding::Nearest`].
#[must_use]
pub fn square_root(value: &Rational, places: u32, rounding: Rounding) -> Rational {
    debug_assert!(!value.is_negative());
    if value.is_negative() {
        return Rational::zero();
    }
    if let Some(exact) = rational_root(value) {
        return exact;
    }
    // From here on the root is irrational: it is neither a whole number of units nor a tie between two of them.
    let scale = BigInt::from(10).pow(places);
    let square = value * whole(&scale * &scale);
    // ⌊√⌊x⌋⌋ = ⌊√x⌋, because a whole number is at most √x just when its square is at most ⌊x⌋.
    let units = match rounding {
        Rounding::Down => square.to_integer().sqrt(),
        Rounding::Up => square.to_integer().sqrt() + 1,
        // The nearest whole number to √x is ⌊(⌊√(4x)⌋ + 1) / 2⌋.
        Rounding::Nearest => ((square * whole(4)).to_integer().sqrt() + 1) / 2,
    };
    Rational::new(units, scale)
}

fn rational_root(value: &Rational) -> Option<Rational> {
    let root = |n: &BigInt| {
        let candidate = n.sqrt();
        (&candidate * &candidate == *n).then_some(candidate)
    };
    // In lowest terms, a fraction is a square exactly when both of its parts are.
    Some(Rational::new(root(value.numer())?, root(value.denom())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{decimal, ratio};
    use proptest::prelude::*;

    const SIDES: [Rounding; 3] = [Rounding::Down, Rounding::Up, Rounding::Nearest];

    #[test]
    fn known_roots() {
        // √2 = 1.41421356..., √(1/2) = 0.70710678...
        let text = |value, places, side| decimal(&square_root(&value, places, side), places, Rounding::Nearest);
        assert_eq!(text(whole(2), 4, Rounding::Down), "1.4142");
        assert_eq!(text(whole(2), 4, Rounding::Up), "1.4143");
        assert_eq!(text(whole(2), 4, Rounding::Nearest), "1.4142");
        assert_eq!(text(ratio(1, 2), 3, Rounding::Nearest), "0.707");
        assert_eq!(text(ratio(1, 2), 5, Rounding::Nearest), "0.70711");
        assert_eq!(text(whole(2), 0, Rounding::Up), "2");
    }

    #[test]
    fn rational_roots_are_exact_on_every_side() {
        for root in [whole(0), whole(1), whole(12), ratio(5, 4), ratio(1, 3), ratio(22, 7)] {
            for side in SIDES {
                assert_eq!(square_root(&(&root * &root), 0, side), root);
                assert_eq!(square_root(&(&root * &root), 9, side), root);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn never_on_the_wrong_side(n in 0_i64..i64::MAX, d in 1_i64..1_000_000_000, places in 0_u32..30) {
            let value = ratio(n, d);
            let unit = Rational::new(1.into(), BigInt::from(10).pow(places));
            let [down, up, near] = SIDES.map(|side| square_root(&value, places, side));
            prop_assert!(&down * &down <= value && value <= &up * &up);
            if down == up {
                prop_assert_eq!(&down * &down, value.clone());
            } else {
                prop_assert_eq!(&up - &down, unit.clone());
            }
            let half = unit / whole(2);
            let (least, most) = (&near - &half, near + half);
            prop_assert!(least.is_negative() || &least * &least <= value);
            prop_assert!(value <= &most * &most);
        }
    }
}
