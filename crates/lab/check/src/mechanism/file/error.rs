//! What can be wrong with a file, and where.

use crate::mechanism::error::MechanismError;
use deniable_core::exact::{ParseRationalError, Rational};
use deniable_core::text::shown;

/// Where in a file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a text, counted from 1.
    Line(usize),
    /// A row of a table that has no lines, counted from 1.
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

/// A file that is no mechanism: where, what, and what to write instead if that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}{}", .place.map(|place| format!("{place}: ")).unwrap_or_default(), .hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
pub struct FileError {
    /// Where it stands; `None` where it is about the whole file.
    pub place: Option<Place>,
    /// What is wrong, as data.
    pub kind: FileErrorKind,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl FileError {
    /// What to do about it, where more than the kind of thing is known.
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

    /// Where and what, without what to write instead.
    #[must_use]
    pub fn what(&self) -> String {
        Self { hint: None, ..self.clone() }.to_string()
    }
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileErrorKind {
    /// The file has no dataset at all.
    #[error("the file holds no dataset")]
    Empty,
    /// The text is not of the format that its name says.
    #[error("this is no {format}: {message}")]
    Syntax {
        /// `TOML`, `JSON` or `CSV`.
        format: &'static str,
        /// What the parser of the format says.
        message: String,
    },
    /// A key or column that means nothing here.
    #[error("`{}` means nothing in {section}", shown(key))]
    UnknownKey {
        /// The key as the file has it.
        key: String,
        /// The table that it stands in.
        section: &'static str,
    },
    /// A key or column that must be there.
    #[error("`{key}` is missing in {section}")]
    MissingKey {
        /// The key as the file has it.
        key: &'static str,
        /// The table of the file that the key belongs to.
        section: &'static str,
    },
    /// A key or column that stands twice.
    #[error("`{}` stands twice", shown(key))]
    RepeatedKey {
        /// The key as the file has it.
        key: String,
    },
    /// A value of another type.
    #[error("{what} must be {expected}, and this is {found}")]
    WrongType {
        /// The value.
        what: String,
        /// The type that it must have.
        expected: &'static str,
        /// The type that it has.
        found: &'static str,
    },
    /// A name that cannot be printed.
    #[error("`{}` cannot be a name: it is empty or holds a character that does not print", shown(name))]
    Name {
        /// The name as the file has it.
        name: String,
    },
    /// A name beyond those that are declared.
    #[error("{what} `{}` is not among those declared", shown(name))]
    Unknown {
        /// `entity`, `output` or `group`.
        what: &'static str,
        /// The name as the file has it.
        name: String,
    },
    /// A name that stands twice in a list of distinct ones.
    #[error("{what} `{}` stands twice in one {list}", shown(name))]
    Twice {
        /// `entity`, `output` or `group`.
        what: &'static str,
        /// The name as the file has it.
        name: String,
        /// The list in which the name should stand.
        list: &'static str,
    },
    /// A probability that is no number.
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
    #[error("the probability of output `{}` at {data} stands twice, first at {first}", shown(output))]
    Duplicate {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
        /// The output, by its name.
        output: String,
        /// Where the first one is.
        first: Place,
    },
    /// A dataset without probabilities.
    #[error("dataset {data} has no probabilities")]
    NoProbabilities {
        /// The dataset, as its members: `{ann, bob}`.
        data: String,
    },
    /// Counts that no dataset has.
    #[error("{problem}")]
    Counts {
        /// What is wrong with them.
        problem: String,
    },
    /// Whatever no table may be.
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
    /// The same with a hint; an empty one is left out.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()).filter(|hint| !hint.is_empty()), ..self }
    }
}
