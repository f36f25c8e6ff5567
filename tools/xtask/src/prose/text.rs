//! Prose in blocks: paragraphs, list items, headings and cells of tables, without code.

use super::lexer::{Kind, Piece};

/// A piece of prose that sentences do not cross.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// As written, in one line.
    pub shown: String,
    /// The same bytes, with `_` inside of code and links' targets.
    pub masked: String,
    pub is_heading: bool,
    /// Whether it is a string literal's.
    pub is_message: bool,
    /// The positions in the text at which lines begin, and the numbers of these lines.
    lines: Vec<(usize, usize)>,
}

impl Block {
    /// The number of the line that contains this position.
    pub fn line(&self, position: usize) -> usize {
        self.lines.iter().rev().find(|(start, _)| *start <= position).map_or(0, |(_, line)| *line)
    }

    /// Words of the text; a code span is one.
    pub fn words(&self) -> usize {
        let mut words = 0;
        let mut characters = self.masked.chars().peekable();
        while let Some(next) = characters.next() {
            if next.is_alphabetic() {
                words += 1;
                while characters.next_if(|c| c.is_alphanumeric() || ['\'', '’', '-', '_'].contains(c)).is_some() {}
            } else if next == '`' {
                words += 1;
                while characters.next_if(|c| *c == '_').is_some() {}
                characters.next_if(|c| *c == '`');
            }
        }
        words
    }
}

/// Prose of comments. Consecutive lines of one kind of comment are one text.
pub fn of_comments(pieces: &[Piece<'_>]) -> Vec<Block> {
    let mut blocks = Blocks::default();
    let mut previous: Option<(Kind, usize)> = None;
    for piece in pieces.iter().filter(|piece| !matches!(piece.kind, Kind::Text | Kind::RawText)) {
        let continues = !piece.is_trailing && previous == Some((piece.kind, piece.line.saturating_sub(1)));
        if !continues || piece.kind == Kind::Block {
            blocks.end();
        }
        for (number, line) in piece.text.lines().enumerate() {
            let line = if piece.kind == Kind::Block { line.trim_start_matches([' ', '*', '!']) } else { line };
            blocks.line(piece.line + number, line);
        }
        if piece.text.is_empty() {
            blocks.line(piece.line, "");
        }
        previous = (!piece.is_trailing).then_some((piece.kind, piece.line));
    }
    blocks.finish()
}

/// Prose of a document in Markdown.
pub fn of_document(text: &str) -> Vec<Block> {
    let mut blocks = Blocks::default();
    text.lines().enumerate().for_each(|(number, line)| blocks.line(number + 1, line));
    blocks.finish()
}

/// Prose of string literals that are sentences: at least three words, without SQL and regular expressions.
/// Placeholders are code.
pub fn of_messages<'a>(pieces: impl Iterator<Item = &'a Piece<'a>>) -> Vec<Block> {
    const CODE: [&str; 10] =
        ["SELECT ", "INSERT ", "CREATE ", "UPDATE ", "DELETE ", "WHERE ", " FROM ", "PRAGMA ", "(?:", "(?i)"];
    let mut all = Vec::new();
    for piece in pieces.filter(|piece| matches!(piece.kind, Kind::Text | Kind::RawText)) {
        if CODE.iter().any(|word| piece.text.contains(word)) {
            continue;
        }
        let mut blocks = Blocks::default();
        let text = piece.text.replace("\\\"", "\"").replace("\\n\\", "\\n");
        for (number, line) in text.lines().enumerate() {
            for line in line.strip_suffix('\\').unwrap_or(line).split("\\n") {
                blocks.line(piece.line + number, &with_placeholders_as_code(line));
            }
        }
        let sentences = blocks.finish().into_iter().filter(|block| block.words() >= 3);
        all.extend(sentences.map(|block| Block { is_message: true, ..block }));
    }
    all
}

fn with_placeholders_as_code(message: &str) -> String {
    message.replace("{{", "(").replace("}}", ")").replace("{}", "`_`").replace(['{', '}'], "`")
}

#[derive(Debug, Default)]
struct Blocks {
    done: Vec<Block>,
    /// The lines of the present block, with their numbers.
    current: Vec<(usize, String)>,
    is_code: bool,
}

impl Blocks {
    fn line(&mut self, number: usize, line: &str) {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            self.flush(false);
            self.is_code = !self.is_code;
        } else if self.is_code {
        } else if line.is_empty() || line.starts_with("<!--") {
            self.flush(false);
        } else if line.starts_with("# ") || line.starts_with("##") {
            self.flush(false);
            self.current.push((number, line.trim_start_matches('#').trim().to_owned()));
            self.flush(true);
        } else if line.starts_with('|') {
            self.flush(false);
            self.row(number, line);
        } else if let Some(item) = item(line) {
            self.flush(false);
            self.current.push((number, item.to_owned()));
        } else {
            self.current.push((number, line.trim_start_matches("> ").to_owned()));
        }
    }

    /// Each cell of a table is a block.
    fn row(&mut self, number: usize, line: &str) {
        let masked = mask(line).replace("\\|", "__");
        let mut start = 0;
        for cell in masked.split('|') {
            let end = start + cell.len();
            let shown = &line[start..end];
            if shown.contains(|c: char| c.is_alphabetic()) {
                self.current.push((number, shown.trim().to_owned()));
                self.flush(false);
            }
            start = end + 1;
        }
    }

    /// Ends a text: code that was not ended before ends with it.
    fn end(&mut self) {
        self.flush(false);
        self.is_code = false;
    }

    fn flush(&mut self, is_heading: bool) {
        if self.current.is_empty() {
            return;
        }
        let (mut shown, mut lines) = (String::new(), Vec::new());
        for (number, line) in self.current.drain(..) {
            if !shown.is_empty() {
                shown.push(' ');
            }
            lines.push((shown.len(), number));
            shown.push_str(&line);
        }
        let masked = mask(&shown);
        self.done.push(Block { shown, masked, is_heading, is_message: false, lines });
    }

    fn finish(mut self) -> Vec<Block> {
        self.end();
        self.done
    }
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
    bullet.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        line[digits..].strip_prefix(". ").filter(|_| digits > 0)
    })
}

/// Text of the same length with `_` in place of the contents of code spans and of the targets of links.
fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (kept, hidden) = if next == '`' {
            let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
            let length = rest[ticks..].find(&rest[..ticks]);
            length.map_or((ticks, 0), |length| (ticks, length))
        } else if let Some(target) = rest.strip_prefix("](") {
            (2, target.find(')').unwrap_or(0))
        } else if rest.starts_with("http://") || rest.starts_with("https://") {
            (0, rest.find([' ', ')', '>', '|']).unwrap_or(rest.len()))
        } else {
            (next.len_utf8(), 0)
        };
        let end = kept + hidden;
        if hidden > 0 && kept > 0 && next == '`' {
            // One tick on each side, whatever their number: words count a span by them.
            masked.push('`');
            masked.extend(std::iter::repeat_n('_', end + kept - 2));
            masked.push('`');
            rest = &rest[end + kept..];
            continue;
        }
        masked.push_str(&rest[..kept]);
        masked.extend(std::iter::repeat_n('_', hidden));
        rest = &rest[end..];
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn shown(blocks: &[Block]) -> Vec<&str> {
        blocks.iter().map(|block| block.shown.as_str()).collect()
    }

    #[test]
    fn consecutive_comments_of_one_kind_are_one_text() {
        let source =
            "/// One\n/// sentence.\n///\n/// - item\n///   of two lines\n// Another\n\n// text\nx; // a\ny; // b\n";
        let blocks = of_comments(&lex(source).0);
        assert_eq!(shown(&blocks), ["One sentence.", "item of two lines", "Another", "text", "a", "b"]);
        assert_eq!((blocks[0].line(0), blocks[0].line(4), blocks[1].line(6)), (1, 2, 5));
    }

    #[test]
    fn code_spans_and_fences_are_skipped() {
        let source = "//! A.\n//! ```\n//! let x = 1;\n//! ```\n//! B.\n/* C\n * D */";
        assert_eq!(shown(&of_comments(&lex(source).0)), ["A.", "B.", "C D"]);
        let block = &of_document("see [`a b`](c d) and ``e ` f`` at https://g/h now")[0];
        assert_eq!(block.masked, "see [`___`](___) and `_______` at ___________ now");
        assert_eq!(block.words(), 6);
    }

    #[test]
    fn headings_and_cells_are_blocks() {
        let blocks = of_document("# A b\n\n| c | `d|e` |\n|---|---|\n| f g | |\n1. h\n<!-- i -->\n");
        assert_eq!(shown(&blocks), ["A b", "c", "`d|e`", "f g", "h"]);
        assert_eq!(blocks.iter().map(|block| block.is_heading).collect::<Vec<_>>(), [true, false, false, false, false]);
    }

    #[test]
    fn messages_have_three_words_and_are_not_code() {
        let source = "f(\"two words\"); f(\"column {x y} is\\n  declared \\\"twice\\\" here\"); \
                      f(\"SELECT a b FROM c\"); f(\"a (?:b) c d\"); f(r#\"a b c\"#);";
        let blocks = of_messages(lex(source).0.iter());
        assert_eq!(shown(&blocks), ["column `x y` is declared \"twice\" here", "a b c"]);
        assert_eq!(blocks[0].masked, "column `___` is declared \"twice\" here");
    }
}
