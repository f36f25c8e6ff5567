//! TOML and JSON as one small tree in which every value has its line.
//!
//! Numbers remain texts: no float is involved in reading them.

use super::error::{FileError, FileErrorKind, Place};
use deniable_core::exact::{Rational, parse_rational};
use deniable_core::text::{did_you_mean, shown};

/// A value and its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) enum Shape {
    Text(String),
    Number(String),
    List(Vec<Node>),
    /// In the order of the file.
    Table(Vec<(String, Node)>),
    /// A truth value, a date or null: types that mechanisms do not use.
    Other(&'static str),
}

impl Shape {
    fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other(what) => what,
        }
    }
}

impl Node {
    /// An error about the type of this value.
    pub(crate) fn wrong(&self, what: &str, expected: &'static str) -> FileError {
        FileErrorKind::WrongType { what: shown(what), expected, found: self.shape.describe() }.at(self.place)
    }

    /// The table's entries, if all its keys are in `keys`.
    pub(crate) fn table(&self, section: &'static str, keys: &'static [&'static str]) -> Result<Section<'_>, FileError> {
        let members = self.members(section)?;
        if let Some((key, value)) = members.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            let kind = FileErrorKind::UnknownKey { key: key.clone(), section };
            return Err(kind.at(value.place).hint(did_you_mean(key, keys.iter().copied())));
        }
        Ok(Section { section, place: self.place, members })
    }

    /// The members of a table whose keys are names.
    pub(crate) fn members(&self, what: &str) -> Result<&[(String, Self)], FileError> {
        match &self.shape {
            Shape::Table(members) => Ok(members),
            _ => Err(self.wrong(what, "a table")),
        }
    }

    pub(crate) fn list(&self, what: &str) -> Result<&[Self], FileError> {
        match &self.shape {
            Shape::List(items) => Ok(items),
            _ => Err(self.wrong(what, "a list")),
        }
    }

    /// A text that can be printed as a name. A bare number is allowed too: entities may be named 1, 2 and 3.
    pub(crate) fn name(&self, what: &str) -> Result<String, FileError> {
        match &self.shape {
            Shape::Text(name) | Shape::Number(name) => printable(name, self.place),
            _ => Err(self.wrong(what, "a name")),
        }
    }

    pub(crate) fn names(&self, what: &str) -> Result<Vec<(Place, String)>, FileError> {
        self.list(what)?.iter().map(|item| Ok((item.place, item.name("a name in this list")?))).collect()
    }

    /// A number or a text that holds one: `0.25`, `"1/4"`.
    pub(crate) fn number(&self, what: &str) -> Result<Rational, FileError> {
        match &self.shape {
            Shape::Number(text) | Shape::Text(text) => {
                parse_rational(text).map_err(|error| FileErrorKind::from(error).at(self.place))
            }
            _ => Err(self.wrong(what, "a number, or a fraction in quotes")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Section<'a> {
    section: &'static str,
    pub(crate) place: Place,
    members: &'a [(String, Node)],
}

impl<'a> Section<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(crate) fn need(&self, key: &'static str) -> Result<&'a Node, FileError> {
        self.get(key).ok_or_else(|| FileErrorKind::MissingKey { key, section: self.section }.at(self.place))
    }
}

/// Rejects names with control characters, which could change a terminal's state.
pub(crate) fn printable(name: &str, place: Place) -> Result<String, FileError> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(FileErrorKind::Name { name: name.to_owned() }.at(place));
    }
    Ok(name.to_owned())
}

/// Maps byte offsets of a source to lines.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(source: &str) -> Self {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    pub(super) fn place(&self, byte: usize) -> Place {
        Place::Line(self.starts.partition_point(|start| *start <= byte))
    }
}
