//! Translates SQL text to a query. The only crate that uses DataFusion, which parses and analyses statements here and
//! never executes them.
//!
//! | topic | module |
//! |---|---|
//! | the SQL that is allowed | `syntax` (reports places), then `plan` and `lower` (which guarantees depend on) |
//! | the values computed from a row | the language of [`deniable_expression`]: other expressions are rejected |
//! | the result | `plan`: a [`deniable_query::Query`] |

mod lower;
mod plan;
mod syntax;

pub use plan::{PublicRows, plan, plan_with_public};

// `tests/it` is part of the unit tests' program, so that each crate links one program. It names this crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_sql;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
