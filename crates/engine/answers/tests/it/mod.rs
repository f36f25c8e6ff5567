//! Shown rows for noisy numbers, for statements of all kinds, and the slowest statements.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

#[path = "../../../execute/tests/it/generate/dice.rs"]
mod dice;
mod intervals;
mod population;
mod results;
mod slowest;
mod typical;
mod widths;
mod windows;
