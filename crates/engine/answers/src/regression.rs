//! Covariances, correlations and least squares from noisy sums of products, with intervals from the distribution of
//! the noise (S-LS, M-PIV).
//!
//! Every such number is a quotient of partial sums of products: for values a and b given values u, with `γ` and `δ` the
//! least-squares fits of a and b on u,
//!
//! `⟨a, b⟩ = Σ (a − γ·u)(b − δ·u)`
//!
//! | number | a | b | u | divided by |
//! |---|---|---|---|---|
//! | covariance | y | x | 1 | rows |
//! | slope | x | y | 1, further x | `⟨x, x⟩` |
//! | intercept | 1 | y | all x, from zero | `⟨1, 1⟩` |
//! | the unexplained part | y | y | 1, all x | `⟨y, y⟩` given 1 |
//! | correlation | y | x | 1 | `(⟨y, y⟩/s + s·⟨x, x⟩)/2`, s the quotient of both deviations |
//!
//! At the exact γ, δ and quotient θ, `⟨a, b⟩ − θ·⟨c, d⟩` is zero, and its noisy value is pure noise, linear in that of
//! the measures. The noisy fits γ̂, δ̂ differ from γ, δ, but only the product of the differences matters: with the
//! noisy products `Ĝ` of u, `⟨a, b⟩(γ, δ) = ⟨a, b⟩(γ̂, δ̂) + (γ − γ̂)ᵀ Ĝ (δ − δ̂)` holds exactly, and `Ĝ (γ − γ̂)` is
//! pure noise as well. So a small part of the error probability bounds γ and δ, from which the largest weights of the
//! noise and the largest product follow; the rest is for θ.

use crate::evaluate::{Evaluator, ROOT_PLACES};
use crate::form::{At, Linear};
use crate::number::Number;
use crate::pivot::{Ends, ROUNDING, inwards, nearest_to_zero};
use deniable_core::exact::{Rational, Rounding, square_root, whole};
use deniable_query::{Moments, Product, Query, Regression, Statistic};
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of the error probability for the quotient itself, and for the scale of a correlation; the rest is for the
/// fits.
const OWN: f64 = 0.9;
const SCALE: f64 = 0.03;
/// Most enlargements of the box that contains all possible fits.
const STEPS: usize = 40;

/// A value as a sum of the constant 1 and the centred values, by their weights.
type Vector = Vec<Rational>;

/// The margin of weighted noises, for this part of the error probability.
type Reach<'a> = &'a dyn Fn(&BTreeMap<At, f64>, f64) -> f64;

/// The vectors of a partial covariance: two values, and the values that are held fixed.
struct CommonVectors {
    left: Vector,
    right: Vector,
    beside: Vec<Vector>,
}

/// The divisor of a quotient.
enum Divisor {
    One,
    /// The number of rows, minus this many.
    Rows(i64),
    Common(CommonVectors),
    /// The geometric mean of both.
    Both(CommonVectors, CommonVectors),
}

/// A range of numbers.
#[derive(Debug, Clone, Copy)]
struct Span(f64, f64);

impl Span {
    fn at(value: f64) -> Self {
        Self(value, value)
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }

    fn times(self, other: Self) -> Self {
        let corners = [self.0 * other.0, self.0 * other.1, self.1 * other.0, self.1 * other.1];
        Self(corners.into_iter().fold(f64::INFINITY, f64::min), corners.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    fn largest(self) -> f64 {
        self.0.abs().max(self.1.abs())
    }

    /// Widens the range by the rounding error of operations on floats of this size.
    fn wider(self, size: f64) -> Self {
        Self(self.0 - ROUNDING * size, self.1 + ROUNDING * size)
    }
}

/// A noisy number whose exact value is zero once another is subtracted: its value, the weights of its noise, and its
/// additional error due to the noisy fits.
struct Quadratic {
    value: Span,
    weights: BTreeMap<At, Span>,
    rest: f64,
}

impl Quadratic {
    fn constant(value: f64) -> Self {
        Self { value: Span::at(value), weights: BTreeMap::new(), rest: 0.0 }
    }

    /// `left·self + right·other`.
    fn combined(&self, left: Span, other: &Self, right: Span) -> Self {
        let keys: BTreeSet<At> = self.weights.keys().chain(other.weights.keys()).copied().collect();
        let weight = |of: &Self, at| of.weights.get(&at).copied().unwrap_or(Span::at(0.0));
        let both = |at| (at, weight(self, at).times(left).plus(weight(other, at).times(right)));
        Self {
            value: self.value.times(left).plus(other.value.times(right)),
            weights: keys.into_iter().map(both).collect(),
            rest: self.rest * left.largest() + other.rest * right.largest(),
        }
    }

    /// Whether its distance from zero is within the margin of its noise.
    fn is_noise(&self, reach: Reach<'_>, part: f64, size: f64) -> bool {
        let far = nearest_to_zero(&[self.value.0, self.value.1]);
        far <= reach(&magnitudes(&self.weights), part) + self.rest * (1.0 + ROUNDING) + ROUNDING * size
    }
}

fn magnitudes(weights: &BTreeMap<At, Span>) -> BTreeMap<At, f64> {
    weights.iter().map(|(at, weight)| (*at, weight.largest() * (1.0 + ROUNDING))).collect()
}

/// The noisy products of a cell.
struct Noisy<'a> {
    query: &'a Query,
    about: &'a Regression,
    cell: usize,
    value: &'a dyn Fn(At) -> i128,
}

/// A fit on the noisy products, and the possible error of each weight.
struct Fit {
    weights: Vector,
    /// The largest error of each weight, and the noise that causes it.
    off: Vec<f64>,
    noise: Vec<f64>,
}

impl Noisy<'_> {
    fn values(&self) -> usize {
        self.about.values.len()
    }

    /// The constant 1.
    fn one(&self) -> Vector {
        let mut vector = vec![Rational::zero(); self.values() + 1];
        vector[0] = Rational::one();
        vector
    }

    /// A value minus its centre.
    fn centred(&self, at: usize) -> Vector {
        let mut vector = vec![Rational::zero(); self.values() + 1];
        vector[at + 1] = Rational::one();
        vector
    }

    fn uncentred(&self, at: usize) -> Vector {
        let mut vector = self.centred(at);
        vector[0] = self.about.values[at].centre.clone();
        vector
    }

    /// Values with the same span, of which at most one contains a constant: values far from zero are nearly constant,
    /// and noise could not distinguish them.
    fn hardly_alike(&self, mut values: Vec<Vector>) -> Vec<Vector> {
        let distance = |at: &usize| {
            let Moments { low, high, centre, .. } = &self.about.values[at + 1];
            centre.abs() / (high - low)
        };
        let Some(furthest) = (0..values.len()).max_by_key(distance) else { return values };
        let far = values[furthest].clone();
        for (at, value) in values.iter_mut().enumerate() {
            if at != furthest && !far[0].is_zero() {
                let times = &value[0] / &far[0];
                value.iter_mut().zip(&far).for_each(|(value, far)| *value -= &times * far);
            }
        }
        values
    }

    /// The statistic as a quotient; the flag is set if the statistic is 1 minus the quotient.
    fn quotient(&self) -> (CommonVectors, Divisor, bool) {
        let explaining = || 1..self.values();
        let common = |left: Vector, right: &Vector, beside: &[Vector]| CommonVectors {
            left,
            right: right.clone(),
            beside: beside.to_vec(),
        };
        let one = [self.one()];
        let y = self.centred(0);
        match self.about.statistic {
            Statistic::Covariance { sample } => {
                (common(y, &self.centred(1), &one), Divisor::Rows(i64::from(sample)), false)
            }
            Statistic::Products(left, right) => {
                (common(self.centred(left), &self.centred(right), &one), Divisor::One, false)
            }
            Statistic::Correlation => {
                let x = self.centred(1);
                let under = Divisor::Both(common(y.clone(), &y, &one), common(x.clone(), &x, &one));
                (common(y, &x, &one), under, false)
            }
            Statistic::Slope => {
                let x = self.centred(1);
                let beside: Vec<Vector> =
                    one.into_iter().chain(explaining().skip(1).map(|at| self.centred(at))).collect();
                let under = Divisor::Common(common(x.clone(), &x, &beside));
                (common(x, &y, &beside), under, false)
            }
            Statistic::Intercept => {
                let [one] = one;
                let beside = self.hardly_alike(explaining().map(|at| self.uncentred(at)).collect());
                let under = Divisor::Common(common(one.clone(), &one, &beside));
                (common(one, &self.uncentred(0), &beside), under, false)
            }
            Statistic::Explained => {
                let beside: Vec<Vector> = one.iter().cloned().chain(explaining().map(|at| self.centred(at))).collect();
                (common(y.clone(), &y, &beside), Divisor::Common(common(y.clone(), &y, &one)), true)
            }
        }
    }

    /// The sum over the rows of the product of two values, each the constant 1 or a centred value.
    fn product(&self, one: usize, other: usize) -> Option<Linear> {
        let measure = |at: usize| Linear::measure((at, self.cell), self.query.measures()[at].unit.clone());
        let (first, second) = (one.min(other), one.max(other));
        if second == 0 {
            return Some(measure(self.about.count));
        }
        if first == 0 {
            let Moments { sum, .. } = &self.about.values[second - 1];
            return Some(measure(*sum));
        }
        Some(match self.about.products.get(&(first - 1, second - 1))? {
            Product::Measure(at) => measure(*at),
            Product::EachRow(square) => measure(self.about.count).times(square),
        })
    }

    /// The noisy sum over the rows of the product of two values.
    fn sum(&self, left: &Vector, right: &Vector) -> Option<Rational> {
        let mut sum = Rational::zero();
        for (one, a) in left.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            for (other, b) in right.iter().enumerate().filter(|(_, b)| !b.is_zero()) {
                let product = self.product(one, other)?;
                let noisy: Rational = product.terms().map(|(at, unit)| unit * whole((self.value)(at))).sum();
                sum += a * b * noisy;
            }
        }
        Some(sum)
    }

    /// The weights of the measures in the same sum, for values whose weights are within ranges.
    fn weights(&self, left: &[Span], right: &[Span]) -> Option<BTreeMap<At, Span>> {
        let mut all: BTreeMap<At, Span> = BTreeMap::new();
        let is_there = |span: &Span| span.largest() > 0.0;
        for (one, a) in left.iter().enumerate().filter(|(_, a)| is_there(a)) {
            for (other, b) in right.iter().enumerate().filter(|(_, b)| is_there(b)) {
                for (at, unit) in self.product(one, other)?.terms() {
                    let weight = a.times(*b).times(Span::at(float(unit)));
                    let known = all.entry(at).or_insert(Span::at(0.0));
                    *known = known.plus(weight).wider(weight.largest());
                }
            }
        }
        Some(all)
    }

    /// The weights of a value minus its fit, for fits with errors up to `off`.
    fn left_over(&self, value: &Vector, beside: &[Vector], fit: &Vector, off: &[f64]) -> Vec<Span> {
        let at = |base: usize| {
            let exact = &value[base] - beside.iter().zip(fit).map(|(u, weight)| &u[base] * weight).sum::<Rational>();
            let wide: f64 = beside.iter().zip(off).map(|(u, off)| float(&u[base]).abs() * off).sum();
            let exact = float(&exact);
            Span(exact - wide, exact + wide).wider(exact.abs() + wide)
        };
        (0..value.len()).map(at).collect()
    }

    /// The products of all pairs of values.
    fn table(&self, values: &[Vector]) -> Option<Vec<Vec<Rational>>> {
        let row = |one: &Vector| values.iter().map(|other| self.sum(one, other)).collect::<Option<Vec<_>>>();
        values.iter().map(row).collect()
    }

    /// The partial sum of products on the noisy products, with its fits; `None` if the noise makes it undefined.
    fn released(&self, common: &CommonVectors) -> Option<NoisyForm> {
        let CommonVectors { left, right, beside } = common;
        let inverse = inverse(self.table(beside)?)?;
        let with = |value: &Vector| beside.iter().map(|u| self.sum(u, value)).collect::<Option<Vec<_>>>();
        let (with_left, with_right) = (with(left)?, with(right)?);
        let fit = |with: &[Rational]| -> Vector {
            inverse.iter().map(|row| row.iter().zip(with).map(|(a, b)| a * b).sum()).collect()
        };
        let (left_fit, right_fit) = (fit(&with_left), fit(&with_right));
        let fitted: Rational = with_left.iter().zip(&right_fit).map(|(a, b)| a * b).sum();
        let value = self.sum(left, right)? - fitted;
        Some(NoisyForm { value, inverse, left: left_fit, right: right_fit })
    }

    /// Bounds the difference between the exact fit of a value and the noisy one. The noise is at most proportional to
    /// its weights, so a box that contains everything its own noise allows, with a margin, contains all possible fits.
    fn fit(
        &self,
        value: &Vector,
        beside: &[Vector],
        (weights, inverse): (&Vector, &[Vec<Rational>]),
        (reach, part): (Reach<'_>, f64),
    ) -> Option<Fit> {
        let inverse: Vec<Vec<f64>> = inverse.iter().map(|row| row.iter().map(|x| float(x).abs()).collect()).collect();
        let spans = |u: &Vector| -> Vec<Span> { u.iter().map(|x| Span::at(float(x))).collect() };
        let mut off = vec![0.0; beside.len()];
        for _ in 0..STEPS {
            let left = self.left_over(value, beside, weights, &off);
            let noise: Vec<f64> = beside
                .iter()
                .map(|u| Some(reach(&magnitudes(&self.weights(&spans(u), &left)?), part)))
                .collect::<Option<_>>()?;
            let needed: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>() * (1.0 + ROUNDING))
                .collect();
            if !needed.iter().all(|needed| needed.is_finite()) {
                return None;
            }
            if needed.iter().zip(&off).all(|(needed, off)| *needed <= 0.999 * off) {
                return Some(Fit { weights: weights.clone(), off, noise });
            }
            off = needed.iter().map(|needed| needed * 1.02 + f64::MIN_POSITIVE).collect();
        }
        None
    }

    /// The partial sum of products, with its noise over all possible fits.
    fn quadratic(&self, common: &CommonVectors, reach: Reach<'_>, part: f64) -> Option<Quadratic> {
        let CommonVectors { left, right, beside } = common;
        let released = self.released(common)?;
        let of = |value, fit| self.fit(value, beside, (fit, &released.inverse), (reach, part));
        let (one, other) = (of(left, &released.left)?, of(right, &released.right)?);
        let left = self.left_over(left, beside, &one.weights, &one.off);
        let right = self.left_over(right, beside, &other.weights, &other.off);
        let mut rest = 0.0;
        for (row, a) in released.inverse.iter().zip(&one.noise) {
            for (weight, b) in row.iter().zip(&other.noise) {
                rest += float(weight).abs() * a * b;
            }
        }
        Some(Quadratic { value: Span::at(float(&released.value)), weights: self.weights(&left, &right)?, rest })
    }

    /// The partial sum of products at the noisy fits alone.
    fn to_first_order(&self, common: &CommonVectors) -> Option<Quadratic> {
        let CommonVectors { left, right, beside } = common;
        let released = self.released(common)?;
        let none = vec![0.0; beside.len()];
        let left = self.left_over(left, beside, &released.left, &none);
        let right = self.left_over(right, beside, &released.right, &none);
        let weights = self.weights(&left, &right)?;
        Some(Quadratic { value: Span::at(float(&released.value)), weights, rest: 0.0 })
    }

    fn rows(&self, less: i64) -> Option<Quadratic> {
        let one = [Span::at(1.0)];
        let rows = float(&whole((self.value)((self.about.count, self.cell)))) - less as f64;
        Some(Quadratic { value: Span::at(rows), weights: self.weights(&one, &one)?, rest: 0.0 })
    }

    /// The number; `None` if the noise makes it undefined.
    fn estimate(&self) -> Option<Rational> {
        let (over, under, from_one) = self.quotient();
        let over = self.released(&over)?.value;
        let positive = |value: Rational| value.is_positive().then_some(value);
        let value = match &under {
            Divisor::One => over,
            Divisor::Rows(less) => {
                let rows = whole((self.value)((self.about.count, self.cell))) - whole(*less);
                over / positive(rows)?
            }
            Divisor::Common(under) => over / positive(self.released(under)?.value)?,
            Divisor::Both(one, other) => {
                let both = positive(self.released(one)?.value)? * positive(self.released(other)?.value)?;
                let root = square_root(&(&over * &over / both), ROOT_PLACES, Rounding::Nearest);
                if over.is_negative() { -root } else { root }
            }
        };
        Some(if from_one { whole(1) - value } else { value })
    }

    fn ends(&self, reach: Reach<'_>) -> Option<Ends> {
        let (over, under, from_one) = self.quotient();
        let fits = |common: &CommonVectors| common.beside.len() * if common.left == common.right { 1 } else { 2 };
        let each = match &under {
            Divisor::One | Divisor::Rows(_) | Divisor::Both(..) => fits(&over),
            // The fit of x given the other values is in both.
            Divisor::Common(under) if over.left == under.left && over.beside.len() == under.beside.len() => fits(&over),
            Divisor::Common(under) => fits(&over) + fits(under),
        };
        let scaled = if matches!(under, Divisor::Both(..)) { SCALE } else { 0.0 };
        let each = (1.0 - OWN - scaled) / each as f64;
        let over = self.quadratic(&over, reach, each)?;
        let under = match &under {
            Divisor::One => Quadratic::constant(1.0),
            Divisor::Rows(less) => self.rows(*less)?,
            Divisor::Common(common) => self.quadratic(common, reach, each)?,
            Divisor::Both(one, other) => {
                let (one, other) = (self.quadratic(one, reach, each)?, self.quadratic(other, reach, each)?);
                mean(&one, &other, quotient(&one, &other, reach, SCALE))?
            }
        };
        let (low, high) = quotient(&over, &under, reach, OWN);
        Some(if from_one { (high.map(|high| 1.0 - high), low.map(|low| 1.0 - low)) } else { (low, high) })
    }

    /// The number as floats, and its derivative by each measure, per unit.
    fn slope(&self) -> Option<(f64, BTreeMap<At, f64>)> {
        let (over, under, from_one) = self.quotient();
        let over = self.to_first_order(&over)?;
        let under = match &under {
            Divisor::One => Quadratic::constant(1.0),
            Divisor::Rows(less) => self.rows(*less)?,
            Divisor::Common(common) => self.to_first_order(common)?,
            Divisor::Both(one, other) => {
                let (one, other) = (self.to_first_order(one)?, self.to_first_order(other)?);
                let square = one.value.0 / other.value.0;
                mean(&one, &other, (Some(square), Some(square)))?
            }
        };
        if under.value.0 <= 0.0 {
            return None;
        }
        let value = over.value.0 / under.value.0;
        let moved = over.combined(Span::at(1.0), &under, Span::at(-value));
        let sign = if from_one { -1.0 } else { 1.0 };
        let by = moved.weights.iter().map(|(at, weight)| (*at, sign * (weight.0 + weight.1) / 2.0 / under.value.0));
        Some((if from_one { 1.0 - value } else { value }, by.collect()))
    }
}

struct NoisyForm {
    value: Rational,
    inverse: Vec<Vec<Rational>>,
    left: Vector,
    right: Vector,
}

/// `(one/s + s·other)/2` for `s²`, the quotient of both, between these ends; at the exact quotient this is their
/// geometric mean.
fn mean(one: &Quadratic, other: &Quadratic, square: Ends) -> Option<Quadratic> {
    let (Some(low), Some(high)) = square else { return None };
    if low.is_nan() || low <= 0.0 || one.value.0 <= 0.0 || other.value.0 <= 0.0 {
        return None;
    }
    let (low, high) = (low.sqrt() * (1.0 - ROUNDING), high.sqrt() * (1.0 + ROUNDING));
    let mut mean = one.combined(Span(0.5 / high, 0.5 / low), other, Span(low / 2.0, high / 2.0));
    let at = |s: f64| (one.value.0 / s + s * other.value.0) / 2.0;
    let least = (one.value.0 / other.value.0).sqrt().clamp(low, high);
    mean.value = Span(at(least), at(low).max(at(high))).wider(at(least));
    Some(mean)
}

/// Every quotient for which `over − θ·under` would not be unusually large.
fn quotient(over: &Quadratic, under: &Quadratic, reach: Reach<'_>, part: f64) -> Ends {
    let size = |theta: f64| over.value.largest() + theta.abs() * under.value.largest();
    let is_noise = |left: Span, right: Span, size: f64| over.combined(left, under, right).is_noise(reach, part, size);
    if under.value.0 <= 0.0 || is_noise(Span::at(0.0), Span::at(1.0), under.value.1) {
        return (None, None);
    }
    let estimate = over.value.0 / under.value.0;
    let at_estimate = over.combined(Span::at(1.0), under, Span::at(-estimate));
    let near = (reach(&magnitudes(&at_estimate.weights), part) + at_estimate.rest) / under.value.0;
    if !near.is_finite() {
        return (None, None);
    }
    let excluded = |from: f64, to: f64| !is_noise(Span::at(1.0), Span(-to, -from), size(from.abs().max(to.abs())));
    // Beyond this point on one side no value is possible: divided by θ, the noise is that of `under` and a little of
    // `over`.
    let outer = |side: f64| {
        let mut far = estimate.abs() + 10.0 * near + f64::MIN_POSITIVE;
        (0..12).find_map(|_| {
            let little = if side > 0.0 { Span(0.0, 1.0 / far) } else { Span(-1.0 / far, 0.0) };
            let found = !is_noise(little, Span::at(-1.0), size(1.0 / far) / far + under.value.1);
            let at = side * far;
            far *= 8.0;
            found.then_some(at)
        })
    };
    let end = |side: f64| outer(side).map(|outer| inwards(outer, estimate, near, &excluded));
    (end(-1.0), end(1.0))
}

/// The inverse of a symmetric matrix; `None` if it is not positive definite, which noise may cause.
fn inverse(mut rows: Vec<Vec<Rational>>) -> Option<Vec<Vec<Rational>>> {
    let size = rows.len();
    for (at, row) in rows.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == at { Rational::one() } else { Rational::zero() }));
    }
    for at in 0..size {
        // Without exchanges, all pivots are positive exactly if the matrix is positive definite.
        let pivot = rows[at][at].clone();
        if !pivot.is_positive() {
            return None;
        }
        rows[at].iter_mut().for_each(|value| *value /= &pivot);
        let own = rows[at].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = row[at].clone();
            if !factor.is_zero() {
                row.iter_mut().zip(&own).for_each(|(value, own)| *value -= &factor * own);
            }
        }
    }
    Some(rows.into_iter().map(|row| row[size..].to_vec()).collect())
}

fn float(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(f64::MAX)
}

impl Evaluator<'_> {
    /// The number, and its interval if `reach` is present.
    pub(crate) fn regression(&self, about: &Regression, cell: usize, reach: Option<Reach<'_>>) -> Number {
        let value = |(measure, cell): At| self.values[measure][cell];
        let noisy = Noisy { query: self.query, about, cell, value: &value };
        let (low, high) = possible_regression(about);
        let clamped = |value: Rational| {
            let value = low.iter().fold(value, |value, low| value.max(low.clone()));
            high.iter().fold(value, |value, high| value.min(high.clone()))
        };
        let estimate = noisy.estimate().map(clamped);
        let possible = Number { estimate: None, low: low.clone(), high: high.clone() };
        let Some(reach) = reach else { return Number { estimate, ..possible } };
        super::intervals::placed(estimate, noisy.ends(reach).unwrap_or((None, None)), &possible)
    }

    /// The number, and its derivative by each measure, per unit.
    pub(crate) fn regression_slope(&self, about: &Regression, cell: usize) -> Option<(f64, BTreeMap<At, f64>)> {
        let values = self.measured.unwrap_or(self.values);
        let value = |(measure, cell): At| values[measure][cell];
        Noisy { query: self.query, about, cell, value: &value }.slope()
    }
}

/// The least and the greatest possible value, if there are any.
pub(crate) fn possible_regression(about: &Regression) -> (Option<Rational>, Option<Rational>) {
    match about.statistic {
        Statistic::Correlation => (Some(whole(-1)), Some(whole(1))),
        Statistic::Explained => (Some(whole(0)), Some(whole(1))),
        Statistic::Products(one, other) if one == other => (Some(whole(0)), None),
        // At most half of the rows at either corner; a sample's divisor is smaller by one, but at least half.
        Statistic::Covariance { sample } => {
            let widths = about.values.iter().map(|Moments { low, high, .. }| high - low);
            let most = widths.product::<Rational>() / whole(if sample { 2 } else { 4 });
            (Some(-&most), Some(most))
        }
        Statistic::Products(..) | Statistic::Slope | Statistic::Intercept => (None, None),
    }
}
