//! The syntax of identifiers of `docs/theorems` and `docs/notions`.
//!
//! The rule is narrow so that `UTF-8`, `A-Z` or a patient called `P-7` do not match:
//!
//! - `B`, `C`, `E`, `G` or `A`, a hyphen, one or two digits, optionally one small letter: `B-3`, `B-3n`;
//! - `F`, `S`, `M`, `I` or `X`, a hyphen, two or more capitals, optionally one small letter or digit: `F-DI2`, `F-DCm`,
//!   `S-CAP`;
//! - either may be followed by `[a,b]`, for the form with bounded priors: `F-DI[a,b]`;
//! - `P-1`, the only theorem about the protocol;
//! - a paper, a hyphen and its own number of a statement: `LQS13-3.2`, `THHA15-L3`, `ABDI-T1`, `LXL-8`.
//!
//! `F-NI3` is an instance of `F-NIk`. The character before an identifier is not a letter, digit, hyphen or underscore,
//! and the character after it is not a letter, digit or underscore.
//!
//! In `docs/notions`, a single word in backticks is an identifier too: `rho-m`.

/// The papers whose numbered statements have entries.
const PAPERS: [&str; 4] = ["LQS13-", "THHA15-", "ABDI-", "LXL-"];

/// The identifier at the start of `text`, in the spelling of its entry, and the rest of the text.
#[must_use]
pub fn leading(text: &str) -> Option<(String, &str)> {
    of_paper(text).or_else(|| of_project(text))
}

fn of_paper(text: &str) -> Option<(String, &str)> {
    let paper = PAPERS.iter().find(|paper| text.starts_with(**paper))?;
    let tail = &text[paper.len()..];
    let letter = one(tail, 0, |c| c.is_ascii_uppercase());
    let digits = run(&tail[letter..], |c| c.is_ascii_digit() || c == '.');
    let number = tail[letter..letter + digits].trim_end_matches('.');
    let (id, rest) = text.split_at(paper.len() + letter + number.len());
    let whole = !number.is_empty() && !rest.chars().next().is_some_and(is_word);
    whole.then(|| (id.to_owned(), rest))
}

fn of_project(text: &str) -> Option<(String, &str)> {
    let prefix = text.chars().next()?;
    let tail = text.get(1..)?.strip_prefix('-')?;
    let is_named = tail.starts_with(|c: char| c.is_ascii_uppercase());
    let length = match prefix {
        // Goals have names, theorems on genomes have numbers.
        'B' | 'C' | 'E' | 'A' | 'G' if !is_named => {
            let digits = run(tail, |c| c.is_ascii_digit());
            if !(1..=2).contains(&digits) {
                return None;
            }
            digits + one(tail, digits, |c| c.is_ascii_lowercase())
        }
        'F' | 'S' | 'M' | 'I' | 'X' | 'G' => {
            let capitals = run(tail, |c| c.is_ascii_uppercase());
            if capitals < 2 {
                return None;
            }
            capitals + one(tail, capitals, |c| c.is_lowercase() || c.is_ascii_digit())
        }
        'P' if tail.starts_with('1') => 1,
        _ => return None,
    };
    let (tail, rest) = tail.split_at(length);
    if rest.chars().next().is_some_and(is_word) {
        return None;
    }
    let id = match tail.strip_prefix("NI") {
        Some(size) if prefix == 'F' && size.chars().all(|c| c.is_ascii_digit()) => "F-NIk".to_owned(),
        _ => format!("{prefix}-{tail}"),
    };
    Some(match rest.strip_prefix("[a,b]") {
        Some(rest) => (id + "[a,b]", rest),
        None => (id, rest),
    })
}

/// The number of leading bytes that satisfy the condition.
fn run(text: &str, wanted: fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

/// The length of the one character at `from` if it satisfies the condition, otherwise 0.
fn one(text: &str, from: usize, wanted: fn(char) -> bool) -> usize {
    text.get(from..).and_then(|rest| rest.chars().next()).filter(|c| wanted(*c)).map_or(0, char::len_utf8)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every identifier in a piece of prose.
#[must_use]
pub fn within(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((id, after)) = leading(rest).filter(|_| !is_word(before) && before != '-') {
            found.push(id);
            before = ' ';
            rest = after;
        } else {
            before = c;
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// Every identifier that a page of `docs/notions` cites, those in backticks first.
#[must_use]
pub fn cited(text: &str) -> Vec<String> {
    let mut found: Vec<String> = quoted(text).map(str::to_owned).collect();
    let prose: Vec<&str> = text.split('`').step_by(2).collect();
    found.extend(within(&prose.join(" ")));
    found.dedup();
    found
}

/// Texts between backticks that can be identifiers, unlike code such as `R = 3`.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let name = |text: &&str| {
        !text.is_empty()
            && text.len() > 1
            && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '[' || c == ']' || c == ',')
    };
    text.split('`').skip(1).step_by(2).filter(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_identifier_is_parsed() {
        let text = "B-3, B-3n; F-DI2 and F-DFβ (F-DCm), S-CAP. M-GEO's F-NIk F-NI3 F-NI F-DI[a,b] F-DB[1/5,1/2] E-10";
        let ids = "B-3 B-3n F-DI2 F-DFβ F-DCm S-CAP M-GEO F-NIk F-NIk F-NIk F-DI[a,b] F-DB E-10";
        assert_eq!(within(text).join(" "), ids);
        assert_eq!(within("B-1..B-6"), ["B-1", "B-6"]);
        assert_eq!(within("LQS13-3.2. THHA15-L3, ABDI-T1 (LXL-8)"), ["LQS13-3.2", "THHA15-L3", "ABDI-T1", "LXL-8"]);
    }

    #[test]
    fn similar_texts_are_not_identifiers() {
        for text in [
            "UTF-8", "[A-Z]", "P-00017", "XB-3", "B-x", "B-123", "S-a", "S-Add", "_B-3", "1e-B-3", "B-3_x", "B-3nn",
            "-B-3", "LQS13", "LQS13-", "LQS13-x", "XLXL-8",
        ] {
            assert_eq!(within(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn identifiers_are_found() {
        let text = "By B-3n and F-DB[a,b], F-DFβ (M-GEO); F-NI3 is one, UTF-8 and P-7 are not. `rho-m`, `R = 3`.";
        assert_eq!(cited(text), ["rho-m", "B-3n", "F-DB[a,b]", "F-DFβ", "M-GEO", "F-NIk"]);
    }
}
