//! The evaluation on UCI Adult, and the page about it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod adult;
mod page;
