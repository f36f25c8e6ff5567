//! What can be wrong with a policy: the place, the complaint and the hint.

use deniable_core::adversary::{AdversaryError, PriorRangeError};
use deniable_core::exact::{ParseRationalError, Rational};
use deniable_core::promise::PromiseError;
use deniable_core::schema::BoundsError;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Where in the policy file something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The same place in bytes of [`PolicyErrors::source`]; may be empty.
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
        // A byte order mark takes no room in an editor.
        let column = before[line_start..].chars().filter(|c| *c != '\u{feff}').count() + 1;
        Self { line: before.matches('\n').count() + 1, column, span: start..end }
    }
}

/// One thing that is wrong with a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct PolicyError {
    /// Where; `None` when the file as a whole is wrong.
    pub place: Option<Place>,
    /// What is wrong.
    pub kind: PolicyErrorKind,
    /// What to write instead, or to do.
    pub help: Option<String>,
}

/// What is wrong with a policy.
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
    /// Nothing but white space.
    #[error("the policy is empty")]
    EmptyFile,
    /// Not TOML.
    #[error("this is not TOML: {0}")]
    Syntax(String),
    /// A key that means nothing here.
    #[error("{section} has no key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// The table, in words.
        section: String,
    },
    /// A key or table that must be there.
    #[error("{section} needs `{key}`")]
    MissingKey {
        /// The key.
        key: String,
        /// The table, in words.
        section: String,
    },
    /// The text `"?"`: a person has to decide this first.
    #[error("`{key}` is not decided yet")]
    Blank {
        /// The key.
        key: String,
        /// The column that it is about, with its table where that is not the main one.
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
        /// What is wrong with the number.
        error: ParseRationalError,
    },
    /// A number outside its range.
    #[error("`{key}` = {value} must be {range}")]
    OutOfRange {
        /// The key.
        key: String,
        /// What was given.
        value: Rational,
        /// What is allowed, in words.
        range: &'static str,
    },
    /// A text that cannot be used as it stands.
    #[error("`{key}` {problem}")]
    Text {
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A list of at least one entry that has none.
    #[error("`{key}` is an empty list")]
    EmptyList {
        /// The key.
        key: String,
    },
    /// The same entry twice.
    #[error("{what} stands here a second time")]
    Repeated {
        /// The entry, in words.
        what: String,
    },
    /// A key that makes sense only beside another.
    #[error("`{key}` needs `{other}` beside it")]
    Alone {
        /// The key that is there.
        key: &'static str,
        /// The key that is not.
        other: &'static str,
    },
    /// A key that must not be there because of something else in the policy.
    #[error("`{key}` has no meaning {when}")]
    Misplaced {
        /// The key that is there.
        key: &'static str,
        /// What rules it out.
        when: &'static str,
    },
    /// A column that is not declared under `[columns]`, or not listed in `[data.csv]`.
    #[error("there is no column `{column}` in {list}")]
    NoColumn {
        /// The column.
        column: String,
        /// Where it was looked for.
        list: String,
    },
    /// More tables than [`crate::MOST_TABLES`].
    #[error("there are more than {most} tables under [tables]")]
    TooManyTables {
        /// How many may be there.
        most: usize,
    },
    /// A table that says neither whose rows it holds nor that they are nobody's.
    #[error("nothing says whose rows [{table}] holds")]
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
        /// Why not.
        why: String,
    },
    /// Bounds that make no grid.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// Bounds of a date or timestamp that make no interval.
    #[error("the lower bound {low} is not before the upper bound {high}")]
    DatesInverted {
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
    },
    /// Priors that make no interval.
    #[error(transparent)]
    Priors(#[from] PriorRangeError),
    /// Adversaries that no theorem covers.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// A policy without a promise.
    #[error("nothing is promised")]
    NoPromise,
    /// A policy without a query.
    #[error("nothing is asked")]
    NoQuery,
    /// Explicit shares beyond the spend.
    #[error("the shares add up to {sum}, more than spend = {spend}")]
    SharesExceed {
        /// The shares up to and including the one at this place.
        sum: Rational,
        /// What the policy may spend.
        spend: Rational,
    },
    /// Explicit shares that leave nothing for the queries without one.
    #[error("the shares of other queries use all of spend = {spend}: nothing is left for this one")]
    NothingLeft {
        /// What the policy may spend.
        spend: Rational,
    },
}

/// Everything that is wrong with a policy, in the order of the file. Never empty.
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

    /// The policy file, as it was named.
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

/// `file:line:column: complaint`, and the hint on a line of its own.
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
