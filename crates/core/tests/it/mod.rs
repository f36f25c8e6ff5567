//! The theorems of `docs/theorems`, checked on small worlds: every dataset, every answer and whole grids of priors are
//! enumerated with exact fractions.
//!
//! A test compares the conclusions of an observer, computed from Bayes' rule alone, with the entry's statement about
//! adjacent datasets. Mechanisms are tables of probabilities: random ones for the bounds, constructed ones where a
//! bound must be attained or a statement must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod candidates;
mod composition;
mod coupling;
mod dice;
mod disjoint;
mod errata;
mod exponential;
mod families;
mod flip;
mod groups;
mod horizon;
mod loss_account;
mod loss_beliefs;
mod loss_exact;
mod loss_filter;
mod loss_measure;
mod loss_walk;
mod prior;
mod sensitivity;
mod world;
