//! p-values for display, and the thresholds that belong to them.
//!
//! With one degree of freedom the probability of a larger χ² is `erfc(√(χ²/2))`, with two it is `e^(−χ²/2)`. Both are
//! implemented here: thresholds that decide significance are rounded to a given side, which depends on the relative
//! error that is stated here, far out in the tails where statistics libraries state none.

use super::{ThresholdError, approximate};
use crate::table::{ContingencyTable, Test};
use deniable_core::exact::{Rational, Rounding};
use num_traits::ToPrimitive;

/// The p-value of a table, with a relative error below 10⁻¹² down to 10⁻³⁰⁰ (most of it is χ² itself, rounded).
#[must_use]
pub fn p_value(table: &ContingencyTable, test: Test) -> f64 {
    survival(approximate(table, test), test)
}

/// The probability that χ² with one (allelic) or two (genotypic) degrees of freedom is at least `statistic ≥ 0`, with a
/// relative error below 10⁻¹³ down to 10⁻³⁰⁰.
#[must_use]
pub fn survival(statistic: f64, test: Test) -> f64 {
    let half = statistic.max(0.0) / 2.0;
    match test {
        Test::Genotypic => (-half).exp(),
        Test::Allelic => {
            let root = half.sqrt();
            // erfc falls like e^(−root²), which would magnify the rounding of the root a thousandfold. The remainder
            // half − root² is known exactly, and its part of the exponent is added back.
            let rest = (-root).mul_add(root, half);
            libm::erfc(root) * (1.0 - rest)
        }
    }
}

/// Resolution of χ² in the search.
const STEP: f64 = 1e-6;
/// An upper bound on the relative error of [`survival`] and of writing `p` as a float.
const MARGIN: f64 = 1e-12;
/// An upper bound on the steps of χ² at a p-value of 10⁻³⁰⁰ (1382 and 1376 millions).
const MOST_STEPS: u64 = 1_400_000_000;

/// The millionths of χ² that belong to `p`, guaranteed to be on the given side.
pub(super) fn millionths(p: &Rational, test: Test, rounding: Rounding) -> Result<u64, ThresholdError> {
    let unusable = || ThresholdError::NotAPValue(p.clone());
    let chance = p.to_f64().filter(|p| (1e-300..1.0).contains(p)).ok_or_else(unusable)?;
    #[allow(clippy::cast_precision_loss)] // Far below 2^53.
    let survives = |steps: f64, bound: f64| survival(steps * STEP, test) > bound;
    // The smallest number of steps whose probability is not above `bound`.
    let first = |bound: f64, shift: f64| {
        let (mut low, mut high) = (0, MOST_STEPS);
        while low < high {
            let middle = low + (high - low) / 2;
            #[allow(clippy::cast_precision_loss)] // Far below 2^53.
            if survives(middle as f64 + shift, bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    };
    let steps = match rounding {
        // One step too many, because of the margin, is still on the right side.
        Rounding::Up => first(chance * (1.0 - MARGIN), 0.0),
        Rounding::Down => first(chance * (1.0 + MARGIN), 0.0).saturating_sub(1),
        Rounding::Nearest => first(chance, 0.5),
    };
    if steps == 0 { Err(unusable()) } else { Ok(steps) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chi2::{Threshold, is_significant};
    use deniable_core::exact::{Enclosure, decimal, parse_rational, power, ratio, whole};

    fn off(value: f64, expected: f64) -> f64 {
        (value / expected - 1.0).abs()
    }

    /// Compared with mpmath with 60 digits: `erfc(sqrt(mpf(x)/2))`.
    #[test]
    fn one_degree_of_freedom() {
        for (statistic, expected) in ONE_DEGREE {
            assert!(off(survival(statistic, Test::Allelic), expected) < 1e-13, "{statistic}: {expected}");
        }
        assert!(off(survival(0.0, Test::Allelic), 1.0) < 1e-15);
    }

    const ONE_DEGREE: [(f64, f64); 10] = [
        (1e-08, 0.9999202115440526),
        (0.1, 0.7518296340458492),
        (0.5, 0.4795001221869535),
        (1.0, 0.3173105078629141),
        (3.841458820694124, 0.05000000000000006),
        (10.83, 0.0009986863791802587),
        (29.716785, 5.0000012632149405e-08),
        (100.0, 1.523970604832105e-23),
        (700.25, 2.6383962798067295e-154),
        (1370.0, 6.942937364643268e-300),
    ];

    /// Compared with the exact enclosures of the exponential.
    #[test]
    fn two_degrees_of_freedom() {
        for (n, d) in [(1_i64, 1000_i64), (1, 1), (599, 100), (29, 1), (3362, 100), (200, 1), (1381, 1)] {
            // The exact value of the float nearest to n/d.
            #[allow(clippy::cast_precision_loss)]
            let statistic = n as f64 / d as f64;
            let exact = Rational::from_float(statistic).unwrap();
            let chance = Enclosure::of(&(-exact / whole(2)), 1200).exp();
            let scaled = (chance.low() * power(&whole(10), 300)).to_f64().unwrap();
            assert!(off(survival(statistic, Test::Genotypic) * 1e300, scaled) < 1e-13, "{statistic}");
        }
    }

    #[test]
    fn thresholds_of_p_values() {
        let at = |p: &str, test, rounding| {
            let threshold = Threshold::at_p_value(&parse_rational(p).unwrap(), test, rounding).unwrap();
            decimal(&threshold.value(), 6, Rounding::Nearest)
        };
        // 3.841458820694..., 29.716785..., and −2 ln p = 5.991464547..., 33.621242...
        assert_eq!(at("0.05", Test::Allelic, Rounding::Down), "3.841458");
        assert_eq!(at("0.05", Test::Allelic, Rounding::Up), "3.841459");
        assert_eq!(at("0.05", Test::Allelic, Rounding::Nearest), "3.841459");
        assert_eq!(at("0.05", Test::Genotypic, Rounding::Down), "5.991464");
        assert_eq!(at("0.05", Test::Genotypic, Rounding::Up), "5.991465");
        for test in Test::ALL {
            for p in ["0.9", "0.5", "1e-3", "5e-8", "1e-60"] {
                let chance = parse_rational(p).unwrap();
                let [down, near, up] = [Rounding::Down, Rounding::Nearest, Rounding::Up]
                    .map(|side| Threshold::at_p_value(&chance, test, side).unwrap().value());
                assert!(down <= near && near <= up && &up - &down == ratio(1, 1_000_000), "{p}");
                let [more, less] = [&down, &up].map(|c| survival(c.to_f64().unwrap(), test));
                let p = chance.to_f64().unwrap();
                assert!(less <= p && p <= more, "{less} {p} {more}");
            }
        }
        // Exactly: −2 ln p with two degrees of freedom.
        for p in ["0.05", "5e-8", "1e-60", "2/3"] {
            let chance = parse_rational(p).unwrap();
            let exact = Enclosure::ln(&chance, 256).times(&whole(-2));
            let side = |rounding| Threshold::at_p_value(&chance, Test::Genotypic, rounding).unwrap().value();
            assert!(side(Rounding::Down) < exact.low() && exact.high() < side(Rounding::Up));
        }
    }

    #[test]
    fn invalid_p_values_are_rejected() {
        for p in [whole(0), whole(1), whole(2), ratio(-1, 2), power(&ratio(1, 10), 301)] {
            let refused = Threshold::at_p_value(&p, Test::Allelic, Rounding::Up);
            assert_eq!(refused, Err(ThresholdError::NotAPValue(p)));
        }
        // So close to 1 that χ² rounds to 0.
        let near = whole(1) - ratio(1, 1 << 40);
        assert!(Threshold::at_p_value(&near, Test::Genotypic, Rounding::Down).is_err());
        assert!(Threshold::at_p_value(&near, Test::Genotypic, Rounding::Up).is_ok());
    }

    #[test]
    fn tables() {
        let table = ContingencyTable { cases: [25, 20, 5], controls: [32, 16, 2] };
        // χ² = 8/3: erfc(√(4/3)).
        assert!(off(p_value(&table, Test::Allelic), 0.10247043485974942) < 1e-12);
        let c = Threshold::at_p_value(&ratio(1, 10), Test::Allelic, Rounding::Up).unwrap();
        assert!(!is_significant(&table, Test::Allelic, &c));
        let c = Threshold::at_p_value(&ratio(11, 100), Test::Allelic, Rounding::Up).unwrap();
        assert!(is_significant(&table, Test::Allelic, &c));
    }
}
