//! Enclosures of the weights `size · r̂^distance` of candidates, at any precision.
//!
//! Candidates are grouped into classes of equal distance, nearest first. A walk over them multiplies the weight of one
//! candidate from class to class and sums the weights of the classes, both rounded outward. It ends early where the
//! rest is certainly negligible at the requested precision; the rest is then one interval that starts at zero.

use super::ratio::Decay;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// Number of cached powers for gaps between distances: adjacent distances mostly differ by a few steps.
const KEPT: usize = 4096;
/// Bits beyond those that the error analysis of [`Weights::at`] requires.
const SPARE: u32 = 8;

/// All candidates of one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class {
    pub distance: u64,
    /// The number of candidates, at least 1.
    pub size: u128,
}

/// A number between `low` and `high`, in units of the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounds {
    pub low: BigUint,
    pub high: BigUint,
}

impl Bounds {
    fn exactly(value: BigUint) -> Self {
        Self { low: value.clone(), high: value }
    }
}

/// The classes, their decay, and the precision of their weights.
pub(super) struct Weights<'a> {
    classes: &'a [Class],
    decay: &'a Decay,
    /// Units are `2^−work` of the weight of one candidate of the nearest class.
    work: u32,
    /// Candidates whose weight has fewer bits than this end the walk.
    negligible: u64,
    total: u128,
}

fn size_bits(value: u128) -> u32 {
    u128::BITS - value.leading_zeros()
}

impl<'a> Weights<'a> {
    /// Weights for `classes`, sorted by distance, at a precision at which their sum has a relative error of about
    /// `2^−bits`.
    ///
    /// With all values at most 1, the error of a product is at most the sum of the errors of its factors, and one unit
    /// more for rounding: `r̂^d` by some multiple of `d` units, a class by `size` times that. Hence the bits for span
    /// and sizes. If the analysis were wrong, a walk would be wider and the draw refined once more, but never wrong.
    pub fn at(classes: &'a [Class], decay: &'a Decay, bits: u32) -> Self {
        let total = classes.iter().fold(0_u128, |sum, class| sum.saturating_add(class.size));
        let span = match classes {
            [first, .., last] => last.distance.abs_diff(first.distance),
            _ => 0,
        };
        let noise = size_bits(u128::from(span)) + SPARE;
        Self { classes, decay, work: bits + noise + size_bits(total), negligible: u64::from(noise), total }
    }

    /// A precision so coarse that a bound on the wrong side is visible.
    #[cfg(test)]
    pub fn coarsely(classes: &'a [Class], decay: &'a Decay, work: u32, negligible: u64) -> Self {
        Self { work, negligible, ..Self::at(classes, decay, 0) }
    }

    /// The weight of one candidate of the nearest class.
    pub fn one(&self) -> BigUint {
        BigUint::one() << self.work
    }

    /// The weight of one candidate of this class.
    pub fn candidate(&self, class: usize) -> Bounds {
        let mut weight = Bounds::exactly(self.one());
        let gap = self.classes[class].distance.abs_diff(self.classes[0].distance);
        if gap > 0 {
            Powers::new(self.decay, self.work).scale(&mut weight, gap);
        }
        weight
    }

    /// The sum of the weights of all candidates.
    pub fn total(&self) -> Bounds {
        let mut walk = self.walk();
        while walk.pass() {}
        walk.total()
    }

    /// The sums of the weights up to and including each class in turn.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            classes: self.classes.iter(),
            powers: Powers::new(self.decay, self.work),
            negligible: self.negligible,
            before: self.classes.first().map_or(0, |class| class.distance),
            weight: Bounds::exactly(self.one()),
            sum: Bounds::exactly(BigUint::zero()),
            rest: self.total,
        }
    }
}

/// See [`Weights::walk`].
pub(super) struct Walk<'a> {
    classes: std::slice::Iter<'a, Class>,
    powers: Powers,
    negligible: u64,
    /// The distance of the last class, and the weight of one of its candidates.
    before: u64,
    weight: Bounds,
    sum: Bounds,
    /// The number of remaining candidates.
    rest: u128,
}

impl Walk<'_> {
    /// Whether all classes were passed.
    pub fn is_complete(&self) -> bool {
        self.classes.len() == 0
    }

    /// The sum of the passed classes.
    pub fn sum(&self) -> &Bounds {
        &self.sum
    }

    /// The sum of all classes: of the passed ones, and of the rest, each of which weighs at most as much as the last.
    pub fn total(&self) -> Bounds {
        Bounds { low: self.sum.low.clone(), high: &self.sum.high + &self.weight.high * self.rest }
    }

    /// Passes one class; returns false at the end, or if the rest is negligible.
    pub fn pass(&mut self) -> bool {
        if self.weight.high.bits() <= self.negligible {
            return false;
        }
        let Some(class) = self.classes.next() else { return false };
        let gap = class.distance.abs_diff(self.before);
        if gap > 0 {
            self.powers.scale(&mut self.weight, gap);
        }
        self.before = class.distance;
        self.sum.low += &self.weight.low * class.size;
        self.sum.high += &self.weight.high * class.size;
        self.rest = self.rest.saturating_sub(class.size);
        true
    }
}

/// Powers of the decay in units of `2^−work`.
struct Powers {
    work: u32,
    /// One unit less than 1: added before a shift to round up.
    round_up: BigUint,
    /// `r̂^(2^i)`, as many as were needed.
    squares: Vec<Bounds>,
    kept: BTreeMap<u64, Bounds>,
}

impl Powers {
    fn new(decay: &Decay, work: u32) -> Self {
        // Both parts are positive.
        let (numerator, denominator) = (decay.ratio().numer().magnitude() << work, decay.ratio().denom().magnitude());
        let first = Bounds { low: numerator.div_floor(denominator), high: numerator.div_ceil(denominator) };
        Self { work, round_up: (BigUint::one() << work) - 1_u32, squares: vec![first], kept: BTreeMap::new() }
    }

    fn multiply(&self, value: &mut Bounds, factor: &Bounds) {
        value.low *= &factor.low;
        value.low >>= self.work;
        value.high *= &factor.high;
        value.high += &self.round_up;
        value.high >>= self.work;
    }

    /// Multiplies a weight by `r̂^gap`, `gap ≥ 1`.
    fn scale(&mut self, weight: &mut Bounds, gap: u64) {
        if let Some(power) = self.kept.get(&gap) {
            self.multiply(weight, power);
            return;
        }
        let power = self.power(gap);
        self.multiply(weight, &power);
        if self.kept.len() < KEPT {
            self.kept.insert(gap, power);
        }
    }

    fn power(&mut self, exponent: u64) -> Bounds {
        let mut product = Bounds::exactly(BigUint::one() << self.work);
        let mut place = 0;
        let mut left = exponent;
        while left > 0 {
            if place == self.squares.len() {
                let last = self.squares[place - 1].clone();
                let mut square = last.clone();
                self.multiply(&mut square, &last);
                self.squares.push(square);
            }
            if left & 1 == 1 {
                self.multiply(&mut product, &self.squares[place]);
            }
            left >>= 1;
            place += 1;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Rational, power, ratio, whole};
    use num_bigint::BigInt;

    fn list(classes: &[(u64, u128)]) -> Vec<Class> {
        classes.iter().map(|(distance, size)| Class { distance: *distance, size: *size }).collect()
    }

    fn scaled(value: &BigUint, work: u32) -> Rational {
        Rational::new(BigInt::from(value.clone()), BigInt::one() << work)
    }

    /// The running sums and the total are within their bounds at any precision, wherever the walk ends.
    #[test]
    fn every_walk_encloses_the_exact_sums() {
        let cases = [list(&[(0, 1), (1, 1)]), list(&[(3, 2), (4, 7), (9, 1), (22, 100)]), list(&[(5, 3)])];
        for (classes, r) in cases.iter().flat_map(|case| [(1, 2), (2, 3), (1, 7), (40, 41)].map(|r| (case, r))) {
            let decay = Decay::exactly(ratio(r.0, r.1)).unwrap();
            let weight = |class: &Class| {
                let beyond = u32::try_from(class.distance - classes[0].distance).unwrap();
                whole(BigInt::from(class.size)) * power(decay.ratio(), beyond)
            };
            let total: Rational = classes.iter().map(weight).sum();
            for (work, negligible) in (1..=12).flat_map(|work| (0..=u64::from(work)).map(move |none| (work, none))) {
                let weights = Weights::coarsely(classes, &decay, work, negligible);
                let mut walk = weights.walk();
                let mut sum = Rational::zero();
                for class in classes {
                    if !walk.pass() {
                        break;
                    }
                    sum += weight(class);
                    let (low, high) = (scaled(&walk.sum().low, work), scaled(&walk.sum().high, work));
                    assert!(low <= sum && sum <= high, "{classes:?} at {work} bits: {sum} not in {low} to {high}");
                }
                let (low, high) = (scaled(&walk.total().low, work), scaled(&walk.total().high, work));
                assert!(low <= total && total <= high, "{classes:?} at {work} bits: {total} not in {low} to {high}");
                assert!(!walk.is_complete() || sum == total);
                for (at, class) in classes.iter().enumerate() {
                    let Bounds { low, high } = weights.candidate(at);
                    let exact = weight(class) / whole(BigInt::from(class.size));
                    assert!(scaled(&low, work) <= exact && exact <= scaled(&high, work) && high <= weights.one());
                }
            }
        }
    }

    /// The error analysis of [`Weights::at`]: the total has the requested precision, even after 2^62 steps.
    #[test]
    fn totals_are_as_fine_as_asked() {
        let near = |bits: u32| whole(1) - Rational::new(BigInt::one(), BigInt::one() << bits);
        let many: Vec<(u64, u128)> = (0..2000).map(|place| (place * place, 1 << 60)).collect();
        for r in [ratio(1, 3), near(10), near(20), near(62), near(90)] {
            let decay = Decay::exactly(r).unwrap();
            for classes in
                [list(&many), list(&[(0, 1), (1 << 62, 1 << 90)]), list(&[(0, 1), (7, 1), ((1 << 62) - 1, 3)])]
            {
                for bits in [1, 64, 192] {
                    let weights = Weights::at(&classes, &decay, bits);
                    let mut walk = weights.walk();
                    while walk.pass() {}
                    let Bounds { low, high } = walk.total();
                    assert!((high - &low) << bits <= low, "{bits} bits were asked for");
                    for class in [0, classes.len() / 2, classes.len() - 1] {
                        let Bounds { low, high } = weights.candidate(class);
                        assert!((high - low) << bits <= weights.one(), "{bits} bits were asked for");
                    }
                }
            }
        }
    }
}
