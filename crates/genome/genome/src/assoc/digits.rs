//! Numbers in PLINK 1.9's format: four significant digits, as `%.4g`, with halves to even.

/// Scaled numbers, with four digits before the point, this close to a half are rounded to even: although 0.48125 is
/// slightly more as a double, PLINK prints 0.4812.
const MIDDLE: f64 = 5e-9;

/// Formats a non-negative number with four significant digits.
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
    let mut exponent = value.log10().floor() as i32;
    let mut scaled = scale(value, exponent);
    // The logarithm may be off by one near a power of ten.
    if scaled < 1000.0 {
        exponent -= 1;
        scaled = scale(value, exponent);
    } else if scaled >= 10_000.0 {
        exponent += 1;
        scaled = scale(value, exponent);
    }
    let below = scaled.floor();
    let beyond = scaled - below;
    let odd = below % 2.0 > 0.5;
    let up = if (beyond - 0.5).abs() < MIDDLE { odd } else { beyond > 0.5 };
    let digits = below as u32 + u32::from(up);
    if digits > 9999 { (1000, exponent + 1) } else { (digits, exponent) }
}

/// Scales to four digits before the point; in two steps for the smallest numbers, because no double is large enough for
/// one.
fn scale(value: f64, exponent: i32) -> f64 {
    const FAR: i32 = 300;
    if exponent < -FAR {
        value * 1e300 * 10f64.powi(3 - exponent - FAR)
    } else if exponent > 3 {
        value / 10f64.powi(exponent - 3)
    } else {
        value * 10f64.powi(3 - exponent)
    }
}

/// Fixed-point notation, without trailing zeros.
fn plain(digits: u32, exponent: i32) -> String {
    let after = usize::try_from(3 - exponent).unwrap_or(0);
    let unit = 10u32.pow(after.min(9) as u32);
    let mut text = format!("{}.{:0after$}", digits / unit, digits % unit);
    trim(&mut text);
    text
}

fn scientific(digits: u32, exponent: i32) -> String {
    let mut text = format!("{}.{:03}", digits / 1000, digits % 1000);
    trim(&mut text);
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    text
}

fn trim(text: &mut String) {
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
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
