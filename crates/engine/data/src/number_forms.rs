//! Usual forms of numbers that a column does not read, named in the report to the curator.

/// A form of numbers that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberForm {
    /// Digits in groups of three, as in `1,234.50`.
    Grouped,
    /// With the sign or code of a currency, as in `$12.50` or `12.50 EUR`.
    Currency,
    /// With a percent sign.
    Percent,
}

impl NumberForm {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Grouped, Self::Currency, Self::Percent];

    /// The form of a text that is not read as a number; `None` if it has none of these.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_number = |text: &str| is_plain(text) || is_grouped(text);
        let rest = |text: &str| {
            text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '(' | ')')).to_owned()
        };
        let without = rest(text);
        if is_grouped(&without) {
            return Some(Self::Grouped);
        }
        if let Some(number) = without.strip_suffix('%') {
            return is_number(&rest(number)).then_some(Self::Percent);
        }
        let is_currency = |sign: &str| {
            let is_sign = |c: char| matches!(c, '$' | '€' | '£' | '¥' | '₹' | '₩' | '₽' | '₺' | '฿');
            sign.chars().any(is_sign) || (sign.len() == 3 && sign.bytes().all(|byte| byte.is_ascii_uppercase()))
        };
        let is_digit = |c: char| c.is_ascii_digit();
        let (first, last) = (without.find(is_digit)?, without.rfind(is_digit)? + 1);
        let (before, number, after) = (&without[..first], &without[first..last], &without[last..]);
        let signs = [rest(before), rest(after)];
        let [before, after] = signs.each_ref().map(|sign| !sign.is_empty() && is_currency(sign));
        let is_alone = (before && signs[1].is_empty()) || (after && signs[0].is_empty());
        (is_alone && is_number(number)).then_some(Self::Currency)
    }

    /// The form in words, with an example that is not from the data.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Grouped => "with grouped digits, as in 1,234.50",
            Self::Currency => "with a currency, as in $12.50",
            Self::Percent => "with a percent sign",
        }
    }
}

/// Digits with at most one decimal mark.
fn is_plain(text: &str) -> bool {
    let mut marks = 0;
    let all = text.chars().all(|c| {
        marks += usize::from(matches!(c, '.' | ','));
        c.is_ascii_digit() || matches!(c, '.' | ',')
    });
    all && marks <= 1 && text.chars().any(|c| c.is_ascii_digit())
}

/// Digits of which those before the decimal mark are in groups of three.
fn is_grouped(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, ',' | '.' | ' ' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}');
    let Some(mark) = text.chars().find(|c| is_mark(*c)) else { return false };
    let fraction = |c: char| c != mark && matches!(c, '.' | ',');
    let (grouped, fraction) = text.split_once(fraction).unwrap_or((text, ""));
    let mut groups = grouped.split(mark);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = |text: &str| (1..=3).contains(&text.len()) && is_digits(text);
    groups.next().is_some_and(is_first)
        && groups.all(|group| group.len() == 3 && is_digits(group))
        && is_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognised() {
        let all = |form, texts: &[&str]| {
            for text in texts {
                assert_eq!(NumberForm::of(text), form, "{text}");
            }
        };
        let grouped = ["1,234.50", "-1,234", "1.234.567", "1.234,50", "12 345", "1'234.5", "1\u{202f}234", "(1,234)"];
        all(Some(NumberForm::Grouped), &grouped);
        let currencies = ["$21.75", "-$21", "21,75 €", "EUR 3", "3 USD", "US$ 1,234.50", "£1,234", "$(3.50)"];
        all(Some(NumberForm::Currency), &currencies);
        all(Some(NumberForm::Percent), &["12%", "12.5 %", "-3%", "1,234%"]);
        all(None, &["", "n/a", "12kg", "1,23,4", "12,34.5", "three", "%", "$", "1.2.3", "A1B", "$3€", "2024-01-02"]);
    }
}
