//! Exact fractions of machine integers, fast enough for one per class, and numbers that may be infinite.

use crate::classes::Classes;
use crate::number::{Number, number};
use deniable_core::exact::{Bound, Rational};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::Serialize;
use std::cmp::Ordering;

/// `top/bottom`, not reduced; a bottom of 0 means infinity. Compared exactly.
#[derive(Debug, Clone, Copy)]
pub struct Fraction {
    /// The numerator.
    pub top: u128,
    /// The denominator; 0 for infinity.
    pub bottom: u128,
}

impl Fraction {
    /// The fraction `top/bottom`; infinite if the bottom is 0.
    #[must_use]
    pub fn new(top: impl Into<u128>, bottom: impl Into<u128>) -> Self {
        Self { top: top.into(), bottom: bottom.into() }
    }

    /// The fraction as a reduced number, or infinity.
    #[must_use]
    pub fn value(&self) -> Bound {
        if self.bottom == 0 {
            return Bound::Infinite;
        }
        Bound::Finite(Rational::new(BigInt::from(self.top), BigInt::from(self.bottom)))
    }

    /// Whether its denominator is 0.
    #[must_use]
    pub fn is_infinite(&self) -> bool {
        self.bottom == 0
    }

    /// Compares with a rational, exactly.
    #[must_use]
    pub fn against(&self, other: &Rational) -> Ordering {
        match (other.numer().to_u128(), other.denom().to_u128()) {
            (Some(top), Some(bottom)) => self.cmp(&Self { top, bottom }),
            _ => self.value().cmp(&Bound::Finite(other.clone())),
        }
    }
}

impl Serialize for Fraction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(serializer)
    }
}

impl Ord for Fraction {
    /// Euclid's algorithm on both fractions at once: without products, so it cannot overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut one, mut two, mut flipped) = (*self, *other, false);
        loop {
            let order = match (one.bottom == 0, two.bottom == 0) {
                (true, true) => Some(Ordering::Equal),
                (true, false) => Some(Ordering::Greater),
                (false, true) => Some(Ordering::Less),
                (false, false) => {
                    let parts = (one.top / one.bottom).cmp(&(two.top / two.bottom));
                    (parts != Ordering::Equal).then_some(parts)
                }
            };
            if let Some(order) = order {
                return if flipped { order.reverse() } else { order };
            }
            // The whole parts are equal: compare the reciprocals of the remainders.
            one = Self { top: one.bottom, bottom: one.top % one.bottom };
            two = Self { top: two.bottom, bottom: two.top % two.bottom };
            flipped = !flipped;
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

/// A number, and the class that attains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(bound = "T: Number")]
pub struct At<T> {
    /// The number that the class attains.
    #[serde(serialize_with = "number")]
    pub value: T,
    /// The class, by its cells: `age=30-39, zip=*`.
    pub class: String,
}

/// The largest number of all classes; of equal ones, the first class is named.
pub(crate) fn largest(classes: &Classes, of: impl Iterator<Item = Fraction>) -> Option<At<Fraction>> {
    let mut best: Option<(Fraction, u32)> = None;
    for (class, value) in (0..).zip(of) {
        if best.is_none_or(|(best, _)| value > best) {
            best = Some((value, class));
        }
    }
    best.map(|(value, class)| At { value, class: classes.name(class) })
}

/// `Σ top/bottom` of many terms, exactly: by divide and conquer, reducing only the sum, since reducing at every step is
/// slow.
pub(crate) fn sum(terms: &[(u64, u64)]) -> Rational {
    fn unreduced(terms: &[(u64, u64)]) -> (BigInt, BigInt) {
        match terms {
            [] => (0.into(), 1.into()),
            [(top, bottom)] => ((*top).into(), (*bottom).into()),
            more => {
                let (left, right) = more.split_at(more.len() / 2);
                let ((a, b), (c, d)) = (unreduced(left), unreduced(right));
                (a * &d + c * &b, b * d)
            }
        }
    }
    let (top, bottom) = unreduced(terms);
    Rational::new(top, bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_is_that_of_numbers(a in 0_u128..1 << 100, b in 0_u128..1 << 100, c in 0_u128..9, d in 0_u128..9) {
            for (one, two) in [(Fraction::new(a, b), Fraction::new(c, d)), (Fraction::new(c, d), Fraction::new(d, c)), (Fraction::new(a, b), Fraction::new(a, b + 1))] {
                prop_assert_eq!(one.cmp(&two), one.value().cmp(&two.value()));
            }
            prop_assert_eq!(Fraction::new(a, b + 1), Fraction::new(a * 3, (b + 1) * 3));
        }
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(sum(&[]), whole(0));
        assert_eq!(sum(&[(1, 2), (1, 3), (1, 6)]), whole(1));
        assert_eq!(sum(&[(1, 2), (1, 3)]), ratio(5, 6));
    }
}
