//! Exact arithmetic on results, within a limit on bits.
//!
//! `num_rational` reduces fractions with a greatest common divisor whose number of rounds is the bit length of the
//! longer number, even if the other one is 1. Here the longer number is divided by the shorter one first, whole
//! numbers are not reduced, and sums only examine the common divisor of both denominators (Knuth, The Art of
//! Computer Programming 2, 4.5.1): a sum of thousands of fractions takes milliseconds.
//!
//! Ends of intervals are rounded outward when they are long.

use deniable_core::exact::Rational;
use deniable_query::output::{MOST_BITS, MOST_SHOWN};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

/// Long shown numbers are rounded to this many decimal places, which is more than any output prints.
const PLACES: u32 = 30;
/// Longer interval ends are rounded.
const LONG: u64 = 512;
/// Significant bits of a rounded interval end.
const KEPT: i64 = 256;

/// Counts steps as [`super::effort`] estimates them, for the tests that compare both.
#[cfg(test)]
pub(crate) mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn add(steps: u64) {
        STEPS.set(STEPS.get() + steps);
    }

    /// The steps of this thread since the last call.
    pub(crate) fn take() -> u64 {
        STEPS.take()
    }
}

#[cfg(test)]
fn count(one: &BigInt, other: &BigInt) {
    counted::add((one.bits() / 64 + 1) * (other.bits() / 64 + 1) / 8 + 1);
}

#[cfg(not(test))]
fn count(_: &BigInt, _: &BigInt) {}

/// Returns `None` for numbers beyond [`MOST_BITS`].
pub(crate) fn limited(value: Rational) -> Option<Rational> {
    (value.numer().bits() <= MOST_BITS && value.denom().bits() <= MOST_BITS).then_some(value)
}

/// A fraction whose parts are coprime already, with a positive denominator.
fn raw(over: BigInt, under: BigInt) -> Rational {
    Rational::new_raw(over, under)
}

/// The greatest common divisor. Divides the longer number by the shorter one first.
fn common_divisor(one: &BigInt, other: &BigInt) -> BigInt {
    count(one, other);
    let (short, long) = if one.bits() <= other.bits() { (one, other) } else { (other, one) };
    if short.is_zero() {
        return long.abs();
    }
    if short.magnitude().is_one() {
        return BigInt::one();
    }
    short.gcd(&(long % short))
}

pub(crate) fn sum(left: &Rational, right: &Rational) -> Rational {
    let (a, b) = (left.denom(), right.denom());
    if a.is_one() && b.is_one() {
        return Rational::from_integer(left.numer() + right.numer());
    }
    let common = common_divisor(a, b);
    count(left.numer(), right.denom());
    count(right.numer(), left.denom());
    let (a_rest, b_rest) = (a / &common, b / &common);
    let over = left.numer() * &b_rest + right.numer() * &a_rest;
    // A divisor of both parts divides `common`, since the fractions are reduced.
    let shared = common_divisor(&over, &common);
    if over.is_zero() {
        return Rational::zero();
    }
    raw(over / &shared, a_rest * (b / &shared))
}

pub(crate) fn difference(left: &Rational, right: &Rational) -> Rational {
    sum(left, &raw(-right.numer(), right.denom().clone()))
}

pub(crate) fn product(left: &Rational, right: &Rational) -> Rational {
    if left.is_zero() || right.is_zero() {
        return Rational::zero();
    }
    count(left.numer(), right.numer());
    let one = common_divisor(left.numer(), right.denom());
    let other = common_divisor(right.numer(), left.denom());
    raw((left.numer() / &one) * (right.numer() / &other), (left.denom() / &other) * (right.denom() / &one))
}

/// The quotient; `right` is not zero.
pub(crate) fn quotient(left: &Rational, right: &Rational) -> Rational {
    let (over, under) = (right.denom(), right.numer());
    let turned = if under.is_negative() { raw(-over, -under) } else { raw(over.clone(), under.clone()) };
    product(left, &turned)
}

/// The order of two numbers. Does not recurse, unlike `Ratio::cmp`, whose depth grows with the digits.
pub(crate) fn compare(left: &Rational, right: &Rational) -> Ordering {
    if left.denom() == right.denom() {
        return left.numer().cmp(right.numer());
    }
    let signs = left.numer().sign().cmp(&right.numer().sign());
    signs.then_with(|| (left.numer() * right.denom()).cmp(&(right.numer() * left.denom())))
}

/// The largest number of which both are integer multiples.
pub(crate) fn common_unit(one: &Rational, other: &Rational) -> Rational {
    let (a, b) = (one.denom(), other.denom());
    raw(common_divisor(one.numer(), other.numer()), a / common_divisor(a, b) * b)
}

/// Rounds to decimal places, ties away from zero.
pub(crate) fn rounded(value: &Rational, places: i8) -> Rational {
    let power = BigInt::from(10).pow(u32::from(places.unsigned_abs()));
    let (over, under) = match places {
        0.. => (value.numer() * &power, value.denom().clone()),
        _ => (value.numer().clone(), value.denom() * &power),
    };
    let away: BigInt = (over.abs() * 2 + &under) / (under * 2);
    let units = if over.is_negative() { -away } else { away };
    if places < 0 { Rational::from_integer(units * power) } else { fraction(units, power) }
}

/// A fraction in lowest terms.
fn fraction(over: BigInt, under: BigInt) -> Rational {
    let common = common_divisor(&over, &under);
    raw(over / &common, under / common)
}

/// The number to show; `None` if its integer part exceeds [`MOST_SHOWN`] bits.
pub(crate) fn shown(value: Rational) -> Option<Rational> {
    if is_short(&value) {
        return Some(value);
    }
    (magnitude(&value) <= MOST_SHOWN.cast_signed()).then(|| {
        let scale = BigInt::from(10).pow(PLACES);
        let over = value.numer().abs() * &scale * 2 + value.denom();
        let units: BigInt = over / (value.denom() * 2);
        fraction(if value.is_negative() { -units } else { units }, scale)
    })
}

fn is_short(value: &Rational) -> bool {
    value.numer().bits() <= LONG && value.denom().bits() <= LONG
}

/// The binary exponent of the number, within one.
fn magnitude(value: &Rational) -> i64 {
    value.numer().bits().cast_signed() - value.denom().bits().cast_signed()
}

/// Rounds to `places` binary digits after the point, or before it if `places` is negative.
fn multiple(value: &Rational, places: i64, round: fn(&BigInt, &BigInt) -> BigInt) -> Rational {
    let by = places.unsigned_abs();
    match places {
        0.. => fraction(round(&(value.numer() << by), value.denom()), BigInt::one() << by),
        _ => Rational::from_integer(round(value.numer(), &(value.denom() << by)) << by),
    }
}

/// The number, or its leading [`KEPT`] bits if it is long.
pub(crate) fn significant(value: &Rational) -> Rational {
    if is_short(value) {
        value.clone()
    } else {
        multiple(value, KEPT.saturating_sub(magnitude(value)), BigInt::div_floor)
    }
}

/// Rounds a long interval end; `None` beyond the range of shown numbers.
fn end(value: Rational, round: fn(&BigInt, &BigInt) -> BigInt) -> Option<Rational> {
    if is_short(&value) {
        return Some(value);
    }
    let (size, most) = (magnitude(&value), MOST_SHOWN.cast_signed());
    (size <= most).then(|| multiple(&value, KEPT.saturating_sub(size).min(most), round))
}

/// A lower interval end, at most `value`.
pub(crate) fn lower_end(value: Rational) -> Option<Rational> {
    end(value, BigInt::div_floor)
}

/// An upper interval end, at least `value`.
pub(crate) fn upper_end(value: Rational) -> Option<Rational> {
    end(value, |over, under| -(-over).div_floor(under))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};
    use proptest::prelude::*;

    /// Fractions of a few digits and of many, zero among them.
    fn fractions() -> impl Strategy<Value = Rational> {
        let sizes = prop_oneof![Just(0_u32), Just(3), Just(40)];
        (any::<i64>(), 1..i64::MAX, sizes.clone(), sizes, any::<bool>()).prop_map(|(over, under, a, b, small)| {
            let (over, under) = if small { (over % 7, under % 7 + 1) } else { (over, under) };
            let power = |base: i64, by: u32| BigInt::from(base).pow(by.max(1));
            Rational::new(power(over, a), power(under, b))
        })
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_fractions(a in fractions(), b in fractions()) {
            let is_lowest = |value: &Rational| value == &Rational::new(value.numer().clone(), value.denom().clone())
                && value.denom().is_positive() && Integer::gcd(value.numer(), value.denom()).is_one();
            for (found, wanted) in [(sum(&a, &b), &a + &b), (difference(&a, &b), &a - &b), (product(&a, &b), &a * &b)] {
                prop_assert!(found == wanted && is_lowest(&found), "{found} {wanted}");
            }
            if !b.is_zero() {
                let found = quotient(&a, &b);
                prop_assert!(found == &a / &b && is_lowest(&found));
            }
            prop_assert_eq!(compare(&a, &b), a.cmp(&b));
            for places in [-3, 0, 5] {
                let scale = num_traits::Pow::pow(whole(10), i32::from(places));
                prop_assert_eq!(rounded(&a, places), (&a * &scale).round() / &scale);
            }
        }

        #[test]
        fn ends_are_rounded_away_by_little(value in fractions()) {
            let (low, high) = (lower_end(value.clone()), upper_end(value.clone()));
            if magnitude(&value) <= MOST_SHOWN.cast_signed() {
                let (low, high) = (low.unwrap(), high.unwrap());
                prop_assert!(low <= value && value <= high);
                let width = Rational::new(1.into(), BigInt::one() << 200_u32);
                prop_assert!(&high - &low <= value.abs() * &width + width);
                prop_assert!(low.denom().bits() <= 1_200 && low.numer().bits() <= 1_400);
                let seen = shown(value.clone()).unwrap();
                prop_assert!((&seen - &value).abs() <= Rational::new(1.into(), BigInt::from(10).pow(PLACES)));
            } else {
                prop_assert!(low.is_none() && high.is_none() && shown(value).is_none());
            }
        }
    }

    #[test]
    fn units_in_common() {
        assert_eq!(common_unit(&ratio(1, 6), &ratio(1, 4)), ratio(1, 12));
        assert_eq!(common_unit(&whole(6), &ratio(9, 2)), ratio(3, 2));
    }

    #[test]
    fn numbers_beyond_the_limit_are_rejected() {
        let at = |bits: u64| limited(Rational::from_integer(BigInt::one() << bits));
        assert!(at(MOST_BITS - 1).is_some() && at(MOST_BITS).is_none());
        assert!(limited(Rational::new(1.into(), BigInt::one() << MOST_BITS)).is_none());
    }
}
