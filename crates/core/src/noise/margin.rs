//! The margin of a noisy answer, or of a chosen candidate, at a stated confidence.

use super::ratio::Decay;
use crate::exact::{Enclosure, Rational, power, whole};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Above this margin, a tie that intervals cannot decide is resolved to the larger margin.
const EXACT_UP_TO: u32 = 1 << 12;

/// The smallest `t` with `Pr[|noise| ≤ t] ≥ confidence`, for a confidence in `[0, 1)`.
///
/// `Pr[|noise| > t] = 2 r^(t+1) / (1+r)`. If interval arithmetic leaves two adjacent candidates, which requires a tie
/// to 200 bits, the exact powers decide, and above a margin of 4,096 the larger is taken.
#[must_use]
pub fn margin(decay: &Decay, confidence: &Rational) -> BigInt {
    let outside = whole(1) - confidence;
    steps(decay, &(whole(2) / ((whole(1) + decay.ratio()) * outside)))
}

/// The margin by which the chosen candidate's distance may exceed the least one (M-EXP): the smallest `t` with
/// `Pr[distance > least + t] ≤ miss` for all data, for `0 < miss < 1`.
///
/// `domain` is the number of candidates, at least 1. Ties are decided as for [`margin`].
#[must_use]
pub fn distance_margin(domain: &BigInt, decay: &Decay, miss: &Rational) -> BigInt {
    // Let the nearest candidate weigh 1. Those further than `t` weigh `F ≤ (domain − 1)·r^(t+1)` together, because at
    // least one is the nearest itself; all others weigh `N ≥ 1`. So Pr = F/(F+N) ≤ F/(F+1), which is at most `miss`
    // just when F·(1 − miss) ≤ miss. It is attained by one right answer and all others at distance t+1.
    // The simpler F ≤ domain·r^(t+1) ≤ miss implies it.
    let others = whole(domain - BigInt::one());
    steps(decay, &(others * (whole(1) - miss) / miss))
}

/// The same for permute-and-flip (M-PF): a `t` with `Pr[distance > least + t] ≤ miss` for all data, never above
/// [`distance_margin`].
#[must_use]
pub fn flip_margin(domain: &BigInt, decay: &Decay, miss: &Rational) -> BigInt {
    // With one right answer and `n = domain − 1` at distance t+1, whose coins are p = r^(t+1), the right one wins with
    // ∫(1 − pu)^n du over [0, 1]; no data are worse. That is at least 1 − np/2, and at least 1/(1 + np): so with F = np,
    // Pr ≤ min(F/2, F/(F+1)). The second is the bound of `distance_margin`, and the first is less while F < 1.
    let others = whole(domain - BigInt::one());
    let allowed = (whole(2) * miss).max(miss / (whole(1) - miss));
    steps(decay, &(others / allowed))
}

/// The smallest whole `t ≥ 0` with `level·r^(t+1) ≤ 1`; a tie above 4,096 gives one more.
fn steps(decay: &Decay, level: &Rational) -> BigInt {
    let r = decay.ratio();
    if *level <= whole(1) {
        return BigInt::zero();
    }
    let bits = 256;
    let (reach_low, reach_high) = Enclosure::ln(level, bits).into_units();
    let (step_low, step_high) = Enclosure::ln(r, bits).times(&whole(-1)).into_units();
    let least = reach_low.div_ceil(&step_high) - BigInt::one();
    let most = reach_high.div_ceil(&step_low) - BigInt::one();
    if least == most {
        return most.max(BigInt::zero());
    }
    match least.to_u32().filter(|t| *t <= EXACT_UP_TO) {
        Some(t) if level * power(r, t + 1) <= whole(1) => least,
        Some(_) | None => most,
    }
}

/// The standard deviation of the noise in grid units, `√(2r) / (1−r)`, as a decimal for display.
#[must_use]
pub fn spread(decay: &Decay) -> f64 {
    let r = decay.ratio();
    let variance = whole(2) * r / ((whole(1) - r) * (whole(1) - r));
    debug_assert!(variance.is_positive());
    variance.to_f64().unwrap_or(f64::INFINITY).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use crate::noise::choice::{Segment, probabilities};
    use crate::noise::flip::flip_probabilities;

    fn outside(r: &Rational, t: u32) -> Rational {
        whole(2) * power(r, t + 1) / (whole(1) + r)
    }

    #[test]
    fn the_margin_is_the_smallest_that_covers() {
        for (n, d) in [(1, 3), (1, 2), (2, 3), (9, 10), (99, 100), (1, 1000)] {
            let decay = Decay::exactly(ratio(n, d)).unwrap();
            for confidence in [ratio(1, 2), ratio(9, 10), ratio(95, 100), ratio(999, 1000), whole(0)] {
                let t = margin(&decay, &confidence).to_u32().unwrap();
                let allowed = whole(1) - &confidence;
                assert!(outside(decay.ratio(), t) <= allowed, "{t} does not cover at r={n}/{d}");
                assert!(t == 0 || outside(decay.ratio(), t - 1) > allowed, "{t} is not smallest at r={n}/{d}");
            }
        }
    }

    #[test]
    fn exact_ties_take_the_smaller_margin() {
        // At r = 1/3, Pr[|noise| > 1] = 2·(1/9)/(4/3) = 1/6 exactly.
        let decay = Decay::exactly(ratio(1, 3)).unwrap();
        assert_eq!(margin(&decay, &ratio(5, 6)), 1.into());
        assert_eq!(margin(&decay, &(ratio(5, 6) + ratio(1, 1_000_000))), 2.into());
    }

    /// The margin covers for all distances on a small domain; if one answer is right and all others are just beyond the
    /// margin, no smaller margin covers.
    #[test]
    fn the_distance_margin_covers_every_choice_and_is_attained() {
        let ratios = [ratio(1, 2), ratio(2, 3), ratio(9, 10), ratio(1, 50)];
        let misses = [ratio(1, 2), ratio(1, 3), ratio(1, 20), ratio(1, 1000), ratio(99, 100)];
        for (r, miss) in ratios.iter().flat_map(|r| misses.iter().map(move |miss| (r, miss))) {
            let decay = Decay::exactly(r.clone()).unwrap();
            for size in 1..=4_u64 {
                let t = distance_margin(&size.into(), &decay, miss).to_u64().unwrap();
                for distances in around(size, t) {
                    let beyond = chance_beyond(&distances, &decay, t, probabilities);
                    assert!(beyond <= *miss, "{distances:?} at r={r}: {beyond} > {miss}");
                }
                if t > 0 {
                    let mut worst = vec![t; usize::try_from(size).unwrap()];
                    worst[0] = 0;
                    assert!(
                        chance_beyond(&worst, &decay, t - 1, probabilities) > *miss,
                        "{t} is not smallest at r={r} of {size}"
                    );
                }
            }
        }
    }

    /// Every list of relevant distances: right, just within the margin, just beyond it, and slightly farther.
    fn around(size: u64, t: u64) -> Vec<Vec<u64>> {
        let kinds = [0, t, t + 1, t + 3];
        let codes = 0..4_usize.pow(u32::try_from(size).unwrap());
        codes.map(|code| (0..size).map(|place| kinds[code >> (2 * place) & 3]).collect()).collect()
    }

    /// The same for permute-and-flip, whose margin never exceeds that of the exponential mechanism. It is not always
    /// the smallest: but if the others just beyond it exceeded the bound's weight by a factor of `1 + miss`, it would
    /// not cover.
    #[test]
    fn the_margin_of_permute_and_flip_covers_every_choice_and_is_nearly_attained() {
        for miss in [ratio(1, 3), ratio(1, 20), ratio(1, 1000), ratio(1, 2), ratio(99, 100)] {
            for r in [ratio(1, 2), ratio(2, 3), ratio(9, 10), ratio(1, 50)] {
                let decay = Decay::exactly(r.clone()).unwrap();
                for size in 1..=4_u64 {
                    let t = flip_margin(&size.into(), &decay, &miss);
                    assert!(t <= distance_margin(&size.into(), &decay, &miss));
                    let t = t.to_u64().unwrap();
                    for distances in around(size, t) {
                        let beyond = chance_beyond(&distances, &decay, t, flip_probabilities);
                        assert!(beyond <= miss, "{distances:?} at r={r}: {beyond} > {miss}");
                    }
                }
            }
            if miss <= ratio(1, 3) {
                for others in [1_u32, 2, 5, 12] {
                    // A coin at which the others have exactly this weight, as the decay of one step.
                    let coin = whole(2) * &miss * (whole(1) + &miss) / whole(others);
                    let mut distances = vec![1; others as usize + 1];
                    distances[0] = 0;
                    let beyond = chance_beyond(&distances, &Decay::exactly(coin).unwrap(), 0, flip_probabilities);
                    assert!(beyond > miss, "{others} others: {beyond}");
                }
            }
        }
    }

    /// The exact probability of a choice further than `t` beyond the least distance, for a distribution of choices.
    fn chance_beyond(
        distances: &[u64],
        decay: &Decay,
        t: u64,
        law: fn(&[Segment], &Decay) -> Vec<Rational>,
    ) -> Rational {
        let list: Vec<Segment> = distances.iter().map(|distance| Segment { size: 1, distance: *distance }).collect();
        let limit = distances.iter().min().unwrap() + t;
        let chances = law(&list, decay);
        chances.iter().zip(distances).filter(|(_, distance)| **distance > limit).map(|(chance, _)| chance).sum()
    }

    #[test]
    fn distance_margins_of_large_domains() {
        // 2^53 candidates at r = 1/2: (2^53 − 1)·(19/20)·2^−(t+1) ≤ 1/20 from t + 1 = 58 on, as 2^58 > 19·2^53.
        let half = Decay::exactly(ratio(1, 2)).unwrap();
        assert_eq!(distance_margin(&(BigInt::one() << 53), &half, &ratio(1, 20)), 57.into());
        // For permute-and-flip (2^53 − 1)·2^−(t+1) ≤ 1/10, from t + 1 = 57 on, as 2^57 > 10·2^53.
        assert_eq!(flip_margin(&(BigInt::one() << 53), &half, &ratio(1, 20)), 56.into());
        // A single candidate is always right.
        assert_eq!(distance_margin(&1.into(), &half, &ratio(1, 1_000_000)), 0.into());
        assert_eq!(flip_margin(&1.into(), &half, &ratio(1, 1_000_000)), 0.into());
    }

    #[test]
    fn spread_of_a_known_case() {
        let decay = Decay::exactly(ratio(2, 3)).unwrap();
        assert!((spread(&decay) - 12.0_f64.sqrt()).abs() < 1e-9);
    }
}
