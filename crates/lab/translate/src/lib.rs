//! Translation of statements in one notion of privacy into other notions.
//!
//! | question | module |
//! |---|---|
//! | Which notions are there, and what is a statement? | [`notion`], [`statement`] |
//! | How is a statement parsed? | [`parse`] |
//! | Which pairs of datasets does a notion compare, and which comparisons imply others? | [`shape`] |
//! | How does the parameter of a notion become an odds ratio, and back? | [`bounds`] |
//! | What does a statement imply for the observers of another? | [`observers`] |
//! | Why does nothing follow? | [`counterexample`] |
//! | Does a counterexample satisfy the statement and break the target? | [`refuted`] |
//! | What implies what, with which value, and why not more? | [`translation`] |
//! | What do several releases promise together? | [`compose`] |
//! | What do statements imply that hold but for a chance, such as (ε,δ)? | [`chance`] |
//! | How are translations displayed? | [`render`] |
//!
//! Every notion limits a likelihood ratio over some pairs of datasets (its *shape*). A translation therefore goes from
//! the parameter to an odds ratio, along an implication between shapes, and from the odds ratio to the other parameter.
//!
//! ```
//! use deniable_core::adversary::PriorRange;
//! use deniable_translate::parse::{statement, target};
//! use deniable_translate::translation::{Direction, translate};
//!
//! let priors = PriorRange::any();
//! let rows = translate(&statement("rho=3/4:2", &priors)?, &target("odds@replace-one", &priors)?)?;
//! assert_eq!(rows[0].direction, Direction::Equivalent);
//! assert_eq!(rows[0].value.as_ref().map(ToString::to_string), Some("3".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod amount;
pub mod bounds;
pub mod chance;
pub mod compose;
pub mod counterexample;
pub mod notion;
pub mod observers;
pub mod parse;
pub mod refuted;
pub mod render;
pub mod shape;
pub mod statement;
pub mod translation;

// `tests/it` is compiled into the unit tests' program: one program per crate to link. It names the crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_translate;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
