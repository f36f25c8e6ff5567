//! Releases of association results, and what they must not tell.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod registration;
mod release;
mod secrets;
mod steps;
