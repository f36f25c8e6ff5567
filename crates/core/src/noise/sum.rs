//! The margin of a sum of independent draws at a stated confidence.
//!
//! Draws cancel, so a sum of `n` is of the order of `√n` draws and not of `n`. The exact distribution of a weighted sum
//! has no closed form; Chernoff's bound holds for all weights at once and is nearly as good.

use super::margin::margin;
use super::ratio::Decay;
use crate::exact::{Enclosure, Rational, ratio, whole};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Fractional bits of the logarithms.
const BITS: u32 = 320;
/// The parameter `c` is `2^k` times a quarter power of two, in odds, from `2^−FAINTEST` up to `2^STRONGEST`.
const FAINTEST: i32 = 48;
const STRONGEST: i32 = 12;
/// The quarter powers of two, in sixteenths: approximate, because every `c` gives a valid bound.
const QUARTERS: [i64; 4] = [16, 19, 23, 27];

/// A whole `t` with `Pr[|Σ w_i·X_i| > t] ≤ 1 − confidence`, for `draws` independent two-sided geometric `X_i` and any fixed
/// weights `|w_i| ≤ 1` (M-GEO); the confidence is in `[0, 1)`.
///
/// The smaller of Chernoff's bound and the union bound, `draws` times the margin of one draw at a confidence of `1 −
/// (1−confidence)/draws`; for one draw, the exact margin. In grid units, rounded up.
#[must_use]
pub fn sum_margin(decay: &Decay, draws: u64, confidence: &Rational) -> BigInt {
    weighted_margin(decay, draws, &whole(draws), confidence)
}

/// The same for weights whose squares sum to at most `squares`, which is between 0 and `draws`.
#[must_use]
pub(super) fn weighted_margin(decay: &Decay, draws: u64, squares: &Rational, confidence: &Rational) -> BigInt {
    if draws == 0 {
        return BigInt::zero();
    }
    let miss = whole(1) - confidence;
    let apart = whole(draws) * margin(decay, &(whole(1) - &miss / whole(draws)));
    let together = if draws == 1 { None } else { chernoff(decay, squares, &miss) };
    together.map_or_else(|| apart.clone(), |together| together.min(apart.clone())).ceil().to_integer()
}

/// Chernoff's bound for both sides of the sum, the smallest of about twenty parameters.
///
/// For every `y` in `(1, 1/r)`, Markov's inequality for `y^S` gives `Pr[S ≥ t] ≤ y^−t·Π E[y^(w_i·X_i)]`. The factor
/// `E[e^(s·X)]` is even in `s`, because `X` is symmetric, and convex, so it grows with `|s|`: a weight of at most 1 makes no
/// factor larger than `M(y) = E[y^X]`; indeed none larger than `M(y)^(w²)`, because `ln M` is a power series in `s²`
/// without negative coefficients (its terms are `2·r^k·(cosh(ks) − 1)/k`), each of which shrinks by `w²` at least. The other
/// side has the same bound, so with `m` the sum of the squares of the weights, the sum is beyond `t` with
/// probability at most `2·y^−t·M(y)^m`, which is `miss` at `t = (m·ln M(y) + ln(2/miss)) / ln y`.
///
/// As a function of `ln y`, `t` decreases and then increases: `ln M` is convex, so the sign of the slope changes only
/// once. The minimum is found by bisection; a wrong step would cost width and never validity.
fn chernoff(decay: &Decay, squares: &Rational, miss: &Rational) -> Option<Rational> {
    let level = Enclosure::ln(&(whole(2) / miss), BITS).high();
    let (mut from, mut to) = (-4 * FAINTEST, 4 * STRONGEST);
    while from < to {
        let middle = from + (to - from) / 2;
        let (here, next) = (reach(decay, squares, &level, middle)?, reach(decay, squares, &level, middle + 1)?);
        if here <= next {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    reach(decay, squares, &level, from)
}

/// The bound of candidate `place`, rounded up; `None` if `y` cannot be distinguished from 1.
///
/// With `y = 1 + c·(1−r)/r`, `0 < c < 1`, the generating function `(1−r)² / ((1−ry)(1−r/y))` is `(r + c(1−r)) /
/// ((1−c)(r+c))`, which avoids differences of nearly equal numbers.
fn reach(decay: &Decay, squares: &Rational, level: &Rational, place: i32) -> Option<Rational> {
    let r = decay.ratio();
    let octave = BigInt::one() << place.div_euclid(4).unsigned_abs();
    let octave = if place < 0 { Rational::new(BigInt::one(), octave) } else { whole(octave) };
    let quarter = usize::try_from(place.rem_euclid(4)).ok().and_then(|quarter| QUARTERS.get(quarter))?;
    let odds = octave * ratio(*quarter, 16);
    let c = &odds / (whole(1) + &odds);
    let rest = whole(1) - r;
    let moment = (r + &c * &rest) / ((whole(1) - &c) * (r + &c));
    let y = whole(1) + &c * rest / r;
    let slope = Enclosure::ln(&y, BITS).low();
    let moments = squares * Enclosure::ln(&moment, BITS).high();
    (slope > Rational::zero()).then(|| (moments + level) / slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::power;
    use crate::noise::TwoSidedGeometric;
    use num_traits::ToPrimitive;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    /// The probabilities of `−reach..=reach` for one draw times `step`, in units of `2^−200`, rounded down.
    fn one(r: &Rational, step: usize, reach: usize) -> Vec<BigInt> {
        let scale = whole(BigInt::one() << 200);
        (0..=2 * reach)
            .map(|place| {
                let size = place.abs_diff(reach);
                if !size.is_multiple_of(step) {
                    return BigInt::zero();
                }
                let exponent = u32::try_from(size / step).unwrap();
                ((whole(1) - r) / (whole(1) + r) * power(r, exponent) * &scale).to_integer()
            })
            .collect()
    }

    fn convolved(left: &[BigInt], right: &[BigInt]) -> Vec<BigInt> {
        let mut sums = vec![BigInt::zero(); left.len() + right.len() - 1];
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                sums[i + j] += (a * b) >> 200;
            }
        }
        sums
    }

    /// A lower bound for the probability that draws with the weights `step/2` have a sum of size at most `t`.
    fn inside(r: &Rational, steps: &[usize], reach: usize, t: usize) -> Rational {
        let single = |step: &usize| one(r, *step, reach);
        let sums = steps.iter().map(single).reduce(|sum, next| convolved(&sum, &next)).unwrap();
        let middle = sums.len() / 2;
        let within = (2 * t).min(middle);
        Rational::new(sums[middle - within..=middle + within].iter().sum(), BigInt::one() << 200)
    }

    #[test]
    fn never_below_the_exact_quantile() {
        for (r, reach) in [(ratio(1, 20), 16), (ratio(1, 2), 60), (ratio(4, 5), 160)] {
            let decay = Decay::exactly(r.clone()).unwrap();
            for confidence in [ratio(1, 2), ratio(9, 10), ratio(95, 100), ratio(999, 1000)] {
                // Weights in halves: all 1, all 1/2, and both.
                for steps in [vec![2], vec![2, 2], vec![2, 2, 2], vec![1, 1, 1], vec![1, 2, 2]] {
                    let t = sum_margin(&decay, steps.len() as u64, &confidence).to_usize().unwrap();
                    let covered = inside(&r, &steps, reach, t);
                    assert!(covered >= confidence, "{t} covers {covered} of {steps:?}/2 at r={r}");
                    let squares = steps.iter().map(|step| ratio((step * step) as i64, 4)).sum();
                    let weighted = weighted_margin(&decay, steps.len() as u64, &squares, &confidence);
                    let covered = inside(&r, &steps, reach, weighted.to_usize().unwrap());
                    assert!(covered >= confidence, "{weighted} covers {covered} of {steps:?}/2 at r={r}");
                }
            }
        }
    }

    /// Every candidate is a valid bound: checked for all, also for those that are not chosen.
    #[test]
    fn every_candidate_covers() {
        let r = ratio(1, 2);
        let decay = Decay::exactly(r.clone()).unwrap();
        for confidence in [ratio(1, 2), ratio(9, 10), ratio(999, 1000)] {
            let level = Enclosure::ln(&(whole(2) / (whole(1) - &confidence)), BITS).high();
            for place in [-16, -9, -4, -3, -2, -1, 0, 1, 2, 5, 8, 12, 20] {
                let t = reach(&decay, &whole(3), &level, place).unwrap().ceil().to_integer().to_usize().unwrap();
                let covered = inside(&r, &[2, 2, 2], 60, t);
                assert!(covered >= confidence, "candidate {place} gives {t}, which covers {covered}");
            }
        }
    }

    #[test]
    fn margin_of_one_draw_is_exact_and_of_no_draws_zero() {
        let decay = Decay::exactly(ratio(2, 3)).unwrap();
        for confidence in [whole(0), ratio(1, 2), ratio(95, 100)] {
            assert_eq!(sum_margin(&decay, 1, &confidence), margin(&decay, &confidence));
            assert_eq!(sum_margin(&decay, 0, &confidence), 0.into());
        }
    }

    /// Bisection finds the smallest of all candidates, or one as small.
    #[test]
    fn the_least_candidate_is_found() {
        for (r, draws) in [(ratio(1, 1000), 5), (ratio(1, 2), 40), (ratio(999, 1000), 1_000_000)] {
            let decay = Decay::exactly(r).unwrap();
            let level = Enclosure::ln(&whole(40), BITS).high();
            let squares = whole(draws);
            let all = (-4 * FAINTEST..=4 * STRONGEST).filter_map(|place| reach(&decay, &squares, &level, place));
            assert_eq!(chernoff(&decay, &squares, &ratio(1, 20)), all.min());
        }
    }

    /// Against 20,000 sums of 100 draws: the margin covers, and is at most half as wide again as necessary. The seed is
    /// fixed: the tolerance is not an error rate.
    #[test]
    fn within_half_of_a_simulation() {
        for r in [ratio(1, 3), ratio(9, 10), ratio(999, 1000)] {
            let decay = Decay::exactly(r).unwrap();
            let sampler = TwoSidedGeometric::new(decay.clone());
            let mut rng = ChaCha20Rng::seed_from_u64(11);
            let mut sums: Vec<i128> =
                (0..20_000).map(|_| (0..100).map(|_| sampler.sample(&mut rng)).sum::<i128>().abs()).collect();
            sums.sort_unstable();
            for (confidence, place) in [(ratio(95, 100), 19_000), (ratio(99, 100), 19_800)] {
                let t = sum_margin(&decay, 100, &confidence).to_f64().unwrap();
                let seen = sums[place] as f64;
                assert!(t >= seen && t <= 1.5 * seen, "{t} against {seen} at {confidence}");
            }
        }
    }

    #[test]
    fn extremes() {
        let wide = Decay::exactly(whole(1) - Rational::new(1.into(), BigInt::one() << 90)).unwrap();
        let confidence = ratio(95, 100);
        // The sum of n draws of deviation √2·2^90 is a few √n times that.
        let million = sum_margin(&wide, 1_000_000, &confidence);
        assert!(million > BigInt::one() << 100 && million < BigInt::one() << 103, "{million}");
        assert!(sum_margin(&wide, u64::MAX, &confidence) < BigInt::one() << 125);
        // A draw that is nearly always 0: of a thousand, no draw is expected to differ.
        let narrow = Decay::exactly(Rational::new(1.into(), BigInt::one() << 5000)).unwrap();
        assert_eq!(sum_margin(&narrow, 1000, &confidence), 0.into());
        assert!(sum_margin(&wide, 1000, &(whole(1) - Rational::new(1.into(), BigInt::one() << 100))) > million / 100);
    }
}
