//! Self-contained pages: the answers, the guarantee, and the spending.
//!
//! | content | module |
//! |---|---|
//! | page of a ledger | [`report`] |
//! | promise, spending and remainder of an account | [`overview`] |
//! | observers, and the beliefs that each can reach | [`observers`] |
//! | allowed beliefs of a promise, and beliefs under its odds | [`promise`] |
//! | chart and table of an answer | [`answers`] |
//! | first lines and key numbers; last section | `headline`, `method` |
//! | results of an attack, beside the bounds of a promise | [`attack`] |
//! | what an anonymised table reveals | [`assessment`] |
//! | power of a selection over sizes of cohorts | [`mod@power`] |
//!
//! A page is one file that loads no others: no script, no font, no address. The page of a ledger contains only what was
//! published already or follows from the policy; it never contains the curator's private notes. Pages about attacks and
//! assessments contain measurements on private data: they are for the curator, and say so.

pub mod answers;
mod answers_page;
#[cfg(feature = "assess")]
pub mod assessment;
#[cfg(feature = "attack")]
pub mod attack;
mod beliefs;
mod diagnose;
mod frame;
mod headline;
mod method;
pub mod observers;
pub mod overview;
pub mod power;
pub mod promise;
pub mod report;
mod spending;

pub use promise::PromisePicture;
pub use report::{ChosenAnswer, Report, ReportError};

// `tests/it` is compiled into the unit tests: one program per crate to link. `extern crate self` gives it the crate's
// public name.
#[cfg(test)]
extern crate self as deniable_report;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
