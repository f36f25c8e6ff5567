//! LIKE: patterns of limited length, matched in a limited number of steps.

use std::hash::{Hash, Hasher};

/// Most characters of a pattern.
pub const MOST_CHARACTERS: usize = 200;

/// A pattern of LIKE or ILIKE.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: Box<str>,
    escape: char,
    ignore_case: bool,
    tokens: Vec<Token>,
    shape: Shape,
}

/// An invalid pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// More than 200 characters.
    TooLong,
    /// The pattern ends in an escape character.
    EndsInEscape,
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLong => write!(f, "a pattern of more than {MOST_CHARACTERS} characters"),
            Self::EndsInEscape => f.write_str("a pattern that ends in its escape character"),
        }
    }
}

impl std::error::Error for PatternError {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Any,
    One,
    Exactly(char),
}

/// Patterns with a faster match in the standard library.
#[derive(Debug, Clone)]
enum Shape {
    Equal(Box<str>),
    Begins(Box<str>),
    Ends(Box<str>),
    Contains(Box<str>),
    General,
}

// The shape follows from the other fields.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.escape, self.ignore_case) == (&other.text, other.escape, other.ignore_case)
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.text, self.escape, self.ignore_case).hash(state);
    }
}

impl Pattern {
    /// Parses a pattern; without `escape` the escape character is a backslash.
    ///
    /// # Errors
    /// When it is too long, or ends in an escape character.
    pub fn new(text: &str, escape: Option<char>, ignore_case: bool) -> Result<Self, PatternError> {
        let escape = escape.unwrap_or('\\');
        if text.chars().nth(MOST_CHARACTERS).is_some() {
            return Err(PatternError::TooLong);
        }
        let mut tokens = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let token = if character == escape {
                Token::Exactly(characters.next().ok_or(PatternError::EndsInEscape)?)
            } else {
                match character {
                    '%' => Token::Any,
                    '_' => Token::One,
                    other => Token::Exactly(other),
                }
            };
            match token {
                Token::Any if tokens.last() == Some(&Token::Any) => {}
                Token::Exactly(character) if ignore_case => tokens.push(Token::Exactly(small(character))),
                token => tokens.push(token),
            }
        }
        let shape = if ignore_case { Shape::General } else { shape(&tokens) };
        Ok(Self { text: text.into(), escape, ignore_case, tokens, shape })
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The escape character.
    #[must_use]
    pub fn escape(&self) -> char {
        self.escape
    }

    /// Whether it is a pattern of ILIKE.
    #[must_use]
    pub fn ignores_case(&self) -> bool {
        self.ignore_case
    }

    /// Whether a text matches.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match &self.shape {
            Shape::Equal(all) => text == &**all,
            Shape::Begins(begin) => text.starts_with(&**begin),
            Shape::Ends(end) => text.ends_with(&**end),
            Shape::Contains(part) => text.contains(&**part),
            Shape::General => self.search(text, || ()),
        }
    }

    /// Matches greedily and backtracks to the last `%` only: each character of the text is compared with each character
    /// of the pattern at most once.
    fn search(&self, text: &str, mut step: impl FnMut()) -> bool {
        let mut characters = text.chars();
        let mut tokens = self.tokens.iter();
        // The position after the last `%`, and the end of the text that it matches so far.
        let mut retry = None;
        loop {
            match tokens.as_slice().first() {
                None if characters.as_str().is_empty() => return true,
                None => {}
                Some(Token::Any) => {
                    tokens.next();
                    if tokens.as_slice().is_empty() {
                        return true;
                    }
                    retry = Some((tokens.clone(), characters.clone()));
                    continue;
                }
                Some(token) => {
                    let mut rest = characters.clone();
                    // The rest of the pattern needs at least one more character.
                    let Some(character) = rest.next() else { return false };
                    step();
                    let fits = match token {
                        Token::Exactly(wanted) if self.ignore_case => small(character) == *wanted,
                        Token::Exactly(wanted) => character == *wanted,
                        Token::One | Token::Any => true,
                    };
                    if fits {
                        characters = rest;
                        tokens.next();
                        continue;
                    }
                }
            }
            let Some((after, from)) = &mut retry else { return false };
            if from.next().is_none() {
                return false;
            }
            (tokens, characters) = (after.clone(), from.clone());
        }
    }
}

/// The lower-case letter of a character, if that is a single character.
fn small(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut letters = character.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => character,
    }
}

fn shape(tokens: &[Token]) -> Shape {
    let exactly = |tokens: &[Token]| -> Option<Box<str>> {
        let characters = tokens.iter().map(|token| match token {
            Token::Exactly(character) => Some(*character),
            Token::Any | Token::One => None,
        });
        characters.collect::<Option<String>>().map(Into::into)
    };
    let found = match tokens {
        [Token::Any, middle @ .., Token::Any] => exactly(middle).map(Shape::Contains),
        [begin @ .., Token::Any] => exactly(begin).map(Shape::Begins),
        [Token::Any, end @ ..] => exactly(end).map(Shape::Ends),
        all => exactly(all).map(Shape::Equal),
    };
    found.unwrap_or(Shape::General)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str) -> bool {
        Pattern::new(pattern, None, false).unwrap().matches(text)
    }

    #[test]
    fn examples() {
        for (text, pattern, expected) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("abc", "abc", true),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "%b%", true),
            ("abc", "%%", true),
            ("abc", "_b_", true),
            ("abc", "_b", false),
            ("abcabd", "%ab_", true),
            ("abcabd", "a%b%d", true),
            ("aab", "%ab", true),
            ("a%b", "a\\%b", true),
            ("axb", "a\\%b", false),
            ("a\\b", "a\\\\b", true),
            ("\\", "\\\\", true),
            ("e\u{301}", "_", false),
            ("e\u{301}", "__", true),
            ("ABC", "abc", false),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} {pattern}");
        }
    }

    #[test]
    fn small_letters_of_single_characters() {
        let ilike = |text: &str, pattern: &str| Pattern::new(pattern, None, true).unwrap().matches(text);
        assert!(ilike("ÄÖÜ", "äöü") && ilike("straße", "STRAßE") && ilike("Kelvin", "KELVIN"));
        // The lower case is two characters: unchanged. The final sigma is a different lower-case letter.
        assert!(!ilike("\u{130}", "i%") && ilike("\u{130}", "\u{130}") && !ilike("ς", "Σ") && ilike("Σ", "σ"));
        assert!(!ilike("STRASSE", "straße"));
    }

    #[test]
    fn escapes_and_limits() {
        assert_eq!(Pattern::new("a\\", None, false), Err(PatternError::EndsInEscape));
        assert_eq!(Pattern::new("a!", Some('!'), false), Err(PatternError::EndsInEscape));
        assert!(Pattern::new("a\\", Some('!'), false).unwrap().matches("a\\"));
        assert!(Pattern::new("a!!", Some('!'), false).unwrap().matches("a!"));
        assert!(Pattern::new("%%a", Some('%'), false).unwrap().matches("%a"));
        assert!(Pattern::new(&"ä".repeat(200), None, false).is_ok());
        assert_eq!(Pattern::new(&"_".repeat(201), None, false), Err(PatternError::TooLong));
        assert_eq!(Pattern::new("x", None, false), Pattern::new("x", Some('\\'), false));
        assert_ne!(Pattern::new("x", None, false), Pattern::new("x", None, true));
    }

    #[test]
    fn at_most_text_times_pattern_steps() {
        let all_of = |letters: &[char], most: usize| {
            let mut texts = vec![String::new()];
            let mut begin = 0;
            for _ in 0..most {
                let end = texts.len();
                for number in begin..end {
                    let begin = texts[number].clone();
                    texts.extend(letters.iter().map(|letter| format!("{begin}{letter}")));
                }
                begin = end;
            }
            texts
        };
        let texts = all_of(&['a', 'b'], 6);
        let mut seen = 0;
        for written in all_of(&['a', 'b', '%', '_'], 5) {
            let pattern = Pattern::new(&written, None, false).unwrap();
            for text in &texts {
                let mut steps = 0;
                let found = pattern.search(text, || steps += 1);
                assert_eq!(found, pattern.matches(text), "{written} {text}");
                assert_eq!(found, by_table(&pattern.tokens, text), "{written} {text}");
                assert!(steps <= text.len() * written.len(), "{written} {text}: {steps}");
                seen += 1;
            }
        }
        assert!(seen > 100_000);
        let text = "a".repeat(crate::LONGEST_TEXT);
        for written in ["%a%a%a%a%a%a%a%a%a%b".to_owned(), format!("%{}b", "a".repeat(150)), "_%".repeat(100) + "b"] {
            let pattern = Pattern::new(&written, None, false).or_else(|_| Pattern::new("%", None, false)).unwrap();
            let mut steps = 0;
            pattern.search(&text, || steps += 1);
            assert!(steps <= text.len() * written.len(), "{steps}");
        }
    }

    /// By definition: which prefixes of the text match which prefixes of the pattern.
    fn by_table(tokens: &[Token], text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let mut fits = vec![false; text.len() + 1];
        fits[0] = true;
        for token in tokens {
            let mut next = vec![false; text.len() + 1];
            for end in 0..=text.len() {
                next[end] = match token {
                    Token::Any => fits[..=end].contains(&true),
                    Token::One => end > 0 && fits[end - 1],
                    Token::Exactly(wanted) => end > 0 && fits[end - 1] && text[end - 1] == *wanted,
                };
            }
            fits = next;
        }
        fits[text.len()]
    }
}
