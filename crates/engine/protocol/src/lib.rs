//! The order of the steps of every kind of release:
//!
//! ```text
//! identity → stored? → price → fits? → ready → charge → compute → draw and store the numbers → finish → store → show
//! ```
//!
//! | topic | module |
//! |---|---|
//! | description of a kind of release | [`kind`] |
//! | order of the steps | [`driver`] |
//! | errors about the ledger | [`error`] |
//!
//! # Invariants
//! 1. All checks that can refuse run before the first charge of a run: admission, the budget, and everything that
//!    [`Kind::ready`] reads.
//! 2. A release is on disk as a charge before any part of it is computed, and its answer is on disk before it is shown.
//!    For each payment by the whole at most one draw of its noise is ever begun (P-1): exact numbers are computed
//!    without random bits, noise is drawn under the ledger's lock and stored at a width that the query fixes, and every
//!    shown number is computed from the stored ones. Between the first random bit and the commit no step can fail, wait
//!    or be observed as a function of noise.
//! 3. The shown answer is the stored one, even when another process stored first.
//! 4. A release that exhausts the machine does not prevent the others; its charge remains, and the same release
//!    resumes at no cost, on the same basis and at the same price, unless its draw had begun.
//! 5. A stored answer is shown again without a charge and without reading the data; an answer in an unknown form is
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
