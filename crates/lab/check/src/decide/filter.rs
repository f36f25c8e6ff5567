//! A floating-point filter for columns of fractions without a small common denominator.
//!
//! Over a common denominator each number of such a column can have as many digits as the table has rows. Sums of
//! non-negative floats have a relative error of a few parts in 2^52 per step, with at most 2^24 steps; so the exact
//! maximum is among the candidates whose floats are within [`MARGIN`] of the largest. Those few are compared exactly.

use super::largest_ratio::Place;
use crate::notion::{Direction, Sign};
use deniable_core::exact::Rational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Far above the error of a ratio of two sums of 2^24 floats, which is below 10^-8.
const MARGIN: f64 = 1e-7;
/// With more candidates within the margin, they are usually equal, and the column has a structure that the exact
/// transform uses.
const MAX_CANDIDATES: usize = 64;

/// A column as floats; `None` if a value is so small or so large that products of a few could leave the range.
pub(super) fn floats(values: &[Rational]) -> Option<Vec<f64>> {
    let float = |value: &Rational| match value.to_f64() {
        Some(zero) if value.is_zero() => Some(zero),
        Some(float) if (1e-100..1e100).contains(&float) => Some(float),
        _ => None,
    };
    values.iter().map(float).collect()
}

/// A rate and its complement as floats; `None` if one is tiny but not zero.
pub(super) fn rate(rate: &Rational) -> Option<(f64, f64)> {
    let fits = |value: Rational| value.to_f64().filter(|float| value.is_zero() || (1e-6..=1.0).contains(float));
    (!rate.is_negative()).then_some(())?;
    Some((fits(rate.clone())?, fits(Rational::one() - rate)?))
}

/// The pairs one entity apart whose ratio may be the largest, those with the fewest entities first; `None` if there are
/// too many.
pub(super) fn steps(values: &[f64], sign: Sign) -> Option<Vec<Place>> {
    let n = values.len().ilog2();
    let all = || {
        (0..values.len() as u32).flat_map(move |data| {
            (0..n).filter(move |t| data >> t & 1 == 0).flat_map(move |t| {
                let with = data | 1 << t;
                sign.directions().iter().map(move |direction| match direction {
                    Direction::Presence => Place { output: 0, more: with, less: data },
                    Direction::Absence => Place { output: 0, more: data, less: with },
                })
            })
        })
    };
    nearest(all, |place| (values[place.more as usize], values[place.less as usize]))
}

/// The places whose ratios may be the largest, by weight; `None` if there are too many.
pub(super) fn nearest<I: Iterator<Item = Place>>(
    places: impl Fn() -> I,
    at: impl Fn(&Place) -> (f64, f64),
) -> Option<Vec<Place>> {
    // A zero float is an exact zero: no value above zero is small enough to underflow.
    let ratio = |place: &Place| match at(place) {
        (top, _) if top <= 0.0 => 0.0,
        (_, bottom) if bottom <= 0.0 => f64::INFINITY,
        (top, bottom) => top / bottom,
    };
    let most = places().map(|place| ratio(&place)).fold(0.0, f64::max);
    let mut near: Vec<Place> = Vec::new();
    for place in places().filter(|place| ratio(place) >= most * (1.0 - MARGIN)) {
        if near.len() == MAX_CANDIDATES {
            return None;
        }
        near.push(place);
    }
    near.sort_by_key(Place::weight);
    Some(near)
}
