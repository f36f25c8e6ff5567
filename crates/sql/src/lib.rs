//! SQL on protected data, up to the exact answer: the only crate that knows DataFusion and Arrow.
//!
//! | question | module |
//! |---|---|
//! | which SQL is allowed? | `syntax` (with places), then [`plan`] (which guarantees rest on) |
//! | what may be computed from a row? | `rows`: total functions only |
//! | where are the rows, and which files are they? | [`source`] |
//! | how much of one entity counts, and what do cells add up to? | [`bound`] |
//! | what makes the levels of a table with totals add up? | [`consistent`] |
//! | what is done with noisy answers? | [`output`] |
//!
//! The order of operations is fixed: row-wise expressions, WHERE, drop undeclared keys, clamp, cap each entity's
//! rows, add up. Exact answers leave this crate only as [`bound::Exact`], which cannot be printed.

pub mod bound;
pub mod consistent;
pub mod error;
pub mod output;
pub mod plan;
mod rows;
pub mod source;
mod syntax;

pub use bound::{Exact, Salt};
pub use error::{Place, QueryError, SourceError};
pub use plan::{Query, Table};
pub use source::{Progress, Resources, Source, exact};
