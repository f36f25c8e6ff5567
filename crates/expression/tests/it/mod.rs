//! What holds of every expression: laws on random ones, and damaged bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod fuzz;
mod law;
