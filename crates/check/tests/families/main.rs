//! Families of priors, decided by formula, against plain enumeration: priors are tables, an answer moves belief by
//! Bayes' rule, and whatever the engine says must be the largest that is found, with a witness that shows it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod approximate;
mod boxed;
#[path = "../common/mod.rs"]
mod common;
mod explicit;
mod groups;
mod posterior;
mod sized;
mod world;
