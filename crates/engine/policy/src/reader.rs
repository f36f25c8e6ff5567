//! Reading a table key by key, collecting all errors.
//!
//! A [`Section`] is opened with the keys it may hold, so an unknown key is reported before anything is read. A value
//! that cannot be read gives [`ReportedError`], which only [`Report::fail`] creates: no value can be missing without a
//! reported error. The exception is blanks, the text `"?"`: they are found before the reading, read as absent without
//! an error, and all reported after it ([`Report::fail_blanks`]).

use crate::blanks::{self, Blank};
use crate::error::{Place, PolicyError, PolicyErrorKind};
use crate::foreign::called_here;
use crate::tree::{Member, Node, Shape};
use deniable_core::exact::{ParseRationalError, Rational, parse_rational};
use deniable_core::text::nearest;
pub(crate) use deniable_core::text::shown;
use num_traits::ToPrimitive;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Proof that an error was reported, or will be: see [`Report::fail_blanks`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportedError(());

/// A value, or the proof that its absence was reported.
pub(crate) type ReadResult<T> = Result<T, ReportedError>;

/// A part of the policy for parts that depend on it; these can fail without a second error.
pub(crate) fn told<T>(part: &ReadResult<T>) -> ReadResult<&T> {
    part.as_ref().map_err(|reported| *reported)
}

/// Collects the errors of one policy.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) source: &'a str,
    errors: RefCell<Vec<PolicyError>>,
    /// The blanks of the file, by their first byte.
    blanks: RefCell<BTreeMap<usize, Blank>>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, errors: RefCell::default(), blanks: RefCell::default() }
    }

    /// Finds the blanks of the document before it is read.
    pub(crate) fn find_blanks(&self, root: &Node) {
        let found = blanks::find(root);
        self.blanks.borrow_mut().extend(found.into_iter().map(|blank| (blank.span.start, blank)));
    }

    /// Reports every blank, whether it was read or not: a person fills them in together.
    pub(crate) fn fail_blanks(&self) {
        for blank in std::mem::take(&mut *self.blanks.borrow_mut()).into_values() {
            self.fail(&blank.span, PolicyErrorKind::Blank { key: shown(&blank.key), column: blank.column }, blank.help);
        }
    }

    /// Removes the blanks in the value of an unknown key: filling them in would be useless.
    fn forget_blanks(&self, node: &Node) {
        let mut known = self.blanks.borrow_mut();
        for blank in blanks::find(node) {
            known.remove(&blank.span.start);
        }
    }

    /// Reports an error at a place. `help` may be empty.
    pub(crate) fn fail(
        &self,
        span: &Range<usize>,
        kind: impl Into<PolicyErrorKind>,
        help: impl Into<String>,
    ) -> ReportedError {
        let help = Some(help.into()).filter(|help| !help.is_empty());
        let place = Some(Place::new(self.source, span.clone()));
        self.errors.borrow_mut().push(PolicyError { place, kind: kind.into(), help });
        ReportedError(())
    }

    pub(crate) fn into_errors(self) -> Vec<PolicyError> {
        self.errors.into_inner()
    }
}

/// One table of the policy.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(crate) report: &'a Report<'a>,
    /// The name in messages: `[data]`, or `the policy`.
    name: String,
    pub(crate) span: Range<usize>,
    members: &'a [Member],
}

impl<'a> Section<'a> {
    /// Opens a table that may hold only `keys`; reports all others.
    pub(crate) fn open(report: &'a Report<'a>, name: &str, node: &'a Node, keys: &[&str]) -> ReadResult<Self> {
        let section = Self::open_free(report, name, node)?;
        for member in section.members.iter().filter(|member| !keys.contains(&member.key.as_str())) {
            let kind = PolicyErrorKind::UnknownKey { key: shown(&member.key), section: name.to_owned() };
            let hint = called_here(&member.key, name).unwrap_or_else(|| did_you_mean(&member.key, keys));
            report.fail(&member.key_span, kind, hint);
            report.forget_blanks(&member.value);
        }
        Ok(section)
    }

    /// Opens a table whose keys are names chosen by the curator.
    pub(crate) fn open_free(report: &'a Report<'a>, name: &str, node: &'a Node) -> ReadResult<Self> {
        match &node.shape {
            Shape::Table(members) => Ok(Self { report, name: name.to_owned(), span: node.span.clone(), members }),
            other => Err(report.fail(
                &node.span,
                PolicyErrorKind::WrongType {
                    key: name.to_owned(),
                    expected: "a table".to_owned(),
                    found: other.describe(),
                },
                match name {
                    "[tables]" => "write `[tables.NAME]` for each table, with its keys below".to_owned(),
                    _ => format!("write `{name}` on a line of its own, and its keys below it"),
                },
            )),
        }
    }

    /// Every key with its value, in the order of the file.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'a>> {
        let report = self.report;
        self.members.iter().map(move |member| Field {
            report,
            key: shown(&member.key),
            key_span: member.key_span.clone(),
            node: &member.value,
        })
    }

    /// The names of all keys, unshortened.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().map(|member| member.key.as_str())
    }

    /// The value of a key; `None` if it is missing or a blank.
    pub(crate) fn get(&self, key: &str) -> ReadResult<Option<Field<'a>>> {
        let Some(field) = self.find(key) else { return Ok(None) };
        field.decided()?;
        Ok(Some(field))
    }

    /// The value of a key, also if it is a blank.
    fn find(&self, key: &str) -> Option<Field<'a>> {
        let position = self.members.iter().position(|member| member.key == key)?;
        self.fields().nth(position)
    }

    /// The value of a required key; `help` states how to add it.
    pub(crate) fn need(&self, key: &str, help: &str) -> ReadResult<Field<'a>> {
        self.get(key)?.ok_or_else(|| self.missing(key, help))
    }

    /// Reports that a key is missing, at the head of this table.
    pub(crate) fn missing(&self, key: &str, help: impl Into<String>) -> ReportedError {
        let kind = PolicyErrorKind::MissingKey { key: key.to_owned(), section: self.name.clone() };
        self.report.fail(&self.span, kind, help)
    }

    /// The position of a key's value, or of the head of the table.
    pub(crate) fn place_of(&self, key: &str) -> Range<usize> {
        self.find(key).map_or_else(|| self.span.clone(), |field| field.node.span.clone())
    }

    /// The position of a key, or of the head of the table.
    pub(crate) fn key_of(&self, key: &str) -> Range<usize> {
        self.find(key).map_or_else(|| self.span.clone(), |field| field.key_span)
    }

    /// Whether a key is present, even with a blank.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Reads an optional key.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Field<'a>) -> ReadResult<T>,
    ) -> ReadResult<Option<T>> {
        self.get(key)?.map(|field| read(&field)).transpose()
    }
}

/// One value of the policy and the key it belongs to.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) report: &'a Report<'a>,
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: &'a Node,
}

impl<'a> Field<'a> {
    /// Fails, without a further error, when the value is a blank.
    pub(crate) fn decided(&self) -> ReadResult<()> {
        if self.report.blanks.borrow().contains_key(&self.node.span.start) { Err(ReportedError(())) } else { Ok(()) }
    }

    /// Reports an error at the value.
    pub(crate) fn fail(&self, kind: impl Into<PolicyErrorKind>, help: impl Into<String>) -> ReportedError {
        self.report.fail(&self.node.span, kind, help)
    }

    /// Reports that the value has another type than `expected`.
    pub(crate) fn wrong_type(&self, expected: &str, help: impl Into<String>) -> ReportedError {
        let kind = PolicyErrorKind::WrongType {
            key: self.key.clone(),
            expected: expected.to_owned(),
            found: self.node.shape.describe(),
        };
        self.fail(kind, help)
    }

    /// Reports an invalid text.
    pub(crate) fn bad_text(&self, problem: impl Into<String>, help: impl Into<String>) -> ReportedError {
        self.fail(PolicyErrorKind::Text { key: self.key.clone(), problem: problem.into() }, help)
    }

    /// Reports a number outside its range.
    pub(crate) fn out_of_range(&self, value: Rational, range: &'static str, help: impl Into<String>) -> ReportedError {
        self.fail(PolicyErrorKind::OutOfRange { key: self.key.clone(), value, range }, help)
    }

    pub(crate) fn text(&self) -> ReadResult<&'a str> {
        match &self.node.shape {
            Shape::Text(text) => Ok(text),
            Shape::Number(_) | Shape::Boolean(_) | Shape::Date(_) => Err(self.wrong_type("a text", "put it in quotes")),
            Shape::List(_) | Shape::Table(_) => Err(self.wrong_type("a text in quotes", "")),
        }
    }

    /// A text that is printed and stored: one line, not blank, without characters that act on a terminal.
    pub(crate) fn line(&self) -> ReadResult<&'a str> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(self.bad_text("is empty", ""));
        }
        if !is_line(text) {
            let help = format!("write {ONE_LINE}");
            return Err(self.bad_text("has line breaks, control characters or spaces around it", help));
        }
        Ok(text)
    }

    /// A number, exactly as written; a text may hold a fraction or a percentage.
    pub(crate) fn number(&self) -> ReadResult<Rational> {
        let text = match &self.node.shape {
            Shape::Number(text) | Shape::Text(text) => text,
            _ => return Err(self.wrong_type("a number", "write 0.75, or \"3/4\" or \"75%\" in quotes")),
        };
        self.number_in(text)
    }

    /// A number in a text that is, or is part of, the value.
    pub(crate) fn number_in(&self, text: &str) -> ReadResult<Rational> {
        parse_rational(text).map_err(|error| {
            let error = match error {
                ParseRationalError::Malformed(_) => ParseRationalError::Malformed(shown(text)),
                ParseRationalError::ZeroDenominator(_) => ParseRationalError::ZeroDenominator(shown(text)),
                ParseRationalError::TooLong(_) => ParseRationalError::TooLong(shown(text)),
            };
            let help = if matches!(error, ParseRationalError::Malformed(_)) {
                "write fractions and percentages in quotes"
            } else {
                ""
            };
            self.fail(PolicyErrorKind::Number { key: self.key.clone(), error }, help)
        })
    }

    /// A whole number of 64 bits.
    pub(crate) fn integer(&self) -> ReadResult<i64> {
        let value = self.number()?;
        let whole = if value.is_integer() { value.to_integer().to_i64() } else { None };
        whole.ok_or_else(|| self.out_of_range(value, "a whole number of at most 64 bits", ""))
    }

    /// A whole number from 1 to 2³²−1.
    pub(crate) fn count(&self) -> ReadResult<u32> {
        let value = self.number()?;
        let whole = if value.is_integer() { value.to_integer().to_u32() } else { None };
        whole
            .filter(|count| *count > 0)
            .ok_or_else(|| self.out_of_range(value, "a whole number from 1 to 4294967295", ""))
    }

    pub(crate) fn boolean(&self) -> ReadResult<bool> {
        match &self.node.shape {
            Shape::Boolean(truth) => Ok(*truth),
            _ => Err(self.wrong_type("true or false", "")),
        }
    }

    /// The entries of a list; `keys[]` is the name of an entry of `keys`.
    pub(crate) fn list(&self, expected: &str) -> ReadResult<Vec<Self>> {
        match &self.node.shape {
            Shape::List(items) => Ok(items
                .iter()
                .map(|node| Field {
                    report: self.report,
                    key: format!("{}[]", self.key),
                    key_span: node.span.clone(),
                    node,
                })
                .collect()),
            _ => Err(self.wrong_type(expected, "")),
        }
    }

    /// The value as a table of known keys.
    pub(crate) fn section(&self, name: &str, keys: &[&str]) -> ReadResult<Section<'a>> {
        self.decided()?;
        Section::open(self.report, name, self.node, keys)
    }
}

/// All values, or the proof that one was reported; every entry is read either way.
pub(crate) fn all<T>(values: impl Iterator<Item = ReadResult<T>>) -> ReadResult<Vec<T>> {
    let read: Vec<ReadResult<T>> = values.collect();
    read.into_iter().collect()
}

/// The hint for a word that is not one of `known`.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// The form of names and versions.
pub(crate) const ONE_LINE: &str = "one line of text without spaces around it";

/// Whether a text is [`ONE_LINE`].
pub(crate) fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && text.trim() == text && !text.chars().any(char::is_control)
}
