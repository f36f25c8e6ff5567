//! Questions from outside: sensitivity, neighbours, hostile values, files, and damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod consistent;
mod differential;
mod engines;
mod entity_rows;
mod extreme_row;
mod fuzz;
mod generate;
mod groups;
mod intervals;
mod keys;
mod losses;
mod nested;
mod per_entity;
mod population;
#[cfg(feature = "postgres")]
mod postgres;
mod pushdown;
mod registration;
mod regression;
mod results;
mod sensitivity;
mod slowest;
mod synonyms;
mod typical;
mod weighted;
mod widths;
mod windows;
