//! Numbers and labels as short text, and the width of text.

/// Ellipsis of shortened names.
const CUT: char = '…';

/// Text without characters that XML does not allow: control characters become spaces.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c }).collect()
}

/// The width of text of a size, in pixels. Readers have different fonts, so this is the width of a wide one.
pub fn width(text: &str, size: u32) -> f64 {
    text.chars().map(em).sum::<f64>() * f64::from(size)
}

/// The width of a character, relative to the font size.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.41,
        'm' | 'M' | 'W' | '%' | '@' | CUT => 0.97,
        'w' => 0.82,
        c if c.is_ascii_uppercase() => 0.72,
        c if c < '\u{2e80}' => 0.63,
        _ => 1.05,
    }
}

/// Text that fits into a width in pixels, shortened if necessary.
pub fn fit(text: &str, size: u32, room: f64) -> String {
    let text = plain(text);
    if width(&text, size) <= room {
        return text;
    }
    let mut left = room - em(CUT) * f64::from(size);
    let kept: String = text
        .chars()
        .take_while(|c| {
            left -= em(*c) * f64::from(size);
            left >= 0.0
        })
        .collect();
    format!("{}{CUT}", kept.trim_end())
}

/// A name for a description, shortened: a long name is no more informative when it is read out.
pub fn brief(text: &str) -> String {
    fit(text, 10, 400.0)
}

/// A count with its noun: "1 answer", "2 answers".
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// A number to about four digits.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    // The exponent of the first digit: 2 for hundreds, -1 for tenths.
    let first = size.log10().floor();
    written(value, 10_f64.powf((first - 3.0).max(-300.0)), size)
}

/// A number with the precision of a step, in the unit of the largest number beside it: ticks of one axis have the same
/// form.
pub fn written(value: f64, step: f64, largest: f64) -> String {
    let size = value.abs();
    if size < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    if size < 1e-4 || largest >= 1e15 {
        let digits = (size.log10().floor() - step.log10().floor()).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.digits$e}");
        let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(number));
    }
    let (unit, name) = match largest {
        s if s >= 1e12 => (1e12, "T"),
        s if s >= 1e9 => (1e9, "B"),
        s if s >= 1e6 => (1e6, "M"),
        _ => (1.0, ""),
    };
    // A few digits with a unit are shorter than all digits of the number; many are not.
    let decimals = -(step / unit).log10().floor();
    if unit > 1.0 && decimals > 3.0 {
        return grouped(&trimmed(&format!("{value:.0$}", (-step.log10().floor()).clamp(0.0, 9.0) as usize)));
    }
    let text = format!("{:.*}", decimals.clamp(0.0, 9.0) as usize, value / unit);
    format!("{}{name}", grouped(&trimmed(&text)))
}

/// Removes trailing zeros of decimals.
fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A decimal number with a comma between thousands; other text is returned as it is.
#[must_use]
pub fn grouped(text: &str) -> String {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, decimals)| (whole, Some(decimals)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    let mut grouped = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    decimals.map_or(grouped.clone(), |decimals| format!("{grouped}.{decimals}"))
}

/// A value and its interval, in words; a missing end is unbounded.
pub fn with_interval(value: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    let value = value.map_or("no value".to_owned(), number);
    match (low, high) {
        (Some(low), Some(high)) => format!("{value}, from {} to {}", number(low), number(high)),
        (Some(low), None) => format!("{value}, at least {}", number(low)),
        (None, Some(high)) => format!("{value}, at most {}", number(high)),
        (None, None) => value,
    }
}

/// A belief as a percentage. Near 0% and 100% it keeps two digits of the distance to the end.
pub fn belief(share: f64) -> String {
    let rest = share.min(1.0 - share) * 100.0;
    if rest <= 0.0 {
        return format!("{:.0}%", share * 100.0);
    }
    if rest < 1e-4 {
        return if share < 0.5 { "under 0.0001%" } else { "over 99.9999%" }.to_owned();
    }
    let decimals = (1.0 - rest.log10().floor()).clamp(0.0, 5.0) as usize;
    format!("{}%", trimmed(&format!("{:.decimals$}", share * 100.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (12.0, "12"),
            (0.123_456, "0.1235"),
            (1234.0, "1,234"),
            (-123_456.0, "-123,456"),
            (1_234_567.0, "1.235M"),
            (1e12, "1T"),
            (1e18, "1e18"),
            (1e-9, "1e-9"),
            (1.234_56e-7, "1.235e-7"),
            (5e-324, "0"),
            (1e300, "1e300"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(written(1e12 + 10.0, 5.0, 1e12 + 20.0), "1,000,000,000,010");
        assert_eq!(written(5e5, 5e5, 2e6), "0.5M");
    }

    #[test]
    fn beliefs_keep_their_distance_to_the_ends() {
        let cases = [
            (0.0, "0%"),
            (1.0, "100%"),
            (0.5, "50%"),
            (0.123, "12%"),
            (0.0123, "1.2%"),
            (0.000_34, "0.034%"),
            (0.9997, "99.97%"),
            (1e-9, "under 0.0001%"),
        ];
        for (share, text) in cases {
            assert_eq!(belief(share), text);
        }
    }

    #[test]
    fn long_names_are_cut_to_fit() {
        let long = "a name ".repeat(30);
        let cut = fit(&long, 14, 120.0);
        assert!(cut.ends_with('…') && width(&cut, 14) <= 120.0, "{cut}");
        assert_eq!(fit("tea\u{1}\n", 14, 120.0), "tea  ");
        assert_eq!(fit("tea", 14, 1.0), "…");
    }
}
