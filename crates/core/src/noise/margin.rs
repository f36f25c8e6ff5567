//! How far a noisy answer may be from the truth, with a stated confidence.

use super::ratio::Decay;
use crate::exact::{Enclosure, Rational, power, whole};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Above this margin a tie that intervals cannot decide goes to the larger margin.
const EXACT_UP_TO: u32 = 1 << 12;

/// The smallest `t` with `Pr[|noise| ≤ t] ≥ confidence`, for a confidence in `[0, 1)`.
///
/// `Pr[|noise| > t] = 2 r^(t+1) / (1+r)`. Should interval arithmetic leave two neighbouring candidates, which
/// needs a tie to 200 bits, the exact powers decide, and above a margin of 4,096 the larger is taken.
#[must_use]
pub fn margin(decay: &Decay, confidence: &Rational) -> BigInt {
    let r = decay.ratio();
    let outside = whole(1) - confidence;
    let level = whole(2) / ((whole(1) + r) * &outside);
    if level <= whole(1) {
        return BigInt::zero();
    }
    let bits = 256;
    let reach = Enclosure::ln(&level, bits);
    let step = Enclosure::ln(r, bits).times(&whole(-1));
    let least = (reach.low() / step.high()).ceil().to_integer() - BigInt::one();
    let most = (reach.high() / step.low()).ceil().to_integer() - BigInt::one();
    if least == most {
        return most.max(BigInt::zero());
    }
    match least.to_u32().filter(|t| *t <= EXACT_UP_TO) {
        Some(t) if whole(2) * power(r, t + 1) <= &outside * (whole(1) + r) => least,
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

    #[test]
    fn spread_of_a_known_case() {
        let decay = Decay::exactly(ratio(2, 3)).unwrap();
        assert!((spread(&decay) - 12.0_f64.sqrt()).abs() < 1e-9);
    }
}
