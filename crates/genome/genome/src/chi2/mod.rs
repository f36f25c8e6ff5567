//! χ² of the 2×2 table of alleles and of the 2×3 table of genotypes, exactly.
//!
//! Significance of a SNP is decided in whole numbers only; floats are used for display ([`approximate`], [`p_value`])
//! and to convert a p-value to a threshold, which is public and chosen before any data is seen.
//!
//! **Empty margins.** The term of an empty column is 0. χ² of a monomorphic SNP is 0, and so is χ² without cases or
//! without controls: such tables have no information on an association, and are never significant.

mod p_value;
mod rule;

pub use p_value::{p_value, survival};
pub(crate) use rule::{AllelicRule, GenotypicRule, MOST_PEOPLE};

use crate::table::{ContingencyTable, Test};
use deniable_core::exact::{Rational, Rounding};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Numerators and denominators of thresholds are below this, so that no comparison needs big integers.
const THRESHOLD_LIMIT: u64 = 1 << 48;

/// An invalid threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdError {
    /// A threshold that every table reaches, since χ² is never negative.
    #[error("the threshold {0} is not positive: every SNP would be significant; write one such as 29.72")]
    NotPositive(Rational),
    /// A threshold with more digits than allowed.
    #[error("the threshold {0} has too many digits; numerator and denominator must be below 2^48")]
    TooLong(Rational),
    /// A p-value without a threshold.
    #[error("the p-value {0} is not between 10^-300 and 1 (both excluded)")]
    NotAPValue(Rational),
}

/// A public threshold `c > 0` on χ². A SNP is significant if `χ² ≥ c`, including equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threshold {
    numerator: u64,
    denominator: u64,
}

impl Threshold {
    /// The threshold `c`.
    ///
    /// # Errors
    /// If `c` is not positive, or has a numerator or denominator of 2^48 or more in lowest terms.
    pub fn new(c: &Rational) -> Result<Self, ThresholdError> {
        if !c.is_positive() {
            return Err(ThresholdError::NotPositive(c.clone()));
        }
        let part = |n: &BigInt| n.to_u64().filter(|n| *n < THRESHOLD_LIMIT);
        match (part(c.numer()), part(c.denom())) {
            (Some(numerator), Some(denominator)) => Ok(Self { numerator, denominator }),
            _ => Err(ThresholdError::TooLong(c.clone())),
        }
    }

    /// The threshold of a p-value, as a decimal of six places: [`Rounding::Up`] returns one that only p-values of at
    /// most `p` reach, [`Rounding::Down`] one that all of them reach, [`Rounding::Nearest`] the nearest.
    ///
    /// # Errors
    /// If `p` is not between 10⁻³⁰⁰ and 1, or so close to 1 that the threshold is 0.
    pub fn at_p_value(p: &Rational, test: Test, rounding: Rounding) -> Result<Self, ThresholdError> {
        let millionths = p_value::millionths(p, test, rounding)?;
        Self::new(&Rational::new(millionths.into(), 1_000_000.into()))
    }

    /// `c`.
    #[must_use]
    pub fn value(&self) -> Rational {
        Rational::new(self.numerator.into(), self.denominator.into())
    }

    /// `c` as a float: only for choosing a starting point, never for deciding.
    #[allow(clippy::cast_precision_loss)] // Below 2^48.
    pub(crate) fn as_float(&self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The numerator of `c` in lowest terms, below 2^48.
    pub(crate) fn numerator(&self) -> u64 {
        self.numerator
    }

    /// The denominator of `c` in lowest terms, below 2^48.
    pub(crate) fn denominator(&self) -> u64 {
        self.denominator
    }
}

/// χ² as an exact fraction (G-1): allelic `2N(xS−yR)² / (RS(x+y)(2N−x−y))`, genotypic `Σ (r_iS−s_iR)²/((r_i+s_i)RS)`.
#[must_use]
pub fn statistic(table: &ContingencyTable, test: Test) -> Rational {
    let (cases, controls) = (BigInt::from(table.all_cases()), BigInt::from(table.all_controls()));
    if cases.is_zero() || controls.is_zero() {
        return Rational::zero();
    }
    // The term of a column with `a` cases and `b` controls, or alleles of them.
    let term = |a: u64, b: u64| {
        let gap = BigInt::from(a) * &controls - BigInt::from(b) * &cases;
        if a + b == 0 { Rational::zero() } else { Rational::new(&gap * &gap, BigInt::from(a + b) * &cases * &controls) }
    };
    match test {
        Test::Genotypic => {
            table.cases.iter().zip(&table.controls).map(|(r, s)| term(u64::from(*r), u64::from(*s))).sum()
        }
        // The two columns of alleles have opposite gaps: 1/m + 1/(2N−m) = 2N/(m(2N−m)). Counted in alleles, the gaps
        // are those of people times 2, and RS times 4, and 4/(2·2) = 1.
        Test::Allelic => {
            let (x, y) = (table.case_alleles(), table.control_alleles());
            term(x, y) + term(2 * table.all_cases() - x, 2 * table.all_controls() - y)
        }
    }
}

/// χ² as a float with a relative error below 10⁻¹⁴: for display only.
#[must_use]
#[allow(clippy::cast_precision_loss)] // Rounding is intended.
pub fn approximate(table: &ContingencyTable, test: Test) -> f64 {
    let (cases, controls) = (table.all_cases(), table.all_controls());
    if cases == 0 || controls == 0 {
        return 0.0;
    }
    // Gaps are exact, below 2^70, so no cancellation occurs between rounded numbers; only positive terms are added.
    let term = |a: u64, b: u64| {
        if a + b == 0 {
            return 0.0;
        }
        let gap = (u128::from(a) * u128::from(controls)).abs_diff(u128::from(b) * u128::from(cases)) as f64;
        (gap / (a + b) as f64) * (gap / (cases as f64 * controls as f64))
    };
    match test {
        Test::Genotypic => {
            table.cases.iter().zip(&table.controls).map(|(r, s)| term(u64::from(*r), u64::from(*s))).sum()
        }
        Test::Allelic => {
            let (x, y) = (table.case_alleles(), table.control_alleles());
            term(x, y) + term(2 * cases - x, 2 * controls - y)
        }
    }
}

/// Whether `χ² ≥ c`, exactly.
///
/// Up to 2^25 (33 million) people this takes a few 128-bit products, at any threshold; beyond, big integers.
#[must_use]
pub fn is_significant(table: &ContingencyTable, test: Test, threshold: &Threshold) -> bool {
    let (cases, controls) = (table.all_cases(), table.all_controls());
    if cases + controls > MOST_PEOPLE {
        return statistic(table, test) >= threshold.value();
    }
    if cases == 0 || controls == 0 {
        return false;
    }
    match test {
        Test::Allelic => AllelicRule::new(cases, controls, threshold)
            .is_significant(table.case_alleles() as i64, table.control_alleles() as i64),
        Test::Genotypic => GenotypicRule::new(cases, controls, threshold)
            .is_significant(table.cases.map(i64::from), table.controls.map(i64::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{parse_rational, ratio, whole};
    use proptest::prelude::*;

    fn table(cases: [u32; 3], controls: [u32; 3]) -> ContingencyTable {
        ContingencyTable { cases, controls }
    }

    fn at(text: &str) -> Threshold {
        Threshold::new(&parse_rational(text).unwrap()).unwrap()
    }

    #[test]
    fn known_values() {
        // Alleles 30:70 against 20:80, by hand: 200(30·80−20·70)²/(100·100·50·150) = 8/3.
        let one = table([25, 20, 5], [32, 16, 2]);
        assert_eq!(statistic(&one, Test::Allelic), ratio(8, 3));
        // Σ(O−E)²/E with E = 28.5, 18, 3.5 twice.
        let by_hand = (ratio(49, 4) / ratio(57, 2) + ratio(4, 18) + ratio(9, 4) / ratio(7, 2)) * whole(2);
        assert_eq!(statistic(&one, Test::Genotypic), by_hand);
        // Completely separated cohorts: χ² = N for genotypes and 2N for alleles.
        let apart = table([0, 0, 5], [5, 0, 0]);
        assert_eq!(statistic(&apart, Test::Genotypic), whole(10));
        assert_eq!(statistic(&apart, Test::Allelic), whole(20));
    }

    #[test]
    fn tables_without_information_are_zero() {
        for empty in [
            table([0; 3], [0; 3]),
            table([3, 2, 1], [0; 3]),
            table([0; 3], [3, 2, 1]),
            table([5, 0, 0], [7, 0, 0]),
            table([0, 0, 5], [0, 0, 7]),
        ] {
            for test in Test::ALL {
                assert_eq!(statistic(&empty, test), whole(0), "{empty:?}");
                assert!(approximate(&empty, test).abs() < f64::MIN_POSITIVE);
                assert!(!is_significant(&empty, test, &at("1e-9")), "{empty:?}");
            }
        }
        // Heterozygotes only: one column of genotypes, two of alleles, no gap in either.
        assert_eq!(statistic(&table([0, 5, 0], [0, 7, 0]), Test::Allelic), whole(0));
    }

    #[test]
    fn equality_with_the_threshold_is_significant() {
        let hit = table([0, 0, 4], [1, 0, 3]);
        assert!(is_significant(&hit, Test::Allelic, &at("16/7")));
        assert!(!is_significant(&hit, Test::Allelic, &at("1600000001/700000000")));
        assert!(is_significant(&hit, Test::Allelic, &at("1599999999/700000000")));
        assert!(is_significant(&table([0, 0, 5], [5, 0, 0]), Test::Genotypic, &at("10")));
    }

    #[test]
    fn unusable_thresholds() {
        assert!(matches!(Threshold::new(&whole(0)), Err(ThresholdError::NotPositive(_))));
        assert!(matches!(Threshold::new(&whole(-1)), Err(ThresholdError::NotPositive(_))));
        assert!(matches!(Threshold::new(&whole(1_u64 << 48)), Err(ThresholdError::TooLong(_))));
        assert!(matches!(Threshold::new(&ratio(1, 1 << 48)), Err(ThresholdError::TooLong(_))));
        assert_eq!(at("3.84").value(), ratio(96, 25));
    }

    /// The largest cohorts of the fast path, and one beyond it.
    #[test]
    fn millions_of_people() {
        let longest = Threshold::new(&ratio((1 << 48) - 1, (1 << 48) - 2)).unwrap();
        let half = u32::try_from(MOST_PEOPLE / 2).unwrap();
        for cases in [[half, 0, 0], [0, half, 0], [half / 3, half / 3, half - 2 * (half / 3)], [half - 1, 1, 0]] {
            for controls in [[0, 0, half], [half / 2, 0, half / 2], [half - 2, 1, 1], [half - 9, 5, 4], cases] {
                let big = table(cases, controls);
                for test in Test::ALL {
                    for threshold in [longest, at("29.716785"), at("1e-9"), at("5e7")] {
                        let exact = statistic(&big, test) >= threshold.value();
                        assert_eq!(is_significant(&big, test, &threshold), exact, "{big:?}");
                    }
                }
            }
        }
        assert!(is_significant(&table([u32::MAX; 3], [0, 0, u32::MAX]), Test::Allelic, &longest));
    }

    fn any_table(most: u32) -> impl Strategy<Value = ContingencyTable> {
        let three = || [0..=most, 0..=most, 0..=most];
        (three(), three()).prop_map(|(cases, controls)| table(cases, controls))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn fast_and_exact_agree(table in any_table(20_000), n in 1_u64..1 << 48, d in 1_u64..1 << 48) {
            for test in Test::ALL {
                let exact = statistic(&table, test);
                let threshold = Threshold::new(&Rational::new(n.into(), d.into())).unwrap();
                prop_assert_eq!(is_significant(&table, test, &threshold), exact >= threshold.value());
                // At χ² itself, if it is short enough for a threshold, and next to it.
                let Ok(itself) = Threshold::new(&exact) else { continue };
                prop_assert!(is_significant(&table, test, &itself));
                let above = Threshold { numerator: itself.numerator + 1, ..itself };
                prop_assert!(!is_significant(&table, test, &above));
            }
        }

        #[test]
        fn equality_with_thresholds_is_significant_in_any_table(table in any_table(12)) {
            for test in Test::ALL {
                let Ok(itself) = Threshold::new(&statistic(&table, test)) else { continue };
                prop_assert!(is_significant(&table, test, &itself));
                let finer = Threshold { numerator: itself.numerator * 1024 + 1, denominator: itself.denominator * 1024 };
                prop_assert!(!is_significant(&table, test, &finer));
            }
        }

        #[test]
        fn approximations_are_near_the_exact_values(table in any_table(200_000)) {
            for test in Test::ALL {
                let exact = statistic(&table, test).to_f64().unwrap();
                prop_assert!((approximate(&table, test) - exact).abs() <= 1e-14 * exact);
            }
        }

        /// Counting the other allele, and exchanging cases and controls, do not change χ².
        #[test]
        fn symmetries(table in any_table(1000)) {
            let turned = |counts: [u32; 3]| [counts[2], counts[1], counts[0]];
            for test in Test::ALL {
                let value = statistic(&table, test);
                let other = ContingencyTable { cases: turned(table.cases), controls: turned(table.controls) };
                prop_assert_eq!(&statistic(&other, test), &value);
                prop_assert_eq!(&statistic(&ContingencyTable { cases: table.controls, controls: table.cases }, test), &value);
            }
        }
    }
}
