//! What is done with noisy answers: exact arithmetic, ORDER BY and LIMIT. All of it is post-processing (C-3) and
//! costs nothing.
//!
//! Numbers here are fractions, so `COUNT(*) / 2` of 7 is 3.5. Every number carries an interval: where a term
//! combines several measures, each gets a part of the allowed error (the union bound), so that the whole still
//! covers the truth with the stated confidence.

mod evaluate;

pub use evaluate::{Noisy, Shown, ShownRow};

use deniable_core::exact::Rational;

/// What is shown, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The names of the columns.
    pub names: Vec<String>,
    /// What each column shows.
    pub columns: Vec<Term>,
    /// ORDER BY and LIMIT, in the order in which they apply.
    pub steps: Vec<Step>,
}

/// An expression over keys and answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// The key of the cell in this group column.
    Key(usize),
    /// The answer at this position.
    Answer(usize),
    /// A number.
    Number(Rational),
    /// A text.
    Text(String),
    /// Two numbers combined.
    Arithmetic(Operator, Box<[Term; 2]>),
}

/// Arithmetic on results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, exact; NULL where the divisor is zero.
    Divide,
}

/// One step after the noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// ORDER BY.
    Sort(Vec<Sort>),
    /// LIMIT and OFFSET.
    Limit {
        /// Rows passed over.
        skip: usize,
        /// Rows shown, if limited.
        fetch: Option<usize>,
    },
}

/// One ORDER BY expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// What is ordered by.
    pub term: Term,
    /// Smallest first.
    pub ascending: bool,
    /// NULLs first.
    pub nulls_first: bool,
}
