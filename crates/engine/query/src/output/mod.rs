//! What is shown of answers: exact arithmetic, HAVING, ORDER BY, LIMIT and windows over results. All of it is
//! post-processing (C-3) and costs nothing; how much work it is follows from the query alone (`effort`).

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
pub use window::{Window, WindowFunction};

use deniable_core::exact::Rational;
use deniable_core::schema::Key;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is shown, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The levels whose cells are its rows, before any step; the others are read by subqueries.
    pub levels: Vec<usize>,
    /// The names of the columns.
    pub names: Vec<String>,
    /// What each column shows.
    pub columns: Vec<Term>,
    /// HAVING, ORDER BY and LIMIT, in the order in which they apply.
    pub steps: Vec<Step>,
    /// What terms and steps refer to as windows.
    pub windows: Vec<Window>,
}

impl Output {
    /// Looks at every condition on results, wherever it stands, and at those that it is made of.
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

/// What expressions on results are made of.
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
    /// Of how many parts it is made.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.parts(&mut |_| size += 1);
        size
    }

    /// Looks at it and at everything that it is made of. What windows look at is no part of it.
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
    /// Of how many parts it is made.
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
    /// What tells several groupings apart; never shown.
    Level,
    /// What a window function gives the row, by its position among the windows.
    Window(usize),
    /// `GROUPING(x)`: 1 where a row is about all keys of this group column, 0 where it is about one. Public, and exact.
    Grouping(usize),
    /// NULL.
    Null,
    /// `CASE WHEN condition THEN value ... ELSE value END`: the value of the first condition that is true.
    Case(Vec<(Condition, Term)>, Box<Term>),
    /// What a public table has for a value; NULL where it has none.
    Lookup(Box<Term>, Arc<BTreeMap<Key, Term>>),
}

/// A function of a result. All of them are monotone on either side of zero, so intervals go through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// To this many digits after the point, ties away from zero.
    Round(i8),
    /// Down to a whole number.
    Floor,
    /// Up to a whole number.
    Ceil,
    /// Without its sign.
    Absolute,
    /// The natural logarithm, for geometric means and the like; none of zero and below.
    Ln,
    /// e to this power; none beyond what floats can be, which is nobody's number.
    Exp,
    /// The square root; none below zero.
    Sqrt,
}

/// A condition on results, decided by their released values alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two values compared; unknown when one is NULL.
    Compare(Comparison, Box<[Term; 2]>),
    /// Both.
    And(Box<[Condition; 2]>),
    /// At least one.
    Or(Box<[Condition; 2]>),
    /// Not.
    Not(Box<Condition>),
    /// Whether a value is NULL.
    IsNull(Term),
    /// A value that is true or false.
    Holds(Term),
}

/// How two values are compared.
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
    /// HAVING: rows where the condition is true stay.
    Filter(Condition),
    /// The window at this position looks at the rows that there are.
    Look(usize),
    /// GROUP BY over results: of the rows that agree in all of these terms, the first one stays. Without terms one row stays, even where there
    /// was none.
    Group(Vec<Term>),
    /// A subquery of one row, which every row sees through the window at this position.
    Subquery {
        /// The window.
        window: usize,
        /// The levels whose cells are its rows.
        levels: Vec<usize>,
        /// What is done with them.
        steps: Vec<Step>,
    },
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
