//! Errors of an assessment: each names the column, value or class, and the remedy.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::text::shown;

/// The table that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRole {
    /// The table that was published.
    Published,
    /// The people who could be in it.
    Background,
    /// The table of raw values that it was made from.
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
    /// A missing column.
    #[error("{table} has no column `{}`; there are: {}", shown(column), shown(found))]
    NoColumn {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
        /// The name that was requested.
        column: String,
        /// The columns of the table, in words.
        found: String,
    },
    /// A name that several columns share.
    #[error("several columns are called `{}`", shown(column))]
    TwoColumns {
        /// The column's name, as the header has it.
        column: String,
    },
    /// A column named both as known to an attacker and as secret.
    #[error("`{}` is named twice among quasi-identifiers and sensitive columns", shown(column))]
    Roles {
        /// The column's name, as the header has it.
        column: String,
    },
    /// A missing quasi-identifier.
    #[error("no quasi-identifier is named")]
    NoQuasi,
    /// A table without people.
    #[error("{table} has no rows")]
    Empty {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
    },
    /// A row with another number of values than the table has columns.
    #[error("a row has {found} values where there are {expected} columns")]
    Width {
        /// The number of values.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A code without a value.
    #[error("column `{}` has no value with code {code}", shown(column))]
    Code {
        /// The column's name, as the header has it.
        column: String,
        /// The code, beyond the last value of its column.
        code: u32,
    },
    /// More people, rows or values than exact counting allows.
    #[error("there are too many {what} for exact counting")]
    TooMany {
        /// The things counted.
        what: &'static str,
    },
    /// A value that the hierarchy of its column lacks.
    #[error("the hierarchy of column `{}` does not cover `{}`", shown(column), shown(value))]
    Uncovered {
        /// The column's name, as the header has it.
        column: String,
        /// The value as the table has it.
        value: String,
    },
    /// An invalid line of a hierarchy.
    #[error("line {line} of the hierarchy: {problem}")]
    Hierarchy {
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: String,
        /// The remedy.
        help: &'static str,
    },
    /// A hierarchy that defines no distances.
    #[error("the hierarchy of `{}` has no single top above its leaves, so it defines no distances", shown(column))]
    NoTop {
        /// The column's name, as the header has it.
        column: String,
    },
    /// Values without an order.
    #[error("the values of `{}` have no order: {problem}", shown(column))]
    NoOrder {
        /// The column's name, as the header has it.
        column: String,
        /// The problem.
        problem: String,
        /// The remedy.
        help: &'static str,
    },
    /// A class that covers no person of the background.
    #[error("the class {class} covers no person of the background")]
    CoversNobody {
        /// The class by its cells.
        class: String,
    },
    /// A published value that the background rules out for its class.
    #[error(
        "the table publishes `{}` = `{}` in the class {class}, but no person of the background in this class has it",
        shown(column),
        shown(value)
    )]
    RuledOut {
        /// The class by its cells.
        class: String,
        /// The sensitive column.
        column: String,
        /// The sensitive value.
        value: String,
    },
    /// More published rows than the original has.
    #[error(
        "the class {class} has {published} rows{of_value}, but only {original} rows of the original table match it"
    )]
    Contradiction {
        /// The class by its cells.
        class: String,
        /// Number of rows of the class in the published table.
        published: u64,
        /// Rows of the original that it covers.
        original: u64,
        /// ` with disease = flu`; empty if all rows of the class are counted.
        of_value: String,
    },
    /// Priors outside of (0, 1).
    #[error("invalid priors from {low} to {high}: both ends must be above 0 and below 1, with the lower one first")]
    Priors {
        /// The lower end.
        low: String,
        /// The upper end.
        high: String,
    },
    /// An invalid demand.
    #[error("{message}")]
    Requirement {
        /// The problem.
        message: String,
        /// The remedy; may be empty.
        help: String,
    },
    /// A demand that needs a background.
    #[error("the demand `{demand}` needs a background: {why}")]
    NeedsBackground {
        /// The demand as it was written.
        demand: String,
        /// The reason why the assessment has no usable background.
        why: String,
    },
    /// A demand on sensitive values, without a sensitive column.
    #[error("the demand `{demand}` needs a sensitive column")]
    NeedsSensitive {
        /// The demand as it was written.
        demand: String,
    },
    /// Numbers too close to be separated at the largest precision.
    #[error("whether {what} holds could not be decided at {bits} bits")]
    Undecided {
        /// The condition to decide.
        what: String,
        /// The largest precision tried.
        bits: u32,
    },
}

impl AssessError {
    /// The remedy; may be empty.
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
            Self::NeedsBackground { .. } => "give a background, or drop the demand",
            Self::NeedsSensitive { .. } => "name a sensitive column",
            Self::Undecided { .. } => "demand a slightly different number",
        }
    }

    /// The code of its diagnostic.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            // An undecidable demand differs from an unmet one: the exit status differs.
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
