//! Decisions against the papers' statements, plain enumeration, and the rechecker; damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod bop;
mod certificate;
mod common;
pub use common::dice as common_dice;
mod crowd;
mod crowd_sampled;
mod errata;
mod every_certificate;
mod families;
mod fuzz;
mod indistinguishable;
mod induced;
mod k_anonymity;
mod papers;
mod partial;
mod protocol;
mod shrink;
mod strictness;
mod zero_knowledge;
