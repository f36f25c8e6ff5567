//! What can be wrong with the tables of an assessment: the column, value or class, and what to do about it.

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
    #[error(
        "{table} has no column `{}`; there are: {}; name one of these, or rename it in the table",
        shown(column),
        shown(found)
    )]
    NoColumn {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
        /// The name that was looked for.
        column: String,
        /// What the table has in its place, in words.
        found: String,
    },
    /// A name that several columns have.
    #[error("several columns are called `{}`; rename all but one", shown(column))]
    TwoColumns {
        /// The column's name, as the header has it.
        column: String,
    },
    /// A column that would be both what is known and what is secret.
    #[error("`{}` is named twice among quasi-identifiers and sensitive columns; name it once", shown(column))]
    Roles {
        /// The column's name, as the header has it.
        column: String,
    },
    /// No column to look at.
    #[error("no quasi-identifier is named; name the columns by which somebody could be recognised")]
    NoQuasi,
    /// A table without people.
    #[error("{table} has no rows; check that it is the right file")]
    Empty {
        /// The table: published, background, original or auxiliary.
        table: TableRole,
    },
    /// A row of another width.
    #[error("a row has {found} values where there are {expected} columns; give one for each column")]
    Width {
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A code that no value has.
    #[error("code {code} of column `{}` was given to no value; intern the value first", shown(column))]
    Code {
        /// The column's name, as the header has it.
        column: String,
        /// The code, beyond the values of its column.
        code: u32,
    },
    /// More than can be counted.
    #[error("there are too many {what} for exact counting; assess a part of the table")]
    TooMany {
        /// Of what.
        what: &'static str,
    },
    /// A value that the hierarchy of its column does not know.
    #[error(
        "the hierarchy of column `{}` does not cover `{}`; add a line for it, or correct the value",
        shown(column),
        shown(value)
    )]
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
        /// What is wrong, and what to write instead.
        problem: String,
    },
    /// A hierarchy that gives no distances.
    #[error(
        "the hierarchy of `{}` has no single top above its leaves, so it says no distances; end every line with `*`",
        shown(column)
    )]
    NoTop {
        /// The column's name, as the header has it.
        column: String,
    },
    /// Values that cannot be put in order.
    #[error("the values of `{}` have no order: {problem}", shown(column))]
    NoOrder {
        /// The column's name, as the header has it.
        column: String,
        /// What is wrong, and what to write instead.
        problem: String,
    },
    /// A class that nobody of the background can be in.
    #[error("nobody of the background is covered by the class {class}; widen the background, or correct the cell")]
    CoversNobody {
        /// The class, in words.
        class: String,
    },
    /// A published pair that the background says cannot be.
    #[error(
        "by the background nobody in the class {class} has `{}` = `{}`, but the table publishes it; widen the background",
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
    #[error(
        "the class {class} has {published} rows{of_value}, but only {original} of the original table fit it; check that the two tables belong together"
    )]
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
    #[error("priors from {low} to {high} do not fit; they must be above 0, below 1, and the lower one first")]
    Priors {
        /// The lower end.
        low: String,
        /// The upper end.
        high: String,
    },
    /// A demand that cannot be read.
    #[error("{0}")]
    Requirement(String),
    /// A demand that needs a background.
    #[error("the demand `{demand}` needs a background: {why}; give one, or drop the demand")]
    NeedsBackground {
        /// The demand as it was written.
        demand: String,
        /// Why there is none.
        why: String,
    },
    /// A demand on sensitive values without a sensitive column.
    #[error("the demand `{demand}` is about sensitive values; name a sensitive column")]
    NeedsSensitive {
        /// The demand as it was written.
        demand: String,
    },
    /// Numbers too close to be told apart within bounds.
    #[error("whether {what} holds could not be decided at {bits} bits; demand a number a little away from it")]
    Undecided {
        /// What was asked.
        what: String,
        /// The precision that was tried.
        bits: u32,
    },
}
