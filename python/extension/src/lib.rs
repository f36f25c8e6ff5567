//! The functions and classes of the Python package `deniable`: the library, called from Python. `python/wheel` makes the extension module of them.
//!
//! | question | module |
//! |---|---|
//! | how do tables come in and go out? | `rows` |
//! | what is a policy, and what does it promise? | `policy` |
//! | how are queries asked? | `session` |
//! | how is a computation waited for? | `call` |
//! | what is decided about a mechanism? | `check` |
//! | what is a promise in the terms of others? | `translate` |
//! | what does an anonymised table give away? | `assess` |
//! | how are association results released? | `gwas` |
//! | how is a function audited? | `audit` |
//! | how does an answer look in a notebook? | `drawn` |
//! | how does a failure become an exception? | `failure` |
//!
//! Everything here is for `python/deniable`, which has the names, types and words that people see; nothing decides there. Rules of this crate:
//! no thread but Python's own touches a Python object; the interpreter's lock is released wherever something is computed or waited for; what leaves is text, JSON, exact numbers, or Arrow.

mod assess;
mod audit;
mod call;
mod check;
mod drawn;
mod failure;
mod gwas;
mod policy;
mod rows;
mod session;
mod translate;

pub use call::Call;
pub use drawn::{answer_html, answer_pictures, answer_text, belief_curve, picture_style};
pub use policy::Policy;
pub use rows::{Rows, answer_table, rows_as_text};
pub use session::{QueryPlan, Session, plan_count};

/// The functions that have a module of their name here: PyO3 makes a module beside each.
pub mod functions {
    pub use crate::assess::assess;
    pub use crate::audit::audit;
    pub use crate::check::check;
    pub use crate::gwas::gwas;
    pub use crate::translate::translate;
}
