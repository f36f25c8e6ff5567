//! Policies: read in full, refused with place and help, scaffolded, damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod bad;
mod blanks;
mod docs;
mod fuzz;
mod good;
mod odds;
mod reading;
mod scaffold;
