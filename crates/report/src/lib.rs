//! One self-contained page: the answers, the guarantee, and what was spent.
//!
//! | question | module |
//! |---|---|
//! | what goes onto the page? | [`report`] |
//! | what did an account promise, spend and have left? | [`overview`] |
//! | who could learn how much? | [`observers`] |
//! | which picture suits an answer? | [`answers`] |
//!
//! A page is a file without anything beside it: no script, no font, no address. What is on it was published already, or
//! follows from the policy; the curator's private notes never get here.

pub mod answers;
mod beliefs;
mod frame;
pub mod observers;
pub mod overview;
pub mod report;
mod spending;

pub use report::{Chosen, Report, ReportError};
