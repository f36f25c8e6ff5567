//! `deniable`: private answers from a stated risk.
//!
//! Standard output carries what may be published and nothing else, but for `attack` and `assess`. Standard error, the exit
//! status, progress and timing are for the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.

mod args;
mod codebook;
mod commands;
mod console;
mod error;
mod genotypes;
mod ledgers;
mod output;
mod policies;
mod priors;
mod progress;
mod render;

use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(args::read()) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
