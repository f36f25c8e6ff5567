//! Errors in files, with their places.

use crate::mechanism::error::MechanismError;
use deniable_core::exact::{ParseRationalError, Rational};
use deniable_core::text::shown;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a text, counted from 1.
    Line(usize),
    /// A row of a table without lines, counted from 1.
    Row(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Row(number) => write!(f, "row {number}"),
        }
    }
}

/// A file that is not a mechanism: the place, the error, and a correction if one is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}{}", .place.map(|place| format!("{place}: ")).unwrap_or_default(), .hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
pub struct FileError {
    /// The place of the error; `None` for the whole file.
    pub place: Option<Place>,
    /// The error, as data.
    pub kind: FileErrorKind,
    /// A correction of this particular error, if one is known.
    pub hint: Option<String>,
}

impl FileError {
    /// The correction: the hint of this error, or the general one of its kind.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let by_kind = match &self.kind {
            FileErrorKind::Number(_) => Some("write a fraction as 1/3, or a decimal as 0.25"),
            FileErrorKind::Negative { .. } => Some("a probability is 0 or more"),
            FileErrorKind::Duplicate { .. } => Some("leave one of the two out"),
            FileErrorKind::RepeatedKey { .. } => Some("leave one of them out, or rename it"),
            _ => None,
        };
        self.hint.clone().or_else(|| by_kind.map(str::to_owned))
    }

    /// The error with its place, but without the hint.
    #[must_use]
    pub fn what(&self) -> String {
        Self { hint: None, ..self.clone() }.to_string()
    }
}

/// The error in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileErrorKind {
    /// The file has no dataset at all.
    #[error("the file holds no dataset")]
    Empty,
    /// The text does not have the format that the file name indicates.
    #[error("this is not {format}: {message}")]
    Syntax {
        /// `TOML`, `JSON` or `CSV`.
        format: &'static str,
        /// The message of the format's parser.
        message: String,
    },
    /// An unknown key or column.
    #[error("`{}` is unknown in {section}", shown(key))]
    UnknownKey {
        /// The key as written in the file.
        key: String,
        /// The part of the file that contains it.
        section: &'static str,
    },
    /// A missing key or column.
    #[error("`{key}` is missing in {section}")]
    MissingKey {
        /// The key as the file should have it.
        key: &'static str,
        /// The part of the file that the key belongs to.
        section: &'static str,
    },
    /// A repeated key or column.
    #[error("duplicate `{}`", shown(key))]
    RepeatedKey {
        /// The key as written in the file.
        key: String,
    },
    /// A value of another type.
    #[error("{what} must be {expected}, not {found}")]
    WrongType {
        /// The name of the value.
        what: String,
        /// The required type.
        expected: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// A name that cannot be printed.
    #[error("`{}` is not a valid name: it is empty or contains a character that does not print", shown(name))]
    Name {
        /// The name as written in the file.
        name: String,
    },
    /// A name that is not declared.
    #[error("{what} `{}` is not among those declared", shown(name))]
    Unknown {
        /// `entity`, `output` or `group`.
        what: &'static str,
        /// The name as written in the file.
        name: String,
    },
    /// A repeated name in a list of distinct ones.
    #[error("duplicate {what} `{}` in one {list}", shown(name))]
    Twice {
        /// `entity`, `output` or `group`.
        what: &'static str,
        /// The name as written in the file.
        name: String,
        /// The kind of list that contains it.
        list: &'static str,
    },
    /// A probability that is not a number.
    #[error("the probability is unreadable: {0}")]
    Number(#[from] ParseRationalError),
    /// A probability below zero.
    #[error("the probability of output `{}` at {data} is {value}, below 0", shown(output))]
    Negative {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The output, by its name.
        output: String,
        /// The value, below 0.
        value: Rational,
    },
    /// A second probability of the same output at the same dataset.
    #[error("duplicate probability of output `{}` at {data}, first given at {first}", shown(output))]
    Duplicate {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The output, by its name.
        output: String,
        /// The place of the first one.
        first: Place,
    },
    /// A dataset without probabilities.
    #[error("dataset {data} has no probabilities")]
    NoProbabilities {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
    },
    /// Invalid counts or probabilities.
    #[error("{problem}")]
    Counts {
        /// The error, in words.
        problem: String,
    },
    /// Records that do not form a table of probabilities.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

impl FileErrorKind {
    pub(crate) fn at(self, place: Place) -> FileError {
        FileError { place: Some(place), kind: self, hint: None }
    }

    pub(crate) fn anywhere(self) -> FileError {
        FileError { place: None, kind: self, hint: None }
    }
}

impl FileError {
    /// Adds a hint; an empty one is left out.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()).filter(|hint| !hint.is_empty()), ..self }
    }
}
