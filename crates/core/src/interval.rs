//! Intervals of numbers that depend on several noisy ones: the reach of a weighted sum of independent noises.
//!
//! Two-sided geometric noise `X` of decay `r` is Laplace noise `L` of scale `b = 1/(−ln r)` truncated to whole numbers:
//! the difference of two exponentials without their fractional parts, so that `|X − L| < 1` (M-GEO). A sum `Σ wᵢXᵢ` is
//! therefore within `Σ |wᵢ|` of `Σ wᵢLᵢ`, whose tail is known: `Pr[|Σ wᵢLᵢ| > t] = Σ cᵢ·exp(−t/βᵢ)` with `βᵢ = |wᵢ|bᵢ`,
//! all different, and `cᵢ = Π_{j≠i} βᵢ²/(βᵢ² − βⱼ²)`. This reach is much smaller than the sum of the separate reaches
//! of the noises at shares of the error, which is used where it is smaller still.
//!
//! Computed in floating point; every step rounds so that the reach is never too small.

use crate::exact::{Enclosure, whole};
use crate::noise::Decay;
use num_traits::ToPrimitive;
use statrs::function::erf::erfc;

/// Relative margin added at every rounded step: far more than a few floating-point operations can lose.
const SAFE: f64 = 1e-11;
/// Scales of Laplace noises that differ by less than this fraction are moved apart upwards, which only enlarges the
/// tail.
const APART: f64 = 1e-3;

/// Relative precision of a computed reach, which is rounded up by it.
const PRECISION: f64 = 1e-4;
/// Up to this many noises, their sum's tail is computed as a sum of exponentials, if cancellation loses less than this
/// part of the error; otherwise by inversion.
const MOST_EXPONENTIALS: usize = 12;
/// Up to this many exponentials, cancellation is negligible.
const LOSSLESS_EXPONENTIALS: usize = 3;
const CANCELLED: f64 = 1e-3;
/// Number of Chernoff bounds of which the best is taken.
const STEPS: u32 = 200;
/// Most terms of an inversion.
const TERMS: usize = 20_000;
/// Largest probability that an inversion omits: terms beyond the last, and aliasing of its period.
const LEFT_OUT: f64 = 1e-9;
/// Step of a normal in standard deviations; the range is limited where the rest is below 1e-15.
const NORMAL_STEP: f64 = 1.0 / 16.0;
const BEYOND: f64 = 8.0;
/// Relative margin that covers the loss of the steps.
const NORMAL_SAFE: f64 = 1e-6;

/// Law of one noise, in the form that sums of several need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// The scale of the underlying Laplace noise in grid units, rounded up.
    scale: f64,
    /// `2/(1 + r)`, rounded up.
    lead: f64,
    /// The standard deviation, `√(2r)/(1 − r)`, rounded up.
    deviation: f64,
}

impl Law {
    /// The law of geometric noise (M-GEO).
    #[must_use]
    pub fn of(decay: &Decay) -> Self {
        let r = decay.ratio();
        let step = Enclosure::ln(r, 256).times(&whole(-1));
        // Its lower bound is positive for every decay below 1: 256 bits distinguish it from 0.
        let scale = step.low().to_f64().filter(|step| *step > 0.0).map_or(f64::INFINITY, |step| (1.0 + SAFE) / step);
        let lead = (whole(2) / (whole(1) + r)).to_f64().unwrap_or(2.0) * (1.0 + SAFE);
        let variance = whole(2) * r / ((whole(1) - r) * (whole(1) - r));
        let deviation = variance.to_f64().unwrap_or(f64::INFINITY).sqrt() * (1.0 + SAFE);
        Self { scale, lead, deviation }
    }

    /// The standard deviation of the noise in grid units, rounded up.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.deviation
    }

    /// At least the smallest whole `t` with `Pr[|X| > t] ≤ outside`.
    fn margin(self, outside: f64) -> f64 {
        let exact = self.scale * (self.lead / outside).ln() - 1.0;
        (exact + SAFE * (1.0 + exact.abs())).ceil().max(0.0)
    }
}

/// Independent noises with one law and one weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noises {
    /// The factor of each noise in the sum, of either sign.
    pub weight: f64,
    /// Their common law.
    pub law: Law,
    /// Their number.
    pub count: u64,
}

/// At least the smallest `t` with `Pr[|Σ wᵢXᵢ| > t] ≤ outside`, for weights `wᵢ` of any sign and `0 < outside < 1`; 0
/// for no noise.
#[must_use]
pub fn reach(noises: &[(f64, Law)], outside: f64) -> f64 {
    let noises: Vec<Noises> =
        noises.iter().map(|(weight, law)| Noises { weight: *weight, law: *law, count: 1 }).collect();
    reach_with_normal(&noises, 0.0, outside)
}

/// At least the smallest `t` with `Pr[|Σ wᵢXᵢ + G| > t] ≤ outside`, for weights `wᵢ` of any sign, a normal `G` of this
/// standard deviation, independent of the noises, and `0 < outside < 1`. Its time depends only on the number of groups
/// of noises.
#[must_use]
pub fn reach_with_normal(noises: &[Noises], deviation: f64, outside: f64) -> f64 {
    let noises: Vec<Noises> = noises
        .iter()
        .filter(|noises| noises.weight != 0.0 && noises.count > 0)
        .map(|noises| Noises { weight: noises.weight.abs(), ..*noises })
        .collect();
    if deviation > 0.0 { beside_normal(&noises, deviation, outside) } else { alone(&noises, outside) }
}

/// Noises of positive weights and no normal.
fn alone(noises: &[Noises], outside: f64) -> f64 {
    let count = count_of(noises);
    if count == 0.0 {
        return 0.0;
    }
    let outside = outside * (1.0 - SAFE);
    let each = outside / count;
    let apart: f64 = noises.iter().map(|of| of.count as f64 * of.weight * of.law.margin(each)).sum();
    if count <= 1.0 || !apart.is_finite() {
        return apart * (1.0 + SAFE);
    }
    apart.min(together(noises, outside) + slack_of(noises)) * (1.0 + SAFE)
}

fn together(noises: &[Noises], outside: f64) -> f64 {
    let count = count_of(noises);
    if count <= MOST_EXPONENTIALS as f64 {
        let mut scales = scales_of(noises);
        let sum = LaplaceSum::new(&mut scales);
        if count <= LOSSLESS_EXPONENTIALS as f64 || sum.lost < CANCELLED * outside {
            return sum.tail_end(outside);
        }
    }
    many(&grouped(noises), 0.0, outside)
}

/// Noises of positive weights and a normal.
fn beside_normal(noises: &[Noises], deviation: f64, outside: f64) -> f64 {
    let outside = outside * (1.0 - NORMAL_SAFE);
    if count_of(noises) > MOST_EXPONENTIALS as f64 {
        return (many(&grouped(noises), deviation, outside) + slack_of(noises)) * (1.0 + SAFE);
    }
    let mut scales = scales_of(noises);
    let sum = LaplaceSum::new(&mut scales);
    // With T the tail of the other noise and g = t/deviation, the sum exceeds t in magnitude with probability 2Φ(−g) +
    // ∫ T(deviation·x)·(φ(g − x) − φ(g + x)) dx over x > 0: by the trapezoid rule with its correction for a slope at 0,
    // which overestimates parts that fall faster than the steps resolve.
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let exceeds = |t: f64| {
        let g = t / deviation;
        let step = |x: f64| (x / NORMAL_STEP) as u64;
        let at = |step: u64| {
            let x = step as f64 * NORMAL_STEP;
            sum.tail(deviation * x) * (density(g - x) - density(g + x))
        };
        let rest = (step(g - BEYOND).max(1)..=step(g + BEYOND)).map(at).sum::<f64>() * NORMAL_STEP
            + NORMAL_STEP.powi(2) / 6.0 * g * density(g);
        erfc(g / std::f64::consts::SQRT_2) + rest
    };
    // An upper bound: half of the error for the noises separately, and half for the normal.
    let apart = sum.scales.iter().map(|scale| scale * (4.0 * sum.scales.len() as f64 / outside).ln()).sum::<f64>();
    let (mut low, mut high) = (0.0, apart + deviation * (2.0 * (4.0 / outside).ln()).sqrt());
    if !high.is_finite() || exceeds(high) > outside {
        return f64::INFINITY;
    }
    while high - low > PRECISION * high {
        let middle = low + (high - low) / 2.0;
        if exceeds(middle) <= outside { high = middle } else { low = middle }
    }
    (high + slack_of(noises)) * (1.0 + SAFE)
}

fn count_of(noises: &[Noises]) -> f64 {
    noises.iter().map(|of| of.count as f64).sum()
}

/// Largest distance of the weighted noises from Laplace noises.
fn slack_of(noises: &[Noises]) -> f64 {
    noises.iter().map(|of| of.count as f64 * of.weight).sum()
}

/// The scale of each noise.
fn scales_of(noises: &[Noises]) -> Vec<f64> {
    noises.iter().flat_map(|of| std::iter::repeat_n(of.weight * of.law.scale, of.count as usize)).collect()
}

/// The distinct scales, ascending, each with its number of noises.
fn grouped(noises: &[Noises]) -> Vec<(f64, f64)> {
    let mut scales: Vec<(f64, f64)> = noises.iter().map(|of| (of.weight * of.law.scale, of.count as f64)).collect();
    scales.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut groups: Vec<(f64, f64)> = Vec::new();
    for (scale, count) in scales {
        match groups.last_mut() {
            Some((known, all)) if known.to_bits() == scale.to_bits() => *all += count,
            _ => groups.push((scale, count)),
        }
    }
    groups
}

/// At least the smallest `t` that the magnitude of the sum of Laplace noises of these scales and of a normal exceeds
/// with at most this probability. Groups are scales with the number of noises that have them.
///
/// The probability is `1 − (2/π)·∫ sin(ut)/u·φ(u) du` over `u > 0` with the characteristic function
/// `φ(u) = exp(−u²σ²/2)·Π 1/(1 + u²βᵢ²)` (Gil-Pelaez 1951). In steps of `h` the error of the integral is at most the
/// probability of a value beyond `2π/h − t`, which Chernoff's bound makes small.
fn many(groups: &[(f64, f64)], deviation: f64, outside: f64) -> f64 {
    let (bound, furthest) = (chernoff(groups, deviation, outside), chernoff(groups, deviation, LEFT_OUT / 4.0));
    if !bound.is_finite() || !furthest.is_finite() {
        return bound;
    }
    let step = std::f64::consts::TAU / (2.0 * furthest);
    let weight = |at: usize| {
        let u = at as f64 * step;
        let noises: f64 = groups.iter().map(|(scale, count)| count * (u * scale).powi(2).ln_1p()).sum();
        (-noises - (u * deviation).powi(2) / 2.0).exp()
    };
    // Weights decrease: if the last of them is too large, all are.
    if weight(TERMS) > LEFT_OUT / 100.0 {
        return bound;
    }
    let terms = (1..TERMS).map(|at| (at, weight(at))).take_while(|(_, weight)| *weight > LEFT_OUT / 100.0);
    let weights: Vec<f64> = terms.map(|(at, weight)| weight / at as f64).collect();
    let tail = |t: f64| {
        // sin(k·x) by rotating a unit vector by x: each rotation loses less than 1e-15, and LEFT_OUT covers the sum of
        // the losses.
        let (turn_sin, turn_cos) = (step * t).sin_cos();
        let (mut sin, mut cos) = (0.0, 1.0);
        let mut terms = 0.0;
        for weight in &weights {
            (sin, cos) = (sin * turn_cos + cos * turn_sin, cos * turn_cos - sin * turn_sin);
            terms += weight * sin;
        }
        1.0 - std::f64::consts::FRAC_2_PI * (step * t / 2.0 + terms) + LEFT_OUT
    };
    let (mut low, mut high) = (0.0, bound);
    while high - low > PRECISION * high {
        let middle = low + (high - low) / 2.0;
        if tail(middle) <= outside { high = middle } else { low = middle }
    }
    high
}

/// The same by Chernoff's bound `2·exp(λ²σ²/2 − λt)·Π 1/(1 − λ²βᵢ²)`, which holds for every `λ` below all `1/βᵢ`: the
/// minimum over several `λ`.
fn chernoff(groups: &[(f64, f64)], deviation: f64, outside: f64) -> f64 {
    let largest = groups.iter().map(|(scale, _)| *scale).fold(0.0, f64::max);
    let at = |step: u32| {
        let lambda = f64::from(step) / f64::from(STEPS) / largest;
        let product: f64 = groups.iter().map(|(scale, count)| -count * (-(lambda * scale).powi(2)).ln_1p()).sum();
        (product + (lambda * deviation).powi(2) / 2.0 + (2.0 / outside).ln()) / lambda
    };
    (1..STEPS).map(at).fold(f64::INFINITY, f64::min) * (1.0 + SAFE)
}

/// The sum of Laplace noises with positive, distinct scales.
struct LaplaceSum<'a> {
    scales: &'a [f64],
    weights: Vec<f64>,
    lost: f64,
}

impl<'a> LaplaceSum<'a> {
    fn new(scales: &'a mut [f64]) -> Self {
        scales.sort_by(f64::total_cmp);
        for at in 1..scales.len() {
            // A larger scale widens the sum, because all noises are symmetric around one peak.
            scales[at] = scales[at].max(scales[at - 1] * (1.0 + APART));
        }
        let weights: Vec<f64> = scales
            .iter()
            .enumerate()
            .map(|(at, own)| {
                let others = scales.iter().enumerate().filter(|(other, _)| *other != at);
                others.map(|(_, other)| own * own / ((own - other) * (own + other))).product()
            })
            .collect();
        // Opposite signs cancel: the loss is a small part of the largest weight.
        let lost = SAFE * weights.iter().map(|weight| weight.abs()).sum::<f64>();
        Self { scales, weights, lost }
    }

    /// An upper bound on the probability of a magnitude above `t`; 0 without noises.
    fn tail(&self, t: f64) -> f64 {
        self.weights.iter().zip(self.scales).map(|(weight, scale)| weight * (-t / scale).exp()).sum::<f64>() + self.lost
    }

    /// [`Self::tail`], and how fast it falls.
    fn tail_and_slope(&self, t: f64) -> (f64, f64) {
        let parts = self.weights.iter().zip(self.scales).map(|(weight, scale)| (weight * (-t / scale).exp(), *scale));
        let (tail, slope) = parts.fold((0.0, 0.0), |(tail, slope), (part, scale)| (tail + part, slope + part / scale));
        (tail + self.lost, slope)
    }

    /// At least the smallest `t` that it exceeds with at most this probability.
    fn tail_end(&self, outside: f64) -> f64 {
        // The largest noise alone exceeds `t` more rarely than the sum, and the union bound over all more often.
        let count = self.scales.len() as f64;
        let largest = self.scales.last().copied().unwrap_or_default();
        let mut low = largest * (1.0 / outside).ln();
        let mut high = self.scales.iter().map(|scale| scale * (count / outside).ln()).sum::<f64>();
        if self.tail(high) > outside {
            return f64::INFINITY;
        }
        // The density is log-concave, and so is the tail: Newton's step on its logarithm, from either side, ends at or
        // beyond the result, and each step is closer. The tail is evaluated at each end of the bracket, so that rounding
        // errors of a step do not affect the result.
        let mut at = low;
        while high - low > PRECISION * high {
            let (tail, slope) = self.tail_and_slope(at);
            if tail <= outside {
                high = high.min(at)
            } else {
                low = low.max(at)
            }
            let next = at + (tail / outside).ln() * tail / slope;
            // Close to the result: a point slightly below it closes the bracket.
            let next = if tail <= outside && at - next < PRECISION / 2.0 * at { at * (1.0 - PRECISION) } else { next };
            at = if low < next && next < high { next } else { low + (high - low) / 2.0 };
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Rational, ratio};
    use crate::noise::margin;

    /// `Pr[|Σ wᵢXᵢ| > t]` by summation, to within 10⁻⁹.
    fn outside(noises: &[(f64, Rational)], t: f64) -> f64 {
        fn sum(noises: &[(f64, Rational)], so_far: f64, t: f64) -> f64 {
            let Some(((weight, r), rest)) = noises.split_first() else {
                return if so_far.abs() > t { 1.0 } else { 0.0 };
            };
            let r = r.to_f64().unwrap();
            let most = (1e-10_f64.ln() / r.ln()).ceil() as i32;
            let chance = |k: i32| (1.0 - r) / (1.0 + r) * r.powi(k.abs());
            (-most..=most).map(|k| chance(k) * sum(rest, so_far + weight * f64::from(k), t)).sum()
        }
        sum(noises, 0.0, t)
    }

    #[test]
    fn many_noises_reach_hardly_further_than_a_normal_would() {
        for count in [4, 9, 50, 400] {
            let law = Law::of(&Decay::exactly(ratio(99, 100)).unwrap());
            let found = reach(&vec![(1.0, law); count], 0.05);
            let normal = 1.96 * law.deviation * (count as f64).sqrt();
            // The tails of a few noises are slightly heavier, and noises are whole numbers.
            assert!((normal..normal * 1.03 + count as f64).contains(&found), "{count}: {found} {normal}");
        }
    }

    #[test]
    fn both_ways_to_work_out_a_law_agree() {
        for scales in [[1.0, 7.0, 30.0], [2.0, 2.5, 2.5], [10.0, 10.0, 10.0]] {
            for outside in [0.2, 0.05, 0.001] {
                let inverted = many(&scales.map(|scale| (scale, 1.0)), 0.0, outside);
                let exact = LaplaceSum::new(&mut scales.clone()).tail_end(outside);
                // Equal scales are moved apart by a thousandth in that method.
                assert!((inverted / exact - 1.0).abs() < 2e-3, "{scales:?} at {outside}: {inverted} {exact}");
            }
        }
    }

    #[test]
    fn a_normal_beside_reaches_as_far_as_both() {
        let near = |found: f64, wanted: f64| (wanted..wanted * 1.001).contains(&found);
        // Without noises it is the normal quantile; a negligible normal only changes the rounding to whole numbers.
        assert!(near(reach_with_normal(&[], 10.0, 0.05), 19.599));
        let law = |n, d| Law::of(&Decay::exactly(ratio(n, d)).unwrap());
        let noises = [(1.0, law(999, 1000)), (3.0, law(99, 100))];
        let groups = noises.map(|(weight, law)| Noises { weight, law, count: 1 });
        assert!(near(reach_with_normal(&groups, 1e-6, 0.05), reach(&noises, 0.05) * 0.9995));
        // One Laplace noise and a normal, both of scale 1, exceed t with probability 2Φ(−t) + e^½·(e^{−t}Φ(t − 1) −
        // e^t·Φ(−t − 1)), which is 0.05 at t = 3.49513.
        let law = law(99_999, 100_000);
        let found = reach_with_normal(&[Noises { weight: 1.0, law, count: 1 }], law.scale, 0.05);
        assert!(near(found - 1.0, 3.49513 * law.scale), "{}", found / law.scale);
    }

    /// Both methods for the law of noises with a normal: a sum of exponentials, and inversion.
    #[test]
    fn many_noises_beside_a_normal() {
        let law = |n, d| Law::of(&Decay::exactly(ratio(n, d)).unwrap());
        let groups = [(1.0, law(9999, 10_000), 2), (2.5, law(9999, 10_000), 3)].map(|(weight, law, count)| Noises {
            weight,
            law,
            count,
        });
        for deviation in [0.0, 100.0, 30_000.0, 1e6] {
            for outside in [0.2, 0.05, 0.001] {
                let inverted = many(&grouped(&groups), deviation, outside) + slack_of(&groups);
                let found = reach_with_normal(&groups, deviation, outside);
                assert!((0.99..1.01).contains(&(found / inverted)), "{deviation} {outside}: {found} {inverted}");
            }
        }
        // The sum of thousands is approximately normal.
        let crowd = Noises { weight: 1.0, law: law(9, 10), count: 10_000 };
        let together = (10_000.0 * crowd.law.deviation().powi(2) + 500.0_f64.powi(2)).sqrt() * 1.959_964;
        let found = reach_with_normal(&[crowd], 500.0, 0.05) - slack_of(&[crowd]);
        assert!((1.0..1.01).contains(&(found / together)), "{found} {together}");
    }

    #[test]
    fn it_covers_and_wastes_little() {
        let cases: [&[(f64, (i64, i64))]; 7] = [
            &[(1.0, (9, 10))],
            &[(1.0, (9, 10)), (1.0, (9, 10))],
            &[(1.0, (9, 10)), (-30.0, (9, 10))],
            &[(2.5, (95, 100)), (1.0, (1, 2))],
            &[(1.0, (1, 3)), (1.0, (1, 3))],
            &[(1.0, (9, 10)), (4.0, (8, 10)), (0.5, (19, 20))],
            &[(1.0, (8, 10)), (1.0, (8, 10)), (1.0, (8, 10))],
        ];
        for case in cases {
            let exact: Vec<(f64, Rational)> = case.iter().map(|(weight, (n, d))| (*weight, ratio(*n, *d))).collect();
            let laws: Vec<(f64, Law)> =
                exact.iter().map(|(weight, r)| (*weight, Law::of(&Decay::exactly(r.clone()).unwrap()))).collect();
            for allowed in deniable_testing::sized(&[0.05][..], &[0.2, 0.05, 0.01]) {
                let (t, allowed) = (reach(&laws, *allowed), *allowed);
                let found = outside(&exact, t);
                assert!(found <= allowed + 1e-8, "{case:?} at {allowed}: {t} is exceeded with {found}");
                // Two units less per noise would be too small, or nearly so.
                let less = t - 2.0 * exact.iter().map(|(weight, _)| weight.abs()).sum::<f64>();
                assert!(less < 0.0 || outside(&exact, less) > 0.8 * allowed, "{case:?} at {allowed}: {t} is too far");
            }
        }
    }

    #[test]
    fn one_noise_reaches_as_far_as_its_margin() {
        for (n, d) in [(1, 3), (1, 2), (9, 10), (999, 1000), (999_999_999, 1_000_000_000)] {
            let decay = Decay::exactly(ratio(n, d)).unwrap();
            for confidence in [ratio(9, 10), ratio(95, 100), ratio(999, 1000)] {
                let exact = margin(&decay, &confidence).to_f64().unwrap();
                let found = reach(&[(1.0, Law::of(&decay))], 1.0 - confidence.to_f64().unwrap());
                assert!(found >= exact && found <= exact * (1.0 + 1e-9) + 1.0, "{exact} {found} at {n}/{d}");
            }
        }
        assert!(reach(&[(0.0, Law::of(&Decay::exactly(ratio(1, 2)).unwrap()))], 0.05).abs() < f64::MIN_POSITIVE);
    }
}
