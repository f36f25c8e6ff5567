//! Where a question ends: at a semicolon that is neither quoted nor in a comment.

/// What the beginning of a typed text is.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// Spaces, comments and stray semicolons.
    Nothing,
    /// A whole question, without its semicolon.
    Query(String),
    /// A line that begins with a backslash.
    Command(String),
    /// A question that goes on in the next line.
    Unfinished,
}

/// Takes what stands first in a text of whole lines, and leaves what follows it.
///
/// A line that ends in `;` ends a question also where a quote is still open: the quote was forgotten, and a question
/// that never ends would swallow all that is typed after it.
pub fn take(text: &mut String) -> Input {
    let start = blank(text);
    text.drain(..start);
    if text.is_empty() {
        return Input::Nothing;
    }
    if text.starts_with('\\') {
        let end = text.find('\n').map_or(text.len(), |end| end + 1);
        let line: String = text.drain(..end).collect();
        return Input::Command(line.trim().to_owned());
    }
    let end = match semicolon(text) {
        Semicolon::At(end) => end,
        Semicolon::InQuotes if text.trim_end().ends_with(';') => text.trim_end().len() - 1,
        Semicolon::InQuotes | Semicolon::Nowhere => return Input::Unfinished,
    };
    let question: String = text.drain(..=end).collect();
    Input::Query(question[..end].to_owned())
}

/// How many bytes at the beginning ask nothing.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
        let comment = comment(&rest[skipped..]);
        // A comment that is not closed yet belongs to what is still to come.
        match comment {
            Some(Some(length)) => at += skipped + length,
            Some(None) | None => return at + skipped,
        }
    }
}

/// The bytes of the comment that a text begins with, if it does; `Some(None)` where that is not closed.
fn comment(text: &str) -> Option<Option<usize>> {
    if text.starts_with("--") {
        return Some(Some(text.find('\n').map_or(text.len(), |end| end + 1)));
    }
    let inner = text.strip_prefix("/*")?;
    // Comments nest, as they do for the parser.
    let (mut open, mut at) = (1_usize, 0);
    while let Some(next) = inner.get(at..).and_then(|rest| rest.find(['*', '/']).map(|found| at + found)) {
        match inner.get(next..next + 2) {
            Some("/*") => (open, at) = (open + 1, next + 2),
            Some("*/") => (open, at) = (open - 1, next + 2),
            _ => at = next + 1,
        }
        if open == 0 {
            return Some(Some(at + 2));
        }
    }
    Some(None)
}

/// Where the first semicolon stands.
enum Semicolon {
    At(usize),
    /// A quote is open at the end.
    InQuotes,
    Nowhere,
}

fn semicolon(text: &str) -> Semicolon {
    let mut at = 0;
    while let Some(found) = text[at..].find(['\'', '"', '`', ';', '-', '/']) {
        at += found;
        let rest = &text[at..];
        if rest.starts_with(';') {
            return Semicolon::At(at);
        }
        if let Some(length) = comment(rest) {
            let Some(length) = length else { return Semicolon::Nowhere };
            at += length;
        } else if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '\'' | '"' | '`')) {
            // A doubled quote inside quotes reads as the end of one text and the beginning of another, which ends at the same place.
            let Some(length) = rest[1..].find(quote) else { return Semicolon::InQuotes };
            at += length + 2;
        } else {
            at += 1;
        }
    }
    Semicolon::Nowhere
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that is typed, a word for each.
    fn all(text: &str) -> Vec<String> {
        let mut rest = text.to_owned();
        let mut all = Vec::new();
        loop {
            match take(&mut rest) {
                Input::Nothing => return all,
                Input::Query(sql) => all.push(sql),
                Input::Command(line) => all.push(line),
                Input::Unfinished => {
                    all.push(format!("... {rest}"));
                    return all;
                }
            }
        }
    }

    #[test]
    fn questions_end_at_their_semicolons() {
        assert_eq!(all("a; b;\n"), ["a", "b"]);
        assert_eq!(all("a;\\left\nb"), ["a", "\\left", "... b"]);
        assert_eq!(all(" ;; \n a\n  b ; \n"), ["a\n  b "]);
        assert_eq!(all("a -- no; end\n; -- the end;\n/* ; /* ; */ */ b;"), ["a -- no; end\n", "b"]);
        assert_eq!(all("'a;b' \"c;d\" `e;f` 'it''s;' - 1 / 2;"), ["'a;b' \"c;d\" `e;f` 'it''s;' - 1 / 2"]);
        assert_eq!(all("ö; 'ö'; /*ö*/ ü;"), ["ö", "'ö'", "ü"]);
    }

    #[test]
    fn a_forgotten_quote_ends_with_its_line() {
        assert_eq!(all("a = 'F;\n"), ["a = 'F"]);
        assert_eq!(all("a = 'F\n"), ["... a = 'F\n"]);
        assert_eq!(all("a /* ;\n"), ["... a /* ;\n"]);
        assert_eq!(all("/* open"), ["... /* open"]);
    }
}
