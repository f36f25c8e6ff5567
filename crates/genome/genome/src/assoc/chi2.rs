//! χ² as PLINK computes it, in doubles and with PLINK's rules for empty rows and columns: for the curator's table only.
//! Decisions and releases use the fractions of [`crate::chi2`].

use crate::chi2::survival;
use crate::table::Test;

/// χ² of a 2×2 table; `None` if a row or a column is empty.
pub(super) fn two_by_two(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    let [a, b] = cases.map(|count| count as f64);
    let [c, d] = controls.map(|count| count as f64);
    let below = (a + b) * (c + d) * (a + c) * (b + d);
    let difference = a * d - b * c;
    (below > 0.0).then(|| (a + b + c + d) * difference * difference / below)
}

pub(super) fn allelic(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    two_by_two(cases, controls)
}

/// χ² for `--assoc`, which prints 0 instead of NA if all calls of one group are missing and the other group has both
/// alleles.
pub(super) fn allelic_in_assoc(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    let both = cases.iter().zip(&controls).all(|(case, control)| case + control > 0);
    both.then(|| two_by_two(cases, controls).unwrap_or(0.0))
}

/// χ² of genotypes; `None` if a row or a column of the 2×3 table is empty.
pub(super) fn genotypic(cases: [u64; 3], controls: [u64; 3]) -> Option<f64> {
    let all_cases: u64 = cases.iter().sum();
    let all_controls: u64 = controls.iter().sum();
    let (r, s) = (all_cases as f64, all_controls as f64);
    let mut chi2 = 0.0;
    for (case, control) in cases.iter().zip(&controls) {
        let column = (case + control) as f64;
        if column <= 0.0 || r <= 0.0 || s <= 0.0 {
            return None;
        }
        let difference = *case as f64 * s - *control as f64 * r;
        chi2 += difference * difference / (r * s * column);
    }
    Some(chi2)
}

/// The Cochran-Armitage test with weights 0, 1 and 2.
pub(super) fn trend(cases: [u64; 3], controls: [u64; 3]) -> Option<f64> {
    let [_, one_case, two_cases] = cases.map(|count| count as f64);
    let [_, one_control, two_controls] = controls.map(|count| count as f64);
    let r: f64 = cases.iter().map(|count| *count as f64).sum();
    let s: f64 = controls.iter().map(|count| *count as f64).sum();
    let all = r + s;
    let (one, two) = (one_case + one_control, two_cases + two_controls);
    let copies = one + 2.0 * two;
    let below = r * s * (all * (one + 4.0 * two) - copies * copies);
    let difference = all * (one_case + 2.0 * two_cases) - r * copies;
    (below > 0.0).then(|| all * difference * difference / below)
}

pub(super) fn dominant([n, o, t]: [u64; 3], [m, p, u]: [u64; 3]) -> Option<f64> {
    two_by_two([o + t, n], [p + u, m])
}

/// People with two copies against those with one or none.
pub(super) fn recessive([n, o, t]: [u64; 3], [m, p, u]: [u64; 3]) -> Option<f64> {
    two_by_two([t, n + o], [u, m + p])
}

/// The probability that χ² is at least this large.
pub(super) fn tail(chi2: f64, freedom: u32) -> f64 {
    survival(chi2, if freedom == 2 { Test::Genotypic } else { Test::Allelic })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} {expected}");
    }

    #[test]
    fn tails_equal_those_of_mpmath() {
        // mpmath: erfc(sqrt(x / 2)) with 25 digits.
        close(tail(0.01, 1), 0.920_344_325_445_942);
        close(tail(3.841_458_820_694_124, 1), 0.05);
        close(tail(7.9, 1), 0.004_943_479_736_228_247);
        close(tail(8.1, 1), 0.004_426_525_857_919_831);
        close(tail(72.67, 1), 1.532_459_786_192_150_4e-17);
        close(tail(5.991_464_547_107_979, 2), 0.05);
        assert!((tail(0.0, 1) - 1.0).abs() < 1e-15);
    }
}
