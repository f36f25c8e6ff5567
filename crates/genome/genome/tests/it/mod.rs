//! Genotype files: read, rejected, counted, compared with PLINK 1.9, and damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod files;
mod fuzz;
