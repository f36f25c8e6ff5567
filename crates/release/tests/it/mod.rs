//! Releases from policies: order of steps, coverage of intervals, questions with known answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod consistent;
mod contained;
mod coverage;
mod forecast;
mod order;
mod questions;
mod sql_cases;
mod typical;
