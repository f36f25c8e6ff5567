//! `deniable`: private answers from a stated risk. The whole program is the library's [`deniable_cli::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    deniable_cli::main(&words).into()
}
