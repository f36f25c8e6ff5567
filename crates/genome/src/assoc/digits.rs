//! Numbers as PLINK 1.9 prints them: four significant digits, as `%.4g`, and halves to even.

/// Digits at most this far from the middle count as in the middle: where 0.48125 is a little more as a double, PLINK still
/// prints 0.4812.
const MIDDLE: f64 = 5e-12;

/// A number that is not negative, with four significant digits.
#[must_use]
pub fn four(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan" } else { "inf" }.to_owned();
    }
    if value <= 0.0 {
        return "0".to_owned();
    }
    let (digits, exponent) = significant(value);
    if (-4..4).contains(&exponent) { plain(digits, exponent) } else { scientific(digits, exponent) }
}

/// Four digits, 1000 to 9999, and the power of ten of the first.
fn significant(value: f64) -> (u32, i32) {
    // The decimal exponent, exactly: from the shortest text that stands for the number.
    let text = format!("{value:e}");
    let exponent: i32 = text.split('e').nth(1).and_then(|exponent| exponent.parse().ok()).unwrap_or(0);
    // In two steps, because 10^(3 − exponent) is no double for the smallest numbers.
    let scaled = if exponent < -300 { value * 1e300 * power(3 - exponent - 300) } else { value * power(3 - exponent) };
    let below = scaled.floor();
    let beyond = scaled - below;
    let odd = below % 2.0 > 0.5;
    let up = if (beyond - 0.5).abs() < MIDDLE * 1000.0 { odd } else { beyond > 0.5 };
    let digits = below + f64::from(u8::from(up));
    if digits >= 9999.5 { (1000, exponent + 1) } else { (digits as u32, exponent) }
}

fn power(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

fn plain(digits: u32, exponent: i32) -> String {
    let digits = digits.to_string();
    let text = match usize::try_from(exponent) {
        Ok(before) => {
            let (whole, rest) = digits.split_at((before + 1).min(digits.len()));
            format!("{whole}.{rest}")
        }
        Err(_) => {
            let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
            format!("0.{}{digits}", "0".repeat(zeros))
        }
    };
    trimmed(&text)
}

fn scientific(digits: u32, exponent: i32) -> String {
    let digits = digits.to_string();
    let (first, rest) = digits.split_at(1);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(&format!("{first}.{rest}")), exponent.abs())
}

fn trimmed(text: &str) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::four;

    #[test]
    fn four_digits_are_plinks() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.480_5, "0.4805"),
            (0.481_25, "0.4812"),
            (0.481_35, "0.4814"),
            (0.999_96, "1"),
            (72.674, "72.67"),
            (1.53e-17, "1.53e-17"),
            (0.000_123_44, "0.0001234"),
            (0.000_099_994, "9.999e-05"),
            (0.000_099_999, "0.0001"),
            (9999.4, "9999"),
            (12_344.0, "1.234e+04"),
            (1e-310, "1e-310"),
            (1234.0, "1234"),
            (10.0, "10"),
        ] {
            assert_eq!(four(value), text);
        }
    }
}
