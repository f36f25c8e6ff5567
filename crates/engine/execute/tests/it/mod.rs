//! Integration tests: sensitivity, neighbours, hostile values, files, and damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod canonical;
mod consistent;
mod differential;
mod entity_rows;
mod extreme_row;
mod fuzz;
mod generate;
mod groups;
mod keys;
mod losses;
mod nested;
mod own_rows;
mod per_entity;
#[cfg(feature = "postgres")]
mod postgres;
mod regression;
mod sensitivity;
mod synonyms;
mod weighted;
