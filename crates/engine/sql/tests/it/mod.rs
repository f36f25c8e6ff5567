//! What a query is, of statements of all kinds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod exclusive;
mod types;
