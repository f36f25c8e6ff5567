//! `deniable`: private answers from a stated risk.
//!
//! Standard output carries what may be published and nothing else. Standard error, the exit status, progress and
//! timing are for the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.

mod args;
mod commands;
mod error;
mod progress;
mod render;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
