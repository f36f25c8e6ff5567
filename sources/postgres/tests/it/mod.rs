//! Tables of PostgreSQL as a source of rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod rows;
