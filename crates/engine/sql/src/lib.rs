//! From SQL text to a query: the only crate that names DataFusion, which parses and analyses statements here and
//! executes nothing.
//!
//! | question | module |
//! |---|---|
//! | which SQL is allowed? | `syntax` (with places), then `plan` and `lower` (which guarantees rest on) |
//! | what may be computed from a row? | the language of [`deniable_expression`]: what cannot be said in it is refused |
//! | what becomes of a statement? | `plan`: a [`deniable_query::Query`] |

mod lower;
mod plan;
mod syntax;

pub use plan::{PublicRows, plan, plan_with_public};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_sql;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
