//! `χ² ≥ c` for many tables with the same numbers of cases and controls: a few integer products for each table.

use super::Threshold;
use crate::wide::compare_products;

/// The largest cohort whose products fit into 128 bits at every threshold: 2^25, 33 million people.
pub(crate) const MOST_PEOPLE: u64 = 1 << 25;

/// Products of floats whose relative difference is below this are compared exactly: 2^-48.
const CLOSE: f64 = 1.0 / (1_u64 << 48) as f64;

/// The allelic test: `2N(xS−yR)²·c_d ≥ c_n·RS·m(2N−m)` with `m = x+y` and `c = c_n/c_d`.
///
/// The left side is at most `2^26·2^48 · (2^49)²`, the right one `2^48·2^48 · 2^50`; each factor of
/// [`compare_products`] fits into 128 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllelicRule {
    /// `R`, at least 1.
    pub cases: i64,
    /// `S`, at least 1.
    pub controls: i64,
    left: u128,
    right: u128,
    /// `left` and `right` as floats.
    about: [f64; 2],
}

impl AllelicRule {
    /// Requires `1 ≤ cases, controls`, with a sum of at most [`MOST_PEOPLE`].
    pub fn new(cases: u64, controls: u64, threshold: &Threshold) -> Self {
        let people = u128::from(cases + controls);
        let left = 2 * people * u128::from(threshold.denominator());
        let right = u128::from(threshold.numerator()) * u128::from(cases) * u128::from(controls);
        Self { cases: cases as i64, controls: controls as i64, left, right, about: [left as f64, right as f64] }
    }

    /// Whether χ² ≥ c with `0 ≤ x ≤ 2R` and `0 ≤ y ≤ 2S` copies among cases and controls.
    pub fn is_significant(&self, x: i64, y: i64) -> bool {
        let copies = x + y;
        let others = 2 * (self.cases + self.controls) - copies;
        if copies == 0 || others == 0 {
            return false;
        }
        // Both are below 2^52, so floats represent them exactly.
        let (gap, margins) = (x * self.controls - y * self.cases, copies * others);
        // The products of floats are rounded three times and twice, each time by at most 2^-53 of them: if their
        // relative difference exceeds 2^-48, the exact ones are in the same order. Distances evaluate this dozens of
        // times for each SNP, and a smaller difference is rare.
        let [left, right] = self.about;
        let (left, right) = (left * gap as f64 * gap as f64, right * margins as f64);
        if (left - right).abs() > right * CLOSE {
            return left > right;
        }
        let (gap, margins) = (u128::from(gap.unsigned_abs()), u128::from(margins.unsigned_abs()));
        compare_products(self.left, gap * gap, self.right, margins).is_ge()
    }

    /// The approximate size of `|xS − yR|` at the threshold among this many copies: only for choosing a starting point,
    /// never for deciding.
    pub fn about_gap(&self, copies: f64) -> f64 {
        let [left, right] = self.about;
        let others = 2.0 * (self.cases + self.controls) as f64 - copies;
        (right / left * (copies * others).max(0.0)).sqrt()
    }
}

/// The genotypic test, as a bound on `H = Σ r_is_i/(r_i+s_i)`, which has its maximum, `RS/N`, where cases and controls
/// have the same frequencies.
///
/// `Σ r_i²/n_i = Σ (r_i − r_is_i/n_i) = R − H` turns `χ² = N²/(RS)·(Σ r_i²/n_i − R²/N)` into `N − N²H/(RS)`, so
/// `χ² ≥ c` exactly if `H ≤ RS(N−c)/N²`. `H` is concave and `H(λr,λs) = λH(r,s)`, which the distances use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GenotypicRule {
    /// `R`, at least 1.
    pub cases: i64,
    /// `S`, at least 1.
    pub controls: i64,
    /// `RS(N·c_d − c_n)` below 2^121; `None` if `c > N`, which no table reaches.
    most: Option<u128>,
    /// `N²·c_d`, at most 2^98.
    scale: u128,
}

impl GenotypicRule {
    /// Requires `1 ≤ cases, controls`, with a sum of at most [`MOST_PEOPLE`].
    pub fn new(cases: u64, controls: u64, threshold: &Threshold) -> Self {
        let people = u128::from(cases + controls);
        let (numerator, denominator) = (u128::from(threshold.numerator()), u128::from(threshold.denominator()));
        let pairs = u128::from(cases) * u128::from(controls);
        Self {
            cases: cases as i64,
            controls: controls as i64,
            most: (people * denominator).checked_sub(numerator).map(|rest| pairs * rest),
            scale: people * people * denominator,
        }
    }

    /// Whether χ² ≥ c.
    pub fn is_significant(&self, cases: [i64; 3], controls: [i64; 3]) -> bool {
        let [n0, n1, n2] = [0, 1, 2].map(|i| column(cases[i], controls[i]));
        let [h0, h1, h2] = [0, 1, 2].map(|i| product(cases[i], controls[i]));
        let part = |pairs: u64, others: u64| u128::from(pairs) * u128::from(others);
        // At most 2^48 · 2^50 each; an empty column has no pairs, and counts as 1 in the other terms.
        let sum = part(h0, n1 * n2) + part(h1, n0 * n2) + part(h2, n0 * n1);
        self.is_little(sum, u128::from(n0 * n1) * u128::from(n2))
    }

    /// Whether χ² ≥ c for the 2×2 table that results from merging two of the columns; `a` and `b` are the third one.
    pub fn is_significant_merged(&self, a: i64, b: i64) -> bool {
        let (c, d) = (self.cases - a, self.controls - b);
        let (one, two) = (column(a, b), column(c, d));
        let sum = u128::from(product(a, b)) * u128::from(two) + u128::from(product(c, d)) * u128::from(one);
        self.is_little(sum, u128::from(one) * u128::from(two))
    }

    /// Whether `H = sum/whole` is small enough for significance.
    fn is_little(&self, sum: u128, whole: u128) -> bool {
        self.most.is_some_and(|most| compare_products(sum, self.scale, most, whole).is_le())
    }

    /// `⌊RS(N−c)/N² · 2^48⌋`, the largest `H·2^48` of a significant table; `None` if no table is significant.
    pub fn most_h_in_2_48ths(&self) -> Option<u128> {
        let most = self.most?;
        // Long division, 24 bits at a time; remainders are below 2^98.
        let (first, rest) = (most / self.scale, most % self.scale);
        let (second, rest) = ((rest << 24) / self.scale, (rest << 24) % self.scale);
        Some((((first << 24) + second) << 24) + (rest << 24) / self.scale)
    }

    /// Whether any table is significant: `c ≤ N`.
    pub fn can_be_significant(&self) -> bool {
        self.most.is_some()
    }
}

/// People in a column; 1 for an empty one.
fn column(cases: i64, controls: i64) -> u64 {
    (cases + controls).unsigned_abs().max(1)
}

/// Pairs of a case and a control in a column.
fn product(cases: i64, controls: i64) -> u64 {
    cases.unsigned_abs() * controls.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chi2::statistic;
    use crate::table::{ContingencyTable, Test};
    use deniable_core::exact::{Rational, ratio};
    use proptest::prelude::*;

    /// A table with `x` and `y` copies among cases and controls.
    fn table(cases: u32, controls: u32, x: u32, y: u32) -> ContingencyTable {
        let group = |people: u32, copies: u32| [people - copies / 2 - copies % 2, copies % 2, copies / 2];
        ContingencyTable { cases: group(cases, x), controls: group(controls, y) }
    }

    proptest! {
        /// Includes thresholds that the table equals, or misses by the smallest possible difference.
        #[test]
        fn rules_agree_with_the_exact_statistic(
            cases in 1_u32..1 << 24, controls in 1_u32..1 << 24, parts: (u32, u32), near in -2_i64..=2, large: bool
        ) {
            let (cases, controls) = if large { (cases, controls) } else { (cases % 64 + 1, controls % 64 + 1) };
            let (x, y) = (parts.0 % (2 * cases + 1), parts.1 % (2 * controls + 1));
            let exact = statistic(&table(cases, controls, x, y), Test::Allelic);
            let rounded = (&exact * Rational::from_integer((1_i64 << 20).into())).round() + ratio(near, 1);
            let rounded = rounded / Rational::from_integer((1_i64 << 20).into());
            for c in [exact.clone(), &exact + ratio(near, 1 << 40), rounded, ratio(30, 1)] {
                let Ok(threshold) = Threshold::new(&c) else { continue };
                let rule = AllelicRule::new(cases.into(), controls.into(), &threshold);
                prop_assert_eq!(rule.is_significant(x.into(), y.into()), exact >= c, "{} ≥ {}", exact, c);
            }
        }
    }
}
