//! Measures of anonymised tables: worked by hand, compared with plain definitions, and on damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod beliefs;
mod cells;
mod common;
mod fuzz;
mod measures;
mod presence;
mod worked;
