//! Reads a policy (TOML): the protected people, the adversary, the promise and the queries.
//!
//! A [`Policy`] is validated as a whole, and every number in it is exact: TOML numbers are read from their text,
//! never through a float. All errors are returned together, each with its place and help
//! ([`PolicyErrors`]). This crate does not read the data.
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
//! | topic | file |
//! |---|---|
//! | sections of a policy | `policy.rs`, `data.rs`, `csv.rs`, `columns.rs`, `entity.rs`, `tables.rs`, `new_entities.rs`, `adversary.rs`, `promise.rs`, `budget.rs`, `quality.rs`, `imprint.rs`, `query.rs`, `typical.rs`, `within.rs` |
//! | days, dates and their patterns | `dates.rs` |
//! | TOML values, their places and errors | `tree.rs`, `reader.rs`, `error.rs` |
//! | frequent slips in TOML | `slips.rs` |
//! | terms of other libraries | `foreign.rs` |
//! | decisions left to a person | `blanks.rs` |
//! | the shares of the queries | `shares.rs` |
//! | queries that are repeated for each period | `every.rs` |
//! | drafts of policies | `scaffold.rs` |
//! | the schema of policies | `policy.schema.json`, `schema.rs` |
//! | policies built in code | `builder.rs` |

/// The version of the format of policies.
pub const FORMAT: u32 = 1;

/// The JSON Schema of policies, for editors. It states keys, types and ranges; [`Policy::parse`] checks the rest.
pub const SCHEMA: &str = include_str!("../policy.schema.json");

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
mod every;
mod foreign;
mod imprint;
mod keys;
mod new_entities;
mod policy;
mod promise;
mod quality;
mod query;
mod reader;
mod relation;
mod scaffold;
#[cfg(test)]
mod schema;
mod shares;
mod slips;
mod tables;
mod tree;
mod typical;
mod within;

pub use budget::QueryBudget;
pub use builder::PolicyBuilder;
pub use csv::encoding_named;
pub use deniable_core::text::nearest;
pub use deniable_toml::{Table, Value};

pub use error::{Place, PolicyError, PolicyErrorKind, PolicyErrors};
pub use every::{Every, PeriodNode, PeriodUnit};
pub use policy::{LARGEST_FILE, MadeUpRows, Policy, is_population};
pub use quality::{Display, Quality};
pub use query::{OwnCaps, Query, QueryError, QuerySubject, Sampling, Size, Test};
pub use scaffold::{ColumnNotes, Rows, Scaffold, scaffold};
pub use shares::TargetsTooDear;
pub use tables::MOST_TABLES;
pub use typical::{Typical, TypicalColumn};

// `tests/it` is part of the unit tests' program: one program per crate to link. It names the crate as other crates do.
#[cfg(test)]
extern crate self as deniable_policy;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
