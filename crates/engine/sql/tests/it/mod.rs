//! Facts about the queries that statements are planned to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod exclusive;
mod reachable;
mod types;
