//! `deniable gwas`: association results of case-control cohorts.

mod curator;
mod power;
mod release;
mod simulate;

use super::{not_a_prefix, publish};
use crate::args::gwas::{Gwas, GwasCommand, Input, PromiseFlags};
use crate::error::{Complaint, Failure};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::parse_rational;
use deniable_core::promise::Promise;
use deniable_genome::{Column, FileError, PhenoFile, plink};
use deniable_gwas::Files;
use std::num::NonZeroUsize;

/// Runs it.
pub fn run(args: &Gwas) -> Result<(), Failure> {
    match &args.command {
        Some(GwasCommand::Simulate(simulate)) => simulate::run(simulate),
        Some(GwasCommand::Power(power)) => power::run(power),
        None if args.release.curator => curator::run(&args.release),
        None => release::run(&args.release),
    }
}

fn usage(message: impl std::fmt::Display, help: impl std::fmt::Display) -> Failure {
    Failure::Usage(Complaint::new(message).help(help))
}

/// Where the files are.
fn files(input: &Input) -> Result<Files, Failure> {
    let column = match (&input.pheno_name, input.mpheno) {
        (Some(name), _) => Column::Named(name.clone()),
        (None, Some(number)) => Column::Number(number.get()),
        (None, None) => Column::First,
    };
    let pheno = input.pheno.as_ref().map(|path| PhenoFile { path: path.clone(), column });
    if let Some((file, prefix)) = input.bfile.as_ref().and_then(|file| Some((file, plink::meant(file)?))) {
        return Err(not_a_prefix(file, &prefix));
    }
    match (&input.bfile, &input.vcf, pheno) {
        (Some(prefix), _, pheno) => Ok(Files::Plink { prefix: prefix.clone(), pheno }),
        (None, Some(file), Some(pheno)) => Ok(Files::Vcf { file: file.clone(), pheno }),
        (None, Some(_), None) => {
            let help = "add --pheno FILE with the columns FID, IID and 1 (control) or 2 (case)";
            Err(usage("a VCF file does not say who is a case", help))
        }
        (None, None, _) => {
            let help =
                "name a cohort with --bfile PREFIX or --vcf FILE; `deniable gwas simulate --out cohort` makes one";
            Err(usage("nothing says where the genotypes are", help))
        }
    }
}

/// What observers may have believed: one belief, an interval or anything.
pub fn priors(text: Option<&str>) -> Result<PriorRange, Failure> {
    let text = match text {
        None | Some("any") => return Ok(PriorRange::any()),
        Some(text) => text,
    };
    let help = "write --prior 1/2, --prior 1/5..4/5, --prior ..1/2 or --prior any";
    if let Ok(belief) = parse_rational(text) {
        return PriorRange::new(Some(belief.clone()), Some(belief))
            .map_err(|error| usage(format!("--prior: {error}"), help));
    }
    deniable_translate::parse::priors(text).map_err(|error| usage(format!("--prior {error}"), help))
}

/// Every promise that is made.
fn promises(flags: &PromiseFlags) -> Vec<Promise> {
    let PromiseFlags { gain, negative_gain, posterior_at_most, posterior_at_least, epsilon, .. } = flags;
    let all = [
        gain.clone().map(Promise::Gain),
        negative_gain.clone().map(Promise::NegativeGain),
        posterior_at_most.clone().map(Promise::PosteriorAtMost),
        posterior_at_least.clone().map(Promise::PosteriorAtLeast),
        epsilon.clone().map(Promise::Epsilon),
    ];
    all.into_iter().flatten().collect()
}

fn all_threads(stated: Option<NonZeroUsize>) -> NonZeroUsize {
    stated.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// A file's fault, with the place in the message and the mend below.
fn file_failure(error: &FileError) -> Failure {
    let place = error.line.map_or_else(String::new, |line| format!(":{line}"));
    Failure::refused(format!("{}{place}: {}", error.file.display(), error.kind), error.help())
}
