//! Every implication against random exact mechanisms, every bound attained, every counterexample verified.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod beliefs;
mod chance;
mod counterexamples;
mod denied;
mod differential;
mod further;
mod implications;
mod observers;
mod statements;
mod typed;
mod vacuous;
mod whole;
mod world;
