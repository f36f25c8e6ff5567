//! Output of a query: exact arithmetic, HAVING, ORDER BY, LIMIT and windows over results. All of it is post-processing
//! (C-3) and costs nothing; the amount of work follows from the query alone (`effort`).

mod effort;
mod limits;
mod measures;
mod types;
mod window;

pub use effort::{Effort, MOST_PLANNING, MOST_STEPS, MOST_TEXT};
pub use limits::{MOST_BITS, MOST_ROWS, MOST_SHOWN, MOST_VALUES};
pub(crate) use measures::measures;
pub use measures::parts;
pub use types::ValueType;
pub use window::{Frame, Window, WindowFunction};

use deniable_core::exact::Rational;
use deniable_core::schema::Key;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The columns of the result and the steps that produce its rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The levels whose cells are the rows before any step. Subqueries read the other levels.
    pub levels: Vec<usize>,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The terms of the columns.
    pub columns: Vec<Term>,
    /// HAVING, ORDER BY and LIMIT, in the order in which they apply.
    pub steps: Vec<Step>,
    /// The windows that terms and steps refer to.
    pub windows: Vec<Window>,
}

impl Output {
    /// Visits every condition on results, wherever it occurs, and its parts.
    pub fn conditions(&self, look: &mut dyn FnMut(&Condition)) {
        let mut look_at = |part: Part<'_>| {
            if let Part::Condition(condition) = part {
                look(condition);
            }
        };
        self.columns.iter().for_each(|term| term.parts(&mut look_at));
        self.windows.iter().for_each(|window| window.argument.parts(&mut look_at));
        parts_of(&self.steps, &mut look_at);
    }
}

/// A part of an expression on results.
enum Part<'a> {
    Term,
    Condition(&'a Condition),
}

fn parts_of(steps: &[Step], look: &mut dyn FnMut(Part<'_>)) {
    for step in steps {
        match step {
            Step::Filter(condition) => condition.parts(look),
            Step::Subquery { steps, .. } => parts_of(steps, look),
            Step::Group(terms) => terms.iter().for_each(|term| term.parts(look)),
            Step::Sort(by) => by.iter().for_each(|by| by.term.parts(look)),
            Step::Look(_) | Step::Limit { .. } => {}
        }
    }
}

impl Term {
    /// The number of parts.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.parts(&mut |_| size += 1);
        size
    }

    /// Visits the term and all of its parts, except those of windows.
    fn parts(&self, look: &mut dyn FnMut(Part<'_>)) {
        look(Part::Term);
        match self {
            Self::Case(branches, otherwise) => {
                for (condition, value) in branches {
                    condition.parts(look);
                    value.parts(look);
                }
                otherwise.parts(look);
            }
            Self::Arithmetic(_, sides) => sides.iter().for_each(|side| side.parts(look)),
            Self::Function(_, inner) | Self::Lookup(inner, _) => inner.parts(look),
            Self::Key(_)
            | Self::Answer(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Level
            | Self::Window(_)
            | Self::Grouping(_)
            | Self::Null => {}
        }
    }
}

impl Condition {
    /// The number of parts.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.parts(&mut |_| size += 1);
        size
    }

    fn parts(&self, look: &mut dyn FnMut(Part<'_>)) {
        look(Part::Condition(self));
        match self {
            Self::And(sides) | Self::Or(sides) => sides.iter().for_each(|side| side.parts(look)),
            Self::Not(inner) => inner.parts(look),
            Self::Compare(_, sides) => sides.iter().for_each(|side| side.parts(look)),
            Self::IsNull(term) | Self::Holds(term) => term.parts(look),
        }
    }
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
    /// A function of a number.
    Function(Function, Box<Term>),
    /// Distinguishes the groupings of a query with several; never shown.
    Level,
    /// The value of the window at this position.
    Window(usize),
    /// `GROUPING(x)`: 1 where a row is about all keys of this group column, 0 where it is about one. Public and exact.
    Grouping(usize),
    /// NULL.
    Null,
    /// `CASE WHEN condition THEN value ... ELSE value END`: the value of the first condition that is true.
    Case(Vec<(Condition, Term)>, Box<Term>),
    /// The value of a public table for a key; NULL if the table has no such key.
    Lookup(Box<Term>, Arc<BTreeMap<Key, Term>>),
}

/// A function of a result. Each is monotone on either side of zero, so intervals map through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Rounds to this many digits after the point, ties away from zero.
    Round(i8),
    /// Rounds down to an integer.
    Floor,
    /// Rounds up to an integer.
    Ceil,
    /// The absolute value.
    Absolute,
    /// The natural logarithm, as for geometric means; NULL unless the value is positive.
    Ln,
    /// e to this power; NULL beyond the range of floats.
    Exp,
    /// The square root; NULL for negative values.
    Sqrt,
}

/// A condition on results, decided by released values alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two values compared; unknown when one is NULL.
    Compare(Comparison, Box<[Term; 2]>),
    /// Both conditions.
    And(Box<[Condition; 2]>),
    /// At least one of the conditions.
    Or(Box<[Condition; 2]>),
    /// Not.
    Not(Box<Condition>),
    /// Whether a value is NULL.
    IsNull(Term),
    /// A Boolean value.
    Holds(Term),
}

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
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
    /// HAVING: keeps rows where the condition is true.
    Filter(Condition),
    /// Computes the window at this position over the current rows.
    Look(usize),
    /// GROUP BY over results: of the rows that agree in all of these terms, keeps the first. Without terms one row
    /// remains, even if there was no row.
    Group(Vec<Term>),
    /// A subquery of one row, which every row reads through the window at this position.
    Subquery {
        /// The window.
        window: usize,
        /// The levels whose cells are its rows.
        levels: Vec<usize>,
        /// The steps of the subquery.
        steps: Vec<Step>,
    },
    /// ORDER BY.
    Sort(Vec<Sort>),
    /// LIMIT and OFFSET.
    Limit {
        /// Number of rows to skip.
        skip: usize,
        /// Number of rows to show, if limited.
        fetch: Option<usize>,
    },
}

/// One ORDER BY expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// The expression.
    pub term: Term,
    /// Whether the smallest value comes first.
    pub ascending: bool,
    /// Whether NULLs come first.
    pub nulls_first: bool,
}
