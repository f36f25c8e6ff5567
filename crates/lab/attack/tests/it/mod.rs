//! Attacks on files and on simulated cohorts, and damaged tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod cohort;
mod files;
mod fuzz;
mod simulated;
