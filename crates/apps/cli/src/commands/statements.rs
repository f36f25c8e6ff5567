//! Splits typed text into queries, which end at a semicolon that is neither quoted nor in a comment.

/// First element of a typed text.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// Spaces, comments and stray semicolons.
    Nothing,
    /// A whole query, without its semicolon.
    Query(String),
    /// A line that begins with a backslash.
    Command(String),
    /// A query that continues in the next line.
    Unfinished,
}

/// Removes the first element of a text of whole lines and returns it.
///
/// A line that ends in `;` ends a query even if a quote is still open: the closing quote was forgotten, and otherwise
/// the query would swallow all later input.
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

/// The number of bytes of leading spaces, semicolons and comments.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
        let comment = comment(&rest[skipped..]);
        // An unclosed comment may be closed by later lines.
        match comment {
            Some(Some(length)) => at += skipped + length,
            Some(None) | None => return at + skipped,
        }
    }
}

/// The length in bytes of a comment at the start of a text; `Some(None)` if it is not closed.
fn comment(text: &str) -> Option<Option<usize>> {
    if text.starts_with("--") {
        return Some(Some(text.find('\n').map_or(text.len(), |end| end + 1)));
    }
    let inner = text.strip_prefix("/*")?;
    // Comments nest, as in the SQL parser.
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

/// Position of the first semicolon.
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
            // A doubled quote inside quotes is handled as two adjacent quoted texts, which end at the same place.
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

    /// All elements of a text; `...` marks an unfinished query.
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
    fn queries_end_at_their_semicolons() {
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
