//! `deniable gwas`: association results of case-control cohorts.

mod check;
mod curator;
mod power;
mod release;
mod simulate;

use crate::args::gwas::{Gwas, GwasCommand};
use crate::console::{say, shown};
use crate::error::Failure;
use crate::progress::Progress;
use deniable::Surface;
use deniable::gwas::{Event, Step};

/// Runs it.
pub fn run(args: &Gwas) -> Result<(), Failure> {
    match &args.command {
        Some(GwasCommand::Check(args)) => check::run(args),
        Some(GwasCommand::Simulate(simulate)) => simulate::run(simulate),
        Some(GwasCommand::Power(power)) => power::run(power),
        None if args.release.curator => curator::run(&args.release),
        None => release::run(&args.release),
    }
}

/// Reports an event on standard error.
fn tell(progress: &Progress, event: &Event<'_>) {
    match event {
        Event::Step(Step::Reading(snps)) => progress.rows("reading SNPs", *snps),
        Event::Step(Step::Scoring(snps)) if *snps >= 200_000 => progress.says("computing distances"),
        Event::NewLedger(path) => say(format!("a new ledger begins: {}", shown(path))),
        event => {
            if let Some(message) = event.message(Surface::Command) {
                progress.done();
                say(message);
            }
        }
    }
}
