//! Identifiers in text, by the rule of `cargo xtask theorems`.
//!
//! `B-3n`, `C-1`, `E-1`: one of the letters B, C, E, G and A, one or two digits, perhaps a small letter. `F-DI2`, `M-GEO`,
//! `S-CAP`: a letter, two or more capitals, perhaps one small letter or digit. `[a,b]` may follow. A text in backticks
//! that is one word of small letters and hyphens is the identifier of a notion.

/// Every identifier that a text cites.
#[must_use]
pub fn cited(text: &str) -> Vec<String> {
    let mut found: Vec<String> = quoted(text).map(str::to_owned).collect();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let starts = !before.is_alphanumeric() && before != '-' && before != '_' && before != '`';
        if let Some((id, after)) = leading(rest).filter(|_| starts) {
            found.push(id);
            before = ' ';
            rest = after;
        } else {
            before = c;
            rest = &rest[c.len_utf8()..];
        }
    }
    found.dedup();
    found
}

/// Texts between backticks that could be identifiers; code (`R = 3`) is none.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let name = |text: &&str| {
        !text.is_empty()
            && text.len() > 1
            && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '[' || c == ']' || c == ',')
    };
    text.split('`').skip(1).step_by(2).filter(name)
}

fn leading(text: &str) -> Option<(String, &str)> {
    let kind = text.chars().next()?;
    let tail = text.get(1..)?.strip_prefix('-')?;
    let (run, least, most): (fn(char) -> bool, usize, usize) = match kind {
        'B' | 'C' | 'E' | 'G' | 'A' => (|c| c.is_ascii_digit(), 1, 2),
        'F' | 'S' | 'M' | 'I' => (|c| c.is_ascii_uppercase(), 2, usize::MAX),
        _ => return None,
    };
    let length = tail.find(|c| !run(c)).unwrap_or(tail.len());
    if !(least..=most).contains(&length) {
        return None;
    }
    let last = tail[length..].chars().next().filter(|c| c.is_lowercase() || (least == 2 && c.is_ascii_digit()));
    let length = length + last.map_or(0, char::len_utf8);
    let (tail, rest) = tail.split_at(length);
    if rest.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let id = match tail.strip_prefix("NI") {
        Some(size) if kind == 'F' && size.chars().all(|c| c.is_ascii_digit()) => "F-NIk".to_owned(),
        _ => format!("{kind}-{tail}"),
    };
    Some(match rest.strip_prefix("[a,b]") {
        Some(rest) => (id + "[a,b]", rest),
        None => (id, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found() {
        let text = "By B-3n and F-DB[a,b], F-DFβ (M-GEO); F-NI3 is one, UTF-8 and P-7 are none. `rho-m`, `R = 3`.";
        assert_eq!(cited(text), ["rho-m", "B-3n", "F-DB[a,b]", "F-DFβ", "M-GEO", "F-NIk"]);
    }
}
