//! Releases of association results, and the secrets that they must not reveal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod registration;
mod release;
mod secrets;
mod steps;
