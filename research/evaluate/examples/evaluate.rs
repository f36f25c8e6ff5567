//! Makes the page: `cargo run --release -p deniable-evaluate --example evaluate -- adult.data docs/evaluation`.

use deniable_evaluate::{Settings, run};
use std::path::Path;
use std::process::ExitCode;

#[expect(clippy::print_stderr, reason = "progress, errors and how to call it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [adult, folder] = &arguments[..] else {
        eprintln!("evaluate ADULT FOLDER");
        return ExitCode::FAILURE;
    };
    let begun = std::time::Instant::now();
    let progress = |done, of| eprintln!("{done} of {of} after {:.1} s", begun.elapsed().as_secs_f64());
    let made = run(Path::new(adult), &Settings::default(), &progress);
    match made.and_then(|evaluation| evaluation.write(Path::new(folder))) {
        Ok(files) => {
            eprintln!("{} files in {folder} after {:.1} s", files.len(), begun.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
