//! `deniable explain`: the meaning of a notion, a theorem or a term of the field.

use crate::args::check::Explain as Args;
use crate::error::Failure;
use crate::output::publish_report;
use deniable::explain::{Contents, explain};

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.name {
        None => publish_report(&Contents, args.format),
        Some(name) => publish_report(&explain(name)?, args.format),
    }
}
