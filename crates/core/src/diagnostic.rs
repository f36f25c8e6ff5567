//! Diagnostics in one form for every caller: a code, a message, a place, and help.
//!
//! Each crate's errors are enums. [`Diagnose`] converts them to diagnostics in the notation of the caller's
//! [`Surface`]: an option is `--prior` on the command line and `prior=` in Python. Callers decide by the [`Code`], or
//! by the error itself, never by a message.

use crate::noise::EntropyError;
use crate::text::{printable, printable_lines, printable_source, without_secrets};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;

/// Subject of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// A policy is invalid.
    Policy,
    /// A query is invalid, or cannot be answered under the policy.
    Query,
    /// Data are missing, cannot be read as declared, or changed.
    Data,
    /// The remaining promise does not pay for the query. Nothing was charged.
    Budget,
    /// The ledger cannot be opened, read or written.
    Ledger,
    /// The call has invalid arguments.
    Usage,
    /// Anything else.
    Other,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 7] =
        [Self::Policy, Self::Query, Self::Data, Self::Budget, Self::Ledger, Self::Usage, Self::Other];

    /// The code as one lower-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Query => "query",
            Self::Data => "data",
            Self::Budget => "budget",
            Self::Ledger => "ledger",
            Self::Usage => "usage",
            Self::Other => "other",
        }
    }
}

/// The interface at which a caller sets options, which determines their notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The command line: `--spend 1/40`.
    Command,
    /// Python: `spend="1/40"`.
    Python,
    /// Rust: the field or method `spend`.
    Library,
}

impl Surface {
    /// An option by its name, in lower case with `-` between words: `--data-version`, `data_version=`, `data_version`.
    #[must_use]
    pub fn option(self, name: &str) -> String {
        match self {
            Self::Command => format!("--{name}"),
            Self::Python => format!("{}=", name.replace('-', "_")),
            Self::Library => name.replace('-', "_"),
        }
    }

    /// An option with a value: `--spend 1/40`, `spend="1/40"`.
    #[must_use]
    pub fn set(self, name: &str, value: impl Display) -> String {
        match self {
            Self::Command => format!("{} {value}", self.option(name)),
            Self::Python => format!("{}\"{value}\"", self.option(name)),
            Self::Library => format!("{} = \"{value}\"", self.option(name)),
        }
    }

    /// The call by which the curator registers the data.
    #[must_use]
    pub const fn check_data(self) -> &'static str {
        match self {
            Self::Command => "`deniable data check <policy>`",
            Self::Python => "`session.register()`",
            Self::Library => "`Session::register`",
        }
    }

    /// A boolean option, switched on: `--register`, `register=True`.
    #[must_use]
    pub fn switch(self, name: &str) -> String {
        match self {
            Self::Command => self.option(name),
            Self::Python => format!("{}True", self.option(name)),
            Self::Library => format!("{} = true", self.option(name)),
        }
    }
}

/// An error that can be converted to diagnostics.
pub trait Diagnose {
    /// All errors, in the notation of a surface; at least one diagnostic.
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic>;
}

impl Diagnose for Vec<Diagnostic> {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        self.clone()
    }
}

impl Diagnose for EntropyError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        vec![Diagnostic::new(Code::Other, self).with_help("nothing can be released without it")]
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A message with optional help and place. Hidden characters are escaped, and secrets of a source are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The subject.
    pub code: Code,
    message: String,
    help: Option<String>,
    place: Option<Place>,
}

/// The place of an error in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, or `the query`.
    pub name: String,
    /// The whole source, safe to display.
    pub source: String,
    /// The byte range of the error in `source`; empty only at the end of the source.
    pub span: Range<usize>,
}

impl Place {
    /// The line and the column of the first character, counted from 1.
    #[must_use]
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = self.source.get(..self.span.start).unwrap_or_default();
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        (before.matches('\n').count() + 1, column)
    }

    /// The lines of the place with their numbers, and marks below the error.
    fn excerpt(&self) -> String {
        let (first, _) = self.line_and_column();
        let mut begin = self.source.get(..self.span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let mut excerpt = String::new();
        for (number, line) in (first..).zip(self.source.get(begin..).unwrap_or_default().split('\n')) {
            let before = line.char_indices().take_while(|(at, _)| begin + at < self.span.start);
            // Tabs are copied, so that the marks are aligned at any tab width.
            let blank: String = before.map(|(_, c)| if c == '\t' { c } else { ' ' }).collect();
            let is_marked = |at: usize| self.span.contains(&(begin + at));
            let marks = line.char_indices().filter(|(at, _)| is_marked(*at)).count().max(1);
            // Writing to a string cannot fail.
            let _ = writeln!(excerpt, " {number:>4} │ {line}\n      · {blank}{}", "─".repeat(marks));
            begin += line.len() + 1;
            if begin >= self.span.end {
                break;
            }
        }
        excerpt
    }
}

impl Diagnostic {
    /// A diagnostic without help and place.
    #[must_use]
    pub fn new(code: Code, message: impl Display) -> Self {
        Self { code, message: printable_lines(&message.to_string()).into_owned(), help: None, place: None }
    }

    /// Adds help; an empty text adds none.
    #[must_use]
    pub fn with_help(mut self, help: impl Display) -> Self {
        self.help = Some(printable_lines(&help.to_string()).into_owned()).filter(|help| !help.is_empty());
        self
    }

    /// Adds the place: a source by its name, and the byte range of the error.
    #[must_use]
    pub fn at(mut self, name: &str, source: &str, span: Range<usize>) -> Self {
        let (source, place) = printable_source(&without_secrets(source), span);
        let length = place.len().max(1).min(source.len().saturating_sub(place.start));
        let span = place.start..place.start + length;
        self.place = Some(Place { name: printable(name).into_owned(), source, span });
        self
    }

    /// The message: what is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The help: what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The place of the error, if known.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
}

/// `{"code", "message", "help", "place": {"source", "line", "column"}}`; `null` without help or place. The source text
/// is omitted.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", 4)?;
        fields.serialize_field("code", &self.code)?;
        fields.serialize_field("message", &self.message)?;
        fields.serialize_field("help", &self.help)?;
        fields.serialize_field("place", &self.place)?;
        fields.end()
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (line, column) = self.line_and_column();
        let mut fields = serializer.serialize_struct("Place", 3)?;
        fields.serialize_field("source", &self.name)?;
        fields.serialize_field("line", &line)?;
        fields.serialize_field("column", &column)?;
        fields.end()
    }
}

/// The message, the place with its lines, and the help.
impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(place) = &self.place {
            let (line, column) = place.line_and_column();
            write!(f, "\n  at {}:{line}:{column}\n{}", place.name, place.excerpt().trim_end())?;
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_below_its_line() {
        let source = "a = 1\n\tb = \"ü?\"\nc = 2\n";
        let start = source.find("\"ü").unwrap();
        let diagnostic = Diagnostic::new(Code::Policy, "`b` is not decided yet").at("p.toml", source, start..start + 5);
        let diagnostic = diagnostic.with_help("write a number");
        assert_eq!(diagnostic.place().unwrap().line_and_column(), (2, 6));
        assert_eq!(
            diagnostic.to_string(),
            "`b` is not decided yet\n  at p.toml:2:6\n    2 │ \tb = \"ü?\"\n      · \t    ────\n  help: write a number"
        );
    }

    #[test]
    fn json_has_the_place_without_the_source() {
        let diagnostic = Diagnostic::new(Code::Query, "there is no column `x`").at("the query", "SELECT\n x", 8..9);
        assert_eq!(
            serde_json::to_string(&diagnostic).unwrap(),
            r#"{"code":"query","message":"there is no column `x`","help":null,"place":{"source":"the query","line":2,"column":2}}"#
        );
    }

    #[test]
    fn every_span_has_an_excerpt() {
        let source = "one\nß two\r\n\n  three";
        for start in 0..=source.len() + 1 {
            for end in start..=source.len() + 2 {
                let shown = Diagnostic::new(Code::Query, "wrong").at("the query", source, start..end).to_string();
                assert!(shown.starts_with("wrong\n  at the query:") && shown.contains('─'), "{shown}");
            }
        }
    }

    #[test]
    fn secrets_and_hidden_characters_are_not_shown() {
        let source = "connect = \"host=a password=b\"\nname = \"\u{1b}\"";
        let shown = Diagnostic::new(Code::Policy, "\u{202e}").at("p\u{7}", source, 0..source.len()).to_string();
        assert!(
            !shown.contains("password") && shown.chars().all(|c| c == '\n' || !crate::text::is_hidden(c)),
            "{shown}"
        );
    }

    #[test]
    fn options_are_written_as_each_surface_has_them() {
        use Surface::{Command, Library, Python};
        let all = |write: &dyn Fn(Surface) -> String| [Command, Python, Library].map(write);
        assert_eq!(all(&|surface| surface.option("data-version")), ["--data-version", "data_version=", "data_version"]);
        assert_eq!(
            all(&|surface| surface.set("spend", "1/40")),
            ["--spend 1/40", "spend=\"1/40\"", "spend = \"1/40\""]
        );
        assert_eq!(all(&|surface| surface.switch("again")), ["--again", "again=True", "again = true"]);
    }
}
