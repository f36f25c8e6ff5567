//! The command line, as a library: the program `deniable` is [`main`], and other hosts of it (the Python package) call the same commands.
//!
//! Standard output contains only what may be published, except for `attack`, `assess` and `ledger show`, and for
//! `data check`, `data pull` and `gwas check` with JSON. Standard error, the exit status, progress and timing are for the curator alone. Exit codes:
//! 0 done, 1 refused or failed, 2 bad usage, 3 a certificate verified in part.
//!
//! | content | module |
//! |---|---|
//! | arguments | `args` |
//! | commands | `commands` |
//! | failures: message, place and help | [`error`] |
//! | exit codes | [`exit`] |

mod args;
mod commands;
pub mod console;
pub mod error;
pub mod exit;
mod ledgers;
mod output;
mod policies;
mod progress;

use exit::Exit;
use std::ffi::OsString;

/// Runs a command line whose first word is the program's own name. Writes to the process's standard output and error.
#[must_use]
pub fn main(words: &[OsString]) -> Exit {
    deniable::install_sources();
    let args = match args::read(words) {
        Ok(args) => args,
        Err(said) => {
            // Help goes to standard output, errors to standard error; a failure to write either cannot be reported.
            let _ = said.print();
            return if said.exit_code() == 0 { Exit::Done } else { Exit::Usage };
        }
    };
    match commands::run(args) {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
}
