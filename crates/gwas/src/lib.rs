//! Association results that nobody's participation can be read from: from genotype files to published picks.
//!
//! | question | module |
//! |---|---|
//! | what is promised, about what, against whom? | [`promise`] |
//! | what is asked of a cohort? | [`request`] |
//! | where are its files, and what is the table of every SNP? | [`cohort`] |
//! | are they the declared version, and has the curator seen them? | [`registration`] |
//! | how far is every SNP from the threshold? | [`mod@scores`] |
//! | who pays for a release? | [`mod@payment`] |
//! | what would it cost, and how far would it be off? | [`mod@forecast`] |
//! | what can go wrong? | [`GwasError`] |
//! | charge, compute, store, show | [`mod@release`] |
//! | what is picked, and with which noise? | `draw` |
//! | what is stored, and what is published? | [`answer`] |
//! | what are the true values, for the curator alone? | [`curator`] |
//! | would a selection find the causes, and how many people does that take? | [`power`] |

pub mod answer;
pub mod cohort;
pub mod curator;
mod draw;
mod error;
pub mod forecast;
pub mod payment;
pub mod power;
pub mod promise;
pub mod registration;
pub mod release;
pub mod request;
pub mod scores;

pub use answer::{Answer, tab_separated};
pub use cohort::{Cohort, Files, Located, NameError, Opened};
pub use error::GwasError;
pub use forecast::forecast;
pub use payment::{Payment, PaymentError, payment};
pub use promise::{Promised, PromisedError, Protects};
pub use registration::{Declared, check};
pub use release::{Event, Means, Origin, Released, release};
pub use request::{Cut, Part, Request, Score, Snps};
pub use scores::scores;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_gwas;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
