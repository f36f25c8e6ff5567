//! From rows to exact totals: the contribution of each row, caps on entities, and sums over cells, on all threads and
//! within a memory limit.
//!
//! | topic | where |
//! |---|---|
//! | evaluation of rows, and joins | `compute` |
//! | caps on entities, and totals of cells | `bound` |
//! | rows and values that caps and bounds leave out | [`fn@losses`], for the curator alone |
//! | answers on made-up rows | [`Simulation`] |
//!
//! Exact answers leave this crate only as [`Exact`], which cannot be printed. Its comparisons ([`Exact::is_same`],
//! [`Exact::changes`]) are for answers on made-up rows alone.

mod bound;
mod compute;

pub use bound::{ComputeError, Exact, Salt, TotalKind, Totals};
pub use compute::{ClampedValues, Losses, Reading, Simulation, exact, least_memory, losses, open};

// `tests/it` is part of the unit tests' program, so that each crate links one program. It names this crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_execute;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
