//! Errors of a policy: the place, the problem and the help.

use deniable_core::adversary::{AdversaryError, PriorRangeError};
use deniable_core::exact::{ParseRationalError, Rational};
use deniable_core::promise::PromiseError;
use deniable_core::schema::BoundsError;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A position in the policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The same position in bytes of [`PolicyErrors::source`]; may be empty.
    pub span: Range<usize>,
}

impl Place {
    /// The place of a byte span; spans outside the source or inside a character are moved to the next possible place.
    pub(crate) fn new(source: &str, span: Range<usize>) -> Self {
        let boundary = |at: usize| (at.min(source.len())..=source.len()).find(|at| source.is_char_boundary(*at));
        let start = boundary(span.start).unwrap_or(source.len());
        let end = boundary(span.end).unwrap_or(source.len()).max(start);
        let before = &source[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        // A byte order mark has no width in an editor.
        let column = before[line_start..].chars().filter(|c| *c != '\u{feff}').count() + 1;
        Self { line: before.matches('\n').count() + 1, column, span: start..end }
    }
}

/// An error of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct PolicyError {
    /// The place; `None` for errors of the whole file.
    pub place: Option<Place>,
    /// The problem.
    pub kind: PolicyErrorKind,
    /// The correction to make.
    pub help: Option<String>,
}

/// The problem of an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyErrorKind {
    /// The file cannot be read: missing, or no permission.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// A folder in place of a file.
    #[error("this is a folder, not a policy file")]
    Folder,
    /// Longer than [`crate::LARGEST_FILE`].
    #[error("the policy is larger than 1 MiB")]
    TooLarge,
    /// Not UTF-8.
    #[error("the policy is not UTF-8 text")]
    NotUtf8,
    /// Only white space.
    #[error("the policy is empty")]
    EmptyFile,
    /// Not TOML.
    #[error("this is not TOML: {0}")]
    Syntax(String),
    /// A key that the section does not have.
    #[error("{section} has no key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// The table, in words.
        section: String,
    },
    /// A required key or table that is missing.
    #[error("{section} needs `{key}`")]
    MissingKey {
        /// The key.
        key: String,
        /// The table, in words.
        section: String,
    },
    /// The text `"?"`: a person has to decide the value first.
    #[error("`{key}` is not decided yet")]
    Blank {
        /// The key.
        key: String,
        /// The column of the key, with its table if that is not the main one.
        column: Option<String>,
    },
    /// A value of another type.
    #[error("`{key}` must be {expected}; this is {found}")]
    WrongType {
        /// The key.
        key: String,
        /// The expected type, in words.
        expected: String,
        /// The type that was found.
        found: &'static str,
    },
    /// A text that is not an exact number.
    #[error("`{key}`: {error}")]
    Number {
        /// The key.
        key: String,
        /// The problem of the number.
        error: ParseRationalError,
    },
    /// A number outside its range.
    #[error("`{key}` = {value} must be {range}")]
    OutOfRange {
        /// The key.
        key: String,
        /// The given number.
        value: Rational,
        /// The allowed range, in words.
        range: &'static str,
    },
    /// A text that is not valid.
    #[error("`{key}` {problem}")]
    Text {
        /// The key.
        key: String,
        /// The problem of the text.
        problem: String,
    },
    /// An empty list where at least one entry is needed.
    #[error("`{key}` is an empty list")]
    EmptyList {
        /// The key.
        key: String,
    },
    /// A duplicate entry.
    #[error("duplicate {what}")]
    Repeated {
        /// The entry, in words.
        what: String,
    },
    /// A key that is valid only beside another one.
    #[error("`{key}` needs `{other}` beside it")]
    Alone {
        /// The given key.
        key: &'static str,
        /// The missing key.
        other: &'static str,
    },
    /// A key that another part of the policy excludes.
    #[error("`{key}` has no meaning {when}")]
    Misplaced {
        /// The given key.
        key: &'static str,
        /// The condition that excludes it.
        when: &'static str,
    },
    /// A column that is not declared under `[columns]`, or not listed in `[data.csv]`.
    #[error("there is no column `{column}` in {list}")]
    NoColumn {
        /// The column.
        column: String,
        /// The section or list that lacks it.
        list: String,
    },
    /// More tables than [`crate::MOST_TABLES`].
    #[error("there are more than {most} tables under [tables]")]
    TooManyTables {
        /// The limit.
        most: usize,
    },
    /// A table that states neither the column of its people nor that it is unprotected.
    #[error("[{table}] states neither `entity` nor `unprotected`")]
    RoleUndecided {
        /// The table.
        table: String,
    },
    /// A column of another type than the entity key whose values it should hold.
    #[error(
        "`{column}` is {kind}, but the key `{key}` of [entity] is {key_kind}: no value of one is a value of the other"
    )]
    EntityType {
        /// The column of the further table.
        column: String,
        /// Its type.
        kind: &'static str,
        /// The entity key of the main table.
        key: String,
        /// Its type.
        key_kind: &'static str,
    },
    /// A group key that can never occur.
    #[error("the key \"{key}\" never occurs: {why}")]
    DeadKey {
        /// The group key.
        key: String,
        /// The reason.
        why: String,
    },
    /// Bounds that do not form a grid.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// Bounds of a date or timestamp in the wrong order.
    #[error("the lower bound {low} is not before the upper bound {high}")]
    DatesInverted {
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
    },
    /// Priors that do not form an interval.
    #[error(transparent)]
    Priors(#[from] PriorRangeError),
    /// An adversary that no theorem covers.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// A policy without a promise.
    #[error("the policy has no promise")]
    NoPromise,
    /// A policy without a query.
    #[error("the policy has no query")]
    NoQuery,
    /// Explicit shares beyond the budget of the queries.
    #[error("the shares add up to {sum}, more than {key} = {part}")]
    SharesExceed {
        /// The shares up to and including the one at this place.
        sum: Rational,
        /// The key of `[budget]` that states the limit.
        key: &'static str,
        /// The part of the promise that the queries divide.
        part: Rational,
    },
    /// Explicit shares that leave no budget for the queries without one.
    #[error("the shares of other queries use all of {key} = {part}: nothing is left for this one")]
    NothingLeft {
        /// The key of `[budget]` that states the limit.
        key: &'static str,
        /// The part of the promise that the queries divide.
        part: Rational,
    },
}

/// All errors of a policy, in the order of the file. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyErrors {
    file: PathBuf,
    source: String,
    errors: Vec<PolicyError>,
}

impl PolicyErrors {
    pub(crate) fn new(file: &Path, source: &str, mut errors: Vec<PolicyError>) -> Self {
        errors.sort_by_key(|error| error.place.as_ref().map(|place| place.span.start));
        Self { file: file.to_owned(), source: source.to_owned(), errors }
    }

    /// A single error about the whole file.
    pub(crate) fn about_file(file: &Path, kind: PolicyErrorKind, help: &str) -> Self {
        Self::new(file, "", vec![PolicyError { place: None, kind, help: Some(help.to_owned()) }])
    }

    /// The path of the policy file, as given.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The text of the policy, into which the spans point; empty when it could not be read.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The errors, in the order of the file.
    #[must_use]
    pub fn errors(&self) -> &[PolicyError] {
        &self.errors
    }
}

/// `file:line:column: message`, with the help on a line of its own.
impl std::fmt::Display for PolicyErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = self.file.display();
        for (position, error) in self.errors.iter().enumerate() {
            if position > 0 {
                writeln!(f)?;
            }
            match &error.place {
                Some(place) => write!(f, "{file}:{}:{}: {error}", place.line, place.column)?,
                None => write!(f, "{file}: {error}")?,
            }
            if let Some(help) = &error.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for PolicyErrors {}
