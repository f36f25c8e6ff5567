//! Errors of an assessment: the column, value or class, and what to do about it.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::text::shown;

/// Which table an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRole {
    /// The table that was published.
    Published,
    /// The people whom it could be about.
    Background,
    /// The table that it was made from.
    Original,
    /// The people whom an attacker knows.
    Auxiliary,
}

impl TableRole {
    /// The option that names the table; `None` for the published table.
    #[must_use]
    pub fn option(self) -> Option<&'static str> {
        match self {
            Self::Published => None,
            Self::Background => Some("background"),
            Self::Original => Some("original"),
            Self::Auxiliary => Some("auxiliary"),
        }
    }
}

impl std::fmt::Display for TableRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Published => "the published table",
            Self::Background => "the background",
            Self::Original => "the original table",
            Self::Auxiliary => "the auxiliary table",
        })
    }
}

/// A table, hierarchy or demand that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssessError {
    /// A column that is not there.
    #[error("{table} has no column `{}`; there are: {}", shown(column), shown(found))]
    NoColumn {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
        /// The name that was looked for.
        column: String,
        /// What the table has in its place, in words.
        found: String,
    },
    /// A name that several columns have.
    #[error("several columns are called `{}`", shown(column))]
    TwoColumns {
        /// The column's name, as the header has it.
        column: String,
    },
    /// A column that would be both what is known and what is secret.
    #[error("`{}` is named twice among quasi-identifiers and sensitive columns", shown(column))]
    Roles {
        /// The column's name, as the header has it.
        column: String,
    },
    /// No column to look at.
    #[error("no quasi-identifier is named")]
    NoQuasi,
    /// A table without people.
    #[error("{table} has no rows")]
    Empty {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
    },
    /// A row of another width.
    #[error("a row has {found} values where there are {expected} columns")]
    Width {
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A code that no value has.
    #[error("code {code} of column `{}` was given to no value", shown(column))]
    Code {
        /// The column's name, as the header has it.
        column: String,
        /// The code, beyond the values of its column.
        code: u32,
    },
    /// More than can be counted.
    #[error("there are too many {what} for exact counting")]
    TooMany {
        /// Of what.
        what: &'static str,
    },
    /// A value that the hierarchy of its column does not know.
    #[error("the hierarchy of column `{}` does not cover `{}`", shown(column), shown(value))]
    Uncovered {
        /// The column's name, as the header has it.
        column: String,
        /// The value as the table has it.
        value: String,
    },
    /// A line of a hierarchy that is wrong.
    #[error("line {line} of the hierarchy: {problem}")]
    Hierarchy {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to write instead.
        help: &'static str,
    },
    /// A hierarchy that gives no distances.
    #[error("the hierarchy of `{}` has no single top above its leaves, so it gives no distances", shown(column))]
    NoTop {
        /// The column's name, as the header has it.
        column: String,
    },
    /// Values that cannot be put in order.
    #[error("the values of `{}` have no order: {problem}", shown(column))]
    NoOrder {
        /// The column's name, as the header has it.
        column: String,
        /// What is wrong.
        problem: String,
        /// What to write instead.
        help: &'static str,
    },
    /// A class that nobody of the background can be in.
    #[error("nobody of the background is covered by the class {class}")]
    CoversNobody {
        /// The class, in words.
        class: String,
    },
    /// A published pair that the background says cannot be.
    #[error(
        "by the background nobody in the class {class} has `{}` = `{}`, but the table publishes it",
        shown(column),
        shown(value)
    )]
    RuledOut {
        /// The class, in words.
        class: String,
        /// The sensitive column.
        column: String,
        /// The sensitive value.
        value: String,
    },
    /// More was published than there was.
    #[error("the class {class} has {published} rows{of_value}, but only {original} of the original table fit it")]
    Contradiction {
        /// The class, in words.
        class: String,
        /// How many rows the class has in the published table.
        published: u64,
        /// Rows of the original that it covers.
        original: u64,
        /// ` with disease = flu`, or nothing.
        of_value: String,
    },
    /// Priors outside of (0, 1).
    #[error("priors from {low} to {high} do not fit: they must be above 0, below 1, and the lower one first")]
    Priors {
        /// The lower end.
        low: String,
        /// The upper end.
        high: String,
    },
    /// A demand that cannot be read.
    #[error("{message}")]
    Requirement {
        /// What is wrong.
        message: String,
        /// What to write instead; may be empty.
        help: String,
    },
    /// A demand that needs a background.
    #[error("the demand `{demand}` needs a background: {why}")]
    NeedsBackground {
        /// The demand as it was written.
        demand: String,
        /// Why there is none.
        why: String,
    },
    /// A demand on sensitive values without a sensitive column.
    #[error("the demand `{demand}` is about sensitive values")]
    NeedsSensitive {
        /// The demand as it was written.
        demand: String,
    },
    /// Numbers too close to be told apart within bounds.
    #[error("whether {what} holds could not be decided at {bits} bits")]
    Undecided {
        /// What was asked.
        what: String,
        /// The precision that was tried.
        bits: u32,
    },
}

impl AssessError {
    /// What to do about it; may be empty.
    #[must_use]
    pub fn help(&self) -> &str {
        match self {
            Self::NoColumn { .. } => "name one of these, or rename it in the table",
            Self::TwoColumns { .. } => "rename all but one",
            Self::Roles { .. } => "name it once",
            Self::NoQuasi => "name the columns by which a person could be recognised",
            Self::Empty { .. } => "check that it is the right file",
            Self::Width { .. } => "give one value for each column",
            Self::Code { .. } => "intern the value first",
            Self::TooMany { .. } => "assess a part of the table",
            Self::Uncovered { .. } => "add a line for it, or correct the value",
            Self::Hierarchy { help, .. } | Self::NoOrder { help, .. } => help,
            Self::NoTop { .. } => "end every line with `*`",
            Self::CoversNobody { .. } => "widen the background, or correct the cell",
            Self::RuledOut { .. } => "widen the background",
            Self::Contradiction { .. } => "check that the two tables belong together",
            Self::Priors { .. } => "write 1/2, or 1/10..1/2",
            Self::Requirement { help, .. } => help,
            Self::NeedsBackground { .. } => "give one, or drop the demand",
            Self::NeedsSensitive { .. } => "name a sensitive column",
            Self::Undecided { .. } => "demand a number a little away from it",
        }
    }

    /// The code of its diagnostic.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            // A demand that cannot be decided is not a demand that is not met: the exit status differs.
            Self::NeedsBackground { .. }
            | Self::NeedsSensitive { .. }
            | Self::Requirement { .. }
            | Self::Priors { .. }
            | Self::Roles { .. }
            | Self::NoQuasi => Code::Usage,
            Self::Undecided { .. } => Code::Other,
            _ => Code::Data,
        }
    }
}

impl Diagnose for AssessError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        vec![Diagnostic::new(self.code(), self).with_help(self.help())]
    }
}
