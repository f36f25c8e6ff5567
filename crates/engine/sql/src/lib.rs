//! SQL on protected data, up to the exact answer: the only crate that knows the engine, which parses and analyses questions
//! here and executes nothing.
//!
//! | question | module |
//! |---|---|
//! | which SQL is allowed? | `syntax` (with places), then `lower` (which guarantees rest on) |
//! | what may be computed from a row? | the language of [`deniable_expression`]: what cannot be said in it is refused |
//! | what is asked, and when are two questions one? | [`plan`] |
//! | what do public facts say of an expression? | `facts`: bounds and grids, keys, typical values |
//! | where are the rows, and which files are they? | [`source`] |
//! | what does a row contribute, and how do tables meet? | [`mod@compute`] |
//! | how much of one entity counts, and what do cells add up to? | [`bound`] |
//! | what is asked of each entity, and what do caps leave out? | [`plan`], [`fn@losses`] |
//! | what makes the levels of a table with totals add up? | [`consistent`] |
//! | what is asked of an engine that holds the rows? | [`pushdown`] |
//! | what is done with noisy answers? | [`output`] |
//!
//! The order of operations is fixed: row-wise expressions, WHERE, drop undeclared keys, clamp, cap each entity's
//! rows, add up. Exact answers leave this crate only as [`bound::Exact`], which cannot be printed.

pub mod bound;
pub mod compute;
pub mod consistent;
pub mod error;
mod facts;
mod lower;
pub mod output;
pub mod plan;
pub mod pushdown;
mod syntax;

pub use bound::{Exact, Salt};
pub use compute::{
    Beyond, Losses, Prepared, Simulation, TrueError, Worst, exact, least_memory, losses, prepare, true_errors,
};
pub use deniable_data as source;
pub use deniable_data::{Progress, Resources, Source};
pub use error::{Place, QueryError, SourceError};
pub use facts::typical::{ColumnGuess, Guesses, Missing};
pub use plan::Query;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_sql;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
