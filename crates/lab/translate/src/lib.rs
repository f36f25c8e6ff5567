//! What one notion of privacy says in the terms of another.
//!
//! | question | module |
//! |---|---|
//! | which notions are there, and what is a statement? | [`notion`], [`statement`] |
//! | how is a statement read from text? | [`parse`] |
//! | which pairs of datasets does a notion compare, and which comparison follows from which? | [`shape`] |
//! | how does the parameter of a notion become an odds ratio, and back? | [`bounds`] |
//! | what does a statement say of the observers of another? | [`observers`] |
//! | why does nothing follow? | [`counterexample`] |
//! | does a counterexample keep the statement and break the target? | [`refuted`] |
//! | what follows from what, how far, and why not further? | [`translation`] |
//! | what do several releases promise together? | [`compose`] |
//! | how is it shown? | [`render`] |
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_translate;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
