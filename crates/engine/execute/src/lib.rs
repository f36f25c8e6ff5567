//! From rows to exact totals: what one row contributes, how much of one entity counts, and what cells add up to, on all
//! threads and within a limit of memory.
//!
//! | question | where |
//! |---|---|
//! | what does a row contribute, and how do tables meet? | `compute` |
//! | how much of one entity counts, and what do cells add up to? | `bound` |
//! | what do caps and bounds leave out? | [`fn@losses`], for the curator alone |
//! | what would an answer on made-up rows be? | [`Simulation`] |
//!
//! Exact answers leave this crate only as [`Exact`], which cannot be printed. Its comparisons ([`Exact::is_same`],
//! [`Exact::changes`]) are for answers on made-up rows alone.

mod bound;
mod compute;

pub use bound::{ComputeError, Exact, Salt, TotalKind, Totals};
pub use compute::{ClampedValues, Losses, Reading, Simulation, exact, least_memory, losses, open};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_execute;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
