//! χ² and p-values as PLINK computes them, in doubles: for the curator's table alone. To be replaced by `crate::chi2`, whose
//! fractions are exact.

/// χ² of a 2×2 table; `None` where a row or a column is empty.
pub(super) fn two_by_two(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    let [a, b] = cases.map(|count| count as f64);
    let [c, d] = controls.map(|count| count as f64);
    let below = (a + b) * (c + d) * (a + c) * (b + d);
    let difference = a * d - b * c;
    (below > 0.0).then(|| (a + b + c + d) * difference * difference / below)
}

/// Replaced by `chi2::allelic`.
pub(super) fn allelic(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    two_by_two(cases, controls)
}

/// The same for `--assoc`, which prints 0 instead of NA where all calls of one group are missing and the other has both alleles.
pub(super) fn allelic_in_assoc(cases: [u64; 2], controls: [u64; 2]) -> Option<f64> {
    let both = cases.iter().zip(&controls).all(|(case, control)| case + control > 0);
    both.then(|| two_by_two(cases, controls).unwrap_or(0.0))
}

/// Replaced by `chi2::genotypic`. `None` where a row or a column of the 2×3 table is empty.
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

/// Cochran and Armitage's test with weights 0, 1 and 2.
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

/// Carriers against the others.
pub(super) fn dominant([n, o, t]: [u64; 3], [m, p, u]: [u64; 3]) -> Option<f64> {
    two_by_two([o + t, n], [p + u, m])
}

/// People with two copies against the others.
pub(super) fn recessive([n, o, t]: [u64; 3], [m, p, u]: [u64; 3]) -> Option<f64> {
    two_by_two([t, n + o], [u, m + p])
}

/// The probability of χ² at least as large. Replaced by `chi2`'s p-values.
pub(super) fn tail(chi2: f64, freedom: u32) -> f64 {
    if freedom == 2 { (-chi2 / 2.0).exp() } else { erfc((chi2 / 2.0).sqrt()) }
}

/// The complementary error function for x ≥ 0, to about 14 digits, relatively: a series about 0, a continued fraction far out.
fn erfc(x: f64) -> f64 {
    let frac_1_sqrt_pi = std::f64::consts::FRAC_2_SQRT_PI / 2.0;
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..100 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        // The series has positive terms only, so that 1 − erf loses no more than three digits below 2.
        1.0 - 2.0 * frac_1_sqrt_pi * (-x * x).exp() * sum
    } else {
        // erfc x = e^(−x²)/√π · 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + …)))), from the inside.
        // The farther out, the fewer steps: 110 at 2, 26 at 5.
        let steps = (10.0 + 400.0 / (x * x)) as i32;
        let mut fraction = x;
        for n in (1..=steps).rev() {
            fraction = x + f64::from(n) / 2.0 / fraction;
        }
        (-x * x).exp() * frac_1_sqrt_pi / fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} {expected}");
    }

    #[test]
    fn tails_are_those_of_tables() {
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
