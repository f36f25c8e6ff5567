//! Numbers whose ratios are compared exactly and fast.

use deniable_core::exact::{Rational, whole};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;

/// Ratios whose floats are closer than this are compared exactly. It is far above all rounding errors, which are a few
/// parts in 2^52.
const NEAR: f64 = 1e-9;

/// A numerator or denominator of a ratio.
pub(crate) trait Part: Clone {
    fn nothing(&self) -> bool;

    /// Compares `a/b` with `c/d`, all four above zero.
    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;

    fn rational(&self) -> Rational;
}

impl Part for u64 {
    fn nothing(&self) -> bool {
        *self == 0
    }

    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (u128::from(*a) * u128::from(*d)).cmp(&(u128::from(*c) * u128::from(*b)))
    }

    fn rational(&self) -> Rational {
        whole(*self)
    }
}

impl Part for u128 {
    fn nothing(&self) -> bool {
        *self == 0
    }

    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        match (a.checked_mul(*d), c.checked_mul(*b)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => apart(*a as f64 / *b as f64, *c as f64 / *d as f64).unwrap_or_else(|| {
                let product = |x: u128, y: u128| BigUint::from(x) * y;
                product(*a, *d).cmp(&product(*c, *b))
            }),
        }
    }

    fn rational(&self) -> Rational {
        whole(*self)
    }
}

impl Part for BigInt {
    fn nothing(&self) -> bool {
        self.is_zero()
    }

    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (a * d).cmp(&(c * b))
    }

    fn rational(&self) -> Rational {
        whole(self.clone())
    }
}

/// A fraction with a nearby float.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearFraction<'a> {
    value: &'a Rational,
    float: f64,
}

impl<'a> NearFraction<'a> {
    pub(crate) fn all(values: &'a [Rational]) -> Vec<Self> {
        let normal = |float: f64| if float.is_normal() && (1e-100..1e100).contains(&float) { float } else { f64::NAN };
        values.iter().map(|value| Self { value, float: value.to_f64().map_or(f64::NAN, normal) }).collect()
    }
}

impl Part for NearFraction<'_> {
    fn nothing(&self) -> bool {
        self.value.is_zero()
    }

    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        apart(a.float / b.float, c.float / d.float).unwrap_or_else(|| (a.value * d.value).cmp(&(c.value * b.value)))
    }

    fn rational(&self) -> Rational {
        self.value.clone()
    }
}

/// The order of two floats, if they are far enough apart.
fn apart(left: f64, right: f64) -> Option<Ordering> {
    if left > right * (1.0 + NEAR) {
        Some(Ordering::Greater)
    } else if right > left * (1.0 + NEAR) {
        Some(Ordering::Less)
    } else {
        None
    }
}
