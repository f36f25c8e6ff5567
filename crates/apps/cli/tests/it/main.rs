//! The command as a whole: its output, its errors, and its state after kills.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod adult;
mod answer_files;
mod answered_sql;
#[cfg(feature = "serve")]
mod approvals;
mod ask;
mod assess;
mod attack;
mod attacks;
mod audit;
mod bad_input;
mod browser;
mod caps;
mod chance;
mod check;
#[cfg(feature = "serve")]
mod clients;
mod codebook;
mod consistent;
mod contained;
mod crowd;
#[cfg(feature = "serve")]
mod curators;
mod docs;
mod engines;
mod every_month;
mod gwas;
mod independence;
mod init;
mod keys;
mod killed;
mod labels;
mod losses;
mod misread;
mod nested;
mod new_entities;
mod newcomers;
mod notes;
#[cfg(feature = "objects")]
mod objects;
mod periods;
mod plan;
mod plans;
#[cfg(feature = "postgres")]
mod postgres;
mod quality;
mod quoting;
mod redteam;
mod refused_sql;
mod release;
mod report;
#[cfg(feature = "serve")]
mod serve;
mod simulate;
mod support;
mod text;
mod withdraw;
mod wrong_files;
