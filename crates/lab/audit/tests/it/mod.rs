//! Audits of a zoo of mechanisms, and of programs that behave badly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

#[cfg(unix)]
mod process;
mod zoo;
