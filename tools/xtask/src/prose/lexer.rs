//! The comments and string literals of Rust code, without a parser: of any edition, and of code that does not compile.

/// A comment or string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    pub kind: Kind,
    /// Without slashes or quotes; escapes are as written.
    pub text: &'a str,
    /// The line of its first character, from 1.
    pub line: usize,
    /// Whether code precedes it in its line.
    pub is_trailing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `//`
    Line,
    /// `///`
    OuterDoc,
    /// `//!`
    InnerDoc,
    /// `/* */`, `/** */` and `/*! */`
    Block,
    /// A string literal with escapes.
    Text,
    /// A string literal without escapes.
    RawText,
}

/// The pieces of a file, and its code: the same bytes with blanks in place of comments and the contents of literals.
pub fn lex(source: &str) -> (Vec<Piece<'_>>, String) {
    let mut lexer = Lexer { source, at: 0, line: 1, line_start: 0, pieces: Vec::new(), code: String::new() };
    lexer.run();
    (lexer.pieces, lexer.code)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    /// The position in `code` at which the line begins.
    line_start: usize,
    pieces: Vec<Piece<'a>>,
    code: String,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            match next {
                '/' if self.rest().starts_with("//") => self.line_comment(),
                '/' if self.rest().starts_with("/*") => self.block_comment(),
                '"' => self.text(),
                '\'' => self.character_or_lifetime(),
                _ if next.is_alphanumeric() || next == '_' => self.word(),
                _ => self.keep(next.len_utf8()),
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Copies this many bytes to the code.
    fn keep(&mut self, bytes: usize) {
        for next in self.rest()[..bytes].chars() {
            self.code.push(next);
            self.count_line(next);
        }
        self.at += bytes;
    }

    /// Leaves this many bytes out of the code; only ends of lines remain.
    fn blank(&mut self, bytes: usize) {
        for next in self.rest()[..bytes].chars() {
            if next == '\n' {
                self.code.push('\n');
            } else {
                self.code.extend(std::iter::repeat_n(' ', next.len_utf8()));
            }
            self.count_line(next);
        }
        self.at += bytes;
    }

    fn count_line(&mut self, next: char) {
        if next == '\n' {
            self.line += 1;
            self.line_start = self.code.len();
        }
    }

    fn push(&mut self, kind: Kind, text: &'a str) {
        let is_trailing = !self.code[self.line_start..].trim().is_empty();
        self.pieces.push(Piece { kind, text, line: self.line, is_trailing });
    }

    fn line_comment(&mut self) {
        let end = self.rest().find('\n').unwrap_or(self.rest().len());
        let comment = &self.rest()[..end];
        let (kind, text) = match comment.as_bytes() {
            [_, _, b'/', b'/', ..] => (Kind::Line, comment.trim_start_matches('/')),
            [_, _, b'/', ..] => (Kind::OuterDoc, &comment[3..]),
            [_, _, b'!', ..] => (Kind::InnerDoc, &comment[3..]),
            _ => (Kind::Line, &comment[2..]),
        };
        self.push(kind, text);
        self.blank(end);
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let rest = self.rest();
        let (mut depth, mut end) = (0_usize, 0);
        while end < rest.len() {
            let tail = &rest.as_bytes()[end..];
            if tail.starts_with(b"/*") {
                depth += 1;
                end += 2;
            } else if tail.starts_with(b"*/") {
                depth -= 1;
                end += 2;
                if depth == 0 {
                    break;
                }
            } else {
                end += 1;
            }
        }
        let text = &rest[2..end];
        self.push(Kind::Block, text.strip_suffix("*/").unwrap_or(text));
        self.blank(end);
    }

    /// An identifier, a number, or the prefix of a literal: `r`, `b`, `br`, `c`, `cr`.
    fn word(&mut self) {
        let rest = self.rest();
        let end = rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        self.keep(end);
        let hashes = tail.bytes().take_while(|byte| *byte == b'#').count();
        match word {
            "r" | "br" | "cr" if tail[hashes..].starts_with('"') => {
                self.keep(hashes);
                self.raw_text(hashes);
            }
            // Otherwise the quote of `b'a'`, `b"a"` or `c"a"` comes next in the loop.
            _ => {}
        }
    }

    fn raw_text(&mut self, hashes: usize) {
        let end = format!("\"{}", "#".repeat(hashes));
        let inside = &self.rest()[1..];
        let length = inside.find(&end).unwrap_or(inside.len());
        self.push(Kind::RawText, &inside[..length]);
        self.keep(1);
        self.blank(length);
        self.keep(end.len().min(self.rest().len()));
    }

    /// A string literal with escapes.
    fn text(&mut self) {
        let inside = &self.rest()[1..];
        let bytes = inside.as_bytes();
        let mut length = 0;
        while length < bytes.len() && bytes[length] != b'"' {
            length += if bytes[length] == b'\\' { 2 } else { 1 };
        }
        let length = inside.ceil_char_boundary(length);
        self.push(Kind::Text, &inside[..length]);
        self.keep(1);
        self.blank(length);
        self.keep(1.min(self.rest().len()));
    }

    /// `'a'` and `'\n'` are literals; `'a` is a lifetime.
    fn character_or_lifetime(&mut self) {
        let inside = &self.rest()[1..];
        let mut characters = inside.char_indices();
        let length = match characters.next() {
            Some((_, '\\')) => inside.get(2..).and_then(|tail| tail.find('\'')).map(|end| end + 2),
            Some((_, first)) if first != '\'' => {
                characters.next().filter(|(_, second)| *second == '\'').map(|(end, _)| end)
            }
            _ => None,
        };
        self.keep(1);
        if let Some(length) = length {
            self.blank(length);
            self.keep(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(source: &str) -> Vec<(Kind, &str)> {
        lex(source).0.into_iter().map(|piece| (piece.kind, piece.text)).collect()
    }

    #[test]
    fn comments_have_their_kind_and_line() {
        let source = "//! a\n/// b\n// c\n//// d\nlet x = 1; // e\n/* f /* g */ h */ let y = 2;";
        let found: Vec<_> = lex(source).0.into_iter().map(|p| (p.kind, p.text, p.line, p.is_trailing)).collect();
        assert_eq!(
            found,
            [
                (Kind::InnerDoc, " a", 1, false),
                (Kind::OuterDoc, " b", 2, false),
                (Kind::Line, " c", 3, false),
                (Kind::Line, " d", 4, false),
                (Kind::Line, " e", 5, true),
                (Kind::Block, " f /* g */ h ", 6, false),
            ]
        );
    }

    #[test]
    fn slashes_and_quotes_inside_of_literals_are_text() {
        assert_eq!(
            pieces(r#"let a = "// no \" // no"; // yes"#),
            [(Kind::Text, r#"// no \" // no"#), (Kind::Line, " yes")]
        );
        assert_eq!(
            pieces("let a = r#\"a \" // b\"#; br\"\\\"; // c"),
            [(Kind::RawText, "a \" // b"), (Kind::RawText, "\\"), (Kind::Line, " c")]
        );
        assert_eq!(pieces("let r#type = 1; // c"), [(Kind::Line, " c")]);
        assert_eq!(pieces("b\"x\" c\"y\""), [(Kind::Text, "x"), (Kind::Text, "y")]);
    }

    #[test]
    fn characters_and_lifetimes_differ() {
        let source = "fn f<'a>(x: &'a str) { ['\"', '\\'', '/', b'\"', '\\u{2F}', 'é']; } // c";
        assert_eq!(pieces(source), [(Kind::Line, " c")]);
    }

    #[test]
    fn unfinished_literals_and_comments_end_with_the_file() {
        assert_eq!(pieces("\"a\\"), [(Kind::Text, "a\\")]);
        assert_eq!(pieces("/* a"), [(Kind::Block, " a")]);
        assert_eq!(pieces("r#\"a"), [(Kind::RawText, "a")]);
        assert_eq!(pieces("'"), []);
    }

    #[test]
    fn code_keeps_its_bytes_and_lines() {
        let source = "let é = \"ü\nv\"; // w\nx('y', r\"z\");";
        let code = lex(source).1;
        assert_eq!(code.len(), source.len());
        assert_eq!(code, "let é = \"  \n \";     \nx(' ', r\" \");");
    }
}
