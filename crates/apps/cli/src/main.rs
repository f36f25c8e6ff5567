//! The program `deniable`, which runs [`deniable_cli::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    deniable_cli::main(&words).into()
}
