//! The command line, as a library: the program `deniable` is [`main`], and other hosts of it (the Python package) call the same commands.
//!
//! Standard output carries what may be published and nothing else, but for `attack` and `assess`. Standard error, the exit
//! status, progress and timing are for the curator alone. Exit codes: 0 done, 1 refused or failed, 2 bad usage.
//!
//! | question | module |
//! |---|---|
//! | which words are there? | `args` |
//! | what does each command do? | `commands` |
//! | what is said when one fails, where, and what is to be done? | [`error`] |
//! | how is what was found written? | [`render`] |
//! | how did it end? | [`exit`] |

mod args;
mod codebook;
mod commands;
pub mod console;
pub mod error;
pub mod exit;
mod ledgers;
mod output;
mod policies;
mod progress;
pub mod render;

use exit::Exit;
use std::ffi::OsString;

/// Runs the command that these words say, the program's own name first, and speaks on the process's standard output and error.
#[must_use]
pub fn main(words: &[OsString]) -> Exit {
    deniable::install_sources();
    let args = match args::read(words) {
        Ok(args) => args,
        Err(said) => {
            // Help goes to standard output, complaints to standard error; where neither can be written nobody listens.
            let _ = said.print();
            return if said.exit_code() == 0 { Exit::Done } else { Exit::Usage };
        }
    };
    match commands::run(args) {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
}
