//! The extension module of the Python package `deniable`: the library, the commands that look at something, and the command line itself.
//!
//! | question | module |
//! |---|---|
//! | how do tables come in and go out? | `rows` |
//! | what is a policy, and what does it promise? | `policy` |
//! | how are queries asked? | `session` |
//! | how is a computation waited for? | `call` |
//! | what is decided about a mechanism? | `check` |
//! | what is a promise in the terms of others? | `translate` |
//! | what does `assess` find? | `found` |
//! | how are association results released? | `gwas` |
//! | how is a function audited? | `audit` |
//! | how does an answer look in a notebook? | `drawn` |
//! | how does a failure become an exception? | `failure` |
//!
//! Everything here is for `python/deniable`, which has the names, types and words that people see; nothing decides there. Rules of this crate:
//! no thread but Python's own touches a Python object; the interpreter's lock is released wherever something is computed or waited for; what leaves is text, JSON, exact numbers, or Arrow.

mod audit;
mod call;
mod check;
mod drawn;
mod failure;
mod found;
mod gwas;
mod policy;
mod rows;
mod session;
mod translate;

/// The module.
#[pyo3::pymodule]
mod _deniable {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::audit::audit;
    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::drawn::{answer_html, answer_pictures, answer_text, belief_curve, picture_style};
    #[pymodule_export]
    use crate::found::{assess, command};
    #[pymodule_export]
    use crate::gwas::gwas;
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::rows::{Rows, answer_table, rows_as_text};
    #[pymodule_export]
    use crate::session::{QueryPlan, Session, plan_count};
    #[pymodule_export]
    use crate::translate::translate;
}
