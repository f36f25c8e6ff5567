//! The functions and classes of the Python package `deniable`: the library, called from Python. `python/wheel` makes
//! the extension module of them.
//!
//! | topic | module |
//! |---|---|
//! | tables as input and output | `rows` |
//! | policies and their promises | `policy` |
//! | queries | `session` |
//! | waiting for computations | `call` |
//! | the interpreter's lock and its end | `interpreter` |
//! | exact numbers as texts | `number` |
//! | decisions about mechanisms | `check` |
//! | translations of promises | `translate` |
//! | assessments of anonymised tables | `assess` |
//! | releases of association results | `gwas` |
//! | audits of functions | `audit` |
//! | answers in notebooks | `drawn` |
//! | errors as exceptions | `failure` |
//!
//! The only user is `python/deniable`, which has the public names, types and texts, and makes no decisions. Rules of
//! this crate: only Python's own threads access Python objects; the interpreter's lock is released while computing and
//! waiting; results are text, JSON, exact numbers, or Arrow.

mod assess;
mod audit;
mod call;
mod check;
mod draft;
mod drawn;
mod failure;
mod gwas;
mod interpreter;
mod number;
mod policy;
mod rows;
mod session;
mod translate;

pub use call::Call;
pub use drawn::{answer_html, answer_pictures, answer_text, belief_curve, picture_style};
pub use interpreter::detached;
pub use policy::Policy;
pub use rows::{Rows, answer_table, rows_as_text};
pub use session::{Findings, QueryPlan, Session, plan_count};

/// The functions in a module of their own, since PyO3 creates a module beside each function.
pub mod functions {
    pub use crate::assess::assess;
    pub use crate::audit::audit;
    pub use crate::check::check;
    pub use crate::draft::draft;
    pub use crate::gwas::gwas;
    pub use crate::interpreter::{forked, interpreter_ends};
    pub use crate::translate::translate;
}
