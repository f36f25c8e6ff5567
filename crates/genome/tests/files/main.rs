//! Genotype files: read, refused, counted, and compared with PLINK 1.9.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod compare;
mod fixture;
mod hostile;
mod individuals;
mod reading;
mod vcf;
