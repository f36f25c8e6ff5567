//! Audits of the mechanisms of the zoo, and of programs that misbehave.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

#[cfg(unix)]
mod process;
mod zoo;
