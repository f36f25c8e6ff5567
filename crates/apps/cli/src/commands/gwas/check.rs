//! `deniable gwas check`: reports the contents of a cohort's files and registers their version. For the curator alone:
//! all output depends on private genotypes.

use super::tell;
use crate::args::gwas::Check;
use crate::args::output::LedgerFormat;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::progress::Progress;
use deniable::gwas::{CheckOptions, Error, check};

/// Runs it.
pub fn run(args: &Check) -> Result<(), Failure> {
    let options = CheckOptions {
        genotypes: args.input.genotypes(),
        declared: args.declared.declaration(args.policy.as_ref()),
        threads: args.threads,
    };
    let progress = Progress::new();
    let checked = check(&options, &mut |event| tell(&progress, &event));
    progress.done();
    let checked = checked?;
    match args.format {
        // Printed also if the registration failed: the findings explain why.
        LedgerFormat::Json => publish(&deniable::json(&checked), None)?,
        LedgerFormat::Table => say(checked.log.to_string()),
    }
    let registered = checked.registered();
    if let Err(error) = checked.registration {
        return Err(Error::from(error).into());
    }
    registered.iter().for_each(say);
    say(format!("ledger head {}", checked.head));
    Ok(())
}
