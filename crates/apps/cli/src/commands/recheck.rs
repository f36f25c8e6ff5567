//! `deniable recheck`: verifies a certificate with code that is independent of the search.

use crate::args::check::Recheck as Args;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::publish_report;
use deniable::recheck::recheck;

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let report = recheck(&args.certificate)?;
    publish_report(&report, args.format)?;
    Ok(if report.is_complete() { Exit::Done } else { Exit::Unchecked })
}
