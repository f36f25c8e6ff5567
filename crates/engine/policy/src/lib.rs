//! Reads a policy (TOML): who is protected from whom, what is promised, and what is asked.
//!
//! A [`Policy`] is checked as a whole, and every number in it is exact: TOML numbers are read from their text,
//! never through a float. What is wrong is said with its place and its hint, all of it at once
//! ([`PolicyErrors`]). Nothing here looks at the data.
//!
//! ```
//! use deniable_policy::Policy;
//! use std::path::Path;
//!
//! let text = r#"
//! name = "clinic"
//! population = "clinic-patients"
//! data = { table = "visits", path = "visits.csv", version = "2024-06" }
//! adversary = { preset = "acquaintance" }
//! promise = { posterior_at_most = 0.75 }
//! [[query]]
//! sql = "SELECT COUNT(*) FROM visits"
//! "#;
//! let policy = Policy::parse(Path::new("policy.toml"), text)?;
//! assert_eq!(policy.guarantee().limit().to_string(), "3"); // an odds ratio of exactly 3
//! let words = policy.guarantee().promises_in_words();
//! assert_eq!(words, ["no observer becomes more than 75% sure that a given person is in the data"]);
//! # Ok::<(), deniable_policy::PolicyErrors>(())
//! ```
//!
//! | question | file |
//! |---|---|
//! | what is in a policy? | `policy.rs`, `data.rs`, `csv.rs`, `columns.rs`, `entity.rs`, `tables.rs`, `adversary.rs`, `promise.rs`, `budget.rs`, `quality.rs`, `query.rs`, `typical.rs`, `within.rs` |
//! | how are days counted, and dates written? | `dates.rs` |
//! | how are TOML values, their places and errors kept? | `tree.rs`, `reader.rs`, `error.rs` |
//! | what are the words of other libraries called here? | `foreign.rs` |
//! | what must a person decide, and why? | `blanks.rs` |
//! | which part of the promise does each query get? | `shares.rs` |
//! | how does a policy begin? | `scaffold.rs` |
//! | how is one built in code? | `builder.rs` |

mod adversary;
mod blanks;
mod budget;
mod builder;
mod columns;
mod csv;
mod data;
mod dates;
mod diagnose;
mod entity;
mod error;
mod foreign;
mod keys;
mod policy;
mod promise;
mod quality;
mod query;
mod reader;
mod relation;
mod scaffold;
mod shares;
mod tables;
mod tree;
mod typical;
mod within;

pub use builder::PolicyBuilder;
pub use deniable_core::text::nearest;
pub use deniable_toml::{Table, Value};
pub use error::{Place, PolicyError, PolicyErrorKind, PolicyErrors};
pub use policy::{LARGEST_FILE, Policy, is_population};
pub use quality::{Display, Quality};
pub use query::{OwnCaps, Query, QueryError, QuerySubject, Sampling, Size};
pub use scaffold::{ColumnNotes, Rows, Scaffold, scaffold};
pub use shares::TargetsTooDear;
pub use tables::MOST_TABLES;
pub use typical::{Typical, TypicalColumn};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_policy;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
