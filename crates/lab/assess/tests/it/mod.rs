//! Measures of anonymised tables: worked by hand, against plain definitions, and on damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod beliefs;
mod cells;
mod common;
mod fuzz;
mod measures;
mod presence;
mod worked;
