//! Counts of a crate or document.

use super::lexer::lex;
use super::marks::{Group, Marks};
use super::names::{Kind, Names};
use super::text::{self, Block};
use crate::Failure;
use std::ops::Range;

/// A kind of count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Marks,
    Headless,
    Hints,
    /// Names of types, functions and constants.
    Names,
    /// Names of tests.
    Tests,
    /// Marks and headless clauses in messages.
    Messages,
}

impl Column {
    pub const ALL: [Self; 6] = [Self::Marks, Self::Headless, Self::Hints, Self::Names, Self::Tests, Self::Messages];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Marks => "marks",
            Self::Headless => "headless",
            Self::Hints => "hints",
            Self::Names => "names",
            Self::Tests => "tests",
            Self::Messages => "messages",
        }
    }
}

/// A mark at a place.
#[derive(Debug, Clone)]
struct Place {
    path: String,
    line: usize,
    column: Column,
    /// The mark, with the text around it or the advice.
    shown: String,
}

/// A crate or a document.
#[derive(Debug)]
pub struct Unit {
    /// The name of the package, or the path of the document.
    pub name: String,
    pub is_document: bool,
    /// Words of comments or of the document.
    pub words: usize,
    pub message_words: usize,
    counts: [usize; Column::ALL.len()],
    places: Vec<Place>,
}

impl Unit {
    pub fn new(name: &str, is_document: bool) -> Self {
        Self {
            name: name.to_owned(),
            is_document,
            words: 0,
            message_words: 0,
            counts: [0; Column::ALL.len()],
            places: Vec::new(),
        }
    }

    pub fn count(&self, column: Column) -> usize {
        self.counts[column as usize]
    }

    /// The count per 1,000 words of the text that it is about; 0 of no words.
    pub fn per_thousand(&self, column: Column) -> f64 {
        let words = if column == Column::Messages { self.message_words } else { self.words };
        per_thousand(self.count(column), words)
    }

    pub fn add_counts(&mut self, other: &Self) {
        self.words += other.words;
        self.message_words += other.message_words;
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
    }

    /// Every mark as `path:line: [mark] text`; `of` is the name of the unit or the end of a path.
    pub fn places<'a>(&'a self, of: Option<&'a str>, with_hints: bool) -> impl Iterator<Item = String> + 'a {
        let is_chosen = move |place: &&Place| {
            let is_named = |of: &str| {
                self.name == of || self.name.strip_prefix("deniable-") == Some(of) || place.path.ends_with(of)
            };
            of.is_none_or(is_named) && (with_hints || place.column != Column::Hints)
        };
        self.places.iter().filter(is_chosen).map(|place| format!("{}:{}: {}", place.path, place.line, place.shown))
    }

    /// The marks of one column, as [`Self::places`] shows them.
    pub fn places_of(&self, column: Column) -> impl Iterator<Item = String> {
        let places = self.places.iter().filter(move |place| place.column == column);
        places.map(|place| format!("{}:{}: {}", place.path, place.line, place.shown))
    }

    fn push(&mut self, path: &str, line: usize, column: Column, shown: String) {
        self.counts[column as usize] += 1;
        self.places.push(Place { path: path.to_owned(), line, column, shown });
    }
}

/// 0 of no words.
pub fn per_thousand(count: usize, words: usize) -> f64 {
    let [count, words] = [count, words].map(|number| u32::try_from(number).map_or(f64::MAX, f64::from));
    if words > 0.0 { 1000.0 * count / words } else { 0.0 }
}

/// Finds marks in files, and adds them to units.
#[derive(Debug)]
pub struct Finder {
    marks: Marks,
    names: Names,
}

impl Finder {
    pub fn new() -> Result<Self, Failure> {
        Ok(Self { marks: Marks::new()?, names: Names::new()? })
    }

    pub fn add_document(&self, unit: &mut Unit, path: &str, text: &str) {
        for block in text::of_document(text) {
            unit.words += block.words();
            self.add_block(unit, path, &block);
        }
    }

    /// `inside` is the path from the folder of the package.
    pub fn add_code(&self, unit: &mut Unit, path: &str, inside: &str, source: &str) {
        let (pieces, code) = lex(source);
        for block in text::of_comments(&pieces) {
            unit.words += block.words();
            self.add_block(unit, path, &block);
        }
        for name in self.names.find(&code, &self.marks) {
            let column = match name.kind {
                Kind::Item => Column::Names,
                Kind::Test => Column::Tests,
            };
            unit.push(path, name.line, column, format!("[{}] {}: {}", column.name(), name.name, name.reason));
        }
        if is_test_file(inside) {
            return;
        }
        let tests = self.names.test_lines(&code);
        let product =
            pieces.iter().filter(|piece| !tests.iter().any(|lines: &Range<usize>| lines.contains(&piece.line)));
        for block in text::of_messages(product) {
            unit.message_words += block.words();
            self.add_block(unit, path, &block);
        }
    }

    fn add_block(&self, unit: &mut Unit, path: &str, block: &Block) {
        for hit in self.marks.find(block) {
            let column = match (hit.mark.group, block.is_message) {
                (Group::Hint, true) => continue,
                (_, true) => Column::Messages,
                (Group::Word, false) => Column::Marks,
                (Group::Headless, false) => Column::Headless,
                (Group::Hint, false) => Column::Hints,
            };
            let kind = match column {
                Column::Hints => "hint: ",
                Column::Messages => "message: ",
                _ => "",
            };
            let around = around(&block.shown, hit.start, hit.end);
            unit.push(path, block.line(hit.start), column, format!("[{kind}{}] {around}", hit.mark.name));
        }
    }
}

/// The text from 40 bytes before a mark to 60 bytes after it.
fn around(text: &str, start: usize, end: usize) -> String {
    let (from, to) = (text.floor_char_boundary(start.saturating_sub(40)), text.ceil_char_boundary(end + 60));
    let (left, right) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
    format!("{left}{}{right}", text[from..to].trim())
}

/// Whether a file of a package, by its path inside of it, is compiled for tests, benchmarks or examples only.
fn is_test_file(inside: &str) -> bool {
    !inside.starts_with("src/") || inside.ends_with("/tests.rs") || inside.contains("/tests/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_apart() {
        let source = "\
/// What is read.
/// Nobody is told.
struct Shown;
fn f() { panic!(\"nobody has a name\"); }
#[cfg(test)]
mod tests {
    // Nothing of it.
    #[test]
    fn what_is_tested() { panic!(\"nobody has a name\"); }
}
";
        let mut unit = Unit::new("a", false);
        Finder::new().unwrap().add_code(&mut unit, "a/src/lib.rs", "src/lib.rs", source);
        assert_eq!(Column::ALL.map(|column| unit.count(column)), [2, 1, 1, 1, 1, 1]);
        assert_eq!((unit.words, unit.message_words), (9, 4));
        let places: Vec<String> = unit.places(Some("src/lib.rs"), false).collect();
        assert_eq!(places.len(), 6, "{places:#?}");
        assert_eq!(places[0], "a/src/lib.rs:1: [headless] What is read. Nobody is told.");
        assert_eq!(unit.places(Some("b"), true).count(), 0);
    }

    #[test]
    fn messages_of_tests_do_not_count() {
        let mut unit = Unit::new("a", false);
        let finder = Finder::new().unwrap();
        for path in ["tests/it/main.rs", "src/a/tests.rs", "src/tests/a.rs", "benches/a.rs", "build.rs"] {
            finder.add_code(&mut unit, path, path, "fn f() { panic!(\"nobody has a name\"); }\n");
        }
        assert_eq!((unit.count(Column::Messages), unit.message_words), (0, 0));
    }

    #[test]
    fn texts_are_cut_at_characters() {
        let text = format!("{} nobody {}", "ε".repeat(40), "ε".repeat(60));
        let start = text.find("nobody").unwrap();
        assert!(around(&text, start, start + 6).starts_with("…ε"));
        assert_eq!(around("nobody", 0, 6), "nobody");
    }
}
