//! `deniable gwas`: association results of case-control cohorts.

mod check;
mod curator;
mod people;
mod power;
pub mod release;
mod simulate;

use crate::args::gwas::{Gwas, GwasCommand};
use crate::error::Failure;

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
