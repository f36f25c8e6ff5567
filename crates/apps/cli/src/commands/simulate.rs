//! `deniable simulate`.

use crate::args::simulate::{FileFormat, Simulate};
use crate::console::say;
use crate::error::Failure;
use deniable::{Policy, simulate};

/// Runs it.
pub fn run(args: &Simulate) -> Result<(), Failure> {
    let policy = Policy::load_to_ask_later(&args.policy)?;
    let format = args.format.map(|format| match format {
        FileFormat::Csv => simulate::FileFormat::Csv,
        FileFormat::Parquet => simulate::FileFormat::Parquet,
    });
    let written = args.size.simulate().tables(&policy)?.write(&args.out, format, args.force)?;
    say(written.to_string().trim_end());
    Ok(())
}
