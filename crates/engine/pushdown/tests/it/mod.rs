//! Statements for engines, and engines that follow them or return false answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod engines;
mod pushdown;
