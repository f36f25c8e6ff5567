//! Statements of the papers, on random exact mechanisms and priors, each against the definition.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod chance;
#[path = "../common/mod.rs"]
mod common;
mod composition;
mod coupling;
mod membership;
mod sampling;
