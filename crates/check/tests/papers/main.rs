//! Statements of the papers, on random exact mechanisms and priors, each against the definition.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod chance;
mod composition;
mod coupling;
mod membership;
mod sampling;
