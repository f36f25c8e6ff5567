//! Writes the evaluation into a folder: `cargo run -p deniable-evaluate -- ADULT docs/evaluation`.
//!
//! The draws have a fixed seed, so that equal data give equal bytes. Exit codes are those of the product: 0 for
//! success, 1 when the evaluation cannot be made, 2 for bad usage.

use deniable_evaluate::{Settings, run};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run -p deniable-evaluate -- ADULT FOLDER

  ADULT   `adult.data` of UCI Adult, as it is distributed: 15 fields, no header
  FOLDER  the folder of the page, its pictures and its tables: docs/evaluation
";

#[expect(clippy::print_stderr, reason = "progress, errors and usage")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [adult, folder] = &arguments[..] else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let progress = |done, of| eprintln!("evaluating: {done} of {of}");
    let made = run(Path::new(adult), &Settings::default(), &progress);
    match made.and_then(|evaluation| evaluation.write(Path::new(folder))) {
        Ok(files) => {
            eprintln!("{folder}: {} files are written", files.len());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
