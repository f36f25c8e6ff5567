//! The order in which anything is released, whatever kind it is of:
//!
//! ```text
//! identity → stored? → price → fits? → ready → charge → compute → draw and store the numbers → finish → store → show
//! ```
//!
//! | question | module |
//! |---|---|
//! | what must a kind of release say of itself? | [`kind`] |
//! | in which order is it asked? | [`driver`] |
//! | what can go wrong about the ledger? | [`error`] |
//!
//! # Invariants
//! 1. All checks that can refuse run before the first charge of a run: admission, the budget, and everything that
//!    [`Kind::ready`] reads.
//! 2. A release is on disk as a charge before anything of it is computed, and its answer is on disk before it is shown.
//!    For each payment by the whole at most one draw of its noise is ever begun (P-1): exact numbers are computed
//!    without random bits, noise is drawn under the ledger's lock and stored at a width that the query fixes, and every
//!    shown number is computed from the stored ones. Between the first random bit and the commit no step can fail, wait
//!    or be observed as a function of noise.
//! 3. What is shown is what is stored, even when another process stored first.
//! 4. One release that exhausts the machine keeps no other from its answer; its charge stays, and the same release
//!    resumes at no cost, on the same basis and at the same price, unless its draw had begun.
//! 5. A stored answer is shown again without a charge and without a look at the data; one in a form that is not known is
//!    refused, and never computed anew.

mod diagnose;
pub mod driver;
pub mod error;
pub mod kind;

pub use driver::{Event, RunOutcome, fits, release, stored};
pub use error::ProtocolError;
pub use kind::{Kind, Origin, Payment};

// `tests/it` is part of the unit tests' program: one program per crate to link.
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
