//! Every implication against random exact mechanisms, every bound attained, every counterexample verified.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod beliefs;
mod counterexamples;
mod implications;
mod observers;
mod statements;
mod whole;
mod world;
