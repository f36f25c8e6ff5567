//! The theorems of `docs/theorems`, held to small worlds: every dataset, every answer and whole grids of priors are
//! enumerated with exact fractions.
//!
//! A test compares what a prior lets an observer conclude, worked out from nothing but Bayes' rule, with what the
//! entry says in terms of adjacent datasets. Mechanisms are tables of probabilities: random ones for the bounds,
//! hand-made ones where a bound must be attained or a statement must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod candidates;
mod composition;
mod coupling;
mod dice;
mod errata;
mod exponential;
mod families;
mod flip;
mod groups;
mod prior;
mod sensitivity;
mod world;
