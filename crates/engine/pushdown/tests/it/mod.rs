//! Statements for engines, engines that do as they are told, and those that do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod engines;
mod pushdown;
