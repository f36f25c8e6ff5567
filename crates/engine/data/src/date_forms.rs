//! Patterns of dates that files of one country share with those of another.

/// A pattern of dates in which day and month change places; `None` if it does not have both as numbers.
pub(crate) fn day_and_month_exchanged(pattern: &str) -> Option<String> {
    let (mut letters, mut other) = (pattern.chars(), String::new());
    let (mut has_day, mut has_month) = (false, false);
    while let Some(letter) = letters.next() {
        other.push(letter);
        if letter != '%' {
            continue;
        }
        for letter in letters.by_ref() {
            other.push(match letter {
                'd' | 'e' => {
                    has_day = true;
                    'm'
                }
                'm' => {
                    has_month = true;
                    'd'
                }
                letter => letter,
            });
            // Flags and widths stand between the sign and the letter.
            if !matches!(letter, '-' | '_' | '^' | '#' | '0'..='9') {
                break;
            }
        }
    }
    (has_day && has_month).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::day_and_month_exchanged;

    #[test]
    fn day_and_month_change_places() {
        for (pattern, other) in [
            ("%d/%m/%Y", Some("%m/%d/%Y")),
            ("%m/%d/%y %H:%M", Some("%d/%m/%y %H:%M")),
            ("%-d.%-m.%Y", Some("%-m.%-d.%Y")),
            ("%Y%m%e", Some("%Y%d%m")),
            // Months by name, and days of the year, cannot be exchanged.
            ("%d %b %Y", None),
            ("%Y-%j", None),
            ("%Y-%m", None),
            ("", None),
        ] {
            assert_eq!(day_and_month_exchanged(pattern).as_deref(), other, "{pattern}");
        }
    }
}
