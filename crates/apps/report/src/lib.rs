//! One self-contained page: the answers, the guarantee, and what was spent.
//!
//! | question | module |
//! |---|---|
//! | what goes onto the page? | [`report`] |
//! | what did an account promise, spend and have left? | [`overview`] |
//! | who could learn how much? | [`observers`] |
//! | what does a promise allow, and what do its odds make of a belief? | [`promise`] |
//! | which picture suits an answer? | [`answers`] |
//! | what did an attack learn, beside what a promise allows? | [`attack`] |
//! | what does an anonymised table give away? | [`assessment`] |
//! | how probably are causes found, over sizes of cohorts? | [`mod@power`] |
//!
//! A page is a file without anything beside it: no script, no font, no address. What is on the page of a ledger was published
//! already, or follows from the policy; the curator's private notes never get there. Pages on attacks and assessments hold what
//! was measured on private data: they are the curator's, and say so.

pub mod answers;
#[cfg(feature = "assess")]
pub mod assessment;
#[cfg(feature = "attack")]
pub mod attack;
mod beliefs;
mod diagnose;
mod frame;
pub mod observers;
pub mod overview;
pub mod power;
pub mod promise;
pub mod report;
mod spending;

pub use promise::PromisePicture;
pub use report::{ChosenAnswer, Report, ReportError};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_report;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
