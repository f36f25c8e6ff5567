//! The largest change of χ² by one participant (G-1).
//!
//! These are the largest differences of χ² between neighbouring cohorts of `R` cases and `S` controls, over *all*
//! tables, including those with empty columns. They are attained, as tests show by enumeration.

use crate::table::{CohortAdjacency, Test};
use deniable_core::exact::{Rational, whole};
use num_bigint::BigInt;
use num_traits::Zero;

/// The sensitivity of χ² in a cohort of `cases` and `controls`, both public; 0 where either is 0, since χ² is 0 then.
///
/// | adjacency | genotypic | allelic |
/// |---|---|---|
/// | genotype | `N²/(RS)·(1 − 1/(max(R,S)+1))` | twice that |
/// | label swap | `N²/(RS)·(2 − 1/R − 1/S)` | twice that |
///
/// In a small cohort it exceeds the largest χ², `N` or `2N`, and noise of that size is useless: use distances (G-2)
/// instead. Published sensitivities are smaller, and hold only for tables without empty columns (E-6).
#[must_use]
pub fn sensitivity(cases: u32, controls: u32, test: Test, adjacency: CohortAdjacency) -> Rational {
    if cases == 0 || controls == 0 {
        return Rational::zero();
    }
    let [r, s] = [cases, controls].map(|count| whole(BigInt::from(count)));
    let people = &r + &s;
    let one = whole(1);
    let share = match adjacency {
        CohortAdjacency::Genotype => &one - &one / (whole(BigInt::from(cases.max(controls))) + &one),
        CohortAdjacency::LabelSwap => whole(2) - &one / &r - &one / &s,
    };
    let times = match test {
        Test::Genotypic => one,
        Test::Allelic => whole(2),
    };
    &people * &people / (r * s) * share * times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chi2::statistic;
    use crate::distance::brute::{neighbours, splits};
    use crate::table::ContingencyTable;
    use deniable_core::exact::ratio;
    use std::collections::HashMap;

    /// χ² as a fraction of small numbers: for tables of two dozen people, where it is exact.
    fn small(table: &ContingencyTable, test: Test) -> (i64, i64) {
        let wide = |n: u64| i64::try_from(n).unwrap();
        let (r, s) = (wide(table.all_cases()), wide(table.all_controls()));
        let n = r + s;
        let (top, bottom) = match test {
            Test::Allelic => {
                let (x, y) = (wide(table.case_alleles()), wide(table.control_alleles()));
                (2 * n * (x * s - y * r).pow(2), r * s * (x + y) * (2 * n - x - y))
            }
            Test::Genotypic => {
                let all: Vec<(i64, i64)> = (0..3)
                    .map(|i| (i64::from(table.cases[i]), i64::from(table.controls[i])))
                    .filter(|(a, b)| a + b > 0)
                    .collect();
                let whole: i64 = all.iter().map(|(a, b)| a + b).product();
                (all.iter().map(|(a, b)| (a * s - b * r).pow(2) * whole / (a + b)).sum(), whole * r * s)
            }
        };
        if bottom == 0 { (0, 1) } else { (top, bottom) }
    }

    fn less(one: (i64, i64), other: (i64, i64)) -> bool {
        i128::from(one.0) * i128::from(other.1) < i128::from(other.0) * i128::from(one.1)
    }

    fn difference(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
        ((one.0 * other.1 - other.0 * one.1).abs(), one.1 * other.1)
    }

    #[test]
    fn small_fractions_equal_the_statistic() {
        for cases in splits(4) {
            for controls in splits(7) {
                let table = ContingencyTable { cases, controls };
                for test in Test::ALL {
                    let (top, bottom) = small(&table, test);
                    assert_eq!(ratio(top, bottom), statistic(&table, test));
                }
            }
        }
    }

    /// G-1 over every pair of neighbouring tables with R, S ≤ 12: never exceeded, and attained.
    #[test]
    fn every_small_cohort_is_bounded_and_attained() {
        for (r, s) in (1..=12).flat_map(|r| (1..=12).map(move |s| (r, s))) {
            for test in Test::ALL {
                let tables = splits(r)
                    .into_iter()
                    .flat_map(|cases| splits(s).into_iter().map(move |controls| ContingencyTable { cases, controls }));
                let values: HashMap<ContingencyTable, (i64, i64)> =
                    tables.map(|table| (table, small(&table, test))).collect();
                for adjacency in CohortAdjacency::ALL {
                    let mut most = (0, 1);
                    for (table, value) in &values {
                        for next in neighbours(table, adjacency) {
                            let change = difference(*value, values[&next]);
                            if less(most, change) {
                                most = change;
                            }
                        }
                    }
                    let stated = sensitivity(r, s, test, adjacency);
                    assert_eq!(ratio(most.0, most.1), stated, "R={r} S={s} {test:?} {adjacency:?}");
                }
            }
        }
    }

    /// The published sensitivity of the allelic statistic (Yu, Fienberg, Slavković and Uhler 2014), for replaced genotypes.
    fn published(r: i64, s: i64) -> Rational {
        let square = (r + s).pow(2);
        let one = |r: i64, s: i64| {
            let first = ratio(8 * square * s, r * (2 * s + 3) * (2 * s + 1));
            let second = ratio(
                4 * square * ((2 * r * r - 1) * (2 * s - 1) - 1),
                s * r * (2 * r + 1) * (2 * r - 1) * (2 * s + 1),
            );
            first.max(second)
        };
        one(r, s).max(one(s, r))
    }

    /// E-6: one replaced person changes the allelic χ² by more than published, if a column may be empty.
    #[test]
    fn the_published_allelic_sensitivity_is_exceeded() {
        let full = |table: &ContingencyTable| (0..3).all(|i| table.cases[i] + table.controls[i] > 0);
        let (mut exceeded, mut attained) = (0, 0);
        let mut first = None;
        for (r, s) in (2..=8).flat_map(|r| (2..=8).map(move |s| (r, s))) {
            let bound = published(i64::from(r), i64::from(s));
            assert!(bound < sensitivity(r, s, Test::Allelic, CohortAdjacency::Genotype));
            let (top, bottom) = (i64::try_from(bound.numer()).unwrap(), i64::try_from(bound.denom()).unwrap());
            let (mut within, mut beyond) = ((0, 1), None);
            for (cases, controls) in splits(r).into_iter().flat_map(|c| splits(s).into_iter().map(move |d| (c, d))) {
                let table = ContingencyTable { cases, controls };
                for next in neighbours(&table, CohortAdjacency::Genotype) {
                    let change = difference(small(&table, Test::Allelic), small(&next, Test::Allelic));
                    if full(&table) && full(&next) && less(within, change) {
                        within = change;
                    }
                    if less((top, bottom), change) {
                        beyond = beyond.or(Some((table, next, change)));
                    }
                }
            }
            // It holds for tables without empty columns.
            assert!(ratio(within.0, within.1) <= bound, "R={r} S={s}: {within:?} > {bound}");
            attained += u32::from(ratio(within.0, within.1) == bound);
            exceeded += u32::from(beyond.is_some());
            first = first.or(beyond.map(|beyond| (bound, beyond)));
        }
        assert_eq!(exceeded, 49, "it is exceeded for every R and S");
        assert_eq!(attained, 49, "it is attained there");
        let (bound, (table, next, (top, bottom))) = first.unwrap();
        #[allow(clippy::print_stdout)] // The counterexample itself.
        {
            println!("published {bound}, but {} between {table:?} and {next:?}", ratio(top, bottom));
        }
    }

    /// A counterexample for readers: two controls have two copies and none, and the second one gets two.
    #[test]
    fn a_counterexample_to_check_by_hand() {
        let before = ContingencyTable { cases: [2, 0, 0], controls: [1, 0, 1] };
        let after = ContingencyTable { cases: [2, 0, 0], controls: [0, 0, 2] };
        // x = 0, y = 2: 8·(2·2)²/(2·2·2·6) = 8/3. With y = 4: 8·(4·2)²/(2·2·4·4) = 8.
        assert_eq!(statistic(&before, Test::Allelic), ratio(8, 3));
        assert_eq!(statistic(&after, Test::Allelic), whole(8));
        // 16/3 apart, which is the sensitivity; 64/15 is published.
        assert_eq!(published(2, 2), ratio(64, 15));
        assert_eq!(sensitivity(2, 2, Test::Allelic, CohortAdjacency::Genotype), ratio(16, 3));
    }

    #[test]
    fn without_cases_or_controls_the_sensitivity_is_zero() {
        for (r, s) in [(0, 0), (0, 5), (5, 0)] {
            for (test, adjacency) in Test::ALL.into_iter().zip(CohortAdjacency::ALL) {
                assert_eq!(sensitivity(r, s, test, adjacency), whole(0));
            }
        }
        let large = sensitivity(u32::MAX, u32::MAX, Test::Allelic, CohortAdjacency::LabelSwap);
        assert!(large < whole(16));
    }
}
